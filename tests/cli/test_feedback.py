"""``gnomon feedback``: candidates for a person, and never a label."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.probing import assert_nothing_left, assert_refused
from tests.embedding.service import Answer, Service, running
from tests.feedback.exports import exported, refusal, write_export

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

SECRET = "fb-very-secret"  # the tests search for it
CANDIDATES = Path("gnomon/candidates.jsonl")


@pytest.fixture
def votes(gnomon: Gnomon) -> Path:
    """Write an export in the folder of the command line."""
    return write_export(
        Path("votes.jsonl"),
        exported(vote="up", lang="en"),
        exported("Wie rotiere ich [a] key?", vote="down", lang="de"),
        refusal("Price of \x1b[31mborscht?", "down"),
        refusal("price of \x1b[31mborscht?", "down"),
        refusal("Weather?", "up"),
    )


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service."""
    with running() as one:
        yield one


def page(*items: dict[str, Any], link: str | None = None) -> Answer:
    """Return a page of a service."""
    return Answer(body=json.dumps({"items": items, "next": link}).encode())


class TestPull:
    """From an export to rows that need review."""

    def test_a_file(self, gnomon: Gnomon, votes: Path) -> None:
        """One row a question, and what to do with it."""
        outcome = gnomon("feedback", "pull", "--from", votes)
        assert outcome.out.startswith("pulled: 5 turns, 4 questions\nrows: 4, 4 new")
        assert outcome.err == ""
        found = [json.loads(line) for line in CANDIDATES.read_text("utf-8").splitlines()]
        assert [(row["target"], row["needs_review"]) for row in found] == [
            ("calibration", True),
            ("docs", True),
            ("golden", True),
            ("calibration", True),
        ]

    def test_json(self, gnomon: Gnomon, votes: Path) -> None:
        """One object; --since and --out do as they say."""
        args = ("--from", votes, "--since", "2026-03-03", "--out", "late/c.jsonl", "--json")
        report = gnomon("feedback", "pull", *args).json
        assert report["schema"] == "gnomon.feedback.pull/1"
        assert (report["turns"], report["rows"], report["out"]) == (0, 0, "late/c.jsonl")

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            ((), "no feedback is named"),
            (("--from", "file:///etc/passwd"), "not read from 'file:'"),
            (("--from", "ftp://host/x"), "not read from 'ftp:'"),
            (("--from", "http://user:pw@host/x"), "user name"),
            (("--from", "votes.jsonl", "--since", "yesterday"), "--since"),
            (("--from", "votes.jsonl", "--max-pages", "0"), "--max-pages"),
            (("--from", "votes.jsonl", "--out", "votes.jsonl"), "the export that is read"),
            (("--from", "votes.jsonl", "--out", "gnomon/calibration.jsonl"), "labelled"),
            (("--from", "votes.jsonl", "--out", "golden.jsonl"), "labelled"),
        ],
    )
    @pytest.mark.usefixtures("votes")
    def test_usage(self, gnomon: Gnomon, args: tuple[str, ...], said: str) -> None:
        """Refused before any work, with exit 2."""
        outcome = gnomon("feedback", "pull", *args, code=2)
        assert_refused(outcome, said)
        assert "user:pw" not in outcome.err
        assert not Path("gnomon").exists()

    def test_labels_are_safe_wherever_they_are(
        self, gnomon: Gnomon, votes: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A probe set of another name, reached through a link, keeps its bytes."""
        Path("ours.jsonl").write_text("labels", encoding="utf-8")
        Path("link.jsonl").symlink_to("ours.jsonl")
        monkeypatch.setenv("GNOMON_PROBES", "ours.jsonl")
        outcome = gnomon("feedback", "pull", "--from", votes, "--out", "link.jsonl", code=2)
        assert_refused(outcome, "link.jsonl holds labelled questions")
        assert Path("ours.jsonl").read_text("utf-8") == "labels"

    def test_bad_records(self, gnomon: Gnomon, votes: Path) -> None:
        """Exit 3, the line, and the old candidates untouched."""
        gnomon("feedback", "pull", "--from", votes)
        before = CANDIDATES.read_bytes()
        write_export(votes, exported(vote="up"), exported(vote="\x1b[31m"))
        outcome = gnomon("feedback", "pull", "--from", votes, "--json", code=3)
        assert_refused(outcome, r"votes.jsonl: line 2: 'vote' is '\x1b[31m'; expected")
        assert CANDIDATES.read_bytes() == before
        assert_nothing_left(Path(".gnomon"), Path("gnomon"))

    @pytest.mark.parametrize(
        ("source", "said"), [("none.jsonl", "no such file"), (".", "is a folder")]
    )
    def test_no_export(self, gnomon: Gnomon, source: str, said: str) -> None:
        """Exit 3 without a traceback."""
        assert_refused(gnomon("feedback", "pull", "--from", source, code=3), said)

    def test_broken_candidates_stop_before_anything_is_asked(
        self, gnomon: Gnomon, service: Service
    ) -> None:
        """What cannot be merged into is told first."""
        Path("c.jsonl").write_text("[]\n", encoding="utf-8")
        args = ("--from", f"{service.url}/turns", "--out", "c.jsonl")
        assert_refused(gnomon("feedback", "pull", *args, code=3), "c.jsonl: line 1")
        assert service.requests == []


class TestService:
    """From an address, with care for the key."""

    def test_pages(self, gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        """All pages to the bound, the key sent where the user pointed, and shown nowhere."""
        monkeypatch.setenv("GNOMON_FEEDBACK_KEY", SECRET)
        service.script = [page(exported(), link="?at=1"), page(exported("b?"), link="?at=2")]
        args = ("--from", f"{service.url}/turns", "--max-pages", 2)
        outcome = gnomon("feedback", "pull", *args)
        assert "pulled: 2 turns on 2 pages" in outcome.out
        assert "stopped after 2 pages (--max-pages) with more to come" in outcome.err
        assert {h["authorization"] for _, _, h, _ in service.requests} == {f"Bearer {SECRET}"}
        assert SECRET not in outcome.out + outcome.err + CANDIDATES.read_text("utf-8")

    @pytest.mark.parametrize("file", ["gnomon.toml", "pyproject.toml", ".env.local"])
    def test_a_project_file_gets_no_key(
        self, gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch, file: str
    ) -> None:
        """An address that came with the checkout is asked without the key, and that is said."""
        monkeypatch.setenv("GNOMON_FEEDBACK_KEY", SECRET)
        monkeypatch.setenv("GNOMON_FEEDBACK_FROM", "x")  # so that what .env.local sets is undone
        monkeypatch.delenv("GNOMON_FEEDBACK_FROM")
        address = f"{service.url}/turns"
        text = {
            "gnomon.toml": f'feedback.from = "{address}"',
            "pyproject.toml": f'[tool.gnomon]\nfeedback.from = "{address}"',
            ".env.local": f"GNOMON_FEEDBACK_FROM={address}",
        }[file]
        Path(file).write_text(text, encoding="utf-8")
        service.script = [page(exported())]
        outcome = gnomon("feedback", "pull", "--quiet")
        assert "GNOMON_FEEDBACK_KEY is not sent" in outcome.err
        assert "authorization" not in service.requests[0][2]

    def test_a_broken_key_is_not_shown(
        self, gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A key that no header can carry is named by its variable, and nothing is sent."""
        monkeypatch.setenv("GNOMON_FEEDBACK_KEY", f"{SECRET}\nx")
        outcome = gnomon("feedback", "pull", "--from", f"{service.url}/t", code=2)
        assert_refused(outcome, "GNOMON_FEEDBACK_KEY holds a blank")
        assert SECRET not in outcome.err
        assert service.requests == []

    def test_a_failure_writes_nothing(self, gnomon: Gnomon, service: Service) -> None:
        """A second page that lies leaves no first half."""
        service.script = [page(exported(), link="?at=1"), Answer(body=b"<html>")]
        outcome = gnomon("feedback", "pull", "--from", f"{service.url}/t", "--quiet", code=3)
        assert_refused(outcome, "not JSON")
        assert not CANDIDATES.exists()


class TestReport:
    """The bias first, then the counts."""

    def test_lines(self, gnomon: Gnomon, votes: Path) -> None:
        """Counts by suggestion, language and cause; the worst; nothing acts on the terminal."""
        gnomon("feedback", "pull", "--from", votes)
        lines = gnomon("feedback", "report").out.splitlines()
        assert lines[0].startswith("A vote is not a turn")
        assert "toward refusing everyone" in lines[1]
        assert "questions: 4, to review: 4" in lines
        assert "turns: 5, up 2, down 3" in lines
        for line in ("       1  U", "       2  latin", "       1  de", "       2  no-evidence"):
            assert line in lines
        borscht, german = r"'Price of \x1b[31mborscht?'", "'Wie rotiere ich [a] key?'"
        score = "last score 0.10, threshold 0.30"
        assert lines[-4:] == [
            "refusals voted down:",
            f"       2 down, 0 up  {borscht}  (refused, {score})",
            "admitted and voted down:",
            f"       1 down, 0 up  {german}  (admitted, last score 0.70, threshold 0.30)",
        ]

    def test_json(self, gnomon: Gnomon, votes: Path) -> None:
        """The note is there too, before the counts."""
        gnomon("feedback", "pull", "--from", votes)
        report = gnomon("feedback", "report", "--top", 1, "--json").json
        assert list(report)[:2] == ["schema", "bias_note"]
        assert report["by_target"] == {"calibration": 2, "docs": 1, "golden": 1}
        assert report["by_cause"] == {"no-evidence": 2, "passed": 2}
        assert [one["down"] for one in report["refusals"]] == [2]

    def test_purely_negative(self, gnomon: Gnomon) -> None:
        """Votes against and none for are named as what they are."""
        votes = write_export(Path("votes.jsonl"), refusal("a", "down"), exported("b"))
        gnomon("feedback", "pull", "--from", votes)
        assert "This file holds votes against and none for" in gnomon("feedback", "report").out

    def test_reviewed(self, gnomon: Gnomon, votes: Path) -> None:
        """What a person decided counts as decided."""
        gnomon("feedback", "pull", "--from", votes)
        text = CANDIDATES.read_text("utf-8")
        text = text.replace('"needs_review": true', '"needs_review": false', 1)
        CANDIDATES.write_text(text, encoding="utf-8")
        out = gnomon("feedback", "report").out
        assert "questions: 4, to review: 3" in out
        assert "threshold 0.30, reviewed)" in out

    def test_no_candidates(self, gnomon: Gnomon) -> None:
        """Exit 3 and the command that makes some."""
        outcome = gnomon("feedback", "report", code=3)
        assert_refused(outcome, "there are no candidates", "gnomon feedback pull")

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('{"stratum": ["U"]}', "line 1: 'stratum' is a JSON array"),
            ('{"options": "U"}', "'options' is no list"),
            ('{"lang": 3}', "'lang' is a JSON number"),
            ('{"feedback": []}', "'feedback' is not as"),
            ('{"feedback": {"days": {"2026-01-01": {"admitted": {"up": true}}}}}', "not counts"),
            ('{"feedback": {"days": {}, "gate": {}}}', "'gate' has no 'passes'"),
        ],
    )
    def test_broken_rows(self, gnomon: Gnomon, line: str, said: str) -> None:
        """What a person broke is named by line."""
        Path("c.jsonl").write_text(f"{line}\n", encoding="utf-8")
        assert_refused(gnomon("feedback", "report", "c.jsonl", code=3), "c.jsonl: line 1", said)
