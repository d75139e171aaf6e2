"""Writing TREC run files that every reader of the format takes, this one included."""

from __future__ import annotations

import gzip
import re
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.atomic import atomic_write
from gnomon.sources.escape import quoted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gnomon.sources.runs import Run

# White space as Python, C and most readers see it, and control characters.
_CANNOT_STAND: Final = re.compile(r"[\s\x00-\x1f\x7f]")


def write_run(path: str | os.PathLike[str], run: Run) -> None:
    """Write a run as a TREC run file, gzip when the name ends in ``.gz``.

    Each query has its results by falling score, equal ones by rising id, ranked from 1. A score is
    the shortest decimal that gives its float64 back, or its float32 when all scores of the run are
    of that kind, so that different scores stay different and in order. The same run gives the same
    bytes.

    Raises
    ------
    InvalidInputError
        When an id of a query or a document holds white space or a control character, which a run
        file can't hold.
    StateError
        When the file cannot be written; what was there stays.
    """
    _check_ids(path, run.query_ids, "query")
    names = run.document_bytes(np.arange(len(run)))
    ids = [name.decode("utf-8") for name in names]
    _check_ids(path, ids, "document")
    decimals = _decimals(run.scores)
    with _opened(path) as file:
        for query, (begin, end) in zip(run.query_ids, pairwise(run.offsets.tolist()), strict=True):
            scores = run.scores[begin:end]
            order = sorted(range(end - begin), key=lambda i: (-scores[i], names[begin + i]))
            lines = (
                f"{query} Q0 {ids[begin + i]} {rank} {decimals[begin + i]} {run.tag}\n"
                for rank, i in enumerate(order, 1)
            )
            file.write("".join(lines).encode("utf-8"))


def _decimals(scores: NDArray[np.float64]) -> list[str]:
    with np.errstate(over="ignore"):
        narrow = scores.astype(np.float32)
    return [str(score) for score in (narrow if np.array_equal(narrow, scores) else scores)]


def _check_ids(path: str | os.PathLike[str], ids: Sequence[str], noun: str) -> None:
    wrong = next((one for one in ids if _CANNOT_STAND.search(one)), None)
    if wrong is not None:
        raise InvalidInputError(
            f"{shown(path)}: cannot be written: the {noun} id {quoted(wrong)} holds white space or "
            "a control character, and a run file separates its columns by white space; rename the "
            f"{noun} in the collection"
        )


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    with atomic_write(path) as file:
        if Path(path).suffix.lower() != ".gz":
            yield file
            return
        # Without name and time, so that the same run gives the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield cast("BinaryIO", packed)
