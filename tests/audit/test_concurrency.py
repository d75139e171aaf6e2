"""Many writers at once: one chain, nothing lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from gnomon import audit

WRITER = """
import sys
from gnomon import audit
for number in range(int(sys.argv[2])):
    audit.append(sys.argv[1], action="probe", inputs={"writer": sys.argv[3], "number": number},
                 outputs={"decision": "caution"}, env={}, version="0")
"""


def test_eight_processes_leave_one_chain(state_dir: Path) -> None:
    """8 processes x 200 appends: 1,600 records, a valid chain, each writer's in its order."""
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(state_dir), "200", str(writer)])
        for writer in range(8)
    ]
    assert [process.wait(timeout=300) for process in writers] == [0] * 8
    verdict = audit.verify(state_dir)
    assert (verdict.problem, verdict.records) == (None, 1600)
    written: dict[str, list[int]] = {}
    for record in audit.read_records(state_dir):
        written.setdefault(record.inputs["writer"], []).append(record.inputs["number"])
    assert written == {str(writer): list(range(200)) for writer in range(8)}


def test_threads_of_one_process_leave_one_chain(
    state_dir: Path, add: Callable[..., audit.Record]
) -> None:
    """The lock holds between threads as well."""
    threads = [
        threading.Thread(target=lambda: [add(state_dir, number) for number in range(25)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert audit.verify(state_dir).records == 100


def test_readers_never_see_half_a_record(state_dir: Path, add: Callable[..., audit.Record]) -> None:
    """A verification beside a writer takes a size at which no append was under way."""
    add(state_dir, text="x" * 300_000)
    done = threading.Event()

    def write() -> None:
        for number in range(30):
            add(state_dir, number, text="x" * 300_000)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        assert audit.verify(state_dir).ok
    writer.join()
    assert audit.verify(state_dir).records == 31
