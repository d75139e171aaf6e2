"""Relevance judgements from BEIR tables and TREC qrels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.each_record import BrokenLine, broken_line, read_each_line
from gnomon.sources.escape import quoted
from gnomon.sources.fields import TextBuffer, load_text, split_columns
from gnomon.sources.files import shown
from gnomon.sources.limits import DEFAULT_LIMITS, Limits
from gnomon.sources.textlines import Line, read_lines

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

QrelsFormat = Literal["beir", "trec"]

_BLANKS = re.compile(r"[ \t]+")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_HEADER_IDS = frozenset({"query-id", "query_id", "queryid", "qid", "query"})
_MAX_GAIN = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Judgements as they stand in a file, each (query, document) pair once.

    Attributes
    ----------
    path, format
        The file, and how it was read: ``beir`` or ``trec``.
    query_ids, doc_ids
        The distinct ids, in order of first appearance.
    query_index, doc_index
        int64[judgements]; for every judgement the position of its ids in the tuples above.
    gains
        int64[judgements]. A gain of 1 or more is relevant, 0 or less is not.
    n_repeated
        Lines that repeat an earlier one with the same gain, left out.
    """

    path: Path
    format: QrelsFormat
    query_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    query_index: NDArray[np.int64] = field(repr=False)
    doc_index: NDArray[np.int64] = field(repr=False)
    gains: NDArray[np.int64] = field(repr=False)
    n_repeated: int

    def __len__(self) -> int:
        return len(self.gains)

    @property
    def n_relevant(self) -> int:
        """Number of judgements with a gain of 1 or more."""
        return int(np.count_nonzero(self.gains >= 1))

    @property
    def n_negative(self) -> int:
        """Number of judgements with a gain below 0."""
        return int(np.count_nonzero(self.gains < 0))


class Judgement(NamedTuple):
    """One line of judgements: a gain of 1 or more is relevant."""

    query: str
    document: str
    gain: int


