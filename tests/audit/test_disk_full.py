"""A disk that is really full: a small file system in memory, where mounting is allowed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon import audit
from gnomon.errors import StateError


def test_a_full_disk_stops_with_a_valid_trail(
    small_disk: Path, add: Callable[..., audit.Record]
) -> None:
    """Appends go on until the disk is full; then the error says so and the trail verifies."""
    state_dir, appended = small_disk / "state", 0

    def fill() -> None:
        nonlocal appended
        for _ in range(1000):
            add(state_dir, text="x" * 3000)
            appended += 1

    with pytest.raises(StateError, match=r"disk is full.*free some space"):
        fill()
    assert appended > 5
    assert audit.verify(state_dir).records == appended
    assert audit.verify(state_dir).ok


def test_a_full_disk_stores_no_half_adapter(small_disk: Path) -> None:
    """An adapter that does not fit leaves nothing behind."""
    with pytest.raises(StateError, match="disk is full"):
        audit.store_blob(small_disk, b"x" * 200_000)
    assert list((small_disk / "adapters").iterdir()) == []
