"""What holds for every kernel while it works: threads, forks, signals, the host's settings."""

from __future__ import annotations

import functools
import os
import platform
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.hostile_data import gaussian
from tests.kernels.bm25_routes import zipf
from tests.kernels.rrf_routes import hits_of
from tests.kernels.test_topk_threads import (
    ROUNDING,
    host_environment,
    needs_glibc,
    needs_proc,
    run_python,
)

from gnomon import kernels
from gnomon.metrics import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answer = list[Any]
    Work = Callable[[int], Answer]


@functools.cache
def vectors(n: int, d: int) -> np.ndarray:
    """Return rows that are always the same, some of them subnormal."""
    rows = gaussian(np.random.default_rng([n, d]), n, d)
    rows[::5] *= np.float32(1e-41)
    return rows


@functools.cache
def words(n: int) -> list[list[str]]:
    """Return documents as lists of words."""
    return zipf(np.random.default_rng(n), n, 3000)


@functools.cache
def texts(n: int) -> list[str]:
    """Return the same documents as text."""
    return [" ".join(doc) + " Zürich 東京" for doc in words(n)]


@functools.cache
def index_of(n: int) -> kernels.BM25Index:
    """Return an index of them."""
    return kernels.BM25Index(tokens=words(n))


@functools.cache
def rankings(q: int, n: int) -> np.ndarray:
    """Return an order of n documents for each of q queries."""
    return np.argsort(np.random.default_rng(q).random((q, n)), axis=1)


@functools.cache
def vector_index() -> kernels.VectorIndex:
    """Return an index of vectors."""
    return kernels.VectorIndex(vectors(4000, 40))


@functools.cache
def lists(q: int) -> list[kernels.Hits]:
    """Return three rankings for each of q queries."""
    rng = np.random.default_rng(q)
    return [hits_of(rng.integers(0, 60, (q, 30)).tolist()) for _ in range(3)]


def parts(found: Any) -> Answer:
    """Return the arrays of an answer as lists, for comparison."""
    return [np.asarray(part).tolist() for part in (found.ids, found.scores, found.offsets)]


def mmr(threads: int, n: int = 200, times: int = 1) -> Answer:
    """Pick from a shared matrix."""
    docs = vectors(n, 64)
    queries = np.broadcast_to(docs[:20], (times, 20, 64)).reshape(-1, 64)
    return parts(kernels.mmr(queries, docs, 15, lambda_=0.4, threads=threads))


def rrf(threads: int, q: int = 400) -> Answer:
    """Fuse three lists a query."""
    return parts(kernels.rrf(lists(q), [1, 0.5, 2], threads=threads))


def search_words(threads: int, times: int = 1) -> Answer:
    """Search an index of words."""
    queries = words(3000)[:60] * times
    return parts(index_of(3000).search(k=20, tokens=queries, threads=threads))


def build_of_words(threads: int) -> Answer:
    """Index lists of words."""
    index = kernels.BM25Index(tokens=words(3000), threads=threads)
    return parts(index.search(k=5, tokens=words(3000)[:9], threads=1))


def build_of_texts(threads: int) -> Answer:
    """Index texts."""
    index = kernels.BM25Index(texts(3000), threads=threads)
    return parts(index.search(texts(3000)[:9], 5, threads=1))


def search_vectors(threads: int) -> Answer:
    """Search an index of vectors."""
    found = vector_index().search(vectors(4000, 40)[:50], 9, threads=threads)
    return [found.ids.tolist(), found.scores.tolist()]


def measure(threads: int) -> Answer:
    """Evaluate a run."""
    run = rankings(500, 30)
    found = evaluate(run, run[::-1, :3], ["ndcg@10", "recall@5", "ap"], threads=threads)
    return [values.values.tolist() for values in found.metrics.values()]


WORKS: dict[str, Work] = {
    "mmr": mmr,
    "rrf": rrf,
    "bm25 search": search_words,
    "bm25 of words": build_of_words,
    "bm25 of texts": build_of_texts,
    "vector search": search_vectors,
    "metrics": measure,
}
each_work = pytest.mark.parametrize("work", sorted(WORKS))


@each_work
def test_threads_and_instruction_sets(work: str, isa: str) -> None:
    """Few threads and absurdly many give one answer on every instruction set."""
    expected = expected_of(work)
    for threads in (1, 2, 7, 100_000):
        assert WORKS[work](threads) == expected


@functools.cache
def expected_of(work: str) -> Answer:
    """Return the first answer of a work, whatever ran first."""
    return WORKS[work](1)


