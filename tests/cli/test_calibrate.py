"""``gnomon calibrate``: thresholds that hold, and refusals that leave everything as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon import audit
from gnomon.calibration.raw_cache import read_cache
from gnomon.retrieval.index import Index
from tests.cli.probing import assert_refused
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

ASKED = ("rotate a key every day", "a revoked key opens nothing", "backend call times out")
FOREIGN = ("borscht with beetroot", "capital of Mongolia", "poem about rain")


def probes(*strata: tuple[str, int]) -> list[dict[str, Any]]:
    """Return so many probes of each stratum; positives ask for the pages, N4 for anything else."""
    found = []
    for stratum, n in strata:
        texts = FOREIGN if stratum == "N4" else ASKED
        for i in range(n):
            one: dict[str, Any] = {"id": f"{stratum}-{i}", "stratum": stratum}
            one["question"] = f"{texts[i % 3]}{'?' * (i // 3)}"
            if stratum == "F":
                one |= {"question": "and then?", "prev_question": ASKED[i % 3]}
            if stratum == "S":
                one["scope"] = ["guide"]
            found.append(one)
    return found


@pytest.fixture
def served(gnomon: Gnomon) -> Path:
    """Build an index in the folder of the command line."""
    docs = write_pages(Path("docs"))
    gnomon("index", docs, "--embedder", "lsa:3", "--quiet")
    return Path("gnomon/index")


def write(records: list[dict[str, Any]]) -> Path:
    """Write the probe set where the configuration looks for it."""
    file = Path("gnomon/calibration.jsonl")
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return file


@pytest.mark.usefixtures("served")
def test_the_whole_loop(gnomon: Gnomon) -> None:
    """Index, calibrate, index: the measured guard is what is served, and the trail has it."""
    write(probes(("U", 60), ("S", 60), ("F", 40), ("N4", 30)))
    outcome = gnomon("calibrate", "--quiet")
    assert outcome.out.startswith("verdict: measured\nguard: tau 1.00, tau_lexical 0.05")
    assert "612 candidates" in outcome.out
    assert "written: gnomon/calibration.json; run gnomon index to serve it" in outcome.out
    written = json.loads(Path("gnomon/calibration.json").read_text("utf-8"))
    assert written["guard"]["source"] == "calibrated"
    assert (len(written["sweep"]), len(written["lexical_sweep"])) == (101, 101)
    assert audit.verify(Path(".gnomon")).records == 1
    again = gnomon("index", "docs", "--embedder", "lsa:3", "--quiet")
    assert "guard: calibrated, from gnomon/calibration.json" in again.out
    guard = Index.open("gnomon/index").manifest.guard
    assert (guard.tau, guard.source) == (written["guard"]["tau"], "calibrated")
    report = Path("gnomon/calibration.report.md").read_text("utf-8")
    assert "| U, unscoped positives | 0 of 60 | 0.0431 | 0 of 60 |" in report


@pytest.mark.usefixtures("served")
def test_the_same_again(gnomon: Gnomon) -> None:
    """Two runs write the same bytes; the second one embeds and looks up nothing."""
    write(probes(("U", 60), ("N4", 30)))
    gnomon("calibrate", "--quiet")
    file = Path("gnomon/calibration.json")
    before = file.read_bytes()
    file.unlink()
    gnomon("calibrate", "--sweep-only", "--quiet")
    after = json.loads(file.read_bytes())
    ladder = after["guard"].pop("ladder"), after["guard"].pop("z_exp_source")
    expected = json.loads(before)
    assert ladder == ({}, "closed-form")  # measured with the questions' vectors only
    expected["guard"].pop("ladder")
    expected["guard"].pop("z_exp_source")
    assert after == expected
    gnomon("calibrate", "--quiet")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("records", "code", "said"),
    [
        (probes(("U", 17), ("N4", 30)), "no-feasible-tau", "too few probes (U has 17)"),
        (probes(("N4", 30)), "no-positives", "no probe of U, S or F"),
        (probes(("U", 60)), "no-negatives", "no probe of N1 to N6"),
    ],
)
@pytest.mark.usefixtures("served")
def test_a_failing_run_leaves_the_old_file(
    gnomon: Gnomon, records: list[dict[str, Any]], code: str, said: str
) -> None:
    """Exit 3, the reason by name on stderr, the report written, the old bytes untouched."""
    old = Path("gnomon/calibration.json")
    old.write_text("the old one", encoding="utf-8")
    write(records)
    outcome = gnomon("calibrate", "--quiet", code=3)
    assert f"failed: {code}: " in outcome.err
    assert said in outcome.err
    assert old.read_text("utf-8") == "the old one"
    assert f"`{code}`" in Path("gnomon/calibration.report.md").read_text("utf-8")


@pytest.mark.usefixtures("served")
def test_a_narrowed_set_writes_no_thresholds(gnomon: Gnomon) -> None:
    """--limit is for looking."""
    write(probes(("U", 60), ("N4", 30)))
    outcome = gnomon("calibrate", "--limit", 70, "--quiet")
    assert "report only, no calibration is written" in outcome.out
    assert not Path("gnomon/calibration.json").exists()
    assert "**Narrowed probe set" in Path("gnomon/calibration.report.md").read_text("utf-8")


@pytest.mark.usefixtures("served")
def test_sweep_only_needs_every_probe(gnomon: Gnomon) -> None:
    """A probe that is not kept stops the run by name; so does another lever."""
    write(probes(("U", 60), ("N4", 30)))
    gnomon("calibrate", "--quiet")
    write([*probes(("U", 60), ("N4", 30)), {"id": "new", "question": "why?", "stratum": "U"}])
    outcome = gnomon("calibrate", "--sweep-only", code=3)
    assert_refused(outcome, "1 of 91 probes is not in the cache", "'new'")


@pytest.mark.usefixtures("served")
def test_a_moved_lever_has_no_cache(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found with other candidates says nothing."""
    write(probes(("U", 60), ("N4", 30)))
    gnomon("calibrate", "--quiet")
    monkeypatch.setenv("GNOMON_CANDIDATES", "7")
    outcome = gnomon("calibrate", "--sweep-only", code=3)
    assert_refused(outcome, "90 of 90 probes are not in the cache")


