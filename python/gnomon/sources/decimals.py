"""Decimal numbers in a buffer of bytes, a column at a time: the value that ``float`` gives each.

Eight characters are one 64-bit word, so a handful of array operations reads a column. What doesn't
fit a mantissa of nineteen digits is left to ``float``, one number at a time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from gnomon.sources.words import WORD, words_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    Places: TypeAlias = NDArray[np.int64]
    Words: TypeAlias = NDArray[np.uint64]
    Floats: TypeAlias = NDArray[np.float64]

# What trec_eval's atof reads as a whole, without hexadecimal numbers.
_NUMBER: Final = re.compile(
    rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?|[+-]?nan", re.IGNORECASE
)
_MOST_DIGITS: Final = 19  # ten to this power is below 2^64
_MOST_CHARACTERS: Final = 3 * WORD  # a sign, nineteen digits and a point, with zeros to spare
_EXACT: Final = 2**53  # whole numbers up to here are exact in float64
_ZEROS: Final = np.uint64(0x3030303030303030)
_POINT: Final = ord(".")
_POINTS: Final = np.uint64(0x2E2E2E2E2E2E2E2E)
_LOWEST_BITS: Final = np.uint64(0x0101010101010101)
_HIGHEST_BITS: Final = np.uint64(0x8080808080808080)
_ABOVE_NINE: Final = np.uint64(0x7676767676767676)
_WHOLE_POWERS: Final = np.array([10**k for k in range(_MOST_DIGITS + 1)], np.uint64)
_MOST_POWER: Final = 22  # ten to this power is exact in float64
_POWERS: Final = np.array([10.0**k for k in range(_MOST_POWER + 1)])
_LOWER_CASE: Final = np.uint64(0x2020202020202020)
_LETTERS_E: Final = np.uint64(0x6565656565656565)
_DOUBT: Final = 2.0**-40
_SPLITTER: Final = 134217729.0  # 2^27 + 1


def read_decimals(data: Bytes, starts: Places, ends: Places) -> tuple[Floats, int | None]:
    """Return the numbers that stand at ``data[starts[i]:ends[i]]``.

    Parameters
    ----------
    data
        uint8, with ``words.PADDING`` bytes before the first number and behind the last.
    starts, ends
        int64[n], each number at least one byte long; rising.

    Returns
    -------
    float64[n]
        Correctly rounded, as ``float`` reads them; ``inf`` and ``nan`` are read as such.
    int or None
        The place of the first text that is no number; its value is NaN then.

    Examples
    --------
    >>> data = np.frombuffer(b"-" * 32 + b"1.5 -2e3 x" + b"-" * 32, np.uint8)
    >>> values, wrong = read_decimals(data, np.array([32, 36, 41]), np.array([35, 40, 42]))
    >>> values.tolist(), wrong
    ([1.5, -2000.0, nan], 2)
    """
    first, second = _read_plain, _read_powers
    if _begins_with_power(data, starts, ends):
        first, second = second, first
    values, sure = first(data, starts, ends)
    rest = np.flatnonzero(~sure)
    if len(rest):
        values[rest], known = second(data, starts[rest], ends[rest])
        rest = rest[~known]
    return values, _read_singly(data, starts, ends, values, rest)


def _begins_with_power(data: Bytes, starts: Places, ends: Places) -> bool:
    """Return whether the first number has a power of ten; then most of a column have one."""
    return len(starts) > 0 and b"e" in data[starts[0] : ends[0]].tobytes().lower()


def _read_plain(data: Bytes, starts: Places, ends: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Return numbers without a power of ten, and where it is certain that they are."""
    found = _parsed(data, starts, ends)
    values, sure = _with_power(found, found.scale)
    return found.signed(values), sure


class _Parsed(NamedTuple):
    """Numbers without a power of ten: mantissa / 10^scale; only where ``plain`` is it one."""

    mantissas: Words
    scale: Places
    negative: NDArray[np.bool_]
    plain: NDArray[np.bool_]

    def signed(self, values: Floats) -> Floats:
        return np.negative(values, out=values, where=self.negative)


