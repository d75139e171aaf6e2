"""``gnomon fit``: the adapter of a probe as a bridge that a search can use."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest

import gnomon as gn
from gnomon import audit
from gnomon.adapters.registry import ADAPTER_NAMES
from tests.cli.probing import (
    QUICK,
    SMALL,
    Gnomon,
    assert_nothing_left,
    assert_refused,
    corpus_args,
    file_args,
)
from tests.probe.collections import make_collection, write_collection


@pytest.fixture
def recorded(gnomon: Gnomon, collection: Path) -> Path:
    """Return a collection with one recorded probe of it."""
    gnomon("probe", *corpus_args(collection), *QUICK)
    return collection


def test_the_bridge_of_a_probe_takes_queries_to_the_index(gnomon: Gnomon, recorded: Path) -> None:
    """The adapter that the probe used, with both models and the number of pairs."""
    document = gnomon("fit", "--from", 1, "--out", "bridge", "--json", "--quiet").json
    assert document["schema"] == "gnomon.fit/1"
    assert document["adapter"]["name"] == "procrustes"
    assert document["adapter"]["n_pairs"] == document["usable_documents"] == 120
    bridge = gn.Bridge.load("bridge")
    assert bridge.adapter.sha256 == document["adapter"]["sha256"]
    assert (bridge.query_profile.dim, bridge.index_profile.dim) == (32, 24)
    images = bridge.to_index_space(SMALL.new_queries)
    assert images.shape == (30, 24)
    assert np.linalg.norm(images, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert sorted(path.name for path in Path("bridge").iterdir()) == sorted(
        ["manifest.json", f"{bridge.adapter.sha256}.safetensors"]
    )


def test_the_served_bridge_finds_what_the_probe_measured_as_seen(
    gnomon: Gnomon, tmp_path: Path
) -> None:
    """Fitted on all documents, it has the recall of the probe's seen pairs, to the bit."""
    made = make_collection(n=600, q=80)
    folder = write_collection(made, tmp_path / "larger")
    args = [*corpus_args(folder), "--adapter", "procrustes", "--quiet", "--json"]
    seen = gnomon("probe", *args, "--fit-scope", "seen").json
    gnomon("fit", "--from", 1, "--out", "bridge", "--quiet")
    queries = gn.Bridge.load("bridge").to_index_space(made.new_queries)
    hits = gn.topk(queries, made.old_docs, 10).ids
    recalls = [
        len(set(found) & set(one)) / len(one)
        for found, one in zip(hits.tolist(), made.judged, strict=True)
    ]
    assert np.mean(recalls) == pytest.approx(seen["rankings"]["bridged"]["recall"], abs=1e-12)
    default = gnomon("probe", *args).json
    assert np.mean(recalls) >= default["rankings"]["bridged"]["recall"]


def test_the_fit_is_recorded(gnomon: Gnomon, recorded: Path) -> None:
    """Files, settings, the probe behind it, the adapter's hash and both fingerprints."""
    document = gnomon("fit", "--from", 1, "--out", "bridge", "--json", "--quiet").json
    record = audit.read_record(Path(".gnomon"), 2)
    assert record.action == "fit"
    assert record.inputs["probe"] == 1
    assert record.inputs["files"] == audit.read_record(Path(".gnomon"), 1).inputs["files"]
    assert record.outputs["adapter"] == document["adapter"]
    assert document["audit"] == {"seq": 2, "hash": record.hash}
    assert gn.Bridge.load("bridge").measured_fit_scope == "unseen"
    assert record.outputs["models"]["new"]["fingerprint"] == (
        gn.Bridge.load("bridge").query_profile.fingerprint
    )
    assert audit.verify(Path(".gnomon")).ok


@pytest.mark.parametrize("adapter", ADAPTER_NAMES)
def test_every_adapter_can_be_fitted_by_flags(
    gnomon: Gnomon, small_collection: Path, adapter: str
) -> None:
    """Without a probe, without queries."""
    parts = file_args(small_collection, queries=None, qrels=None, old_queries=None,
                      new_queries=None)  # fmt: skip
    args = ["fit", *parts, "--adapter", adapter, "--out", "bridge", "--quiet"]
    text = gnomon(*args).out
    assert adapter in text
    assert gn.Bridge.load("bridge").adapter.name == adapter
    assert gn.Bridge.load("bridge").measured_fit_scope is None
    assert audit.read_record(Path(".gnomon"), 1).inputs["probe"] is None


