"""One piece of work: everybody prepares, answers, is checked, and only then timed in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.machine.limits import limit_of
from gnomon.machine.peers.engines import engine_of
from gnomon.machine.result import PeerResult, WorkResult
from gnomon.machine.timing import interleaved, timed
from gnomon.machine.work import OURS, LeftOutError, NotInstalledError, WrongAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gnomon.machine.result import Status
    from gnomon.machine.settings import MachineSettings
    from gnomon.machine.timing import Seconds
    from gnomon.machine.work import Peer, Work


def run_work(
    work: Work[Any, Any],
    settings: MachineSettings,
    *,
    broken: Mapping[str, str] | None = None,
    before: Callable[[str], None] = lambda _peer: None,
) -> WorkResult:
    """Measure a piece of work.

    Parameters
    ----------
    work
        The work with those who do it.
    settings
        Threads, time, and whether peers take part.
    broken
        Peers that must not be tried again, with the reason.
    before
        Told the name of a peer before its code runs, so that one that kills the process is known.

    Raises
    ------
    WrongAnswerError
        Our own answer is not that of the reference, which is a fault of gnomon.
    """
    task = work.make()
    results: dict[str, PeerResult] = {}
    calls: dict[str, Callable[[], object]] = {}
    first: dict[str, Seconds] = {}
    for peer in work.peers:
        if peer.name != OURS and not settings.peers:
            continue
        before(peer.name)
        status, note = _prepared(peer, work, task, settings, broken or {}, calls, first)
        if peer.name == OURS and status in {"wrong", "broken"}:
            raise WrongAnswerError(f"{work.name}: {note}")
        results[peer.name] = PeerResult(
            name=peer.name, status=status, package=peer.package, version=peer.version, note=note
        )
    least = interleaved(calls, first, settings.seconds_per_peer, before=before)
    limit = limit_of(work.demand, settings.threads, quick=settings.quick)
    return WorkResult(
        kernel=work.kernel,
        name=work.name,
        what=work.what,
        amount=work.amount,
        unit=work.unit,
        limit_seconds=limit.seconds if limit else None,
        limited_by=limit.by if limit else None,
        peers=[
            _with_time(result, least.get(name), settings.threads)
            for name, result in results.items()
        ],
    )


def _prepared(
    peer: Peer[Any, Any],
    work: Work[Any, Any],
    task: object,
    settings: MachineSettings,
    broken: Mapping[str, str],
    calls: dict[str, Callable[[], object]],
    first: dict[str, Seconds],
) -> tuple[Status, str]:
    """Add the call of a peer and its first time, and return how its first answer looks."""
    if peer.name in broken:
        return "broken", broken[peer.name]
    if peer.slow_start and settings.quick:
        missing = bool(peer.package) and peer.version is None
        return ("not installed", "") if missing else ("left out", "slow to start")
    answers: list[object] = []
    try:
        call = peer.prepare(task, settings.threads)
        warm_up = timed(lambda: answers.append(call()))
        work.check(task, answers.pop())
    except NotInstalledError:
        return "not installed", ""
    except LeftOutError as reason:
        return "left out", str(reason)
    except WrongAnswerError as error:
        if not peer.differs:
            return "wrong", str(error)
        calls[peer.name], first[peer.name] = call, warm_up
        return "differs", peer.differs
    except Exception as error:  # whatever a peer does, the others are measured
        return "broken", f"{type(error).__name__}: {error}"
    calls[peer.name], first[peer.name] = call, warm_up
    return "measured", ""


def _with_time(result: PeerResult, least: Seconds | None, threads: int) -> PeerResult:
    if least is None:
        return result
    return PeerResult(
        name=result.name,
        status=result.status,
        package=result.package,
        version=result.version,
        note=result.note,
        engine=engine_of(result.package),
        seconds=least.on(threads),
        wall_seconds=least.wall,
        cpu_seconds=least.cpu,
    )
