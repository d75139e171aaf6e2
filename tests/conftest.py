"""For every test: how many examples the property tests draw, and a disk that is really full.

``HYPOTHESIS_PROFILE=ci pytest`` draws many, ``quick`` (the default) keeps the suite short.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

settings.register_profile("quick", max_examples=25, deadline=None, suppress_health_check=_SLOW_DATA)
settings.register_profile("ci", max_examples=400, deadline=None, suppress_health_check=_SLOW_DATA)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 64 KiB, or skip where this user may not mount."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("there is no mount command here")
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("this user may not mount a tmpfs; injected errors cover the same paths")
    yield disk
    subprocess.run([umount, str(disk)], check=True)
