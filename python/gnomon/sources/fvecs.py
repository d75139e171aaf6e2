"""`.fvecs` and `.bvecs` files: every row is a little-endian int32 width and that many elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.files import described, open_regular, shown, size_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_MAX_DIM = 1_000_000
_CHECKED_AT_ONCE = 1 << 20
_ELEMENTS = {".fvecs": "<f4", ".bvecs": "u1"}


def map_fvecs(path: Path, *, name: str) -> NDArray[Any]:
    """Memory-map the vectors of a `.fvecs` (float32) or `.bvecs` (uint8) file without copying.

    The result is a strided view that steps over the width in front of every row. The widths of all
    rows are read once, to check them.

    Returns
    -------
    array of shape [rows, dim]

    Raises
    ------
    InvalidInputError
        When a row has another width than the first, naming it, or the file is cut short.
    """
    where = f"{name}: {shown(path)}"
    element = np.dtype(_ELEMENTS[path.suffix.lower()])
    with open_regular(path) as file:
        size = size_of(file)
        head = file.read(64)
        if not head:
            raise InvalidInputError(f"{where}: is empty; expected at least one vector")
        dim = int.from_bytes(head[:4], "little", signed=True)
        if len(head) < 4 or not 1 <= dim <= _MAX_DIM:
            raise InvalidInputError(
                f"{where}: does not begin with the width of a vector: it is {described(head)}; "
                "expected an int32 width in front of every row"
            )
        row = np.dtype([("dim", "<i4"), ("vector", element, (dim,))])
        rows, rest = divmod(size, row.itemsize)
        if not rows:
            raise InvalidInputError(
                f"{where}: is cut short: row 0 declares {dim} elements, the file has {size} bytes"
            )
        mapped = np.memmap(file, dtype=row, mode="r", shape=(rows,))
    for start in range(0, rows, _CHECKED_AT_ONCE):
        odd = np.flatnonzero(mapped["dim"][start : start + _CHECKED_AT_ONCE] != dim)
        if len(odd):
            at = start + int(odd[0])
            raise InvalidInputError(
                f"{where}: row {at}: declares a width of {mapped['dim'][at]}, the rows before "
                f"have {dim}; all vectors of a file must be equally long"
            )
    if rest:
        raise InvalidInputError(
            f"{where}: is cut short: {rest} bytes follow row {rows - 1}, a whole row has "
            f"{row.itemsize}; copy or write it again"
        )
    vectors: NDArray[Any] = mapped["vector"]
    return vectors
