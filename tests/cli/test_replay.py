"""``gnomon replay``: the same decision again, or which input changed, or why it cannot be told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnomon import audit
from gnomon.kernels import runnable_isas
from gnomon.probe.fitting import Fitter
from gnomon.probe.result import REFIT_FIELDS
from tests.cli.probing import QUICK, SMALL, Gnomon, Outcome, assert_refused, corpus_args, file_args

CHOSEN = ("--candidate-depth", "40", "--quiet")
START = "from gnomon.cli.main import main; main()"
VERDICTS = {"identical": 0, "matched": 0, "input_changed": 3, "differed": 3, "not_replayable": 2}


def replayed(gnomon: Gnomon, verdict: str, *flags: object, seq: int = 1) -> dict[str, Any]:
    """Replay a record, check verdict and exit code, and return the JSON."""
    outcome = gnomon("replay", seq, *flags, "--json", "--quiet", code=VERDICTS[verdict])
    document = outcome.json
    assert document["verdict"] == verdict, document
    assert "Traceback" not in outcome.err
    return document


@pytest.fixture
def recorded(gnomon: Gnomon, collection: Path) -> Path:
    """Return a collection with one recorded probe of it, its adapter forced."""
    gnomon("probe", *corpus_args(collection), *QUICK)
    return collection


@pytest.mark.parametrize(
    "flags",
    [QUICK, CHOSEN, (*QUICK, "--fit-scope", "seen"), (*QUICK, "--tier", "T0"),
     (*QUICK, "--tier", "T1u"), (*CHOSEN, "--sample", "60"), (*QUICK, "--pairs", "20")],
    ids=["forced", "chosen", "seen", "T0", "T1u", "sampled", "no folds"],
)  # fmt: skip
def test_a_decision_is_identical_on_every_instruction_set_and_thread_count(
    gnomon: Gnomon, small_collection: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    """To the bit, with the stored adapters."""
    gnomon("probe", *corpus_args(small_collection), *flags)
    for isa in runnable_isas():
        monkeypatch.setenv("GNOMON_ISA", isa)
        for threads in (1, 2, 7):
            document = replayed(gnomon, "identical", "--threads", threads)
            assert document["changes"] == []


def test_a_decision_is_identical_under_another_blas_kernel(recorded: Path, state_dir: Path) -> None:
    """OpenBLAS chosen for another CPU: nothing that counts goes through it."""
    done = subprocess.run(
        [sys.executable, "-c", START, "replay", "1", "--json", "--state-dir", str(state_dir)],
        env={**os.environ, "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "identical"


def test_the_document_says_what_was_compared(gnomon: Gnomon, recorded: Path) -> None:
    """Schema gnomon.replay/1: verdict, decisions, changes, and the environment of the record."""
    document = replayed(gnomon, "identical")
    record = audit.read_record(Path(".gnomon"), 1)
    assert document["schema"] == "gnomon.replay/1"
    assert document["seq"] == 1
    assert document["action"] == "probe"
    assert document["decision"] == document["recorded_decision"] == record.decision
    assert document["refit_fields"] == list(REFIT_FIELDS)
    assert document["left_out"] == list(REFIT_FIELDS)
    assert document["recorded_env"] == record.env
    text = gnomon("replay", 1, "--quiet").out
    assert text.startswith("identical: ")
    assert record.hash in text
    assert "not measured again" in text


def test_a_replay_writes_nothing(gnomon: Gnomon, recorded: Path, state_dir: Path) -> None:
    """Neither a record nor an adapter."""
    before = {path: path.read_bytes() for path in state_dir.rglob("*") if path.is_file()}
    replayed(gnomon, "identical")
    replayed(gnomon, "identical", "--refit")
    after = {path: path.read_bytes() for path in state_dir.rglob("*") if path.is_file()}
    assert after == before


def test_refitting_gives_the_same_decision(gnomon: Gnomon, small_collection: Path) -> None:
    """Fits on this machine again, the choice of the adapter included."""
    gnomon("probe", *corpus_args(small_collection), *CHOSEN)
    document = gnomon("replay", 1, "--refit", "--json", "--quiet").json
    assert document["verdict"] in {"identical", "matched"}
    assert document["left_out"] == []


def test_a_replay_fits_nothing(
    gnomon: Gnomon, small_collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the stored adapters, what comes from other fits is left out and not fitted."""
    gnomon("probe", *corpus_args(small_collection), *CHOSEN)

    def fit(*_: object, **__: object) -> None:
        raise AssertionError("a replay fitted an adapter")

    monkeypatch.setattr(Fitter, "context", fit)
    document = replayed(gnomon, "identical")
    assert document["refit_changes"] == []


