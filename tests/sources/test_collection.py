"""The folder of a collection: every part found by name, nothing outside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gnomon.errors import InvalidInputError, MissingInputError, UsageError
from gnomon.sources import resolve_collection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a collection with two models."""
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        (tmp_path / name).touch()
    (tmp_path / "emb").mkdir()
    for name in ("old.v1.corpus", "old.v1.queries", "new.corpus", "readme"):
        np.save(tmp_path / "emb" / f"{name}.npy", np.eye(2))
    (tmp_path / "emb" / "old.v1.json").write_text('\ufeff{"model": "Old", "dim": 2}', "utf-8")
    return tmp_path


def test_all_parts(folder: Path) -> None:
    """Corpus, queries, judgements and models are found; a model may lack queries."""
    files = resolve_collection(folder)
    assert (files.corpus.name, files.models) == ("corpus.jsonl", ("new", "old.v1"))
    assert files.queries == folder / "queries.jsonl"
    assert files.qrels == folder / "qrels.tsv"
    old = files.model("old.v1")
    assert old.documents == folder / "emb" / "old.v1.corpus.npy"
    assert old.queries == folder / "emb" / "old.v1.queries.npy"
    assert old.description == {"model": "Old", "dim": 2}
    new = files.model("new")
    assert (new.queries, new.description) == (None, None)


def test_packed_and_split(tmp_path: Path) -> None:
    """Packed files and the test split of the BEIR layout are found; parts may be missing."""
    (tmp_path / "corpus.jsonl.gz").touch()
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").touch()
    files = resolve_collection(tmp_path)
    assert files.corpus.name == "corpus.jsonl.gz"
    assert files.qrels == tmp_path / "qrels" / "test.tsv"
    assert (files.queries, files.models) == (None, ())
    with pytest.raises(MissingInputError, match="it has no model at all"):
        files.model("old")


def test_unknown_model_lists_what_exists(folder: Path) -> None:
    """A model without vectors is refused with the names of those that have some."""
    with pytest.raises(MissingInputError, match=r"of a model 'older' .*it has 'new', 'old\.v1'"):
        resolve_collection(folder).model("older")


@pytest.mark.parametrize("name", ["", " ", ".", "..", "../x", "a/b", "/etc", "a\\b", "a\n", "\x1b"])
def test_model_names_are_plain(folder: Path, name: str) -> None:
    """A name that could lead out of the folder is refused before any file is looked at."""
    with pytest.raises(UsageError, match="expected a plain name"):
        resolve_collection(folder).model(name)


def test_two_files_of_one_role(folder: Path) -> None:
    """Which of two files is meant is not guessed."""
    (folder / "corpus.jsonl.gz").touch()
    with pytest.raises(InvalidInputError, match=r"has corpus\.jsonl and corpus\.jsonl\.gz"):
        resolve_collection(folder)


def test_other_splits_are_named(folder: Path) -> None:
    """Judgements of other splits only are not passed over in silence."""
    (folder / "qrels.tsv").unlink()
    (folder / "qrels").mkdir()
    (folder / "qrels" / "train.tsv").touch()
    with pytest.raises(InvalidInputError, match=r"has no test\.tsv; it holds 'train\.tsv'"):
        resolve_collection(folder)


def test_no_collection(folder: Path, tmp_path: Path) -> None:
    """A missing folder, a file, and a folder without corpus are told apart."""
    for path, message in (
        (tmp_path / "none", "no such folder"),
        (folder / "corpus.jsonl", "is a file"),
        (folder / "emb", r"has no corpus\.jsonl .*it holds"),
    ):
        with pytest.raises(MissingInputError, match=message):
            resolve_collection(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [("[1]", "holds no JSON object"), ("{", "is not valid JSON"), ("x" * 2_000_000, "holds more")],
    ids=range(3),
)
def test_description_is_bounded_json(folder: Path, content: str, message: str) -> None:
    """A description is a JSON object of ordinary size."""
    (folder / "emb" / "new.json").write_text(content)
    with pytest.raises(InvalidInputError, match=message):
        resolve_collection(folder).model("new")
