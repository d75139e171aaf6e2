"""``gnomon calibrate --transfer``: thresholds carried over, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.retrieval.index import Index
from tests.cli.probing import assert_refused
from tests.cli.test_calibrate import probes, write
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

OLD, NEW = Path("gnomon/calibration.json"), Path("gnomon/calibration.other.json")


@pytest.fixture
def measured(gnomon: Gnomon) -> dict[str, Any]:
    """Calibrate one index, build another with another model, return the calibration."""
    docs = write_pages(Path("docs"))
    gnomon("index", docs, "--embedder", "lsa:3", "--quiet")
    gnomon("index", docs, "--embedder", "lsa:4", "--out", "gnomon/other", "--quiet")
    write(probes(("U", 60), ("S", 60), ("F", 40), ("N4", 35)))
    gnomon("calibrate", "--quiet")
    return json.loads(OLD.read_text("utf-8"))  # type: ignore[no-any-return]


def test_carried_over(gnomon: Gnomon, measured: dict[str, Any]) -> None:
    """Tau is inherited, the window fitted, the bounds are null, and index inlines it."""
    outcome = gnomon("calibrate", "gnomon/other", "--transfer", OLD, "--quiet")
    assert outcome.out.startswith("verdict: transferred")
    assert "fitted on 166 anchors (bounded)" in outcome.out
    assert "a bounded bet, not a measurement" in outcome.out
    body = json.loads(NEW.read_text("utf-8"))
    assert body["guard"]["tau"] == measured["guard"]["tau"]
    assert body["guard"]["source"] == "transferred-window"
    assert (body["over_refusal_ub95"], body["gate_precision"]) == (None, None)
    strata = body["transfer_check"]["strata"]
    assert {s: cell["n"] for s, cell in strata.items()} == {"U": 52, "S": 52, "F": 32, "N4": 30}
    built = gnomon("index", "docs", "--embedder", "lsa:4", "--out", "gnomon/other", "--quiet")
    assert f"guard: transferred-window, from {NEW}" in built.out
    assert Index.open("gnomon/other").manifest.guard.source == "transferred-window"


def test_all_anchors(gnomon: Gnomon, measured: dict[str, Any]) -> None:
    """Full asks every probe."""
    arguments = ("--transfer", OLD, "--anchors", "full", "--json", "--quiet")
    body = gnomon("calibrate", "gnomon/other", *arguments).json
    assert {s: c["n"] for s, c in body["transfer_check"]["strata"].items()} == measured["counts"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gnomon/index", "--transfer", OLD, "--out", NEW], 3, "the embedder is the same"),
        (["gnomon/other", "--transfer", OLD, "--out", OLD], 2, "is read by this command"),
        (["gnomon/other", "--transfer", "none.json"], 3, "no such file"),
        (["gnomon/other", "--anchors", "full"], 2, "--anchors belongs to --transfer"),
        (["gnomon/other", "--transfer", OLD, "--strict"], 2, "measures no bounds"),
        (["gnomon/other", "--transfer", OLD, "--limit", "9"], 2, "measures no bounds"),
        (["gnomon/other", "--transfer", OLD, "--report", "r.md"], 2, "leave out --report"),
    ],
)
@pytest.mark.usefixtures("measured")
def test_refused(gnomon: Gnomon, arguments: list[object], code: int, said: str) -> None:
    """Refused, not warned; the source keeps its bytes and nothing new is written."""
    before = OLD.read_bytes()
    assert_refused(gnomon("calibrate", *arguments, "--quiet", code=code), said)
    assert OLD.read_bytes() == before
    assert not NEW.exists()


@pytest.mark.usefixtures("measured")
def test_another_corpus_vocabulary_and_levers(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each difference is named."""
    write_pages(Path("docs"), {"new.md": "# New\n\nAnother page."})
    monkeypatch.setenv("GNOMON_BM25_B", "0.5")
    monkeypatch.setenv("GNOMON_LANGUAGES", "en,de")
    gnomon("index", "docs", "--embedder", "lsa:4", "--out", "gnomon/other", "--quiet")
    outcome = gnomon("calibrate", "gnomon/other", "--transfer", OLD, "--quiet", code=3)
    assert_refused(
        outcome,
        "measured on other pages",
        "words are cut into terms in another way",
        "the levers that move a verdict differ",
    )


@pytest.mark.usefixtures("measured")
def test_sources_that_carry_nothing(gnomon: Gnomon) -> None:
    """A transferred file and a lexical one are no measurement of a window."""
    gnomon("calibrate", "gnomon/other", "--transfer", OLD, "--quiet")
    gnomon("index", "docs", "--embedder", "lsa:5", "--out", "gnomon/third", "--quiet")
    outcome = gnomon("calibrate", "gnomon/third", "--transfer", NEW, "--quiet", code=3)
    assert_refused(outcome, "the source is itself transferred")
    gnomon("index", "docs", "--no-embed", "--out", "gnomon/words", "--quiet")
    gnomon("calibrate", "gnomon/words", "--out", "words.json", "--quiet")
    outcome = gnomon("calibrate", "gnomon/third", "--transfer", "words.json", "--quiet", code=3)
    assert_refused(outcome, "the source was measured without vectors")


@pytest.mark.usefixtures("measured")
def test_too_few_anchors(gnomon: Gnomon) -> None:
    """The message says how many each stratum lacks."""
    write(probes(("U", 51), ("N4", 29)))
    outcome = gnomon("calibrate", "gnomon/other", "--transfer", OLD, "--quiet", code=3)
    assert_refused(outcome, "U lacks 1, N4 lacks 1")
