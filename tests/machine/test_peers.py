"""The works of every kernel: right answers pass the check, damaged ones don't."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gnomon.machine.bars import bars
from gnomon.machine.peers import affine, bm25, metrics, mmr, rrf, text, topk
from gnomon.machine.settings import MachineSettings
from gnomon.machine.standard import kernel_names, standard_works, works_of
from gnomon.machine.work import OURS, NotInstalledError, Work, WrongAnswerError

Damage = Callable[[Any], Any]


def swapped(answer: Any) -> Any:
    """Return the ids with the first one replaced by the next but nine."""
    damaged = np.array(answer, copy=True)
    damaged[..., 0] += 9
    return damaged


def backwards(picks: Any) -> Any:
    """Return picks in the opposite order."""
    return np.array(picks)[..., ::-1]


def moved_on(fused: Any) -> Any:
    """Return fused lists each of which is that of the query before."""
    lists = list(fused)
    return [lists[-1], *lists[:-1]]


def plain(answer: Any) -> Any:
    """Return an answer as lists and numbers, which can be compared."""
    if isinstance(answer, dict | int):
        return answer
    if isinstance(answer, np.ndarray):
        return answer.tolist()
    if isinstance(answer, list):
        return [one.tolist() if isinstance(one, np.ndarray) else one for one in answer]
    return [(one.ids.tolist(), one.scores.tolist()) for one in answer]


SMALL: dict[str, tuple[Work[Any, Any], Damage]] = {
    "topk": (topk.work(600, 24, 5, 7, prepared=True), swapped),
    "topk arrays": (topk.work(600, 24, 5, 7, prepared=False), swapped),
    "mmr": (mmr.work(4, 40, 24, 6), backwards),
    "mmr_grid": (mmr.grid_work(4, 20, 24), backwards),
    "rrf": (rrf.work(5, 3, 20), moved_on),
    "metrics": (
        metrics.work(30, 20),
        lambda means: dict(means) | {"rr": means["rr"] + 1e-6},
    ),
    "bm25": (bm25.search_work(200, 6, 5, single=False), lambda rows: [*rows[1:], rows[0]]),
    "bm25 single": (bm25.search_work(200, 6, 5, single=True), lambda rows: [*rows[1:], rows[0]]),
    "bm25_build": (bm25.build_work(50), lambda n: n - 1),
    "text": (text.work(20), lambda words: [words[0][1:], *words[1:]]),
    "affine": (affine.work(100, 24), lambda mapped: mapped + np.float32(0.01)),
}
CASES = pytest.mark.parametrize(("work", "damage"), SMALL.values(), ids=list(SMALL))


@CASES
def test_whoever_is_installed_gives_the_reference(work: Work[Any, Any], damage: Damage) -> None:
    """Ours comes first; every peer that can run here passes the check, or says why it may not."""
    task = work.make()
    assert work.peers[0].name == OURS
    for peer in work.peers:
        if peer.slow_start or (peer.package and peer.version is None):
            continue
        try:
            answer = peer.prepare(task, 1)()
        except NotInstalledError:
            continue
        if not peer.differs:
            work.check(task, answer)


@CASES
def test_a_damaged_answer_is_found(work: Work[Any, Any], damage: Damage) -> None:
    """What is timed has been compared: a slightly wrong answer is refused."""
    task = work.make()
    answer = work.peers[0].prepare(task, 1)()
    work.check(task, answer)
    with pytest.raises(WrongAnswerError):
        work.check(task, damage(answer))


@CASES
def test_inputs_are_the_same_every_time(work: Work[Any, Any], damage: Damage) -> None:
    """Two runs measure the same work."""
    one = work.peers[0].prepare(work.make(), 1)()
    other = work.peers[0].prepare(work.make(), 1)()
    assert plain(one) == plain(other)


@pytest.mark.parametrize("quick", [True, False])
def test_every_work_has_a_name_of_its_own(quick: bool) -> None:
    """Works are asked for by name, kernels by theirs."""
    works = standard_works(quick=quick)
    assert len({work.name for work in works}) == len(works)
    assert {work.kernel for work in works} == set(kernel_names())


def test_every_aim_is_at_somebody_who_takes_part() -> None:
    """A bar names peers of its work, and every bar has an aim."""
    for bar in bars():
        names = {peer.name for peer in bar.work.peers}
        assert bar.times or bar.over, bar.work.name
        assert set(bar.over or {}) <= names, bar.work.name


def test_works_are_found_by_set_kernel_and_name() -> None:
    """Each way of asking narrows the works down."""
    every = works_of(MachineSettings(threads=1, works="bars"))
    assert [work.name for work in every] == [bar.work.name for bar in bars()]
    some = works_of(MachineSettings(threads=1, works="bars", kernels=("topk",), only=("q32 ",)))
    assert some
    assert all("q32 " in work.name and work.kernel == "topk" for work in some)
