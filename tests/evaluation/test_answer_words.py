"""Token F1 is SQuAD's, on every case where a rewrite of it tends to differ."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import squad

from gnomon.evaluation.answer_words import character_tokens, squad_tokens, token_f1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Key", ["key"]),
        ("an apple a day", ["apple", "day"]),
        ("theatre, another, Ana", ["theatre", "another", "ana"]),  # articles are whole words
        ("A/B test", ["ab", "test"]),  # punctuation goes first, so this holds no article
        ("the-key", ["thekey"]),
        ("vitamin A.", ["vitamin"]),
        ("state-of-the-art", ["stateoftheart"]),
        ("don't", ["dont"]),
        ("a_b $5.00", ["ab", "500"]),
        ("¿Qué? «naïve»", ["¿qué", "«naïve»"]),  # only ASCII punctuation is dropped
        ("el año; la clé", ["el", "año", "la", "clé"]),  # and only English articles
        ("cle\u0301", ["cle\u0301"]),  # an accent of its own is not composed
        ("«the» key «a»", ["«", "»", "key", "«", "»"]),  # an article ends at any punctuation
        ("STRASSE Straße", ["strasse", "straße"]),  # lower case, no case folding
        ("tabs\tand\u00a0hard\u2003blanks\n", ["tabs", "and", "hard", "blanks"]),
        ("東京タワーは高い。", ["東京タワーは高い。"]),  # no blank, one token
        ("", []),
        ("The. A!", []),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    """Lower case, no ASCII punctuation, no English articles, split at whitespace, in that order."""
    assert squad_tokens(text) == tokens


@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ("The cat sat.", "a cat sat", 1.0),
        ("cat", "dog", 0.0),
        ("rotate the key every day", "rotate a key", 2 * (2 / 4) * 1 / (2 / 4 + 1)),
        ("key key key", "key key lock", 2 / 3),  # a token counts as often as both have it
        ("key key", "key", 2 * 0.5 * 1 / 1.5),
        ("", "", 1.0),
        ("the", "a", 1.0),  # nothing is left of either
        ("key", "the", 0.0),
        ("", "key", 0.0),
        ("clé", "cle\u0301", 0.0),
        ("Zürich", "zürich", 1.0),
        ("東京タワー", "東京タワーは高い", 0.0),
        ("東京 タワー", "東京 は", 0.5),
    ],
)
def test_token_f1(answer: str, gold: str, f1: float) -> None:
    """By hand: 2 P R / (P + R) of the shared tokens."""
    assert token_f1(answer, gold) == pytest.approx(f1, abs=1e-15)


@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ("東京タワー", "東京タワーは高い", 2 * 5 / 13),
        ("密钥每天轮换。", "每天轮换密钥", 1.0),
        ("API 密钥", "API密钥", 1.0),
        ("ทุกวัน", "ทุกวัน", 1.0),
        ("서울 타워", "서울 높다", 0.5),  # Korean has blanks
        ("clé", "cle\u0301", 1.0),  # NFC
        ("The cat sat.", "a cat sat", 1.0),
    ],
)
def test_by_characters(answer: str, gold: str, f1: float) -> None:
    """A token for each character of an unspaced script; else SQuAD's rule after NFC."""
    assert token_f1(answer, gold, cut="characters") == pytest.approx(f1, abs=1e-15)


PIECES = st.sampled_from(
    ["a", "an", "the", "The", "key", "Key", "rotate", "é", "e\u0301", "a\u0301", "ÉTÉ", "東京",
     "は", "。", "-", "'", "_", " ", "\n", "\u3000", "\u00a0", ".", "42", "ß", "İ", "«", "¿",
     "\u200d", "²"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("".join), st.lists(PIECES, max_size=14).map("".join))
def test_the_plain_definition(answer: str, gold: str) -> None:
    """Articles, punctuation, accents, CJK and blanks of all kinds, in any order."""
    assert squad_tokens(answer) == squad.tokens(answer)
    assert token_f1(answer, gold) == pytest.approx(squad.token_f1(answer, gold), abs=1e-12)


WORDS = st.text(alphabet=string.ascii_letters + string.punctuation + " \n'", max_size=40)


@given(WORDS, WORDS)
def test_symmetry_and_bounds(answer: str, gold: str) -> None:
    """F1 is symmetric, within [0, 1], and 1 of a text with itself; ASCII is cut alike both ways."""
    assert token_f1(answer, gold) == token_f1(gold, answer)
    assert 0.0 <= token_f1(answer, gold) <= 1.0
    assert token_f1(answer, answer) == 1.0
    assert character_tokens(answer) == squad_tokens(answer)
