"""What may a question with votes become? Suggestions for a reviewer, never labels.

A vote says that a reader liked or disliked what came back. It does not say whether the pages hold
an answer, which is what a stratum is about. So a stratum is suggested only where votes and verdict
together leave one; elsewhere the possible ones are listed and none is preferred.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.rules.gate_values import Stratum

Verdict = Literal["admitted", "refused", "unenforced", "unrecorded"]
"""``unenforced``: below the threshold, and answered all the same because the guard was off."""
Target = Literal["calibration", "golden", "docs", "none"]

VERDICTS: Final[tuple[Verdict, ...]] = ("admitted", "refused", "unenforced", "unrecorded")
TARGETS: Final[tuple[Target, ...]] = ("calibration", "golden", "docs", "none")
# A score this far above its threshold is no close call of the gate: half the provisional threshold.
WELL_ABOVE: Final = 0.15
# From this share of votes against, a page that was found is looked at before it is held up as good.
DISLIKED: Final = 0.5


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes for and against what came back."""

    up: int = 0
    down: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of a question that readers asked.

    Attributes
    ----------
    votes
        By the gate's verdict on the turn that was voted on.
    scoped, follows
        Whether it was asked within a scope, and after another question.
    on_its_own
        Whether it was last admitted as asked, without leaning on the question before.
    elsewhere
        Whether it last failed in its scope only: over all pages it would have passed.
    margin
        The last recorded score minus its threshold, or None.
    """

    votes: Mapping[Verdict, Votes] = field(default_factory=dict)
    scoped: bool = False
    follows: bool = False
    on_its_own: bool = False
    elsewhere: bool = False
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A stratum, or the possible ones and no answer; where the question may go; and why.

    Attributes
    ----------
    stratum
        None when votes and verdict leave more than one, or say nothing.
    options
        The possible ones when there is no single one.
    """

    stratum: Stratum | None
    options: tuple[Stratum, ...]
    target: Target
    reason: str


def suggest(asked: Asked) -> Suggestion:
    """Return what a question may become; a person decides."""
    voted = {verdict: votes for verdict in VERDICTS if (votes := _cast(asked, verdict))}
    if len(voted) > 1:
        voted.pop("unrecorded", None)
    if not voted:
        return Suggestion(None, (), "none", "nobody voted; asking alone says nothing")
    if len(voted) > 1:
        return _open(asked, "the verdict changed between the turns that were voted on")
    ((verdict, votes),) = voted.items()
    if verdict == "admitted":
        return _admitted(asked, votes)
    if verdict == "refused":
        return _refused(asked, votes)
    if verdict == "unenforced":
        return _unenforced(asked, votes)
    return Suggestion(
        None,
        (positive(asked), *negatives(asked)),
        "none",
        "no verdict is recorded, so nothing says whether an answer or a refusal was voted on",
    )


def positive(asked: Asked) -> Stratum:
    """Return which positive stratum the question would be in, by the way it was asked."""
    if asked.follows and not asked.on_its_own:
        return "F"
    return "S" if asked.scoped else "U"


def negatives(asked: Asked) -> tuple[Stratum, ...]:
    """Return the negative strata that fit the way it was asked."""
    after: tuple[Stratum, ...] = ("N5",) if asked.follows else ()
    if asked.scoped:
        return ("X", "P", *after)
    return ("N1", "N2", *after) if asked.follows else ("N1", "N2", "N3", "N4", "N6")


def _admitted(asked: Asked, votes: Votes) -> Suggestion:
    if votes.up:
        if votes.down >= DISLIKED * (votes.up + votes.down):
            reason = "admitted; it helped some readers and as many or more disliked the answer"
            return Suggestion(positive(asked), (), "docs", reason)
        reason = "admitted, and the answer helped: its page may be the gold page"
        return Suggestion(positive(asked), (), "golden", reason)
    if asked.margin is not None and asked.margin >= WELL_ABOVE:
        reason = (
            "admitted well above the threshold and disliked: the pages are near, so look first at "
            "what they say"
        )
        return _open(asked, reason, "docs")
    return _open(asked, "admitted and disliked: a bad answer, or one that should not have been")


def _refused(asked: Asked, votes: Votes) -> Suggestion:
    if asked.elsewhere and asked.scoped:
        if not votes.down:
            reason = "refused in its scope, where the other pages would have passed; readers agreed"
            return Suggestion("X", (), "calibration", reason)
        reason = (
            "refused in its scope, where the other pages would have passed; readers disliked it"
        )
        return Suggestion(None, ("X", positive(asked)), "calibration", reason)
    if not votes.down:
        reason = (
            "refused, and readers agreed; which kind of foreign question it is, votes can't say"
        )
        return Suggestion(None, negatives(asked), "calibration", reason)
    return _open(asked, "refused and disliked: wrongly refused, or rightly and unwelcome")


def _unenforced(asked: Asked, votes: Votes) -> Suggestion:
    if not votes.down:
        reason = (
            "below the threshold, answered all the same, and it helped: refusing would be wrong"
        )
        return Suggestion(positive(asked), (), "calibration", reason)
    return _open(asked, "below the threshold, answered all the same, and disliked")


def _open(asked: Asked, reason: str, target: Target = "calibration") -> Suggestion:
    return Suggestion(None, (positive(asked), *negatives(asked)), target, reason)


def _cast(asked: Asked, verdict: Verdict) -> Votes | None:
    votes = asked.votes.get(verdict, Votes())
    return votes if votes.up or votes.down else None
