"""The page of the golden set lists every code of lint, and says of each what it is."""

from __future__ import annotations

import re
from pathlib import Path

from gnomon.golden.codes import SEVERITIES

PAGE = Path(__file__).parents[2] / "docs" / "golden-set.md"
ROW = re.compile(r"^\| `(?P<code>[a-z-]+)` \| (?P<severity>error|warning) \| .+ \| .+ \|$", re.M)


def test_every_code_has_a_row_with_an_example() -> None:
    """Neither more codes nor fewer, and an error is called one."""
    rows = {(row["code"], row["severity"]) for row in ROW.finditer(PAGE.read_text("utf-8"))}
    assert rows == set(SEVERITIES.items())


def test_every_row_is_seen() -> None:
    """A row that the table above does not understand would hide its code."""
    text = PAGE.read_text("utf-8").partition("## Codes")[2].partition("## Nearly")[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROW.findall(text))
