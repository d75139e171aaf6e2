"""NumPy `.npy` files: vectors memory-mapped, ids read; a pickle is never opened."""

from __future__ import annotations

import sys
import warnings
from math import prod
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from gnomon.errors import InvalidInputError
from gnomon.sources.dtypes import stored_dtype
from gnomon.sources.files import described, open_regular, reason, shown, size_of
from gnomon.sources.idvalues import ids_of_values
from gnomon.sources.limits import Limits, check_array_size
from gnomon.sources.shapes import check_shape

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class NpyHeader(NamedTuple):
    """What the header of a `.npy` file declares, and where its data begins."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    offset: int

    @property
    def nbytes(self) -> int:
        """Size of the data in bytes; an object array has none that could be told."""
        return prod(self.shape) * self.dtype.itemsize


def map_npy(path: Path, *, name: str, bfloat16: bool = False) -> NDArray[Any]:
    """Memory-map the vectors of a `.npy` file, read-only, in C or Fortran order.

    Parameters
    ----------
    path
        The file; its size must be what its header declares.
    name
        What the vectors are, for messages.
    bfloat16
        Take two-byte elements, which NumPy stores without their type, as bfloat16.

    Returns
    -------
    numpy.memmap of shape [rows, dim]
    """
    where = f"{name}: {shown(path)}"
    with open_regular(path) as file:
        header = read_header(file, where=where)
        dtype = stored_dtype(header.dtype, where=where, bfloat16=bfloat16)
        check_shape(header.shape, where=where)
        _check_length(header, size_of(file), where)
        return np.memmap(
            file,
            dtype=dtype,
            mode="r",
            offset=header.offset,
            shape=header.shape,
            order="F" if header.fortran else "C",
        )


def read_npy_ids(path: Path, *, limits: Limits) -> tuple[str, ...]:
    """Read ids from a 1-D `.npy` file of fixed-width strings or integers."""
    where = shown(path)
    with open_regular(path) as file:
        header = read_header(file, where=where)
        check_id_header(header, where=where)
        _check_length(header, size_of(file), where)
        check_array_size(where, header.nbytes, limits)
        data = file.read(header.nbytes)
    return ids_of_values(id_values(data, header, where=where), where=where)


def read_header(file: BinaryIO, *, where: str) -> NpyHeader:
    """Read the header of a `.npy` file, version 1 to 3, from its start.

    Raises
    ------
    InvalidInputError
        When the file is not a NumPy file, or its header is cut short or malformed.
    """
    head = file.read(64)
    file.seek(0)
    if not head.startswith(npy_format.MAGIC_PREFIX):
        raise InvalidInputError(
            f"{where}: is not a NumPy file: it is {described(head)}; expected an array written "
            "by numpy.save, or a file whose ending says its format"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            version = npy_format.read_magic(file)
            # Version 3 is version 2 with UTF-8 field names, which no array of vectors has.
            read = {
                (1, 0): npy_format.read_array_header_1_0,
                (2, 0): npy_format.read_array_header_2_0,
                (3, 0): npy_format.read_array_header_2_0,
            }[version]
            shape, fortran, dtype = read(file)
    except KeyError:
        raise InvalidInputError(
            f"{where}: is a NumPy file of version {head[6]}.{head[7]}; expected version 1 to 3"
        ) from None
    except Exception as error:  # the tokenizer and the dtype parser below raise of many kinds
        raise InvalidInputError(
            f"{where}: the NumPy header is cut short or malformed ({reason(error)}); "
            "write the file again with numpy.save"
        ) from None
    if any(length < 0 for length in shape):
        raise InvalidInputError(f"{where}: the NumPy header declares the negative shape {shape}")
    return NpyHeader(tuple(map(int, shape)), bool(fortran), dtype, file.tell())


def check_id_header(header: NpyHeader, *, where: str) -> None:
    """Refuse anything but one-dimensional fixed-width strings or integers as ids."""
    if header.dtype.kind == "O" or header.dtype.hasobject:
        raise InvalidInputError(
            f"{where}: holds Python objects, which are pickled and never opened; save the ids as "
            "fixed-width strings: numpy.save(path, numpy.array(ids, dtype=str))"
        )
    if header.dtype.kind not in "USiu" or not header.dtype.itemsize:
        raise InvalidInputError(
            f"{where}: holds {header.dtype} values; expected ids as strings or integers"
        )
    if len(header.shape) != 1:
        raise InvalidInputError(
            f"{where}: ids have the shape {header.shape}; expected one dimension"
        )


def id_values(data: bytes, header: NpyHeader, *, where: str) -> list[Any]:
    """Return the strings or integers that the data of an id array holds."""
    array = np.frombuffer(data, header.dtype)
    if header.dtype.kind == "U":
        codes = array.view(np.dtype(np.uint32).newbyteorder(header.dtype.byteorder))
        bad = np.flatnonzero(codes > sys.maxunicode)
        if len(bad):
            row = int(bad[0]) // (header.dtype.itemsize // 4)
            raise InvalidInputError(
                f"{where}: row {row}: the id holds a number that is no character"
            )
    values: list[Any] = array.tolist()
    return values


def _check_length(header: NpyHeader, size: int, where: str) -> None:
    found = size - header.offset
    if found < header.nbytes:
        row_bytes = max(1, header.nbytes // max(1, header.shape[0]))
        raise InvalidInputError(
            f"{where}: is cut short: its header declares {header.shape[0]:,} rows "
            f"({header.nbytes:,} bytes), the file holds {found:,} bytes"
            + ("" if header.fortran else f" ({found // row_bytes:,} whole rows)")
            + "; copy or write it again"
        )
    if found > header.nbytes:
        raise InvalidInputError(
            f"{where}: holds {found - header.nbytes:,} bytes more than its header declares; "
            "expected one array a file"
        )
