"""The inverted index: documents by their terms, searched with BM25, saved, opened by map."""

from __future__ import annotations

import hashlib
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import rfc8785

from gnomon import _core
from gnomon.errors import (
    GnomonError,
    InvalidInputError,
    StateError,
    UsageError,
)
from gnomon.kernels._arrays import as_count, as_threads, core_errors
from gnomon.kernels._bm25_settings import (
    DELTAS,
    SCHEMA,
    VARIANTS,
    analyzer_of,
    checked_settings,
    note_of,
)
from gnomon.kernels._documents import batches_of, one_of, query_list
from gnomon.kernels._files import opened_file, replace_file
from gnomon.kernels.analyzer import Analyzer, checked_analyzer
from gnomon.kernels.hits import Hits
from gnomon.kernels.row_lists import Exclude, exclude_lists, subset_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

FILE_NAME = "index.bm25"


class BM25Index:
    """Documents prepared for exact lexical top-k.

    The score of a document is the sum, over the distinct terms of the query that it holds, of how
    often the query has the term x ``idf(term)`` x ``part(tf, length)``; ``docs/kernels/bm25.md``
    has the formulas of all variants (Kamphuis, de Vries, Boytsov and Lin, 2020). Documents that
    hold no term of the query score 0 and are never hits, whatever the variant.

    Parameters
    ----------
    texts
        Documents as an iterable of str, read once and in batches: a generator will do. An empty
        text is a document without words and keeps its row.
    tokens
        Instead of texts: documents as an iterable of sequences of str, taken as they are.
    analyzer
        What cuts texts, of documents and queries, into terms. Default: ``Analyzer()``. With
        ``tokens``: the analyzer that made them, so that queries may be text.
    variant
        ``"lucene"``, ``"robertson"``, ``"atire"``, ``"bm25+"`` or ``"bm25l"``.
    k1
        How slowly repetition saturates, from 0 to 1e6.
    b
        How much the length of a document counts, from 0 to 1.
    delta
        The floor of a match, for ``bm25+`` (default 1.0) and ``bm25l`` (0.5) only.
    threads
        None for the CPUs that this process may use. The index doesn't depend on it.

    Raises
    ------
    InvalidInputError
        A text holds a lone surrogate; the message names the row.
    InvalidTypeError
        A document is of another type; the message names the row.
    UsageError
        A setting is out of range, or not exactly one of texts and tokens was given.

    Examples
    --------
    >>> index = BM25Index(["the cat sat", "a dog", "", "the cat and the dog"])
    >>> hits = index.search(["cat", "dog a"], k=2)
    >>> hits[0].ids.tolist(), hits[1].ids.tolist()
    ([0, 3], [1, 3])
    >>> len(index), index.vocabulary_size, index.search("zebra", k=3).ids.tolist()
    (4, 6, [])
    """

    __slots__ = ("_analyzer", "_core")

    def __init__(
        self,
        texts: Iterable[str] | None = None,
        *,
        tokens: Iterable[Sequence[str]] | None = None,
        analyzer: Analyzer | None = None,
        variant: str = "lucene",
        k1: float = 1.2,
        b: float = 0.75,
        delta: float | None = None,
        threads: int | None = None,
    ) -> None:
        is_text, documents = one_of(texts, tokens, "texts")
        workers = as_threads(threads)
        builder = _core.BM25Builder(*checked_settings(variant, k1, b, delta))
        if analyzer is not None:
            checked_analyzer(analyzer)
        elif is_text:
            analyzer = Analyzer()
        self._analyzer = analyzer
        with core_errors():
            add = builder.add_texts if is_text else builder.add_tokens
            for batch in batches_of(documents):
                add(batch, workers)
            if is_text and analyzer is not None and analyzer.changes_words:
                builder.rename(analyzer.terms_of(builder.terms()))
            self._core = builder.finish(note_of(analyzer), workers)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> BM25Index:
        """Open a saved index by memory map.

        What is read is verified before it is first used; `verify` checks all of it. The files must
        not be changed while the index is open.

        Parameters
        ----------
        path
            The directory that `save` wrote.

        Returns
        -------
        BM25Index
            It answers like the index that was saved, with the same analyzer.

        Raises
        ------
        MissingInputError
            There is no such index.
        IndexFileError
            The file is cut short, damaged, of another version or byte order, or no index.
        MismatchError
            This installation would cut queries into other terms than the index was built with.
        StateError
            The file can't be read.
        """
        name = os.fspath(Path(path) / FILE_NAME)
        with opened_file(name) as descriptor, core_errors():
            core = _core.BM25Index.open(descriptor, name)
            note = core.note
        index = cls.__new__(cls)
        index._core = core
        index._analyzer = analyzer_of(note, name)
        return index

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index into a directory, which is made when it isn't there.

        The file appears whole or not at all. The same documents and settings give the same bytes,
        on every machine and with any number of threads.

        Parameters
        ----------
        path
            The directory; an index that is in it is replaced.

        Raises
        ------
        StateError
            The file can't be written; the old one, if any, is as it was.
        """
        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / FILE_NAME, self._core.save)
        except OSError as error:
            raise StateError(
                f"{folder}: the index can't be written: {error.strerror or error}"
            ) from error

    def verify(self, *, threads: int | None = None) -> None:
        """Check all of an opened index file; an index that was built here always passes.

        Raises
        ------
        IndexFileError
            Bytes don't have their checksum, or contradict each other.
        """
        self._core.verify(as_threads(threads))

    def __len__(self) -> int:
        """Return the number of documents."""
        return self._core.docs

    def __repr__(self) -> str:
        return (
            f"BM25Index({len(self)} documents, {self.vocabulary_size} terms, "
            f"variant={self.variant!r})"
        )

    @property
    def analyzer(self) -> Analyzer | None:
        """What cuts texts into terms; None for an index of tokens that was built without one."""
        return self._analyzer

    @property
    def variant(self) -> str:
        """The name of the formula."""
        return VARIANTS[self._core.settings[0]]

    @property
    def vocabulary_size(self) -> int:
        """How many distinct terms the documents hold."""
        return self._core.vocabulary_size

    @property
    def settings(self) -> dict[str, Any]:
        """Everything beside the documents that scores depend on, in types that JSON has."""
        _, k1, b, delta = self._core.settings
        return {
            "schema": SCHEMA,
            "variant": self.variant,
            "k1": k1,
            "b": b,
            "delta": delta if self.variant in DELTAS else None,
            "analyzer": None if self._analyzer is None else self._analyzer.describe(),
        }

    @property
    def fingerprint(self) -> str:
        """sha256 (64 hex digits) of the canonical JSON (RFC 8785) of `settings`."""
        return hashlib.sha256(rfc8785.dumps(self.settings)).hexdigest()

    def search(
        self,
        queries: str | Iterable[str] | None = None,
        k: SupportsIndex | None = None,
        *,
        tokens: Iterable[Sequence[str]] | None = None,
        exclude: Exclude | None = None,
        subset: Iterable[int] | NDArray[Any] | None = None,
        threads: int | None = None,
    ) -> Hits:
        """Return the exact k best documents of every query.

        Parameters
        ----------
        queries
            One text, or an iterable of texts. A text is never read as query syntax.
        k
            At most this many hits a query; fewer when fewer documents hold a term of it.
        tokens
            Instead of texts: an iterable with the sequence of terms of each query.
        exclude
            Rows that must not be found, one list a query; see `gnomon.topk`. Scores don't change.
        subset
            The only rows to find: row numbers, or a boolean array with one value a document. Scores
            don't change.
        threads
            None for the CPUs that this process may use. One query runs on one.

        Returns
        -------
        Hits
            Rows by score descending, then row ascending; float32 scores, all above 0.

        Warns
        -----
        UserWarning
            A text has no terms at all, such as ``""``; it has no hits.

        Raises
        ------
        InvalidInputError
            A query holds a lone surrogate, or a row is out of range.
        InvalidTypeError
            A query is of another type.
        UsageError
            k is less than 1 or missing, or the index was built from tokens without an analyzer and
            the query is text.

        Examples
        --------
        >>> index = BM25Index(tokens=[["x", "y"], [], ["x"]])
        >>> hits = index.search(tokens=[["x"]], k=10)
        >>> hits[0].ids.tolist(), [round(float(s), 4) for s in hits[0].scores]
        ([2, 0], [0.2136, 0.1516])
        """
        if k is None:
            raise UsageError("k is missing; say how many hits a query may have at most")
        most = as_count(k, "k", least=1)
        is_text, given = one_of(queries, tokens, "queries")
        listed: list[Any] = query_list(given, is_text=is_text)
        run, core_queries = self._route(listed, is_text=is_text)
        lists = rows = None
        if exclude is not None:
            lists = exclude_lists(exclude, len(listed), len(self))
        if subset is not None:
            rows = subset_rows(subset, len(self))
        workers = 1 if threads is None and len(listed) == 1 else as_threads(threads)
        try:
            hits = Hits(*run(core_queries, most, lists, rows, workers, 0))
        except GnomonError:
            raise
        except ValueError as error:
            raise InvalidInputError(str(error)) from None
        if is_text and not (len(listed) == 1 and len(hits.ids)):
            self._warn_of_blank(hits, core_queries)
        return hits

    def _route(self, listed: list[Any], *, is_text: bool) -> tuple[Any, list[Any]]:
        """Return the function of the core that answers, and the queries as it takes them."""
        if not is_text:
            return self._core.search_tokens, listed
        analyzer = self._text_analyzer()
        if analyzer.changes_words:
            return self._core.search_tokens, [
                _terms_of(analyzer, text, row) for row, text in enumerate(listed)
            ]
        return self._core.search_texts, listed

    def _text_analyzer(self) -> Analyzer:
        if self._analyzer is None:
            raise UsageError(
                "the index was built from tokens, so nothing is known of how to cut a text; "
                "pass tokens=, or build the index with the analyzer that made the tokens"
            )
        return self._analyzer

    def _warn_of_blank(self, hits: Hits, queries: list[Any]) -> None:
        """Warn when a text without hits has no terms either."""
        blank = [
            q
            for q in np.flatnonzero(hits.counts() == 0).tolist()
            if not (_core.text_words(queries[q]) if isinstance(queries[q], str) else queries[q])
        ]
        if blank:
            warnings.warn(
                f"query {blank[0]} has no terms ({len(blank)} of {len(queries)} queries have "
                f"none), so it has no hits",
                UserWarning,
                stacklevel=3,
            )

    def scores(
        self, query: str | None = None, *, tokens: Sequence[str] | None = None
    ) -> NDArray[np.float32]:
        """Return the score of every document for one query.

        Parameters
        ----------
        query
            One text.
        tokens
            Instead of a text: its terms.

        Returns
        -------
        numpy.ndarray
            float32 of shape (documents,); 0.0 where a document holds no term of the query, else the
            score that `search` returns, to the bit.

        Examples
        --------
        >>> [round(float(s), 4) for s in BM25Index(["x y", "", "x"]).scores("x")]
        [0.1516, 0.0, 0.2136]
        """
        is_text, given = one_of(query, tokens, "query")
        if is_text:
            given = self._text_analyzer()(given)
        with core_errors():
            return self._core.scores(list(given))


def _terms_of(analyzer: Analyzer, text: str, row: int) -> list[str]:
    try:
        return analyzer(text)
    except InvalidInputError as error:
        raise InvalidInputError(f"queries: row {row}: {error}") from None
