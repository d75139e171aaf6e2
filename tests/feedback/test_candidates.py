"""Turns gathered by question, merged into a file that a person has worked on."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.feedback.exports import exported, refusal

from gnomon.errors import InvalidInputError, UsageError
from gnomon.feedback.candidates import (
    Merged,
    check_target,
    merge,
    read_candidates,
    write_candidates,
)
from gnomon.feedback.questions import gather
from gnomon.feedback.turns import parse_turn


def pulled(file: Path, *records: dict[str, Any], since: dt.date | None = None) -> Merged:
    """Merge turns into a file, as the command does."""
    questions = gather((parse_turn(one, "here") for one in records), since=since)
    merged = merge(read_candidates(file), questions, file)
    write_candidates(file, merged.rows)
    return merged


def rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def changed(file: Path, **changes: Any) -> None:
    """Change the first row, as a person would."""
    first, *rest = rows(file)
    lines = [json.dumps(one) + "\n" for one in [first | changes, *rest]]
    file.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a file that does not exist yet."""
    return tmp_path / "candidates.jsonl"


class TestQuestions:
    """What counts as the same question, and what is counted."""

    @pytest.mark.parametrize(
        "spelling",
        ["how do i rotate a key?", " How  do I\trotate\na KEY?", "How do I rotate a key\uff1f"],
    )
    def test_spellings(self, file: Path, spelling: str) -> None:
        """Case, compatibility forms and blanks make no other question; the earliest is kept."""
        late = exported(spelling, time="2026-03-05T09:00:00Z")
        pulled(file, late, exported())
        (row,) = rows(file)
        assert (row["question"], row["feedback"]["turns"]) == ("How do I rotate a key?", 2)

    @pytest.mark.parametrize(
        "other",
        [{"previous": ["How?"]}, {"scope": ["guide"]}, {"question": "How do I rotate keys?"}],
    )
    def test_another_question(self, file: Path, other: dict[str, Any]) -> None:
        """Another question before it or another scope makes it another one."""
        pulled(file, exported(), exported(**other))
        assert len(rows(file)) == 2

    def test_scopes_and_questions_before_it_fold(self, file: Path) -> None:
        """Slashes, the order of paths and the case of what was asked before mean nothing."""
        one = exported(previous=["How?"], scope=["/b/", "a"])
        pulled(file, one, exported(previous=["how?"], scope=["a", "b"]))
        (row,) = rows(file)
        assert row["scope"] == {"kind": "section", "paths": ["a", "b"]}
        assert row["prev_questions"] == ["How?"]

    def test_figures(self, file: Path) -> None:
        """Counts by day, verdict and vote; the share against; what the gate said last."""
        pulled(
            file,
            exported(vote="up", time="2026-03-01T23:30:00-01:00"),
            exported(vote="down"),
            refusal("how do I rotate a key?", "down", time="2026-03-04T09:00:00Z"),
            exported(gate=None),
        )
        (row,) = rows(file)
        found = row["feedback"]
        assert (found["turns"], found["up"], found["down"]) == (4, 1, 2)
        assert (found["down_rate"], found["first"], found["last"]) == (
            0.6667,
            "2026-03-02",
            "2026-03-04",
        )
        assert found["days"] == {
            "2026-03-02": {"admitted": {"up": 1, "down": 1}, "unrecorded": {"none": 1}},
            "2026-03-04": {"refused": {"down": 1}},
        }
        assert found["gate"]["time"].startswith("2026-03-04T09:00:00")
        assert (found["gate"]["passes"], found["gate"]["score"]) == (False, 0.1)
        assert (row["stratum"], row["target"], row["needs_review"]) == (None, "calibration", True)
        assert "verdict changed" in row["reason"]

    def test_since(self, file: Path) -> None:
        """The day counts in UTC, and the day itself belongs to it."""
        early = exported(time="2026-03-02T00:30:00+01:00")  # the first of March in UTC
        pulled(file, early, exported(), since=dt.date(2026, 3, 2))
        assert rows(file)[0]["feedback"]["turns"] == 1

    def test_the_order_of_the_export_means_nothing(self, tmp_path: Path) -> None:
        """Every order of four turns, two of one moment, gives the same bytes."""
        moment = {"time": "2026-03-02T09:00:00Z"}
        records = [
            exported("Rotate?", vote="up", lang="en", **moment),
            exported("rotate?", vote="down", lang="de", **moment),
            refusal("ROTATE?", "down", **moment),
            refusal("Price?", "down"),
        ]
        found = set()
        for at, order in enumerate(itertools.permutations(records)):
            file = tmp_path / f"{at}.jsonl"
            pulled(file, *order)
            found.add(file.read_bytes())
        assert len(found) == 1

    def test_most_disliked_first(self, file: Path) -> None:
        """New rows come by votes against."""
        records = [refusal("a", "up"), refusal("b", "down"), refusal("b", "down")]
        pulled(file, *records, refusal("c", "down"))
        assert [row["question"] for row in rows(file)] == ["b", "c", "a"]

    def test_nothing_acts_on_a_terminal(self, file: Path) -> None:
        """Control and bidirectional characters are escaped in the file and read back whole."""
        asked = "red \x1b[31m \x9b1m \u202e drow"
        pulled(file, exported(asked))
        assert file.read_text("utf-8").removesuffix("\n").isprintable()
        assert rows(file)[0]["question"] == asked


