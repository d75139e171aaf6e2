"""The rule of calibration, as tables: bounds, thresholds, the ranking of windows, every failure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from gnomon.rules.gate import (
    SHORTLIST,
    THRESHOLDS,
    blatant_refusal,
    bound_rows,
    catches_blatant,
    choose_tau,
    choose_tau_lexical,
    choose_window,
    failures,
    feasible,
    gate_precision,
    half_limits,
    has_too_few,
    is_degenerate,
    is_viable,
    limits,
    tolerated,
    windows,
)
from gnomon.rules.gate_values import Cell, Counts, GateEvidence, HeldOut, Window, WindowOutcome
from gnomon.stats.intervals import clopper_pearson_upper, wilson_upper

FULL: Counts = {"U": 60, "S": 60, "F": 40, "N1": 20, "N4": 30}


def outcome(
    tau: int | None = 50,
    *,
    caught: int = 40,
    blatant: int = 30,
    floor: int = 40,
    span: int = 20,
    on_ramp: int = 100,
) -> WindowOutcome:
    """Return a window that is viable and sound unless told otherwise."""
    cell = None if tau is None else Cell(tau, {"N1": caught - blatant, "N4": blatant})
    return WindowOutcome(Window(floor, floor + span), cell, on_ramp)


def evidence(**changes: object) -> GateEvidence:
    """Return evidence that nothing speaks against, with changes."""
    values: dict[str, object] = {
        "counts": FULL,
        "dense": True,
        "cell": Cell(50, {"N4": 30}),
        "lexical": Cell(30, {"N4": 30}),
        "w_lexical": 0.25,
        **changes,
    }
    return GateEvidence(**values)  # type: ignore[arg-type]


def codes(found: GateEvidence) -> list[str]:
    """Return the codes of the failures."""
    return [failure.code for failure in failures(found)]


class TestBounds:
    """What a number of probes can show."""

    @pytest.mark.parametrize(
        ("n", "upper"), [(52, 0.0495), (51, 0.0504), (34, 0.0737), (32, 0.0780), (17, 0.1373)]
    )
    def test_wilson_at_zero_refusals(self, n: int, upper: float) -> None:
        """UB95(0, n) = z^2 / (n + z^2)."""
        assert round(wilson_upper(0, n), 4) == upper
        assert wilson_upper(0, n) == pytest.approx(
            1.6448536269514722**2 / (n + 1.6448536269514722**2)
        )

    def test_no_data_bounds_nothing(self) -> None:
        """Without a probe the upper bound is 1."""
        assert wilson_upper(0, 0) == 1.0
        assert clopper_pearson_upper(0, 0) == 1.0

    def test_rows_say_what_is_needed(self) -> None:
        """52 and 32 probes by Wilson's bound, 59 and 36 by the exact one; 87 and 54 for a slip."""
        rows = {row.stratum: row for row in bound_rows({"U": 52, "S": 51, "F": 32})}
        assert [(r.needed, r.needed_exact, r.needed_for_one) for r in rows.values()] == [
            (52, 59, 87),
            (52, 59, 87),
            (32, 36, 54),
        ]
        assert [rows[s].tolerated for s in ("U", "S", "F")] == [0, None, 0]

    @pytest.mark.parametrize(("n", "allowed"), [(51, None), (52, 0), (86, 0), (87, 1), (117, 1)])
    def test_tolerated_refusals(self, n: int, allowed: int | None) -> None:
        """One refusal more than tolerated breaks the bound; one fewer keeps it."""
        assert tolerated(n, 0.05) == allowed
        if allowed is not None:
            assert wilson_upper(allowed, n) <= 0.05 < wilson_upper(allowed + 1, n)

    def test_a_half_tolerates_half_rounded_down(self) -> None:
        """A stratum that tolerates one refusal tolerates none on a half."""
        assert half_limits({"U": 3, "S": 1, "F": None}) == {"U": 1, "S": 0, "F": None}

    def test_only_strata_with_probes_are_bounded(self) -> None:
        """An empty stratum constrains nothing."""
        assert limits({"U": 52, "S": 0}) == {"U": 0}
        assert has_too_few({"U": 17, "F": 32}) == ("U",)

    @given(st.integers(1, 400), st.integers(0, 6))
    def test_the_exact_bound_is_the_binomial_tail(self, n: int, refused: int) -> None:
        """So few refusals have probability 5% at the bound, to the grid of the bisection."""
        refused = min(refused, n - 1)
        upper = clopper_pearson_upper(refused, n)
        assert upper == pytest.approx(beta.ppf(0.95, refused + 1, n - refused), abs=1e-9)
        assert binom.cdf(refused, n, upper) <= 0.05 + 1e-9