def _parsed(data: Bytes, starts: Places, ends: Places) -> _Parsed:
    first = data[starts]
    negative = first == ord("-")
    begins = starts + (negative | (first == ord("+")))
    lengths = ends - begins
    n_whole = _point_of(data, begins, lengths)
    n_fraction = np.maximum(lengths - n_whole - 1, 0)
    n_digits = n_whole + n_fraction
    plain = (n_digits > 0) & (n_digits <= _MOST_DIGITS)
    scale = np.minimum(n_fraction, _MOST_DIGITS)
    if int(n_digits.max(initial=0)) <= WORD:
        mantissas, other = _few_digits(data, begins, n_whole, ends, n_fraction)
    else:
        mantissas, other = _digits_before(data, begins + n_whole, n_whole)
        fraction, other_fraction = _digits_before(data, ends, n_fraction)
        mantissas *= _WHOLE_POWERS[scale]
        mantissas += fraction
        other |= other_fraction
    plain &= (other & _HIGHEST_BITS) == 0
    return _Parsed(mantissas, scale, negative, plain)


def _with_power(found: _Parsed, scale: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Return mantissa / 10^scale rounded once, and where that is certain."""
    values, unsure = _divided(found.mantissas, np.clip(scale, 0, _MOST_POWER))
    sure = found.plain & ~unsure & (scale <= _MOST_POWER)
    if int(scale.min(initial=0)) < 0:
        # Both factors are exact, so the product is rounded once.
        exact = (found.mantissas <= _EXACT) & (scale >= -_MOST_POWER)
        raised = found.mantissas.astype(np.float64) * _POWERS[np.clip(-scale, 0, _MOST_POWER)]
        values = np.where(scale < 0, raised, values)
        sure &= exact | (scale >= 0)
    return values, sure


def _read_powers(data: Bytes, starts: Places, ends: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Return numbers with a power of ten, such as 2.5e-3, and where it is certain that they are."""
    # Backwards, so that the last letter E is in the lowest byte that holds one.
    words = words_at(data, ends - WORD).byteswap()
    words |= _LOWER_CASE
    words ^= _LETTERS_E
    letters = (words - _LOWEST_BITS) & ~words & _HIGHEST_BITS
    n_behind = (np.bitwise_count((letters - np.uint64(1)) & ~letters) >> 3).astype(np.int64)
    at = ends - 1 - n_behind
    sign = data[at + 1]
    n_digits = n_behind - ((sign == ord("-")) | (sign == ord("+")))
    found = _parsed(data, starts, np.maximum(at, starts + 1))
    power, other = _digits_before(data, ends, np.maximum(n_digits, 0))
    exponent = np.where(sign == ord("-"), -1, 1) * power.astype(np.int64)
    values, sure = _with_power(found, found.scale - exponent)
    known = (letters != 0) & (at > starts) & (n_digits > 0) & ((other & _HIGHEST_BITS) == 0)
    return found.signed(values), known & sure


def _point_of(data: Bytes, begins: Places, lengths: Places) -> Places:
    """Return how many characters stand before the point; the length where there is none."""
    if (usual := _usual_point(data, begins, lengths)) is not None:
        return usual
    points = lengths.copy()
    rows, at = None, 0
    while rows is None or len(rows):
        words = words_at(data, begins + at if rows is None else begins[rows] + at)
        words ^= _POINTS
        points_at = (words - _LOWEST_BITS) & ~words & _HIGHEST_BITS
        # The lowest bit that is set marks the first point; count the bits below it.
        below = np.bitwise_count((points_at - np.uint64(1)) & ~points_at)
        found = (below >> 3).astype(np.int64) + at
        if rows is None:
            np.minimum(points, found, out=points, where=points_at != 0)
            rows = np.flatnonzero((points_at == 0) & (lengths > WORD))
        else:
            points[rows] = np.where(points_at != 0, np.minimum(points[rows], found), points[rows])
            rows = rows[(points_at == 0) & (lengths[rows] > at + WORD)]
        at += WORD
        if at >= _MOST_CHARACTERS:
            break
    return points


def _usual_point(data: Bytes, begins: Places, lengths: Places) -> Places | None:
    """Return what `_point_of` does where all have as many decimals as the first, else None."""
    if len(lengths) == 0:
        return None
    _, point, fraction = data[begins[0] : begins[0] + lengths[0]].tobytes().partition(b".")
    points = lengths - len(fraction) - 1
    if not point or int(points.min()) < 0 or not (data[begins + points] == _POINT).all():
        return None
    return points


def _few_digits(
    data: Bytes, begins: Places, n_whole: Places, ends: Places, n_fraction: Places
) -> tuple[Words, Words]:
    """Return what `_digits_before` does, of at most eight digits without their point."""
    digits = words_at(data, begins)
    digits ^= _ZEROS
    digits <<= _bits(WORD - n_whole)
    digits >>= _bits(n_fraction)
    fraction = words_at(data, ends - WORD)
    fraction ^= _ZEROS
    unused = _bits(WORD - n_fraction)
    fraction >>= unused
    fraction <<= unused
    digits |= fraction
    return _eight_digits(digits), digits | (digits + _ABOVE_NINE)


def _digits_before(data: Bytes, ends: Places, counts: Places) -> tuple[Words, Words]:
    """Return the numbers that so many digits make, and highest bits where one is no digit."""
    total, other = np.zeros(len(ends), np.uint64), np.zeros(len(ends), np.uint64)
    most = min(int(counts.max(initial=0)), _MOST_DIGITS)
    for word in range(-(-most // WORD)):
        # Few numbers have so many digits that they reach into the third word.
        rows = slice(None) if word < 2 else np.flatnonzero(counts > word * WORD)
        kept = np.clip(counts[rows] - word * WORD, 0, WORD)
        text = words_at(data, ends[rows] - word * WORD - kept)
        text ^= _ZEROS
        text <<= _bits(WORD - kept)
        other[rows] |= text | (text + _ABOVE_NINE)
        total[rows] += _eight_digits(text) * _WHOLE_POWERS[word * WORD]
    return total, other


def _bits(counts: Places) -> Words:
    """Return by how much to shift a word for so many bytes; 64 bits leave nothing."""
    return (counts << 3).view(np.uint64)


def _eight_digits(digits: Words) -> Words:
    """Return the numbers of eight digits each, a byte a digit, the first in the lowest byte."""
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    return (fours * np.uint64(10_000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)


def _divided(mantissas: Words, scale: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Return mantissa / 10^scale rounded once, and where that is not certain.

    Up to 2^53 both are exact and one division rounds once (Clinger, "How to read floating point
    numbers accurately", 1990). Above, the remainder of the division is computed exactly (Dekker,
    "A floating-point technique for extending the available precision", 1971) and adds what the
    first quotient lacks; only the middle between two numbers is left in doubt.
    """
    divisors = _POWERS[scale]
    values = mantissas.astype(np.float64)
    large = np.flatnonzero(mantissas > _EXACT)
    rounded, lacking = values[large], _lacking(mantissas[large], values[large])
    values /= divisors
    unsure = np.zeros(len(values), np.bool_)
    if len(large):
        quotients = values[large]
        correction = (_remainder(rounded, quotients, divisors[large]) + lacking) / divisors[large]
        # Rounded itself, it may be off by a part in 2^51; the sum must not depend on that.
        sums = quotients + correction * (1.0 - _DOUBT)
        unsure[large] = sums != quotients + correction * (1.0 + _DOUBT)
        values[large] = sums
    return values, unsure


def _lacking(mantissas: Words, rounded: Floats) -> Floats:
    """Return exactly what rounding to float64 took from whole numbers below 10^19."""
    return (mantissas - rounded.astype(np.uint64)).astype(np.int64).astype(np.float64)


def _remainder(dividends: Floats, quotients: Floats, divisors: Floats) -> Floats:
    """Return dividend - quotient * divisor, exactly."""
    products = quotients * divisors
    q_high, q_low = _halves(quotients)
    d_high, d_low = _halves(divisors)
    rest = ((q_high * d_high - products) + q_high * d_low + q_low * d_high) + q_low * d_low
    return (dividends - products) - rest


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Return two parts of at most 26 bits each whose sum is the value."""
    scaled = _SPLITTER * values
    high = scaled - (scaled - values)
    return high, values - high


def _read_singly(
    data: Bytes, starts: Places, ends: Places, values: Floats, rows: Places
) -> int | None:
    """Read some numbers with ``float``, and return the first place that holds none."""
    if len(rows) == 0:
        return None
    first = int(starts[rows[0]])
    content = data[first : int(ends[rows[-1]])].tobytes()
    begins, stops = (starts[rows] - first).tolist(), (ends[rows] - first).tolist()
    for row, begin, stop in zip(rows.tolist(), begins, stops, strict=True):
        text = content[begin:stop]
        if _NUMBER.fullmatch(text) is None:
            values[row] = np.nan
            return int(row)
        values[row] = float(text)
    return None
