"""What the scripts of bench/ make of figures: cliffs, drawings, the measured part of a page."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not (ROOT / "bench").is_dir(), reason="needs the checkout")


def test_a_point_off_the_smooth_curve_is_a_cliff() -> None:
    """A step of a half is found, with its size; a curve that bends evenly has none."""
    from bench.scaling import cliffs

    smooth = [(10.0**i, 1e-6 * 10.0**i + 1e-4) for i in range(2, 8)]
    assert cliffs(smooth) == []
    stepped = [(x, 3 * y if x == 1e5 else y) for x, y in smooth]
    ((size, factor),) = cliffs(stepped)
    assert size == 1e5
    assert factor > 1.5


def test_few_points_have_no_trend() -> None:
    """Four points and a parabola say nothing."""
    from bench.scaling import cliffs

    assert cliffs([(1.0, 1.0), (2.0, 9.0), (3.0, 1.0), (4.0, 9.0)]) == []


def test_a_drawing_is_svg_with_every_point() -> None:
    """The SVG is well formed, has a title, and a mark for each point inside its panel."""
    from bench.plots import WIDTH, Panel, Series, drawing

    lines = [Series("<one>", [(1.0, 2e-5), (100.0, 3e-3)]), Series("two", [(10.0, 0.5)])]
    root = ET.fromstring(drawing("a & b", [Panel("p", "k", lines)]))
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == "a & b"
    marks = list(root.iter(f"{space}circle"))
    assert len(marks) == 3
    assert all(0 < float(mark.get("cx", "0")) < WIDTH for mark in marks)
    texts = [text.text for text in root.iter(f"{space}text")]
    assert "<one>" in texts
    assert "1 ms" in texts


def test_only_the_measured_part_of_the_page_is_replaced() -> None:
    """The text around the comments stays, whatever was between them."""
    from bench.performance_table import BEGIN, END, replaced

    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert replaced(page, "new") == f"before\n{BEGIN}\n\nnew\n{END}\nafter\n"
