"""``gnomon bench``: from an index to a verdict, with an answerer of our own in between."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon import audit
from tests.cli.probing import assert_refused
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.probing import Gnomon

GOLD = "Rotate a key every day, and keep the trail of every call. " * 9  # 108 words
GOLDEN: list[dict[str, Any]] = [
    {"id": "rotate", "question": "How do I rotate a key?", "gold_chunks": ["guide/keys#rotate"]},
    {"id": "revoke", "question": "How do I revoke a key?", "gold_chunks": ["guide/keys#revoke"]},
    {"id": "signed", "question": "Is a call signed?", "gold_chunks": ["guide/calls#"]},
    {"id": "trail", "question": "What does the trail list?", "gold_chunks": ["admin/audit"]},
    {
        "id": "follow",
        "question": "and revoke it?",
        "prev_questions": ["How do I rotate a key?"],
        "gold_chunks": ["guide/keys#revoke"],
        "level": "medium",
    },
]
NEGATIVE = {
    "id": "absent",
    "question": "borscht with beetroot",
    "expect": "refuse:no-evidence",
    "level": "low",
}


@pytest.fixture
def served(gnomon: Gnomon) -> None:
    """Build an index and a golden set in the folder of the command line."""
    gnomon("index", write_pages(Path("docs")), "--no-embed", "--quiet")
    records = [{"expect": "answer", "level": "low", "gold_answer": GOLD} | one for one in GOLDEN]
    lines = "".join(json.dumps(one) + "\n" for one in [*records, NEGATIVE])
    Path("gnomon/golden.jsonl").write_text(lines, encoding="utf-8")


def answer(shards: list[Path], out: str, say: Callable[[dict[str, Any], int], str]) -> Path:
    """Answer shards as the protocol says and return the file of answers."""
    lines = []
    for shard in shards:
        _head, *tasks = (json.loads(line) for line in shard.read_text("utf-8").splitlines())
        for task in tasks:
            asked = [turn for turn in task["turns"] if turn["answer"] is None]
            said = [say(task, at) for at, _ in enumerate(asked)]
            lines.append({"id": task["id"], "answers": said})
    path = Path(out)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def saying(seed: str, share: float) -> Callable[[dict[str, Any], int], str]:
    """Return an answerer that keeps a share of the right words and cites its last excerpt."""

    def say(task: dict[str, Any], at: int) -> str:
        words = [
            word
            for n, word in enumerate(GOLD.split())
            if hashlib.sha256(f"{seed}{task['id']}{at}{n}".encode()).digest()[0] < 256 * share
        ]
        cite = f" [cite:{task['citable'][-1]}]" if task["citable"] else ""
        return " ".join(words) + cite

    return say


def emitted(gnomon: Gnomon, name: str) -> Path:
    """Emit both stages of a configuration and return the task file."""
    first = gnomon("bench", "emit", "--config", name, "--quiet", "--json").json
    assert first["stage"] == 1
    shard = gnomon("bench", "shard", first["file"], "--shards", 1, "--json").json["files"][0]
    history = answer([Path(shard)], f"{name}.history.jsonl", saying("h", 0.5))
    args = ("bench", "emit", "--config", name, "--history", history, "--quiet", "--json")
    second = gnomon(*args).json
    assert (second["stage"], second["tasks"], second["refused"]) == (2, 6, 0)
    return Path(second["file"])


def shards_of(gnomon: Gnomon, tasks: Path, n: int) -> list[Path]:
    """Cut tasks into shards."""
    return [Path(p) for p in gnomon("bench", "shard", tasks, "--shards", n, "--json").json["files"]]


@pytest.mark.usefixtures("served")
def test_the_whole_way(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two configurations, both stages, shards, three runs a side, a verdict, a record."""
    one = emitted(gnomon, "five")
    monkeypatch.setenv("GNOMON_GATE_K", "1")
    two = emitted(gnomon, "single")
    assert Path("gnomon/bench/bench-protocol.md").is_file()
    runs: dict[str, list[Path]] = {"five": [], "single": []}
    for tasks, name, share in ((one, "five", 0.95), (two, "single", 0.3)):
        shards = shards_of(gnomon, tasks, 2)
        for run in range(3):
            runs[name].append(answer(shards, f"{name}-{run}.jsonl", saying(f"{name}{run}", share)))
    score = gnomon("bench", "score", "--tasks", f"{one},{two}", "--answers",
                   f"{runs['five'][0]},{runs['single'][0]}")  # fmt: skip
    assert "One run proves nothing" in score.out
    assert "Not measured: the agent loop, tool calls, iterations, latency, tokens." in score.out
    assert "0 of 6 tasks say the same words" in score.out or "1 of 6 tasks say" in score.out
    several = [
        "bench", "runs", "--tasks", f"{one},{two}",
        "--runs-a", ",".join(map(str, runs["five"])),
        "--runs-b", ",".join(map(str, runs["single"])),
    ]  # fmt: skip
    outcome = gnomon(*several)
    (line,) = [line for line in outcome.out.splitlines() if line.startswith("token_f1 ")]
    assert line.endswith("  moved")
    assert "moved: " in outcome.out
    body = gnomon(*several, "--json").json
    assert body["schema"] == "gnomon.bench-runs/1"
    assert [side["distinct_runs"] for side in body["sides"]] == [3, 3]
    assert audit.verify(Path(".gnomon")).records == 3
    trail = Path(".gnomon/audit.jsonl").read_bytes()
    assert b"Rotate" not in trail
    assert b"revoke" not in trail


