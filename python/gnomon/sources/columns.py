"""Parquet and Arrow files: a column of equally long number lists, and a column of ids."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.dtypes import stored_dtype
from gnomon.sources.escape import listed, quoted
from gnomon.sources.files import described, open_regular, optional_module, reason, shown
from gnomon.sources.idvalues import check_unique, ids_of_values
from gnomon.sources.limits import Limits, check_array_size, empty_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

# Rows decoded at a time, so that only one small part exists beside the array that it is copied to.
_BATCH_ROWS = 8192


class _Table(NamedTuple):
    """An open columnar file: its schema, its row count and its record batches."""

    schema: Any
    rows: int
    batches: Callable[[list[str]], Iterator[Any]]


def read_columns(
    path: Path,
    *,
    name: str,
    column: str | None,
    id_column: str | None,
    limits: Limits,
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Read a column of vectors into memory, batch by batch, and optionally one of ids.

    Parameters
    ----------
    path, name
        The file, and what the vectors are, for messages.
    column
        The column of lists; None takes the only one.
    id_column
        The column of ids (strings or integers); None reads none.
    limits
        Sizes at which reading stops.

    Returns
    -------
    array of shape [rows, dim], tuple of str or None
    """
    where = f"{name}: {shown(path)}"
    with _open(path, where) as table:
        column = _vector_column(table.schema, column, where)
        wanted = [column]
        if id_column is not None:
            _require(table.schema, id_column, where)
            wanted.append(id_column)
        if table.rows < 1:
            raise InvalidInputError(
                f"{where}: is empty: {table.rows} rows; expected at least one vector"
            )
        filling = _Filling(where, column, table.rows, limits)
        ids: list[object] = []
        for batch in table.batches(wanted):
            filling.add(batch.column(column))
            if id_column is not None:
                ids += batch.column(id_column).to_pylist()
        array = filling.array()
    if id_column is None:
        return array, None
    return array, _checked_ids(ids, f"{where}: column {quoted(id_column)}")


def read_id_column(path: Path, *, column: str | None, limits: Limits) -> tuple[str, ...]:
    """Read a column of ids; without a name, the file must have one column only."""
    where = shown(path)
    with _open(path, where) as table:
        if column is None:
            if len(table.schema.names) != 1:
                raise InvalidInputError(
                    f"{where}: has the columns {listed(table.schema.names)}; say which one holds "
                    "the ids (column)"
                )
            column = table.schema.names[0]
        _require(table.schema, column, where)
        check_array_size(where, 8 * table.rows, limits)
        ids: list[object] = []
        for batch in table.batches([column]):
            ids += batch.column(column).to_pylist()
    return _checked_ids(ids, f"{where}: column {quoted(column)}")


class _Filling:
    """The array that the batches of a column are copied into."""

    def __init__(self, where: str, column: str, rows: int, limits: Limits) -> None:
        self._where = f"{where}: column {quoted(column)}"
        self._rows = rows
        self._limits = limits
        self._array: NDArray[Any] | None = None
        self._filled = 0

    def add(self, lists: Any) -> None:
        """Copy one batch of lists."""
        if not len(lists):
            return
        values = self._flat_values(lists)
        dim = len(values) // len(lists)
        if self._array is None:
            self._array = self._allocated(values.dtype, dim)
        if self._filled + len(lists) > self._rows:
            raise InvalidInputError(
                f"{self._where}: holds more than the {self._rows:,} rows it declares"
            )
        end = self._filled + len(lists)
        self._array[self._filled : end] = values.reshape(len(lists), dim)
        self._filled = end

    def array(self) -> NDArray[Any]:
        """Return the filled array."""
        if self._array is None or self._filled != self._rows:
            raise InvalidInputError(
                f"{self._where}: is cut short: {self._filled:,} of {self._rows:,} rows"
            )
        return self._array

    def _allocated(self, dtype: np.dtype[Any], dim: int) -> NDArray[Any]:
        stored_dtype(dtype, where=self._where)
        if dim == 0:
            raise InvalidInputError(f"{self._where}: has lists of 0 numbers; expected at least one")
        return empty_array(self._where, (self._rows, dim), dtype, self._limits)

    def _flat_values(self, lists: Any) -> NDArray[Any]:
        if hasattr(lists, "storage"):
            lists = lists.storage
        if lists.null_count:
            row = self._filled + _first(lists.is_null())
            raise InvalidInputError(f"{self._where}: row {row}: is null; every row needs a vector")
        lengths = self._lengths(lists)
        dim = lengths[0] if self._array is None else self._array.shape[1]
        odd = np.flatnonzero(lengths != dim)
        if len(odd):
            raise InvalidInputError(
                f"{self._where}: row {self._filled + int(odd[0])}: has {lengths[odd[0]]} numbers, "
                f"the rows before have {dim}; all vectors of a file must be equally long"
            )
        values = lists.flatten()
        if values.null_count:
            row = self._filled + _first(values.is_null()) // int(dim)
            raise InvalidInputError(f"{self._where}: row {row}: holds a null among its numbers")
        flat: NDArray[Any] = values.to_numpy(zero_copy_only=False)
        return flat

    @staticmethod
    def _lengths(lists: Any) -> NDArray[np.int64]:
        size = getattr(lists.type, "list_size", None)
        if size is not None:
            return np.full(len(lists), size, np.int64)
        lengths: NDArray[np.int64] = lists.value_lengths().to_numpy(zero_copy_only=False)
        return lengths.astype(np.int64)


