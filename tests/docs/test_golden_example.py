"""The golden set of our own documentation measures what the page about it says."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.cli.main import run
from gnomon.evaluation.asking import ask
from gnomon.evaluation.bench_emit import earlier_tasks, scored_tasks
from gnomon.evaluation.bench_shards import write_shards
from gnomon.evaluation.gate_only import setup_of
from gnomon.evaluation.priming import prime
from gnomon.evaluation.prompts import Prompt
from gnomon.golden.duplicates import folded
from gnomon.golden.gold import matches
from gnomon.golden.levels import LEVELS, pool
from gnomon.golden.probes import read_probes
from gnomon.golden.records import read_golden
from gnomon.retrieval.index import Index

if TYPE_CHECKING:
    from gnomon.golden.records import GoldenRecord

DOCS = Path(__file__).parents[2] / "docs"
GOLDEN = DOCS / "example" / "golden.jsonl"
PAGE = DOCS / "example" / "README.md"
# Pages are edited every week, and each new one competes; what was measured may move so far before
# it has to be measured again.
MEAN_MOVES, COUNT_MOVES = 0.10, 6
EMBEDDERS = {"--no-embed": ["--no-embed"], "--embedder lsa:128": ["--embedder", "lsa:128"]}


@pytest.fixture(scope="module")
def records() -> tuple[GoldenRecord, ...]:
    """Return the records of the set."""
    return read_golden(GOLDEN)


@pytest.fixture(scope="module", params=sorted(EMBEDDERS))
def measured(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """Return name and folder of an index of today's pages."""
    place = tmp_path_factory.mktemp("golden") / "ix"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place.parent)
        arguments = ["index", str(DOCS), "--out", str(place), *EMBEDDERS[request.param], "--quiet"]
        assert run(arguments) == 0
    return request.param, place


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code of a command and the object that it prints."""
    capsys.readouterr()
    code = run([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def committed(index: str) -> dict[str, float]:
    """Return the row of an index in the table of the page."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- measured: begin -->")[2].partition("<!-- measured: end -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    (row,) = [row for row in rows if row[0] == f"`{index}`"]
    names = ["recall@8", "mrr", "retrieval_f1", "over_refusal", "negatives_caught"]
    return {n: float(c.split()[0]) for n, c in zip(names, row[1:6], strict=True)}


def test_every_level_adds_what_it_should(records: tuple[GoldenRecord, ...]) -> None:
    """Ten to fifteen records a level; what enters where is what the design of levels says."""
    added = Counter(record.level for record in records)
    assert list(added) == list(LEVELS), "in file order, so that --limit takes the lower levels"
    assert all(10 <= n <= 15 for n in added.values())
    first: dict[str, str | None] = {}
    for record in records:
        what = [f"depth {len(record.previous)}", record.expect]
        for one in [*what, "scoped"] if record.scope else what:
            first.setdefault(one, record.level)
    assert first["refuse:no-evidence"] == "low"
    assert [first[w] for w in ("scoped", "refuse:out-of-scope", "depth 1")] == ["medium"] * 3
    assert [first["depth 2"], first["depth 3"], first["depth 4"]] == ["xhigh", "max", "ultra"]


def test_every_pool_expects_refusals(records: tuple[GoldenRecord, ...]) -> None:
    """A refusal for want of evidence in every pool, and both kinds at every level above low."""
    for level in LEVELS:
        own = {record.expect for record in records if record.level == level}
        assert "refuse:no-evidence" in {record.expect for record in pool(records, level)}
        assert level == "low" or {"refuse:no-evidence", "refuse:out-of-scope"} <= own


def test_gold_entries_have_all_three_shapes(records: tuple[GoldenRecord, ...]) -> None:
    """A page with what lies below it, a page alone, a section; no entry twice in a record."""
    shapes = Counter(
        "page" if "#" not in entry else "pin" if entry.endswith("#") else "section"
        for record in records
        for entry in record.gold_chunks
    )
    assert set(shapes) == {"page", "pin", "section"}
    assert all(len(set(r.gold_chunks)) == len(r.gold_chunks) for r in records)


def test_no_question_is_a_probe(records: tuple[GoldenRecord, ...]) -> None:
    """A threshold looks right on the questions that chose it, so they are kept out."""
    probes = {folded(p.question) for p in read_probes(GOLDEN.with_name("calibration.jsonl"))}
    assert not probes & {folded(record.question) for record in records if not record.previous}


def test_no_page_quotes_a_question(records: tuple[GoldenRecord, ...]) -> None:
    """A question that stands in the pages finds itself."""
    pages = folded(" ".join(p.read_text(encoding="utf-8") for p in sorted(DOCS.rglob("*.md"))))
    long = [r for r in records if len(r.question.split()) > 5]
    assert [r.id for r in long if folded(r.question) in pages] == []


def test_lint_has_nothing_to_say(
    measured: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """No error and no warning: gold is there, answers are 90 to 160 words, nothing is quoted."""
    code, found = asked(capsys, "lint", str(measured[1]), "--golden", str(GOLDEN), "--strict")
    assert (code, found["errors"], found["warnings"]) == (0, 0, 0)


def test_lint_finds_no_error_in_the_probe_set(
    measured: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Gold pages and scopes of the probe set are there, and no question stands on both sides."""
    probes = str(GOLDEN.with_name("calibration.jsonl"))
    code, found = asked(capsys, "lint", str(measured[1]), "--probes", probes)
    assert (code, found["errors"]) == (0, 0)


def test_it_measures_what_the_page_says(
    measured: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Means within 0.10 of the committed ones, counts within 6; scopes are never left."""
    monkeypatch.chdir(tmp_path)
    name, place = measured
    code, found = asked(capsys, "eval", str(place), "--golden", str(GOLDEN), "--gate-only")
    assert code == 0
    figures = found["figures"]
    assert figures["scope_containment"]["mean"] == 1.0
    for measure, value in committed(name).items():
        figure = figures[measure]
        counted = measure in {"over_refusal", "negatives_caught"}
        now = figure["mean"] * figure["n_measured"] if counted else figure["mean"]
        assert now == pytest.approx(value, abs=COUNT_MOVES if counted else MEAN_MOVES), measure


def test_tuning_refuses_the_same_in_every_cell(
    measured: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A dry run writes no levers, and no cell of lambda and k moves a refusal."""
    monkeypatch.chdir(tmp_path)
    code, found = asked(capsys, "tune", str(measured[1]), "--golden", str(GOLDEN), "--dry")
    assert code == 0
    assert not Path("gnomon/tuning.json").exists()
    assert (found["out"], found["refusals_differ"]) == (None, False)
    assert len({(cell["over"], cell["caught"]) for cell in found["cells"]}) == 1


def test_the_page_counts_the_records(records: tuple[GoldenRecord, ...]) -> None:
    """The table of levels on the page is that of the file."""
    text = PAGE.read_text(encoding="utf-8")
    for level in LEVELS:
        own = [record for record in records if record.level == level]
        answered = sum(record.expects_answer for record in own)
        after = sum(bool(record.previous) for record in own)
        scoped = sum(record.scope is not None for record in own)
        cells = [level, len(own), answered, len(own) - answered, after, scoped]
        assert f"| {' | '.join(map(str, cells))} |" in text
    assert f"the golden set: {len(records)} questions" in text
    assert re.search(rf"\b{sum(r.expects_answer for r in records)} of them with a", text)


def test_no_shard_of_a_comparison_holds_gold(
    records: tuple[GoldenRecord, ...], measured: tuple[str, Path]
) -> None:
    """Searched for in the bytes: answers, ids of records, gold that was not found, labels."""
    index = Index.open(measured[1])
    if index.manifest.dense:
        pytest.skip("one index is enough: no vector is in a shard")
    primed = prime(index, ask(index, records, None, _ignore), None, _ignore)
    setup = setup_of(index, "ix", records, level=None, limit=None, prompt_hash="0")
    first = earlier_tasks("here", setup, primed, Prompt())
    history = {task.id: ("So.",) * task.asked for task in first.tasks}
    content = b""
    for tasks in (first, scored_tasks("here", setup, primed, Prompt(), history)):
        paths = write_shards(measured[1].parent, tasks, 4)
        content += b"".join(path.read_bytes() for path in paths)
        record_of = {task.id: task.record for task in tasks.tasks}
        for line in (line for path in paths for line in path.read_bytes().splitlines()[1:]):
            task = json.loads(line)
            for entry in record_of[task["id"]].gold_chunks:
                if not any(matches(entry, chunk) for chunk in task["citable"]):
                    assert f'"{entry}"'.encode() not in line
    assert b"NOT-ANSWERABLE" in content
    for record in records:
        assert f'"{record.id}"'.encode() not in content
        if record.gold_answer is not None:
            assert json.dumps(record.gold_answer)[1:-1].encode() not in content
    for field in ("gold_chunks", "gold_answer", "identifiers", "expect", "level", "kind"):
        assert f'"{field}":'.encode() not in content


def _ignore(done: int, total: int) -> None:
    """Show nothing."""
