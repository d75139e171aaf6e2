"""The prepared index: coded once, searched many times, saved and opened by memory map."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import _core
from gnomon.errors import StateError
from gnomon.kernels._arrays import as_matrix, as_threads, core_errors
from gnomon.kernels._files import opened_file, replace_file
from gnomon.kernels.cosine import PassReport, SearchRequest, as_topk, run_requests

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from gnomon.kernels.hits import Hits, TopK
    from gnomon.kernels.row_lists import Exclude
    from gnomon.types import Progress


class VectorIndex:
    """Documents prepared for exact cosine top-k.

    Holds an int8 code of every document (d bytes, and 16 a row) beside a read-only view of
    ``docs``, which decides the scores: changing that array afterwards is an error that cannot be
    detected. Answers are those of `gnomon.topk`, to the bit.

    Parameters
    ----------
    docs
        [n, d] array of any dtype and layout that `gnomon.topk` takes; it is not copied.
    threads
        None for the CPUs that this process may use.

    Raises
    ------
    InvalidInputError
        For NaN or infinity; the message names the row.

    Examples
    --------
    >>> import numpy as np
    >>> index = VectorIndex(np.float32([[1, 0], [0.6, 0.8], [0, 0]]))
    >>> len(index), index.dim, index.n_zero_rows
    (3, 2, 1)
    >>> index.search([3.0, 4.0], k=2).ids
    array([[1, 0]])
    """

    __slots__ = ("_core", "_docs")

    def __init__(self, docs: ArrayLike, *, threads: int | None = None) -> None:
        self._docs: NDArray[Any] | None = as_matrix(docs, "docs")
        with core_errors():
            self._core = _core.VectorIndex(self._docs, as_threads(threads))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> VectorIndex:
        """Open a saved index by memory map.

        Blocks of the file are verified before they are first used; `verify` checks all of them. The
        file must not be changed while it is open: writing into it may give wrong answers. That it
        has been cut short is found out before the next block, but bytes that vanish while they are
        read end the process, as with every memory map. To replace an index, `save` over it.

        Parameters
        ----------
        path
            A file that `save` wrote.

        Returns
        -------
        VectorIndex
            It answers like the index that was saved.

        Raises
        ------
        MissingInputError
            There is no such file.
        IndexFileError
            The file is cut short, damaged, of another version or byte order, or no index.
        StateError
            The file can't be read.
        """
        name = os.fspath(path)
        with opened_file(name) as descriptor, core_errors():
            core = _core.VectorIndex.open(descriptor, name)
        index = cls.__new__(cls)
        index._docs = None
        index._core = core
        return index

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index, with its documents, into one file.

        The file appears whole or not at all, and both file and folder are on the disk before this
        returns. The same documents give the same bytes on every
        machine; float64 documents are stored as the float32 values that they are scored by.

        Parameters
        ----------
        path
            The file to write; one that is there is replaced.

        Raises
        ------
        StateError
            The file can't be written; the old one, if any, is as it was.
        """
        target = Path(path)
        try:
            replace_file(target, self._core.save)
        except OSError as error:
            raise StateError(
                f"{target}: the index can't be written: {error.strerror or error}"
            ) from error

    def verify(self, *, threads: int | None = None) -> None:
        """Check every block of an opened index file; an index that was built here always passes.

        Raises
        ------
        IndexFileError
            A block doesn't have its checksum; the message names the file and the bytes.
        """
        self._core.verify(as_threads(threads))

    def __len__(self) -> int:
        """Return the number of documents."""
        return self._core.rows

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._core.cols

    @property
    def n_zero_rows(self) -> int:
        """How many documents are zero vectors; they score 0.0 against everything."""
        return self._core.zero_rows

    @property
    def nbytes(self) -> int:
        """Bytes of codes and per-row values, beside the documents themselves.

        The dimensions rounded up to 4, and 16, for every document; their number is rounded up
        to 16.
        """
        return self._core.bytes

    def search_pass(
        self,
        requests: Sequence[SearchRequest],
        *,
        subset: Iterable[int] | NDArray[Any] | None = None,
        row_labels: ArrayLike | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        report: PassReport | None = None,
    ) -> list[Hits]:
        """Answer several requests in one pass; see `gnomon.kernels.topk_pass`."""
        return run_requests(
            self._core.search,
            requests,
            len(self),
            self.dim,
            subset=subset,
            row_labels=row_labels,
            threads=threads,
            progress=progress,
            report=report,
        )

    def search_hits(
        self,
        queries: ArrayLike,
        k: int,
        *,
        exclude: Exclude | None = None,
        subset: Iterable[int] | NDArray[np.int64] | None = None,
        threads: int | None = None,
    ) -> Hits:
        """Return the exact k most similar documents of every query as `Hits`; see `search`."""
        request = SearchRequest(queries, k, exclude)
        return self.search_pass([request], subset=subset, threads=threads)[0]

    def search(
        self,
        queries: ArrayLike,
        k: int,
        *,
        exclude: Exclude | None = None,
        subset: Iterable[int] | NDArray[np.int64] | None = None,
        threads: int | None = None,
    ) -> TopK:
        """Return the exact k most similar documents of every query.

        Parameters, result and errors are those of `gnomon.topk`; where exclusions leave queries
        with different numbers of hits, use `search_hits`.
        """
        hits = self.search_hits(queries, k, exclude=exclude, subset=subset, threads=threads)
        return as_topk(hits, k, len(self), "search_hits")