@pytest.mark.usefixtures("served")
def test_a_run_against_itself(gnomon: Gnomon) -> None:
    """Zero difference and p = 1 for every measure, with the same files on both sides."""
    tasks = emitted(gnomon, "one")
    shards = shards_of(gnomon, tasks, 3)
    runs = [answer(shards, f"{run}.jsonl", saying(str(run), 0.6)) for run in range(3)]
    listed = ",".join(map(str, runs))
    args = ("--tasks", f"{tasks},{tasks}", "--runs-a", listed, "--runs-b", listed)
    body = gnomon("bench", "runs", *args, "--json").json
    assert {one["difference"] for one in body["measures"]} == {0.0, None}
    assert {one["p"] for one in body["measures"]} == {1.0, None}
    assert "moved: nothing" in gnomon("bench", "runs", *args).out


@pytest.mark.usefixtures("served")
def test_one_side_alone(gnomon: Gnomon) -> None:
    """A table without differences, and the answers that cite what they were not given."""
    tasks = emitted(gnomon, "one")
    answers = answer(shards_of(gnomon, tasks, 1), "a.jsonl", lambda *_: "So [cite:guide/magic].")
    outcome = gnomon("bench", "score", "--tasks", tasks, "--answers", answers)
    assert "one: 6 answers cite what was not given: " in outcome.out
    assert "difference" not in outcome.out


@pytest.mark.usefixtures("served")
def test_a_level_has_files_of_its_own(gnomon: Gnomon) -> None:
    """A smoke emit leaves the full one alone; without follow-ups there is no stage 1."""
    tasks = emitted(gnomon, "one")
    before = tasks.read_bytes()
    smoke = gnomon("bench", "emit", "--config", "one", "--level", "low", "--quiet", "--json").json
    assert (smoke["file"], smoke["stage"]) == ("gnomon/bench/one.low.tasks.jsonl", 2)
    assert tasks.read_bytes() == before
    refused = gnomon("bench", "emit", "--config", "one", "--level", "low",
                     "--history", "one.history.jsonl", code=2)  # fmt: skip
    assert_refused(refused, "no record has an earlier turn")


