"""TREC run files: what a system retrieved for each query, one result a line."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from gnomon import kernels
from gnomon.errors import InvalidInputError
from gnomon.sources.decimals import read_decimals
from gnomon.sources.escape import quoted
from gnomon.sources.fields import TextBuffer, load_text, split_columns, text_of_lines
from gnomon.sources.files import shown
from gnomon.sources.limits import DEFAULT_LIMITS, Limits
from gnomon.sources.words import heads_of_runs, keys_of, keys_of_texts

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Places: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

COLUMNS: Final = "query Q0 document rank score tag"
_EXPECTED: Final = f"'{COLUMNS}', six columns between blanks, as a TREC run has; ids hold no blanks"
_QUERY, _DOCUMENT, _SCORE, _TAG = 0, 2, 4, 5


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run in memory: for each query the documents retrieved, each once, with scores.

    Documents stand in the order of the file, which says nothing: scores rank them.

    Attributes
    ----------
    text
        The bytes in which the ids of documents stand.
    query_ids
        The distinct ids, in order of first appearance.
    offsets
        int64[Q + 1]: the results of query i are at ``offsets[i]:offsets[i + 1]``.
    scores
        float64[n], never NaN.
    keys
        int64[n]: results with equal document ids have equal keys; see `words.keys_of`.
    tag
        The name that the first line gives the system.
    """

    text: TextBuffer = field(repr=False)
    query_ids: tuple[str, ...] = field(repr=False)
    offsets: Places = field(repr=False)
    scores: Floats = field(repr=False)
    keys: Places = field(repr=False)
    tag: str
    _starts: Places = field(repr=False)
    _lengths: NDArray[np.int32] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.scores)

    def document_spans(self, rows: Places) -> tuple[Places, Places]:
        """Return where the document ids of some results begin and end in ``text.data``."""
        starts = self._starts[rows]
        return starts, starts + self._lengths[rows]

    def document_bytes(self, rows: Places) -> list[bytes]:
        """Return the document ids of some results in UTF-8, whose order is that of the ids."""
        starts, ends = self.document_spans(rows)
        view = self.text.data.data
        return [bytes(view[a:b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]

    def document_ids(self, rows: Places) -> list[str]:
        """Return the document ids of some results."""
        return [name.decode("utf-8") for name in self.document_bytes(rows)]

    def identical_rows(self) -> Places:
        """Return the results whose document has the id of its query."""
        queries = [query.encode("utf-8") for query in self.query_ids]
        keys = keys_of_texts(queries).view(np.int64)
        owners = np.repeat(np.arange(len(queries)), np.diff(self.offsets))
        rows = np.flatnonzero(self.keys == keys[owners])
        names = self.document_bytes(rows)
        same = [name == queries[q] for name, q in zip(names, owners[rows].tolist(), strict=True)]
        return rows[np.array(same, np.bool_)]

    def without(self, rows: Places) -> Run:
        """Return the run without some results; a query may be left with none."""
        kept = np.ones(len(self), np.bool_)
        kept[rows] = False
        counted = np.concatenate([[0], np.cumsum(kept)])
        return replace(
            self,
            offsets=counted[self.offsets],
            scores=self.scores[kept],
            keys=self.keys[kept],
            _starts=self._starts[kept],
            _lengths=self._lengths[kept],
        )

    def line_of(self, row: int) -> int:
        """Return the number of the line on which a result stands."""
        return self.text.line_at(int(self._starts[row]))

    @property
    def n_out_of_order(self) -> int:
        """How many queries list a result behind one with a lower score."""
        rises = np.flatnonzero(self.scores[1:] > self.scores[:-1]) + 1
        queries = np.searchsorted(self.offsets, rises, side="right") - 1
        within = self.offsets[queries] != rises
        return len(np.unique(queries[within]))


def read_run(
    path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS, threads: int | None = None
) -> Run:
    r"""Read a TREC run: ``query Q0 document rank score tag``, one result a line.

    Plain or gzip, UTF-8, any white space between columns, LF or CRLF, blank lines skipped. The
    lines of a query need not stand together, nor in any order. As trec_eval does, the second column
    and the rank are ignored: scores rank documents. The text stays in memory, with 28 bytes more
    for each result.

    Parameters
    ----------
    path
        The file.
    limits
        Sizes at which reading stops.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        For a line with another number of columns, a score that is NaN or no number, a document that
        a query lists twice (both lines are named), or a file without results.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.trec"
    >>> _ = path.write_text("q1 Q0 d7 1 0.9 bm25\nq1 Q0 d9 2 4e-1 bm25\nq2 Q0 d7 1 0.5 bm25\n")
    >>> run = read_run(path)
    >>> run.query_ids, run.offsets.tolist(), run.scores.tolist(), run.tag
    (('q1', 'q2'), [0, 2, 3], [0.9, 0.4, 0.5], 'bm25')
    >>> run.document_ids(np.array([1]))
    ['d9']
    """
    text = load_text(path, limits=limits)
    workers = kernels.default_threads() if threads is None else threads
    blocks = text.blocks(limits=limits)
    with ThreadPoolExecutor(max(1, min(workers, len(blocks)))) as pool:
        counts = list(pool.map(lambda block: text.count_lines(*block), blocks))
        results = _Results.of_size(sum(counts))
        firsts = accumulate(counts[:-1], initial=0)
        parts = list(pool.map(partial(_read_block, text, results), blocks, firsts))
    if not any(part.n_results for part in parts):
        raise InvalidInputError(f"{shown(path)}: holds no result; expected {_EXPECTED}")
    run = _grouped(text, results, parts)
    _check_once(run, workers)
    return run


def make_run(
    query_ids: Sequence[str],
    documents: Sequence[Sequence[str]],
    scores: Sequence[Floats],
    *,
    name: str,
    tag: str,
) -> Run:
    """Return a run that was computed here.

    Parameters
    ----------
    query_ids
        Distinct ids.
    documents
        The documents of each query, each once; none for a query that found nothing.
    scores
        float64, one a document.
    name
        What to call it in messages.

    Examples
    --------
    >>> run = make_run(["q1"], [["d7", "d9"]], [np.array([2.0, 1.0])], name="mine", tag="bm25")
    >>> run.document_ids(np.array([0, 1])), run.offsets.tolist()
    (['d7', 'd9'], [0, 2])
    """
    names = [one.encode("utf-8") for own in documents for one in own]
    lengths = np.fromiter(map(len, names), np.int32, len(names))
    text = text_of_lines(names, name)
    starts = text.begin + np.cumsum(lengths.astype(np.int64) + 1) - lengths - 1
    return Run(
        text,
        tuple(query_ids),
        np.cumsum([0, *map(len, documents)]),
        np.concatenate([np.empty(0), *scores]),
        keys_of_texts(names).view(np.int64),
        tag,
        starts,
        lengths,
    )


class _Results(NamedTuple):
    """Columns to fill, a row for each line; blocks of lines fill them side by side."""

    starts: Places
    lengths: NDArray[np.int32]
    keys: Places
    scores: Floats

    @classmethod
    def of_size(cls, n: int) -> _Results:
        return cls(np.empty(n, np.int64), np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n))

    def taken(self, rows: Places | NDArray[np.bool_]) -> _Results:
        return _Results(self.starts[rows], self.lengths[rows], self.keys[rows], self.scores[rows])


class _Part(NamedTuple):
    """What one block of lines holds beside the columns.

    ``first`` is the row of its first line; ``heads`` are the lines, counted from there, with
    another query than the one before, and ``queries`` their queries.
    """

    first: int
    n_results: int
    heads: Places
    queries: list[str]
    tag: str | None


def _read_block(text: TextBuffer, into: _Results, block: tuple[int, int], first: int) -> _Part:
    starts, ends = split_columns(text, *block, 6, expected=_EXPECTED)
    queries, documents, scores = (
        (np.ascontiguousarray(starts[:, column]), np.ascontiguousarray(ends[:, column]))
        for column in (_QUERY, _DOCUMENT, _SCORE)
    )
    values, wrong = read_decimals(text.data, *scores)
    if wrong is None and (missing := np.isnan(values)).any():
        wrong = int(missing.argmax())
    if wrong is not None:
        raise _refuse_score(text, int(scores[0][wrong]), int(scores[1][wrong]))
    n = len(values)
    into.starts[first : first + n] = documents[0]
    into.lengths[first : first + n] = documents[1] - documents[0]
    into.keys[first : first + n] = keys_of(text.data, *documents).view(np.int64)
    into.scores[first : first + n] = values
    heads = heads_of_runs(text.data, *queries)
    names = [text.text(int(queries[0][row]), int(queries[1][row])) for row in heads.tolist()]
    tag = text.text(int(starts[0, _TAG]), int(ends[0, _TAG])) if n else None
    return _Part(first, n, heads, names, tag)


def _refuse_score(text: TextBuffer, begin: int, end: int) -> InvalidInputError:
    where = f"{shown(text.path)}: line {text.line_at(begin)}: the score"
    score = text.text(begin, end)
    if score.lower().lstrip("+-") == "nan":
        return InvalidInputError(
            f"{where} is {quoted(score)}, which has no place in an order; give a number, or leave "
            "the line out"
        )
    return InvalidInputError(f"{where} {quoted(score)} is no number; expected {_EXPECTED}")


def _grouped(text: TextBuffer, results: _Results, parts: list[_Part]) -> Run:
    """Return the run with the results of each query together."""
    n_results = sum(part.n_results for part in parts)
    if n_results < len(results.scores):  # blank lines
        rows = [np.arange(part.first, part.first + part.n_results) for part in parts]
        results = results.taken(np.concatenate(rows))
    firsts = accumulate((part.n_results for part in parts[:-1]), initial=0)
    heads = np.concatenate([part.heads + first for part, first in zip(parts, firsts, strict=True)])
    number_of: dict[str, int] = {}
    numbers = np.array(
        [number_of.setdefault(query, len(number_of)) for part in parts for query in part.queries]
    )
    sizes = np.diff(heads, append=n_results)
    if (np.diff(numbers) < 0).any():
        results = results.taken(np.argsort(np.repeat(numbers, sizes), kind="stable"))
    counts = np.bincount(numbers, weights=sizes).astype(np.int64)
    return Run(
        text,
        tuple(number_of),
        np.concatenate([[0], np.cumsum(counts)]),
        results.scores,
        results.keys,
        next(part.tag for part in parts if part.tag is not None),
        results.starts,
        results.lengths,
    )


def _check_once(run: Run, threads: int) -> None:
    """Refuse a document that a query lists twice."""
    nothing = np.empty(0, np.int64)
    judged_offsets = np.zeros(len(run.query_ids) + 1, np.int64)
    try:
        kernels.ranks_in_lists(run.keys, run.offsets, nothing, judged_offsets, threads=threads)
    except InvalidInputError:
        raise _refuse_repeated(run) from None


def _refuse_repeated(run: Run) -> InvalidInputError:
    """Return the error that names the first document listed twice, and both lines."""
    query, first, second = _first_repeated(run)
    ids = run.document_ids(np.array([first, second]))
    lines = f"lines {run.line_of(first)} and {run.line_of(second)}"
    if ids[0] != ids[1]:
        return InvalidInputError(
            f"{shown(run.text.path)}: {lines} hold the documents {quoted(ids[0])} and "
            f"{quoted(ids[1])}, which differ but have the same 64-bit key; rename one of them"
        )
    return InvalidInputError(
        f"{shown(run.text.path)}: {lines} both give query {quoted(query)} the document "
        f"{quoted(ids[0])}; keep one of them"
    )


def _first_repeated(run: Run) -> tuple[str, int, int]:
    """Return a query with two results of the same key, and the rows of the two."""
    for query, (begin, end) in zip(run.query_ids, pairwise(run.offsets.tolist()), strict=True):
        order = begin + np.argsort(run.keys[begin:end], kind="stable")
        again = np.flatnonzero(run.keys[order[1:]] == run.keys[order[:-1]])
        if len(again):
            at = int(again[order[again + 1].argmin()])
            return query, int(order[at]), int(order[at + 1])
    raise AssertionError("no key is repeated")
