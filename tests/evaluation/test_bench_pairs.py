"""Blind pairs: nothing that the judge sees tells which side is which."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.bench_sides import RECORDS, answered, emit, index_of

from gnomon.errors import InvalidInputError, MismatchError
from gnomon.evaluation.bench_pairs import (
    Pairs,
    commitment_of,
    key_body,
    key_text,
    make_pairs,
    pairs_lines,
)
from gnomon.evaluation.bench_tasks import TaskFile
from gnomon.evaluation.bench_verdicts import join_verdicts, judged_json, read_key

SECRET = bytes(range(32))
DRAWS = 400


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> list[TaskFile]:
    """Return two configurations of one index, with many records to pair."""
    index = index_of(tmp_path_factory.mktemp("pairs"))
    records = [
        replace(one, id=f"{one.id}-{n}", question=f"{one.question}{'?' * n}")
        for n in range(3)
        for one in RECORDS
    ]
    tasks = emit(index, records, config="plain-cosine")
    other = {**tasks.setup, "index": {**tasks.setup["index"], "embed_model": "e5-small"}}
    return [tasks, replace(tasks, config="tuned-mmr", setup=other)]


def answers(sides: list[TaskFile]) -> list[dict[str, tuple[str, ...]]]:
    """Return answers that differ everywhere; those of the second side are longer."""
    return [
        answered(sides[0], lambda task: f"Short {task.id}."),
        answered(sides[1], lambda task: f"A longer answer {task.id}, with more words."),
    ]


def secrets_of(draws: int) -> list[bytes]:
    """Return that many secrets."""
    return [n.to_bytes(32, "big") for n in range(draws)]


def test_the_sides_are_balanced(sides: list[TaskFile]) -> None:
    """Of 21 pairs 10 or 11 have the first configuration at x, whatever the secret."""
    counts = [
        sum(pair.first_is_x for pair in make_pairs(sides, answers(sides), secret).pairs)
        for secret in secrets_of(40)
    ]
    assert set(counts) == {10, 11}


def test_no_record_predicts_its_side(sides: list[TaskFile]) -> None:
    """Over many secrets every record, and every place, has either side about half of the time."""
    at_x: dict[object, int] = {}
    said = answers(sides)
    for secret in secrets_of(DRAWS):
        for number, pair in enumerate(make_pairs(sides, said, secret).pairs):
            for what in (pair.record, number):
                at_x[what] = at_x.get(what, 0) + pair.first_is_x
    # Four and a half standard deviations: 42 counts, each 200 give or take 10.
    assert len(at_x) == 42
    assert all(155 <= n <= 245 for n in at_x.values()), at_x


def test_neighbours_do_not_predict_each_other(sides: list[TaskFile]) -> None:
    """Sides do not alternate, nor come in runs, along the order of the pairs."""
    same = total = 0
    said = answers(sides)
    for secret in secrets_of(DRAWS):
        row = [pair.first_is_x for pair in make_pairs(sides, said, secret).pairs]
        same += sum(a == b for a, b in pairwise(row))
        total += len(row) - 1
    assert 0.44 < same / total < 0.50  # 10 of 20 others are on the same side at most


def test_the_order_is_drawn(sides: list[TaskFile]) -> None:
    """Pairs are numbered after they were shuffled, and the secret alone decides."""
    first = [pair.record for pair in make_pairs(sides, answers(sides), SECRET).pairs]
    again = [pair.record for pair in make_pairs(sides, answers(sides), SECRET).pairs]
    other = [pair.record for pair in make_pairs(sides, answers(sides), bytes(32)).pairs]
    assert first == again
    assert first != other
    assert first != sorted(first)
    assert sorted(first) == sorted(other)


def test_what_the_judge_sees(sides: list[TaskFile]) -> None:
    """Questions and texts; neither a name of a side, nor the secret, nor a record, nor an id."""
    made = make_pairs(sides, answers(sides), SECRET)
    key = key_body(made, sides, SECRET)
    content = b"".join(pairs_lines(made, commitment_of(key)))
    rows = [json.loads(line) for line in content.splitlines()]
    assert set(rows[0]) == {"schema", "protocol", "pairs", "key_sha256"}
    assert all(set(row) == {"pair", "question", "previous", "x", "y"} for row in rows[1:])
    for word in ("plain-cosine", "tuned-mmr", SECRET.hex(), "absent-1", "first_is_x"):
        assert word.encode() not in content
    assert rows[0]["key_sha256"] == commitment_of(key)


def test_citations_are_numbers(sides: list[TaskFile]) -> None:
    """Their ids would tell which excerpts were found, and so the configuration."""
    said = [
        answered(sides[0], lambda _: "A [cite:guide/a#] B [cite:guide/b#] [cite:guide/a#]."),
        answered(sides[1], lambda _: "C [cite:guide/c#]."),
    ]
    pair = make_pairs(sides, said, SECRET).pairs[0]
    assert {pair.x, pair.y} == {"A [1] B [2] [1].", "C [1]."}


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Found with tuned-mmr.", True),
        ("Tuned-MMR says so.", True),
        ("untuned-mmrs", False),
        ("cosine 0.8312", True),
        ("version 0.83", False),
        ("1.0.8312", False),
        ("embedded by e5-small", True),
        ("in the index", False),  # both indexes are called so
        ("plain words", False),
    ],
)
def test_answers_that_tell_their_side(sides: list[TaskFile], text: str, tells: bool) -> None:
    """A text that names a configuration or a model, or shows a score, is not blind."""
    said = [answered(sides[0], lambda _: "So."), answered(sides[1], lambda _: text)]
    assert {pair.tells for pair in make_pairs(sides, said, SECRET).pairs} == {tells}


def test_what_both_answers_hold_tells_nothing(sides: list[TaskFile]) -> None:
    """A name that is a plain word of the documentation, and a figure that both quote."""
    said = [
        answered(side, lambda _, n=n: f"{n} tuned-mmr gave 0.8312") for n, side in enumerate(sides)
    ]
    assert not any(pair.tells for pair in make_pairs(sides, said, SECRET).pairs)


def test_equal_answers_are_left_out(sides: list[TaskFile]) -> None:
    """There is nothing to judge about them, and they are counted."""
    same = answered(sides[0], lambda _: "So.")
    made = make_pairs(sides, [same, same], SECRET)
    assert (made.pairs, made.identical) == ((), 21)


class TestVerdicts:
    """What comes back from a judge."""

    @pytest.fixture
    def files(self, sides: list[TaskFile], tmp_path: Path) -> tuple[Path, Path, Pairs]:
        """Write pairs and key; three texts name their side."""
        said = answers(sides)
        for identity in list(said[1])[:3]:
            said[1][identity] = ("I am tuned-mmr.",)
        made = make_pairs(sides, said, SECRET)
        key = key_body(made, sides, SECRET)
        (tmp_path / "key.json").write_text(key_text(key), encoding="utf-8")
        lines = b"".join(pairs_lines(made, commitment_of(key)))
        (tmp_path / "pairs.jsonl").write_bytes(lines)
        return tmp_path / "pairs.jsonl", tmp_path / "key.json", made

    @staticmethod
    def write(path: Path, lines: list[dict[str, Any]]) -> Path:
        """Write verdicts."""
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def test_counted(self, files: tuple[Path, Path, Pairs], tmp_path: Path) -> None:
        """A judge who always prefers the second side, wherever it stands; two ties."""
        pairs, key, made = files
        told = [
            {"pair": n, "verdict": "tie" if n <= 2 else "y" if pair.first_is_x else "x"}
            for n, pair in enumerate(made.pairs, 1)
        ]
        verdicts = self.write(tmp_path / "v.jsonl", told)
        body = judged_json(join_verdicts(pairs, key, verdicts), read_key(key))
        blind, other = body["blind"], body["not_blind"]
        assert (blind["pairs"], other["pairs"]) == (18, 3)
        assert blind["wins"][0] == other["wins"][0] == 0
        assert blind["wins"][1] + other["wins"][1] == 19
        assert blind["ties"] + other["ties"] == 2
        assert blind["p"] == 2 / 2 ** blind["wins"][1]
        assert body["configs"] == ["plain-cosine", "tuned-mmr"]
        assert body["advisory"] is True

    def test_a_judge_of_places(self, files: tuple[Path, Path, Pairs], tmp_path: Path) -> None:
        """Who always says x is seen through by the share of x, and gives no side the lead."""
        pairs, key, made = files
        told = [{"pair": n, "verdict": "x"} for n, _ in enumerate(made.pairs, 1)]
        body = judged_json(
            join_verdicts(pairs, key, self.write(tmp_path / "v.jsonl", told)), read_key(key)
        )
        assert body["chose_x"]["mean"] == 1.0
        assert body["blind"]["p"] > 0.05

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda v: v[:-1], "no verdict on pair 21"),
            (lambda v: [*v, v[0]], "line 22: pair 1 is judged twice"),
            (lambda v: [*v, {"pair": 99, "verdict": "x"}], "there is no pair 99"),
            (lambda v: [{"pair": 1, "verdict": "both"}, *v[1:]], "on pair 1 is 'both'"),
            (lambda v: [{"pair": "1", "verdict": "x"}, *v[1:]], "line 1: has no pair"),
            (lambda v: [{"pair": True, "verdict": "x"}, *v[1:]], "has no pair, a whole number"),
        ],
    )
    def test_bad_verdicts(
        self, files: tuple[Path, Path, Pairs], tmp_path: Path, change: Any, said: str
    ) -> None:
        """Missing, repeated, unknown and impossible ones are named."""
        pairs, key, made = files
        told = change([{"pair": n, "verdict": "x"} for n in range(1, len(made.pairs) + 1)])
        with pytest.raises(InvalidInputError, match="Expected one") as refused:
            join_verdicts(pairs, key, self.write(tmp_path / "v.jsonl", told))
        assert said in str(refused.value)

    def test_another_key(
        self, files: tuple[Path, Path, Pairs], sides: list[TaskFile], tmp_path: Path
    ) -> None:
        """A key of other bytes, an edited key and an edited pair are refused."""
        pairs, key, made = files
        verdicts = self.write(tmp_path / "v.jsonl", [])
        other = tmp_path / "other.json"
        other.write_text(key_text(key_body(made, sides, bytes(32))), encoding="utf-8")
        with pytest.raises(MismatchError, match="was not made with the key"):
            join_verdicts(pairs, other, verdicts)
        swapped = json.loads(key.read_text("utf-8"))
        for one in swapped["pairs"]:
            one["x"] = 0
        other.write_text(key_text(swapped), encoding="utf-8")
        with pytest.raises(MismatchError, match="was not made with the key"):
            join_verdicts(pairs, other, verdicts)
        pairs.write_text(pairs.read_text("utf-8").replace("Short", "Brief", 1), encoding="utf-8")
        with pytest.raises(MismatchError, match="is not the pair that the key"):
            join_verdicts(pairs, key, verdicts)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda rows: rows[1].update(question="another?"), "line 2: is not the pair"),
            (lambda rows: rows[2].update(previous=["before"]), "line 3: is not the pair"),
            (lambda rows: rows[3].update(x="", y=""), "line 4: is not the pair"),
            (lambda rows: rows[4].update(hint="x"), "line 5: is not the pair"),
            (lambda rows: rows[5].update(pair=1), "line 6: is not the pair"),
            (lambda rows: rows[0].update(protocol=9), "line 1: the head was edited"),
            (lambda rows: rows[0].update(note="x is better"), "line 1: the head was edited"),
            (lambda rows: rows.append(rows[1]), "stand twice or in another order"),
            (lambda rows: rows.append(rows.pop(1)), "stand twice or in another order"),
            (lambda rows: rows.pop(), "holds 20 of the 21 pairs"),
            (lambda rows: rows.clear(), "holds 0 of the 21 pairs"),
        ],
        ids=["question", "previous", "texts", "field", "number", "protocol", "note", "twice",
             "order", "cut", "empty"],
    )  # fmt: skip
    def test_edited_pairs(
        self, files: tuple[Path, Path, Pairs], tmp_path: Path, change: Any, said: str
    ) -> None:
        """A judge of other questions, texts or pairs judged something else; the file is named."""
        pairs, key, made = files
        told = [{"pair": n, "verdict": "x"} for n, _ in enumerate(made.pairs, 1)]
        verdicts = self.write(tmp_path / "v.jsonl", told)
        rows = [json.loads(line) for line in pairs.read_text("utf-8").splitlines()]
        join_verdicts(self.write(pairs, rows), key, verdicts)
        change(rows)
        with pytest.raises(MismatchError, match=r"pairs\.jsonl.* restore the file") as refused:
            join_verdicts(self.write(pairs, rows), key, verdicts)
        assert said in str(refused.value)

    @pytest.mark.parametrize(
        ("lost", "said"),
        [
            ("pairs_sha256", "the key is damaged: 'pairs_sha256' is missing"),
            ("configs", "the key is damaged: 'configs' is missing"),
        ],
    )
    def test_a_damaged_key(
        self, files: tuple[Path, Path, Pairs], tmp_path: Path, lost: str, said: str
    ) -> None:
        """What is missing is said in words."""
        body = json.loads(files[1].read_text("utf-8"))
        del body[lost]
        files[1].write_text(json.dumps(body), encoding="utf-8")
        with pytest.raises(InvalidInputError, match=r"key\.json") as refused:
            join_verdicts(files[0], files[1], self.write(tmp_path / "v.jsonl", []))
        assert said in str(refused.value)

    @pytest.mark.parametrize(
        "content",
        ["", "[]", '{"schema": "x"}', '{"schema": "gnomon.bench-key/2", "pairs": 3}'],
    )
    def test_no_key(self, files: tuple[Path, Path, Pairs], tmp_path: Path, content: str) -> None:
        """What is no key is said to be none, without a traceback."""
        bad = tmp_path / "bad.json"
        bad.write_text(content, encoding="utf-8")
        with pytest.raises(InvalidInputError, match=r"bad\.json"):
            join_verdicts(files[0], bad, self.write(tmp_path / "v.jsonl", []))
