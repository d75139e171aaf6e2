"""Levers: precedence, provenance, ranges, and the wall to the thresholds."""

from __future__ import annotations

import pytest

from gnomon.errors import UsageError
from gnomon.retrieval.levers import (
    LEVERS,
    THRESHOLDS,
    Lever,
    resolve_levers,
    shadowing_variables,
)


def test_shipped_values() -> None:
    """The eight of the documentation, and the never-swept ones behind the wall."""
    levers = resolve_levers(environment={})
    assert {name: levers[name] for name in list(LEVERS)[:8]} == {
        "MMR_LAMBDA": 1.0,
        "GATE_K": 5,
        "RRF_K": 5,
        "W_LEXICAL_RRF": 1,
        "W_DENSE_RRF": 1,
        "CANDIDATES": 30,
        "FUSED": 12,
        "EXPAND_BELOW_TOKENS": 150,
    }
    assert levers.count("DENSE_RERANK") == 0
    assert (levers.count("PAGE_CAP"), levers["BM25_K1"], levers["BM25_B"]) == (2, 1.2, 0.75)
    assert {lever.source for lever in levers.values.values()} == {"default"}


def test_precedence_of_gate_k() -> None:
    """Environment beats config beats tuning beats the default; each says where it came from."""
    tuning, config, environment = {"GATE_K": 7}, {"top_k": 3}, {"GNOMON_GATE_K": "9"}
    given = [
        ({}, Lever(5, "default")),
        ({"tuning": tuning}, Lever(7, "tuning")),
        ({"tuning": tuning, "config": config}, Lever(3, "config")),
        ({"tuning": tuning, "config": config, "environment": environment}, Lever(9, "environment")),
    ]
    for arguments, expected in given:
        found = resolve_levers(**{"environment": {}, **arguments})
        assert found.values["GATE_K"] == expected


def test_the_environment_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at import; an empty variable is an unset one."""
    monkeypatch.setenv("GNOMON_MMR_LAMBDA", "0.5")
    assert resolve_levers()["MMR_LAMBDA"] == 0.5
    monkeypatch.setenv("GNOMON_MMR_LAMBDA", "")
    assert resolve_levers()["MMR_LAMBDA"] == 1.0


@pytest.mark.parametrize(("top_k", "value"), [(0, 1), (1, 1), (12, 12), (40, 12), ("4", 4)])
def test_top_k_is_clamped(top_k: object, value: float) -> None:
    """The documented name of GATE_K stays between 1 and 12."""
    assert resolve_levers(config={"top_k": top_k}, environment={})["GATE_K"] == value


def test_top_k_null_lets_the_measured_value_through() -> None:
    """An unset key is not a value."""
    levers = resolve_levers(config={"top_k": None}, tuning={"GATE_K": 8}, environment={})
    assert levers.values["GATE_K"] == Lever(8, "tuning")


@pytest.mark.parametrize("name", [n for n, kind in LEVERS.items() if not kind.swept])
def test_tuning_cannot_move_what_it_never_sweeps(name: str) -> None:
    """A value written there was never measured on the corpus."""
    assert resolve_levers(tuning={name: 1.0}, environment={}).values[name].source == "default"


def test_no_threshold_is_a_lever() -> None:
    """Only calibrate writes a threshold; the environment cannot either."""
    names = {name.casefold() for name in LEVERS}
    assert names.isdisjoint(THRESHOLDS)
    moved = resolve_levers(environment={"GNOMON_TAU": "0", "GNOMON_W_DENSE": "1"})
    assert {lever.source for lever in moved.values.values()} == {"default"}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GNOMON_MMR_LAMBDA", "1.1"),
        ("GNOMON_MMR_LAMBDA", "-0.1"),
        ("GNOMON_MMR_LAMBDA", "nan"),
        ("GNOMON_MMR_LAMBDA", "half"),
        ("GNOMON_GATE_K", "0"),
        ("GNOMON_GATE_K", "2.5"),
        ("GNOMON_BM25_B", "1.5"),
        ("GNOMON_CANDIDATES", "inf"),
    ],
)
def test_bad_values_are_refused_by_name(variable: str, value: str) -> None:
    """Never defaulted: the message names the variable, its value and the range."""
    with pytest.raises(UsageError, match=rf"{variable} is '{value}'; expected a .* from"):
        resolve_levers(environment={variable: value})


@pytest.mark.parametrize("value", [True, "many", 2.5])
def test_a_bad_top_k_is_refused(value: object) -> None:
    """Clamping is for counts, not for nonsense."""
    with pytest.raises(UsageError, match="top_k is"):
        resolve_levers(config={"top_k": value}, environment={})


def test_what_a_calibration_depends_on() -> None:
    """CANDIDATES, the BM25 parameters and the boosts; not what tune moves."""
    moving = resolve_levers(environment={}).moving_verdict()
    assert set(moving) == {
        "CANDIDATES", "BM25_K1", "BM25_B",
        "BOOST_TITLE", "BOOST_TRAIL", "BOOST_PATH", "BOOST_ANCHOR", "BOOST_TEXT",
    }  # fmt: skip


def test_variables_that_would_blind_a_sweep() -> None:
    """Only the swept two, and only when they are set to something."""
    environment = {"GNOMON_GATE_K": "5", "GNOMON_MMR_LAMBDA": "", "GNOMON_RRF_K": "60"}
    assert shadowing_variables(environment) == ("GNOMON_GATE_K",)
