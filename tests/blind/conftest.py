"""One browser for all tests that look at the judge's page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from selenium import webdriver

    from tests.blind.browser import Window


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    """Start one browser for all tests."""
    from tests.blind.browser import start_chromium

    driver = start_chromium()
    yield driver
    driver.quit()


@pytest.fixture
def window(chromium: webdriver.Chrome) -> Iterator[Window]:
    """Return a window without a past; what its console says fails the test."""
    from tests.blind.browser import Window

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
