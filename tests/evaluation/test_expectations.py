"""``--expect``: its grammar, what meets it, and which records it names."""

from __future__ import annotations

import pytest
from tests.evaluation.test_result import result, row

from gnomon.errors import UsageError
from gnomon.evaluation.expectations import MOST_NAMED, judge_expectations, parse_expectations

NAMES = ("recall@8", "over_refusal")


@pytest.mark.parametrize(
    ("text", "measure", "sign", "bound"),
    [
        ("recall@8>=0.8", "recall@8", ">=", 0.8),
        ("recall@8 > .5", "recall@8", ">", 0.5),
        ("over_refusal<=5e-2", "over_refusal", "<=", 0.05),
        ("over_refusal < 1", "over_refusal", "<", 1.0),
        (" recall@8 == 1.0 ", "recall@8", "==", 1.0),
        ("recall@8>=-1", "recall@8", ">=", -1.0),
    ],
)
def test_grammar(text: str, measure: str, sign: str, bound: float) -> None:
    """A measure, one of five comparisons, a number; blanks are free."""
    (found,) = parse_expectations([text], NAMES)
    assert (found.measure, found.sign, found.bound) == (measure, sign, bound)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recall@8", "is no expectation"),
        ("recall@8=0.8", "is no expectation"),
        ("recall@8=>0.8", "is no expectation"),
        ("recall@8>=", "is no expectation"),
        ("recall@8>=nan", "is no expectation"),
        ("recall@8>=inf", "is no expectation"),
        ("recall@8>=0.8,mrr>=1", "is no expectation"),
        ("recall@8>=1e999", "too large"),
        ("recal@8>=0.8", "did you mean recall@8?"),
        ("zzz>=0.8", "there are recall@8, over_refusal"),
        ("", "is no expectation"),
    ],
)
def test_refused(text: str, said: str) -> None:
    """Never defaulted: another shape, another measure, a number that is none."""
    with pytest.raises(UsageError, match="--expect") as raised:
        parse_expectations([text], NAMES)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("recall@8>=0.75", True),
        ("recall@8>0.75", False),
        ("recall@8<=0.75", True),
        ("recall@8<0.75", False),
        ("recall@8==0.75", True),
        ("recall@8==0.7500001", False),
    ],
)
def test_compared_with_the_mean(text: str, met: bool) -> None:
    """As it was computed, not as it is printed."""
    (found,) = judge_expectations(
        parse_expectations([text], NAMES), result(row("a", 1.0), row("b", 0.5))
    )
    assert (found.met, found.value, found.n_measured) == (met, 0.75, 2)


@pytest.mark.parametrize("sign", [">=", "<=", "=="])
def test_a_figure_that_is_null_meets_nothing(sign: str) -> None:
    """Not measured is neither high nor low."""
    (found,) = judge_expectations(
        parse_expectations([f"over_refusal{sign}0"], NAMES), result(row("a", 1.0))
    )
    assert not found.met
    assert str(found) == f"over_refusal{sign}0: no record has a over_refusal to measure"


def test_the_records_that_speak_against_it() -> None:
    """The worst first, none that could not be better, none when it is met."""
    rows = [row("good", 1.0, 0.0), row("worst", 0.0, 1.0), row("bad", 0.5, 0.0)]
    texts = ["recall@8>=0.9", "over_refusal<=0.1", "recall@8>=0.5"]
    found = judge_expectations(parse_expectations(texts, NAMES), result(*rows))
    assert [one.records for one in found] == [("worst", "bad"), ("worst",), ()]


def test_not_too_many_are_named() -> None:
    """A message is read by people."""
    rows = [row(f"r{i}", 0.0) for i in range(100)]
    (found,) = judge_expectations(parse_expectations(["recall@8>0"], NAMES), result(*rows))
    assert len(found.records) == MOST_NAMED


@pytest.mark.parametrize(("bound", "met"), [(2, True), (3, False)])
def test_how_many_records_stand_behind_a_mean(bound: int, met: bool) -> None:
    """A mean that rises because fewer records are measured can be refused."""
    texts = [f"recall@8:n>={bound}"]
    rows = [row("a", 1.0), row("b", 0.5), row("c", None)]
    (found,) = judge_expectations(parse_expectations(texts, NAMES), result(*rows))
    assert (found.met, found.value, found.records) == (met, 2.0, ())
    assert str(found) == f"recall@8:n>={bound}: recall@8 is measured on 2 records"


def test_no_records_is_a_number() -> None:
    """Nothing measured is a mean of null and a count of 0."""
    (found,) = judge_expectations(
        parse_expectations(["over_refusal:n==0"], NAMES), result(row("a", 1.0))
    )
    assert found.met
