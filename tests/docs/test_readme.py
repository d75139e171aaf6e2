"""The README's commands are the ones that the build runs, each a single line to paste."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"<!-- command: (\w+) -->\n```bash\n(.*?)\n```\n", re.DOTALL)


def commands() -> dict[str, str]:
    """Return the marked commands of the README by name."""
    return dict(COMMAND.findall((ROOT / "README.md").read_text(encoding="utf-8")))


def test_two_commands() -> None:
    """On a fresh machine two commands do everything: one shows gnomon, one tests it."""
    assert sorted(commands()) == ["demo", "tests"]


@pytest.mark.parametrize("name", ["demo", "tests"])
def test_build_runs_the_readme(name: str) -> None:
    """The build runs the command to the letter, so the README can't promise what fails."""
    command = commands()[name]
    assert "\n" not in command
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_example_is_filled_in() -> None:
    """No placeholder is left for the reader to wonder about."""
    assert "TODO" not in (ROOT / "README.md").read_text(encoding="utf-8")
