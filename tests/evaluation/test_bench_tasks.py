"""Tasks, shards and answers: what is sent, what is withheld, what is refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.bench_sides import GOLD, RECORDS, answered, emit, index_of, primed_records
from tests.evaluation.records import record

from gnomon.errors import InvalidInputError, MissingInputError, UsageError
from gnomon.evaluation.bench_answers import read_answers
from gnomon.evaluation.bench_emit import scored_tasks
from gnomon.evaluation.bench_shards import protocol, write_shards
from gnomon.evaluation.bench_tasks import Task, TaskFile, read_tasks, write_tasks
from gnomon.evaluation.gate_only import setup_of
from gnomon.evaluation.prompts import REFUSAL, Excerpt, PrimedTurn, Prompt
from gnomon.retrieval.guard import Guard
from gnomon.retrieval.index import Index


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Return an index."""
    return index_of(tmp_path)


def refusing(index: Index, *, tau: float) -> Index:
    """Return an index whose guard refuses under a threshold."""
    manifest = replace(index.manifest, guard_mode="calibrated", guard=Guard(tau=tau))
    return Index(manifest, index.chunks, index.finder, index._stored, index.embedder)


def shard_bytes(folder: Path, tasks: TaskFile, shards: int = 2) -> bytes:
    """Return all bytes of the shards of a file."""
    folder.mkdir(exist_ok=True)
    return b"".join(path.read_bytes() for path in write_shards(folder, tasks, shards))


