"""``gnomon eval`` with a chat model, over a real local service."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.embedding import endpoint
from gnomon.evaluation.chat import ChatModel, Message, Reply
from tests.cli.probing import assert_refused
from tests.embedding.service import Answer, Service, running
from tests.evaluation.chat_service import said, speaking
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.cli.probing import Gnomon

SECRET = "sk-very-secret"
GOLD = "Rotate a key every day, as the guide tells. " * 12  # 108 words
GOLDEN: list[dict[str, Any]] = [
    {
        "id": "rotate",
        "question": "How do I rotate a key?",
        "expect": "answer",
        "level": "low",
        "gold_chunks": ["guide/keys#rotate"],
        "gold_answer": GOLD,
        "identifiers": ["key"],
    },
    {
        "id": "follow",
        "question": "and revoke it?",
        "prev_questions": ["How do I rotate a key?"],
        "expect": "answer",
        "level": "medium",
        "gold_chunks": ["guide/keys#revoke"],
        "gold_answer": GOLD,
    },
    {"id": "absent", "question": "borscht", "expect": "refuse:no-evidence", "level": "low"},
]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Run a service that quotes its first excerpt, and configure it in the shell."""
    with running() as one:
        speaking(one, quoting)
        monkeypatch.setenv("GNOMON_CHAT_ENDPOINT", one.url)
        monkeypatch.setenv("GNOMON_CHAT_MODEL", "small:1b")
        monkeypatch.setenv("GNOMON_CHAT_API_KEY", SECRET)
        yield one


def quoting(messages: list[dict[str, str]]) -> str:
    """Return an answer that cites the first excerpt, or declines what is foreign."""
    content = messages[-1]["content"]
    if "borscht" in content:
        return "NOT-ANSWERABLE The excerpts name no soup."
    first = content.partition('<excerpt id="')[2].partition('"')[0]
    return f"Rotate a key every day [cite:{first}]."


@pytest.fixture
def served(gnomon: Gnomon) -> None:
    """Build an index and a golden set in the folder of the command line."""
    gnomon("index", write_pages(Path("docs")), "--no-embed", "--quiet")
    write(GOLDEN)


def write(records: list[dict[str, Any]]) -> None:
    """Write the golden set where the configuration looks for it."""
    lines = "".join(json.dumps(one) + "\n" for one in records)
    Path("gnomon/golden.jsonl").write_text(lines, encoding="utf-8")


def report() -> dict[str, Any]:
    """Return the one report with answers."""
    (file,) = Path("gnomon/reports").glob("index-small*.json")
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def without_trail(body: dict[str, Any]) -> dict[str, Any]:
    """Return a report without what names its surroundings."""
    return {name: value for name, value in body.items() if name not in {"comparison"}}


@pytest.mark.usefixtures("served")
def test_a_whole_run(gnomon: Gnomon, service: Service) -> None:
    """Figures on answers beside those of the gate, two reports, and the answers themselves."""
    outcome = gnomon("eval", "--quiet")
    assert "token_f1" in outcome.out
    assert "negatives_unanswered" in outcome.out
    body = report()
    figures = body["figures"]
    assert figures["token_f1"]["mean"] == pytest.approx(2 * 4 / (4 + 84))
    assert figures["citation_precision"]["n_measured"] == 2
    assert figures["hallucinated_citation_rate"]["mean"] == 0.0
    assert figures["language_match"]["mean"] == 1.0
    recall = figures["identifier_recall"]
    assert (recall["mean"], recall["n_measured"]) == (1.0, 1)
    assert figures["negatives_unanswered"]["mean"] == 1.0
    assert (body["model"], len(body["prompt_hash"])) == ("small:1b", 64)
    assert [record["outcome"] for record in body["records"]] == ["answered", "answered", "declined"]
    (answers,) = Path("gnomon/reports").glob("*.answers.jsonl")
    # The first record asks what the second one begins with: one request.
    assert len(answers.read_text("utf-8").splitlines()) == 1 + 3
    assert not list(Path("gnomon/reports").glob("*.partial.jsonl"))
    (markdown,) = Path("gnomon/reports").glob("index-small*.md")
    assert "1 declined by the model" in markdown.read_text("utf-8").replace("\\", "")


