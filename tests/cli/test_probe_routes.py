"""Every way to hand the same vectors and judgements to the probe gives the same figures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from gnomon import audit
from tests.cli.probing import QUICK, SMALL, Gnomon, assert_refused, corpus_args, file_args

MATRICES = {
    "old_docs": SMALL.old_docs,
    "new_docs": SMALL.new_docs,
    "old_queries": SMALL.old_queries,
    "new_queries": SMALL.new_queries,
}


def ids_of(role: str) -> list[str]:
    """Return the ids that belong to the rows of a matrix."""
    return SMALL.doc_ids if role.endswith("docs") else SMALL.query_ids


def figures(gnomon: Gnomon, *args: object) -> dict[str, Any]:
    """Return the result without what names the models and the record."""
    result = gnomon("probe", *args, *QUICK, "--json").json
    return {name: result[name] for name in result if name not in ("audit", "models")}


@pytest.fixture
def expected(gnomon: Gnomon, small_collection: Path) -> dict[str, Any]:
    """Return the figures of the collection folder."""
    return figures(gnomon, *corpus_args(small_collection))


def test_a_flag_for_every_part(
    gnomon: Gnomon, small_collection: Path, expected: dict[str, Any]
) -> None:
    """The folder is nothing but seven flags."""
    assert figures(gnomon, *file_args(small_collection)) == expected


def test_a_flag_beside_the_folder_takes_the_place_of_its_file(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any]
) -> None:
    """Other judgements, another file of vectors."""
    other = collection / "other.npy"
    (collection / "emb" / "new.corpus.npy").rename(other)
    np.save(collection / "emb" / "new.corpus.npy", SMALL.old_docs)
    lines = (collection / "qrels.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (collection / "qrels.tsv").write_text("".join(lines[:10]), encoding="utf-8")
    (collection / "all.tsv").write_text("".join(lines), encoding="utf-8")
    args = [*corpus_args(collection), "--new-docs", other, "--qrels", collection / "all.tsv"]
    assert figures(gnomon, *args) == expected


def test_query_vectors_by_flag_complete_a_folder_without_them(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any]
) -> None:
    """Queries and judgements of the folder are used with them."""
    for name in ("old", "new"):
        (collection / "emb" / f"{name}.queries.npy").rename(collection / f"{name}.npy")
    args = ["--old-queries", collection / "old.npy", "--new-queries", collection / "new.npy"]
    assert figures(gnomon, *corpus_args(collection), *args) == expected


def test_a_folder_without_query_vectors_says_that_it_is_tier_t0(
    gnomon: Gnomon, collection: Path
) -> None:
    """A judged collection is not quietly measured without its judgements."""
    (collection / "emb" / "new.queries.npy").unlink()
    outcome = gnomon("probe", *corpus_args(collection), *QUICK, "--json")
    assert outcome.json["tier"] == "T0"
    assert "no query vectors of both models" in outcome.err


def test_npz_with_ids_inside(gnomon: Gnomon, collection: Path, expected: dict[str, Any]) -> None:
    """Ids come from the archives, so neither corpus nor queries are needed; no text then."""
    parts = {}
    for role, matrix in MATRICES.items():
        parts[role] = collection / f"{role}.npz"
        np.savez(parts[role], vectors=matrix, ids=np.array(ids_of(role)))
    same = figures(gnomon, *file_args(collection, **parts))
    assert same == expected
    without = figures(gnomon, *file_args(collection, **parts, docs=None, queries=None))
    assert without["metrics"] == expected["metrics"]
    assert without["rankings"] == expected["rankings"]


def test_a_named_array_among_several(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any]
) -> None:
    """--key and --id-column go to the archives and not to the .npy beside them."""
    path = collection / "old.npz"
    np.savez(path, junk=np.ones(3), v=SMALL.old_docs, names=np.array(SMALL.doc_ids))
    args = file_args(collection, old_docs=path, key="v", id_column="names", docs=None)
    assert figures(gnomon, *args)["metrics"] == expected["metrics"]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_with_ids(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any], ending: str
) -> None:
    """Columns are named by flag; the ids come from the column."""
    parts = {}
    for role, matrix in MATRICES.items():
        vectors = pa.array(matrix.tolist(), pa.list_(pa.float32()))
        other = pa.array([[1.0]] * len(matrix), pa.list_(pa.float32()))
        table = pa.table({"name": ids_of(role), "other": other, "v": vectors})
        parts[role] = collection / f"{role}.{ending}"
        if ending == "parquet":
            pq.write_table(table, parts[role])
        else:
            with (
                pa.OSFile(str(parts[role]), "wb") as file,
                pa.ipc.new_file(file, table.schema) as writer,
            ):
                writer.write_table(table)
    columns = {"vector_column": "v", "id_column": "name", "docs": None, "queries": None}
    found = figures(gnomon, *file_args(collection, **parts, **columns))
    assert found["metrics"] == expected["metrics"]
    assert found["rankings"] == expected["rankings"]


def test_formats_may_be_mixed(gnomon: Gnomon, collection: Path, expected: dict[str, Any]) -> None:
    """Parquet from the old store, .npy for the rest: each option goes to the format that has it."""
    path = collection / "old.parquet"
    vectors = pa.array(SMALL.old_docs.tolist(), pa.list_(pa.float32()))
    pq.write_table(pa.table({"_id": SMALL.doc_ids, "v": vectors}), path)
    args = file_args(collection, old_docs=path, vector_column="v", id_column="_id", docs=None)
    assert figures(gnomon, *args)["metrics"] == expected["metrics"]


def test_fvecs(gnomon: Gnomon, collection: Path, expected: dict[str, Any]) -> None:
    """A width before every row."""
    parts = {}
    for role, matrix in MATRICES.items():
        parts[role] = collection / f"{role}.fvecs"
        widths = np.full((len(matrix), 1), matrix.shape[1], np.int32).view(np.float32)
        np.hstack([widths, matrix]).astype("<f4").tofile(parts[role])
    assert figures(gnomon, *file_args(collection, **parts)) == expected


@pytest.mark.parametrize("packing", [None, "gzip"])
def test_hdf5(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any], packing: str | None
) -> None:
    """Datasets by path, with ids beside them."""
    parts = {}
    for role, matrix in MATRICES.items():
        parts[role] = collection / f"{role}.h5"
        with h5py.File(parts[role], "w") as file:
            file.create_dataset("train/v", data=matrix, compression=packing)
            file["train/ids"] = ids_of(role)
    where = {"key": "train/v", "id_column": "train/ids", "docs": None, "queries": None}
    found = figures(gnomon, *file_args(collection, **parts, **where))
    assert found["metrics"] == expected["metrics"]


def test_judgements_in_the_trec_form(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any]
) -> None:
    """Four columns, packed."""
    rows = (collection / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    lines = [f"{query} 0 {doc} {gain}" for query, doc, gain in map(str.split, rows)]
    path = collection / "qrels.trec.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert figures(gnomon, *file_args(collection, qrels=path)) == expected


def test_ids_from_plain_text(gnomon: Gnomon, collection: Path, expected: dict[str, Any]) -> None:
    """One id a line for documents and queries; the source then has no text."""
    for name, ids in (("docs", SMALL.doc_ids), ("queries", SMALL.query_ids)):
        (collection / f"{name}.txt").write_text("\n".join(ids), encoding="utf-8")
    args = file_args(
        collection, docs=None, ids=collection / "docs.txt", queries=collection / "queries.txt"
    )
    found = figures(gnomon, *args)
    assert found["metrics"] == expected["metrics"]
    assert found["arrangement"] == "single_stage"


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(np.asfortranarray, id="fortran order"),
        pytest.param(lambda x: x.astype(np.float64), id="float64"),
    ],
)
def test_the_layout_of_a_file_changes_nothing(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any], stored: Any
) -> None:
    """The same numbers give the same bits."""
    for path in (collection / "emb").glob("*.npy"):
        np.save(path, stored(np.load(path)))
    assert figures(gnomon, *corpus_args(collection)) == expected


@pytest.mark.parametrize("dtype", ["float16", "int8", "bfloat16"])
def test_a_narrow_type_equals_its_numbers_in_float32(
    gnomon: Gnomon, collection: Path, dtype: str
) -> None:
    """Nothing is lost beyond what the file had lost already."""
    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
    flags = ["--dtype", "bfloat16"] if dtype == "bfloat16" else []

    def narrow(matrix: NDArray[np.float32]) -> NDArray[Any]:
        scale = 127 / np.abs(matrix).max() if dtype == "int8" else 1
        return (matrix * scale).astype(kind)

    paths = list((collection / "emb").glob("*.npy"))
    wide = {path: np.load(path) for path in paths}
    for path in paths:
        np.save(path, narrow(wide[path]))
    found = figures(gnomon, *corpus_args(collection), *flags)
    for path in paths:
        np.save(path, narrow(wide[path]).astype(np.float32))
    assert figures(gnomon, *corpus_args(collection)) == found


def test_a_part_in_any_order_gives_the_same_figures(gnomon: Gnomon, collection: Path) -> None:
    """--new-ids says which document a row is; the order of the rows is nothing."""
    rows = np.flatnonzero(np.random.default_rng(2).random(120) < 0.7)
    found = []
    for order in (rows, np.random.default_rng(1).permutation(rows)):
        np.save(collection / "part.npy", SMALL.new_docs[order])
        text = "".join(f"d{row}\n" for row in order)
        (collection / "part.txt").write_text(text, encoding="utf-8")
        part = {"new_docs": collection / "part.npy", "new_ids": collection / "part.txt"}
        found.append(figures(gnomon, *file_args(collection, **part)))
    assert found[0] == found[1]
    assert found[0]["n_documents_with_new_vectors"] == len(rows)
    assert "sampled_corpus" in {one["code"] for one in found[0]["warnings"]}


def test_a_part_without_judged_documents_is_provisional(gnomon: Gnomon, collection: Path) -> None:
    """The oracle can't find what has no new vector, so neither gain nor retention is a bound."""
    judged = {row for one in SMALL.judged for row in one}
    left_out = sorted(judged)[:7]
    rows = [row for row in range(120) if row not in left_out]
    np.save(collection / "part.npy", SMALL.new_docs[rows])
    text = "".join(f"d{row}\n" for row in rows)
    (collection / "part.txt").write_text(text, encoding="utf-8")
    part = {"new_docs": collection / "part.npy", "new_ids": collection / "part.txt"}
    found = figures(gnomon, *file_args(collection, **part))
    assert found["skipped"]["judged_documents_without_new_vectors"] == 7
    assert found["provisional"]
    assert any("7 documents that are relevant" in one for one in found["provisional_reasons"])
    sampled = figures(gnomon, *corpus_args(collection), "--sample", "60")
    assert sampled["skipped"]["judged_documents_without_new_vectors"] == 0


