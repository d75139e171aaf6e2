"""The judge's page in a real browser: by keyboard, killed and resumed, in every script and size."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from gnomon.blind.sheet import read_sheet, write_sheet
from tests.blind.browser import Window, served, start_chromium, started
from tests.blind.sheets import HOSTILE, sheet_of, silence, written

CYCLE = ("x", "y", "n", "c")
MEANT = {"x": "x", "y": "y", "n": "neither", "c": "cannot_tell"}
SAVED = "return document.getElementById('status').textContent.startsWith(arguments[0])"


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    """Start one browser for all tests of this file."""
    driver = start_chromium()
    yield driver
    driver.quit()


@pytest.fixture
def window(chromium: webdriver.Chrome) -> Iterator[Window]:
    """Return a window without a past; what its console says fails the test."""
    chromium.get("about:blank")
    window = Window(chromium)
    window.faults()
    yield window
    window.emulate()
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    for extra in chromium.window_handles[1:]:
        chromium.switch_to.window(extra)
        chromium.close()
    chromium.switch_to.window(chromium.window_handles[0])
    # That an answer was a refusal is no fault of the page.
    assert [said for said in window.faults() if "Failed to load resource" not in said] == []


def as_shown(reading: str) -> str:
    """Return a reading as the page shows it: what reorders or can't be seen, by its number."""
    if reading == "":
        return "nothing (this side is empty)"
    return reading.replace("\u202e", "U+202E").replace("\u202c", "U+202C")


def test_thirty_spots_by_keyboard_with_a_kill_half_way(window: Window, tmp_path: Path) -> None:
    """No verdict is lost to SIGKILL, the first open spot is shown again, and the end is told."""
    path = written(tmp_path / "sheet.csv", 30)
    spots = read_sheet(path).spots

    def fill(first: int, last: int) -> None:
        for number in range(first, last + 1):
            title, x, y = window.shown
            assert title == f"Spot {number} of 30"
            assert (x, y) == (as_shown(spots[number - 1].x), as_shown(spots[number - 1].y))
            window.judge(CYCLE[number % 4], then=number + 1 if number < 30 else None)

    with started(path, cwd=tmp_path) as (process, address):
        window.open(address)
        fill(1, 15)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(read_sheet(path).unfilled) == 15
    window.press("x")
    window.until("return !document.getElementById('problem').hidden")
    assert "Start the command again" in window.text("#problem")
    assert "saved" in window.text("#problem")
    with started(path, cwd=tmp_path) as (process, address):
        window.open(address)
        assert window.text("#status") == "Going on at spot 16, the first that is open."
        fill(16, 30)
        assert window.run("return document.activeElement.id") == "done"
        window.picture("done")
        window.press(Keys.TAB, Keys.ENTER)
        out, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert out == (
        f"all 30 spots are judged and saved in {path}; next: gnomon blind score --sheet {path} "
        "--key KEY\n"
    )
    assert [spot.verdict for spot in read_sheet(path).spots] == [
        MEANT[CYCLE[number % 4]] for number in range(1, 31)
    ]
    assert [replace(spot, verdict=None) for spot in read_sheet(path).spots] == list(spots)
    assert window.run("return document.title") == "Spot 30 of 30 · Blind check"
    assert "You can close this window" in window.text("#problem")
    assert window.run("return document.activeElement.id") == "problem"


def test_undo_and_arrows(window: Window, tmp_path: Path) -> None:
    """Every step back is on the disk too; arrows only look."""
    path = written(tmp_path / "sheet.jsonl", 4)
    with served(path) as page:
        window.open(page.address)
        window.press("u")
        assert "Nothing was judged" in window.text("#status")
        window.judge("x", then=2)
        window.judge("n", then=3)
        window.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        assert window.shown[0] == "Spot 1 of 4"
        assert window.pressed == ["x"]
        assert window.text("#status") == "This is the first spot."
        window.judge("c", then=3)  # a verdict that is changed leads to the first open spot
        assert [spot.verdict for spot in read_sheet(path).spots[:2]] == ["cannot_tell", "neither"]
        window.press("u")
        window.until(SAVED, "Undone. Spot 1 is x is right again. Saved.")
        assert read_sheet(path).spots[0].verdict == "x"
        window.press_with_control("z")
        window.until(SAVED, "Undone. Spot 2 is open again. Saved.")
        assert window.pressed == []
        assert read_sheet(path).unfilled == (2, 3, 4)
        window.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        assert window.shown[0] == "Spot 4 of 4"
        window.judge("y", then=2)  # after the last spot comes the first open one


