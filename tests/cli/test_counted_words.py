"""One of anything is not called by its plural, whatever command says it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

# A one that is a number of its own, and a word behind it that may be a plural.
ONE = re.compile(r"(?<![\w.,:/~@-])1 ((?:judged |gold |sampled |relevant )?[a-z]+s)\b")
NO_PLURALS = {"is", "has", "holds", "was", "does", "asks", "tells", "needs", "less", "as"}


def test_the_pattern_sees_what_it_is_for() -> None:
    """Counts of one, and nothing else."""
    seen = "none of the 1 records enters; 1 of 1 queries has; 1 spots; 1 judged documents"
    unseen = "1 record, 11 records, 0.1 records, 2 of 1 record, line 1 is, 1 has, level-1 tasks"
    assert ONE.findall(seen) == ["records", "queries", "spots", "judged documents"]
    assert set(ONE.findall(unseen)) <= NO_PLURALS


def miscounted(text: str) -> list[str]:
    """Return the lines in which one of something is called by its plural."""
    return [
        line
        for line in text.splitlines()
        if any(word not in NO_PLURALS for word in ONE.findall(line))
    ]


def lines(path: str, *values: dict[str, Any]) -> None:
    """Write JSON Lines."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(json.dumps(one) + "\n" for one in values), encoding="utf-8")


@pytest.fixture
def one_of_each(gnomon: Gnomon) -> None:
    """Write one page, one golden record, one probe, one query with a judged document, one spot."""
    write_pages(Path("docs"), {"keys.md": "# Keys\n\nRotate a key every day."})
    golden = {"id": "g", "question": "rotate a key", "expect": "answer", "level": "medium"}
    lines("gnomon/golden.jsonl", golden | {"gold_chunks": ["keys"]})
    lines("gnomon/calibration.jsonl", {"id": "p", "question": "a key", "stratum": "U"})
    lines("col/corpus.jsonl", {"_id": "d", "text": "a key"})
    lines("col/queries.jsonl", {"_id": "q", "text": "a key"})
    Path("col/qrels.tsv").write_text("q\td\t1\n", encoding="utf-8")
    for name, run in (
        ("run", "q Q0 d 1 1 t"),
        ("query", "z Q0 d 1 1 t"),
        ("document", "q Q0 z 1 1 t"),
    ):
        Path(f"{name}.trec").write_text(f"{run}\n", encoding="utf-8")
    for name, row in (("query", "z\td\t1"), ("document", "q\tz\t1"), ("gain", "q\td\t0")):
        Path(f"{name}.tsv").write_text(f"{row}\n", encoding="utf-8")
    lines("empty/corpus.jsonl", {"_id": "d", "text": ""})
    lines("empty/queries.jsonl", {"_id": "q", "text": ""})
    Path("empty/qrels.tsv").write_text("q2\td2\t1\n", encoding="utf-8")
    lines("votes.jsonl", {"question": "how?", "vote": "down", "time": "2026-01-02T03:04:05Z"})
    gnomon("index", "docs", "--no-embed", "--quiet")
    gnomon("index", "col", "--no-embed", "--out", "idx", "--quiet")


@pytest.mark.usefixtures("one_of_each")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("index docs --no-embed", 0),
        ("index docs --embedder lsa:1 --dry", 3),
        ("doctor", 0),
        ("lint", 0),
        ("lint --probes", 0),
        ("lint --collection col", 0),
        ("lint --collection empty", 3),
        ("eval --gate-only", 0),
        ("eval --gate-only --level low", 3),
        ("eval --gate-only --expect recall@8<0", 4),
        ("eval --gate-only --expect recall@8:n>=2", 4),
        ("eval --collection col --run run.trec", 0),
        ("eval --collection col --run query.trec", 3),
        ("eval --collection col --run document.trec", 3),
        ("eval --collection col --run run.trec --qrels query.tsv", 3),
        ("eval --collection col --run run.trec --qrels document.tsv", 3),
        ("eval --collection col --run run.trec --qrels gain.tsv", 3),
        ("eval --qrels col/qrels.tsv --run document.trec", 0),
        ("eval --collection col --index idx", 0),
        ("tune", 0),
        ("tune --level low", 3),
        ("calibrate", 3),
        ("calibrate --sweep-only", 3),
        ("bench emit --config a", 0),
        ("feedback pull --from votes.jsonl", 0),
        ("feedback report", 3),
    ],
)
def test_sets_of_one(gnomon: Gnomon, command: str, code: int) -> None:
    """Whatever holds one thing: what is printed, what is refused, and what a report says."""
    outcome = gnomon(*command.split(), code=code)
    assert miscounted(f"{outcome.out}\n{outcome.err}") == []
    for report in Path("gnomon").rglob("*.md"):
        assert miscounted(report.read_text("utf-8")) == []