@needs_proc
@each_work
def test_no_thread_outlives_a_call(work: str) -> None:
    """Seven workers are gone when the call returns."""
    before = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    WORKS[work](7)
    assert len(os.listdir("/proc/self/task")) == before  # noqa: PTH208


@needs_proc
@each_work
def test_one_thread_means_no_other_thread(work: str) -> None:
    """With threads=1 the caller's thread does all of the work."""
    WORKS[work](1)
    seen: set[int] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.add(len(os.listdir("/proc/self/task")))  # noqa: PTH208
            time.sleep(0.0005)

    watcher = threading.Thread(target=watch)
    watcher.start()
    before = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    for _ in range(3):
        WORKS[work](1)
    done.set()
    watcher.join()
    assert max(seen) <= before


@each_work
def test_callers_side_by_side(work: str) -> None:
    """Six callers at once, sharing indexes, on one thread and on several, get the one answer."""
    expected = expected_of(work)
    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(WORKS[work], [1, 2, 7, 1, 2, 1] * 2):
            assert found == expected


LONG: dict[str, Callable[[int], object]] = {
    "mmr": lambda threads: mmr(threads, times=5000),
    "mmr of one huge pool": lambda threads: kernels.mmr(
        vectors(4000, 64)[0], np.broadcast_to(vectors(1, 64), (3_000_000, 64)), 200, threads=threads
    ),
    "mmr grid": lambda threads: kernels.mmr_grid(
        np.broadcast_to(vectors(1, 64), (20_000, 64)),
        vectors(200, 64),
        50,
        np.linspace(0, 1, 11),
        threads=threads,
    ),
    "rrf": lambda threads: kernels.rrf(
        [np.broadcast_to(np.arange(1000), (30_000, 1000))] * 3, threads=threads
    ),
    "bm25 search": lambda threads: search_words(threads, times=3000),
    "bm25 of words": lambda threads: kernels.BM25Index(tokens=words(3000) * 2000, threads=threads),
    "bm25 of texts": lambda threads: kernels.BM25Index(texts(3000) * 1000, threads=threads),
    "bm25 of one text": lambda threads: kernels.BM25Index(
        [" ".join(texts(3000)) * 1000], threads=threads
    ),
    "analysis": lambda _: kernels.analyze(" ".join(texts(3000)) * 200),
    "metrics": lambda threads: evaluate(
        np.broadcast_to(np.arange(1000), (20_000, 1000)),
        np.broadcast_to(np.arange(500), (20_000, 500)),
        ["ndcg@1000"],
        threads=threads,
    ),
}


class Stopped(Exception):
    """What the signal handler raises."""


@pytest.fixture
def alarm() -> Iterator[Callable[[float], None]]:
    """Return a function that makes a signal handler raise `Stopped` after some seconds."""

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds) and None
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("work", sorted(LONG))
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_stops_long_work(work: str, threads: int, alarm: Callable[[float], None]) -> None:
    """A signal handler's exception ends a call that would take seconds or minutes."""
    words(3000), texts(3000), index_of(3000), vectors(4000, 64)
    alarm(0.05)
    with pytest.raises(Stopped):
        LONG[work](threads)


@pytest.mark.parametrize("work", ["mmr", "rrf", "bm25 search", "bm25 of texts"])
def test_other_python_threads_run_meanwhile(work: str, alarm: Callable[[float], None]) -> None:
    """The interpreter is released: another thread makes progress while a kernel works."""
    words(3000), texts(3000), index_of(3000)
    turns, done = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    alarm(0.4)
    before = turns
    try:
        LONG[work](1)
    except Stopped:
        pass
    finally:
        during = turns - before
        done.set()
        counter.join()
    assert during >= 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_works_like_its_parent() -> None:
    """A child of a process that has used every kernel with threads finds the same, and ends."""
    printed = run_python(
        """
        import os, signal, sys
        sys.path.insert(0, os.getcwd())
        from tests.kernels.test_every_kernel import WORKS
        first = {name: work(7) for name, work in WORKS.items()}
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            same = all(work(7) == first[name] for name, work in WORKS.items())
            os._exit(0 if same else 1)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status))
        """
    )
    assert printed == "0"


@needs_glibc
@each_work
def test_the_floating_point_settings_of_the_host_change_nothing(work: str, isa: str) -> None:
    """Flush-to-zero and any direction of rounding give the same bits, on one thread and more."""
    expected = expected_of(work)
    settings: list[dict[str, Any]] = [{"flush": True}]
    settings += [{"rounding": each} for each in ROUNDING[platform.machine()]]
    for setting in settings:
        for threads in (1, 2):
            with host_environment(**setting):
                found = WORKS[work](threads)
            assert found == expected, (setting, threads)
