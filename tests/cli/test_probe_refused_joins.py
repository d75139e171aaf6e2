"""Parts that do not fit each other: rows, ids, judgements, settings; exit 3, counted or named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.probing import QUICK, SMALL, Gnomon, assert_refused, corpus_args, refused


def vectors(collection: Path, matrix: str) -> Path:
    """Return the file of a matrix."""
    return collection / "emb" / f"{matrix}.npy"


def test_rows_that_do_not_match_ids_are_counted(gnomon: Gnomon, collection: Path) -> None:
    """Both counts and both files."""
    for name in ("old", "new"):
        path = vectors(collection, f"{name}.corpus")
        np.save(path, np.load(path)[:-1])
    assert_refused(refused(gnomon, collection), "old.corpus.npy", "119", "120", "corpus.jsonl")


@pytest.mark.parametrize("matrix", ["old.queries", "new.queries"])
def test_query_rows_that_do_not_match_ids_are_counted(
    gnomon: Gnomon, collection: Path, matrix: str
) -> None:
    """Both counts and both files."""
    np.save(vectors(collection, matrix), np.load(vectors(collection, matrix))[:-2])
    assert_refused(refused(gnomon, collection), f"{matrix}.npy", "28", "30", "queries.jsonl")


def test_old_and_new_with_other_row_counts_are_refused(gnomon: Gnomon, collection: Path) -> None:
    """And --new-ids is named, by which a part is measured on purpose."""
    path = vectors(collection, "new.corpus")
    np.save(path, np.load(path)[:-5])
    outcome = refused(gnomon, collection)
    assert_refused(outcome, "old.corpus.npy", "new.corpus.npy", "120", "115", "--new-ids")


@pytest.mark.parametrize(("name", "dim"), [("old", 24), ("new", 32)])
def test_queries_of_another_width_than_their_documents_are_refused(
    gnomon: Gnomon, collection: Path, name: str, dim: int
) -> None:
    """Both widths, the files and the likely mistake."""
    path = vectors(collection, f"{name}.queries")
    np.save(path, np.load(path)[:, :-1])
    outcome = refused(gnomon, collection)
    assert_refused(outcome, f"{name}.queries.npy", f"{name}.corpus.npy", str(dim), str(dim - 1))


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl"])
def test_duplicate_ids_are_named(gnomon: Gnomon, collection: Path, file: str) -> None:
    """The id and the file."""
    path = collection / file
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:8], lines[3], *lines[9:]]), encoding="utf-8")
    name = f"{file[0].replace('c', 'd')}3"
    assert_refused(refused(gnomon, collection), file, "duplicate", f"'{name}'")


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl"])
@pytest.mark.parametrize(
    "line", ["{broken", "[1]", '{"text": "no id"}', '{"_id": null}', '{"_id": "a", "text": 3}']
)
def test_a_broken_line_is_named_by_its_number(
    gnomon: Gnomon, collection: Path, file: str, line: str
) -> None:
    """Line 17, although blank lines stand before it."""
    path = collection / file
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:14], "", "", line, *lines[15:]]), encoding="utf-8")
    assert_refused(refused(gnomon, collection), file, "line 17")


@pytest.mark.parametrize("gain", ["0.5", "high", "", "nan"])
def test_a_broken_judgement_is_named_by_its_number(
    gnomon: Gnomon, collection: Path, gain: str
) -> None:
    """A gain is a whole number."""
    path = collection / "qrels.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:16], f"q3\td7\t{gain}", *lines[17:]]), encoding="utf-8")
    assert_refused(refused(gnomon, collection), "qrels.tsv", "line 17")


def test_an_empty_corpus_is_refused(gnomon: Gnomon, collection: Path) -> None:
    """No document, no decision."""
    for name in ("old", "new"):
        path = vectors(collection, f"{name}.corpus")
        np.save(path, np.load(path)[:0])
    (collection / "corpus.jsonl").write_text("", encoding="utf-8")
    assert_refused(refused(gnomon, collection), "old.corpus.npy", "empty")


def test_an_empty_corpus_file_is_refused(gnomon: Gnomon, collection: Path) -> None:
    """Vectors without documents."""
    (collection / "corpus.jsonl").write_text("\n\n", encoding="utf-8")
    assert_refused(refused(gnomon, collection), "corpus.jsonl")


def test_no_judged_query_is_refused(gnomon: Gnomon, collection: Path) -> None:
    """All gains 0: nothing is relevant to anything."""
    path = collection / "qrels.tsv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("\t1\n", "\t0\n").replace("\t2\n", "\t0\n"), encoding="utf-8")
    assert_refused(refused(gnomon, collection), "qrels.tsv", "no judged query")


def test_an_empty_qrels_file_is_refused(gnomon: Gnomon, collection: Path) -> None:
    """Never a T1u run without notice."""
    (collection / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n", encoding="utf-8")
    assert_refused(refused(gnomon, collection), "qrels.tsv")


def test_judgements_of_unknown_documents_only_are_refused_with_examples(
    gnomon: Gnomon, collection: Path
) -> None:
    """What looks like a catastrophe of the model is an error of the ids."""
    path = collection / "qrels.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("\td", "\tD"), encoding="utf-8")
    outcome = refused(gnomon, collection)
    assert_refused(outcome, "qrels.tsv", "no judged document", "upper and lower")


def test_judgements_of_unknown_queries_only_are_refused(gnomon: Gnomon, collection: Path) -> None:
    """The other column."""
    path = collection / "qrels.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("q", "Q"), encoding="utf-8")
    assert_refused(refused(gnomon, collection), "qrels.tsv", "no judged query")


def test_judgements_of_some_unknown_documents_are_counted_and_warned_about(
    gnomon: Gnomon, collection: Path
) -> None:
    """Up to a point this is normal: collections lose documents."""
    path = collection / "qrels.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines += ["q0\tgone-1\t1", "q0\tgone-2\t1", "q1\tgone-1\t1", "unknown\td0\t1"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = gnomon("probe", *corpus_args(collection), *QUICK, "--json").json
    assert result["skipped"]["missing_judged_documents"] == 2
    assert result["skipped"]["unknown_judged_queries"] == 1
    warned = {one["code"]: one["message"] for one in result["warnings"]}
    assert "2" in warned["missing_judged_documents"]


def test_queries_without_judgement_are_counted_and_warned_about(
    gnomon: Gnomon, collection: Path
) -> None:
    """q0 loses its judgements, q1 keeps one that is not relevant."""
    path = collection / "qrels.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("q0\t", "q1\t"))]
    path.write_text("\n".join([*kept, "q1\td5\t0"]) + "\n", encoding="utf-8")
    result = gnomon("probe", *corpus_args(collection), *QUICK, "--json").json
    assert result["n_queries"] == 28
    assert result["skipped"]["unjudged_queries"] == 1
    assert result["skipped"]["queries_without_relevant_document"] == 1
    assert "unjudged_queries" in {one["code"] for one in result["warnings"]}


def test_judgements_that_a_tier_does_not_use_leave_nothing_out(
    gnomon: Gnomon, collection: Path
) -> None:
    """At T1u every query of the log is measured, judged or not, and nothing is warned about."""
    path = collection / "qrels.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("q0\t")]
    path.write_text("\n".join([*kept, "q1\tgone\t1"]) + "\n", encoding="utf-8")
    args = [*corpus_args(collection), *QUICK, "--tier", "T1u", "--json"]
    result = gnomon("probe", *args).json
    assert result["n_queries"] == 30
    assert result["skipped"] == {}
    codes = {one["code"] for one in result["warnings"]}
    assert not codes & {"unjudged_queries", "missing_judged_documents"}


@pytest.mark.parametrize(("k", "flags"), [(121, ()), (120, ("--tier", "T0"))])
def test_k_above_the_number_of_documents_is_refused(
    gnomon: Gnomon, collection: Path, k: int, flags: tuple[str, ...]
) -> None:
    """At T0 a document may not find itself, which makes one less."""
    args = ["--k", str(k), "--candidate-depth", "500", *flags]
    outcome = gnomon("probe", *corpus_args(collection), "--quiet", *args, code=3)
    assert_refused(outcome, f"k is {k}", str(120 - len(flags) // 2))


@pytest.mark.parametrize("tier", ["T1", "T1u"])
def test_a_tier_that_the_files_cannot_give_is_refused(
    gnomon: Gnomon, collection: Path, tier: str
) -> None:
    """What is missing, and which tier there is."""
    outcome = refused(
        gnomon, collection, "--tier", tier,
        queries=None, qrels=None, old_queries=None, new_queries=None,
    )  # fmt: skip
    assert_refused(outcome, f"tier {tier}", "T0")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_corpus_of_a_few_documents_is_refused_in_words(
    gnomon: Gnomon, tmp_path: Path, n: int
) -> None:
    """Too small for a tier or for a fit, but never a traceback."""
    for name in ("old", "new"):
        np.save(tmp_path / f"{name}.npy", np.eye(n, 8, dtype=np.float32))
    args = ["--old-docs", tmp_path / "old.npy", "--new-docs", tmp_path / "new.npy", "--k", "1"]
    outcome = gnomon("probe", *args, "--candidate-depth", "1", "--quiet", code=3)
    assert_refused(outcome, f"{n} documents are too few")


@pytest.mark.parametrize("matrix", ["old.corpus", "new.corpus"])
def test_document_vectors_that_are_all_zero_are_refused(
    gnomon: Gnomon, collection: Path, matrix: str
) -> None:
    """An export that failed as a whole."""
    path = vectors(collection, matrix)
    np.save(path, np.zeros_like(np.load(path)))
    assert_refused(refused(gnomon, collection), f"{matrix.split('.', maxsplit=1)[0]}", "zero")


def test_a_part_that_names_unknown_documents_is_refused(gnomon: Gnomon, collection: Path) -> None:
    """With the number and examples."""
    np.save(collection / "part.npy", SMALL.new_docs[:3])
    (collection / "part.txt").write_text("d0\nx1\nx2\n", encoding="utf-8")
    part = {"new_docs": collection / "part.npy", "new_ids": collection / "part.txt"}
    assert_refused(refused(gnomon, collection, **part), "part.txt", "2 of 3", "'x1', 'x2'")


def test_a_part_with_another_number_of_ids_is_refused(gnomon: Gnomon, collection: Path) -> None:
    """Both files and both counts."""
    np.save(collection / "part.npy", SMALL.new_docs[:3])
    (collection / "part.txt").write_text("d0\nd1\n", encoding="utf-8")
    part = {"new_docs": collection / "part.npy", "new_ids": collection / "part.txt"}
    assert_refused(refused(gnomon, collection, **part), "part.npy", "part.txt", "3", "2")


@pytest.mark.parametrize(
    "ids", ["d0\nd1\nd1\n", "d0\n\nd2\n", ""], ids=["duplicate", "blank", "empty"]
)
def test_a_broken_file_of_ids_is_refused(gnomon: Gnomon, collection: Path, ids: str) -> None:
    """Each with the file, and the line or the id."""
    np.save(collection / "part.npy", SMALL.new_docs[:3])
    (collection / "part.txt").write_text(ids, encoding="utf-8")
    part = {"new_docs": collection / "part.npy", "new_ids": collection / "part.txt"}
    assert_refused(refused(gnomon, collection, **part), "part.txt")
