"""Asking a chat model the questions of a golden set, turn by turn, and keeping what it answers."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from gnomon.evaluation.answer_scores import Given
from gnomon.evaluation.prompts import Prompt, asking, conversation, is_declined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.evaluation.answer_scores import Outcome
    from gnomon.evaluation.chat import ChatModel, Message, Reply
    from gnomon.evaluation.journal import Journal
    from gnomon.evaluation.priming import PrimedRecord
    from gnomon.types import Progress


def answer_records(
    primed: Sequence[PrimedRecord],
    model: ChatModel,
    prompt: Prompt,
    journal: Journal,
    progress: Progress,
) -> tuple[Given, ...]:
    """Return what a chat model answers to every record, in their order.

    Earlier turns are asked first, in order, and kept as history. A turn that the guard refuses is
    not sent. An answer that the journal holds is not asked for again; every other one is in the
    journal as soon as it came.

    Raises
    ------
    EndpointError
        When the service fails; what was answered is in the journal.
    """
    total = sum(_requests(one) for one in primed)
    done = 0
    given = []
    for one in primed:
        if one.turn.refused:
            given.append(refused())
            continue
        answers: list[str] = []
        reply: Reply | None = None
        for at, turn in enumerate((*one.earlier, one.turn)):
            if turn.refused:
                answers.append("")
                continue
            before = conversation(prompt, one.earlier[:at], answers)
            reply = _answered((*before, asking(turn)), one.record.id, model, journal)
            answers.append(reply.text)
            done += 1
            progress(done, total)
        assert reply is not None  # its own turn was sent
        given.append(given_by(reply, one.citable))
    return tuple(given)


def given_by(reply: Reply, citable: tuple[str, ...]) -> Given:
    """Return a reply with its outcome."""
    outcome: Outcome = "declined" if is_declined(reply.text) else "answered"
    return Given(reply.text, outcome, citable, is_cut=reply.is_cut)


def refused() -> Given:
    """Return what comes back for a record that the guard refuses: nothing."""
    return Given("", "refused", ())


def request_hash(messages: Sequence[Message], model: str, temperature: float | None) -> str:
    """Return sha256 over everything that a request says, in hexadecimal digits."""
    said = [model, temperature, [message.as_dict() for message in messages]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _requests(one: PrimedRecord) -> int:
    return 0 if one.turn.refused else sum(not turn.refused for turn in (*one.earlier, one.turn))


def _answered(
    messages: Sequence[Message], record: str, model: ChatModel, journal: Journal
) -> Reply:
    request = request_hash(messages, model.name, model.temperature)
    if request not in journal.kept:
        journal.add(request, record, model.ask(messages))
    return journal.kept[request]
