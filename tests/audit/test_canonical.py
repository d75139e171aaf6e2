"""Canonical JSON: one byte sequence per value, everywhere."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.audit.canonical import canonical_bytes, fingerprint, is_sha256, parse_json
from gnomon.errors import InvalidInputError

# RFC 8785, appendix B: bits of a double and the text it must have.
RFC_NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), RFC_NUMBERS)
def test_numbers_have_the_text_of_the_rfc(bits: str, text: str) -> None:
    """A double is written as ECMAScript writes it, the table of RFC 8785 appendix B."""
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_bytes(number).decode() == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1.0, "a": 1}, '{"a":1,"b":1}'),
        ("é", '"é"'),
        ("\u20ac$\u000f\nA'\"\\/", '"€$\\u000f\\nA\'\\"\\\\/"'),
        ("\b\t\f\r\x7f\u2028", '"\\b\\t\\f\\r\x7f\u2028"'),
        ((1, [], {}, None, True), "[1,[],{},null,true]"),
        (2**53 - 1, "9007199254740991"),
    ],
)
def test_values_have_one_form(value: object, text: str) -> None:
    """Keys are sorted, whole floats lose the point, only what must be escaped is."""
    assert canonical_bytes(value) == text.encode()


def test_keys_are_sorted_by_utf16_units() -> None:
    """An emoji (surrogates from D800) sorts before U+FB33, though its code point is larger."""
    keys = ["\ufb33", "\U0001f600", "\u20ac", "ö", "\x80", "1", "\r", ""]
    stored = canonical_bytes(dict.fromkeys(keys)).decode()
    assert list(parse_json(stored.encode())) == list(reversed(keys))


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"a": {"b": [1, math.nan]}}, "a.b.1.*nan"),
        ({"a": math.inf}, "a .*inf"),
        ([0, -math.inf], "1 .*-inf"),
        ({"n": 2**53}, "n .*9007199254740992 is beyond"),
        ({"n": -(2**53)}, "n .*beyond"),
        ({"s": "\ud800"}, "s .*surrogate"),
        ({"d": {"\ud800": 1}}, "d .*key"),
        ({1: 2}, "value .*key 1"),
        ({"s": {1, 2}}, "s .*set"),
        ({"b": b"x"}, "b .*bytes"),
    ],
)
def test_what_json_cannot_hold_is_refused_by_name(value: object, names: str) -> None:
    """NaN, infinities, large integers, broken text and other types are refused; the field named."""
    with pytest.raises(InvalidInputError, match=f"(?s){names}"):
        canonical_bytes(value)


def test_deep_nesting_is_refused() -> None:
    """Nesting beyond the interpreter's depth is an error of the value, not a crash."""
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        canonical_bytes(value)
    with pytest.raises(ValueError, match=r"nested too deeply|Recursion|recursion"):
        parse_json(b"[" * 1_000_000)


@pytest.mark.parametrize("text", [b"NaN", b"[Infinity]", b"1e999", b"\xff", b'"a\nb"', b"", b"{"])
def test_reading_is_strict(text: bytes) -> None:
    """What canonical JSON never writes is refused when read."""
    with pytest.raises(ValueError, match=r"no JSON|range|decode|control|Expecting|Extra"):
        parse_json(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_survive_to_the_bit(number: float) -> None:
    """A figure that was stored is read back as the same double."""
    assert float(parse_json(canonical_bytes(number))) == number


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53) + 1, 2**53 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_the_form_is_a_fixed_point(value: object) -> None:
    """Reading a canonical text and writing it again gives the same bytes."""
    stored = canonical_bytes(value)
    assert canonical_bytes(parse_json(stored)) == stored


def test_fingerprints_do_not_depend_on_spelling() -> None:
    """Key order and 1 against 1.0 do not change a fingerprint; a value does."""
    assert fingerprint({"a": 1, "b": 2.5}) == fingerprint({"b": 2.5, "a": 1.0})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


@pytest.mark.parametrize(
    "text", ["", "a" * 63, "A" * 64, "../" + "a" * 61, "g" * 64, None, "٣" * 64]
)
def test_only_64_hex_digits_are_a_hash(text: object) -> None:
    """Nothing else may become part of a path."""
    assert not is_sha256(text)
    assert is_sha256("0123456789abcdef" * 4)