class TestTau:
    """The largest threshold that keeps the bounds."""

    def test_the_largest_feasible_threshold_wins(self) -> None:
        """U tolerates one refusal of 87: the last threshold that refuses one is taken."""
        sweep = [Cell(t, {"U": 0 if t < 40 else 1 if t < 61 else 2}) for t in THRESHOLDS]
        chosen = choose_tau(sweep, limits({"U": 87}))
        assert chosen is not None
        assert chosen.tau == 60

    def test_what_is_caught_has_no_say(self) -> None:
        """More negatives caught at a higher threshold do not raise it."""
        sweep = [Cell(t, {"U": int(t > 30), "N1": t}) for t in THRESHOLDS]
        chosen = choose_tau(sweep, limits({"U": 52, "N1": 100}))
        assert chosen is not None
        assert chosen.tau == 30

    def test_one_stratum_alone_can_hold_it_down(self) -> None:
        """Every stratum has its own bound; they are never pooled."""
        sweep = [Cell(t, {"U": 0, "S": 0, "F": int(t > 12)}) for t in THRESHOLDS]
        chosen = choose_tau(sweep, limits({"U": 500, "S": 500, "F": 32}))
        assert chosen is not None
        assert chosen.tau == 12

    def test_too_few_probes_make_nothing_feasible(self) -> None:
        """Not even a threshold of 0 is feasible when no result could keep the bound."""
        assert choose_tau([Cell(0, {"U": 0})], limits({"U": 51})) is None

    @given(st.lists(st.integers(0, 100), min_size=52, max_size=200))
    def test_the_feasible_set_is_a_prefix(self, scores: list[int]) -> None:
        """Refusals never fall as the threshold rises, so nothing past the choice is feasible."""
        sweep = [Cell(t, {"U": sum(s < t for s in scores)}) for t in THRESHOLDS]
        allowed = limits({"U": len(scores)})
        chosen = choose_tau(sweep, allowed)
        assert chosen is not None  # a threshold of 0 refuses nothing
        assert [c.tau for c in sweep if feasible(c, allowed)] == list(range(chosen.tau + 1))


class TestShares:
    """Reported, never a constraint on tau."""

    def test_precision_is_over_all_negatives(self) -> None:
        """Positives that are refused do not count as caught."""
        cell = Cell(50, {"U": 9, "N1": 5, "N4": 25})
        assert gate_precision(cell, FULL) == 30 / 50
        assert blatant_refusal(cell, FULL) == 25 / 30

    def test_null_without_negatives(self) -> None:
        """A share of nothing is not a number."""
        assert gate_precision(Cell(5, {}), {"U": 60}) is None
        assert blatant_refusal(Cell(5, {}), {"U": 60, "N1": 9}) is None

    @pytest.mark.parametrize(
        ("caught", "enough"), [(24, True), (23, False), (0, False), (30, True)]
    )
    def test_four_of_five_foreign_questions(self, caught: int, enough: bool) -> None:
        """Exactly 80% is enough; one less is not."""
        assert catches_blatant(Cell(50, {"N4": caught}), FULL) is enough

    def test_not_armed_without_foreign_questions(self) -> None:
        """Without N4 the floor asks for nothing."""
        assert catches_blatant(Cell(50, {}), {"U": 60, "N1": 20})