@pytest.mark.usefixtures("served")
def test_nothing_secret_is_left_behind(gnomon: Gnomon, service: Service) -> None:
    """No key anywhere; no question and no answer in the trail."""
    outcome = gnomon("eval", "--json", "--quiet")
    assert outcome.json["schema"] == "gnomon.eval/1"
    kept = [path for path in Path().rglob("*") if path.is_file()]
    assert all(SECRET.encode() not in path.read_bytes() for path in kept)
    assert SECRET not in outcome.out + outcome.err
    trail = Path(".gnomon/audit.jsonl").read_bytes()
    assert b"rotate" not in trail.lower()
    assert b"borscht" not in trail
    assert service.requests[0][2]["authorization"] == f"Bearer {SECRET}"


@pytest.mark.usefixtures("served")
def test_a_hallucinated_citation_fails_the_run(gnomon: Gnomon, service: Service) -> None:
    """Exit 3, the record by name, the id in the report."""
    speaking(service, lambda _: "So it is [cite:guide/magic#] [cite:guide/keys#rotate].")
    outcome = gnomon("eval", "--quiet", code=3)
    assert "3 of 3 records have an answer that cites what it was not given: rotate" in outcome.err
    assert report()["records"][0]["hallucinated"] == ["guide/magic#"]
    (markdown,) = Path("gnomon/reports").glob("index-small*.md")
    assert "guide/magic#" in markdown.read_text("utf-8")


@pytest.mark.usefixtures("served")
def test_a_time_out_in_the_middle(
    gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered is kept; --resume asks for the rest, and the report is that of one run."""
    gnomon("eval", "--quiet")
    whole = without_trail(report())
    for file in Path("gnomon/reports").iterdir():
        file.unlink()
    waiting = threading.Event()

    def stall(_body: object) -> Answer:
        waiting.wait(20)
        return said("too late")

    monkeypatch.setenv("GNOMON_CHAT_TIMEOUT", "1")
    monkeypatch.setattr(endpoint, "ATTEMPTS", 1)
    answered = [body["messages"] for _, _, _, body in service.requests[:1]]
    service.script = [said(quoting(messages)) for messages in answered] + [stall]
    outcome = gnomon("eval", "--quiet", code=3)
    waiting.set()
    assert_refused(outcome, "no answer in 1 attempts (ReadTimeout")
    assert "1 answer kept in gnomon/reports/index-small" in outcome.err
    assert "--resume to go on" in outcome.err
    assert not list(Path("gnomon/reports").glob("*.json"))
    speaking(service, quoting)
    assert_refused(gnomon("eval", "--quiet", code=2), "go on with --resume")
    service.requests.clear()
    gnomon("eval", "--quiet", "--resume")
    assert len(service.requests) == 2
    assert without_trail(report()) == whole
    assert_refused(gnomon("eval", "--quiet", "--resume", code=3), "no run to go on with")


@pytest.mark.usefixtures("served")
def test_nothing_answered(gnomon: Gnomon, service: Service) -> None:
    """A run that got no answer leaves nothing to go on with, and the next one begins."""
    service.script = [Answer(401, b"no")]
    outcome = gnomon("eval", "--quiet", code=3)
    assert_refused(outcome, "refuses the key, or wants one (401)")
    assert "--resume" not in outcome.err
    speaking(service, quoting)
    gnomon("eval", "--quiet")


@pytest.mark.usefixtures("served")
def test_interrupted(gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C keeps what was answered too, and says so."""
    ask = ChatModel.ask

    def stopped(model: ChatModel, messages: Sequence[Message]) -> Reply:
        if len(service.requests) == 2:
            raise KeyboardInterrupt
        return ask(model, messages)

    monkeypatch.setattr(ChatModel, "ask", stopped)
    outcome = gnomon("eval", "--quiet", code=130)
    assert "2 answers kept in gnomon/reports/" in outcome.err
    monkeypatch.setattr(ChatModel, "ask", ask)
    gnomon("eval", "--quiet", "--resume")
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("variable", "value", "differs"),
    [
        ("GNOMON_CHAT_TEMPERATURE", "0.5", "temperature was 0.0, is 0.5"),
        ("GNOMON_GATE_K", "3", "index.levers.GATE_K.value was 5, is 3"),
    ],
)
@pytest.mark.usefixtures("served")
def test_resume_of_another_measurement(
    gnomon: Gnomon,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    differs: str,
) -> None:
    """It is refused, with what differs, and nothing is asked."""
    service.script = [said("one"), Answer(400, b"no")]
    gnomon("eval", "--quiet", code=3)
    service.requests.clear()
    monkeypatch.setenv(variable, value)
    outcome = gnomon("eval", "--quiet", "--resume", code=3)
    assert_refused(outcome, "belongs to another measurement", differs)
    assert service.requests == []