def test_without_vectors(gnomon: Gnomon) -> None:
    """Only words alone are measured, and such a file never fits an index with vectors."""
    docs = write_pages(Path("docs"))
    gnomon("index", docs, "--no-embed", "--quiet")
    write(probes(("U", 60), ("N4", 30)))
    outcome = gnomon("calibrate", "--json", "--quiet")
    assert (outcome.json["guard"]["tau"], outcome.json["window"]) == (None, None)
    assert outcome.json["guard"]["source"] == "calibrated-lexical"
    refused = gnomon("index", docs, "--embedder", "lsa:3", "--quiet")
    assert "it was measured with no embedder, the index is made with lsa" in refused.out


@pytest.mark.usefixtures("served")
def test_no_question_reaches_trail_or_cache(gnomon: Gnomon) -> None:
    """Neither the words of a probe nor those of a page."""
    write(probes(("U", 60), ("N4", 30)))
    gnomon("calibrate", "--quiet")
    kept = Path(".gnomon/probe-evidence.json")
    assert len(read_cache(kept)) == 90
    for file in (kept, Path(".gnomon/audit.jsonl")):
        content = file.read_bytes()
        assert b"borscht" not in content
        assert b"rotate" not in content


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"id": "a", "question": "?", "stratum": "Q"}, "stratum 'Q' is not one of"),
        (
            {"id": "a", "question": "x", "stratum": "S", "scope": ["nope"]},
            "lies in the scope 'nope'",
        ),
    ],
)
@pytest.mark.usefixtures("served")
def test_bad_probes(gnomon: Gnomon, record: dict[str, Any], said: str) -> None:
    """The record is named; nothing is written."""
    write([record])
    assert_refused(gnomon("calibrate", "--quiet", code=3), said)
    assert not Path("gnomon/calibration.report.md").exists()


def test_nothing_there(gnomon: Gnomon) -> None:
    """No index, no probes, flags that contradict."""
    Path("gnomon").mkdir()
    write(probes(("U", 1)))
    assert_refused(gnomon("calibrate", code=3), "build one with: gnomon index")
    gnomon("index", write_pages(Path("docs")), "--no-embed", "--quiet")
    Path("gnomon/calibration.jsonl").unlink()
    assert_refused(gnomon("calibrate", code=3), "no such file")
    assert_refused(gnomon("calibrate", "--sweep-only", "--refresh", code=2), "keep one")


@pytest.mark.usefixtures("served")
def test_no_folder_for_the_result(gnomon: Gnomon) -> None:
    """A path below a regular file is told, without a traceback."""
    write(probes(("U", 60), ("N4", 30)))
    Path("file").write_text("", encoding="utf-8")
    outcome = gnomon("calibrate", "--out", "file/c.json", "--quiet", code=3)
    assert_refused(outcome, "file: the folder cannot be made")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--out", "."), "--out . is a folder"),
        (("--out", ""), "an empty name is no path"),
        (("--out", "gnomon/calibration.jsonl"), "--out gnomon/calibration.jsonl is read by this"),
        (("--report", "gnomon/calibration.jsonl"), "--report gnomon/calibration.jsonl is read by"),
        (("--out", "c.json", "--report", "./c.json"), "--out and --report name the same file"),
        (("--limit", "9" * 20), "--limit"),
    ],
)
@pytest.mark.usefixtures("served")
def test_results_in_the_place_of_inputs(gnomon: Gnomon, flags: tuple[str, ...], said: str) -> None:
    """Refused before the work; the probe set keeps its bytes."""
    before = write(probes(("U", 2))).read_bytes()
    assert_refused(gnomon("calibrate", *flags, "--quiet", code=2), said)
    assert Path("gnomon/calibration.jsonl").read_bytes() == before


@pytest.mark.usefixtures("served")
def test_another_model(gnomon: Gnomon) -> None:
    """Questions of another model do not fit the index's vectors."""
    write(probes(("U", 1)))
    outcome = gnomon("calibrate", "--embedder", "openai:x", code=3)
    assert_refused(outcome, "no answer in 5 attempts")
