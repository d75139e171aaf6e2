"""Asking a real local chat service turn by turn, and going on after it broke off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.embedding.service import Answer, Service, running
from tests.evaluation.chat_service import said, speaking
from tests.evaluation.records import record
from tests.retrieval.docs import SubjectEmbedder, build, write_pages

from gnomon.errors import EndpointError, MismatchError
from gnomon.evaluation.answering import answer_records
from gnomon.evaluation.asking import ask
from gnomon.evaluation.chat import ChatModel, open_chat
from gnomon.evaluation.journal import Journal
from gnomon.evaluation.priming import PrimedRecord, prime
from gnomon.evaluation.prompts import REFUSAL, Excerpt, Prompt
from gnomon.retrieval.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS = (
    record("plain", "How do I rotate a key?", gold=["guide/keys#rotate"]),
    record(
        "deep",
        "and for calls?",
        gold=["guide/calls"],
        previous=["How do I revoke a key?", "and rotate a key?"],
    ),
    record("absent", "borscht recipe", expect="refuse:no-evidence"),
)
MEASUREMENT = {"index_hash": "1a"}


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service that answers with the last question."""
    with running() as one:
        speaking(one, lambda messages: f"on {messages[-1]['content'].rpartition(': ')[2]}")
        yield one


@pytest.fixture
def model(service: Service) -> Iterator[ChatModel]:
    """Return a client of it."""
    one = open_chat(service.url, "shell", "small", environment={}, sleep=lambda _: None)
    yield one
    one.close()


@pytest.fixture
def primed(tmp_path: Path) -> tuple[PrimedRecord, ...]:
    """Return the records with the excerpts of an index whose guard is off."""
    docs = write_pages(tmp_path / "docs")
    build(docs, tmp_path / "index", SubjectEmbedder())
    index = Index.open(tmp_path / "index", embedder=SubjectEmbedder())
    embed = SubjectEmbedder().embed_questions
    return prime(index, ask(index, RECORDS, embed, _ignore), embed, _ignore)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Return an empty journal."""
    return Journal.begin(tmp_path / "answers.partial.jsonl", MEASUREMENT)


def _ignore(done: int, total: int) -> None:
    """Show nothing."""


def sent(service: Service) -> list[list[dict[str, str]]]:
    """Return the messages of every request."""
    return [body["messages"] for _, _, _, body in service.requests]


def test_earlier_turns_are_asked_first(
    primed: tuple[PrimedRecord, ...], service: Service, model: ChatModel, journal: Journal
) -> None:
    """In order, each behind the answers before it, with excerpts of its own."""
    given = answer_records(primed[1:2], model, Prompt(), journal, _ignore)
    first, second, third = sent(service)
    assert [m["role"] for m in third] == ["system", *["user", "assistant"] * 2, "user"]
    assert second == [
        *first,
        {"role": "assistant", "content": "on How do I revoke a key?"},
        second[-1],
    ]
    assert third[:-1] == [*second, {"role": "assistant", "content": "on and rotate a key?"}]
    assert '<excerpt id="guide/keys#revoke">' in first[-1]["content"]
    assert given[0].text == "on and for calls?"
    assert "guide/keys#revoke" in given[0].citable
    assert given[0].citable == primed[1].citable


def test_what_the_model_says(
    primed: tuple[PrimedRecord, ...], service: Service, model: ChatModel, journal: Journal
) -> None:
    """An answer, a refusal of the model's own, and an answer that was cut."""
    service.script = [
        said("So."),
        said("**Not answerable**: nothing."),
        said("So", finish_reason="length"),
    ]
    plain = primed[0]
    other = replace(plain, turn=replace(plain.turn, question="b?"))
    third = replace(plain, turn=replace(plain.turn, question="c?"))
    given = answer_records((plain, other, third), model, Prompt(), journal, _ignore)
    assert [one.outcome for one in given] == ["answered", "declined", "answered"]
    assert [one.is_cut for one in given] == [False, False, True]


def test_a_refused_record_is_not_sent(
    primed: tuple[PrimedRecord, ...], service: Service, model: ChatModel, journal: Journal
) -> None:
    """Neither its question nor the turns before it."""
    refused = replace(primed[1], turn=replace(primed[1].turn, refused=True))
    given = answer_records((refused,), model, Prompt(), journal, _ignore)
    assert (given[0].outcome, given[0].text, given[0].citable) == ("refused", "", ())
    assert service.requests == []


def test_a_refused_earlier_turn(
    primed: tuple[PrimedRecord, ...], service: Service, model: ChatModel, journal: Journal
) -> None:
    """The reader was told so, and what it would have cited was never shown."""
    one = primed[1]
    never = Excerpt("never/shown#", "Never", "Never shown.")
    first = replace(one.earlier[0], excerpts=(never,), refused=True)
    refused = replace(one, earlier=(first, *one.earlier[1:]))
    answer_records((refused,), model, Prompt(), journal, _ignore)
    assert len(service.requests) == 2
    _system, question, answer, *_ = sent(service)[0]
    assert question["content"] == "Question: How do I revoke a key?"
    assert answer["content"] == REFUSAL
    assert never.id not in refused.citable
    shown = replace(refused, earlier=(replace(first, refused=False), *one.earlier[1:]))
    assert never.id in shown.citable


def test_broken_off_in_the_middle(
    primed: tuple[PrimedRecord, ...], service: Service, model: ChatModel, journal: Journal
) -> None:
    """What was answered is kept; going on asks for the rest only and gives the same answers."""
    answers: list[Any] = [said("one"), said("two"), *[Answer(503)] * 5]
    service.script = answers
    with pytest.raises(EndpointError, match="503"):
        answer_records(primed, model, Prompt(), journal, _ignore)
    service.requests.clear()
    service.script = [said("three"), said("four"), said("five")]
    again = Journal.resume(journal.path, MEASUREMENT)
    assert len(again.kept) == 2
    given = answer_records(primed, model, Prompt(), again, _ignore)
    assert [one.text for one in given] == ["one", "four", "five"]
    assert len(service.requests) == 3
    with pytest.raises(MismatchError):
        Journal.resume(journal.path, {"index_hash": "2b"})


def test_another_prompt_asks_again(
    primed: tuple[PrimedRecord, ...], service: Service, model: ChatModel, journal: Journal
) -> None:
    """A kept answer belongs to the very words that were sent."""
    answer_records(primed[:1], model, Prompt(), journal, _ignore)
    answer_records(primed[:1], model, Prompt(), journal, _ignore)
    answer_records(primed[:1], model, Prompt("sundial"), journal, _ignore)
    assert len(service.requests) == 2


def test_progress(primed: tuple[PrimedRecord, ...], model: ChatModel, journal: Journal) -> None:
    """Every request is a step."""
    steps: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        steps.append((done, total))

    answer_records(primed, model, Prompt(), journal, note)
    assert steps == [(n, 5) for n in range(1, 6)]
