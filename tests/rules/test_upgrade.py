"""The upgrade rule, as a table: every branch, and every boundary to the last digit."""

from __future__ import annotations

import pytest
from tests.rules.evidence import UNKNOWN, above, below, codes, tight, told

from gnomon.errors import NotMeasuredError
from gnomon.rules.upgrade import (
    ARR_BANDS,
    BREAK_EVEN_NOISE,
    BRIDGE_LOSES,
    GAIN_WORTHWHILE,
    NOISE_BANDS,
)
from gnomon.types import Figure


@pytest.mark.parametrize(
    ("arr", "decision"),
    [
        (2.0, "bridge_sufficient"),
        (above(0.95), "bridge_sufficient"),
        (0.95, "bridge_sufficient"),
        (below(0.95), "bridge_and_migrate"),
        (above(0.85), "bridge_and_migrate"),
        (0.85, "bridge_and_migrate"),
        (below(0.85), "caution"),
        (above(0.70), "caution"),
        (0.70, "caution"),
        (below(0.70), "full_reindex"),
        (0.0, "full_reindex"),
    ],
)
def test_bands_own_their_lower_edge(arr: float, decision: str) -> None:
    """An ARR on an edge belongs to the upper band; the unrounded value is compared."""
    result = told(arr=tight(arr))
    assert result.decision == decision
    assert result.decided_by.figure == "arr"


@pytest.mark.parametrize(
    ("gain", "bridge", "arr", "decision", "figure"),
    [
        (below(1.02), 1.2, 0.99, "no_upgrade_needed", "upgrade_gain"),
        (1.02, 1.2, 0.99, "bridge_sufficient", "arr"),
        (above(1.02), 1.2, 0.99, "bridge_sufficient", "arr"),
        (below(1.02), 0.5, 0.2, "no_upgrade_needed", "upgrade_gain"),
        (1.2, below(0.975), 0.99, "full_reindex", "bridge_advantage"),
        (1.2, 0.975, 0.99, "bridge_sufficient", "arr"),
        (1.2, above(0.975), 0.99, "bridge_sufficient", "arr"),
        (1.2, below(0.975), 0.10, "full_reindex", "bridge_advantage"),
        (0.0, 0.0, 0.0, "no_upgrade_needed", "upgrade_gain"),
        (3.0, 1.5, 0.5, "full_reindex", "arr"),
    ],
)
def test_gain_comes_first_then_the_bridge_then_the_bands(
    gain: float, bridge: float, arr: float, decision: str, figure: str
) -> None:
    """Gain under 1.02 decides, then a bridge under 0.975 of staying, then the bands."""
    result = told(upgrade_gain=tight(gain), bridge_advantage=tight(bridge), arr=tight(arr))
    assert (result.decision, result.decided_by.figure) == (decision, figure)
    threshold = {"upgrade_gain": 1.02, "bridge_advantage": 0.975}.get(figure)
    if threshold is not None:
        assert result.decided_by.threshold == threshold
    value = {"upgrade_gain": gain, "bridge_advantage": bridge, "arr": arr}[figure]
    assert result.decided_by.value == value
    assert result.decided_by.distance == abs(value - result.decided_by.threshold)


@pytest.mark.parametrize(
    ("missing", "decision"),
    [
        (("upgrade_gain",), "bridge_sufficient"),
        (("bridge_advantage",), "bridge_sufficient"),
        (("upgrade_gain", "bridge_advantage"), "bridge_sufficient"),
    ],
)
def test_a_ratio_that_was_not_measured_skips_its_rule(
    missing: tuple[str, ...], decision: str
) -> None:
    """A null ratio does not decide; the next rule does."""
    assert told(**dict.fromkeys(missing, UNKNOWN)).decision == decision


def test_gain_decides_without_retention() -> None:
    """A gain of 0 (the new model finds nothing) decides although ARR has no denominator."""
    result = told(arr=UNKNOWN, upgrade_gain=Figure(0.0, 0.0, 0.0), bridge_advantage=tight(0.9))
    assert result.decision == "no_upgrade_needed"


@pytest.mark.parametrize("gain", [UNKNOWN, tight(1.5)])
def test_nothing_measured_is_refused_with_its_reason(gain: Figure) -> None:
    """Without retention, and with neither other figure deciding, there is no decision to tell."""
    with pytest.raises(NotMeasuredError, match="oracle finds nothing"):
        told(
            arr=Figure.missing("the oracle finds nothing"),
            upgrade_gain=gain,
            bridge_advantage=UNKNOWN,
        )