def test_texts_of_every_script(window: Window, tmp_path: Path) -> None:
    """Each in its direction, none acting on the page, the longest within its box."""
    path = written(tmp_path / "sheet.csv", len(HOSTILE) * 2)
    seen: dict[str, dict[str, Any]] = {}
    with served(path) as page:
        window.open(page.address)
        for spot in read_sheet(path).spots:
            side = "x" if spot.x in HOSTILE else "y"
            found = window.run(
                "const it = document.getElementById(arguments[0]);"
                "const other = document.getElementById(arguments[0] === 'x' ? 'y' : 'x');"
                "const style = (e) => getComputedStyle(e);"
                "return {text: it.innerText, direction: style(it).direction, "
                "isolated: style(it).unicodeBidi, children: it.children.length, "
                "same: style(it).fontSize === style(other).fontSize"
                " && style(it).fontFamily === style(other).fontFamily"
                " && style(it).color === style(other).color,"
                "fits: it.scrollWidth <= it.clientWidth,"
                "page: document.documentElement.scrollWidth <= innerWidth}",
                side,
            )
            seen[spot.x if side == "x" else spot.y] = found
            assert found["same"]
            assert found["fits"]
            assert found["page"]
            assert found["isolated"] in {"isolate", "plaintext"}
            window.press(Keys.ARROW_RIGHT)
    assert len(seen) == len(HOSTILE)
    assert seen["<script>document.title = 'taken over'</script>"]["children"] == 0
    assert "taken over" not in window.run("return document.title")
    directions = {text: found["direction"] for text, found in seen.items()}
    assert directions["مرحبا بالعالم 123"] == directions["שלום עולם 45%"] == "rtl"
    assert directions["東京都の天気"] == directions["今天天气很好"] == "ltr"
    assert seen[HOSTILE[2]]["text"] == "U+202Egnidaer desrever aU+202C and more"
    assert seen[HOSTILE[2]]["direction"] == "ltr"
    assert seen[HOSTILE[4]]["text"] == HOSTILE[4]  # joiners and flags are left alone
    assert seen[""]["text"].startswith("nothing")


def test_keys_of_other_keyboards(window: Window, tmp_path: Path) -> None:
    """Where keys write no Latin letters their places count; where they do, the letters."""
    path = written(tmp_path / "sheet.csv", 5)
    with served(path) as page:
        window.open(page.address)
        for number, (key, code) in enumerate([("ч", "KeyX"), ("غ", "KeyY"), ("Y", "KeyZ")], 2):
            window.key(key, code)
            window.until(SAVED, f"Spot {number - 1}: ")
        window.key("x", "KeyX", repeated=True)  # held down
        window.key("!", "KeyX")
        window.key("q", "KeyX")
        window.run("document.getElementById('letters').click()")
        window.press("x")
        assert window.shown[0] == "Spot 4 of 5"
        window.press_with_control("z")  # no single letter
        window.until(SAVED, "Undone. Spot 3 is open again")
    assert [spot.verdict for spot in read_sheet(path).spots] == ["x", "y", None, None, None]


def test_two_windows(window: Window, tmp_path: Path) -> None:
    """Neither loses what the other has judged, and each hears of it."""
    path = written(tmp_path / "sheet.csv", 3)
    driver = window.driver
    with served(path) as page:
        window.open(page.address)
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        window.open(page.address)
        window.judge("x", then=2)
        driver.switch_to.window(first)
        assert window.shown[0] == "Spot 1 of 3"
        window.press("y")
        window.until("return !document.getElementById('problem').hidden")
        assert "judged in another window" in window.text("#problem")
        assert window.pressed == ["x"]
        assert read_sheet(path).spots[0].verdict == "x"
        window.judge("y", then=2)
        assert window.run("return document.getElementById('problem').hidden")
        window.judge("n", then=3)
    assert [spot.verdict for spot in read_sheet(path).spots] == ["y", "neither", None]


def test_a_sheet_changed_on_the_disk(window: Window, tmp_path: Path) -> None:
    """The judge is told, the verdict isn't shown as given, and nothing is written."""
    path = written(tmp_path / "sheet.csv", 3)
    with served(path) as page:
        window.open(page.address)
        sheet = read_sheet(path)
        write_sheet(
            path, replace(sheet, spots=(replace(sheet.spots[0], x="new"), *sheet.spots[1:]))
        )
        before = path.read_bytes()
        window.press("x")
        window.until("return !document.getElementById('problem').hidden")
        assert "spot 1 has another reading x now" in window.text("#problem")
        assert (
            window.run("return document.getElementById('problem').getAttribute('role')") == "alert"
        )
        assert window.pressed == []
        assert str(tmp_path) not in window.text("body")
    assert path.read_bytes() == before


def test_the_recording_goes_to_the_spot(window: Window, tmp_path: Path) -> None:
    """At every spot with a time; it starts and goes back by a key, and stops at the next spot."""
    path = written(tmp_path / "sheet.csv", 3)
    sheet = read_sheet(path)
    times = (7.25, None, 99.0)
    spots = tuple(replace(spot, time=t) for spot, t in zip(sheet.spots, times, strict=True))
    write_sheet(path, replace(sheet, spots=spots))
    at = "const a = document.getElementById('audio'); return a.readyState > 0 && !a.seeking && "
    with served(path, silence(tmp_path / "talk.wav", 12)) as page:
        window.open(page.address)
        window.until(f"{at} a.currentTime === 7.25 && a.paused")
        assert window.text("#time") == "0:07.2"
        window.press("b")
        window.until(f"{at} a.currentTime === 4.25 && a.paused")
        window.press("p")
        window.until(f"{at} a.currentTime > 7.25 && a.currentTime < 9 && !a.paused")
        window.press(Keys.ARROW_RIGHT)
        assert window.run("return document.getElementById('audio').paused")
        assert not window.run("return document.getElementById('time').checkVisibility()")
        window.press(Keys.ARROW_RIGHT)
        window.until(SAVED, "The recording ends before this spot")
        window.picture("player")


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


def test_closing_without_finishing(window: Window, tmp_path: Path) -> None:
    """Once all is judged the program ends soon after nobody is there, and was told no end."""
    path = written(tmp_path / "sheet.csv", 1)
    with served(path, idle_s=0.5) as page:
        window.open(page.address)
        window.judge("y", then=None)
        page.wait()
        assert page.ending == "idle"
        assert read_sheet(path).unfilled == ()
