"""How much gnomon is willing to unpack or to hold, whatever a file declares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes at which reading stops with an error.

    Attributes
    ----------
    max_array_bytes
        Largest array that is read into memory. Memory-mapped files are not bound by it.
    max_unpacked_bytes
        Largest size that one compressed file may unpack to.
    max_ratio
        How many times larger than its stored form unpacked data may be. Text packs about
        3 to 1 and vectors hardly at all; deflate can reach 1,032, which only crafted files do.
    free_unpacked_bytes
        Below this size the ratio is not looked at, since small files compress oddly.
    max_line_bytes
        Longest line of a text file, the line ending included.
    """

    max_array_bytes: int = 16 * GIB
    max_unpacked_bytes: int = 256 * GIB
    max_ratio: int = 200
    free_unpacked_bytes: int = 64 * MIB
    max_line_bytes: int = 16 * MIB

    def unpacked_allowance(self, stored_bytes: int) -> int:
        """Return to how many bytes ``stored_bytes`` of compressed data may unpack."""
        by_ratio = max(self.free_unpacked_bytes, self.max_ratio * stored_bytes)
        return min(self.max_unpacked_bytes, by_ratio)


DEFAULT_LIMITS = Limits()


def check_array_size(where: str, nbytes: int, limits: Limits) -> None:
    """Refuse an array that would not be held in memory.

    Raises
    ------
    InvalidInputError
        When ``nbytes`` is over ``limits.max_array_bytes``.
    """
    if nbytes > limits.max_array_bytes:
        raise InvalidInputError(
            f"{where}: holds an array of {nbytes:,} bytes; this format is read into memory, up to "
            f"{limits.max_array_bytes:,} bytes. Save the array as .npy, which is memory-mapped "
            "at any size"
        )


def empty_array(
    where: str, shape: tuple[int, ...], dtype: np.dtype[Any], limits: Limits
) -> NDArray[Any]:
    """Return an array to fill, of a size that was checked.

    Raises
    ------
    InvalidInputError
        When it is over the limit, or the machine has not that much memory.
    """
    nbytes = math.prod(shape) * dtype.itemsize
    check_array_size(where, nbytes, limits)
    try:
        return np.empty(shape, dtype)
    except MemoryError:
        raise InvalidInputError(
            f"{where}: holds an array of {nbytes:,} bytes, which this machine has no memory for. "
            "Save the array as .npy, which is memory-mapped at any size"
        ) from None


def check_unpacked_size(where: str, unpacked: int, stored: int, limits: Limits) -> None:
    """Refuse compressed data that unpacks to implausibly much.

    Raises
    ------
    InvalidInputError
        When ``unpacked`` is more than ``limits`` allow for ``stored`` bytes.
    """
    if unpacked > limits.unpacked_allowance(stored):
        raise InvalidInputError(
            f"{where}: {stored:,} stored bytes unpack to {unpacked:,} or more, over the limit of "
            f"{limits.unpacked_allowance(stored):,} (at most {limits.max_ratio} times the stored "
            "size). If the file is yours and right, unpack it first and give the unpacked file"
        )
