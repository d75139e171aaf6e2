"""Which instruction set runs, how it is forced, and how many threads there are."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gnomon import kernels
from gnomon.errors import UsageError


def test_the_forced_set_is_the_one_that_runs(isa: str) -> None:
    """GNOMON_ISA is read at every call and obeyed."""
    assert kernels.isa() == isa


def test_without_the_variable_the_best_set_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset and empty mean the same: the last of the runnable sets."""
    monkeypatch.delenv("GNOMON_ISA", raising=False)
    assert kernels.isa() == kernels.runnable_isas()[-1]
    monkeypatch.setenv("GNOMON_ISA", "")
    assert kernels.isa() == kernels.runnable_isas()[-1]


@pytest.mark.parametrize("name", ["sse9", "AVX2", "scalar ", "neon,scalar"])
def test_an_unknown_set_is_an_error_that_lists_the_right_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong GNOMON_ISA is refused, also by the kernels, and never replaced silently."""
    monkeypatch.setenv("GNOMON_ISA", name)
    for call in (kernels.isa, lambda: kernels.norms([1.0, 2.0])):
        with pytest.raises(UsageError, match="set it to one of: scalar") as caught:
            call()
        assert name in str(caught.value)


def test_a_set_that_this_machine_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known name that can't run says so."""
    for name in {"avx2", "avx512", "neon"} - set(kernels.runnable_isas()):
        monkeypatch.setenv("GNOMON_ISA", name)
        with pytest.raises(UsageError, match="this machine can't run"):
            kernels.isa()


def test_the_number_of_threads_comes_from_argument_then_variable_then_cpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An argument overrides GNOMON_NUM_THREADS, which overrides the CPUs of the process."""
    monkeypatch.setenv("GNOMON_NUM_THREADS", "3")
    assert kernels.default_threads() == 3
    monkeypatch.setenv("GNOMON_NUM_THREADS", "many")
    assert kernels.norms([3.0, 4.0], threads=2).tolist() == [5.0]
    with pytest.raises(UsageError, match="GNOMON_NUM_THREADS"):
        kernels.norms([3.0, 4.0])
    monkeypatch.delenv("GNOMON_NUM_THREADS")
    if hasattr(os, "sched_getaffinity"):
        assert 1 <= kernels.default_threads() <= len(os.sched_getaffinity(0))


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_a_number_of_threads_below_one_is_an_error(threads: object) -> None:
    """Only whole numbers from 1 on are threads."""
    with pytest.raises(UsageError, match="threads is"):
        kernels.norms([1.0], threads=threads)  # type: ignore[arg-type]


def test_importing_the_kernels_imports_little() -> None:
    """No scipy, no pandas, no torch comes along with the kernels."""
    code = (
        "import sys, gnomon.kernels; "
        "loaded = {name.split('.')[0] for name in sys.modules}; "
        "print(*loaded & {'scipy', 'pandas', 'torch', 'click'})"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert printed.stdout.split() == []
