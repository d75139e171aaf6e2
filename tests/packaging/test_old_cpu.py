"""The installed package on a CPU without AVX2, emulated by QEMU's user mode."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys

import pytest

EMULATOR = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or EMULATOR is None,
    reason="needs qemu-x86_64 (Debian: qemu-user) to emulate an older CPU",
)

SEARCH = """
import numpy as np
from gnomon import kernels
docs = np.random.default_rng(0).standard_normal((200, 40)).astype(np.float32)
found = kernels.topk(docs[:9], docs, 3, threads=2)
assert np.array_equal(found.ids[:, 0], np.arange(9))
again = kernels.VectorIndex(docs).search(docs[:9], 3)
assert np.array_equal(found.ids, again.ids)
print(*kernels.runnable_isas())
"""


@pytest.mark.parametrize("cpu", ["Nehalem", "SandyBridge"])
def test_imports_and_searches_without_avx2(cpu: str) -> None:
    """On x86-64-v2, with AVX or without, the package loads, searches, and offers scalar only."""
    assert EMULATOR is not None
    environment = {name: value for name, value in os.environ.items() if name != "GNOMON_ISA"}
    done = subprocess.run(
        [EMULATOR, "-cpu", cpu, sys.executable, "-c", SEARCH],
        capture_output=True,
        text=True,
        timeout=180,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["scalar"]
