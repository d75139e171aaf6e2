"""Where the real collections are; without them these tests are skipped, in CI they fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[3] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the collections."""
    folder = Path(os.environ.get("GNOMON_SHARED", _BESIDE)) / "data"
    if folder.is_dir():
        return folder
    message = f"the real collections are not at {folder}; set GNOMON_SHARED to their parent"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
