"""Queries of a collection, ids and texts in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.sources.files import shown
from gnomon.sources.idvalues import check_unique
from gnomon.sources.jsonl import id_of, read_records, text_of
from gnomon.sources.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class Queries:
    """The queries of a JSON Lines file.

    Attributes
    ----------
    path
        The file.
    ids, texts
        In file order, which is the row order of the query vectors. A text may be empty.
    """

    path: Path
    ids: tuple[str, ...]
    texts: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_empty(self) -> int:
        """Number of queries without a text."""
        return sum(not text for text in self.texts)


def read_queries(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Queries:
    r"""Read queries in the BEIR form: JSON Lines with ``_id`` and ``text``, plain or gzip.

    The rules are those of `read_corpus`. A query without ``text`` is taken, since stored vectors
    need none.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        For a line that is not a JSON object, a missing, blank or duplicate id, or no query at all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "queries.jsonl"
    >>> _ = path.write_text('{"_id": "q1", "text": "what casts the shadow?"}\n')
    >>> read_queries(path).ids
    ('q1',)
    """
    ids: list[str] = []
    texts: list[str] = []
    for record in read_records(path, limits=limits):
        ids.append(id_of(record, path))
        texts.append(text_of(record, "text", path))
    if not ids:
        raise InvalidInputError(
            f"{shown(path)}: holds no query; expected one JSON object a line, "
            'such as {"_id": "q1", "text": "..."}'
        )
    check_unique(ids, where=shown(path))
    return Queries(Path(path), tuple(ids), tuple(texts))
