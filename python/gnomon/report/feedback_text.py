"""Candidates from feedback in plain lines, the bias note first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gnomon.sources.escape import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.feedback.summary import Disliked, FeedbackSummary

BIAS_NOTE: Final = (
    "A vote is not a turn: who votes feels strongly, and the other readers are not heard.",
    (
        "Where only votes against are sent (`send: down`), the sample is purely negative. "
        "Calibrating on it moves the gate toward refusing everyone."
    ),
    "Take questions from here one by one, and take positives from what readers ask in general.",
)
PURELY_NEGATIVE: Final = "This file holds votes against and none for: it is such a sample."


def bias_note(summary: FeedbackSummary) -> tuple[str, ...]:
    """Return what to know before anything is read from the counts."""
    return (*BIAS_NOTE, PURELY_NEGATIVE) if summary.is_purely_negative else BIAS_NOTE


def feedback_lines(summary: FeedbackSummary) -> list[str]:
    """Return the counts in plain lines."""
    return [
        *bias_note(summary),
        "",
        f"questions: {summary.questions}, to review: {summary.to_review}",
        f"turns: {summary.turns}, up {summary.up}, down {summary.down}",
        *_counts("suggested", summary.by_suggestion),
        *_counts("target", summary.by_target),
        *_counts("language or script", summary.by_language),
        *_counts("cause", summary.by_cause),
        *_questions("refusals voted down", summary.refusals),
        *_questions("admitted and voted down", summary.admitted),
    ]


def feedback_json(summary: FeedbackSummary) -> dict[str, Any]:
    """Return the counts as JSON values, the bias note first."""
    values = {name: getattr(summary, name) for name in summary.__slots__}
    return {
        "bias_note": list(bias_note(summary)),
        **values,
        "refusals": [_fields(one) for one in summary.refusals],
        "admitted": [_fields(one) for one in summary.admitted],
    }


def _counts(title: str, counts: Mapping[str, int]) -> list[str]:
    return [f"{title}:", *(f"  {n:>6}  {name}" for name, n in counts.items())] if counts else []


def _questions(title: str, found: tuple[Disliked, ...]) -> list[str]:
    if not found:
        return [f"{title}: none"]
    return [f"{title}:", *(_line(one) for one in found)]


def _line(one: Disliked) -> str:
    parts = [f"{one.verdict}"]
    if one.score is not None and one.threshold is not None:
        parts.append(f"last score {one.score:.2f}, threshold {one.threshold:.2f}")
    if not one.needs_review:
        parts.append("reviewed")
    return f"  {one.down:>6} down, {one.up} up  {quoted(one.question)}  ({', '.join(parts)})"


def _fields(one: Disliked) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}
