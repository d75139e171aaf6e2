"""Programs that a page tells its reader to write do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.embedding.service import running
from tests.evaluation.bench_sides import emit, index_of
from tests.evaluation.chat_service import speaking

from gnomon import audit
from gnomon.evaluation.bench_answers import read_answers
from gnomon.evaluation.bench_shards import write_shards
from gnomon.evaluation.bench_tasks import TaskFile

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def program(page: str) -> str:
    """Return the one Python program of a page."""
    (found,) = re.findall(
        r"^```python\n(.*?)^```",
        (HOW_TO / page).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    return str(found)


def test_a_trail_verifies_without_gnomon(tmp_path: Path) -> None:
    """The program of the page accepts a sound trail and stops at an altered one."""
    code = program("verify-a-trail.md")
    assert "gnomon." not in code.replace(".gnomon", "")
    state = tmp_path / ".gnomon"
    for number in (7, 8, 9):
        audit.append(state, action="probe", inputs={}, outputs={"k": number}, env={})

    def run() -> int:
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
        ).returncode

    assert run() == 0
    trail = state / "audit.jsonl"
    trail.write_bytes(trail.read_bytes().replace(b'"k":8', b'"k":3'))
    assert run() == 1


def test_an_answerer_follows_the_protocol(tmp_path: Path) -> None:
    """The program of the page answers shards of both stages, and its answers are accepted."""
    code = program("compare-two-configurations.md")
    index = index_of(tmp_path)

    def answer(tasks: TaskFile) -> dict[str, tuple[str, ...]]:
        (shard,) = write_shards(tmp_path, tasks, 1)
        out = tmp_path / "answers.jsonl"
        variables = {"GNOMON_CHAT_ENDPOINT": service.url, "GNOMON_CHAT_MODEL": "small"}
        subprocess.run(
            [sys.executable, "-c", code, str(shard), str(out)],
            env=os.environ | variables,
            check=True,
        )
        return read_answers(out, tasks)

    with running() as service:
        speaking(service, lambda messages: f"{len(messages)} messages")
        assert list(answer(emit(index, stage=1)).values()) == [("2 messages", "4 messages")]
        answers = answer(emit(index))
    assert sorted(answers.values()) == [("2 messages",)] * 6 + [("6 messages",)]