class TestWindows:
    """The candidates and their ranking, each tie-break in turn."""

    def test_the_grid(self) -> None:
        """612 windows; the first 24 floors make 408; no ceiling over 0.95; no window twice."""
        grid = windows()
        assert len(grid) == len(set(grid)) == 612
        assert sum(w.floor <= 46 for w in grid) == 408
        assert max(w.ceiling for w in grid) == 94
        assert {w.span for w in grid} == set(range(8, 41, 2))
        assert (min(w.floor for w in grid), max(w.floor for w in grid)) == (0, 86)

    @pytest.mark.parametrize(
        ("changes", "viable"),
        [
            ({}, True),
            ({"tau": None}, False),
            ({"tau": 25}, False),
            ({"tau": 26}, True),
            ({"blatant": 24}, True),
            ({"blatant": 23}, False),
        ],
    )
    def test_viable(self, changes: dict[str, int], viable: bool) -> None:
        """Above the lexical weight (not at it), and shut to the foreign."""
        assert is_viable(outcome(**changes), FULL, w_lexical=0.25) is viable

    @pytest.mark.parametrize(("tau", "viable"), [(4, False), (5, True)])
    def test_a_threshold_under_five_hundredths_is_none(self, tau: int, viable: bool) -> None:
        """0.05 is the least threshold, whatever the weight."""
        assert is_viable(outcome(tau), FULL, w_lexical=0.0) is viable

    @pytest.mark.parametrize(("on_ramp", "step"), [(53, True), (54, False)])
    def test_degenerate(self, on_ramp: int, step: bool) -> None:
        """Less than a third of 160 positives on the ramp is a step; 54 are more than a third."""
        assert is_degenerate(outcome(on_ramp=on_ramp), FULL) is step

    @pytest.mark.parametrize(
        ("better", "worse"),
        [
            (outcome(30, caught=41), outcome(60, caught=40)),
            (outcome(51), outcome(50, span=40)),
            (outcome(span=22, floor=42), outcome(span=20, floor=0)),
            (outcome(floor=38), outcome(floor=40)),
        ],
        ids=["catches more", "larger tau", "wider span", "lower floor"],
    )
    def test_ranking(self, better: WindowOutcome, worse: WindowOutcome) -> None:
        """Each rank decides only when those before it are equal, in any order of arrival."""
        for pair in ([better, worse], [worse, better]):
            assert choose_window(pair, FULL, w_lexical=0.25).best == better

    def test_a_sound_window_beats_a_better_step(self) -> None:
        """A degenerate window is out while any other is viable."""
        step, sound = outcome(caught=50, on_ramp=0), outcome(caught=30)
        choice = choose_window([step, sound], FULL, w_lexical=0.25)
        assert (choice.best, choice.degenerate) == (sound, False)
        assert (choice.candidates, choice.viable, choice.non_degenerate) == (2, 2, 1)

    def test_the_best_step_is_flagged(self) -> None:
        """When only steps are viable, the best of them is used and said to be one."""
        steps = [outcome(caught=c, on_ramp=0) for c in (31, 33, 32)]
        choice = choose_window(steps, FULL, w_lexical=0.25)
        assert (choice.best, choice.degenerate) == (steps[1], True)

    def test_none_viable(self) -> None:
        """Without a viable window there is no choice and no shortlist."""
        choice = choose_window([outcome(20)], FULL, w_lexical=0.25)
        assert (choice.best, choice.degenerate, choice.shortlist) == (None, False, ())

    def test_shortlist_is_the_head_of_the_ranking(self) -> None:
        """The shortlist is sorted and no longer than it says."""
        choice = choose_window([outcome(t) for t in range(30, 40)], FULL, w_lexical=0.25)
        assert [o.cell.tau for o in choice.shortlist if o.cell] == [39, 38, 37, 36, 35]
        assert len(choice.shortlist) == SHORTLIST