@contextmanager
def _open(path: Path, where: str) -> Iterator[_Table]:
    arrow = optional_module("pyarrow", extra="parquet", where=where)
    with open_regular(path) as file:
        head = file.read(64)
        file.seek(0)
        try:
            if head.startswith(b"PAR1"):
                yield _parquet(file, where)
            elif head.startswith(b"ARROW1"):
                yield _arrow_file(file, where)
            elif path.suffix.lower() == ".parquet" or not head.startswith(b"\xff\xff\xff\xff"):
                raise InvalidInputError(
                    f"{where}: is not a Parquet or Arrow file: it is {described(head)}"
                )
            else:
                yield _arrow_stream(file, where)
        except (arrow.ArrowException, OSError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(
                f"{where}: is cut short or damaged ({reason(error)}); copy or write it again"
            ) from None


def _parquet(file: Any, where: str) -> _Table:
    parquet = optional_module("pyarrow.parquet", extra="parquet", where=where)
    opened = parquet.ParquetFile(file)

    def batches(columns: list[str]) -> Iterator[Any]:
        for group in range(opened.num_row_groups):
            yield from opened.iter_batches(
                batch_size=_BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False
            )

    return _Table(opened.schema_arrow, opened.metadata.num_rows, batches)


def _arrow_file(file: Any, where: str) -> _Table:
    ipc = optional_module("pyarrow.ipc", extra="parquet", where=where)
    opened = ipc.open_file(file)

    def batches(columns: list[str]) -> Iterator[Any]:
        for number in range(opened.num_record_batches):
            yield opened.get_batch(number).select(columns)

    rows = sum(opened.get_batch(number).num_rows for number in range(opened.num_record_batches))
    return _Table(opened.schema, rows, batches)


def _arrow_stream(file: Any, where: str) -> _Table:
    ipc = optional_module("pyarrow.ipc", extra="parquet", where=where)
    # A stream says nowhere how many rows it has, so it is passed over once to count them.
    counting = ipc.open_stream(file)
    schema = counting.schema
    rows = sum(batch.num_rows for batch in counting)

    def batches(columns: list[str]) -> Iterator[Any]:
        file.seek(0)
        for batch in ipc.open_stream(file):
            yield batch.select(columns)

    return _Table(schema, rows, batches)


def _vector_column(schema: Any, column: str | None, where: str) -> str:
    if column is not None:
        _require(schema, column, where)
        if not _is_list(schema.field(column).type):
            raise InvalidInputError(
                f"{where}: column {quoted(column)} holds {schema.field(column).type}; expected "
                "lists of numbers, one vector a row"
            )
        return column
    found = [field.name for field in schema if _is_list(field.type)]
    if len(found) != 1:
        raise InvalidInputError(
            f"{where}: {len(found)} of the columns {listed(schema.names)} hold lists of numbers; "
            "say which one holds the vectors (column)"
        )
    return str(found[0])


def _require(schema: Any, column: str, where: str) -> None:
    if schema.names.count(column) != 1:
        raise InvalidInputError(
            f"{where}: has {schema.names.count(column)} columns {quoted(column)}; the columns are "
            f"{listed(schema.names)}"
        )


def _is_list(kind: Any) -> bool:
    kind = getattr(kind, "storage_type", kind)
    if not str(kind).startswith(("list<", "large_list<", "fixed_size_list<")):
        return False
    # halffloat, float, double, int8, uint8; other numbers are refused later, with advice.
    return str(kind.value_type).rstrip("0123456789") in {
        "halffloat",
        "float",
        "double",
        "int",
        "uint",
    }


def _checked_ids(values: list[object], where: str) -> tuple[str, ...]:
    ids = ids_of_values(values, where=where)
    check_unique(ids, where=where)
    return ids


def _first(mask: Any) -> int:
    return int(np.flatnonzero(mask.to_numpy(zero_copy_only=False))[0])
