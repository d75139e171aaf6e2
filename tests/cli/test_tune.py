"""``gnomon tune``: what it writes, what it only reports, and where it does not start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon import audit
from gnomon.evaluation.tuning_result import NARROWED, TuningResult
from gnomon.retrieval.calibration_file import Footing, write_calibration
from gnomon.retrieval.guard import Guard
from gnomon.retrieval.index import Index
from tests.cli.probing import assert_refused
from tests.evaluation.tuning_docs import pages, records
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from gnomon.golden.records import GoldenRecord
    from tests.cli.probing import Gnomon

TUNING = Path("gnomon/tuning.json")
REPORT = Path("gnomon/tuning.report.md")
GOLDEN = Path("gnomon/golden.jsonl")


def as_json(record: GoldenRecord) -> dict[str, Any]:
    """Return a record as a golden set spells it."""
    written: dict[str, Any] = {
        "id": record.id,
        "question": record.question,
        "expect": record.expect,
        "level": record.level,
    }
    if record.gold_chunks:
        written["gold_chunks"] = list(record.gold_chunks)
    if record.scope is not None:
        written["scope"] = {
            "kind": "section",
            "paths": [f"/{path}" for path in record.scope.paths],
        }
    if record.previous:
        written["prev_questions"] = list(record.previous)
    return written


@pytest.fixture
def served(gnomon: Gnomon) -> Path:
    """Build an index in the folder of the command line, and write a golden set."""
    docs = write_pages(Path("docs"), pages())
    gnomon("index", docs, "--embedder", "lsa:12", "--quiet")
    lines = [json.dumps(as_json(record)) + "\n" for record in records()]
    GOLDEN.write_text("".join(lines), encoding="utf-8")
    return docs


def tuning() -> dict[str, Any]:
    """Return what was written."""
    found: dict[str, Any] = json.loads(TUNING.read_text("utf-8"))
    return found


def test_the_whole_loop(gnomon: Gnomon, served: Path) -> None:
    """Index, tune, index: the winner is what is served, and the trail has it."""
    outcome = gnomon("tune", "--quiet")
    assert outcome.out.startswith("winner: MMR_LAMBDA ")
    assert "written: gnomon/tuning.json; run gnomon index to serve it" in outcome.out
    assert "Refusals are the same in all 99 cells" in outcome.out
    assert set(tuning()) == {
        "schema", "index_hash", "embed_model", "fingerprint", "level", "records",
        "MMR_LAMBDA", "GATE_K",
    }  # fmt: skip
    narrower = gnomon("index", served, "--embedder", "lsa:11", "--quiet")
    assert "is not used: it was tuned with lsa of another width or version" in narrower.out
    again = gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    winner = tuning()
    assert f"MMR_LAMBDA {winner['MMR_LAMBDA']:g} (tuning)" in again.out
    assert f"tuning: measured on {winner['index_hash'][:12]}, level ultra, 35 records" in again.out
    levers = Index.open("gnomon/index").levers
    assert (levers["MMR_LAMBDA"], levers["GATE_K"]) == (winner["MMR_LAMBDA"], winner["GATE_K"])
    assert audit.verify(Path(".gnomon")).records == 1


def test_the_file_is_the_same_again(gnomon: Gnomon, served: Path) -> None:
    """It is committed: nothing of the day or the machine is in it, and what it tuned stays put."""
    gnomon("tune", "--quiet")
    before = TUNING.read_bytes()
    gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    gnomon("tune", "--quiet")
    assert TUNING.read_bytes() == before


def test_tune_then_index_keeps_a_calibration(gnomon: Gnomon, served: Path) -> None:
    """Neither lever moves a verdict, so what calibration measured stays in force."""
    guard = Guard(tau=0.55, tau_lexical=0.4, cos_floor=0.2, cos_ceil=0.6, source="calibrated")
    footing = Footing.of(Index.open("gnomon/index").manifest).as_dict()
    body = {"footing": footing, "guard": guard.as_dict()}
    write_calibration(Path("gnomon/calibration.json"), body)
    gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    gnomon("tune", "--lambda", "0.6", "--k", "7", "--quiet")
    outcome = gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    assert "guard: calibrated, from gnomon/calibration.json" in outcome.out
    index = Index.open("gnomon/index")
    assert (index.manifest.guard.tau, index.manifest.guard.source) == (0.55, "calibrated")
    assert (index.levers["MMR_LAMBDA"], index.levers["GATE_K"]) == (0.6, 7)


def test_the_figures_are_those_of_eval(gnomon: Gnomon, served: Path) -> None:
    """What tune says of the winner, ``gnomon eval`` says of the index into which it was inlined."""
    winner = gnomon("tune", "--k", "6", "--lambda", "0.6", "--json", "--quiet").json["winner"]
    gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    figures = gnomon("eval", "--gate-only", "--json", "--quiet").json["figures"]
    assert figures["retrieval_f1"]["mean"] == pytest.approx(winner["f1"], abs=1e-12)
    assert figures["recall@8"]["mean"] == pytest.approx(winner["recall@8"], abs=1e-12)
    assert figures["mrr"]["mean"] == pytest.approx(winner["mrr"], abs=1e-12)


@pytest.mark.usefixtures("served")
def test_the_winner_is_written_even_when_it_runs_already(gnomon: Gnomon) -> None:
    """The file says what was measured, not what should change."""
    gnomon("tune", "--lambda", "1", "--k", "5", "--quiet")
    assert (tuning()["MMR_LAMBDA"], tuning()["GATE_K"]) == (1, 5)


@pytest.mark.usefixtures("served")
def test_the_report(gnomon: Gnomon) -> None:
    """The reading on records that had no say stands before everything else."""
    gnomon("tune", "--quiet")
    report = REPORT.read_text("utf-8")
    second = report.split("\n\n")[1]
    assert "chosen on one half of the records and measured on the other, both ways" in second
    for said in (
        "## The grid",
        "(winner)",
        "mean pairwise cosine",
        "pages spanned",
        "Of the halves, of 16 and 16 records",
        "Refusals are the same in all 99 cells",
        "## The records that moved most",
    ):
        assert said in report
    assert report.count("\n| 0.") + report.count("\n| 1 |") == 11


@pytest.mark.usefixtures("served")
def test_dry_writes_the_report_alone(gnomon: Gnomon) -> None:
    """The old tuning keeps its bytes."""
    TUNING.write_text("the old one", encoding="utf-8")
    outcome = gnomon("tune", "--dry", "--quiet")
    assert "not written, as --dry says; gnomon/tuning.json is as it was" in outcome.out
    assert TUNING.read_text("utf-8") == "the old one"
    assert REPORT.exists()


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (("--level", "medium"), "tuning-lvl-medium.report.md"),
        (("--limit", "20"), "tuning-n20.report.md"),
        (("--level", "low", "--limit", "5"), "tuning-lvl-low-n5.report.md"),
    ],
)
@pytest.mark.usefixtures("served")
def test_a_narrowed_pool_is_report_only(gnomon: Gnomon, flags: tuple[str, ...], name: str) -> None:
    """It says so first and last and at the top of a report of its own, and writes nothing else."""
    TUNING.write_text("the old one", encoding="utf-8")
    outcome = gnomon("tune", *flags)
    assert outcome.err.splitlines()[0] == NARROWED
    assert outcome.err.splitlines()[-1] == NARROWED
    assert "written" not in outcome.out
    report = Path("gnomon") / name
    assert report.read_text("utf-8").startswith(f"**{NARROWED}**\n")
    assert TUNING.read_text("utf-8") == "the old one"
    assert not REPORT.exists()


@pytest.mark.usefixtures("served")
def test_ultra_is_the_whole_set(gnomon: Gnomon) -> None:
    """It narrows nothing, so it is written."""
    assert NARROWED not in gnomon("tune", "--level", "ultra", "--quiet").err
    assert TUNING.exists()


@pytest.mark.parametrize("variables", [("GNOMON_MMR_LAMBDA",), ("GNOMON_GATE_K",),
                                       ("GNOMON_MMR_LAMBDA", "GNOMON_GATE_K")])  # fmt: skip
def test_a_shadowing_variable_stops_it(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch, variables: tuple[str, ...]
) -> None:
    """Every cell would measure the same; the variable is named before anything is opened."""
    for variable in variables:
        monkeypatch.setenv(variable, "1")
    outcome = gnomon("tune", code=2)
    them = "it" if len(variables) == 1 else "them"
    assert_refused(outcome, *variables, f"measure the same retrieval; unset {them} and run again")


def test_a_variable_of_the_checkout_stops_it_too(gnomon: Gnomon) -> None:
    """``.env.local`` sets variables as the shell does."""
    Path(".env.local").write_text("GNOMON_GATE_K=7\n", encoding="utf-8")
    try:
        assert_refused(gnomon("tune", code=2), "GNOMON_GATE_K is set")
    finally:
        import os

        os.environ.pop("GNOMON_GATE_K", None)


@pytest.mark.usefixtures("served")
def test_other_levers_are_told(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the terminal and in the report."""
    monkeypatch.setenv("GNOMON_RRF_K", "60")
    said = "measured under GNOMON_RRF_K=60 of the environment"
    assert said in gnomon("tune", "--quiet").out
    assert said.replace("_", "\\_") in REPORT.read_text("utf-8")


