"""A chat model behind a real local HTTP service, honest and otherwise."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from tests.embedding.service import Answer, Service, running
from tests.evaluation.chat_service import said

from gnomon.errors import EndpointError, UsageError
from gnomon.evaluation.chat import ChatModel, Message, open_chat, temperature_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "sk-very-secret"
HELLO = (Message("system", "Be brief."), Message("user", "Hello?"))


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service."""
    with running() as one:
        yield one


@pytest.fixture
def pauses() -> list[float]:
    """Return the pauses that were made, in seconds."""
    return []


@pytest.fixture
def model(service: Service, pauses: list[float]) -> Iterator[ChatModel]:
    """Return a client of the service that counts pauses instead of making them."""
    environment = {"GNOMON_CHAT_API_KEY": SECRET}
    one = open_chat(
        service.url, "shell", "small", environment=environment, timeout_s=5, sleep=pauses.append
    )
    yield one
    one.close()


class TestRequests:
    """What is sent, and where the key goes."""

    def test_an_answer(self, model: ChatModel, service: Service) -> None:
        """The conversation is sent whole, with the key; blanks around the answer go."""
        service.script = [said(" Hello. \n")]
        assert model.ask(HELLO).text == "Hello."
        _, path, headers, body = service.requests[0]
        assert path == "/v1/chat/completions"
        assert headers["authorization"] == f"Bearer {SECRET}"
        assert body == {
            "model": "small",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello?"},
            ],
            "temperature": 0.0,
        }

    def test_what_is_thought_aloud(self, model: ChatModel, service: Service) -> None:
        """It is no part of the answer where it stands in front; elsewhere it is text."""
        service.script = [said("<think>\nHm.\n</think>\n\nYes."), said("A <think>b</think>.")]
        assert model.ask(HELLO).text == "Yes."
        assert model.ask(HELLO).text == "A <think>b</think>."

    def test_a_model_without_temperature(self, service: Service) -> None:
        """None is not sent: some models refuse any."""
        service.script = [said("yes")]
        model = open_chat(service.url, "shell", "m", environment={}, temperature=None)
        model.ask(HELLO)
        model.close()
        assert "temperature" not in service.requests[0][3]

    def test_an_answer_cut_by_length(self, model: ChatModel, service: Service) -> None:
        """An answer that a limit ended says so."""
        service.script = [said("half of", finish_reason="length"), said("whole")]
        assert model.ask(HELLO).is_cut
        assert not model.ask(HELLO).is_cut

    def test_a_host_of_the_project_gets_no_key(self, service: Service) -> None:
        """Whoever writes the checkout's configuration cannot collect the keys of its visitors."""
        service.script = [said("yes")]
        environment = {"GNOMON_CHAT_API_KEY": SECRET}
        model = open_chat(service.url, "project file", "m", environment=environment)
        model.ask(HELLO)
        model.close()
        assert "authorization" not in service.requests[0][2]

    def test_the_key_of_another_service(self, service: Service) -> None:
        """OpenAI's own key goes to OpenAI's host and to no other."""
        service.script = [said("yes")]
        model = open_chat(service.url, "shell", "m", environment={"OPENAI_API_KEY": SECRET})
        model.ask(HELLO)
        model.close()
        assert "authorization" not in service.requests[0][2]

    @pytest.mark.parametrize("text", ["warm", "-1", "2.5", "nan", ""])
    def test_temperatures(self, text: str) -> None:
        """Only numbers from 0 to 2, or none."""
        assert (temperature_of("none"), temperature_of("0.5")) == (None, 0.5)
        with pytest.raises(UsageError, match="expected a number from 0 to 2"):
            temperature_of(text)


class TestLies:
    """What is no answer is an error that says what came."""

    @pytest.mark.parametrize(
        ("answer", "words"),
        [
            (said(None, finish_reason="tool_calls"), r"no text \(finish_reason 'tool_calls'\)"),
            (said(["a"]), "holds no text"),
            (said("x" * ((1 << 20) + 1)), "holds 1,048,577 characters"),
            (said("\ud800"), "half of a surrogate pair"),
            (Answer(body=b'{"choices": []}'), "no list 'choices' of objects; found choices"),
            (Answer(body=b'{"choices": ["yes"]}'), "no list 'choices'"),
            (Answer(body=b'{"error": "\\u001b[31m"}'), "found error"),
            (Answer(body=b'{"choices": [{"mess'), r"not JSON \(application/json\)"),
            (Answer(body=b"<html>Log in</html>", headers={"content-type": "text/html"}), "html"),
            (Answer(401, b"no"), r"refuses the key, or wants one \(401\)"),
            (Answer(404, b"no such model"), "answers 404"),
            (Answer(body=b"{", endless=True), "larger than 64 MiB"),
            (Answer(307, headers={"location": "http://127.0.0.1:9/v1"}), "another origin"),
        ],
    )
    def test_refused(self, model: ChatModel, service: Service, answer: Answer, words: str) -> None:
        """One printable line, without the key."""
        service.script = [answer]
        with pytest.raises(EndpointError, match=words) as refused:
            model.ask(HELLO)
        assert SECRET not in str(refused.value)
        assert str(refused.value).isprintable()


class TestPatience:
    """What may pass is tried again."""

    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_passing_refusals(
        self, model: ChatModel, service: Service, pauses: list[float], status: int
    ) -> None:
        """The pause grows, or is what the service asks for."""
        service.script = [Answer(status), Answer(status, headers={"retry-after": "7"}), said("ok")]
        assert model.ask(HELLO).text == "ok"
        assert pauses == [0.5, 7.0]

    def test_a_time_out(self, service: Service, pauses: list[float]) -> None:
        """A service that says nothing is given up after five attempts, by name."""
        waiting = threading.Event()

        def stall(_body: object) -> Answer:
            waiting.wait(10)
            return said("too late")

        service.script = [stall] * 5
        model = open_chat(
            service.url, "shell", "m", environment={}, timeout_s=0.05, sleep=pauses.append
        )
        with pytest.raises(EndpointError, match=r"no answer in 5 attempts.*ReadTimeout"):
            model.ask(HELLO)
        waiting.set()
        model.close()
        assert len(pauses) == 4