class TestLexical:
    """The smallest threshold that keeps the foreign out by words alone."""

    def test_smallest_that_catches(self) -> None:
        """Not under 0.05, however much is caught there."""
        sweep = [Cell(t, {"N4": 30}) for t in THRESHOLDS]
        chosen = choose_tau_lexical(sweep, FULL)
        assert chosen is not None
        assert chosen.tau == 5
        sweep = [Cell(t, {"N4": 24 if t >= 34 else 23}) for t in THRESHOLDS]
        chosen = choose_tau_lexical(sweep, FULL)
        assert chosen is not None
        assert chosen.tau == 34

    def test_none_when_never_caught_or_not_measured(self) -> None:
        """No threshold is invented."""
        sweep = [Cell(t, {"N4": 3}) for t in THRESHOLDS]
        assert choose_tau_lexical(sweep, FULL) is None
        assert choose_tau_lexical(sweep, {"U": 60, "N1": 9}) is None


class TestFailures:
    """One constructed case for each reason to write nothing."""

    def test_none(self) -> None:
        """Sound evidence has no failure."""
        assert codes(evidence()) == []

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"cell": None}, "no-feasible-tau"),
            ({"cell": Cell(4, {"N4": 30})}, "no-feasible-tau"),
            ({"cell": Cell(25, {"N4": 30})}, "tau-below-wlexical"),
            ({"cell": Cell(50, {"N4": 23})}, "blatant-refusal-below-floor"),
            ({"misses": 6, "with_gold": 119}, "retrieval-misses-above-floor"),
            ({"lexical": None}, "lexical-blatant-refusal-below-floor"),
            ({"counts": {"N1": 20, "N4": 30}}, "no-positives"),
            ({"counts": {"U": 60}, "lexical": None}, "no-negatives"),
            ({"held_out": HeldOut({"U": 58}, {"U": 0})}, "bound-not-held-out"),
            ({"held_out": HeldOut({"U": 59, "F": 36}, {"F": 1})}, "bound-not-held-out"),
        ],
    )
    def test_each(self, changes: dict[str, object], code: str) -> None:
        """Each condition fails alone and under its own name."""
        assert codes(evidence(**changes)) == [code]

    @pytest.mark.parametrize(
        "changes",
        [
            {"cell": Cell(26, {"N4": 24})},
            {"misses": 6, "with_gold": 120},
            {"misses": 0, "with_gold": 0},
            {"counts": {"U": 60, "N1": 20}, "cell": Cell(50, {}), "lexical": None},
            {"held_out": HeldOut({"U": 59, "S": 59, "F": 36}, {})},
        ],
        ids=["edges", "5% misses", "no gold pages", "no N4", "59, 59 and 36 untouched"],
    )
    def test_edges_pass(self, changes: dict[str, object]) -> None:
        """What lies exactly on a floor passes; what is not measured is not armed."""
        assert codes(evidence(**changes)) == []

    def test_without_vectors_tau_is_not_judged(self) -> None:
        """On a lexical index the dense conditions do not apply."""
        assert codes(evidence(dense=False, cell=None)) == []
        assert codes(evidence(dense=False, cell=None, lexical=None)) == [
            "lexical-blatant-refusal-below-floor"
        ]

    def test_several_at_once(self) -> None:
        """Every reason is told, not the first."""
        assert codes(evidence(cell=Cell(20, {"N4": 0}), lexical=None, misses=9, with_gold=10)) == [
            "retrieval-misses-above-floor",
            "tau-below-wlexical",
            "blatant-refusal-below-floor",
            "lexical-blatant-refusal-below-floor",
        ]

    def test_too_few_is_told_from_not_separable(self) -> None:
        """The same code has two causes, and the sentence names the one that holds."""
        few = failures(evidence(counts={"U": 17, "N4": 30}, cell=None))
        overlap = failures(evidence(cell=None))
        assert "too few probes (U has 17)" in few[0].message
        assert "not separable" in overlap[0].message
