"""Ids of documents and queries: strings, exactly as written, in the row order of the vectors."""

from __future__ import annotations

import unicodedata
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.columns import read_id_column
from gnomon.sources.escape import by_number, counted, listed, quoted
from gnomon.sources.files import shown, suffix_of
from gnomon.sources.idvalues import check_unique
from gnomon.sources.jsonl import id_of, read_records
from gnomon.sources.limits import DEFAULT_LIMITS, Limits
from gnomon.sources.npy import read_npy_ids
from gnomon.sources.textlines import read_lines

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

_SPELLINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("without its outer blanks", str.strip),
    ("but for upper and lower case", str.casefold),
    ("in another Unicode form", partial(unicodedata.normalize, "NFC")),
)
_JSON_SUFFIXES = frozenset({".jsonl", ".ndjson", ".json"})
_COLUMN_SUFFIXES = frozenset({".parquet", ".arrow", ".feather"})


def read_ids(
    path: str | os.PathLike[str], *, column: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> tuple[str, ...]:
    r"""Read the ids that belong to the rows of a vector file.

    Parameters
    ----------
    path
        Text with one id a line, JSON Lines with ``_id`` (``.jsonl``, ``.ndjson``), both also as
        gzip; ``.npy`` of fixed-width strings or integers; Parquet or Arrow with ``column``.
    column
        Name of the id column, for Parquet and Arrow only.
    limits
        Sizes at which reading stops.

    Returns
    -------
    tuple of str
        The ids in file order; nothing is stripped but the line ending.

    Raises
    ------
    InvalidInputError
        For a blank or duplicate id, an empty file, or content that is not what the name says.
    MissingDependencyError
        For Parquet or Arrow without pyarrow.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ids.txt"
    >>> _ = path.write_bytes(b"d1\nd 2\r\nd3")
    >>> read_ids(path)
    ('d1', 'd 2', 'd3')
    """
    suffix = suffix_of(path)
    if suffix in _JSON_SUFFIXES:
        ids = tuple(id_of(record, path) for record in read_records(path, limits=limits))
    elif suffix == ".npy":
        ids = read_npy_ids(Path(path), limits=limits)
    elif suffix in _COLUMN_SUFFIXES:
        ids = read_id_column(Path(path), column=column, limits=limits)
    else:
        ids = _ids_of_text(path, limits)
    if not ids:
        raise InvalidInputError(f"{shown(path)}: holds no id; expected one id for every row")
    check_unique(ids, where=shown(path))
    return ids


def rows_of(
    subset: Sequence[str], ids: Sequence[str], *, where: str, known: str
) -> NDArray[np.int64]:
    """Return the row of every id of ``subset`` among ``ids``.

    Parameters
    ----------
    subset
        Ids to look up, for example of the documents that have new vectors.
    ids
        All ids, in row order.
    where, known
        What to call the two in a message.

    Returns
    -------
    int64[len(subset)]

    Raises
    ------
    InvalidInputError
        When an id of ``subset`` is not among ``ids``; the message counts them and names some.
    """
    row_of = {item: row for row, item in enumerate(ids)}
    unknown = sorted(item for item in subset if item not in row_of)
    if unknown:
        raise InvalidInputError(
            f"{where}: {len(unknown)} of {counted(len(subset), 'id')} "
            f"{by_number(len(unknown), 'is', 'are')} not in {known}: {listed(unknown)}"
            f"{near_miss(unknown, row_of)}"
        )
    return np.fromiter((row_of[item] for item in subset), np.int64, len(subset))


def near_miss(unknown: Sequence[str], known: Collection[str]) -> str:
    """Return a hint when an unknown id differs from a known one only in its spelling.

    Examples
    --------
    >>> near_miss(["D1 "], ["D1"])
    ". 'D1 ' is 'D1' without its outer blanks; ids are compared exactly as written"
    """
    for difference, respell in _SPELLINGS:
        respelled = {respell(item): item for item in known}
        for item in unknown[:1000]:
            match = respelled.get(respell(item))
            if match is not None:
                return (
                    f". {quoted(item)} is {quoted(match)} {difference}; "
                    "ids are compared exactly as written"
                )
    return ""


def _ids_of_text(path: str | os.PathLike[str], limits: Limits) -> tuple[str, ...]:
    ids: list[str] = []
    for line in read_lines(path, limits=limits):
        if not line.text.strip():
            raise InvalidInputError(
                f"{shown(path)}: line {line.number}: is blank; expected one id a line, "
                "in the order of the vector rows"
            )
        if line.number == 1 and line.text.startswith('{"'):
            raise InvalidInputError(
                f"{shown(path)}: line 1: holds a JSON object; expected one id a line. "
                "For JSON Lines with '_id', name the file .jsonl"
            )
        ids.append(line.text)
    return tuple(ids)
