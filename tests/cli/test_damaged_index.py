"""Every command that measures or decides on an index refuses one with a flipped bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.probing import assert_refused
from tests.cli.test_calibrate import probes, write
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

VECTORS = Path("gnomon/index/vectors.npy")


@pytest.fixture
def damaged(gnomon: Gnomon) -> None:
    """Build an index, calibrate it, and flip a bit of the last vector's last number."""
    gnomon("index", write_pages(Path("docs")), "--embedder", "lsa:3", "--quiet")
    golden = {"id": "g", "question": "rotate a key", "expect": "answer", "level": "low",
              "gold_chunks": ["guide/keys"]}  # fmt: skip
    Path("gnomon/golden.jsonl").write_text(json.dumps(golden) + "\n", encoding="utf-8")
    write(probes(("U", 60), ("F", 40), ("N4", 30)))
    gnomon("calibrate", "--quiet")
    content = bytearray(VECTORS.read_bytes())
    content[-3] ^= 1
    VECTORS.write_bytes(content)


@pytest.mark.usefixtures("damaged")
@pytest.mark.parametrize(
    "command",
    [
        ["eval", "--gate-only"],
        ["tune"],
        ["calibrate"],
        ["calibrate", "--transfer", "gnomon/calibration.json", "--out", "gnomon/other.json"],
        ["bench", "emit", "--config", "one"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_commands_that_measure(gnomon: Gnomon, command: list[str]) -> None:
    """With the name of the file and what to do, before anything is asked."""
    outcome = gnomon(*command, "--quiet", code=3)
    assert_refused(outcome, "gnomon/index/vectors.npy: its bytes are not those that were written")


@pytest.mark.usefixtures("damaged")
def test_a_collection(gnomon: Gnomon) -> None:
    """Searched by an index."""
    folder = Path("collection")
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "d", "text": "a key"}\n', encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "a key"}\n', encoding="utf-8")
    (folder / "qrels.tsv").write_text("q\td\t1\n", encoding="utf-8")
    outcome = gnomon("eval", "--collection", folder, "--index", "gnomon/index", code=3)
    assert_refused(outcome, "vectors.npy: its bytes are not those that were written")


@pytest.mark.usefixtures("damaged")
def test_a_replay(gnomon: Gnomon) -> None:
    """The index is another one than was recorded, and nothing is decided on it."""
    outcome = gnomon("replay", 1, "--json", "--quiet", code=3)
    assert outcome.json["verdict"] == "input_changed"
    assert "nothing is decided on it" in outcome.json["reason"]
    assert "vectors.npy" in outcome.json["reason"]


@pytest.mark.usefixtures("damaged")
def test_the_doctor(gnomon: Gnomon) -> None:
    """It reads every file and is not ready."""
    outcome = gnomon("doctor", code=2)
    assert "missing: gnomon/index/vectors.npy: its bytes are not those" in outcome.out
