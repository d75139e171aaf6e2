"""A real Chromium without a window, and the judge's page served to it.

``GNOMON_SCREENSHOTS=DIR pytest tests/blind/test_page_in_browser.py`` also leaves pictures there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from gnomon.blind.guard import TOKEN_HEADER, Door
from gnomon.blind.judging import Judging
from gnomon.blind.server import Ending, serve

JUDGE = (sys.executable, "-c", "from gnomon.cli.main import main; main()", "blind", "judge")
WAIT_S = 10.0


def start_chromium() -> webdriver.Chrome:
    """Return a driver; skip where there is no Chromium, and fail in CI."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        message = "there is no Chromium with its driver here: install chromium and chromium-driver"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (
        "--headless=new",
        "--no-sandbox",  # root has none; only our own page is opened
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--mute-audio",
        "--lang=en",
        "--window-size=1200,900",
        "--autoplay-policy=no-user-gesture-required",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Both paths are given, so that nothing is looked for or downloaded.
    return webdriver.Chrome(options=options, service=Service(driver))


class Window:
    """The page in a browser window, by what a judge sees and presses."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        """Open the page by its printed address and wait until a spot is shown."""
        self.driver.get(address)
        self.until("return document.getElementById('title')?.textContent.startsWith('Spot ')")

    def run(self, script: str, *args: object) -> Any:
        """Return what a script returns."""
        return self.driver.execute_script(script, *args)

    def until(self, script: str, *args: object) -> Any:
        """Run a script until it returns something true, and return that."""
        end = time.monotonic() + WAIT_S
        while not (found := self.run(script, *args)):
            assert time.monotonic() < end, f"not within {WAIT_S} s: {script}\n{self.text('main')}"
            time.sleep(0.005)
        return found

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()

    def press_with_control(self, key: str) -> None:
        """Press a key while Ctrl is held down."""
        chain = ActionChains(self.driver, duration=0)
        chain.key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def judge(self, key: str, *, then: int | None) -> None:
        """Press a verdict's key and wait for the next spot; None waits for the end of the sheet."""
        self.press(key)
        if then is None:
            self.until("return !document.getElementById('done').hidden")
        else:
            self.until(
                f"return document.getElementById('title').innerText.startsWith('Spot {then} ')"
            )

    def key(self, key: str, code: str, *, repeated: bool = False) -> None:
        """Press one key of any keyboard: what it writes, and where it lies."""
        event = {"key": key, "code": code, "text": key, "autoRepeat": repeated}
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def text(self, selector: str) -> str:
        """Return the text of an element as it is rendered."""
        found: str = self.run("return document.querySelector(arguments[0])?.innerText", selector)
        return found

    @property
    def shown(self) -> tuple[str, str, str]:
        """The title, x and y that are shown."""
        ids = ("title", "x", "y")
        found = self.run(
            "return arguments[0].map((id) => document.getElementById(id).textContent)", ids
        )
        return tuple(found)

    @property
    def pressed(self) -> list[str]:
        """The verdicts whose buttons are pressed."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll('[aria-pressed=true]')]"
            ".map((button) => button.dataset.verdict)"
        )
        return found

    def read_aloud(self, role: str, name: str | None = None) -> dict[str, Any]:
        """Return what the browser tells a screen reader of the first element of a role."""
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        by_id = {node["nodeId"]: node for node in nodes}
        for node in nodes:
            found = {key: node[key]["value"] for key in ("name", "description") if key in node}
            if node["role"]["value"] != role or name not in {None, found.get("name")}:
                continue
            inside = [by_id[child] for child in node.get("childIds", ()) if child in by_id]
            text = "".join(child["name"]["value"] for child in inside if "name" in child)
            states = {item["name"]: item["value"].get("value") for item in node["properties"]}
            return {**states, **found, "text": text}
        raise AssertionError(f"no {role} called {name}")

    def emulate(self, **features: str) -> None:
        """Ask as a browser with these preferences does; none resets them."""
        media = [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})

    def resize(self, width: int, height: int, scale: int = 1) -> None:
        """Show so many CSS pixels: 320 by 256 is what 400% leaves of 1280 by 1024."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def picture(self, name: str) -> None:
        """Leave a picture where somebody asked for one."""
        if folder := os.environ.get("GNOMON_SCREENSHOTS"):
            self.driver.save_screenshot(str(Path(folder) / f"{name}.png"))

    def faults(self) -> list[str]:
        """Return what the browser's console has complained about since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@contextmanager
def served(sheet: Path, audio: Path | None = None, idle_s: float = 600.0) -> Iterator[Serving]:
    """Serve a sheet in a thread of this process."""
    serving = Serving(sheet, audio, idle_s)
    try:
        yield serving
    finally:
        serving.stop()


class Serving:
    """A page that is being served."""

    def __init__(self, sheet: Path, audio: Path | None, idle_s: float) -> None:
        self.ending: Ending | None = None
        opened = threading.Event()

        def note(door: Door) -> None:
            self.door = door
            opened.set()

        def run() -> None:
            judging = Judging(sheet)
            self.ending = serve(judging, audio, port=0, idle_s=idle_s, opened=note)

        self._thread = threading.Thread(target=run)
        self._thread.start()
        assert opened.wait(WAIT_S)

    @property
    def address(self) -> str:
        """What is printed for the judge."""
        return self.door.address

    def stop(self) -> None:
        """Say that the judge is done, unless that was said; wait for the end."""
        if self._thread.is_alive():
            sent = {TOKEN_HEADER: self.door.token, "origin": self.door.origin}
            with suppress(httpx.TransportError):  # it has stopped by itself meanwhile
                httpx.post(
                    f"{self.door.origin}{self.door.root}finish", headers=sent, trust_env=False
                )
        self.wait()

    def wait(self) -> None:
        """Wait until it has stopped by itself."""
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()


@contextmanager
def started(*args: object, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start ``gnomon blind judge`` as a user does; yields the process and the printed address."""
    process = subprocess.Popen(
        [*JUDGE, *(str(arg) for arg in args), "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
    )
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None, process.stderr.read()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()
