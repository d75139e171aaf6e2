"""The figures of one answer, by hand."""

from __future__ import annotations

import pytest
from tests.evaluation.records import record

from gnomon.evaluation.answer_scores import (
    Given,
    holds_identifier,
    identifier_recall,
    language_matches,
    score_answer,
)

ASKED = record(
    "r",
    "How do I rotate a key?",
    gold=["guide/keys"],
    gold_answer="Call rotate_key every day.",
    identifiers=["rotate_key", "KEY_TTL"],
)
CITABLE = ("guide/keys#rotate", "guide/calls#")


def given(text: str, outcome: str = "answered") -> Given:
    """Return what came back."""
    return Given(text, outcome, CITABLE)  # type: ignore[arg-type]


def test_an_answer() -> None:
    """F1 without the citations, identifiers found, gold among the cited, one made up."""
    text = "Call rotate_key daily [cite:guide/keys#rotate] [cite:guide/calls#] [cite:guide/x#]."
    found = score_answer(ASKED, given(text), negative=False)
    # "call rotatekey daily" against "call rotatekey every day": 2 of 3 and 2 of 4
    assert found.token_f1 == pytest.approx(2 * 2 / 7)
    assert found.identifier_recall == 0.5
    assert found.citation_precision == pytest.approx(1 / 3)
    assert (found.cited, found.hallucinated) == (3, ("guide/x#",))
    assert (found.language_match, found.token_f1_characters) == (True, None)


@pytest.mark.parametrize("outcome", ["declined", "refused"])
def test_no_answer_where_one_was_expected(outcome: str) -> None:
    """It scores 0 and stays in the mean: a system that refuses everything must not look good."""
    text = "NOT-ANSWERABLE Call rotate_key every day." if outcome == "declined" else ""
    found = score_answer(ASKED, given(text, outcome), negative=False)
    assert (found.token_f1, found.identifier_recall) == (0.0, 0.0)
    assert found.citation_precision is None


def test_a_negative() -> None:
    """Its words are never scored; made-up citations are counted all the same."""
    found = score_answer(ASKED, given("Sure [cite:guide/x#]."), negative=True)
    assert (found.token_f1, found.identifier_recall, found.citation_precision) == (None, None, None)
    assert (found.cited, found.hallucinated) == (1, ("guide/x#",))


def test_nothing_to_compare_with() -> None:
    """Without gold answer, identifiers or citation there is no figure, rather than 0."""
    found = score_answer(record("r", "42?", gold=["g"]), given("42"), negative=False)
    assert (found.token_f1, found.identifier_recall, found.citation_precision) == (None, None, None)
    assert found.language_match is None


def test_unspaced_gold() -> None:
    """A gold answer without blanks is compared by characters too."""
    asked = record("r", "密钥?", gold=["g"], gold_answer="每天轮换密钥")
    found = score_answer(asked, given("密钥每天轮换 [cite:guide/calls#]"), negative=False)
    assert (found.token_f1, found.token_f1_characters) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "identifier", "is_there"),
    [
        ("use GATE_K here", "GATE_K", True),
        ("use GATE_KEY here", "GATE_K", False),
        ("use MY_GATE_K here", "GATE_K", False),
        ("`--level`,", "--level", True),
        ("--levels", "--level", False),
        ("--all-keys", "--all", False),
        ("a --all - b", "--all", True),
        ("rotate()", "rotate", True),
        ("rotate()", "rotate()", True),
        ("gate_k", "GATE_K", False),  # code has case
        ("GATE_K参数", "GATE_K", True),
        ("v1.2.30", "v1.2.3", False),
        ("(x*y)+", "(x*y)+", True),
    ],
)
def test_holds_identifier(text: str, identifier: str, is_there: bool) -> None:
    """As written and as a whole."""
    assert holds_identifier(text, identifier) is is_there


def test_identifier_recall() -> None:
    """An identifier named twice counts once; without any there is no figure."""
    assert identifier_recall("a b", ["a", "a", "c"]) == 0.5
    assert identifier_recall("a b", []) is None


@pytest.mark.parametrize(
    ("question", "answer", "match"),
    [
        ("How?", "So.", True),
        ("Wie geht das?", "Like that.", True),  # one script: not told apart
        ("How?", "Вот так.", False),
        ("Как повернуть ключ?", "Вызовите `rotate_key_every_single_day_of_the_year`.", True),
        ("Как?", "Да [cite:guide/keys#rotate-every-day]", True),
        ("Как?", "Да https://example.com/a/very/long/address", True),
        ("東京タワーの高さは?", "三百三十三メートルです。", True),
        ("東京都知事?", "東京の知事です。", True),  # Han alone may be Japanese
        ("東京タワーの高さは?", "三百三十三米", False),  # and kana in the question is
        ("密钥多久轮换?", "Every day.", False),
        ("Как?", "NOT-ANSWERABLE Нет.", True),
        ("Как?", "NOT-ANSWERABLE", None),
        ("42?", "Yes.", None),
        ("How?", "`code`", None),
    ],
)
def test_language_matches(question: str, answer: str, match: bool | None) -> None:
    """By script; code, citations and addresses have no say."""
    assert language_matches(question, answer) is match
