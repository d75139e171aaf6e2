"""What holds for any evidence that the upgrade rule may be given."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.rules.evidence import UNKNOWN, tight

from gnomon.errors import NotMeasuredError
from gnomon.rules.upgrade import SecondEstimate, TailEvidence, UpgradeEvidence, decide
from gnomon.types import Figure

unit = st.floats(min_value=0.0, max_value=4.0)


@st.composite
def figures(draw: st.DrawFn) -> Figure:
    """Draw a figure with, without and only with a value."""
    kind = draw(st.sampled_from(["interval", "interval", "interval", "value", "missing"]))
    if kind == "missing":
        return UNKNOWN
    value = draw(st.one_of(unit, st.sampled_from([0.0, 0.7, 0.85, 0.95, 0.975, 1.0, 1.02, 1.025])))
    if kind == "value":
        return Figure(value, reason="one query")
    return Figure(value, value - draw(unit), value + draw(unit))


evidences = st.builds(
    UpgradeEvidence,
    tier=st.just("T1"),
    n_queries=st.integers(1, 10**6),
    arr=figures(),
    upgrade_gain=figures(),
    bridge_advantage=figures(),
    cascade_arr=figures(),
    cascade_advantage=figures(),
    cascade_measured=figures(),
    candidate_depth=st.integers(1, 1000),
    candidate_reuse=st.one_of(st.none(), st.floats(0, 1)),
    has_text=st.booleans(),
    second_estimates=st.lists(
        st.builds(
            SecondEstimate,
            name=st.sampled_from(["arr_unseen_rivals", "mini_index"]),
            arr=figures(),
            upgrade_gain=st.one_of(st.none(), figures()),
            bridge_advantage=st.one_of(st.none(), figures()),
        ),
        max_size=2,
    ).map(tuple),
    tail=st.one_of(
        st.none(),
        st.builds(TailEvidence, arr=st.one_of(st.none(), unit), n_queries=st.integers(0, 100)),
    ),
    folds=st.booleans(),
    sampled_fraction=st.one_of(st.none(), st.floats(0.01, 0.99)),
)

RANK = ["full_reindex", "caution", "bridge_and_migrate", "bridge_sufficient"]


@given(evidences)
def test_the_rule_is_total_and_consistent(evidence: UpgradeEvidence) -> None:
    """Any evidence gives a decision or a named refusal, and its parts agree with each other."""
    try:
        result = decide(evidence)
    except NotMeasuredError:
        assert evidence.arr.value is None
        return
    assert bool(result.provisional_reasons) == result.provisional
    assert bool(result.neighbours) == (result.borderline or result.interval_straddles_threshold)
    assert result.queries_to_settle is None or result.neighbours
    assert not (result.arrangement == "cascade" and result.arrangement_missing)
    assert (result.decision == "no_upgrade_needed") == (result.decided_by.figure == "upgrade_gain")
    assert result.decided_by.distance == abs(result.decided_by.value - result.decided_by.threshold)
    assert result.rationale
    assert decide(evidence) == result


@given(evidences, unit, unit)
def test_more_retention_never_means_a_harder_remedy(
    evidence: UpgradeEvidence, first: float, second: float
) -> None:
    """With all else equal the decision is monotone in ARR, and gain only lifts `no upgrade`."""
    low, high = sorted((first, second))
    worse = decide(replace(evidence, arr=tight(low))).decision
    better = decide(replace(evidence, arr=tight(high))).decision
    if worse == "no_upgrade_needed":
        assert better == worse
    else:
        assert RANK.index(better) >= RANK.index(worse)
    fixed = replace(evidence, arr=tight(high))
    if decide(replace(fixed, upgrade_gain=tight(high))).decision == "no_upgrade_needed":
        assert decide(replace(fixed, upgrade_gain=tight(low))).decision == "no_upgrade_needed"
