"""``gnomon kernels``: what it refuses, what it prints, and peers that are missing or break."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon import kernels
from gnomon.machine import measure
from gnomon.machine.settings import MachineSettings
from gnomon.machine.standard import kernel_names
from tests.cli.probing import Gnomon

AFFINE = ("--quick", "--threads", "1", "--kernel", "affine", "--quiet")


def stand_in(monkeypatch: pytest.MonkeyPatch, folder: Path, module: str, text: str) -> None:
    """Let the process that measures find this text under the name of a package."""
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_the_machine_its_limits_and_the_work_are_printed(gnomon: Gnomon) -> None:
    """The text names CPU, instruction set, threads, limits and the work."""
    out = gnomon("kernels", *AFFINE).out
    for said in ("CPU ", kernels.isa(), "threads       1 (--threads)", "reading", "affine: "):
        assert said in out
    for isa in kernels.runnable_isas():
        assert f"int8 multiply-adds, {isa}" in out


def test_json_is_one_document_with_a_schema(gnomon: Gnomon) -> None:
    """The document has everything in seconds, bytes and rates, and our own time."""
    document = gnomon("kernels", *AFFINE, "--no-peers", "--json").json
    assert document["schema"] == "gnomon.kernels/1"
    assert document["isa"]["in_use"] == kernels.isa()
    assert document["isa"]["runnable"] == list(kernels.runnable_isas())
    assert document["threads"] == {"count": 1, "why": "--threads"}
    assert document["clock"] == "cpu"
    assert document["limits"]["read"][0]["bytes_per_second"] > 0
    assert {peak["isa"] for peak in document["limits"]["multiply_add"]} == set(
        kernels.runnable_isas()
    )
    (work,) = document["works"]
    assert work["kernel"] == "affine"
    (ours,) = work["peers"]
    assert (ours["name"], ours["status"]) == ("gnomon", "measured")
    assert ours["seconds"] == ours["cpu_seconds"] > 0
    assert work["share_of_limit"] == work["limit_seconds"] / ours["seconds"]
    assert work["best_peer"] is None


def test_progress_goes_to_stderr(gnomon: Gnomon) -> None:
    """Progress is on stderr and can be switched off."""
    shown = gnomon("kernels", *AFFINE[:-1], "--no-peers", "--json")
    assert "measuring: 100%" in shown.err
    assert shown.json["works"]
    assert gnomon("kernels", *AFFINE, "--no-peers", "--json").err == ""


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--kernel", "fft"), "--kernel 'fft' is none of topk"),
        (("--threads", "0"), "--threads"),
        (("--threads", "two"), "--threads"),
        (("--fast",), "--fast"),
    ],
)
def test_a_wrong_flag_is_refused(gnomon: Gnomon, flags: tuple[str, ...], said: str) -> None:
    """Usage errors leave before anything is measured."""
    refused = gnomon("kernels", *flags, code=2)
    assert said in refused.err
    assert refused.out == ""


def test_a_wrong_instruction_set_is_refused_with_the_right_ones(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GNOMON_ISA is checked before any work, and the message lists what runs here."""
    monkeypatch.setenv("GNOMON_ISA", "sse9")
    refused = gnomon("kernels", *AFFINE, code=2)
    assert f"set it to one of: {', '.join(kernels.runnable_isas())}" in refused.err


def test_a_forced_instruction_set_is_measured(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that measures obeys GNOMON_ISA, and the reason is printed."""
    monkeypatch.setenv("GNOMON_ISA", "scalar")
    assert "scalar (GNOMON_ISA)" in gnomon("kernels", *AFFINE, "--no-peers").out


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("raise RuntimeError('built for another CPU')", "RuntimeError: built for another CPU"),
        (
            "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
            "ended the process with SIGSEGV",
        ),
        ("import os\nprint('a banner')\nos._exit(9)", "ended the process with exit code 9"),
    ],
)
def test_a_peer_that_breaks_is_reported_and_the_rest_is_measured(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, note: str
) -> None:
    """An import that raises or ends the process costs that peer only."""
    stand_in(monkeypatch, tmp_path / "packages", "hnswlib", text)
    monkeypatch.setattr(measure, "works_of", _first)
    document = gnomon(
        "kernels", "--quick", "--threads", "1", "--kernel", "topk", "--json", "--quiet"
    ).json
    (work,) = document["works"]
    peers = {peer["name"]: peer for peer in work["peers"]}
    assert (peers["hnswlib"]["status"], peers["hnswlib"]["note"]) == ("broken", note)
    for name in ("gnomon", "NumPy"):
        assert peers[name]["status"] == "measured"


def test_a_peer_that_is_not_installed_is_named(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is missing is said in one line, and is no error."""
    hidden = (
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest:"
        " None if name == 'hnswlib' else find(name, *rest)\n"
    )
    stand_in(monkeypatch, tmp_path / "packages", "sitecustomize", hidden)
    monkeypatch.setattr(measure, "works_of", _first)
    out = gnomon("kernels", "--quick", "--threads", "1", "--kernel", "topk", "--quiet").out
    (line,) = (line for line in out.splitlines() if "not installed:" in line)
    assert "hnswlib" in line


def test_every_kernel_can_be_asked_for(gnomon: Gnomon) -> None:
    """The names that ``--kernel`` takes are distinct and listed in its refusal."""
    refused = gnomon("kernels", "--kernel", "", code=2).err
    for name in kernel_names():
        assert name in refused


def _first(settings: MachineSettings) -> list[object]:
    from gnomon.machine import standard

    return list(standard.works_of(settings))[:1]
