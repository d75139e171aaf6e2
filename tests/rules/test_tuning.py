"""The rule of tuning, as tables: axes, every tie-break in turn, what a held-out gain amounts to."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import UsageError
from gnomon.rules.tuning import (
    DEFAULT_COUNTS,
    DEFAULT_LAMBDAS,
    Axis,
    Cell,
    Plane,
    choose_cell,
    parse_counts,
    parse_lambdas,
    read_gain,
)
from gnomon.types import Figure

PLANE = Plane(parse_lambdas("0.5:1.0:0.05"), parse_counts("4:12:1", 12), Fraction(9, 10), 6)


def cell(
    lambda_: str = "0.9", k: int = 6, f1: float = 0.5, recall: float = 0.6, mrr: float = 0.7
) -> Cell:
    """Return a cell at the levers in force, with changes."""
    return Cell(Fraction(lambda_), k, f1, recall, mrr)


NOISE = 4e-10

TIES = {
    "f1": (cell("0.5", 12, f1=0.51), cell(recall=0.9, mrr=0.9)),
    "recall, f1 being equal": (cell("0.5", 12, recall=0.61), cell(mrr=0.9)),
    "recall, f1 being noise": (cell("0.5", 12, recall=0.61), cell(f1=0.5 + NOISE)),
    "mrr, recall being noise": (cell("0.5", 12, mrr=0.71), cell(recall=0.6 + NOISE)),
    "nearness, mrr being noise": (cell("0.9", 6), cell("0.95", 6, mrr=0.7 + NOISE)),
    "nearness of k": (cell("0.9", 7), cell("0.9", 8)),
    "nearness in steps of both": (cell("0.8", 6), cell("0.85", 8)),
    "lower lambda, equally near": (cell("0.85", 6), cell("0.95", 6)),
    "lower lambda before lower k": (cell("0.85", 6), cell("0.9", 5)),
    "lower k, all else equal": (cell("0.9", 5), cell("0.9", 7)),
}


@pytest.mark.parametrize("decided_by", TIES)
def test_each_tie_break_decides_in_turn(decided_by: str) -> None:
    """F1, recall@8, MRR, nearness, lower lambda, lower k; whichever cell comes first."""
    winner, loser = TIES[decided_by]
    assert choose_cell([winner, loser], PLANE) == winner
    assert choose_cell([loser, winner], PLANE) == winner


def test_nearness_is_measured_in_steps_of_each_axis() -> None:
    """Half a unit of lambda is one step here, and ten steps there."""
    wide = Plane(parse_lambdas("0:1:0.5"), PLANE.counts, Fraction(1, 2), 6)
    fine = Plane(parse_lambdas("0:1:0.05"), PLANE.counts, Fraction(1, 2), 6)
    by_lambda, by_k = cell("1", 6), cell("0.5", 8)
    assert choose_cell([by_lambda, by_k], wide) == by_lambda
    assert choose_cell([by_lambda, by_k], fine) == by_k


def test_a_pinned_axis_has_no_distance() -> None:
    """All cells are equally far along it, so the other axis decides."""
    plane = Plane(parse_lambdas("0.7"), PLANE.counts, Fraction(1), 6)
    assert plane.distance(cell("0.7", 8)) == 2


@given(st.lists(st.integers(0, 98), min_size=2, max_size=99, unique=True), st.randoms())
def test_the_winner_does_not_depend_on_the_order_of_cells(
    places: list[int], random: object
) -> None:
    """The order of cells is total."""
    cells = [cell(str(Fraction(10 + p % 11, 20)), 4 + p // 11) for p in places]
    shuffled = list(cells)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose_cell(cells, PLANE) == choose_cell(shuffled, PLANE)


def test_the_default_plane_has_99_cells() -> None:
    """Eleven lambdas and nine counts, the floats being the nearest to the decimals."""
    lambdas, counts = parse_lambdas(DEFAULT_LAMBDAS), parse_counts(DEFAULT_COUNTS, 12)
    assert lambdas.numbers == (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
    assert counts.numbers == tuple(range(4, 13))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1", (1.0,)),
        ("0.65", (0.65,)),
        ("0:1:0.4", (0.0, 0.4, 0.8)),
        ("0.5:0.5:0.1", (0.5,)),
        ("0.1:0.3:0.1", (0.1, 0.2, 0.3)),
        ("0:0.995:0.005", tuple(at / 200 for at in range(200))),
    ],
)
def test_axes_of_lambda(text: str, values: tuple[float, ...]) -> None:
    """The end is a point when a whole number of steps leads to it, whatever floats say."""
    assert parse_lambdas(text).numbers == values


def test_a_bare_number_pins_its_axis() -> None:
    """No cell is added to it, and it has no step."""
    assert parse_lambdas("0.7") == Axis((Fraction(7, 10),), None)


@pytest.mark.parametrize(
    "text",
    ["", ":", "0.5:1", "0.5:1:", "0.5:1:0.1:2", "a", "0.5:b:0.1", "1/2", "nan", "inf", "1e-1",
     "1_0", "0.5 1.0"],
)  # fmt: skip
def test_a_malformed_axis_is_refused(text: str) -> None:
    """Never completed, never defaulted; the message shows what is expected."""
    with pytest.raises(UsageError, match=r"is no axis; expected lo:hi:step"):
        parse_lambdas(text)
    with pytest.raises(UsageError, match="is no axis"):
        parse_counts(text, 12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.5:1:0", "step of 0"),
        ("0.5:1:-0.1", "step of -0.1"),
        ("1:0.5:0.1", "ends before it begins"),
        ("-0.1:1:0.1", "leaves 0 to 1"),
        ("0.9:1.1:0.1", "leaves 0 to 1"),
        ("0:1:0.005", "201 points; at most 200"),
    ],
)
def test_an_impossible_axis_of_lambda_is_refused(text: str, said: str) -> None:
    """The message says what is wrong with it."""
    with pytest.raises(UsageError, match=said):
        parse_lambdas(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0", "below 1"),
        ("0:5:1", "below 1"),
        ("9:4:1", "ends before"),
        ("4:12:0.5", "whole numbers"),
        ("4.5", "whole numbers"),
        ("1:201:1", "201 points"),
    ],
)
def test_an_impossible_axis_of_k_is_refused(text: str, said: str) -> None:
    """Counts are whole and at least 1."""
    with pytest.raises(UsageError, match=said):
        parse_counts(text, 300)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("4:20:1", range(4, 13)),
        ("4:20:5", (4, 9, 12)),
        ("50", (12,)),
        ("30:40:1", (12,)),
        ("12", (12,)),
    ],
)
def test_k_is_capped_at_fused(text: str, values: object) -> None:
    """There are no more candidates to pick from; no value stands twice."""
    assert parse_counts(text, 12).numbers == tuple(values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("figure", "reading"),
    [
        (Figure(0.02, 0.001, 0.039), "gain"),
        (Figure(0.02, 0.0, 0.04), "noise"),
        (Figure(0.0, 0.0, 0.0), "noise"),
        (Figure(-0.01, -0.03, 0.01), "noise"),
        (Figure(-0.02, -0.03, -0.01), "loss"),
        (Figure(0.2, reason="one query shows no spread"), "too-few"),
        (Figure.missing("nothing"), "too-few"),
    ],
)
def test_an_interval_that_holds_zero_is_noise(figure: Figure, reading: str) -> None:
    """Only an interval that lies above zero is a gain."""
    assert read_gain(figure) == reading