def test_a_part_that_is_everything_gives_the_figures_of_the_whole(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any]
) -> None:
    """Shuffled new rows with their ids are the collection itself."""
    order = np.random.default_rng(1).permutation(120)
    np.save(collection / "new.npy", SMALL.new_docs[order])
    path = collection / "ids.jsonl"
    path.write_text("\n".join(json.dumps({"_id": f"d{row}"}) for row in order), encoding="utf-8")
    args = file_args(collection, new_docs=collection / "new.npy", new_ids=path)
    assert figures(gnomon, *args) == expected


def test_ids_in_a_vector_file_must_agree_with_the_corpus(gnomon: Gnomon, collection: Path) -> None:
    """Both hold ids, so the order is checked, and the first row that differs is named."""
    ids = list(SMALL.query_ids)
    ids[4], ids[7] = ids[7], ids[4]
    path = collection / "queries.npz"
    np.savez(path, vectors=SMALL.new_queries, ids=np.array(ids))
    outcome = gnomon("probe", *file_args(collection, new_queries=path), *QUICK, code=3)
    assert_refused(outcome, "queries.npz", "row 4", "'q7'", "'q4'", "queries.jsonl")


def test_one_file_may_hold_everything(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any]
) -> None:
    """--key and --id-column name an array for each role; the report repeats them."""
    path = collection / "all.npz"
    np.savez(path, d=np.array(SMALL.doc_ids), q=np.array(SMALL.query_ids), **MATRICES)
    ids = {"old_docs": "d", "new_docs": "d", "old_queries": "q", "new_queries": "q"}
    args = file_args(collection, docs=None, queries=None, **dict.fromkeys(MATRICES, path))
    for role, name in ids.items():
        flag = role.replace("_", "-")
        args += ["--key", f"{flag}={role}", "--id-column", f"{flag}={name}"]
    found = figures(gnomon, *args, "--report", "out.html")
    assert found["metrics"] == expected["metrics"]
    models = audit.read_record(Path(".gnomon"), 2).outputs["models"]
    page = Path("out.html").read_text(encoding="utf-8")
    assert "--key old-docs=old_docs --key" in page
    assert "--id-column new-queries=q" in page
    assert [models[side]["id"] for side in ("old", "new")] == ["old_docs", "new_docs"]
    assert gnomon("replay", 2, "--json", "--quiet").json["verdict"] == "identical"


