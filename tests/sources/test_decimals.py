"""Decimals read by array operations have the value that ``float`` gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.sources.decimals import _divided, read_decimals
from gnomon.sources.words import PADDING

# Signs, points at either end, halves between two numbers, powers of ten, more digits than fit.
CASES = (
    *("0", "-0", "+0.0", ".5", "5.", "+1", "-.25", "00012.50", "0.1", "29.905126"),
    *("17.283949279785156", "0.3333333333333333", "9007199254740993", "9007199254740993.0"),
    *("9007199254740992.5", "9007199254740995.00", "9999999999999999999", "1" * 20, "1" * 40),
    *("0.000000000000000000012345", "1e-5", "-2.5E+3", "1E400", "inf", "-Infinity"),
    *("1.7976931348623157e308", "9007199254740992.49999999999999", "1." + "0" * 30),
)


def read(texts: list[str]) -> tuple[list[float], int | None]:
    """Read texts that stand side by side."""
    pieces = [text.encode() for text in texts]
    data = np.frombuffer(b"7" * PADDING + b" ".join(pieces) + b"7" * PADDING, np.uint8)
    lengths = np.array([len(piece) for piece in pieces])
    starts = PADDING + np.cumsum(lengths + 1) - lengths - 1
    values, wrong = read_decimals(data, starts, starts + lengths)
    return values.tolist(), wrong


def test_known_values() -> None:
    """Every form of a number has the value of ``float``, its sign included."""
    values, wrong = read(list(CASES))
    assert wrong is None
    assert values == [float(text) for text in CASES]
    assert math.copysign(1.0, values[1]) == -1.0


@given(
    st.lists(
        st.from_regex(r"[+-]?([0-9]{1,22}(\.[0-9]{0,22})?|\.[0-9]{1,22})", fullmatch=True),
        min_size=1,
    )
)
def test_any_decimal(texts: list[str]) -> None:
    """Whatever the digits, the value is rounded once."""
    assert read(texts) == ([float(text) for text in texts], None)


@given(
    st.lists(
        st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,9})?[eE][+-]?[0-9]{1,4}", fullmatch=True),
        min_size=1,
    )
)
def test_any_power_of_ten(texts: list[str]) -> None:
    """So is that of a number with an exponent, whatever its size."""
    assert read(texts) == ([float(text) for text in texts], None)


@given(
    st.lists(
        st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,9})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
        | st.sampled_from(["inf", "-Infinity", ".5", "5."]),
        min_size=1,
    )
)
def test_columns_of_several_forms(texts: list[str]) -> None:
    """Whatever form the first number has, which says what is tried first."""
    assert read(texts) == ([float(text) for text in texts], None)


@pytest.mark.parametrize(
    "texts", [["1.5", "2e-3", "7"], ["2e-3", "1.5", "3E4"]], ids=["plain", "power"]
)
def test_no_number_is_read_alone(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever form comes first, array operations read the other one too."""
    alone: list[int] = []

    def counting(data: object, starts: object, ends: object, values: object, rows: Any) -> None:
        alone.append(len(rows))

    monkeypatch.setattr("gnomon.sources.decimals._read_singly", counting)
    assert read(texts)[0] == [float(text) for text in texts]
    assert alone == [0]


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_any_float(values: list[float]) -> None:
    """What Python writes is read back to the bit."""
    assert read([repr(value) for value in values]) == (values, None)


def test_the_middle_is_in_doubt() -> None:
    """Where a quotient lies in the middle between two numbers, the division does not decide."""
    above, below, beside = 90071992547409930, 90071992547409915, 90071992547409929
    _, unsure = _divided(np.array([above, below, beside], np.uint64), np.array([1, 1, 1]))
    assert unsure.tolist() == [True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        ".",
        "-",
        "+",
        "1.2.3",
        "1-2",
        "x",
        "1,5",
        "--1",
        "1_0",
        "0x10",
        "1e",
        "e5",
        "1.5e+",
        "1e5e5",
        "1e--5",
        "1e5.0",
        "1f5",
        "٣",
        "1;",
    ],
)
def test_no_number(text: str) -> None:
    """What ``float`` or C would read in another way is refused by its place."""
    for first in ("1.5", "15e-1"):
        values, wrong = read([first, text, "y"])
        assert wrong == 1
        assert values[0] == 1.5
