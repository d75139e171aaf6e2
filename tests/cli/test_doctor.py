"""``gnomon doctor``: what is resolved, what is missing, and an exit code for CI."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.retrieval.manifest import sealed
from tests.cli.probing import assert_refused
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon


@pytest.fixture
def served(gnomon: Gnomon) -> None:
    """Build an index in the folder of the command line."""
    gnomon("index", write_pages(Path("docs")), "--embedder", "lsa:3", "--quiet")


def test_nothing_built(gnomon: Gnomon) -> None:
    """Not ready, with what to do."""
    outcome = gnomon("doctor", code=2)
    assert "missing: gnomon/index: there is no index; build one with: gnomon index" in outcome.out
    assert outcome.out.endswith("not ready\n")


@pytest.mark.usefixtures("served")
def test_ready(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value in force and where it came from."""
    Path("gnomon.toml").write_text('product = "Sundial"\n', encoding="utf-8")
    monkeypatch.setenv("GNOMON_GATE_K", "7")
    outcome = gnomon("doctor")
    assert "configuration: gnomon.toml" in outcome.out
    assert "product = Sundial (project file)" in outcome.out
    assert "index: gnomon/index, 9 chunks, embedder lsa:3" in outcome.out
    assert "GATE_K = 7 (environment)" in outcome.out
    assert "probe set: gnomon/calibration.jsonl: no such file" in outcome.out
    assert "golden set: gnomon/golden.jsonl: no such file" in outcome.out
    assert outcome.out.endswith("ready\n")
    assert "not ready" not in outcome.out


@pytest.mark.usefixtures("served")
def test_json(gnomon: Gnomon) -> None:
    """One object, with the ISA, the threads and the levers."""
    report = gnomon("doctor", "--json").json
    assert (report["schema"], report["ready"]) == ("gnomon.doctor/1", True)
    assert report["environment"]["isa"] in report["isas"]
    assert report["index"]["levers"]["MMR_LAMBDA"] == {"value": 1.0, "source": "default"}


@pytest.mark.usefixtures("served")
def test_an_enforced_guess(gnomon: Gnomon) -> None:
    """A guard that is enforced and was never measured is not ready."""
    gnomon("index", "docs", "--no-embed", "--guard-mode", "calibrated", "--quiet")
    outcome = gnomon("doctor", code=2)
    assert "guard.mode is calibrated and the thresholds are provisional" in outcome.out


@pytest.mark.usefixtures("served")
def test_a_missing_package(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index's model has to be installed to embed a question."""
    manifest = Path("gnomon/index/manifest.json")
    body = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps(sealed(body | {"embedder": "openai:small"})), "utf-8")
    find = importlib.util.find_spec

    def without_httpx(name: str, *rest: Any) -> Any:
        return None if name == "httpx" else find(name, *rest)

    monkeypatch.setattr("importlib.util.find_spec", without_httpx)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    outcome = gnomon("doctor", code=2)
    assert "openai:small needs: pip install 'gnomon[endpoint]'" in outcome.out
    assert "needs a key in OPENAI_API_KEY" in outcome.out


@pytest.mark.usefixtures("served")
def test_a_damaged_index(gnomon: Gnomon) -> None:
    """It is told, not a traceback."""
    Path("gnomon/index/manifest.json").write_text("{", encoding="utf-8")
    assert "build the index again" in gnomon("doctor", code=2).out


def test_no_serving_mode(gnomon: Gnomon) -> None:
    """--proxy refuses with the reason."""
    assert_refused(gnomon("doctor", "--proxy", code=2), "a serving mode, which gnomon does not")