class TestTasks:
    """What a configuration would send."""

    def test_both_stages(self, index: Index) -> None:
        """Stage 1 asks the earlier turns of follow-ups, stage 2 the scored one behind them."""
        first, second = emit(index, stage=1), emit(index)
        (task,) = first.tasks
        assert (task.record.id, len(task.turns), task.asked) == ("follow", 2, 2)
        assert [message.role for message in task.messages] == ["system"]
        assert len(second.tasks) == len(RECORDS)
        follow = next(task for task in second.tasks if task.record.id == "follow")
        roles = ["system", "user", "assistant", "user", "assistant"]
        assert [message.role for message in follow.messages] == roles
        assert [m.content for m in follow.messages[1::2]] == [t.content for t in task.turns]
        assert [m.content for m in follow.messages[2::2]] == ["So.", "So."]
        assert follow.turns[0].content.endswith("Question: and for calls?")
        assert set(task.citable) <= set(follow.citable)

    def test_citable_ids_are_those_in_the_words(self, index: Index) -> None:
        """What a later turn finds may not be cited before, nor what a refused turn would show."""
        (one,) = primed_records(index, [record("x", "How?", previous=["borscht"])])
        never = PrimedTurn("borscht", (Excerpt("never/shown#", "", ""),), refused=True)
        setup = setup_of(index, "index", RECORDS, level=None, limit=None, prompt_hash="0")
        some = scored_tasks("one", setup, [replace(one, earlier=(never,))], Prompt(), {})
        assert some.tasks[0].messages[2].content == REFUSAL
        for tasks in (emit(index, stage=1), emit(index), some):
            for task in tasks.to_answer:
                words = [m.content for m in task.messages] + [t.content for t in task.turns]
                shown = re.findall(r'<excerpt id="([^"]*)">', "\n".join(words))
                assert set(task.citable) == set(shown)

    def test_the_order_is_that_of_ids(self, index: Index) -> None:
        """Negatives often stand last in a set; the order of tasks must not tell."""
        ids = [task.id for task in emit(index).tasks]
        assert ids == sorted(ids)
        assert ids == [task.id for task in emit(index, RECORDS[::-1]).tasks]

    def test_a_refused_record(self, index: Index) -> None:
        """It is in the file and is not sent."""
        tasks = emit(refusing(index, tau=1.0))
        assert len(tasks.to_answer) < len(tasks.tasks)
        assert all(task.is_refused for task in tasks.tasks if task.record.id == "absent")

    def test_a_refused_earlier_turn(self, index: Index) -> None:
        """It is answered already, by the guard's own words."""
        records = [
            record("x", "How do I rotate a key?", gold=["guide"], previous=["borscht", "a key?"])
        ]
        (task,) = emit(refusing(index, tau=0.5), records, stage=1).tasks
        assert [turn.answer for turn in task.turns] == [REFUSAL, None]
        assert task.asked == 1

    def test_names(self, index: Index) -> None:
        """A smoke emit has a file of its own, and so have the earlier turns."""
        assert emit(index).name == "one.tasks.jsonl"
        assert emit(index, level="low").name == "one.low.tasks.jsonl"
        assert emit(index, level="low", stage=1).name == "one.low.stage-1.tasks.jsonl"

    def test_written_and_read(self, index: Index, tmp_path: Path) -> None:
        """Nothing is lost on the way through a file."""
        tasks = emit(index)
        path = write_tasks(tmp_path, tasks)
        again = read_tasks(path)
        assert [task.id for task in again.tasks] == [task.id for task in tasks.tasks]
        assert again.hash == tasks.hash
        assert write_tasks(tmp_path, again).read_bytes() == path.read_bytes()

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"schema": "x"}, "line 1: the schema is 'x'"),
            ({"protocol": 2}, "protocol 2; expected"),
            ({"tasks": 9}, "holds 7 tasks and says 9"),
            ({"config": "../../etc/x"}, "the configuration '../../etc/x'"),
            ({"level": "../x"}, "the level '../x'"),
            ({"setup": {}}, "what was measured on"),
            ({"setup": {"index": 5}}, "what was measured on: 'index.name', 'index.hash'"),
            ({"stage": 1}, "was edited since it was written"),
            ({"note": 1}, "was edited since it was written"),
            ({"sha256": None}, "was edited since it was written"),
        ],
    )
    def test_a_bad_head(
        self, index: Index, tmp_path: Path, changes: dict[str, Any], said: str
    ) -> None:
        """A file of another version, cut short, or with names that would become paths."""
        path = write_tasks(tmp_path, emit(index))
        head, *rest = path.read_text("utf-8").splitlines()
        path.write_text("\n".join([json.dumps(json.loads(head) | changes), *rest]), "utf-8")
        with pytest.raises(InvalidInputError) as refused:
            read_tasks(path)
        assert said in str(refused.value)

    @pytest.mark.parametrize(
        "changes",
        [
            {"values": {"mrr": 7}},
            {"values": {"mrr": float("nan")}},
            {"values": {"mrr": "1"}},
            {"values": None},
            {"labels": 3},
            {"gold_answer": 5},
            {"messages": [3]},
            {"turns": [{"content": "x", "answer": 1}]},
            {"citable": None},
        ],
        ids=str,
    )
    def test_a_damaged_task(self, index: Index, tmp_path: Path, changes: dict[str, Any]) -> None:
        """The line is named, without a traceback; a figure outside its range is none."""
        path = write_tasks(tmp_path, emit(index))
        head, first, *rest = path.read_text("utf-8").splitlines()
        bad = json.dumps(json.loads(first) | changes)
        path.write_text("\n".join([head, bad, *rest]), "utf-8")
        with pytest.raises(InvalidInputError, match=r"line 2: the task is damaged"):
            read_tasks(path)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda task: task.pop("record"), "'record' missing"),
            (lambda task: (task.pop("gate"), task.pop("id")), "'id', 'gate' missing"),
            (lambda task: task.update(labels=[]), "'labels' is a JSON array instead of an object"),
            (
                lambda task: task.update(negative=0),
                "'negative' is a JSON number instead of true or",
            ),
            (lambda task: task.pop("gold_answer"), "'gold_answer' is missing"),
            (lambda task: task["messages"][0].pop("role"), "'role' is missing"),
            (lambda task: task.update(turns=[3]), "has another JSON type than it should"),
        ],
    )
    def test_what_is_wrong_with_a_task_is_said_in_words(
        self, index: Index, tmp_path: Path, change: Any, said: str
    ) -> None:
        """File, line and field; no name of an exception."""
        path = write_tasks(tmp_path, emit(index))
        head, first, *rest = path.read_text("utf-8").splitlines()
        task = json.loads(first)
        change(task)
        path.write_text("\n".join([head, json.dumps(task), *rest]), "utf-8")
        with pytest.raises(
            InvalidInputError, match=r"tasks\.jsonl: line 2: the task is damaged"
        ) as e:
            read_tasks(path)
        assert said in str(e.value)
        assert "Error" not in str(e.value)

    @pytest.mark.parametrize(
        "change",
        [
            lambda task: task.update(gold_chunks=["guide/other"]),
            lambda task: task.update(negative=not task["negative"]),
            lambda task: task["values"].update(mrr=0.125),
            lambda task: task.update(more=1),
        ],
        ids=["gold", "negative", "figure", "field"],
    )
    def test_edited_gold_and_figures(self, index: Index, tmp_path: Path, change: Any) -> None:
        """They are no part of the id, which tells nothing of them; the head has their hash."""
        path = write_tasks(tmp_path, emit(index))
        head, first, *rest = path.read_text("utf-8").splitlines()
        task = json.loads(first)
        change(task)
        path.write_text("\n".join([head, json.dumps(task), *rest]), "utf-8")
        with pytest.raises(InvalidInputError, match=r"tasks\.jsonl: was edited since"):
            read_tasks(path)

    @pytest.mark.parametrize("lost", ["golden_hash", "prompt_hash"])
    def test_a_head_that_lacks_what_sides_are_compared_by(
        self, index: Index, tmp_path: Path, lost: str
    ) -> None:
        """It is named; scoring would end in a traceback."""
        path = write_tasks(tmp_path, emit(index))
        head, *rest = path.read_text("utf-8").splitlines()
        body = json.loads(head)
        del body["setup"][lost]
        path.write_text("\n".join([json.dumps(body), *rest]), "utf-8")
        with pytest.raises(InvalidInputError, match=f"line 1: .* on: 'setup.{lost}'"):
            read_tasks(path)

    def test_an_edited_task(self, index: Index, tmp_path: Path) -> None:
        """The id belongs to the words."""
        path = write_tasks(tmp_path, emit(index))
        path.write_text(path.read_text("utf-8").replace("Rotate a key", "Turn a key"), "utf-8")
        with pytest.raises(InvalidInputError, match="the task was edited"):
            read_tasks(path)


