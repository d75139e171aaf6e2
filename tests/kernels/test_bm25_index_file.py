"""BM25Index: the file, and the same bits on every instruction set."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.kernels.bm25_documents import (
    saved_bytes,
    zipf_documents,
)

import gnomon
from gnomon import Analyzer, BM25Index
from gnomon.errors import (
    IndexFileError,
    MissingInputError,
    StateError,
)


class TestFile:
    """Saving, opening, damage."""

    def test_opened_index_answers_alike(self, tmp_path: Path) -> None:
        """An opened index has the same hits, settings and analyzer, and saves the same bytes."""
        texts = [" ".join(doc) for doc in zipf_documents(9000, 13)]
        index = BM25Index(texts, analyzer=Analyzer(stopwords=["w5"]), variant="bm25l", k1=1.5)
        expected = saved_bytes(index, tmp_path / "a")
        opened = BM25Index.open(tmp_path / "a")
        opened.verify()
        assert opened.analyzer == index.analyzer
        assert (opened.settings, opened.fingerprint) == (index.settings, index.fingerprint)
        assert (len(opened), opened.vocabulary_size) == (len(index), index.vocabulary_size)
        queries = ["w1 w2 w300", "w5 w7", "w0"]
        for one, two in zip(index.search(queries, 9), opened.search(queries, 9), strict=True):
            assert one.ids.tolist() == two.ids.tolist()
            assert one.scores.tolist() == two.scores.tolist()
        assert saved_bytes(opened, tmp_path / "b") == expected

    def test_index_of_nothing_is_saved(self, tmp_path: Path) -> None:
        """An index without documents, or without terms, can be saved and opened."""
        for texts in ([], ["", ""]):
            BM25Index(texts).save(tmp_path)
            opened = BM25Index.open(tmp_path)
            opened.verify()
            assert len(opened) == len(texts)
            assert opened.search("x", k=1).ids.tolist() == []

    def test_every_cut_is_refused(self, tmp_path: Path) -> None:
        """A file that lost its end is refused when it is opened."""
        data = saved_bytes(BM25Index(tokens=zipf_documents(200, 14)), tmp_path)
        for size in (0, 1, 4095, 4096, 5000, len(data) // 2, len(data) - 1):
            (tmp_path / "index.bm25").write_bytes(data[:size])
            with pytest.raises(IndexFileError):
                BM25Index.open(tmp_path)
        (tmp_path / "index.bm25").write_bytes(data + b"\0")
        with pytest.raises(IndexFileError, match="cut short or written over"):
            BM25Index.open(tmp_path)

    def test_every_flipped_byte_is_found(self, tmp_path: Path) -> None:
        """A changed byte is found at open, when it is read, or by verify; nothing crashes."""
        data = saved_bytes(BM25Index(tokens=zipf_documents(300, 15)), tmp_path)
        for at in [*range(0, 200, 3), *range(200, len(data), 257)]:
            flipped = bytearray(data)
            flipped[at] ^= 0x40
            (tmp_path / "index.bm25").write_bytes(flipped)
            with pytest.raises(IndexFileError):
                BM25Index.open(tmp_path).verify()
            try:
                BM25Index.open(tmp_path).search(tokens=[["w0", "w7", "w30"]], k=5)
            except IndexFileError:
                continue

    def test_kind_and_version_are_told(self, tmp_path: Path) -> None:
        """Another kind of file and another version are refused by what they are."""
        data = bytearray(saved_bytes(BM25Index(["x"]), tmp_path))
        changes = (
            (0, b"VECT", "is no BM25 index"),
            (8, b"\x09\0\0\0", "version 9"),
            (12, b"\1\2\3\4", "other byte order"),
        )
        for at, new, match in changes:
            changed = bytearray(data)
            changed[at : at + 4] = new
            (tmp_path / "index.bm25").write_bytes(changed)
            with pytest.raises(IndexFileError, match=match):
                BM25Index.open(tmp_path)

    def test_missing_and_unwritable(self, tmp_path: Path) -> None:
        """No index, and no place for one, are told by path."""
        with pytest.raises(MissingInputError, match="nowhere"):
            BM25Index.open(tmp_path / "nowhere")
        (tmp_path / "file").write_text("x")
        with pytest.raises(StateError, match="file"):
            BM25Index(["x"]).save(tmp_path / "file")
        with pytest.raises(MissingInputError):
            BM25Index.open(tmp_path / "file")

    def test_saving_replaces_the_whole_file(self, tmp_path: Path) -> None:
        """A second save leaves one file, the new one; an index that is open keeps the old one."""
        BM25Index(["x"]).save(tmp_path)
        old = BM25Index.open(tmp_path)
        BM25Index(["y", "z"]).save(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["index.bm25"]
        assert len(BM25Index.open(tmp_path)) == 2
        assert old.search("x", k=1).ids.tolist() == [0]


def test_same_bits_on_every_instruction_set(tmp_path: Path) -> None:
    """File and hits have the same bytes under every runnable instruction set."""
    code = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]);"
        "from pathlib import Path; from tests.kernels.bm25_documents import *;"
        "i = BM25Index(tokens=zipf_documents(20000, 21), variant='bm25+');"
        "q = [[f'w{a}', f'w{3 * a}', 'w0'] for a in range(80)];"
        "print(hashlib.sha256(saved_bytes(i, Path(sys.argv[2])) + answers(i, q, 30, PRUNED)"
        " + answers(i, q, 30, EXHAUSTIVE)).hexdigest())"
    )
    root = Path(__file__).parents[2]
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, str(root), str(tmp_path)],
            env={"GNOMON_ISA": name, "PATH": "/usr/bin"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in gnomon.kernels.runnable_isas()
    }
    assert len(digests) == 1
