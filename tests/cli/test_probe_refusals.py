"""Files that the probe refuses: exit 3; file and row named; no record; nothing half-written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.probing import SMALL, Gnomon, assert_refused, refused

MATRICES = ("old.corpus", "new.corpus", "old.queries", "new.queries")


def vectors(collection: Path, matrix: str) -> Path:
    """Return the file of a matrix."""
    return collection / "emb" / f"{matrix}.npy"


@pytest.mark.parametrize(
    "part", ["docs", "queries", "qrels", "old_docs", "new_docs", "old_queries", "new_queries"]
)
def test_a_missing_file_is_named(gnomon: Gnomon, collection: Path, part: str) -> None:
    """Each part by its own flag."""
    outcome = refused(gnomon, collection, **{part: collection / "gone" / "x.npy"})
    assert_refused(outcome, "gone/x.npy", "no such file")


def test_a_folder_without_a_corpus_tells_what_it_holds(gnomon: Gnomon, collection: Path) -> None:
    """The names that were looked for, and those that are there."""
    (collection / "corpus.jsonl").rename(collection / "documents.jsonl")
    assert_refused(refused(gnomon, collection), "corpus.jsonl", "documents.jsonl")


def test_an_unknown_model_of_a_collection_lists_the_known_ones(
    gnomon: Gnomon, collection: Path
) -> None:
    """A typing error in --new is seen at once."""
    outcome = gnomon("probe", "--corpus", collection, "--old", "old", "--new", "newer", code=3)
    assert_refused(outcome, "'newer'", "'new', 'old'")


@pytest.mark.parametrize("matrix", MATRICES)
def test_a_file_that_is_not_numpy_is_named(gnomon: Gnomon, collection: Path, matrix: str) -> None:
    """The content is looked at, not only the ending."""
    vectors(collection, matrix).write_text("<html>404</html>", encoding="utf-8")
    assert_refused(refused(gnomon, collection), f"{matrix}.npy", "HTML")


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("kept", [0, 7, 64, -1])
def test_a_truncated_file_is_named(
    gnomon: Gnomon, collection: Path, matrix: str, kept: int
) -> None:
    """Cut in the signature, in the header or in the last number."""
    path = vectors(collection, matrix)
    path.write_bytes(path.read_bytes()[:kept])
    assert_refused(refused(gnomon, collection), f"{matrix}.npy")


@pytest.mark.parametrize(
    ("dtype", "words"),
    [
        ("int64", ["int64", "astype"]),
        ("complex64", ["complex64"]),
        ("bool", ["bool"]),
        ("<U3", ["U3"]),
        (">f4", [">f4"]),
    ],
)
@pytest.mark.parametrize("matrix", MATRICES)
def test_another_element_type_is_refused(
    gnomon: Gnomon, collection: Path, matrix: str, dtype: str, words: list[str]
) -> None:
    """Nothing is cast silently."""
    path = vectors(collection, matrix)
    np.save(path, np.load(path).real.astype(dtype))
    assert_refused(refused(gnomon, collection), f"{matrix}.npy", *words)


@pytest.mark.parametrize("shape", [(120,), (30, 4, 2), ()])
def test_another_number_of_axes_is_refused(
    gnomon: Gnomon, collection: Path, shape: tuple[int, ...]
) -> None:
    """Rows by columns, nothing else."""
    np.save(vectors(collection, "old.corpus"), np.ones(shape, np.float32))
    assert_refused(refused(gnomon, collection), "old.corpus.npy")


def test_an_object_array_is_never_unpickled(gnomon: Gnomon, collection: Path) -> None:
    """A pickle that would make a file when it is opened does not get to."""
    trace = Path.cwd() / "trace"

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (trace,)

    bomb = np.array([[Bomb()]], dtype=object)
    np.save(vectors(collection, "new.corpus"), bomb, allow_pickle=True)
    assert_refused(refused(gnomon, collection), "new.corpus.npy", "object")
    assert not trace.exists()


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf], ids=str)
@pytest.mark.parametrize("row", [0, 17, -1])
def test_a_row_that_is_not_finite_is_named_by_file_and_row(
    gnomon: Gnomon, collection: Path, matrix: str, bad: float, row: int
) -> None:
    """The row in the file, wherever in the work it was met."""
    path = vectors(collection, matrix)
    values = np.load(path)
    values[row, 3] = bad
    np.save(path, values)
    outcome = refused(gnomon, collection)
    assert_refused(outcome, f"{matrix}.npy", f"row {row % len(values)} ")


def test_a_row_without_judgement_that_is_not_finite_is_named_too(
    gnomon: Gnomon, collection: Path
) -> None:
    """Its own row number in the file, although earlier queries are skipped."""
    lines = (collection / "qrels.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("q0\t", "q1\t"))]
    (collection / "qrels.tsv").write_text("".join(kept), encoding="utf-8")
    path = vectors(collection, "new.queries")
    values = np.load(path)
    values[9] = np.nan
    np.save(path, values)
    assert_refused(refused(gnomon, collection), "new.queries.npy", "row 9 ")


def test_rows_of_a_part_are_named_as_in_the_file(gnomon: Gnomon, collection: Path) -> None:
    """With shuffled --new-ids the row is that of the file, not that of the corpus."""
    rows = np.random.default_rng(3).permutation(120)[:90]
    part = SMALL.new_docs[rows]
    part[11] = np.inf
    np.save(collection / "part.npy", part)
    (collection / "part.txt").write_text("".join(f"d{row}\n" for row in rows), encoding="utf-8")
    outcome = refused(
        gnomon, collection, new_docs=collection / "part.npy", new_ids=collection / "part.txt"
    )
    assert_refused(outcome, "part.npy", "row 11 ")
