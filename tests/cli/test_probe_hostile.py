"""Full disks, closed folders, hostile archives, Ctrl-C: nothing half-written, nothing untold."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from gnomon import audit
from tests.cli.probing import (
    QUICK,
    SMALL,
    Gnomon,
    assert_nothing_left,
    assert_refused,
    corpus_args,
    file_args,
)

START = "from gnomon.cli.main import main; main()"


@pytest.mark.parametrize("place", ["file/state", "file", "/dev/null/state", "/proc/state"])
def test_a_state_directory_that_cannot_be_is_refused_before_the_work(
    gnomon: Gnomon, small_collection: Path, place: str
) -> None:
    """A path below a regular file, or where nobody may write."""
    Path("file").write_text("x", encoding="utf-8")
    args = [*corpus_args(small_collection), "--adapter", "procrustes", "--state-dir", place]
    outcome = gnomon("probe", *args, code=3)
    assert_refused(outcome, place, "--state-dir")
    if not place.startswith("/proc"):
        assert "measuring" not in outcome.err
    assert Path("file").read_text(encoding="utf-8") == "x"


def test_a_torn_trail_is_refused_before_the_work(
    gnomon: Gnomon, small_collection: Path, state_dir: Path
) -> None:
    """Nothing can be recorded, so nothing is measured."""
    gnomon("probe", *corpus_args(small_collection), *QUICK)
    trail = state_dir / "audit.jsonl"
    trail.write_bytes(trail.read_bytes()[:-20])
    torn = trail.read_bytes()
    args = [*corpus_args(small_collection), "--adapter", "procrustes"]
    outcome = gnomon("probe", *args, code=3)
    assert_refused(outcome, "torn", "gnomon audit repair")
    assert "measuring" not in outcome.err
    assert trail.read_bytes() == torn


def test_a_full_disk_at_the_record_prints_no_decision(
    gnomon: Gnomon, small_collection: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The append fails, so neither decision nor report exist; the trail is as before."""
    gnomon("probe", *corpus_args(small_collection), *QUICK)
    before = (state_dir / "audit.jsonl").read_bytes()
    write = os.write

    def full(fd: int, data: bytes) -> int:
        if b'"action":"probe"' in data:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data)

    monkeypatch.setattr(os, "write", full)
    args = [*corpus_args(small_collection), *QUICK, "--report", "out.html"]
    outcome = gnomon("probe", *args, code=3)
    assert_refused(outcome, "audit.jsonl", "disk is full", "free some space")
    assert (state_dir / "audit.jsonl").read_bytes() == before
    assert not Path("out.html").exists()


def test_a_full_disk_at_the_adapter_prints_no_decision(
    gnomon: Gnomon, small_collection: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its adapter a decision could not be replayed, so it is not recorded either."""
    write = os.write

    def full(fd: int, data: bytes) -> int:
        if b"weights" in bytes(data)[:4000]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data)

    monkeypatch.setattr(os, "write", full)
    outcome = gnomon("probe", *corpus_args(small_collection), *QUICK, code=3)
    assert_refused(outcome, "adapter", "disk is full")
    assert_nothing_left(state_dir)
    assert list((state_dir / "adapters").iterdir()) == []


def test_a_full_disk_at_the_report_keeps_the_old_report(
    gnomon: Gnomon, small_collection: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record exists, the old report too, and the error says where the decision is."""
    Path("out.html").write_text("old", encoding="utf-8")
    fsync = os.fsync

    def full(fd: int) -> None:
        if ".gnomon-" in Path(f"/proc/self/fd/{fd}").readlink().name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", full)
    args = [*corpus_args(small_collection), *QUICK, "--report", "out.html"]
    outcome = gnomon("probe", *args, code=3)
    assert_refused(outcome, "out.html", "No space left", "gnomon audit show 1")
    assert Path("out.html").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in Path.cwd().iterdir()) == [".gnomon", "out.html"]
    assert audit.verify(state_dir).records == 1


def test_a_disk_that_fills_up_ends_with_a_valid_trail(
    gnomon: Gnomon, small_collection: Path, small_disk: Path
) -> None:
    """Every decision that was printed has a record; the first that has none was not printed."""
    args = [*corpus_args(small_collection), *QUICK, "--state-dir", small_disk / "state", "--json"]
    printed = 0
    for seed in range(30):
        (small_disk / "filler").write_bytes(b"x" * 4096 * seed if seed < 9 else b"")
        left = shutil.disk_usage(small_disk).free
        if left < 16_384:
            outcome = gnomon("probe", *args, "--seed", seed, code=3)
            assert_refused(outcome, "disk is full")
            break
        gnomon("probe", *args, "--seed", "0")
        printed += 1
    verdict = audit.verify(small_disk / "state")
    assert verdict.ok
    assert verdict.records == printed > 0