def test_a_name_without_a_role_is_for_the_other_files(
    gnomon: Gnomon, collection: Path, expected: dict[str, Any]
) -> None:
    """What stands before = is a role only when it is one."""
    parts = {role: collection / f"{role}.npz" for role in MATRICES}
    for role, matrix in MATRICES.items():
        np.savez(parts[role], **{"a=b" if role == "old_docs" else "v": matrix, "w": matrix[:3]})
    args = [*file_args(collection, **parts), "--key", "old-docs=a=b", "--key", "v"]
    assert figures(gnomon, *args) == expected


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--key", "v", "--key", "w"], ["--key is given twice", "'v' and 'w'"]),
        (["--key", "old-docs=v", "--key", "old_docs=w"], ["--key is given twice", "--old"]),
        (["--key", "old-docs="], ["--key 'old-docs='", "with a name"]),
        (["--key", ""], ["--key ''", "with a name"]),
        (["--key", "new-docs=v"], ["--key names --new-docs", ".npz"]),
        (["--vector-column", "old-docs=v"], ["--vector-column is for files", ".parquet"]),
    ],
    ids=" ".join,
)
def test_names_by_role_that_cannot_be_meant_are_usage_errors(
    gnomon: Gnomon, small_collection: Path, flags: list[str], words: list[str]
) -> None:
    """Only --old-docs is an archive here."""
    args = file_args(small_collection, old_docs="old.npz")
    assert_refused(gnomon("probe", *args, *flags, code=2), *words)


@pytest.mark.parametrize("flag", ["--key", "--vector-column", "--id-column"])
def test_an_option_that_no_file_takes_is_a_usage_error(
    gnomon: Gnomon, small_collection: Path, flag: str
) -> None:
    """It would have been without effect."""
    outcome = gnomon("probe", *corpus_args(small_collection), flag, "v", code=2)
    assert_refused(outcome, flag, "none of the files")