@pytest.mark.parametrize(
    ("role", "file"),
    [("old_docs", "old.corpus"), ("new_docs", "new.corpus"),
     ("old_queries", "old.queries"), ("new_queries", "new.queries")],
)  # fmt: skip
def test_a_changed_vector_file_is_named_with_the_decision_it_gives(
    gnomon: Gnomon, recorded: Path, role: str, file: str
) -> None:
    """One number in one row suffices."""
    path = recorded / "emb" / f"{file}.npy"
    values = np.load(path)
    values[5, 0] += 0.001
    np.save(path, values)
    document = replayed(gnomon, "input_changed")
    (changed,) = document["changed_inputs"]
    assert role in changed
    assert f"{file}.npy" in changed
    assert document["decision"] in document["reason"]
    assert document["recorded_decision"]


def test_another_decision_on_changed_inputs_is_told(gnomon: Gnomon, recorded: Path) -> None:
    """The new model's vectors replaced by the old one's: no upgrade is needed now."""
    before = audit.read_record(Path(".gnomon"), 1).decision
    for part in ("corpus", "queries"):
        values = np.load(recorded / "emb" / f"old.{part}.npy")
        np.save(recorded / "emb" / f"new.{part}.npy", np.pad(values, ((0, 0), (0, 8))))
    outcome = gnomon("replay", 1, "--quiet", code=3)
    assert before != "no_upgrade_needed"
    assert "input_changed" in outcome.out
    assert "'no_upgrade_needed'" in outcome.out
    assert repr(before) in outcome.out


def test_a_changed_text_file_is_named_too(gnomon: Gnomon, recorded: Path) -> None:
    """Judgements count as much as vectors."""
    path = recorded / "qrels.tsv"
    path.write_text(path.read_text(encoding="utf-8") + "q0\td99\t1\n", encoding="utf-8")
    (changed,) = replayed(gnomon, "input_changed")["changed_inputs"]
    assert "qrels" in changed


def test_a_changed_file_that_is_refused_now_says_so(gnomon: Gnomon, recorded: Path) -> None:
    """The input changed into something that no probe takes: still named, never a traceback."""
    path = recorded / "emb" / "new.corpus.npy"
    values = np.load(path)
    values[5] = np.nan
    np.save(path, values)
    document = replayed(gnomon, "input_changed")
    assert "new.corpus.npy" in document["reason"]
    assert "row 5 " in document["reason"]
    assert document["decision"] is None
    path.write_bytes(b"not an array")
    assert "not a NumPy file" in replayed(gnomon, "input_changed")["reason"]


def test_a_removed_file_is_not_replayable(gnomon: Gnomon, recorded: Path) -> None:
    """Which one, and how to supply it."""
    (recorded / "emb" / "new.corpus.npy").unlink()
    document = replayed(gnomon, "not_replayable")
    assert "new.corpus.npy" in document["reason"]
    assert "--input new_docs=PATH" in document["reason"]


def test_a_moved_file_is_supplied_by_input(gnomon: Gnomon, recorded: Path, tmp_path: Path) -> None:
    """The hash decides whether it is the same."""
    (recorded / "emb" / "new.corpus.npy").rename(tmp_path / "elsewhere.npy")
    replayed(gnomon, "identical", "--input", f"new_docs={tmp_path / 'elsewhere.npy'}")
    np.save(tmp_path / "other.npy", SMALL.new_docs + 1)
    replayed(gnomon, "input_changed", "--input", f"new_docs={tmp_path / 'other.npy'}")


@pytest.mark.parametrize(
    "given", ["new_docs", "new_docs=", "=x.npy", "documents=x.npy", "", "../x=y"]
)
def test_a_malformed_input_is_a_usage_error(gnomon: Gnomon, recorded: Path, given: str) -> None:
    """With the roles that there are."""
    outcome = gnomon("replay", 1, "--input", given, code=2)
    assert_refused(outcome, "--input", "new_docs", "old_queries")


