"""A collection in one folder: corpus, queries, judgements, and vectors of several models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidInputError, MissingInputError, UsageError
from gnomon.sources.escape import listed, quoted
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.json_text import parse_json

if TYPE_CHECKING:
    import os

_CORPUS = ("corpus.jsonl", "corpus.jsonl.gz")
_QUERIES = ("queries.jsonl", "queries.jsonl.gz")
_QRELS = ("qrels.tsv", "qrels.tsv.gz", "qrels/test.tsv", "qrels/test.tsv.gz")
_DOCS_END = ".corpus.npy"
_QUERIES_END = ".queries.npy"
_DESCRIPTION_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """What a collection holds of one embedding model.

    Attributes
    ----------
    name
        The model's name in the collection.
    documents
        The file of document vectors, in corpus order.
    queries
        The file of query vectors, in query order, or None.
    description
        The content of ``emb/NAME.json``, or None where there is none.
    """

    name: str
    documents: Path
    queries: Path | None
    description: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """The files of a collection folder.

    Attributes
    ----------
    root
        The folder.
    corpus
        The documents.
    queries, qrels
        Queries and judgements, or None where the folder has none.
    models
        Names of the models with stored document vectors, sorted.
    """

    root: Path
    corpus: Path
    queries: Path | None
    qrels: Path | None
    models: tuple[str, ...]

    def model(self, name: str) -> ModelFiles:
        """Return the files of one model.

        Raises
        ------
        UsageError
            When the name is not a plain one.
        InvalidInputError
            When the description is not a JSON object.
        MissingInputError
            When the collection has no vectors of that name; the message lists what it has.
        """
        _check_plain(name)
        if name not in self.models:
            available = listed(self.models, first=20)
            raise MissingInputError(
                f"{shown(self.root / 'emb')}: has no document vectors of a model {quoted(name)} "
                f"({name}{_DOCS_END}); "
                + (f"it has {available}" if available else "it has no model at all")
            )
        folder = self.root / "emb"
        queries = folder / f"{name}{_QUERIES_END}"
        return ModelFiles(
            name,
            folder / f"{name}{_DOCS_END}",
            queries if queries.exists() else None,
            _described(folder / f"{name}.json"),
        )


def resolve_collection(folder: str | os.PathLike[str]) -> CollectionFiles:
    """Find the files of a collection in the BEIR layout, with vectors in ``emb/``.

    ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv`` (else ``qrels/test.tsv``), each plain or
    with ``.gz``; ``emb/NAME.corpus.npy``, ``emb/NAME.queries.npy`` and ``emb/NAME.json``. Queries,
    judgements and vectors may be missing.

    Raises
    ------
    MissingInputError
        When the folder or its corpus does not exist.
    InvalidInputError
        When two files claim the same role, for example both ``corpus.jsonl`` and its ``.gz``, or
        the only judgements are of other splits than the test.
    """
    root = Path(folder)
    if not root.is_dir():
        found = "is a file" if root.exists() else "no such folder"
        raise MissingInputError(
            f"{shown(root)}: {found}; expected the folder of a collection, with corpus.jsonl"
        )
    corpus = _only(root, _CORPUS)
    if corpus is None:
        inside = sorted(item.name for item in root.iterdir())
        raise MissingInputError(
            f"{shown(root)}: has no corpus.jsonl or corpus.jsonl.gz; "
            f"it holds {listed(inside) or 'nothing'}"
        )
    return CollectionFiles(
        root, corpus, _only(root, _QUERIES), _qrels(root), _model_names(root / "emb")
    )


def _only(root: Path, names: tuple[str, ...]) -> Path | None:
    found = [name for name in names if (root / name).exists()]
    if len(found) > 1:
        raise InvalidInputError(
            f"{shown(root)}: has {' and '.join(found)}; keep one, or name the file with a flag of "
            "its own"
        )
    return root / found[0] if found else None


def _qrels(root: Path) -> Path | None:
    found = _only(root, _QRELS)
    if found is None and (root / "qrels").is_dir():
        splits = sorted(item.name for item in (root / "qrels").iterdir())
        raise InvalidInputError(
            f"{shown(root / 'qrels')}: has no test.tsv; it holds {listed(splits) or 'nothing'}. "
            "Name the judgements with --qrels"
        )
    return found


def _model_names(folder: Path) -> tuple[str, ...]:
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(
            item.name.removesuffix(_DOCS_END)
            for item in folder.iterdir()
            if item.name.endswith(_DOCS_END) and item.name != _DOCS_END
        )
    )


def _check_plain(name: str) -> None:
    if (
        not name.strip()
        or name.startswith(".")
        or not name.isprintable()
        or any(char in "/\\" for char in name)
    ):
        raise UsageError(
            f"model name {quoted(name)}: expected a plain name as in emb/NAME.corpus.npy, without "
            "slashes, a leading dot or control characters"
        )


def _described(path: Path) -> dict[str, Any] | None:
    return read_description(path) if path.exists() else None


def read_description(path: Path) -> dict[str, Any]:
    """Read what describes an embedding model, ``NAME.json`` beside its vectors.

    Raises
    ------
    InvalidInputError
        When it is no JSON object.
    """
    content = read_bounded(path, limit=_DESCRIPTION_BYTES)
    try:
        value = parse_json(content.decode("utf-8-sig"))
    except ValueError as error:
        raise InvalidInputError(
            f"{shown(path)}: is not valid JSON ({error}); expected an object that describes the "
            "model"
        ) from None
    if not isinstance(value, dict):
        raise InvalidInputError(
            f"{shown(path)}: holds no JSON object; expected one that describes the model"
        )
    return value
