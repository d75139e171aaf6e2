"""Texts in a buffer of bytes, eight characters to a 64-bit word, many texts at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    Places: TypeAlias = NDArray[np.int64]
    Words: TypeAlias = NDArray[np.uint64]

WORD: Final = 8
PADDING: Final = 32
"""So many bytes stand before the first text and behind the last, where words reach over."""

_LITTLE: Final = sys.byteorder == "little"
_FIRST_BYTES: Final = np.array([(1 << 8 * n) - 1 for n in range(WORD + 1)], np.uint64)
# The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
# generators", 2014).
_SEED: Final = np.uint64(0x9E3779B97F4A7C15)
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def words_at(data: Bytes, places: Places) -> Words:
    """Return the eight bytes from each place, the first in the lowest byte.

    Parameters
    ----------
    data
        uint8, with ``PADDING`` bytes around the texts.
    places
        int64[n].
    """
    # The view steps by one byte; indexing copies single words out of it.
    every = np.ndarray((len(data) - WORD + 1,), np.uint64, data, strides=(1,))
    words: Words = every[places]
    return words if _LITTLE else words.byteswap()


def words_before(data: Bytes, ends: Places, counts: Places, *, filled: np.uint64) -> Words:
    """Return the last ``counts`` (0 to 8) bytes before each end, with ``filled`` before them.

    Parameters
    ----------
    filled
        A word of eight times the same byte.
    """
    masks = ~_FIRST_BYTES[WORD - counts]
    return (words_at(data, ends - WORD) & masks) | (filled & ~masks)


def keys_of(data: Bytes, starts: Places, ends: Places) -> Words:
    """Return a 64-bit key of each text: equal texts have equal keys.

    Texts of at most eight bytes, none of them zero, have different keys when they differ; longer
    ones all but always, so that equal keys are a reason to compare.

    Parameters
    ----------
    data
        uint8, with ``PADDING`` bytes around the texts.
    starts, ends
        int64[n].

    Examples
    --------
    >>> data = np.frombuffer(b"-" * 32 + b"d1 d2 d1" + b"-" * 32, np.uint8)
    >>> a, b, c = keys_of(data, np.array([32, 35, 38]), np.array([34, 37, 40])).tolist()
    >>> a == c, a == b
    (True, False)
    """
    lengths = ends - starts
    keys = _mixed(_masked_words(data, starts, lengths))
    rows = np.flatnonzero(lengths > WORD)
    at = WORD
    while len(rows):
        words = _masked_words(data, starts[rows] + at, lengths[rows] - at)
        keys[rows] = _mixed((keys[rows] ^ words) + _SEED)
        at += WORD
        rows = rows[lengths[rows] > at]
    return keys


def keys_of_texts(texts: Sequence[bytes]) -> Words:
    """Return the key of each text, as `keys_of` does; none may be empty.

    Examples
    --------
    >>> keys_of_texts([b"d1", b"d2"]).dtype
    dtype('uint64')
    """
    data = np.frombuffer(b"".join([bytes(PADDING), *texts, bytes(PADDING)]), np.uint8)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = PADDING + np.cumsum(lengths)
    return keys_of(data, ends - lengths, ends)


def heads_of_runs(data: Bytes, starts: Places, ends: Places) -> Places:
    """Return the places of the texts that differ from the one before, the first among them.

    Parameters
    ----------
    data
        uint8, with ``PADDING`` bytes around the texts.
    starts, ends
        int64[n].
    """
    lengths = ends - starts
    words = _masked_words(data, starts, lengths)
    differs = np.ones(len(starts), np.bool_)
    np.not_equal(words[1:], words[:-1], out=differs[1:])
    long = np.flatnonzero(~differs & (lengths > WORD))
    same = are_equal(data, starts[long], data, starts[long - 1], lengths[long])
    differs[long] = ~same | (lengths[long] != lengths[long - 1])
    return np.flatnonzero(differs)


def are_equal(
    data: Bytes, starts: Places, other: Bytes, other_starts: Places, lengths: Places
) -> NDArray[np.bool_]:
    """Return where two texts of the same length are the same.

    Parameters
    ----------
    data, other
        uint8, both with ``PADDING`` bytes around the texts.
    starts, other_starts, lengths
        int64[n].
    """
    equal = np.ones(len(starts), np.bool_)
    rows, at = np.arange(len(starts)), 0
    while len(rows):
        rest = lengths[rows] - at
        mine = _masked_words(data, starts[rows] + at, rest)
        equal[rows] &= mine == _masked_words(other, other_starts[rows] + at, rest)
        at += WORD
        rows = rows[lengths[rows] > at]
    return equal


def _masked_words(data: Bytes, places: Places, lengths: Places) -> Words:
    return words_at(data, places) & _FIRST_BYTES[np.minimum(lengths, WORD)]


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(30))) * _FACTORS[0]
    words = (words ^ (words >> np.uint64(27))) * _FACTORS[1]
    return words ^ (words >> np.uint64(31))
