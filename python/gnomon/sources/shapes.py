"""The shape that an array of vectors must have."""

from __future__ import annotations

from gnomon.errors import InvalidInputError


def check_shape(shape: tuple[int, ...], *, where: str) -> None:
    """Refuse an array that is not rows by columns, or that has none of either.

    Raises
    ------
    InvalidInputError
        Naming the shape that was found.
    """
    if len(shape) != 2:
        advice = "; for a single vector save array.reshape(1, -1)" if len(shape) == 1 else ""
        noun = "dimension" if len(shape) == 1 else "dimensions"
        raise InvalidInputError(
            f"{where}: has {len(shape)} {noun} {shape}; expected 2: rows and columns{advice}"
        )
    rows, dim = shape
    if rows == 0:
        raise InvalidInputError(f"{where}: is empty: 0 rows of {dim}; expected at least one vector")
    if dim == 0:
        raise InvalidInputError(
            f"{where}: has {rows} rows of 0 columns; expected at least one column"
        )
