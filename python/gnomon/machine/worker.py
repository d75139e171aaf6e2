"""The process that measures: started by `measure`, with the pools of every library pinned.

Libraries read how many threads they may start when they are loaded, so that must be settled
before; and a peer that kills its process must not take the command with it. Requests and events
are lines of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import IO, TYPE_CHECKING, Any

from gnomon.machine.limits import measured_limits
from gnomon.machine.run import run_work
from gnomon.machine.settings import MachineSettings
from gnomon.machine.standard import works_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def main() -> None:
    """Measure what stdin asks for and write events to what was stdout."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command hears it too, and ends this process
    # Whatever libraries print goes to stderr.
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.loads(sys.stdin.read())
    settings = MachineSettings(**request["settings"])
    if request["limits"]:
        limits = measured_limits(settings.threads, quick=settings.quick).to_json()
        _tell(events, {"event": "limits", "limits": limits})
    works = {work.name: work for work in works_of(settings)}
    for name in request["works"]:
        result = run_work(
            works[name],
            settings,
            broken=request["broken"].get(name, {}),
            before=lambda peer, name=name: _tell(  # type: ignore[misc]
                events, {"event": "running", "work": name, "peer": peer}
            ),
        )
        _tell(events, {"event": "work", "result": result.to_json()})


def _tell(events: IO[str], event: Mapping[str, Any]) -> None:
    events.write(json.dumps(event) + "\n")
    events.flush()


if __name__ == "__main__":
    main()
