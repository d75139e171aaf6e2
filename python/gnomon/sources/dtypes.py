"""Element types in which vectors may be stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.files import optional_module

_ACCEPTED = "expected float16, float32, float64, bfloat16, int8 or uint8"
_NATIVE = frozenset(np.dtype(name) for name in ("f2", "f4", "f8", "i1", "u1"))
_ADVICE = {
    "O": "Python objects are pickled and never opened; save a numeric array",
    "c": "embedding vectors are real",
    "b": "save it with .astype(numpy.uint8)",
    "i": "save it with .astype(numpy.float32), or int8 if it holds quantised codes",
    "u": "save it with .astype(numpy.float32), or uint8 if it holds quantised codes",
    "U": "convert the strings to numbers first",
    "S": "convert the strings to numbers first",
    "f": "save it with .astype(numpy.float32)",
}


def stored_dtype(dtype: np.dtype[Any], *, where: str, bfloat16: bool = False) -> np.dtype[Any]:
    """Return the element type in which stored vectors are to be read.

    Parameters
    ----------
    dtype
        What the file declares.
    where
        The vectors and their file, for messages.
    bfloat16
        Whether two-byte elements without a type are bfloat16, as ml_dtypes lets NumPy store them.

    Raises
    ------
    InvalidInputError
        For every other type; the message says how to convert.
    """
    if bfloat16:
        if dtype != np.dtype("V2") and dtype.name != "bfloat16":
            raise InvalidInputError(
                f"{where}: holds {dtype} elements; expected the two-byte elements of bfloat16"
            )
        ml_dtypes = optional_module("ml_dtypes", extra="bfloat16", where=where)
        named: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return named
    if dtype in _NATIVE and dtype.isnative:
        return dtype
    if dtype == np.dtype("V2"):
        raise InvalidInputError(
            f"{where}: holds two-byte elements without a type; if they are bfloat16, say so "
            '(dtype="bfloat16")'
        )
    advice = "save it with .astype(numpy.float32)"
    if dtype.newbyteorder("=") in _NATIVE:
        raise InvalidInputError(
            f"{where}: holds {dtype} elements in the byte order of another machine; {advice}"
        )
    raise InvalidInputError(
        f"{where}: holds elements of type {dtype}; {_ACCEPTED}: {_ADVICE.get(dtype.kind, advice)}"
    )
