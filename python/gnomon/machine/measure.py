"""Measuring a machine, in a process of its own that is begun again when a peer ends it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gnomon import kernels
from gnomon.machine.cpu import this_cpu, why_so_many_threads, why_this_isa
from gnomon.machine.pools import pinned
from gnomon.machine.result import MachineResult, WorkResult
from gnomon.machine.standard import works_of
from gnomon.machine.work import OURS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.machine.settings import MachineSettings
    from gnomon.types import Progress

# -P: a file in the current folder must not stand for a package.
_WORKER = (sys.executable, "-P", "-m", "gnomon.machine.worker")


def measure(
    settings: MachineSettings, *, threads_given: int | None, progress: Progress
) -> MachineResult:
    """Measure the limits of this machine and the works that were asked for.

    Parameters
    ----------
    settings
        What to measure.
    threads_given
        The number of threads that the caller asked for, or None: the reason why it is that many.
    progress
        Told after each work.

    Raises
    ------
    RuntimeError
        The measuring process failed while it ran our own code.
    """
    run = _Run(settings, progress)
    run.to_the_end()
    cpu = this_cpu()
    return MachineResult(
        gnomon=importlib.metadata.version("gnomon"),
        quick=settings.quick,
        cpu=cpu,
        isa=kernels.isa(),
        isa_why=why_this_isa(),
        runnable_isas=kernels.runnable_isas(),
        threads=settings.threads,
        threads_why=why_so_many_threads(threads_given, cpu),
        limits=run.limits,
        works=run.results,
    )


class _Run:
    """What has been measured so far, and what is still to be done."""

    def __init__(self, settings: MachineSettings, progress: Progress) -> None:
        self.limits: dict[str, Any] = {}
        self.results: list[WorkResult] = []
        self._settings = settings
        self._progress = progress
        self._waiting = [work.name for work in works_of(settings)]
        self._total = len(self._waiting) + 1
        self._broken: dict[str, dict[str, str]] = {}
        self._running: tuple[str, str] | None = None

    def to_the_end(self) -> None:
        """Start processes until nothing is left; each of them either ends or loses a peer."""
        while self._waiting or not self.limits:
            self._running = None
            with subprocess.Popen(
                _WORKER,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=os.environ | pinned(self._settings.threads),
            ) as process:
                try:
                    for event in self._events(process):
                        self._take(event)
                except BaseException:
                    process.kill()
                    raise
            if process.returncode != 0:
                self._blame(process.returncode)

    def _events(self, process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
        assert process.stdin is not None
        assert process.stdout is not None
        request = {
            "settings": asdict(self._settings),
            "limits": not self.limits,
            "works": self._waiting,
            "broken": self._broken,
        }
        process.stdin.write(json.dumps(request))
        process.stdin.close()
        for line in process.stdout:
            yield json.loads(line)

    def _take(self, event: dict[str, Any]) -> None:
        if event["event"] == "running":
            self._running = (event["work"], event["peer"])
            return
        if event["event"] == "limits":
            self.limits = event["limits"]
        else:
            self.results.append(WorkResult.from_json(event["result"]))
            self._waiting.remove(event["result"]["name"])
            self._running = None
        self._progress(len(self.results) + 1, self._total)

    def _blame(self, code: int) -> None:
        """Note which peer ended the process; ours never may."""
        how = f"exit code {code}" if code > 0 else signal.Signals(-code).name
        if self._running is None or self._running[1] == OURS:
            raise RuntimeError(f"the measuring process ended with {how}; see the lines above")
        work, peer = self._running
        self._broken.setdefault(work, {})[peer] = f"ended the process with {how}"
