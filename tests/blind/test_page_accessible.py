"""The judge's page for those who use no mouse, a screen reader, dark colours or large letters."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from gnomon.blind.sheet import write_sheet
from tests.blind.browser import SAVED, Window, served
from tests.blind.sheets import sheet_of, silence, written

AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}).then(
  (found) => done(found.violations.map(
    (rule) => [rule.id, rule.help, ...rule.nodes.map((node) => node.html)].join(" | "))),
  (error) => done([String(error)]));
"""

# WCAG 2.2, relative luminance and contrast ratio, of every text that is shown, single signs too.
CONTRAST = """
const numbers = (colour) => colour.match(/[0-9.]+/g).map(Number);
const luminance = (rgb) => {
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = rgb.map((c) => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (e) => {
  for (; e; e = e.parentElement) {
    const [r, g, b, a] = numbers(getComputedStyle(e).backgroundColor);
    if (a === undefined) return [r, g, b];
    if (a !== 0) throw new Error("half transparent");
  }
  return [255, 255, 255];
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const low = [];
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  const isShown = e.checkVisibility() && !e.closest("noscript");
  if (!walker.currentNode.textContent.trim() || !isShown) continue;
  const ink = numbers(getComputedStyle(e).color).slice(0, 3);
  const [one, other] = [luminance(ink), luminance(behind(e))].sort();
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${e.outerHTML.slice(0, 80)}`);
}
return low;
"""


def accessibility_faults(window: Window) -> list[str]:
    """Return what axe-core finds wrong with the page as it is shown, and texts of low contrast."""
    (folder,) = find_spec("axe_core_python").submodule_search_locations
    if window.run("return typeof axe === 'undefined'"):
        window.run((Path(folder) / "axe.min.js").read_text("utf-8"))
    return [*window.driver.execute_async_script(AXE), *window.run(CONTRAST)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(window: Window, tmp_path: Path, scheme: str) -> None:
    """Names, roles, landmarks and contrast, on an open spot, a judged one, the help and the end."""
    path = written(tmp_path / "sheet.csv", 12, verdicts=dict.fromkeys(range(1, 11), "x"))
    with served(path, silence(tmp_path / "talk.wav", 20)) as page:
        # Without motion: in the middle of a change no colour is what it will be.
        window.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
        window.open(page.address)
        background = window.run("return getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
        assert accessibility_faults(window) == []
        window.press(Keys.ARROW_LEFT)
        window.run("document.querySelector('details').open = true")
        window.picture(f"help-{scheme}")
        assert accessibility_faults(window) == []
        window.press(Keys.ARROW_RIGHT)
        window.judge("n", then=12)
        window.judge("c", then=None)
        window.picture(f"end-{scheme}")
        assert accessibility_faults(window) == []


def test_what_a_screen_reader_is_given(window: Window, tmp_path: Path) -> None:
    """The spot as a whole when it is shown, whether a verdict stands, and what was saved."""
    path = tmp_path / "sheet.csv"
    write_sheet(path, sheet_of([("the one", ""), ("a", "b")]))
    with served(path) as page:
        window.open(page.address)
        spot = window.read_aloud("article")
        assert spot["name"] == "Spot 1 of 2"
        assert "before 1" in spot["description"]
        assert "Reading x the one" in spot["description"]
        assert "Reading y nothing (this side is empty)" in spot["description"]
        window.judge("x", then=2)
        assert window.run("return document.activeElement.id") == "spot"
        assert window.read_aloud("article")["name"] == "Spot 2 of 2"
        said = window.read_aloud("status")
        assert (said["live"], said["text"]) == ("polite", "Spot 1: x is right. Saved.")
        window.press(Keys.ARROW_LEFT)
        assert window.read_aloud("button", "x is right")["pressed"] == "true"
        assert window.read_aloud("button", "y is right")["pressed"] == "false"
        assert window.read_aloud("progressbar")["name"] == "1 of 2 judged"


def test_everything_by_tab(window: Window, tmp_path: Path) -> None:
    """Tab reaches every control once, in the order in which they stand, with a visible ring."""
    path = written(tmp_path / "sheet.csv", 2)
    with served(path) as page:
        window.open(page.address)
        reached = []
        for _ in range(20):
            window.press(Keys.TAB)
            name, ring = window.run(
                "const e = document.activeElement; const style = getComputedStyle(e);"
                "return [(e.labels?.[0] ?? e).innerText.trim().split('\\n')[0],"
                " style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]"
            )
            if window.run("return document.activeElement === document.body"):
                break
            assert ring, name
            reached.append(name)
        assert reached == [
            "x is right",
            "y is right",
            "neither",
            "cannot tell",
            "Previous",
            "Next",
            "Undo",
            "How to judge, and the keys",
            "The letter keys give verdicts",
            "Stop for now",
        ]
        sizes = window.run(
            "return [...document.querySelectorAll('[data-verdict]')].map((button) => {"
            " const box = button.getBoundingClientRect(); const style = getComputedStyle(button);"
            " return [box.width, box.height, style.fontSize, style.fontWeight, style.color,"
            " style.backgroundColor].join()})"
        )
        assert len(set(sizes)) == 1  # no verdict is easier than another
        window.run("document.querySelector('[data-verdict=neither]').focus()")
        window.press(Keys.SPACE)
        window.until(SAVED, "Spot 1: neither. Saved.")
        assert window.run("return document.activeElement.id") == "spot"


@pytest.mark.parametrize(("width", "height"), [(320, 256), (320, 900), (640, 512), (1280, 1024)])
def test_small_windows(window: Window, tmp_path: Path, width: int, height: int) -> None:
    """At 400% of a usual screen nothing is cut off sideways, and nothing covers the readings."""
    pairs = [("مرحبا بالعالم" * 9, "x" * 400), ("東京都" * 60, "https://example.org/" * 20)]
    path = tmp_path / "sheet.csv"
    write_sheet(path, sheet_of(pairs))
    with served(path, silence(tmp_path / "talk.wav", 5)) as page:
        window.resize(width, height, 2)
        window.open(page.address)
        for number in (1, 2):
            window.picture(f"small-{width}-{height}-{number}")
            outside = window.run(
                "const wide = document.documentElement.clientWidth;"
                "return [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility()"
                " && !e.closest('.unseen') && e.getBoundingClientRect().right > wide + 1)"
                ".map((e) => e.outerHTML.slice(0, 80))"
            )
            assert outside == []
            assert window.run("return document.documentElement.scrollWidth <= innerWidth")
            sticky = window.run(
                "return getComputedStyle(document.getElementById('controls')).position === 'sticky'"
            )
            assert sticky == (width == 1280)
            window.press(Keys.ARROW_RIGHT)


def test_nothing_moves_for_those_who_ask(window: Window, tmp_path: Path) -> None:
    """prefers-reduced-motion is kept."""
    path = written(tmp_path / "sheet.csv", 1)

    def moving() -> str:
        found: str = window.run(
            "return getComputedStyle(document.getElementById('next')).transitionDuration"
        )
        return found

    with served(path) as page:
        window.open(page.address)
        assert moving() == "0.1s"
        window.emulate(prefers_reduced_motion="reduce")
        assert moving() == "0s"