def test_a_configured_top_k_is_told(gnomon: Gnomon, served: Path) -> None:
    """It goes before what is measured here."""
    Path("gnomon.toml").write_text("top_k = 6\n", encoding="utf-8")
    gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    assert "top_k is 6 in the configuration" in gnomon("tune", "--quiet").out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--lambda", "0.5:1"), "--lambda '0.5:1' is no axis"),
        (("--lambda", "0.5:2:0.1"), "leaves 0 to 1"),
        (("--lambda", "0:1:0.001"), "1001 points; at most 200"),
        (("--k", "4-12"), "--k '4-12' is no axis"),
        (("--k", "0"), "below 1"),
        (("--level", "hgih"), "'hgih' is not one of"),
        (("--limit", "0"), "--limit"),
        (("--seed", "-1"), "--seed"),
        (("--embedder", "nothing"), "is none of"),
        (("--out", "."), "is a folder"),
        (("--limit", "9" * 20), "--limit"),
        (("--golden", "g", "--out", "./g"), "--out g is read by this command"),
        (("index", "--out", "index/tuning.json"), "index/tuning.json is read by this command"),
    ],
)
def test_flags_are_checked_first(gnomon: Gnomon, flags: tuple[str, ...], said: str) -> None:
    """There is nothing to measure here, and yet it is the flag that is refused."""
    Path("index").mkdir()
    assert_refused(gnomon("tune", *flags, code=2), said)


