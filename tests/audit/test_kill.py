"""Killed at any instant, the trail holds the old state, the new one, or a named torn tail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def kills(mode: str, directory: Path, rounds: int) -> list[dict[str, Any]]:
    """Run killing.py and return its reports."""
    script = Path(__file__).with_name("killing.py")
    done = subprocess.run(
        [sys.executable, str(script), mode, str(directory), str(rounds)],
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_kills_at_random_instants(tmp_path: Path) -> None:
    """200 kills: the trail is valid or names its torn tail, and no announced record is missing."""
    reports = kills("random", tmp_path, 200)
    assert len(reports) == 200
    assert {report["kind"] for report in reports} <= {None, "torn_tail"}
    assert sum(report["lost"] for report in reports) == 0
    assert all(report.get("ok", True) for report in reports)
    assert sum(report["announced"] for report in reports) > 100


def test_kills_before_every_system_call(tmp_path: Path) -> None:
    """One kill before each call that an append makes: the record is there or it is not."""
    reports = kills("call", tmp_path, 24)
    assert {report["kind"] for report in reports} == {None}
    records = [report["records"] for report in reports]
    assert records == sorted(records)
    assert set(records) == {1, 2}
    assert reports[-1]["survived"], "24 calls were not enough to reach the end of an append"


def test_kills_in_the_middle_of_the_write(tmp_path: Path) -> None:
    """Half a line is a torn tail, and repair brings the trail back."""
    reports = kills("torn", tmp_path, 24)
    assert [report["kind"] for report in reports].count("torn_tail") == 1
    assert {report["kind"] for report in reports} == {None, "torn_tail"}
    assert all(report["ok"] for report in reports)
