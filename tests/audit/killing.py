"""Kills writers in the middle of an append; run by test_kill.py as a script.

One process that has imported everything forks the writers, so that each of them is killed while
appending and not while starting. Prints one JSON object per kill.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from gnomon import audit

RECORD: dict[str, Any] = {
    "action": "probe",
    "inputs": {"text": "x" * 20_000},
    "outputs": {"decision": "caution"},
    "env": {},
    "version": "0",
}
CALLS = ("open", "write", "fsync", "ftruncate", "close")


def main() -> None:
    """Run the rounds that the command line asks for."""
    mode, directory, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    for number in range(rounds):
        if mode == "random":
            # A fresh trail now and then, so that verifying stays short.
            report = kill_at_random(directory / f"trail-{number // 20}", random.Random(number))
        else:
            report = kill_at_call(directory / f"trail-{number}", number, torn=mode == "torn")
        sys.stdout.write(json.dumps(report) + "\n")
        sys.stdout.flush()


def kill_at_random(state_dir: Path, chance: random.Random) -> dict[str, Any]:
    """Kill a writer at a random instant; return what it had announced and what is there.

    The instant is counted from the start, or from the first to third announcement, so that a busy
    machine is killed in the middle of appends as well.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        while True:
            record = audit.append(state_dir, **RECORD)
            os.write(writer, f"{record.seq} {record.hash}\n".encode())
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        lines = [pipe.readline() for _ in range(chance.randrange(4))]
        time.sleep(chance.uniform(0.0, 0.004))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lines += pipe.readlines()
    return report_on(state_dir, [line.decode().split() for line in lines])


def kill_at_call(state_dir: Path, number: int, *, torn: bool) -> dict[str, Any]:
    """Kill a writer right before its ``number``-th system call, or after half of a write."""
    audit.append(state_dir, **RECORD)
    child = os.fork()
    if child == 0:
        arm(number, torn=torn)
        audit.append(state_dir, **RECORD)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return {**report_on(state_dir, []), "survived": os.WIFEXITED(status)}


def arm(number: int, *, torn: bool) -> None:
    """Replace the calls of ``os`` by ones that count and, at ``number``, end the process."""
    left = number

    def deadly(real: Any, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            if left == 0:
                if torn and name == "write":
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return real(*args, **kwargs)

        return call

    for name in CALLS:
        setattr(os, name, deadly(getattr(os, name), name))


def report_on(state_dir: Path, announced: list[list[str]]) -> dict[str, Any]:
    """Return what verification says, whether all announced records are there, and mend."""
    if not audit.trail_path(state_dir).exists():
        return {"kind": None, "records": 0, "announced": len(announced), "lost": len(announced)}
    verdict = audit.verify(state_dir)
    kind = verdict.problem.kind if verdict.problem else None
    if kind == "torn_tail":
        audit.repair(state_dir, env={})
    hashes = {str(record.seq): record.hash for record in audit.read_records(state_dir)}
    lost = sum(hashes.get(seq) != digest for seq, digest in announced)
    return {
        "kind": kind,
        "records": verdict.records,
        "announced": len(announced),
        "lost": lost,
        "ok": audit.verify(state_dir).ok,
    }


if __name__ == "__main__":
    main()
