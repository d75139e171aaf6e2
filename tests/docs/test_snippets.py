"""Programs that a page tells its reader to write do what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from gnomon import audit

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def program(page: str) -> str:
    """Return the one Python program of a page."""
    (found,) = re.findall(
        r"^```python\n(.*?)^```",
        (HOW_TO / page).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    return str(found)


def test_a_trail_verifies_without_gnomon(tmp_path: Path) -> None:
    """The program of the page accepts a sound trail and stops at an altered one."""
    code = program("verify-a-trail.md")
    assert "gnomon." not in code.replace(".gnomon", "")
    state = tmp_path / ".gnomon"
    for number in (7, 8, 9):
        audit.append(state, action="probe", inputs={}, outputs={"k": number}, env={})

    def run() -> int:
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
        ).returncode

    assert run() == 0
    trail = state / "audit.jsonl"
    trail.write_bytes(trail.read_bytes().replace(b'"k":8', b'"k":3'))
    assert run() == 1
