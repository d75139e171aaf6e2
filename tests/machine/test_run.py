"""A piece of work with stand-ins: who is checked, timed, left out, and what stops everything."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.machine.contest import checked_call, names_of
from gnomon.machine.limits import limit_of, multiply_add_rate, read_rate
from gnomon.machine.result import WorkResult
from gnomon.machine.run import run_work
from gnomon.machine.settings import MachineSettings
from gnomon.machine.work import (
    OURS,
    Demand,
    LeftOutError,
    NotInstalledError,
    Peer,
    Work,
    WrongAnswerError,
    installed,
)

SETTINGS = MachineSettings(threads=1, quick=True)
NOTHING = Demand()
Prepare = Callable[[int, int], Callable[[], int]]


def answering(value: int) -> Prepare:
    """Return who answers this."""
    return lambda _task, _threads: lambda: value


def raising(error: Exception) -> Prepare:
    """Return who fails before answering."""

    def prepare(_task: int, _threads: int) -> Callable[[], int]:
        raise error

    return prepare


def work_of(*peers: Peer[int, int], demand: Demand = NOTHING) -> Work[int, int]:
    """Return the work of doubling 21."""

    def check(task: int, answer: int) -> None:
        if answer != 2 * task:
            raise WrongAnswerError(f"{answer} is not {2 * task}")

    return Work(
        kernel="double",
        name="double 21",
        what="21 once",
        make=lambda: 21,
        peers=peers,
        check=check,
        demand=demand,
        amount=1,
        unit="numbers",
    )


def test_everyone_is_reported_and_only_right_answers_are_timed() -> None:
    """Missing, broken, left out, wrong and differing peers each have their own word."""
    result = run_work(
        work_of(
            Peer(OURS, answering(42)),
            Peer("same", answering(42)),
            Peer("wrong", answering(41)),
            Peer("rounds", answering(40), differs="rounds to tens"),
            Peer("absent", raising(NotInstalledError("absent"))),
            Peer("picky", raising(LeftOutError("not this"))),
            Peer("bad", raising(RuntimeError("out of order"))),
            Peer("slow", answering(42), slow_start=True),
            Peer("slow and absent", answering(42), "no-such-package", slow_start=True),
            Peer("killer", answering(42)),
        ),
        SETTINGS,
        broken={"killer": "ended the process with SIGSEGV"},
    )
    assert {peer.name: peer.status for peer in result.peers} == {
        OURS: "measured",
        "same": "measured",
        "wrong": "wrong",
        "rounds": "differs",
        "absent": "not installed",
        "picky": "left out",
        "bad": "broken",
        "slow": "left out",
        "slow and absent": "not installed",
        "killer": "broken",
    }
    notes = {peer.name: peer.note for peer in result.peers}
    assert notes["bad"] == "RuntimeError: out of order"
    assert notes["wrong"] == "41 is not 42"
    assert notes["killer"] == "ended the process with SIGSEGV"
    timed = {peer.name for peer in result.peers if peer.seconds is not None}
    assert timed == {OURS, "same", "rounds"}
    assert result.best_peer is not None
    assert result.best_peer.name in {"same", "rounds"}


def test_a_wrong_answer_of_ours_stops_everything() -> None:
    """A kernel that is wrong has no speed."""
    for prepare in (answering(41), raising(RuntimeError("no"))):
        with pytest.raises(WrongAnswerError, match="double 21"):
            run_work(work_of(Peer(OURS, prepare)), SETTINGS)


def test_without_peers_only_ours_runs() -> None:
    """``--no-peers`` doesn't even prepare them."""
    ran: list[str] = []
    settings = MachineSettings(threads=1, quick=True, peers=False)
    work = work_of(Peer(OURS, answering(42)), Peer("other", raising(RuntimeError("touched"))))
    result = run_work(work, settings, before=ran.append)
    assert [peer.name for peer in result.peers] == [OURS]
    assert set(ran) == {OURS}
    assert result.best_peer is None
    assert result.times_faster is None


def test_a_result_survives_its_json() -> None:
    """The process that measures hands results over as JSON without losing anything."""
    demand = Demand(int8_multiply_adds=1000)
    result = run_work(work_of(Peer(OURS, answering(42)), demand=demand), SETTINGS)
    assert result.share_of_limit is not None
    again = WorkResult.from_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()


def test_the_limit_is_the_slowest_of_the_demands() -> None:
    """What needs most of the machine's time is what limits."""
    read, computed = Demand(read_bytes=1 << 24), Demand(int8_multiply_adds=10**15)
    both = Demand(read_bytes=1 << 24, int8_multiply_adds=10**15)
    assert limit_of(Demand(), 1, quick=True) is None
    for demand, by in ((read, "reading"), (computed, "int8 multiply-adds")):
        limit = limit_of(demand, 1, quick=True)
        assert limit is not None
        assert (limit.by, limit.seconds > 0) == (by, True)
    assert limit_of(both, 1, quick=True) == limit_of(computed, 1, quick=True)
    assert read_rate(1 << 24, 1, quick=True) > 0
    assert multiply_add_rate("scalar", "float32", 1, quick=True) > 0


def test_a_package_that_is_not_there_is_told_from_one_that_fails() -> None:
    """Only a missing package counts as not installed."""
    with pytest.raises(NotInstalledError):
        installed("no_such_package_anywhere.inside")
    with pytest.raises(ModuleNotFoundError):
        installed("json.no_such_module")


def test_a_benchmark_checks_before_it_times() -> None:
    """What pytest-benchmark gets is a call whose answer was right, or is wrong by design."""
    work = work_of(
        Peer(OURS, answering(42)),
        Peer("wrong", answering(41)),
        Peer("rounds", answering(40), differs="rounds to tens"),
    )
    assert checked_call(work, OURS, 1)() == 42
    assert checked_call(work, "rounds", 1)() == 40
    with pytest.raises(WrongAnswerError):
        checked_call(work, "wrong", 1)
    assert [name for _, name in names_of([work])] == [OURS, "wrong", "rounds"]
