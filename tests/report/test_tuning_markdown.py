"""The report of a tuning run: its first lines say what the search is worth, and how to pin it."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.report.tuning_markdown import reading_line, refusals_line, tuning_lines, tuning_markdown


def cell(lambda_: float, k: int, over: int = 2) -> dict[str, Any]:
    """Return a cell as JSON has it."""
    return {
        "MMR_LAMBDA": lambda_, "GATE_K": k, "f1": 0.5, "recall@8": 0.6, "mrr": 0.7,
        "over": over, "caught": 3,
    }  # fmt: skip


def body(reading: str = "noise", *, dense: bool = True, **changes: Any) -> dict[str, Any]:
    """Return a run that chose lambda 0.7 and k 6, or without vectors k 6, with changes."""
    lambdas, counts = ([0.7, 1.0] if dense else [1.0]), [5, 6]
    winner = cell(0.7 if dense else 1.0, 6)
    return {
        "narrowed": False,
        "pool": {
            "golden_hash": "a" * 64, "level": None, "limit": None, "suffix": "", "records": 9,
            "with_gold": 7,
        },
        "footing": {
            "index_hash": "b" * 64,
            "embed_model": "m" if dense else None,
            "levers": {"FUSED": 12.0},
            "in_force": {
                "MMR_LAMBDA": {"value": 1.0, "source": "default"},
                "GATE_K": {"value": 5.0, "source": "tuning"},
            },
        },
        "axes": {"MMR_LAMBDA": lambdas, "GATE_K": counts},
        "seed": 0,
        "winner": winner,
        "in_force": cell(1.0, 5),
        "reference": cell(1.0, 6 if dense else 5),
        "gain": {"value": 0.01, "low": -0.01, "high": 0.03, "reason": None},
        "held_out": {
            "gain": {"value": 0.02, "low": -0.01, "high": 0.05, "reason": None},
            "reading": reading,
            "sizes": [4, 3],
            "chosen": [{"MMR_LAMBDA": 0.7, "GATE_K": 6}, {"MMR_LAMBDA": 1.0, "GATE_K": 5}],
        },
        "redundancy": {
            "reference": {"cosine": 0.6, "pages": 2.0},
            "winner": {"cosine": 0.5, "pages": 3.0},
        },
        "moved": {
            "n_up": 1, "n_down": 0, "n_same": 6,
            "up": [{"id": "g-|1", "before": 0.2, "after": 0.5}], "down": [],
        },
        "refusals_differ": False,
        "cells": [cell(lambda_, k) for lambda_ in lambdas for k in counts],
        "notes": [],
        **changes,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "said", "pinned"),
    [
        (body("noise"), "Plain ranking (lambda 1, the same k) does as well: ", "--lambda=1"),
        (body("noise", winner=cell(1.0, 6)), "Plain ranking (lambda 1, the same k) wins: ",
         "--lambda=1"),
        (body("gain"), "The search does better than plain ranking (lambda 1, the same k): ", None),
        (body("loss"), "The search does worse than plain ranking (lambda 1, the same k) on records",
         "--lambda=1"),
        (body("too-few"), "Too few records to tell", None),
        (body(held_out=None), "Too few records to tell", None),
        (body("noise", dense=False), "The k in force (5) does as well: ", "--k=5"),
        (body(axes={"MMR_LAMBDA": [1.0], "GATE_K": [5, 6]}, winner=cell(1.0, 6)),
         "Lambda is pinned to 1", None),
        (body(dense=False, axes={"MMR_LAMBDA": [1.0], "GATE_K": [5]}, winner=cell(1.0, 5)),
         "Only the k in force (5) was measured", None),
    ],
)  # fmt: skip
def test_the_reading_comes_first(found: dict[str, Any], said: str, pinned: str | None) -> None:
    """An interval that holds zero is called that, with the flag that pins plain ranking."""
    line = reading_line(found)
    assert line.startswith(said)
    assert (f"in it with {pinned}." in line) if pinned else "in it with" not in line
    assert tuning_markdown(found).split("\n\n")[1].startswith(said[:20])
    assert line in tuning_lines(found)


def test_refusals_that_differ_stand_at_the_top() -> None:
    """With the range of both counts."""
    cells = [*body()["cells"][1:], cell(0.7, 5, over=4)]
    found = body(refusals_differ=True, cells=cells)
    assert "2 to 4 over-refusals, 3 to 3 negatives caught" in refusals_line(found)
    assert tuning_markdown(found).split("\n\n")[1].startswith("**Refusals differ between cells")


def test_a_winner_at_the_end_of_an_axis_is_told() -> None:
    """But not at 0, at 1 or at FUSED, beyond which there is nothing."""
    assert [line for line in tuning_lines(body()) if "at the end of the axis" in line] == [
        "the winner lies at the end of the axis of MMR_LAMBDA, 0.7; a better one may lie beyond",
        "the winner lies at the end of the axis of GATE_K, 6; a better one may lie beyond",
    ]
    ended = body(winner=cell(1.0, 12), axes={"MMR_LAMBDA": [0.7, 1.0], "GATE_K": [5, 12]})
    assert not any("at the end of the axis" in line for line in tuning_lines(ended))


def test_a_grid_too_wide_to_read_is_cut_to_its_best() -> None:
    """All cells are in the JSON."""
    counts = list(range(1, 31))
    cells = [{**cell(0.7, k), "f1": k / 100} for k in counts]
    found = body(axes={"MMR_LAMBDA": [0.7], "GATE_K": counts}, cells=cells)
    report = tuning_markdown(found)
    assert "The 20 cells of the highest F1" in report
    assert "| 0.7 | 30 | 0.3000 |" in report
    assert "| 0.7 | 10 | 0.1000 |" not in report


def test_ids_do_not_break_the_table() -> None:
    """A pipe in an id stays in its cell."""
    assert "| `g-\\|1` | 0.2000 | 0.5000 | +0.3000 |" in tuning_markdown(body())
