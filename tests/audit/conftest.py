"""Small trails to damage, and the facts that every record of them holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon import audit

if TYPE_CHECKING:
    from collections.abc import Callable

ENV = {"gnomon": "0", "threads": 1}


def add_record(state_dir: Path, number: int = 0, **outputs: Any) -> audit.Record:
    """Append one small record."""
    return audit.append(
        state_dir,
        action="probe",
        inputs={"seed": number},
        outputs={"decision": "caution", "arr": 0.75 + number / 7, **outputs},
        env=ENV,
        version="0.1.0",
        metric_version=1,
    )


@pytest.fixture
def add() -> Callable[..., audit.Record]:
    """Return the function that appends one small record."""
    return add_record


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    """Return a state directory that does not exist yet."""
    return tmp_path / "state"


@pytest.fixture
def trail(state_dir: Path) -> Path:
    """Return the file of a trail of 20 small records."""
    for number in range(20):
        add_record(state_dir, number)
    return audit.trail_path(state_dir)
