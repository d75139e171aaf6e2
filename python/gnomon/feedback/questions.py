"""Turns gathered by question: how often, with which votes, on which days, what the gate said."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidInputError
from gnomon.feedback.turns import VOTES, GateNumbers, Turn, Vote, folded, parse_gate
from gnomon.rules.feedback import VERDICTS, Asked, Suggestion, Verdict, Votes, suggest
from gnomon.sources.escape import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gnomon.sources.scope import Scope

Day = dict[Verdict, dict[Vote, int]]


@dataclass(slots=True)
class Figures:
    """What readers did with a question.

    Attributes
    ----------
    days
        Turns by day (UTC), verdict and vote.
    gate, gate_time
        What the gate recorded last, and when.
    """

    days: dict[str, Day] = field(default_factory=dict)
    gate: GateNumbers | None = None
    gate_time: str = ""

    def count(self, vote: Vote | None = None, verdict: Verdict | None = None) -> int:
        """Return how many turns there are, of a vote and a verdict where they are named."""
        return sum(
            n
            for day in self.days.values()
            for found, votes in day.items()
            for cast, n in votes.items()
            if vote in (None, cast) and verdict in (None, found)
        )

    @property
    def down_rate(self) -> float | None:
        """The share of the votes that are against, or None without votes."""
        up, down = self.count("up"), self.count("down")
        return down / (up + down) if up + down else None

    def add(self, turn: Turn) -> None:
        """Count a turn."""
        day = self.days.setdefault(turn.time.date().isoformat(), {})
        votes = day.setdefault(turn.verdict, {})
        votes[turn.vote] = votes.get(turn.vote, 0) + 1
        self._take_gate(turn.gate, turn.time.isoformat(timespec="microseconds"))

    def merged(self, newer: Figures) -> Figures:
        """Return these figures with newer ones: of each day the fuller count, so none adds twice.

        A turn that is exported again is thus counted once, and a day of which an export holds only
        a part does not lose the rest.
        """
        days = dict(self.days)
        for date, day in newer.days.items():
            if _turns(day) >= _turns(days.get(date, {})):
                days[date] = day
        found = Figures(days, self.gate, self.gate_time)
        found._take_gate(newer.gate, newer.gate_time)
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values, totals first."""
        dates = sorted(self.days)
        rate = self.down_rate
        return {
            "turns": self.count(),
            "up": self.count("up"),
            "down": self.count("down"),
            "down_rate": None if rate is None else round(rate, 4),
            "first": dates[0] if dates else None,
            "last": dates[-1] if dates else None,
            "gate": None if self.gate is None else {"time": self.gate_time, **self.gate.as_dict()},
            "days": {date: _in_order(self.days[date]) for date in dates},
        }

    def _take_gate(self, gate: GateNumbers | None, time: str) -> None:
        if gate is None:
            return
        # Two turns of one moment: the order of the export must not decide.
        if self.gate is None or (time, _text(gate)) > (self.gate_time, _text(self.gate)):
            self.gate, self.gate_time = gate, time


@dataclass(slots=True)
class Question:
    """A distinct question.

    Attributes
    ----------
    question, previous, scope
        In the wording of the earliest turn.
    lang
        Of the earliest turn that names one.
    """

    question: str
    previous: tuple[str, ...]
    scope: Scope | None
    lang: str | None = None
    figures: Figures = field(default_factory=Figures)
    _asked: tuple[dt.datetime, str, tuple[str, ...]] | None = None
    _named: tuple[dt.datetime, str] | None = None

    def add(self, turn: Turn) -> None:
        """Count a turn that asks this."""
        self.figures.add(turn)
        asked = (turn.time, turn.question, turn.previous)
        if self._asked is None or asked < self._asked:
            self._asked = asked
            self.question, self.previous = turn.question, turn.previous
        if turn.lang is None:
            return
        named = (turn.time, turn.lang)
        if self._named is None or named < self._named:
            self._named, self.lang = named, turn.lang


def gather(turns: Iterable[Turn], *, since: dt.date | None = None) -> dict[str, Question]:
    """Return the distinct questions by id; turns before a day (UTC) are left out.

    Two turns ask the same when question, previous questions and scope are equal after
    NFKC_Casefold, a run of blanks counting as one.
    """
    found: dict[str, Question] = {}
    for turn in turns:
        if since is not None and turn.time.date() < since:
            continue
        name = question_id(turn.question, turn.previous, turn.scope)
        if name not in found:
            found[name] = Question(turn.question, turn.previous, turn.scope)
        found[name].add(turn)
    return found


def question_id(question: str, previous: Sequence[str], scope: Scope | None) -> str:
    """Return the id of a question, the same for every spelling that counts as the same.

    Examples
    --------
    >>> question_id("How do I  ROTATE a key?", (), None) == question_id(
    ...     "how do I rotate a key? ", (), None
    ... )
    True
    """
    paths = None if scope is None else scope.paths
    key = json.dumps([folded(question), [folded(one) for one in previous], paths])
    return f"f-{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def suggestion(figures: Figures, *, scoped: bool, follows: bool) -> Suggestion:
    """Return what a question may become, by the rule of `gnomon.rules.feedback`."""
    gate = figures.gate
    margin = None
    if gate is not None and gate.score is not None and gate.threshold is not None:
        margin = round(gate.score - gate.threshold, 6)
    votes = {
        verdict: Votes(figures.count("up", verdict), figures.count("down", verdict))
        for verdict in VERDICTS
    }
    return suggest(
        Asked(
            votes,
            scoped=scoped,
            follows=follows,
            on_its_own=gate is not None and gate.passes and gate.channel == "raw",
            elsewhere=gate is not None and gate.cause == "out-of-scope",
            margin=margin,
        )
    )


def parse_figures(value: object, where: str) -> Figures:
    """Return the figures that a row of candidates carries.

    Raises
    ------
    InvalidInputError
        When they are not as they were written.
    """
    if not isinstance(value, dict) or not isinstance(value.get("days"), dict):
        raise InvalidInputError(
            f"{where}: 'feedback' is not as gnomon feedback pull writes it; take the row out, and "
            "it is written anew"
        )
    figures = Figures({date: _day(day, date, where) for date, day in value["days"].items()})
    gate = value.get("gate")
    figures.gate = parse_gate(gate, where)
    time = gate.get("time") if isinstance(gate, dict) else ""
    figures.gate_time = time if isinstance(time, str) else ""
    return figures


def _day(value: object, date: str, where: str) -> Day:
    problem = InvalidInputError(
        f"{where}: the figures of {quoted(date)} are not counts of votes by verdict; take the row "
        "out, and it is written anew"
    )
    try:
        dt.date.fromisoformat(date)
    except ValueError:
        raise problem from None
    if not isinstance(value, dict):
        raise problem
    day: Day = {}
    for verdict, votes in value.items():
        name = next((one for one in VERDICTS if one == verdict), None)
        if name is None or not isinstance(votes, dict) or not set(votes) <= set(VOTES):
            raise problem
        if not all(type(n) is int and 0 < n < 1 << 53 for n in votes.values()):
            raise problem
        day[name] = votes
    return day


def _turns(day: Mapping[Verdict, Mapping[Vote, int]]) -> int:
    return sum(n for votes in day.values() for n in votes.values())


def _in_order(day: Day) -> dict[str, dict[str, int]]:
    return {
        verdict: {vote: day[verdict][vote] for vote in VOTES if vote in day[verdict]}
        for verdict in VERDICTS
        if verdict in day
    }


def _text(gate: GateNumbers) -> str:
    return json.dumps(gate.as_dict())