def test_without_an_index(gnomon: Gnomon) -> None:
    """What is missing is named."""
    assert_refused(gnomon("tune", code=3), "gnomon/index")


@pytest.mark.usefixtures("served")
def test_a_pool_without_gold_fails(gnomon: Gnomon) -> None:
    """Nothing is written, and nothing recorded."""
    kept = [record for record in records() if not record.expects_answer]
    GOLDEN.write_text("".join(json.dumps(as_json(r)) + "\n" for r in kept), encoding="utf-8")
    outcome = gnomon("tune", "--quiet", code=3)
    assert_refused(outcome, "is answered by gold inside its own scope", "no setting can be better")
    assert not TUNING.exists()
    assert not REPORT.exists()
    assert not Path(".gnomon/audit.jsonl").exists()


@pytest.mark.usefixtures("served")
def test_errors_of_lint_stop_it(gnomon: Gnomon) -> None:
    """Gold that matches nothing measures nothing; the line is named."""
    with GOLDEN.open("a", encoding="utf-8") as file:
        record = {"id": "lost", "question": "where?", "expect": "answer", "gold_chunks": ["gone"]}
        file.write(json.dumps(record) + "\n")
    assert_refused(gnomon("tune", "--quiet", code=3), "line 36", "gone")
    assert not TUNING.exists()


