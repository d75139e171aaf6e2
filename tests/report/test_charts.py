"""Where the marks of a chart go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.report.charts import axis_over, curve_chart, row_chart
from gnomon.types import Figure

VALUES = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20)


@given(values=VALUES, from_zero=st.booleans())
def test_axis_holds_every_value_in_few_round_steps(values: list[float], from_zero: bool) -> None:
    """Every value lies on the axis, and at most seven steps divide it."""
    axis = axis_over(values, from_zero=from_zero)
    slack = 1e-6 * axis.step + 1e-12
    assert axis.start - slack <= min(values)
    assert max(values) <= axis.end + slack
    assert 2 <= len(axis.values()) <= 8
    assert all(0.0 <= axis.percent(value) <= 100.0 for value in values)


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.0]])
def test_axis_over_nothing_is_an_axis(values: list[float]) -> None:
    """With nothing to show the axis still has a length."""
    axis = axis_over(values)
    assert axis.end > axis.start


def test_unmeasured_figure_has_a_row_without_marks() -> None:
    """The label stays and says that nothing was measured."""
    chart = row_chart([("A", Figure(0.5, 0.4, 0.6)), ("B", Figure.missing("why"))])
    measured, missing = chart.marks
    assert (missing.at, missing.low, missing.high) == (None, None, None)
    assert missing.spoken == "B: not measured"
    assert measured.spoken == "A: 0.5000 (95% interval 0.4000 to 0.6000)"


def test_lines_are_on_the_axis() -> None:
    """A value to compare against is part of the scale even when every figure is below it."""
    chart = row_chart([("A", Figure(0.2))], lines=((1.0, "as today"),))
    assert chart.lines[0].at == 100.0


def test_curve_leaves_out_what_was_not_measured() -> None:
    """Points are spread evenly over those that exist, higher values higher up."""
    curve = curve_chart(
        [("1", Figure(0.5), False), ("2", Figure.missing("why"), False), ("3", Figure(0.7), True)]
    )
    assert curve is not None
    assert [point.label for point in curve.points] == ["1", "3"]
    assert curve.points[0].y > curve.points[1].y
    assert curve.points[1].hollow
    assert curve_chart([("1", Figure.missing("why"), False)]) is None
