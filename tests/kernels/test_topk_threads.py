"""Threads, forks, signals and the floating-point environment of the host."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.hostile_data import BUILDERS
from tests.kernels.routes import answers, assert_same, rows_of
from tests.reference import cosine as reference

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="counts the threads of the process in /proc"
)


def run_python(code: str, *, timeout: float = 60, **environment: str) -> str:
    """Run code in a fresh interpreter and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@needs_proc
def test_one_thread_means_no_other_thread() -> None:
    """V34: eight callers with threads=1 stay eight threads, and all get the one answer."""
    queries, docs = BUILDERS["tiny_gaps"](np.random.default_rng(0), 40, 20_000, 32)
    expected = rows_of(kernels.topk(queries, docs, 10))
    index = kernels.VectorIndex(docs)
    seen, done = [], threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.append(len(os.listdir("/proc/self/task")))  # noqa: PTH208
            time.sleep(0.001)

    watcher = threading.Thread(target=watch)
    with ThreadPoolExecutor(8) as pool:
        all_at_once = threading.Barrier(8)
        list(pool.map(lambda _: all_at_once.wait(), range(8)))
        before = len(os.listdir("/proc/self/task")) + 1  # noqa: PTH208
        watcher.start()
        found = list(pool.map(lambda _: index.search(queries, 10, threads=1), range(24)))
        found += pool.map(lambda _: kernels.topk(queries, docs, 10, threads=1), range(16))
        done.set()
        watcher.join()
    for answer in found:
        assert_same(rows_of(answer), expected)
    assert max(seen) <= before


@needs_proc
def test_no_thread_outlives_a_call() -> None:
    """Seven workers are gone when the call returns."""
    queries, docs = BUILDERS["smooth"](np.random.default_rng(1), 20, 40_000, 32)
    before = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    for _ in range(3):
        kernels.topk(queries, docs, 10, threads=7)
        assert len(os.listdir("/proc/self/task")) == before  # noqa: PTH208


def test_other_python_threads_run_during_a_search() -> None:
    """The interpreter is released: another thread makes progress while a search runs."""
    docs = np.broadcast_to(np.ones((1, 64), np.float32), (1_500_000, 64))
    turns, done = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    time.sleep(0.01)
    before = turns
    kernels.topk(docs[:8], docs, 3, threads=1)
    during = turns - before
    done.set()
    counter.join()
    assert during >= 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_child_searches_like_its_parent() -> None:
    """V32: a child of a process that has searched with threads finds the same, and ends."""
    printed = run_python(
        """
        import os, signal, sys, numpy as np
        from gnomon import kernels
        docs = np.random.default_rng(0).standard_normal((20000, 32)).astype(np.float32)
        index = kernels.VectorIndex(docs)
        first = index.search(docs[:20], 5, threads=7)
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            again = index.search(docs[:20], 5, threads=7)
            fresh = kernels.topk(docs[:20], docs, 5, threads=7)
            same = all(
                np.array_equal(a, b) and np.array_equal(a, c)
                for a, b, c in zip(first, again, fresh)
            )
            os._exit(0 if same else 1)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status))
        """
    )
    assert printed == "0"


INTERRUPTED = """
import sys, time, numpy as np
from gnomon import kernels
docs = np.broadcast_to(np.ones((1, 256), np.float32), (200_000_000, 256))
print("ready", flush=True)
try:
    if sys.argv[1] == "topk":
        kernels.topk(docs[: int(sys.argv[2])], docs, 5, threads=2)
    else:
        kernels.topk_pass(docs, [kernels.SearchRequest(docs[: int(sys.argv[2])], 5)], threads=2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
"""


@pytest.mark.parametrize(("call", "queries"), [("topk", 1), ("topk", 40), ("pass", 40)])
def test_interrupt_stops_a_long_search(call: str, queries: int) -> None:
    """Ctrl-C during a search that would take minutes raises KeyboardInterrupt soon."""
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, call, str(queries)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline().strip() == "ready"
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            printed, _ = child.communicate(timeout=10)
        finally:
            child.kill()
    assert printed.strip() == "interrupted"