def test_an_input_that_the_record_did_not_read_is_a_usage_error(
    gnomon: Gnomon, recorded: Path
) -> None:
    """It would have been without effect."""
    outcome = gnomon("replay", 1, "--input", f"ids={recorded / 'corpus.jsonl'}", code=2)
    assert_refused(outcome, "--input ids", "record 1")


@pytest.mark.parametrize(
    ("args", "code"),
    [(["0"], 2), (["-1"], 2), (["one"], 2), ([], 2), (["1", "--threads", "0"], 2), (["2"], 2)],
    ids=str,
)
def test_a_sequence_number_without_a_record_is_refused(
    gnomon: Gnomon, recorded: Path, args: list[str], code: int
) -> None:
    """Whether it is malformed or only beyond the end of the trail."""
    assert_refused(gnomon("replay", *args, code=code))


def test_a_trail_that_is_not_there_is_refused(gnomon: Gnomon) -> None:
    """And none is made."""
    assert_refused(gnomon("replay", 1, code=3), ".gnomon")
    assert not Path(".gnomon").exists()


@pytest.fixture
def carried(gnomon: Gnomon, tmp_path: Path) -> Path:
    """Return a project folder with collection and trail, moved away from where it was made."""
    from tests.probe.collections import write_collection

    made = tmp_path / "here"
    write_collection(SMALL, made / "data")
    gnomon("probe", *corpus_args(made / "data"), *QUICK, "--state-dir", made / ".gnomon")
    there = tmp_path / "there"
    made.rename(there)
    return there


def test_a_trail_that_was_carried_elsewhere_replays(gnomon: Gnomon, carried: Path) -> None:
    """Paths are relative to the parent of the state directory, or to --root."""
    state = carried / ".gnomon"
    replayed(gnomon, "identical", "--state-dir", state)
    replayed(gnomon, "identical", "--state-dir", state, "--root", carried)
    alone = carried.parent / "alone"
    shutil.copytree(state, alone / "state")
    replayed(gnomon, "identical", "--state-dir", alone / "state", "--root", carried)


def test_a_trail_from_elsewhere_reads_nothing_outside_its_root(
    gnomon: Gnomon, recorded: Path, state_dir: Path, tmp_path: Path
) -> None:
    """Recorded absolute paths and links that lead out are refused; --input is the owner's word."""
    root = tmp_path / "root"
    root.mkdir()
    outcome = gnomon("replay", 1, "--root", root, code=3)
    assert_refused(outcome, "outside", str(root), "--input")


def test_a_link_out_of_the_root_is_refused(gnomon: Gnomon, carried: Path) -> None:
    """Symbolic links are followed before the question is asked."""
    vectors = carried / "data" / "emb" / "new.corpus.npy"
    outside = carried.parent / "secret.npy"
    vectors.rename(outside)
    vectors.symlink_to(outside)
    args = ("--state-dir", carried / ".gnomon", "--root", carried)
    assert_refused(gnomon("replay", 1, *args, code=3), "new.corpus.npy", "outside")


def blobs(state_dir: Path) -> list[Path]:
    """Return the stored adapters."""
    return sorted((state_dir / "adapters").iterdir())


def test_an_altered_adapter_is_refused(gnomon: Gnomon, recorded: Path, state_dir: Path) -> None:
    """One bit in one weight."""
    path = blobs(state_dir)[2]
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    assert_refused(gnomon("replay", 1, "--quiet", code=3), path.name, "altered", "--refit")
    assert gnomon("replay", 1, "--refit", "--json", "--quiet").json["verdict"] in VERDICTS


def test_a_missing_adapter_is_not_replayable(
    gnomon: Gnomon, recorded: Path, state_dir: Path
) -> None:
    """A trail without its adapters can still be refitted."""
    blobs(state_dir)[0].unlink()
    assert "--refit" in replayed(gnomon, "not_replayable")["reason"]