class TestMerge:
    """A pull never undoes what a person did."""

    def test_again(self, file: Path) -> None:
        """The same export counts once, and the file keeps its bytes."""
        records = [exported(vote="up"), refusal("Price?", "down")]
        pulled(file, *records)
        before, stamp = file.read_bytes(), file.stat().st_mtime_ns
        merged = pulled(file, *records)
        assert (merged.new, merged.refreshed, merged.kept) == (0, 2, 0)
        assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, stamp)

    def test_another_day(self, file: Path) -> None:
        """Days add up, in either order, and a part of a day takes nothing away."""
        first = [exported(vote="down"), exported(vote="up")]
        second = exported(vote="up", time="2026-03-09T09:00:00Z")
        pulled(file, *first)
        pulled(file, second)
        pulled(file, first[0])
        one = file.read_bytes()
        found = rows(file)[0]["feedback"]
        assert (found["turns"], found["up"], found["down"]) == (3, 2, 1)
        file.unlink()
        pulled(file, second)
        pulled(file, *first)
        assert file.read_bytes() == one

    def test_suggestions_follow_the_votes(self, file: Path) -> None:
        """A row that nobody touched is suggested anew from all its figures."""
        pulled(file, exported(vote="up"))
        assert rows(file)[0]["target"] == "golden"
        pulled(file, *[exported(vote="down", time="2026-03-09T09:00:00Z")] * 3)
        assert rows(file)[0]["target"] == "docs"

    @pytest.mark.parametrize(
        "change",
        [
            {"needs_review": False, "stratum": "N2", "target": "calibration"},
            {"stratum": "N2"},
            {"note": "ask Ada"},
            {"question": "How often do I rotate a key?"},
            {"reason": "because"},
            {"options": []},
        ],
    )
    def test_a_person_s_word_stands(self, file: Path, change: dict[str, Any]) -> None:
        """Whatever was changed stays, pull after pull; the figures are brought up to date."""
        pulled(file, refusal("How do I rotate a key?", "down"))
        changed(file, **change)
        before = rows(file)[0]
        for day in range(5, 8):
            time = f"2026-03-0{day}T09:00:00Z"
            merged = pulled(file, exported("How do I rotate a key?", vote="up", time=time))
            assert (merged.new, merged.refreshed, merged.kept) == (0, 0, 1)
        (after,) = rows(file)
        assert after.pop("feedback")["turns"] == 4
        del before["feedback"]
        assert after == before

    def test_a_row_of_a_person(self, file: Path) -> None:
        """A row without an id is known by its question, keeps its place and gains figures."""
        file.write_text('{"question": "ROTATE?", "stratum": "U"}\n{"note": 1}\n', "utf-8")
        merged = pulled(file, exported("rotate?", vote="up"), exported("new?"))
        assert (merged.new, merged.kept, merged.unmentioned) == (1, 1, 1)
        first, second, _ = rows(file)
        assert (first["question"], first["stratum"]) == ("ROTATE?", "U")
        assert (first["feedback"]["up"], "needs_review" in first) == (1, False)
        assert second == {"note": 1}

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("{", "line 1: is not valid JSON"),
            ('{"id": "a", "x": NaN}', "line 1: holds NaN"),
            ('{"id": "a", "x": "\\ud800"}', "half a character"),
            ('{"id": "a"}\n{"id": "a"}', "line 2: id 'a' is that of line 1"),
            ('{"id": 7}', "'id' is a JSON number"),
            ('{"question": "How do I rotate a key?", "feedback": 3}', "'feedback' is not as"),
            (
                (
                    '{"question": "How do I rotate a key?", "feedback": {"days": {"2026-03-01": '
                    '{"admitted": {"up": -1}}}}}'
                ),
                "'2026-03-01' are not counts",
            ),
            (
                '{"question": "How do I rotate a key?", "feedback": {"days": {"x": {}}}}',
                "'x' are not counts",
            ),
            ('{"question": "q", "scope": []}', "the scope names no pages"),
        ],
    )
    def test_a_broken_file_is_left_alone(self, file: Path, line: str, said: str) -> None:
        """The message names the line, and not a byte changes."""
        file.write_text(f"{line}\n", encoding="utf-8")
        with pytest.raises(InvalidInputError) as refused:
            pulled(file, exported())
        assert said in str(refused.value)
        assert file.read_text("utf-8") == f"{line}\n"