def read_qrels(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Qrels:
    r"""Read relevance judgements; the form is told by the first line.

    - BEIR: three columns separated by tabs, ``query-id corpus-id score``, with or without that
      header. Ids may hold blanks.
    - TREC: four columns separated by blanks or tabs, ``query iteration document gain``.

    Plain or gzip, UTF-8, blank lines skipped.

    Parameters
    ----------
    path
        The file.
    limits
        Sizes at which reading stops.

    Returns
    -------
    Qrels

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        For a line with another number of columns, a blank id, a gain that is not a whole number
        (``2.0`` is one, ``0.5`` is not), two different gains for one pair (both lines are named),
        or a file without judgements.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.tsv"
    >>> _ = path.write_text("query-id\tcorpus-id\tscore\nq1\td7\t2\nq1\td9\t0\n")
    >>> qrels = read_qrels(path)
    >>> qrels.format, qrels.query_ids, qrels.doc_ids, qrels.gains.tolist(), qrels.n_relevant
    ('beir', ('q1',), ('d7', 'd9'), [2, 0], 1)
    """
    regular = _read_regular_trec(path, limits)
    if regular is not None:
        return regular
    kind: QrelsFormat | None = None
    reading = _Reading(shown(path))
    for line in read_lines(path, limits=limits):
        if not line.text.strip():
            continue
        where = f"{shown(path)}: line {line.number}"
        if kind is None:
            kind = _format_of(line, where)
            if kind == "beir" and _is_header(line.text):
                continue
        reading.add(_judgement(line, kind, where), line.number)
    if kind is None or not reading.gains:
        raise InvalidInputError(f"{shown(path)}: holds no judgement; {_EXPECTED}")
    return Qrels(
        Path(path),
        kind,
        tuple(reading.queries),
        tuple(reading.documents),
        np.array(reading.query_index, np.int64),
        np.array(reading.doc_index, np.int64),
        np.array(reading.gains, np.int64),
        reading.n_repeated,
    )


def read_each_judgement(
    path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS
) -> Iterator[tuple[int, Judgement] | BrokenLine]:
    """Yield every line of judgements with its number, or what is wrong with it.

    The rules are those of `read_qrels` for a single line. A first line of neither form is told, and
    the next one decides which form it is.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line could be read.
    """
    kind: QrelsFormat | None = None
    for line in read_each_line(path, limits=limits):
        if isinstance(line, BrokenLine):
            yield line
            continue
        where = f"{shown(path)}: line {line.number}"
        try:
            if kind is None:
                kind = _format_of(line, where)
                if kind == "beir" and _is_header(line.text):
                    continue
            yield line.number, _judgement(line, kind, where)
        except InvalidInputError as error:
            yield broken_line(error, path, line.number)


_EXPECTED = (
    "expected 'query-id<TAB>corpus-id<TAB>score' (BEIR) or 'query iteration document gain' (TREC)"
)


class _Reading:
    """Judgements so far, with the line of each for the message about a contradiction."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.queries: dict[str, int] = {}
        self.documents: dict[str, int] = {}
        self.query_index: list[int] = []
        self.doc_index: list[int] = []
        self.gains: list[int] = []
        self.n_repeated = 0
        self._lines: list[int] = []
        self._at: dict[tuple[int, int], int] = {}

    def add(self, judgement: Judgement, line: int) -> None:
        query = self.queries.setdefault(judgement.query, len(self.queries))
        document = self.documents.setdefault(judgement.document, len(self.documents))
        at = self._at.setdefault((query, document), len(self.gains))
        if at == len(self.gains):
            self.query_index.append(query)
            self.doc_index.append(document)
            self.gains.append(judgement.gain)
            self._lines.append(line)
        elif self.gains[at] == judgement.gain:
            self.n_repeated += 1
        else:
            raise InvalidInputError(
                f"{self.where}: lines {self._lines[at]} and {line} give query "
                f"{quoted(judgement.query)} and document {quoted(judgement.document)} the gains "
                f"{self.gains[at]} and {judgement.gain}; keep one of them"
            )


def _read_regular_trec(path: str | os.PathLike[str], limits: Limits) -> Qrels | None:
    """Return TREC judgements in which nothing repeats and nothing is wrong, None for all others.

    Ten times faster than line by line, which is for what this leaves: its messages, and BEIR.
    """
    try:
        text = load_text(path, limits=limits)
        blocks = text.blocks(limits=limits)
        split = [split_columns(text, *block, 4, expected=_EXPECTED) for block in blocks]
    except InvalidInputError:
        return None
    if not split:
        return None
    starts, ends = (np.concatenate(part) for part in zip(*split, strict=True))
    if len(starts) == 0 or text.text(text.begin, int(ends[0, 3])).count("\t") == 2:
        return None
    (query_ids, query_index), (doc_ids, doc_index), (gains, gain_index) = (
        _numbered(text, starts[:, column], ends[:, column]) for column in (0, 2, 3)
    )
    if len(np.unique(query_index * len(doc_ids) + doc_index)) < len(query_index):
        return None
    try:
        known = [_gain_of(gain, shown(path)) for gain in gains]
    except InvalidInputError:
        return None
    values = np.array(known, np.int64)[gain_index]
    return Qrels(Path(path), "trec", query_ids, doc_ids, query_index, doc_index, values, 0)


def _numbered(
    text: TextBuffer, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the distinct texts in order of first appearance, and which of them stands where."""
    content = text.data.tobytes()
    number_of: dict[bytes, int] = {}
    numbers = [
        number_of.setdefault(content[begin:end], len(number_of))
        for begin, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return tuple(name.decode("utf-8") for name in number_of), np.array(numbers, np.int64)


def _format_of(line: Line, where: str) -> QrelsFormat:
    if line.text.lstrip().startswith(("{", "[")):
        raise InvalidInputError(f"{where}: holds JSON; {_EXPECTED}")
    if line.text.count("\t") == 2:
        return "beir"
    columns = _BLANKS.split(line.text.strip(" \t"))
    if len(columns) == 4:
        return "trec"
    advice = "; separate the three columns by tabs" if len(columns) == 3 else ""
    raise InvalidInputError(
        f"{where}: has {len(columns)} columns ({quoted(line.text)}); {_EXPECTED}{advice}"
    )


def _is_header(text: str) -> bool:
    query, _, gain = text.split("\t")
    return query.strip().lower() in _HEADER_IDS and not _NUMBER.fullmatch(gain.strip())


def _judgement(line: Line, kind: QrelsFormat, where: str) -> Judgement:
    if kind == "beir":
        columns = line.text.split("\t")
        expected = 3
    else:
        columns = _BLANKS.split(line.text.strip(" \t"))
        expected = 4
    if len(columns) != expected:
        raise InvalidInputError(
            f"{where}: has {len(columns)} columns ({quoted(line.text)}); the file began as "
            f"{kind.upper()} with {expected}"
        )
    query, document, gain = columns[0], columns[-2], columns[-1].strip()
    if not query.strip() or not document.strip():
        raise InvalidInputError(f"{where}: has a blank id ({quoted(line.text)})")
    return Judgement(query, document, _gain_of(gain, where))


def _gain_of(text: str, where: str) -> int:
    if _INTEGER.fullmatch(text):
        gain = int(text.partition(".")[0])
        if abs(gain) <= _MAX_GAIN:
            return gain
    if _NUMBER.fullmatch(text) and not _INTEGER.fullmatch(text):
        raise InvalidInputError(
            f"{where}: the gain {quoted(text)} is not a whole number; nDCG here takes whole gains, "
            "so scale them (for example times 10) or round them knowingly"
        )
    raise InvalidInputError(
        f"{where}: the gain {quoted(text)} is not a whole number between -{_MAX_GAIN} and "
        f"{_MAX_GAIN}"
    )
