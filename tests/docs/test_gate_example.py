"""The calibration of our own documentation runs again and says what is committed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from gnomon.cli.main import run
from gnomon.golden.probes import read_probes
from gnomon.retrieval.index import Index
from gnomon.rules.gate_transfer import anchors_missing

DOCS = Path(__file__).parents[2] / "docs"
PROBES = DOCS / "example" / "calibration.jsonl"
# Pages are edited every week; what was measured may move so far before it has to be measured again.
TAU_MOVES, REFUSALS_MOVE = 0.10, 6


def test_the_probe_set_is_large_enough_for_a_transfer() -> None:
    """60, 60, 40 and 30, and 15 of every other stratum; no question twice in one stratum."""
    probes = read_probes(PROBES)
    counts = Counter(probe.stratum for probe in probes)
    assert len(probes) == 295
    assert [counts[s] for s in ("U", "S", "F", "N4")] == [60, 60, 40, 30]
    assert {counts[s] for s in ("N1", "N2", "N3", "N5", "N6", "X", "P")} == {15}
    assert anchors_missing(counts) == {}
    asked = Counter((p.stratum, p.question, p.previous, p.scope) for p in probes)
    assert max(asked.values()) == 1


def test_it_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same verdict on today's pages, close to the committed figures."""
    monkeypatch.chdir(tmp_path)
    assert run(["index", str(DOCS), "--out", "ix", "--no-embed", "--quiet"]) == 0
    arguments = ["calibrate", "ix", "--probes", str(PROBES), "--out", "now.json", "--quiet"]
    assert run(arguments) == 0
    now = json.loads(Path("now.json").read_text("utf-8"))
    committed = json.loads((DOCS / "example" / "calibration.json").read_text("utf-8"))
    assert now["guard"]["source"] == committed["guard"]["source"] == "calibrated-lexical"
    assert now["guard"]["tau_lexical"] == pytest.approx(
        committed["guard"]["tau_lexical"], abs=TAU_MOVES
    )
    for stratum, cell in committed["lexical"]["strata"].items():
        found = now["lexical"]["strata"][stratum]
        assert abs(found["refused"] - cell["refused"]) <= REFUSALS_MOVE, stratum


def test_gold_pages_and_scopes_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that was renamed is noticed here."""
    monkeypatch.chdir(tmp_path)
    assert run(["index", str(DOCS), "--out", "ix", "--no-embed", "--quiet"]) == 0
    index = Index.open("ix")
    pages = {chunk.page for chunk in index.chunks}
    probes = read_probes(PROBES)
    assert {p.gold_page for p in probes if p.gold_page} <= pages
    for probe in probes:
        rows = index.rows_in(probe.scope)
        assert rows is None or len(rows)