@pytest.mark.usefixtures("served")
def test_a_history_of_other_words(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers to the earlier turns of another configuration don't fit."""
    emitted(gnomon, "five")
    monkeypatch.setenv("GNOMON_GATE_K", "1")
    refused = gnomon("bench", "emit", "--config", "single", "--history", "five.history.jsonl",
                     "--quiet", code=3)  # fmt: skip
    assert_refused(refused, "missing: ", "of no task: ")
    assert not Path("gnomon/bench/single.tasks.jsonl").exists()


@pytest.mark.usefixtures("served")
def test_a_history_that_is_not_there(gnomon: Gnomon) -> None:
    """It is told before any question is ranked."""
    refused = gnomon("bench", "emit", "--config", "one", "--history", "nowhere.jsonl", code=3)
    assert_refused(refused, "nowhere.jsonl: no such file")
    assert "records: " not in refused.err


@pytest.mark.usefixtures("served")
def test_earlier_turns_are_not_scored(gnomon: Gnomon) -> None:
    """The message says what to do with their answers."""
    first = gnomon("bench", "emit", "--config", "one", "--quiet", "--json").json
    answers = answer(shards_of(gnomon, Path(first["file"]), 1), "a.jsonl", lambda *_: "So.")
    refused = gnomon("bench", "score", "--tasks", first["file"], "--answers", answers, code=3)
    assert_refused(refused, "emit --history")


@pytest.mark.usefixtures("served")
def test_a_judge(gnomon: Gnomon) -> None:
    """Pairs and key apart, the key for its owner alone; a word that gates nothing."""
    tasks = emitted(gnomon, "one")
    shards = shards_of(gnomon, tasks, 1)
    one = answer(shards, "a.jsonl", lambda *_: "Short.")
    two = answer(shards, "b.jsonl", lambda *_: "A much longer answer.")
    args = ("--tasks", f"{tasks},{tasks}", "--answers", f"{one},{two}")
    made = gnomon("bench", "judge-emit", *args, "--pairs", "p.jsonl", "--key", "k.json")
    assert "6 pairs, 0 of which tell their side" in made.out
    assert Path("k.json").stat().st_mode & 0o777 == 0o600
    key = json.loads(Path("k.json").read_text("utf-8"))
    pairs = Path("p.jsonl").read_text("utf-8")
    assert key["secret"] not in pairs
    told = [
        {"pair": pair["pair"], "verdict": "x" if pair["x"].startswith("A much") else "y"}
        for pair in map(json.loads, pairs.splitlines()[1:])
    ]
    Path("v.jsonl").write_text("".join(json.dumps(v) + "\n" for v in told), encoding="utf-8")
    score = ("bench", "judge-score", "--pairs", "p.jsonl", "--key", "k.json")
    outcome = gnomon(*score, "--verdicts", "v.jsonl")
    assert outcome.out.startswith("blind pairs: 6; one 0, one 6, ties 0; p 0.0312")
    assert "advisory" in outcome.out
    again = gnomon("bench", "judge-emit", *args, "--pairs", "p.jsonl", "--key", "k2.json", code=2)
    assert_refused(again, "is not written over")
    same = gnomon("bench", "judge-emit", *args, "--pairs", "q", "--key", "q", code=2)
    assert_refused(same, "must not see the key")
    Path("v.jsonl").write_text(json.dumps(told[0]) + "\n", encoding="utf-8")
    assert_refused(gnomon(*score, "--verdicts", "v.jsonl", code=3), "no verdict on pair 2, 3")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["emit"], "Missing option '--config'"),
        (["emit", "--config", "../x"], "'../x' is no name"),
        (["emit", "--config", "a.low"], "'a.low' is no name"),
        (["emit", "--config", "a", "--level", "mid"], "'mid' is not one of"),
        (["emit", "--config", "a", "--embedder", "magic:"], "is none of"),
        (["shard", "t", "--shards", "0"], "0 is not in the range"),
        (["score", "--tasks", "a,b", "--answers", "a"], "expected one or two of each"),
        (["score", "--tasks", "a,,b", "--answers", "a"], "names no file between two commas"),
        (["score", "--tasks", "a,b,c", "--answers", "a,b,c"], "expected one or two of each"),
        (["runs", "--tasks", "a", "--runs-a", "1", "--runs-b", "1"], "two configurations"),
        (
            ["runs", "--tasks", "a,b", "--runs-a", "1,2", "--runs-b", "1,2,3"],
            "--runs-a names 2 runs; a spread needs 3",
        ),
        (
            ["runs", "--tasks", "a,b", "--runs-a", "1,2,3", "--runs-b", "1,2,./1"],
            "--runs-b names one run twice",
        ),
        (["judge-emit", "--tasks", "a", "--answers", "b", "--pairs", "p", "--key", "k"], "two of"),
    ],
)
def test_usage(gnomon: Gnomon, args: list[str], said: str) -> None:
    """Flags are checked before any file is opened."""
    assert_refused(gnomon("bench", *args, code=2), said)


def test_no_such_files(gnomon: Gnomon) -> None:
    """What is not there is named."""
    assert_refused(gnomon("bench", "score", "--tasks", "t", "--answers", "a", code=3), "t: no such")
    assert_refused(gnomon("bench", "shard", "t", "--shards", "1", code=3), "t: no such file")