# collection and models: gain, ARR, bridge, cascade advantage and measured, reuse, queries
MEASURED = {
    "cranfield wordllama minilm": (
        Figure(1.2377, 1.1669, 1.3242), Figure(0.7071, 0.6577, 0.7531),
        Figure(0.8752, 0.8153, 0.9371), 1.1561, 1.2158, 225,
        ("full_reindex", "cascade", "stay"), (False, False), [],
    ),
    "cranfield glove wordllama": (
        Figure(3.0648, 2.6191, 3.6425), Figure(0.3137, 0.2603, 0.3677),
        Figure(0.9615, 0.7909, 1.1719), 2.3454, 2.7938, 225,
        ("full_reindex", "cascade", "stay"), (True, True), ["few_queries"],
    ),
    "cranfield minilm sre": (
        Figure(0.4614, 0.4115, 0.5132), Figure(1.5488, 1.4255, 1.6907),
        Figure(0.7146, 0.6623, 0.7648), 0.5711, 0.4650, 225,
        ("no_upgrade_needed", "single_stage", "stay"), (False, False), ["few_queries"],
    ),
    "cranfield minilm int8": (
        Figure(1.0004, 0.9943, 1.0064), Figure(1.0017, 0.9951, 1.0089),
        Figure(1.0021, 0.9982, 1.0067), 0.9996, 1.0004, 225,
        ("no_upgrade_needed", "single_stage", "stay"), (True, False),
        ["cascade_disagrees", "bridge_within_noise"],
    ),
    "medline glove minilm": (
        Figure(2.7482, 2.1395, 3.7388), Figure(0.6117, 0.5321, 0.6909),
        Figure(1.6811, 1.3622, 2.1698), 2.3650, 2.6893, 30,
        ("full_reindex", "single_stage", "bridge"), (False, False), ["few_queries"],
    ),
    "mtrag wordllama minilm": (
        Figure(1.0679, 1.0351, 1.1029), Figure(0.8215, 0.7862, 0.8531),
        Figure(0.8773, 0.8423, 0.9098), 1.0551, 1.0612, 511,
        ("full_reindex", "cascade", "stay"), (False, False), [],
    ),
    "mtrag wordllama use": (
        Figure(0.9940, 0.9617, 1.0266), Figure(0.8324, 0.7969, 0.8677),
        Figure(0.8274, 0.7885, 0.8651), 0.9665, 0.9816, 511,
        ("no_upgrade_needed", "single_stage", "stay"), (True, True), [],
    ),
    "scifact wordllama minilm": (
        Figure(1.1154, 1.0755, 1.1556), Figure(0.6604, 0.6261, 0.6926),
        Figure(0.7365, 0.6990, 0.7702), 1.0296, 1.0806, 1109,
        ("full_reindex", "cascade", "stay"), (False, False), [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MEASURED)
def test_measured_collections(name: str) -> None:
    """Figures measured on real collections lead to the decisions that follow from them by hand."""
    gain, arr, bridge, cascade, measured, queries, decisions, flags, warnings = MEASURED[name]
    result = told(
        n_queries=queries,
        upgrade_gain=gain,
        arr=arr,
        bridge_advantage=bridge,
        cascade_advantage=tight(cascade),
        cascade_measured=tight(measured),
    )
    assert (result.decision, result.arrangement, result.interim) == decisions
    assert (result.borderline, result.interval_straddles_threshold) == flags
    assert codes(result) == warnings


@pytest.mark.parametrize("threshold", NOISE_BANDS)
@pytest.mark.parametrize("end", [0, 1])
def test_borderline_band_holds_both_its_ends(threshold: float, end: int) -> None:
    """A value is borderline from 0.025 under its threshold to 0.025 over it, ends included."""
    edge = NOISE_BANDS[threshold][end]
    outside = below(edge) if end == 0 else above(edge)
    for value, expected in ((edge, True), (outside, False), (threshold, True)):
        # Only a value that its own rule decides on can be borderline there.
        if threshold == GAIN_WORTHWHILE and value >= threshold:
            continue
        if threshold == BRIDGE_LOSES and value >= threshold:
            continue
        figure = {GAIN_WORTHWHILE: "upgrade_gain", BRIDGE_LOSES: "bridge_advantage"}.get(
            threshold, "arr"
        )
        result = told(**{figure: Figure(value, value, value)})
        assert result.decided_by.figure == figure
        assert result.borderline is expected, (figure, value)


def test_noise_bands_are_the_decimal_literals_around_their_thresholds() -> None:
    """Every band reaches 0.025 to both sides, that of the gain down to the noise of break-even."""
    for threshold, (low, high) in NOISE_BANDS.items():
        assert repr(low) == ("0.975" if threshold == 1.02 else repr(round(threshold - 0.025, 3)))
        assert repr(high) == repr(round(threshold + 0.025, 3))
    assert BREAK_EVEN_NOISE == (0.975, 1.025)
    assert [edge for edge, _ in ARR_BANDS] == [0.95, 0.85, 0.70]


@pytest.mark.parametrize(
    ("value", "low", "high", "threshold", "straddles", "neighbours"),
    [
        (0.99, 0.95, 1.0, 0.95, True, ("bridge_and_migrate", "bridge_sufficient")),
        (0.99, above(0.95), 1.0, 0.95, False, ()),
        (0.93, 0.929, 0.931, 0.95, False, ("bridge_and_migrate", "bridge_sufficient")),
        (0.89, 0.87, 0.90, 0.85, False, ()),
        (0.89, 0.86, 0.95, 0.95, True, ("bridge_and_migrate", "bridge_sufficient")),
        (0.89, 0.84, 0.96, 0.85, True, ("caution", "bridge_and_migrate")),
        (0.78, 0.70, 0.79, 0.70, True, ("full_reindex", "caution")),
        (0.78, 0.60, 0.99, 0.85, True, ("caution", "bridge_and_migrate")),
        (0.871, 0.87, 0.96, 0.85, True, ("caution", "bridge_and_migrate")),
        (0.30, 0.20, 0.70, 0.70, True, ("full_reindex", "caution")),
        (0.30, 0.20, below(0.70), 0.70, False, ()),
    ],
)
def test_retention_is_held_against_the_edge_in_question(
    value: float,
    low: float,
    high: float,
    threshold: float,
    straddles: bool,
    neighbours: tuple[str, ...],
) -> None:
    """The nearest edge counts, unless the value is clear of it and only its interval reaches one.

    Any band edge inside the interval, ends included, makes it straddle.
    """
    result = told(arr=Figure(value, low, high))
    assert result.decided_by.threshold == threshold
    assert result.interval_straddles_threshold is straddles
    assert result.neighbours == neighbours
    assert bool(neighbours) == (result.borderline or straddles)
    assert any("too near to call" in sentence for sentence in result.rationale) == bool(neighbours)


@pytest.mark.parametrize(
    ("gain", "bridge", "arr", "neighbours"),
    [
        (tight(1.015), tight(1.1), tight(0.9), ("no_upgrade_needed", "bridge_and_migrate")),
        (tight(1.015), tight(0.8), tight(0.9), ("no_upgrade_needed", "full_reindex")),
        (tight(1.015), UNKNOWN, UNKNOWN, ("no_upgrade_needed",)),
        (
            Figure(0.9, 0.8, 1.02),
            tight(0.98),
            tight(0.99),
            ("no_upgrade_needed", "bridge_sufficient"),
        ),
        (tight(1.5), tight(0.97), tight(0.8), ("full_reindex", "caution")),
        (tight(1.5), Figure(0.9, 0.8, 0.975), tight(0.3), ("full_reindex", "full_reindex")),
        (tight(1.5), tight(0.97), UNKNOWN, ("full_reindex",)),
        (tight(1.5), Figure(0.9, 0.8, below(0.975)), tight(0.3), ()),
        (Figure(0.9, 0.8, below(1.02)), tight(0.98), tight(0.99), ()),
    ],
)
def test_neighbours_are_the_decisions_on_both_sides(
    gain: Figure, bridge: Figure, arr: Figure, neighbours: tuple[str, ...]
) -> None:
    """Above the gain's or the bridge's threshold the later rules decide."""
    result = told(upgrade_gain=gain, bridge_advantage=bridge, arr=arr)
    assert result.neighbours == neighbours


@pytest.mark.parametrize(
    ("queries", "value", "half_width", "expected"),
    [
        (100, 0.75, 0.051, 110),  # 104.04
        (100, 0.75, 0.08, 260),  # 256
        (225, 0.71, 0.048, 5_200),  # 5184
        (100, 0.705, 0.05, 10_000),
        (100, 0.70159, 0.05, 99_000),  # 98,888
        (100, 0.70158, 0.05, "more than 100,000"),  # 100,144
        (30, 0.70, 0.05, "more than 100,000"),
        (400, 0.71, 0.0001, 1),
        (7, 0.72, 0.01, 2),  # 1.75
        (37, 0.72, 0.019, 34),  # 33.4
    ],
)
def test_queries_to_settle(
    queries: int, value: float, half_width: float, expected: int | str
) -> None:
    """The count is n (half-width / distance)^2, rounded up to two digits, capped in words."""
    result = told(n_queries=queries, arr=tight(value, half_width))
    assert result.queries_to_settle == expected


def test_queries_to_settle_is_null_when_nothing_needs_settling() -> None:
    """Neither borderline nor straddled: no count, no neighbours; no interval: no count."""
    assert told(arr=tight(0.80)).queries_to_settle is None
    no_interval = told(arr=Figure(0.71, reason="one query"))
    assert no_interval.borderline
    assert no_interval.neighbours == ("full_reindex", "caution")
    assert no_interval.queries_to_settle is None