@pytest.mark.usefixtures("served")
def test_refusals_that_differ_are_not_written(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report says so at its top, the old file stays, and the exit code is 3."""
    honest = TuningResult.to_json

    def with_another_refusal(result: TuningResult) -> dict[str, Any]:
        body = honest(result)
        body["cells"][0]["over"] += 1
        return body | {"refusals_differ": True}

    monkeypatch.setattr(TuningResult, "refusals_differ", property(lambda _: True))
    monkeypatch.setattr(TuningResult, "to_json", with_another_refusal)
    outcome = gnomon("tune", "--quiet", code=3)
    assert "failed: Refusals differ between cells" in outcome.err
    assert not TUNING.exists()
    assert "**Refusals differ between cells" in REPORT.read_text("utf-8").split("\n\n")[1]


def test_without_vectors(gnomon: Gnomon, served: Path) -> None:
    """BM25's order and GATE_K are what is swept; such a file never fits an embedded index."""
    gnomon("index", served, "--no-embed", "--quiet")
    outcome = gnomon("tune", "--quiet")
    assert "the index has no vectors: what is swept is GATE_K" in outcome.out
    assert tuning()["embed_model"] is None
    assert tuning()["MMR_LAMBDA"] == 1
    assert "no vectors" in REPORT.read_text("utf-8")
    assert "(tuning)" in gnomon("index", served, "--no-embed", "--quiet").out
    embedded = gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    assert "is not used: it was tuned with no embedder, not lsa" in embedded.out
    assert_refused(gnomon("tune", "--lambda", "1", "--no-embed", code=2), "--no-embed")


@pytest.mark.usefixtures("served")
def test_json(gnomon: Gnomon) -> None:
    """One object with every cell, the files and the record."""
    found = gnomon("tune", "--json", "--quiet", "--lambda", "0.7", "--seed", 3).json
    assert found["schema"] == "gnomon.tune/1"
    assert len(found["cells"]) == 9
    assert found["axes"] == {"MMR_LAMBDA": [0.7], "GATE_K": [float(k) for k in range(4, 13)]}
    assert (found["out"], found["report"]) == (str(TUNING), str(REPORT))
    assert found["seed"] == 3
    assert found["audit"]["seq"] == 1
    assert found["held_out"]["sizes"] == [16, 16]


@pytest.mark.usefixtures("served")
def test_the_trail_names_no_record(gnomon: Gnomon) -> None:
    """Neither ids nor questions are kept, only how many moved."""
    gnomon("tune", "--quiet", "--lambda", "0.2", "--k", "4")
    stored = Path(".gnomon/audit.jsonl").read_text("utf-8")
    for record in records():
        assert record.id not in stored or record.id in ("key", "absent")
        assert record.question not in stored
    found = audit.read_record(Path(".gnomon"), 1)
    assert found.decision is not None
    assert found.decision.startswith("MMR_LAMBDA 0.2, GATE_K ")
    assert set(found.outputs["moved"]) == {"n_up", "n_down", "n_same"}


def test_replay(gnomon: Gnomon, served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Identical, even after the winner was inlined and under other levers of the day."""
    gnomon("tune", "--quiet")
    gnomon("index", served, "--embedder", "lsa:12", "--quiet")
    monkeypatch.setenv("GNOMON_RRF_K", "60")
    assert gnomon("replay", 1, "--quiet").out.startswith("identical: ")
    text = GOLDEN.read_text("utf-8").splitlines(keepends=True)
    GOLDEN.write_text("".join(text[:-1]), encoding="utf-8")
    assert gnomon("replay", 1, "--quiet", code=3).out.startswith("input_changed: ")


@pytest.mark.usefixtures("served")
def test_a_hostile_id_in_the_report(gnomon: Gnomon) -> None:
    """Ids come from a file: they neither mark up a report nor act on a terminal."""
    written = [as_json(record) for record in records()]
    for number, one in enumerate(written):
        one["id"] = f"<b>\u001b[31m|`{number}"
    GOLDEN.write_text("".join(json.dumps(one) + "\n" for one in written), encoding="utf-8")
    gnomon("tune", "--quiet", "--lambda", "0.1", "--k", "4")
    report = REPORT.read_text("utf-8")
    assert "\u001b" not in report
    assert "`` <b>" in report