class TestTarget:
    """Labelled questions are never written to, under whatever name."""

    @pytest.mark.parametrize("name", ["calibration.jsonl", "golden.jsonl", "Golden.JSONL"])
    def test_names(self, tmp_path: Path, name: str) -> None:
        """In any folder, whether it exists or not."""
        with pytest.raises(UsageError, match="labelled questions"):
            check_target(tmp_path / "other" / name, [])

    @pytest.mark.parametrize("link", [os.symlink, os.link])
    def test_links(self, tmp_path: Path, link: Any) -> None:
        """Neither through a symbolic link nor through another name of the file."""
        real = tmp_path / "probes.jsonl"
        real.write_text("", encoding="utf-8")
        link(real, tmp_path / "innocent.jsonl")
        with pytest.raises(UsageError, match="labelled questions"):
            check_target(tmp_path / "innocent.jsonl", [real])

    def test_dangling_and_folder_links(self, tmp_path: Path) -> None:
        """A link to a probe set that does not exist yet, and one of a folder above it."""
        (tmp_path / "gnomon").mkdir()
        (tmp_path / "way").symlink_to(tmp_path / "gnomon")
        (tmp_path / "early.jsonl").symlink_to(tmp_path / "gnomon" / "calibration.jsonl")
        for out in (tmp_path / "early.jsonl", tmp_path / "way" / "probes.jsonl"):
            with pytest.raises(UsageError, match="labelled questions"):
                check_target(out, [tmp_path / "gnomon" / "probes.jsonl"])

    def test_the_export(self, tmp_path: Path) -> None:
        """The export is an input; it is not replaced."""
        with pytest.raises(UsageError, match="the export that is read"):
            check_target(tmp_path / "votes.jsonl", [], str(tmp_path / "votes.jsonl"))

    def test_elsewhere(self, tmp_path: Path) -> None:
        """Any other file will do."""
        check_target(tmp_path / "candidates.jsonl", [tmp_path / "gold.jsonl"], "votes.jsonl")