def test_an_external_link_in_hdf5_is_not_followed(gnomon: Gnomon, collection: Path) -> None:
    """One file may not make another one be read."""
    with h5py.File(collection / "secret.h5", "w") as file:
        file["v"] = SMALL.new_docs
    with h5py.File(collection / "link.h5", "w") as file:
        file["v"] = h5py.ExternalLink("secret.h5", "/v")
    args = file_args(collection, new_docs=collection / "link.h5", key="v")
    assert_refused(gnomon("probe", *args, *QUICK, code=3), "link.h5", "link")


def test_an_archive_that_unpacks_to_far_more_than_its_size_is_refused(
    gnomon: Gnomon, collection: Path
) -> None:
    """Nothing but zeros, 1,000 to 1."""
    path = collection / "bomb.npz"
    np.savez_compressed(path, v=np.zeros((400_000, 60), np.float32))
    outcome = gnomon("probe", *file_args(collection, new_docs=path), *QUICK, code=3)
    assert_refused(outcome, "bomb.npz", "200 times")


def test_an_archive_is_neither_unpickled_nor_unpacked(gnomon: Gnomon, collection: Path) -> None:
    """Names inside archives become no paths, objects are not unpickled."""
    path = collection / "odd.npz"
    np.savez(path, v=np.array([[{}]], dtype=object))
    outcome = gnomon("probe", *file_args(collection, new_docs=path), *QUICK, code=3)
    assert_refused(outcome, "odd.npz", "object")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(collection / "emb" / "new.corpus.npy", "../../escape.npy")
    gnomon("probe", *file_args(collection, new_docs=path), *QUICK)
    assert not list(collection.parent.rglob("escape.npy"))


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_only_regular_files_are_read(gnomon: Gnomon, collection: Path, kind: str) -> None:
    """A named pipe would block for ever, /dev/zero would never end."""
    path = collection / "emb" / "new.corpus.npy"
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    outcome = gnomon("probe", *corpus_args(collection), *QUICK, code=3)
    assert_refused(outcome, "new.corpus.npy")


@pytest.fixture(scope="module")
def large_collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return vectors that take the slowest instruction set many seconds."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    for name, rows in (("docs", 30_000), ("queries", 1_500)):
        for model in ("old", "new"):
            vectors = rng.standard_normal((rows, 48), dtype=np.float32)
            np.save(folder / f"{model}_{name}.npy", vectors.astype(np.float16))
    return folder


def interrupted(folder: Path, workplace: Path, *, pauses_s: list[float]) -> tuple[int, str, str]:
    """Start a long probe, send Ctrl-C after the first sign of work and again after pauses."""
    args = ["probe", "--report", "out.html", "--threads", "1"]
    for role in ("old_docs", "new_docs", "old_queries", "new_queries"):
        args += [f"--{role.replace('_', '-')}", str(folder / f"{role}.npy")]
    process = subprocess.Popen(
        [sys.executable, "-c", START, *args],
        cwd=workplace, env={**os.environ, "GNOMON_ISA": "scalar"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("measuring: "), first
    process.send_signal(signal.SIGINT)
    for pause_s in pauses_s:
        time.sleep(pause_s)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("pauses_s", [[], [0.0], [0.01, 0.01], [0.1, 0.2]], ids=str)
def test_an_interrupt_in_the_middle_of_the_work_leaves_nothing(
    gnomon: Gnomon,
    small_collection: Path,
    large_collection: Path,
    state_dir: Path,
    pauses_s: list[float],
) -> None:
    """Exit 130, one line, the trail as it was, and no temporary file; impatience included."""
    gnomon("probe", *corpus_args(small_collection), *QUICK)
    before = {path: path.read_bytes() for path in state_dir.rglob("*") if path.is_file()}
    code, out, err = interrupted(large_collection, Path.cwd(), pauses_s=pauses_s)
    assert code == 130
    assert out == ""
    assert err.endswith("interrupted\n")
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    after = {path: path.read_bytes() for path in state_dir.rglob("*") if path.is_file()}
    assert after == before
    assert audit.verify(state_dir).ok
    assert [path.name for path in Path.cwd().iterdir()] == [".gnomon"]


def _interrupt(*args: Any, **kwargs: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("place", "records"),
    [
        ("gnomon.probe.gather.read_corpus", 0),
        ("gnomon.cli.probe.run_probe", 0),
        ("gnomon.audit.store_blob", 0),
        ("gnomon.audit.append", 0),
        ("gnomon.cli.probe.write_probe_report", 1),
        ("gnomon.cli.probe.probe_lines", 1),
    ],
)
def test_an_interrupt_at_any_step_is_exit_130(
    gnomon: Gnomon,
    small_collection: Path,
    state_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    records: int,
) -> None:
    """What was recorded stays, nothing else does."""
    monkeypatch.setattr(place, _interrupt)
    args = [*corpus_args(small_collection), *QUICK, "--report", "out.md"]
    outcome = gnomon("probe", *args, code=130)
    assert (outcome.out, outcome.err.splitlines()[-1]) == ("", "interrupted")
    assert_found(state_dir, records)


def assert_found(state_dir: Path, records: int) -> None:
    """Check that the trail is valid and has so many records."""
    if records == 0:
        assert_nothing_left(state_dir)
    else:
        assert audit.verify(state_dir).records == records