class TestShards:
    """What answerers get."""

    def test_no_gold_in_the_bytes(self, index: Index, tmp_path: Path) -> None:
        """Neither gold answer, nor gold that was not retrieved, nor identifier, nor any label."""
        marked = [
            replace(
                one,
                gold_chunks=(*one.gold_chunks, f"gold-only/page-{one.id}#part"),
                gold_answer=f"{GOLD} but {one.id} is marked",
                identifiers=(f"marked_identifier_{one.id}",),
                level="medium",
                kind="marked-kind",
                lang="xx",
            )
            for one in RECORDS
        ]
        content = shard_bytes(tmp_path / "shards", emit(index, marked))
        assert b"How do I rotate a key?" in content
        for one in marked:
            for secret in (
                *one.gold_chunks[1:],
                one.gold_answer or "",
                *one.identifiers,
                f'"{one.id}"',
            ):
                assert secret.encode() not in content
        for word in (b"marked", b"gold", b"refuse:", b"expect", b"medium", b"negative", b"level"):
            assert word not in content

    def test_gold_has_no_influence(self, index: Index, tmp_path: Path) -> None:
        """Whatever is gold, the bytes of the shards are the same."""
        others = [
            replace(
                one,
                gold_chunks=("admin",),
                gold_answer="another",
                identifiers=("x",),
                expect="answer" if one.expect != "answer" else "refuse:no-evidence",
                kind="k",
                level="ultra",
            )
            for one in RECORDS
        ]
        first = shard_bytes(tmp_path / "one", emit(index))
        assert shard_bytes(tmp_path / "two", emit(index, others)) == first
        stage_1 = shard_bytes(tmp_path / "three", emit(index, stage=1), 1)
        assert shard_bytes(tmp_path / "four", emit(index, others, stage=1), 1) == stage_1

    def test_every_task_once(self, index: Index, tmp_path: Path) -> None:
        """Sizes differ by one at most, and the protocol lies beside."""
        tasks = emit(index)
        paths = write_shards(tmp_path, tasks, 3)
        assert [path.name for path in paths] == [f"one.shard-{n}-of-3.jsonl" for n in (1, 2, 3)]
        parts = [
            [json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in paths
        ]
        assert [part[0]["tasks"] for part in parts] == [3, 2, 2]
        assert [len(part) for part in parts] == [4, 3, 3]
        ids = [task["id"] for part in parts for task in part[1:]]
        assert sorted(ids) == [task.id for task in tasks.to_answer]
        assert set(parts[0][1]) == {"id", "messages", "turns", "citable"}
        assert (tmp_path / "bench-protocol.md").read_bytes() == protocol()

    def test_more_shards_than_tasks(self, index: Index, tmp_path: Path) -> None:
        """An empty shard is no work for anybody."""
        with pytest.raises(UsageError, match="--shards 9 is more than the 7 tasks"):
            write_shards(tmp_path, emit(index), 9)

    def test_the_protocol_in_the_docs(self) -> None:
        """The page that readers see is the file that answerers get."""
        page = Path(__file__).parents[2] / "docs" / "bench-protocol.md"
        assert page.read_bytes() == protocol()


class TestAnswers:
    """Every task is answered once, or nothing is scored."""

    @staticmethod
    def lines(tasks: TaskFile) -> list[dict[str, Any]]:
        """Return an answer to every task."""
        return [{"id": task.id, "answer": " So. "} for task in tasks.to_answer]

    @staticmethod
    def write(path: Path, lines: list[dict[str, Any]]) -> Path:
        """Write answers."""
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def test_read(self, index: Index, tmp_path: Path) -> None:
        """By id, without the blanks around; a list of one is a text."""
        tasks = emit(index)
        lines = self.lines(tasks)
        lines[0] = {"id": lines[0]["id"], "answers": ["So."], "model": "ignored"}
        found = read_answers(self.write(tmp_path / "a.jsonl", lines[::-1]), tasks)
        assert found == answered(tasks, lambda _: "So.")

    def test_a_folder(self, index: Index, tmp_path: Path) -> None:
        """The answers of several shards, one file each; something else may lie beside."""
        tasks = emit(index)
        lines = self.lines(tasks)
        folder = tmp_path / "answers"
        folder.mkdir()
        self.write(folder / "1.jsonl", lines[:3])
        self.write(folder / "2.jsonl", lines[3:])
        (folder / "notes.txt").write_text("mine", encoding="utf-8")
        assert len(read_answers(folder, tasks)) == 7
        with pytest.raises(MissingInputError, match=r"holds no \.jsonl"):
            read_answers(tmp_path / "docs", tasks)

    def test_ids_that_do_not_fit(self, index: Index, tmp_path: Path) -> None:
        """Missing, unknown and repeated ones are all named."""
        tasks = emit(index)
        lines = self.lines(tasks)
        wrong = [*lines[1:], lines[3], {"id": "made-up", "answer": "So."}]
        with pytest.raises(InvalidInputError) as refused:
            read_answers(self.write(tmp_path / "a.jsonl", wrong), tasks)
        message = str(refused.value)
        assert f"missing: '{lines[0]['id']}'" in message
        assert "of no task: 'made-up'" in message
        assert f"answered twice: '{lines[3]['id']}' at {tmp_path}/a.jsonl: line 7" in message

    def test_answers_to_other_words(self, index: Index, tmp_path: Path) -> None:
        """The ids of another configuration's tasks are unknown where the words differ."""
        tasks = emit(index)
        other = emit(refusing(index, tau=0.31), [*RECORDS[:5], RECORDS[6]])
        lines = [{"id": task.id, "answer": ""} for task in other.to_answer]
        with pytest.raises(InvalidInputError, match="missing: "):
            read_answers(self.write(tmp_path / "a.jsonl", lines), tasks)

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ({"answer": "So."}, "has no 'id'"),
            ({"id": 3, "answer": "So."}, "has no 'id'"),
            ({"id": "?"}, "needs either 'answer'"),
            ({"id": "?", "answer": "a", "answers": ["a"]}, "needs either 'answer'"),
            ({"id": "?", "answer": 4}, "is a JSON number"),
            ({"id": "?", "answers": ["a", "b"]}, "2 answers to"),
            ({"id": "?", "answers": [None]}, "is a JSON array of something else"),
            ({"id": "?", "answer": "\ud800"}, "half of a surrogate pair"),
            ({"id": "?", "answer": "x" * ((1 << 20) + 1)}, "holds 1,048,577 characters"),
        ],
    )
    def test_no_answer(self, index: Index, tmp_path: Path, line: dict[str, Any], said: str) -> None:
        """The line is named, and what was expected."""
        tasks = emit(index)
        line = {name: tasks.tasks[0].id if v == "?" else v for name, v in line.items()}
        path = self.write(tmp_path / "a.jsonl", [line])
        with pytest.raises(InvalidInputError, match="line 1") as refused:
            read_answers(path, tasks)
        assert said in str(refused.value)


def test_an_id_tells_nothing_of_the_record(index: Index) -> None:
    """Names such as neg-3 tell what is expected; an id is a hash over words."""
    tasks = emit(index)
    assert all(len(task.id) == 16 and task.record.id not in task.id for task in tasks.tasks)
    first: Task = tasks.tasks[0]
    assert replace(first, negative=not first.negative, values={}, labels={}).id == first.id
