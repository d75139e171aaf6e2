"""Every decision of the published table replays to the bit, whatever the machine is told to use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gnomon.cli.main import run
from gnomon.kernels import runnable_isas
from tests.real.test_probe_table import TABLE, Row

START = "from gnomon.cli.main import main; main()"


@pytest.fixture
def recorded(row: Row, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the state directory with the decision of a row as record 1."""
    # The folder of a test run is named after the user, and such paths are withheld.
    monkeypatch.setenv("HOME", str(tmp_path / "nobody-here"))
    monkeypatch.setenv("LOGNAME", "nobody-here")
    state_dir = tmp_path / ".gnomon"
    command = ["probe", "--corpus", str(shared_data / row.collection), "--old", row.old]
    command += ["--new", row.new, "--adapter", "procrustes", "--quiet"]
    assert run([*command, "--state-dir", str(state_dir)]) == 0
    return state_dir


def replayed(capsys: pytest.CaptureFixture[str], state_dir: Path, *flags: str) -> dict[str, Any]:
    """Replay record 1 in this process and return the JSON."""
    capsys.readouterr()
    code = run(["replay", "1", "--json", "--quiet", "--state-dir", str(state_dir), *flags])
    out, err = capsys.readouterr()
    document: dict[str, Any] = json.loads(out)
    assert code == 0, (document, err)
    return document


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_a_decision_of_the_table_replays_to_the_bit(
    row: Row,
    recorded: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Under the plainest and the widest instruction set, with other numbers of threads."""
    isas = runnable_isas()
    for isa, threads in ((isas[0], 7), (isas[-1], 1)):
        monkeypatch.setenv("GNOMON_ISA", isa)
        document = replayed(capsys, recorded, "--threads", str(threads))
        assert document["verdict"] == "identical", (isa, threads, document["changes"])
        assert document["decision"] == row.decision


@pytest.mark.parametrize("row", [TABLE[0], TABLE[-1]], ids=lambda row: row.name)
def test_a_decision_replays_under_another_blas_kernel(row: Row, recorded: Path) -> None:
    """OpenBLAS as on a Haswell CPU; a fit made anew still matches."""
    for flags, verdicts in ((), {"identical"}), (("--refit",), {"identical", "matched"}):
        done = subprocess.run(
            [sys.executable, "-c", START, "replay", "1", "--json", "--quiet",
             "--state-dir", str(recorded), *flags],
            env={**os.environ, "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["verdict"] in verdicts
