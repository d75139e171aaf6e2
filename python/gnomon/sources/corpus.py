"""Documents of a corpus: ids in memory, texts read when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import quoted
from gnomon.sources.files import shown
from gnomon.sources.idvalues import check_unique
from gnomon.sources.jsonl import Record, id_of, parse_object, read_records, text_of
from gnomon.sources.limits import DEFAULT_LIMITS, Limits
from gnomon.sources.textlines import Line, decoded_line, open_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its id, its title and its text; either of the last two may be empty."""

    id: str
    title: str
    text: str

    @property
    def passage(self) -> str:
        """Title and text joined as they are embedded by convention; the one that exists, else.

        Examples
        --------
        >>> Document("d1", "Sundials", "A gnomon casts the shadow.").passage
        'Sundials. A gnomon casts the shadow.'
        >>> Document("d2", "", "Only text").passage
        'Only text'
        """
        return f"{self.title}. {self.text}" if self.title and self.text else self.title or self.text


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The documents of a JSON Lines file.

    Attributes
    ----------
    path
        The file.
    ids
        Document ids in file order, which is the row order of the vectors.
    n_empty
        Documents with neither title nor text.
    """

    path: Path
    ids: tuple[str, ...]
    n_empty: int
    _offsets: NDArray[np.int64] = field(repr=False)
    _lines: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def has_text(self) -> bool:
        """Whether any document has a title or a text."""
        return self.n_empty < len(self.ids)

    def documents(self, rows: Iterable[int] | None = None) -> Iterator[Document]:
        """Yield documents by row, reading the file again.

        Memory holds one document at a time. Rows are best given in rising order: in a compressed
        file, going back means unpacking from the start.

        Parameters
        ----------
        rows
            Row numbers in any order; None yields all.

        Raises
        ------
        InvalidInputError
            When the file changed since it was first read.
        """
        with open_text(self.path) as file:
            for row in range(len(self.ids)) if rows is None else rows:
                offset = int(self._offsets[row])
                if file.tell() != offset:
                    file.seek(offset)
                yield self._document(row, file.readline())

    def _document(self, row: int, raw: bytes) -> Document:
        number = int(self._lines[row])
        changed = f"{shown(self.path)}: line {number}: has changed since the file was first read"
        try:
            text = decoded_line(raw, self.path, number)
            record = Record(number, 0, parse_object(Line(number, 0, text), self.path))
            same = id_of(record, self.path) == self.ids[row]
        except InvalidInputError as error:
            raise InvalidInputError(f"{changed}; start again") from error
        if not same:
            raise InvalidInputError(f"{changed}; expected id {quoted(self.ids[row])}; start again")
        return _document_of(record, self.path, self.ids[row])


def read_corpus(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Corpus:
    r"""Read a corpus in the BEIR form: JSON Lines with ``_id``, ``title`` and ``text``.

    Plain or gzip, UTF-8 with or without a byte-order mark, LF or CRLF, blank lines skipped. A
    missing or null title or text counts as empty; other fields are ignored.

    Parameters
    ----------
    path
        The file.
    limits
        Sizes at which reading stops.

    Returns
    -------
    Corpus

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        For a line that is not a JSON object, a missing, blank or duplicate id, a text that is not
        a string, or an empty corpus; the message names file and line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "corpus.jsonl"
    >>> _ = path.write_text('{"_id": "a", "title": "T", "text": "x"}\n{"_id": "b", "text": ""}\n')
    >>> corpus = read_corpus(path)
    >>> corpus.ids, corpus.has_text, corpus.n_empty
    (('a', 'b'), True, 1)
    >>> [document.passage for document in corpus.documents([0])]
    ['T. x']
    """
    ids: list[str] = []
    offsets: list[int] = []
    lines: list[int] = []
    n_empty = 0
    for record in read_records(path, limits=limits):
        document = _document_of(record, path, id_of(record, path))
        ids.append(document.id)
        offsets.append(record.offset)
        lines.append(record.line)
        n_empty += not (document.title or document.text)
    if not ids:
        raise InvalidInputError(
            f"{shown(path)}: the corpus is empty; expected one JSON object a line, "
            'such as {"_id": "d1", "title": "...", "text": "..."}'
        )
    check_unique(ids, where=shown(path))
    return Corpus(
        Path(path), tuple(ids), n_empty, np.array(offsets, np.int64), np.array(lines, np.int64)
    )


def _document_of(record: Record, path: str | os.PathLike[str], known_id: str) -> Document:
    return Document(known_id, text_of(record, "title", path), text_of(record, "text", path))
