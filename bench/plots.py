"""Draws series of figures over logarithmic axes as SVG, several panels side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 300, 230
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 34, 38
COLOURS = ("#1b6ca8", "#c25b12", "#3d7d3a", "#7a4ea3")
TEXT, GRID = "#30363c", "#d9dde1"


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name and its points, x ascending, both coordinates above 0."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Panel:
    """A diagram: what varies, in which unit time is shown, and its lines."""

    title: str
    x_label: str
    series: Sequence[Series]


class _Axis:
    """A logarithmic axis between two positions, out to whole decades or, if short, half ones."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        low, high = math.log10(min(values)), math.log10(max(values))
        step = 1.0 if high - low > 1.2 else 0.25
        self._low = math.floor(low / step + 1e-9) * step
        self._high = max(math.ceil(high / step - 1e-9) * step, self._low + step)
        self._begin, self._end = begin, end

    def at(self, value: float) -> float:
        """Return the position of a value."""
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return round(self._begin + share * (self._end - self._begin), 1)

    def ticks(self) -> list[float]:
        """Return the values that get a line and a label."""
        decades = range(math.ceil(self._low - 1e-9), math.floor(self._high + 1e-9) + 1)
        if len(decades) > 1:
            return [10.0**decade for decade in decades]
        values = [m * 10.0**d for d in range(-12, 12) for m in (1, 2, 5)]
        return [v for v in values if self._low - 1e-9 <= math.log10(v) <= self._high + 1e-9]


def drawing(title: str, panels: Sequence[Panel]) -> str:
    """Return an SVG with the panels in a row; the title is read out to those who don't see it."""
    width = WIDTH * len(panels)
    size = f'viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    font = 'font-family="sans-serif" font-size="11"'
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {font}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(panels):
        body += [f'<g transform="translate({number * WIDTH} 0)">', *_panel(panel), "</g>"]
    return "\n".join([*body, "</svg>", ""])


def _panel(panel: Panel) -> list[str]:
    points = [point for series in panel.series for point in series.points]
    x = _Axis([point[0] for point in points], LEFT, WIDTH - RIGHT)
    y = _Axis([point[1] for point in points], HEIGHT - BOTTOM, TOP)
    drawn = [_text(LEFT, 16, panel.title, "start", bold=True)]
    for value in y.ticks():
        at = y.at(value)
        drawn.append(_line(LEFT, at, WIDTH - RIGHT, at))
        drawn.append(_text(LEFT - 5, at + 4, _time(value), "end"))
    for value in x.ticks():
        at = x.at(value)
        drawn.append(_line(at, TOP, at, HEIGHT - BOTTOM))
        drawn.append(_text(at, HEIGHT - BOTTOM + 14, _number(value), "middle"))
    drawn.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, panel.x_label, "middle"))
    for number, series in enumerate(panel.series):
        drawn += _series(series, x, y, COLOURS[number % len(COLOURS)])
        if len(panel.series) > 1:
            place = (LEFT + 6, TOP + 12 + 13 * number)
            drawn.append(_text(*place, series.name, "start", COLOURS[number % len(COLOURS)]))
    return drawn


def _series(series: Series, x: _Axis, y: _Axis, colour: str) -> list[str]:
    places = [(x.at(a), y.at(b)) for a, b in series.points]
    path = " ".join(f"{a},{b}" for a, b in places)
    line = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
    return [line, *(f'<circle cx="{a}" cy="{b}" r="2.6" fill="{colour}"/>' for a, b in places)]


def _text(
    x: float, y: float, text: str, anchor: str, colour: str = TEXT, *, bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    place = f'x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}"'
    return f"<text {place}{weight}>{escape(text)}</text>"


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{GRID}"/>'


def _number(value: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size * (1 - 1e-9):
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
