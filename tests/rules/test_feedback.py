"""The rule of feedback, as a table: votes and verdicts in, a suggestion or options out."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from gnomon.rules.feedback import (
    DISLIKED,
    TARGETS,
    VERDICTS,
    WELL_ABOVE,
    Asked,
    Target,
    Verdict,
    Votes,
    negatives,
    positive,
    suggest,
)

UNSCOPED = ("U", "N1", "N2", "N3", "N4", "N6")


def asked(verdict: Verdict, up: int, down: int, **changes: Any) -> Asked:
    """Return a question with votes on turns of one verdict."""
    return Asked({verdict: Votes(up, down)}, **changes)


@pytest.mark.parametrize(
    ("found", "stratum", "options", "target"),
    [
        # Nobody voted.
        (Asked(), None, (), "none"),
        (asked("refused", 0, 0), None, (), "none"),
        # Admitted.
        (asked("admitted", 3, 0), "U", (), "golden"),
        (asked("admitted", 3, 2), "U", (), "golden"),
        (asked("admitted", 2, 2), "U", (), "docs"),
        (asked("admitted", 1, 4, scoped=True), "S", (), "docs"),
        (asked("admitted", 0, 4), None, UNSCOPED, "calibration"),
        (asked("admitted", 0, 4, margin=WELL_ABOVE), None, UNSCOPED, "docs"),
        (asked("admitted", 0, 4, margin=0.149), None, UNSCOPED, "calibration"),
        (asked("admitted", 1, 0, follows=True), "F", (), "golden"),
        (asked("admitted", 1, 0, follows=True, on_its_own=True), "U", (), "golden"),
        (asked("admitted", 1, 0, follows=True, scoped=True), "F", (), "golden"),
        # Refused.
        (asked("refused", 2, 0), None, UNSCOPED[1:], "calibration"),
        (asked("refused", 0, 2), None, UNSCOPED, "calibration"),
        (asked("refused", 2, 2), None, UNSCOPED, "calibration"),
        (asked("refused", 2, 0, follows=True), None, ("N1", "N2", "N5"), "calibration"),
        (asked("refused", 2, 0, scoped=True), None, ("X", "P"), "calibration"),
        (asked("refused", 2, 0, scoped=True, elsewhere=True), "X", (), "calibration"),
        (asked("refused", 0, 2, scoped=True, elsewhere=True), None, ("X", "S"), "calibration"),
        (asked("refused", 2, 0, elsewhere=True), None, UNSCOPED[1:], "calibration"),
        # Below the threshold of a guard that is off.
        (asked("unenforced", 1, 0), "U", (), "calibration"),
        (asked("unenforced", 0, 1), None, UNSCOPED, "calibration"),
        (asked("unenforced", 1, 1), None, UNSCOPED, "calibration"),
        # No verdict.
        (asked("unrecorded", 1, 0), None, UNSCOPED, "none"),
        # Several verdicts.
        (
            Asked({"admitted": Votes(1), "refused": Votes(0, 1)}),
            None,
            UNSCOPED,
            "calibration",
        ),
        (Asked({"admitted": Votes(1), "unrecorded": Votes(0, 1)}), "U", (), "golden"),
        (Asked({"admitted": Votes(1), "refused": Votes(0, 0)}), "U", (), "golden"),
    ],
)
def test_table(found: Asked, stratum: str | None, options: tuple[str, ...], target: Target) -> None:
    """One stratum where votes and verdict leave one, else the possible ones and no answer."""
    said = suggest(found)
    assert (said.stratum, said.options, said.target) == (stratum, options, target)
    assert said.reason


def test_never_both() -> None:
    """A suggestion has a stratum or options; a negative is never suggested for a vote against."""
    shapes = product(VERDICTS, (0, 1, 3), (0, 1, 3), (False, True), (False, True), (False, True))
    for verdict, up, down, scoped, follows, elsewhere in shapes:
        one = asked(verdict, up, down, scoped=scoped, follows=follows, elsewhere=elsewhere)
        said = suggest(one)
        assert not (said.stratum and said.options)
        assert said.target in TARGETS
        if down:
            assert said.stratum in (None, positive(one))


def test_strata_fit_the_question() -> None:
    """Scoped strata need a scope, follow-up strata a question before: calibrate would refuse."""
    for scoped, follows in product((False, True), repeat=2):
        one = Asked(scoped=scoped, follows=follows)
        found = {positive(one), *negatives(one)}
        assert scoped or not found & {"S", "X", "P"}
        assert follows or not found & {"F", "N5"}


def test_constants() -> None:
    """Half the provisional threshold, and half the votes."""
    assert (WELL_ABOVE, DISLIKED) == (0.15, 0.5)
