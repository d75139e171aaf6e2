"""``gnomon lint``: what it checks, what it prints, and how it exits; who stops on its errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.probing import assert_refused
from tests.golden.faulty_collections import judgements, write_files
from tests.golden.linting import ANSWER, write_set
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

RECORD: dict[str, Any] = {
    "id": "g-01",
    "question": "How do I get a fresh secret?",
    "expect": "answer",
    "level": "low",
    "gold_chunks": ["guide/keys#rotate"],
    "gold_answer": ANSWER,
    "lang": "en",
}
REFUSAL: dict[str, Any] = {
    "id": "g-02",
    "question": "Is there an app?",
    "expect": "refuse:no-evidence",
    "level": "medium",
}
PROBE: dict[str, Any] = {"id": "u-01", "question": "How do I get a fresh secret?", "stratum": "U"}
FOREIGN: dict[str, Any] = {"id": "n-01", "question": "What is borscht?", "stratum": "N4"}


@pytest.fixture
def served(gnomon: Gnomon) -> Path:
    """Build an index in the folder of the command line."""
    gnomon("index", write_pages(Path("docs")), "--no-embed", "--quiet")
    return Path("gnomon/index")


def golden(*records: dict[str, Any] | str) -> Path:
    """Write the golden set where the configuration looks for it."""
    return write_set(Path("gnomon/golden.jsonl"), records)


def probes(*records: dict[str, Any] | str) -> Path:
    """Write the probe set where the configuration looks for it."""
    return write_set(Path("gnomon/calibration.jsonl"), records)


@pytest.mark.usefixtures("served")
def test_a_set_without_errors(gnomon: Gnomon) -> None:
    """Exit 0 with warnings too; what the set holds is always printed, as designed."""
    golden(RECORD, {**REFUSAL, "prev_questions": ["What is a key?", "Why?"]})
    outcome = gnomon("lint")
    assert outcome.out.splitlines() == [
        "golden set gnomon/golden.jsonl: 0 errors, 1 warning",
        (
            "  warning  no record of the pool low expects a refusal, so a run on it can't notice a "
            "gate that stopped refusing; move one down to low  [no-refusals]"
        ),
        "2 records: answer 1, refuse:no-evidence 1, refuse:out-of-scope 0",
        'by depth {"0":1,"2":1}',
        (
            "by level  low 1 (+1) · medium 2 (+1) · high 2 (+0) · xhigh 2 (+0) · max 2 (+0) · "
            "ultra 2 (+0)"
        ),
        'by lang {"(none)":1,"en":1}',
    ]
    assert outcome.err == ""


@pytest.mark.usefixtures("served")
def test_errors(gnomon: Gnomon) -> None:
    """Exit 3; every finding names line, record and code, and is the command's result."""
    golden({**RECORD, "gold_chunks": ["guide/keys#rotat"]}, "{", {**REFUSAL, "level": "medum"})
    outcome = gnomon("lint", code=3)
    lines = outcome.out.splitlines()
    assert lines[0] == "golden set gnomon/golden.jsonl: 3 errors, 0 warnings"
    assert [line.split("  ")[-1] for line in lines[1:4]] == [
        "[gold-matches-nothing]",
        "[broken-line]",
        "[unknown-level]",
    ]
    assert "  error  line 1: record 'g-01': gold entry 'guide/keys#rotat'" in lines[1]
    assert "  error  line 2: is not valid JSON" in lines[2]


@pytest.mark.usefixtures("served")
def test_strict(gnomon: Gnomon) -> None:
    """Warnings are an expectation that is not met, and errors stay errors."""
    golden(RECORD, {**REFUSAL, "level": "low"})
    gnomon("lint", "--strict")
    golden(RECORD, REFUSAL)
    outcome = gnomon("lint", "--strict", code=4)
    assert "there are warnings" in outcome.err
    golden(RECORD, {**REFUSAL, "level": "medum"})
    gnomon("lint", "--strict", code=3)


@pytest.mark.usefixtures("served")
def test_json(gnomon: Gnomon) -> None:
    """One object with a schema, counts, and all findings with their codes."""
    golden(RECORD, *({**RECORD, "id": f"more-{i}"} for i in range(12)))
    outcome = gnomon("lint", "--json").json
    assert (outcome["schema"], outcome["errors"], outcome["warnings"]) == ("gnomon.lint/1", 0, 13)
    [file] = outcome["files"]
    assert (file["kind"], file["path"]) == ("golden set", "gnomon/golden.jsonl")
    assert (file["errors"], file["warnings"], file["summary"]["records"]) == (0, 13, 13)
    assert file["findings"][1] == {
        "code": "duplicate-question",
        "severity": "warning",
        "file": None,
        "line": 2,
        "id": "more-0",
        "message": "asks what 'g-01' (line 1) asks; remove one, or it counts twice",
    }
    text = gnomon("lint").out
    assert text.count("[duplicate-question]") == 10
    assert "  2 more of duplicate-question; --json has all" in text


