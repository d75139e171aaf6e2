"""The page on a check by a person: what it shows is one check, and its commands run."""

from __future__ import annotations

import re
from pathlib import Path

from gnomon.blind.plan import Plan
from gnomon.blind.rules_file import read_rules
from gnomon.blind.spot_file import read_contested

PAGE = Path(__file__).parents[2] / "docs" / "blind.md"


def block(language: str, folder: Path) -> Path:
    """Write the first block of code in a language to a file."""
    text = PAGE.read_text(encoding="utf-8").split(f"```{language}\n")[1].split("```")[0]
    file = folder / f"block.{language}"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_plan_is_that_of_the_rules(tmp_path: Path) -> None:
    """The id that is given to the draw is the one that planning these rules prints."""
    drawn_under = re.search(r"--plan (\S+)", PAGE.read_text(encoding="utf-8"))
    assert drawn_under is not None
    assert drawn_under[1] == Plan(read_rules(block("toml", tmp_path))).id


def test_the_contested_file_can_be_read(tmp_path: Path) -> None:
    """One spot with two readings, one with an empty one."""
    file = block("json", tmp_path).rename(tmp_path / "contested.jsonl")
    assert [one.kind for one in read_contested(file)] == ["substitution", "insertion"]
