"""Where the marks of a chart go. The template draws them; nothing here is markup.

Horizontal positions are percentages and vertical ones pixels, so that a chart takes the width of
the page while its text keeps the size of the page's text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.report.numbers import decimal, interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.types import Figure

ROW_HEIGHT = 46
AXIS_HEIGHT = 26
LINES_HEIGHT = 20  # above the rows, for the labels of the dashed lines
CURVE_HEIGHT = 200
CURVE_LEFT, CURVE_RIGHT = 9.0, 93.0  # percent; leaves room for the labels at both ends
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled position on an axis: percent of the width, or pixels from the top."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One labelled row: a value with its interval, in percent of the width.

    ``at`` is None when the figure was not measured; ``text`` then says so.
    """

    label: str
    value: str
    text: str
    top: int
    at: float | None
    low: float | None
    high: float | None

    @property
    def spoken(self) -> str:
        """The row in words, for those who hear the chart."""
        return f"{self.label}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChart:
    """Rows of marks over one axis, with dashed lines to compare against."""

    marks: Sequence[Mark]
    ticks: Sequence[Tick]
    lines: Sequence[Tick]
    zero: float

    @property
    def bottom(self) -> int:
        """Where the rows end and the axis begins, in pixels."""
        return len(self.marks) * ROW_HEIGHT + (LINES_HEIGHT if self.lines else 0)

    @property
    def height(self) -> int:
        """Height in pixels, the axis included."""
        return self.bottom + AXIS_HEIGHT

    @property
    def spoken(self) -> str:
        """The chart in words."""
        return "; ".join(mark.spoken for mark in self.marks)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A point of a line chart; ``hollow`` marks one that is less to be trusted."""

    label: str
    text: str
    x: float
    y: float
    low_y: float | None
    high_y: float | None
    hollow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A line chart: points in order over horizontal grid lines."""

    points: Sequence[CurvePoint]
    grid: Sequence[Tick]
    height: int = CURVE_HEIGHT + AXIS_HEIGHT

    @property
    def spoken(self) -> str:
        """The chart in words."""
        return "; ".join(f"{point.label}: {point.text}" for point in self.points)


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from ``start`` to ``end`` with round steps."""

    start: float
    end: float
    step: float

    def percent(self, value: float) -> float:
        """Return the position of a value, kept within the axis."""
        share = (value - self.start) / (self.end - self.start)
        return round(100.0 * min(max(share, 0.0), 1.0), 4)

    def values(self) -> list[float]:
        """Return the values at the steps."""
        steps = round((self.end - self.start) / self.step)
        return [self.start + index * self.step for index in range(steps + 1)]

    def ticks(self) -> list[Tick]:
        """Return the steps as percentages, labelled."""
        return [Tick(self.percent(value), f"{value:.4g}") for value in self.values()]


def axis_over(values: Sequence[float], *, from_zero: bool = True) -> Axis:
    """Return an axis of at most six round steps that holds every value.

    Examples
    --------
    >>> axis_over([0.03, 0.46])
    Axis(start=0.0, end=0.5, step=0.1)
    """
    highest = max((value for value in values if math.isfinite(value)), default=1.0)
    lowest = 0.0 if from_zero else min(value for value in values if math.isfinite(value))
    span = highest - lowest or 1.0
    unit = 10.0 ** math.floor(math.log10(span / 5))
    step = next(unit * factor for factor in _STEPS if unit * factor * 5 >= span * (1 - 1e-9))
    start = math.floor(lowest / step + 1e-9) * step
    end = max(math.ceil(highest / step - 1e-9) * step, start + step)
    return Axis(round(start, 12), round(end, 12), round(step, 12))


def row_chart(
    rows: Sequence[tuple[str, Figure]], *, lines: Sequence[tuple[float, str]] = ()
) -> RowChart:
    """Return the chart of labelled figures from zero, with dashed lines at the given values."""
    shown = [
        value
        for _, figure in rows
        for value in (figure.value, figure.low, figure.high)
        if value is not None
    ]
    axis = axis_over(shown + [value for value, _ in lines])

    def percent(value: float | None) -> float | None:
        return None if value is None else axis.percent(value)

    return RowChart(
        marks=[
            Mark(
                label=label,
                value=decimal(figure.value),
                text=spoken_figure(figure),
                top=row * ROW_HEIGHT + (LINES_HEIGHT if lines else 0),
                at=percent(figure.value),
                low=percent(figure.low),
                high=percent(figure.high),
            )
            for row, (label, figure) in enumerate(rows)
        ],
        ticks=axis.ticks(),
        lines=[Tick(axis.percent(value), label) for value, label in lines],
        zero=axis.percent(0.0),
    )


def curve_chart(points: Sequence[tuple[str, Figure, bool]]) -> Curve | None:
    """Return the line chart of labelled figures, evenly spaced; None with nothing to draw.

    Parameters
    ----------
    points
        Label, figure, and whether the point is less to be trusted. Unmeasured figures are left out.
    """
    drawn = [
        (label, figure, figure.value, hollow)
        for label, figure, hollow in points
        if figure.value is not None
    ]
    if not drawn:
        return None
    shown = [
        value
        for _, figure, _, _ in drawn
        for value in (figure.value, figure.low, figure.high)
        if value is not None
    ]
    axis = axis_over(shown, from_zero=False)
    gap = (CURVE_RIGHT - CURVE_LEFT) / max(1, len(drawn) - 1)
    return Curve(
        points=[
            CurvePoint(
                label=label,
                text=spoken_figure(figure),
                x=round(CURVE_LEFT + gap * (index if len(drawn) > 1 else 0.5), 4),
                y=_height_at(axis, value),
                low_y=None if figure.low is None else _height_at(axis, figure.low),
                high_y=None if figure.high is None else _height_at(axis, figure.high),
                hollow=hollow,
            )
            for index, (label, figure, value, hollow) in enumerate(drawn)
        ],
        grid=[Tick(_height_at(axis, value), f"{value:.4g}") for value in axis.values()],
    )


def spoken_figure(figure: Figure) -> str:
    """Return a figure with its interval, or that it was not measured."""
    if figure.low is None or figure.value is None:
        return decimal(figure.value)
    return f"{decimal(figure.value)} (95% interval {interval(figure)})"


def _height_at(axis: Axis, value: float) -> float:
    top, bottom = 12.0, CURVE_HEIGHT - 4.0
    return round(bottom - (bottom - top) * axis.percent(value) / 100.0, 2)