def test_pairs_and_seed_decide_the_fit(gnomon: Gnomon, small_collection: Path) -> None:
    """The same flags give the same weights, another seed draws other pairs."""
    args = ["fit", *corpus_args(small_collection), "--adapter", "procrustes", "--json", "--quiet"]
    found = [
        gnomon(*args, "--out", f"b{at}", "--pairs", 50, "--seed", seed).json["adapter"]
        for at, seed in enumerate([3, 3, 4])
    ]
    assert found[0] == found[1]
    assert found[0]["sha256"] != found[2]["sha256"]
    assert [one["n_pairs"] for one in found] == [50, 50, 50]


def test_a_part_of_the_corpus_fits_on_its_documents(gnomon: Gnomon, collection: Path) -> None:
    """With --new-ids only those documents are pairs."""
    np.save(collection / "part.npy", SMALL.new_docs[:70])
    (collection / "part.txt").write_text("\n".join(SMALL.doc_ids[:70]), encoding="utf-8")
    part = {"new_docs": collection / "part.npy", "new_ids": collection / "part.txt"}
    args = [*file_args(collection, **part), "--adapter", "procrustes", "--out", "bridge"]
    assert gnomon("fit", *args, "--json", "--quiet").json["adapter"]["n_pairs"] == 70


def test_another_adapter_than_the_chosen_one_may_be_asked_for(
    gnomon: Gnomon, recorded: Path
) -> None:
    """--adapter goes before the record."""
    args = ["fit", "--from", 1, "--adapter", "ridge", "--out", "bridge", "--json", "--quiet"]
    assert gnomon(*args).json["adapter"]["name"] == "ridge"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], ["--out"]),
        (["--out", "b"], ["--adapter", "--from"]),
        (["--out", "b", "--adapter", "procrustes"], ["--old-docs", "--corpus"]),
        (["--out", "b", "--adapter", "x", "--corpus", "c", "--old", "a", "--new", "b"], ["'x'"]),
        (["--out", "b", "--from", "0"], ["--from"]),
        (["--out", "b", "--from", "one"], ["--from", "one"]),
        (["--out", "b", "--from", "1", "--pairs", "1"], ["--pairs"]),
        (["--out", "b", "--from", "1", "--corpus", "x"], ["--corpus", "--from"]),
        (["--out", "b", "--from", "1", "--old-docs", "x.npy"], ["--old-docs", "--from"]),
        (["--out", "b", "--from", "1", "--seed", "1"], ["--seed", "--from"]),
        (["--out", "b", "--from", "1", "--threads", "0"], ["threads"]),
        (["--out", "b", "--from", "1", "--adapter", "x"], ["'x'", "procrustes"]),
        (["--out", "b", "--from", "1", "--input", "x"], ["--input", "NAME=PATH"]),
        (["--out", "b", "--input", "docs=x"], ["--input", "--from"]),
        (["--out", "b", "--from", "7"], ["no record 7"]),
        (["--out", "b", "--from", "1", "--k", "10"], ["--k"]),
    ],
    ids=" ".join,
)
def test_malformed_flags_are_usage_errors(
    gnomon: Gnomon, recorded: Path, flags: list[str], words: list[str]
) -> None:
    """Before any work; no record, no folder."""
    assert_refused(gnomon("fit", *flags, code=2), *words)
    assert not Path("b").exists()
    assert audit.verify(Path(".gnomon")).records == 1


def test_a_folder_that_holds_something_else_is_refused(gnomon: Gnomon, recorded: Path) -> None:
    """A bridge needs a folder of its own, and this is found before the fit."""
    Path("mine").mkdir()
    (Path("mine") / "notes.txt").write_text("mine", encoding="utf-8")
    outcome = gnomon("fit", "--from", 1, "--out", "mine", code=2)
    assert_refused(outcome, "mine", "notes.txt")
    assert [path.name for path in Path("mine").iterdir()] == ["notes.txt"]
    assert audit.verify(Path(".gnomon")).records == 1


@pytest.mark.parametrize(("place", "code"), [("file", 2), ("file/b", 3), ("gone/b", 3)])
def test_a_place_where_no_folder_can_be_is_refused(
    gnomon: Gnomon, recorded: Path, place: str, code: int
) -> None:
    """A regular file, below one, and below nothing."""
    Path("file").write_text("x", encoding="utf-8")
    outcome = gnomon("fit", "--from", 1, "--out", place, code=code)
    assert_refused(outcome, place.split("/", maxsplit=1)[0])
    assert audit.verify(Path(".gnomon")).records == 1