@pytest.mark.usefixtures("one_of_each")
def test_a_comparison_of_one(gnomon: Gnomon) -> None:
    """From one task to the verdict on one pair."""
    gnomon("bench", "emit", "--config", "a")
    task = json.loads(Path("gnomon/bench/a.tasks.jsonl").read_text("utf-8").splitlines()[1])
    lines("a.jsonl", {"id": task["id"], "answer": "Every day [cite:nope#]."})
    lines("b.jsonl", {"id": task["id"], "answer": "Never."})
    lines("c.jsonl", {"id": "x", "answer": "Never."})
    lines("v.jsonl", {"pair": 1, "verdict": "x"})
    Path("none.jsonl").write_text("", encoding="utf-8")
    tasks = "gnomon/bench/a.tasks.jsonl"
    both = f"--tasks {tasks},{tasks}"
    for command, code in (
        (f"shard {tasks} --shards 2", 2),
        (f"score --tasks {tasks} --answers a.jsonl", 0),
        (f"score --tasks {tasks} --answers c.jsonl", 3),
        (f"score {both} --answers a.jsonl,b.jsonl", 0),
        (f"runs {both} --runs-a a.jsonl --runs-b b.jsonl", 2),
        (f"runs --tasks {tasks} --runs-a a.jsonl --runs-b b.jsonl", 2),
        (f"judge-emit {both} --answers a.jsonl,b.jsonl --pairs p.jsonl --key k.json", 0),
        ("judge-score --pairs p.jsonl --key k.json --verdicts v.jsonl", 0),
        ("judge-score --pairs p.jsonl --key k.json --verdicts none.jsonl", 3),
    ):
        outcome = gnomon("bench", *command.split(), code=code)
        assert miscounted(f"{outcome.out}\n{outcome.err}") == []


def test_a_check_of_one_spot(gnomon: Gnomon, tmp_path: Path) -> None:
    """Drawn, refused while it is open, and scored."""
    spot = {"id": "s", "base": "a b", "alt": "a c", "used": "base", "unsure": False,
            "left_context": "so", "kind": "substitution"}  # fmt: skip
    contested, drawn = tmp_path / "spots" / "c.jsonl", tmp_path / "drawn"
    lines(str(contested), spot)
    contested.parent.chmod(0o700)
    plan = gnomon("blind", "plan", "--yes", "--json").json["plan"]
    said = [gnomon("blind", "draw", contested, "--plan", plan, "--out", drawn, "--allow-in-repo")]
    sheet, key = drawn / "sheet.jsonl", drawn / "key.json"
    score = ("blind", "score", "--sheet", sheet, "--key", key)
    said += [gnomon(*score, code=3), gnomon(*score, "--partial")]
    head, row = sheet.read_text("utf-8").splitlines()
    filled = json.dumps(json.loads(row) | {"verdict": "x"})
    sheet.write_text(f"{head}\n{filled}\n", encoding="utf-8")
    said.append(gnomon(*score))
    texts = [f"{one.out}\n{one.err}" for one in said]
    texts += [path.read_text("utf-8") for path in Path("gnomon").rglob("*.md")]
    assert len(texts) == 5
    assert [line for text in texts for line in miscounted(text)] == []
