"""The terminal's view: decision first, no line too wide."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.report.builders import (
    HOSTILE_IDS,
    HOSTILE_RECORD,
    RECORD,
    SAMPLED,
    SHAPES,
    T0,
    T1_FOLDS,
    VERDICT,
)

from gnomon.report.probe_text import WIDTH, probe_lines


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_fit_a_terminal(shape: str) -> None:
    """No line is wider than 88 columns unless a single word is."""
    for line in probe_lines(*SHAPES[shape]):
        assert len(line) <= WIDTH or " " not in line.strip()


def test_decision_comes_first() -> None:
    """A reader, or a script that takes the head, meets the decision and what to do."""
    lines = probe_lines(T1_FOLDS, RECORD)
    assert lines[:3] == [
        "decision:    full_reindex",
        "arrangement: cascade",
        "interim:     stay",
    ]
    assert lines[4] == "Re-embed the whole corpus with the new model."


def test_flags_stand_beside_the_decision() -> None:
    """A decision that evidence leaves open is never printed bare."""
    assert probe_lines(T0, RECORD)[0] == (
        "decision:    full_reindex  (provisional, borderline, interval straddles the threshold)"
    )


def test_continuation_lines_are_indented() -> None:
    """A wrapped list item continues under its text, not under its dash."""
    long = replace(T1_FOLDS, verdict=replace(VERDICT, rationale=("word " * 40,)))
    lines = probe_lines(long, RECORD)
    start = lines.index("Why:")
    assert lines[start + 1].startswith("- word")
    assert lines[start + 2].startswith("  word")


def test_rankings_show_recall_with_interval() -> None:
    """Each ranking has its recall, interval, nDCG and MRR; what is missing says so."""
    (bridge,) = [line for line in probe_lines(T1_FOLDS, RECORD) if line.startswith("Bridge   ")]
    assert bridge.split() == ["Bridge", "0.3200", "0.3100", "to", "0.3300", "0.3200", "0.3200"]
    (cascade,) = [
        line for line in probe_lines(SAMPLED, RECORD) if line.startswith("Bridge, then rerank")
    ]
    assert cascade.split()[-5:] == ["-", "not", "measured", "-", "-"]


def test_control_characters_are_written_out() -> None:
    """Nothing in an id or a reason acts on the terminal."""
    text = "\n".join(probe_lines(HOSTILE_IDS, HOSTILE_RECORD))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31mred" in text


def test_record_is_named() -> None:
    """The last line says where in the trail the decision stands."""
    assert probe_lines(T1_FOLDS, RECORD)[-1] == f"record:  7 {RECORD.hash}"