@pytest.mark.usefixtures("served")
def test_resume_with_another_golden_set(gnomon: Gnomon, service: Service) -> None:
    """What is scored is part of the measurement."""
    service.script = [said("one"), Answer(400, b"no")]
    gnomon("eval", "--quiet", code=3)
    write([{**GOLDEN[0], "identifiers": ["day"]}, *GOLDEN[1:]])
    outcome = gnomon("eval", "--quiet", "--resume", code=3)
    assert_refused(outcome, "golden_hash was")


@pytest.mark.usefixtures("served")
def test_another_prompt(gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a report of its own, which says that the older one is incomparable."""
    gnomon("eval", "--quiet")
    first = next(Path("gnomon/reports").glob("index-small*.json")).name
    monkeypatch.setenv("GNOMON_PROMPT_EXTEND", "Be kind.")
    outcome = gnomon("eval", "--quiet")
    assert "which made older reports of this pool incomparable" in outcome.out
    assert first in outcome.out
    refused = gnomon("eval", "--quiet", "--baseline", f"gnomon/reports/{first}", code=3)
    assert_refused(refused, "the prompt differs")
    assert "Be kind." in service.requests[-1][3]["messages"][0]["content"]


def test_what_the_guard_refuses_is_not_sent(
    gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under an enforced guard a refused record costs no request and gets no answer."""
    monkeypatch.setenv("GNOMON_GUARD_MODE", "calibrated")
    gnomon("index", write_pages(Path("docs")), "--no-embed", "--quiet")
    write(GOLDEN)
    gnomon("eval", "--quiet")
    assert [record["outcome"] for record in report()["records"]] == ["answered"] * 2 + ["refused"]
    assert not any("borscht" in json.dumps(body) for _, _, _, body in service.requests)


@pytest.mark.usefixtures("served")
def test_an_endpoint_of_the_project_gets_no_key(
    gnomon: Gnomon, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host that a checkout names is asked without the key, and the reader is told."""
    monkeypatch.delenv("GNOMON_CHAT_ENDPOINT")
    Path("gnomon.toml").write_text(f'chat.endpoint = "{service.url}"\n', encoding="utf-8")
    outcome = gnomon("eval", "--quiet")
    assert "GNOMON_CHAT_API_KEY is not sent: gnomon.toml comes with the project" in outcome.err
    assert all("authorization" not in headers for _, _, headers, _ in service.requests)


@pytest.mark.usefixtures("served")
def test_expectations_on_answers(gnomon: Gnomon, service: Service) -> None:
    """Every figure on answers may be expected."""
    outcome = gnomon("eval", "--quiet", "--expect", "token_f1>=0.9", code=4)
    assert "not met: " in outcome.err


@pytest.mark.parametrize(
    ("environment", "flags", "words"),
    [
        ({}, [], "without a chat endpoint; set chat.endpoint"),
        ({"GNOMON_CHAT_ENDPOINT": "http://127.0.0.1:1"}, [], "nothing names its model"),
        ({}, ["--gate-only", "--resume"], "leave out --gate-only"),
        (
            {"GNOMON_CHAT_ENDPOINT": "ftp://x", "GNOMON_CHAT_MODEL": "m"},
            [],
            "no http or https address",
        ),
        (
            {
                "GNOMON_CHAT_ENDPOINT": "http://127.0.0.1:1",
                "GNOMON_CHAT_MODEL": "m",
                "GNOMON_CHAT_TIMEOUT": "0",
            },
            [],
            "expected 1 to 3600",
        ),
    ],
)
def test_configuration(
    gnomon: Gnomon,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    flags: list[str],
    words: str,
) -> None:
    """What is missing or impossible is told before anything is opened."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert_refused(gnomon("eval", *flags, code=2), words)