def test_interrupt_stops_the_building_of_an_index() -> None:
    """Ctrl-C while an index is being built raises KeyboardInterrupt soon."""
    code = """
import numpy as np
from gnomon import kernels
docs = np.broadcast_to(np.ones((1, 512), np.float32), (3_000_000, 512))
print("ready", flush=True)
try:
    while True:
        kernels.VectorIndex(docs, threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline().strip() == "ready"
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            printed, _ = child.communicate(timeout=20)
        finally:
            child.kill()
    assert printed.strip() == "interrupted"


def test_thread_count_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """GNOMON_NUM_THREADS overrides the default; a bad value is an error that names it."""
    monkeypatch.delenv("GNOMON_NUM_THREADS", raising=False)
    assert 1 <= kernels.default_threads() <= (os.cpu_count() or 1)
    if hasattr(os, "sched_getaffinity"):
        assert kernels.default_threads() <= len(os.sched_getaffinity(0))
    monkeypatch.setenv("GNOMON_NUM_THREADS", "3")
    assert kernels.default_threads() == 3
    x = np.ones((3, 4), np.float32)
    for bad in ("0", "-2", "two", "1.5", "99999999999999999999", " "):
        monkeypatch.setenv("GNOMON_NUM_THREADS", bad)
        with pytest.raises(ValueError, match="GNOMON_NUM_THREADS"):
            kernels.topk(x, x, 1)
        assert kernels.topk(x, x, 1, threads=2).ids.shape == (3, 1)


def test_absurd_thread_counts() -> None:
    """Only threads with work to do exist: two thousand million of them cost nothing."""
    printed = run_python(
        """
        import resource, numpy as np
        from gnomon import kernels
        docs = np.random.default_rng(0).standard_normal((3000, 16)).astype(np.float32)
        expected = kernels.topk(docs[:40], docs, 5, threads=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
        most = 2**31 - 1
        index = kernels.VectorIndex(docs, threads=most)
        for q in (1, 40):
            for found in (
                kernels.topk(docs[:q], docs, 5, threads=most),
                index.search(docs[:q], 5, threads=most),
            ):
                assert np.array_equal(found.ids, expected.ids[:q])
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000)
        """
    )
    assert printed == "True"


def test_empty_settings_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is set to nothing counts as not set."""
    for name in ("GNOMON_ISA", "GNOMON_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    unset = kernels.isa(), kernels.default_threads()
    for name in ("GNOMON_ISA", "GNOMON_NUM_THREADS"):
        monkeypatch.setenv(name, "")
    assert (kernels.isa(), kernels.default_threads()) == unset


def test_unknown_instruction_sets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is unknown, or that this machine cannot run, is an error with the right names."""
    x = np.ones((3, 4), np.float32)
    foreign = "avx2" if platform.machine() == "aarch64" else "neon"
    for bad in ("sse9", "AVX-2", foreign, "avx512 "):
        monkeypatch.setenv("GNOMON_ISA", bad)
        for ask in (kernels.isa, lambda: kernels.topk(x, x, 1), lambda: kernels.VectorIndex(x)):
            with pytest.raises(ValueError, match="scalar") as caught:
                ask()
            assert all(name in str(caught.value) for name in kernels.runnable_isas())


def test_an_index_serves_every_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that one instruction set built is searched by all others with the same answer."""
    queries, docs = BUILDERS["half_codes"](np.random.default_rng(2), 20, 900, 100)
    expected = reference.top_k(queries, docs, 9)
    for builder in kernels.runnable_isas():
        monkeypatch.setenv("GNOMON_ISA", builder)
        index = kernels.VectorIndex(docs)
        for searcher in kernels.runnable_isas():
            monkeypatch.setenv("GNOMON_ISA", searcher)
            assert_same(rows_of(index.search(queries, 9)), expected, (builder, searcher))


class _Environment(ctypes.Structure):
    """The C library's fenv_t, with room to spare."""

    _fields_ = (("bytes", ctypes.c_uint8 * 64),)


FLUSH_BITS = {"x86_64": (28, 0x8040), "aarch64": (0, 1 << 24)}
"""Where the control word stands in fenv_t, and its flush-to-zero bits."""
ROUNDING = {"x86_64": (0x400, 0x800, 0xC00), "aarch64": (0x400000, 0x800000, 0xC00000)}
"""FE_DOWNWARD, FE_UPWARD and FE_TOWARDZERO, in some order."""

needs_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or platform.machine() not in FLUSH_BITS,
    reason="knows where glibc keeps the floating-point control word on x86-64 and arm64",
)


@contextmanager
def host_environment(*, flush: bool = False, rounding: int = 0) -> Iterator[None]:
    """Set flush-to-zero or a rounding direction for this thread, as a careless host would."""
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    saved, changed = _Environment(), _Environment()
    libm.fegetenv(ctypes.byref(saved))
    libm.fegetenv(ctypes.byref(changed))
    if flush:
        at, bits = FLUSH_BITS[platform.machine()]
        word = int.from_bytes(bytes(changed.bytes[at : at + 4]), "little") | bits
        changed.bytes[at : at + 4] = list(word.to_bytes(4, "little"))
    libm.fesetenv(ctypes.byref(changed))
    if rounding:
        assert libm.fesetround(rounding) == 0
    try:
        yield
    finally:
        libm.fesetenv(ctypes.byref(saved))


@needs_glibc
@pytest.mark.parametrize("builder", ["subnormals", "mixed_with_subnormals", "smooth"])
def test_flush_to_zero_of_the_host_changes_nothing(builder: str, isa: str) -> None:
    """A host that flushes subnormals gets the same bits, and keeps its own setting."""
    queries, docs = BUILDERS[builder](np.random.default_rng(3), 12, 400, 40)
    docs = docs * np.float32(0.25) if builder == "smooth" else docs
    expected = reference.top_k(queries, docs, 11)
    tiny = np.array([1e-310])
    for threads in (1, 2):
        with host_environment(flush=True):
            flushed = (tiny * 1.0)[0]
            found = list(answers(queries, docs, 11, threads=threads))
            flushed_after = (tiny * 1.0)[0]
        assert flushed == flushed_after == 0.0
        for route, hits in found:
            assert_same(hits, expected, (route, threads))


@needs_glibc
def test_flush_to_zero_in_every_worker() -> None:
    """Threads that a search starts inherit the host's setting, and do not keep it."""
    queries, docs = BUILDERS["mixed_with_subnormals"](np.random.default_rng(5), 12, 16_000, 64)
    expected = reference.top_k(queries, docs, 11)
    with host_environment(flush=True):
        found = list(answers(queries, docs, 11, threads=7))
    for route, hits in found:
        assert_same(hits, expected, route)


@needs_glibc
@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.parametrize("builder", ["smooth", "one_ulp_apart", "zero_rows", "orthogonal"])
def test_rounding_of_the_host_changes_nothing(builder: str, turn: int, isa: str) -> None:
    """A host that rounds up, down or towards zero gets the same bits."""
    queries, docs = BUILDERS[builder](np.random.default_rng(4), 12, 400, 40)
    expected = reference.top_k(queries, docs, 11)
    for threads in (1, 2):
        with host_environment(rounding=ROUNDING[platform.machine()][turn]):
            found = list(answers(queries, docs, 11, threads=threads))
        for route, hits in found:
            assert_same(hits, expected, (route, threads))
