"""From files to inputs: what is joined, counted and hashed, and what is never waited for."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gnomon.errors import InvalidInputError, MissingInputError, UsageError
from gnomon.probe import hashing
from gnomon.probe.files import ProbeFiles, collection_files
from gnomon.probe.gather import gather
from tests.probe.collections import make_collection, write_collection

MADE = make_collection(n=50, q=8)


@pytest.fixture
def files(tmp_path: Path) -> ProbeFiles:
    """Return the files of a written collection."""
    return collection_files(write_collection(MADE, tmp_path / "c"), "old", "new")


def test_everything_is_read_as_written(files: ProbeFiles) -> None:
    """Vectors mapped, judgements as rows, text noticed."""
    inputs = gather(files).inputs
    assert isinstance(inputs.old_docs, np.memmap)
    assert np.array_equal(inputs.old_docs, MADE.old_docs)
    assert np.array_equal(inputs.new_docs, MADE.new_docs)
    assert inputs.log is not None
    assert list(inputs.log.ids) == MADE.query_ids
    relevance = inputs.log.relevance
    assert relevance is not None
    found = [
        dict(
            zip(relevance.rows[low:high].tolist(), relevance.gains[low:high].tolist(), strict=True)
        )
        for low, high in zip(relevance.offsets, relevance.offsets[1:], strict=False)
    ]
    assert found == MADE.judged
    assert inputs.has_text
    assert inputs.skipped["unjudged_queries"] == 0


def test_every_file_is_fingerprinted_with_its_rows(files: ProbeFiles) -> None:
    """The hash is that of the bytes; rows are those that were found."""
    fingerprints = gather(files).fingerprints
    assert set(fingerprints) == dict(files.roles()).keys()
    for role, path in files.roles():
        content = path.read_bytes()
        assert fingerprints[role].sha256 == hashlib.sha256(content).hexdigest()
        assert fingerprints[role].size == len(content)
    rows = {role: one.rows for role, one in fingerprints.items()}
    assert rows == {
        "old_docs": 50, "new_docs": 50, "old_queries": 8, "new_queries": 8, "docs": 50,
        "queries": 8, "qrels": 24,
    }  # fmt: skip


def test_a_description_has_no_rows(files: ProbeFiles, tmp_path: Path) -> None:
    """It is recorded by hash all the same."""
    path = tmp_path / "new.json"
    path.write_text('{"dim": 32, "model": "m", "query_prefix": "q: "}', encoding="utf-8-sig")
    gathered = gather(replace(files, new_profile=path))
    assert gathered.fingerprints["new_profile"].rows is None
    assert gathered.inputs.new_profile.query_prefix == "q: "


def test_a_refusal_does_not_wait_for_the_hashes(
    files: ProbeFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashing terabytes must not stand between a broken line and its message."""
    released = threading.Event()

    def slow(path: Path) -> None:
        released.wait(30)

    monkeypatch.setattr(hashing, "fingerprint", slow)
    assert files.qrels is not None
    files.qrels.write_text("broken", encoding="utf-8")
    started = time.monotonic()
    with pytest.raises(InvalidInputError):
        gather(files)
    assert time.monotonic() - started < 20
    released.set()


def test_an_error_of_hashing_is_raised_where_the_result_is_asked_for(tmp_path: Path) -> None:
    """Not lost in its thread."""
    with pytest.raises(MissingInputError, match="gone"):
        hashing.Fingerprints([("docs", tmp_path / "gone")]).result()


def test_a_part_is_brought_to_corpus_order(files: ProbeFiles, tmp_path: Path) -> None:
    """Rows ascend, and each remembers its row in the file."""
    order = np.array([40, 3, 17])
    np.save(tmp_path / "part.npy", MADE.new_docs[order])
    (tmp_path / "part.txt").write_text("d40\nd3\nd17\n", encoding="utf-8")
    part = replace(files, new_docs=tmp_path / "part.npy", new_ids=tmp_path / "part.txt")
    inputs = gather(part).inputs
    assert inputs.new_rows is not None
    assert inputs.new_rows.tolist() == [3, 17, 40]
    assert np.array_equal(inputs.new_docs, MADE.new_docs[[3, 17, 40]])
    assert inputs.file_rows["new documents"].tolist() == [1, 2, 0]
    assert np.array_equal(inputs.new_vectors(np.array([17])), MADE.new_docs[[17]])


def test_a_part_in_order_is_not_copied(files: ProbeFiles, tmp_path: Path) -> None:
    """It stays a memory map."""
    np.save(tmp_path / "part.npy", MADE.new_docs[:3])
    (tmp_path / "part.txt").write_text("d0\nd1\nd2\n", encoding="utf-8")
    part = replace(files, new_docs=tmp_path / "part.npy", new_ids=tmp_path / "part.txt")
    inputs = gather(part).inputs
    assert isinstance(inputs.new_docs, np.memmap)
    assert inputs.file_rows == {}


def test_ids_inside_either_vector_file_serve(files: ProbeFiles, tmp_path: Path) -> None:
    """Judgements can be joined when only the new vectors bring ids."""
    np.savez(tmp_path / "d.npz", v=MADE.new_docs, ids=np.array(MADE.doc_ids))
    np.savez(tmp_path / "q.npz", v=MADE.new_queries, ids=np.array(MADE.query_ids))
    bare = replace(
        files, docs=None, queries=None, new_docs=tmp_path / "d.npz", new_queries=tmp_path / "q.npz"
    )
    inputs = gather(bare).inputs
    assert inputs.log is not None
    assert inputs.log.relevance is not None
    assert list(inputs.log.ids) == MADE.query_ids
    assert not inputs.has_text


@pytest.mark.parametrize(("lacking", "flag"), [("docs", "--docs"), ("queries", "--queries")])
def test_judgements_without_ids_are_refused(files: ProbeFiles, lacking: str, flag: str) -> None:
    """And the flag that brings them is named."""
    with pytest.raises(InvalidInputError, match=flag):
        gather(replace(files, **{lacking: None}))


def test_without_judgements_every_query_counts(files: ProbeFiles) -> None:
    """A query log alone gives tier T1u; ids may be missing then."""
    inputs = gather(replace(files, qrels=None, queries=None, docs=None)).inputs
    assert inputs.log is not None
    assert inputs.log.relevance is None
    assert list(inputs.log.ids) == [str(row) for row in range(8)]


def test_without_query_vectors_there_is_no_log(files: ProbeFiles) -> None:
    """Tier T0 is what can be measured."""
    bare = replace(files, qrels=None, old_queries=None, new_queries=None)
    assert gather(bare).inputs.log is None


def test_options_survive_a_record(files: ProbeFiles) -> None:
    """What is not a file is written down and read back."""
    paths = dict(files.roles())
    assert ProbeFiles.from_record(paths, files.options()) == files


@pytest.mark.parametrize("options", [{"old_docs": "/etc/passwd"}, {"odd": "x"}, {"key": 7}])
def test_options_of_a_record_name_no_files(files: ProbeFiles, options: dict[str, str]) -> None:
    """Paths go through the checks of the replay, never around them."""
    with pytest.raises(UsageError, match="no option"):
        ProbeFiles.from_record(dict(files.roles()), {**files.options(), **options})