def test_an_older_bridge_is_replaced_as_a_whole(gnomon: Gnomon, recorded: Path) -> None:
    """The same folder again holds the new bridge and nothing of the old one."""
    gnomon("fit", "--from", 1, "--out", "bridge", "--quiet")
    gnomon("fit", "--from", 1, "--out", "bridge", "--adapter", "ridge", "--quiet")
    assert gn.Bridge.load("bridge").adapter.name == "ridge"
    assert len(list(Path("bridge").iterdir())) == 2


def test_files_that_changed_since_the_probe_are_refused(gnomon: Gnomon, recorded: Path) -> None:
    """The decision of the probe was about other vectors."""
    path = recorded / "emb" / "new.corpus.npy"
    values = np.load(path)
    values[5, 0] += 1
    np.save(path, values)
    outcome = gnomon("fit", "--from", 1, "--out", "bridge", "--quiet", code=3)
    assert_refused(outcome, "new_docs", "new.corpus.npy", "probe 1")
    assert not Path("bridge").exists()


def test_a_moved_file_is_supplied_by_input(gnomon: Gnomon, recorded: Path, tmp_path: Path) -> None:
    """As the message says."""
    moved = tmp_path / "moved.npy"
    (recorded / "emb" / "new.corpus.npy").rename(moved)
    outcome = gnomon("fit", "--from", 1, "--out", "bridge", "--quiet", code=3)
    assert_refused(outcome, "new.corpus.npy", "--input new_docs=PATH")
    gnomon("fit", "--from", 1, "--out", "bridge", "--quiet", "--input", f"new_docs={moved}")
    assert gn.Bridge.load("bridge").adapter.n_pairs == 120


def test_a_record_that_is_no_probe_is_refused(gnomon: Gnomon, recorded: Path) -> None:
    """A fit chose nothing."""
    gnomon("fit", "--from", 1, "--out", "bridge", "--quiet")
    outcome = gnomon("fit", "--from", 2, "--out", "other", code=3)
    assert_refused(outcome, "record 2 is a fit")


@pytest.mark.parametrize("row", [0, 63])
def test_a_row_that_is_not_finite_is_named(gnomon: Gnomon, collection: Path, row: int) -> None:
    """File and row, as in a probe; no bridge, no record."""
    path = collection / "emb" / "old.corpus.npy"
    values = np.load(path)
    values[row, 0] = np.nan
    np.save(path, values)
    args = ["fit", *corpus_args(collection), "--adapter", "procrustes", "--out", "bridge"]
    assert_refused(gnomon(*args, "--quiet", code=3), "old.corpus.npy", f"row {row} ")
    assert_nothing_left(Path(".gnomon"))
    assert not Path("bridge").exists()


def test_a_full_disk_at_the_record_saves_no_bridge(
    gnomon: Gnomon, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No bridge is served of which the trail knows nothing."""
    write = os.write

    def full(fd: int, data: bytes) -> int:
        if b'"action":"fit"' in data:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data)

    monkeypatch.setattr(os, "write", full)
    outcome = gnomon("fit", "--from", 1, "--out", "bridge", "--quiet", code=3)
    assert_refused(outcome, "disk is full")
    assert not Path("bridge").exists()
    assert audit.verify(Path(".gnomon")).records == 1


def test_a_full_disk_at_the_bridge_keeps_the_old_one(
    gnomon: Gnomon, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says that the record stands for a bridge that is not there."""
    gnomon("fit", "--from", 1, "--out", "bridge", "--quiet")
    fsync = os.fsync

    def full(fd: int) -> None:
        if ".gnomon-" in Path(f"/proc/self/fd/{fd}").readlink().name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", full)
    args = ["fit", "--from", 1, "--adapter", "ridge", "--out", "bridge", "--quiet"]
    assert_refused(gnomon(*args, code=3), "bridge", "record 3", "not saved")
    assert gn.Bridge.load("bridge").adapter.name == "procrustes"
    assert len(list(Path("bridge").iterdir())) == 2


def test_hostile_names_of_models_are_shown_escaped(gnomon: Gnomon, collection: Path) -> None:
    """They come from a file."""
    path = collection / "emb" / "new.json"
    path.write_text(json.dumps({"dim": 32, "model": "\x1b[2J\u202ex"}), encoding="utf-8")
    args = ["fit", *corpus_args(collection), "--adapter", "procrustes", "--out", "bridge"]
    outcome = gnomon(*args, "--quiet")
    assert r"\x1b[2J\u202ex" in outcome.out
    assert not set(outcome.out) & set("\x1b\u202e")