def test_several_at_once(gnomon: Gnomon, served: Path) -> None:
    """Each that is named is checked; an error in one is an error of the command."""
    golden(RECORD, {**REFUSAL, "level": "low"})
    probes(PROBE, FOREIGN, {**FOREIGN, "id": "n-02", "stratum": "N9"})
    folder = write_files(Path("collection"), judgements("q1 d1 1"))
    outcome = gnomon(
        "lint", served, "--golden", "gnomon/golden.jsonl", "--probes", "--collection", folder,
        "--json", code=3,
    ).json  # fmt: skip
    assert [(one["kind"], one["errors"]) for one in outcome["files"]] == [
        ("golden set", 0),
        ("probe set", 1),
        ("collection", 0),
    ]


def test_the_probe_set(gnomon: Gnomon, served: Path) -> None:
    """The configured one, one that is named, and an index that was taken for one."""
    file = probes(PROBE, FOREIGN)
    outcome = gnomon("lint", served, "--probes")
    assert outcome.out.splitlines() == [
        "probe set gnomon/calibration.jsonl: 0 errors, 0 warnings",
        "2 probes: U 1, N4 1",
        'by depth {"0":2}',
    ]
    moved = file.rename("mine.jsonl")
    assert "probe set mine.jsonl" in gnomon("lint", "--probes", moved, "--strict").out
    assert_refused(gnomon("lint", "--probes", served, code=2), "gnomon lint gnomon/index --probes")
    assert_refused(gnomon("lint", "--probes", code=3), "gnomon/calibration.jsonl: no such file")


def test_a_collection_needs_no_index(gnomon: Gnomon) -> None:
    """A folder is checked by itself; an index beside it would say nothing."""
    folder = write_files(Path("collection"), {})
    outcome = gnomon("lint", "--collection", folder)
    assert outcome.out.splitlines() == [
        "collection collection: 0 errors, 0 warnings",
        "13 documents, 2 queries, 13 judgements, 2 judged queries",
    ]
    write_files(Path("collection"), {"emb/m.corpus.npy": b"x"})
    outcome = gnomon("lint", "--collection", folder, code=3)
    assert "  error  emb/m.corpus.npy: " in outcome.out
    refused = gnomon("lint", "ix", "--collection", folder, code=2)
    assert_refused(refused, "leave out INDEX")


def test_nothing_there(gnomon: Gnomon) -> None:
    """No index, no golden set, no collection: named, with what to do."""
    Path("gnomon").mkdir()
    golden(RECORD)
    assert_refused(gnomon("lint", code=3), "build one with: gnomon index")
    gnomon("index", write_pages(Path("docs")), "--no-embed", "--quiet")
    assert_refused(gnomon("lint", "--golden", "none.jsonl", code=3), "none.jsonl: no such file")
    assert_refused(gnomon("lint", "--golden", ".", code=3), "is a folder")
    assert_refused(gnomon("lint", "--collection", "none", code=3), "no such folder")
    assert_refused(gnomon("lint", "--gloden", "x", code=2), "No such option")


@pytest.mark.usefixtures("served")
def test_the_configured_set(gnomon: Gnomon) -> None:
    """The key `golden` names the set that is checked without a flag."""
    golden(RECORD).rename("questions.jsonl")
    Path("gnomon.toml").write_text('golden = "questions.jsonl"', encoding="utf-8")
    assert gnomon("lint").out.startswith("golden set questions.jsonl: ")


@pytest.mark.usefixtures("served")
def test_what_a_file_holds_is_shown_escaped(gnomon: Gnomon) -> None:
    """Control characters, bidirectional overrides and line feeds act on no terminal."""
    golden({**RECORD, "id": "a\x1b[2J\u202e\n", "kind": "k\x07\n", "expect": "\x1b]0;x"})
    outcome = gnomon("lint", code=3)
    assert all(line.isprintable() for line in outcome.out.splitlines())


@pytest.mark.usefixtures("served")
def test_eval_stops_on_errors(gnomon: Gnomon) -> None:
    """What lint calls an error stops an evaluation before it measures; a warning doesn't."""
    golden({**RECORD, "gold_chunks": ["guide/nothing"]}, {**REFUSAL, "level": "hihg"})
    outcome = gnomon("eval", "--gate-only", "--quiet", code=3)
    assert_refused(outcome, "line 1: record 'g-01': gold entry 'guide/nothing' matches nothing")
    assert "line 2: record 'g-02': level 'hihg' is not one of" in outcome.err
    assert not Path("gnomon/reports").exists()
    golden(RECORD, REFUSAL)
    gnomon("eval", "--gate-only", "--quiet")


@pytest.mark.usefixtures("served")
def test_calibrate_stops_on_errors(gnomon: Gnomon) -> None:
    """So does a calibration, on the probe set."""
    probes(PROBE, {**PROBE, "id": "n-02", "stratum": "N1"}, {**PROBE, "gold_page": "none"})
    outcome = gnomon("calibrate", "--quiet", code=3)
    assert_refused(outcome, "line 2: probe 'n-02': asks what 'u-01' (line 1) asks")
    assert not Path("gnomon/calibration.report.md").exists()