def test_a_record_that_decides_nothing_is_not_replayable(gnomon: Gnomon, recorded: Path) -> None:
    """A fit is a record, and no decision."""
    gnomon("fit", "--from", 1, "--out", "bridge", "--quiet")
    document = replayed(gnomon, "not_replayable", seq=2)
    assert "fit" in document["reason"]
    assert document["decision"] is None


def rewritten(state_dir: Path, change: Any) -> None:
    """Write the first record anew with other inputs or outputs, its hash being right."""
    record = audit.read_record(state_dir, 1)
    inputs, outputs = json.loads(json.dumps([record.inputs, record.outputs]))
    change(inputs, outputs)
    (state_dir / "audit.jsonl").unlink()
    audit.append(state_dir, action=record.action, inputs=inputs, outputs=outputs, env=record.env)


def _no_files(inputs: Any, outputs: Any) -> None:
    del inputs["files"]


def _files_list(inputs: Any, outputs: Any) -> None:
    inputs["files"] = ["a"]


def _odd_role(inputs: Any, outputs: Any) -> None:
    inputs["files"]["../x"] = inputs["files"]["docs"]


def _path_number(inputs: Any, outputs: Any) -> None:
    inputs["files"]["docs"]["path"] = 7


def _path_null_byte(inputs: Any, outputs: Any) -> None:
    inputs["files"]["docs"]["path"] = "a\0b"


def _no_settings(inputs: Any, outputs: Any) -> None:
    del inputs["settings"]


def _odd_setting(inputs: Any, outputs: Any) -> None:
    inputs["settings"]["k"] = "ten"


def _odd_options(inputs: Any, outputs: Any) -> None:
    inputs["options"] = {"old_docs": "/etc/passwd", "x": 1}


def _hash_path(inputs: Any, outputs: Any) -> None:
    outputs["adapter"]["folds"][0]["sha256"] = "../../../etc/passwd"


def _no_adapter(inputs: Any, outputs: Any) -> None:
    del outputs["adapter"]


def _no_folds(inputs: Any, outputs: Any) -> None:
    outputs["adapter"]["folds"] = []


def _three_folds(inputs: Any, outputs: Any) -> None:
    del outputs["adapter"]["folds"][3:]


@pytest.mark.parametrize(
    "change",
    [_no_files, _files_list, _odd_role, _path_number, _path_null_byte, _no_settings, _odd_setting,
     _odd_options, _hash_path, _no_adapter, _no_folds, _three_folds],
)  # fmt: skip
def test_a_hostile_record_is_refused_in_words(
    gnomon: Gnomon, recorded: Path, state_dir: Path, change: Any
) -> None:
    """Whoever can write a trail can write valid hashes; what it says is checked all the same."""
    rewritten(state_dir, change)
    found: Outcome = gnomon("replay", 1, "--quiet", code=3)
    assert_refused(found, "record 1")


def test_figures_that_were_rewritten_are_found_by_running_again(
    gnomon: Gnomon, recorded: Path, state_dir: Path
) -> None:
    """A forged figure with a right hash: the rerun differs and names it."""

    def forge(inputs: Any, outputs: Any) -> None:
        outputs["metrics"]["arr"]["value"] += 0.01

    rewritten(state_dir, forge)
    document = replayed(gnomon, "differed")
    assert document["changes"][0]["field"] == "metrics.arr.value"
    assert "metrics.arr.value" in document["reason"]


def test_a_path_with_the_users_name_is_withheld_and_supplied_by_input(
    gnomon: Gnomon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record keeps the file's name and a hash."""
    from tests.probe.collections import write_collection

    monkeypatch.setenv("HOME", str(tmp_path / "home" / "annabelle"))
    monkeypatch.setenv("LOGNAME", "annabelle")
    folder = write_collection(SMALL, tmp_path / "mnt" / "annabelle" / "data")
    gnomon("probe", *corpus_args(folder), *QUICK)
    assert "annabelle" not in (Path(".gnomon") / "audit.jsonl").read_text(encoding="utf-8")
    assert "--input" in replayed(gnomon, "not_replayable")["reason"]
    parts = [part for part in file_args(folder) if not part.startswith("--")]
    roles = [part[2:].replace("-", "_") for part in file_args(folder) if part.startswith("--")]
    given = [f"--input={role}={path}" for role, path in zip(roles, parts, strict=True)]
    replayed(gnomon, "identical", *given)
