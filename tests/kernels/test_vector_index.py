"""The prepared index: what it holds, what it keeps alive, and its life as a file."""

from __future__ import annotations

import gc
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.hostile_data import BUILDERS, DTYPES, gaussian, typed
from tests.kernels.routes import assert_same, rows_of
from tests.reference import cosine as reference

from gnomon import kernels
from gnomon.errors import GnomonError, MissingInputError

VectorIndex = kernels.VectorIndex


def documents(rows: int = 300, dim: int = 33, seed: int = 0) -> np.ndarray:
    """Return ordinary rows."""
    return gaussian(np.random.default_rng(seed), rows, dim)


def test_size_and_width(tmp_path: Path) -> None:
    """An index knows how many rows and dimensions it has, also after it was saved and opened."""
    docs = documents()
    docs[[3, 7]] = 0
    index = VectorIndex(docs)
    index.save(tmp_path / "index")
    for each in (index, VectorIndex.open(tmp_path / "index")):
        assert len(each) == 300
        assert each.dim == 33
        assert each.n_zero_rows == 2


def test_the_index_keeps_its_documents_alive() -> None:
    """The caller may forget the array; the index has it until it is gone itself."""
    index = VectorIndex(documents().copy())
    gc.collect()
    np.zeros((300, 33), np.float32).fill(7)
    docs = documents()
    assert_same(rows_of(index.search(docs[:9], 5)), reference.top_k(docs[:9], docs, 5))


def test_documents_are_not_copied() -> None:
    """An index of a large array adds codes, about a quarter of its bytes, and no second copy."""
    code = """
    import numpy as np, resource
    from gnomon import kernels
    docs = np.random.default_rng(0).standard_normal((60_000, 512), dtype=np.float32)
    kernels.VectorIndex(docs[:100], threads=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    index = kernels.VectorIndex(docs, threads=2)
    index.search(docs[:20], 5, threads=2)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(grown * 1024 / docs.nbytes)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert float(done.stdout) < 0.6


@pytest.mark.parametrize("dtype", DTYPES)
def test_saved_indexes_answer_like_their_arrays(dtype: str, isa: str, tmp_path: Path) -> None:
    """Saving and opening changes no bit of any answer, whatever the dtype of the documents."""
    rng = np.random.default_rng(1)
    docs, queries = typed(rng, 500, 40, dtype), typed(rng, 11, 40, dtype)
    VectorIndex(docs).save(tmp_path / "index")
    opened = VectorIndex.open(tmp_path / "index")
    expected = reference.top_k(queries, docs, 17)
    for threads in (1, 2, 7):
        assert_same(rows_of(opened.search(queries, 17, threads=threads)), expected, threads)
    opened.verify()
    assert_same(rows_of(opened.search(queries[:1], 17)), expected[:1])


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (15, 3), (16, 64), (17, 1000)])
def test_small_and_empty_indexes_are_saved(shape: tuple[int, int], tmp_path: Path) -> None:
    """An index of no rows, of one number, of one row more than a tile: all are files."""
    docs = documents(*shape)
    VectorIndex(docs).save(tmp_path / "index")
    opened = VectorIndex.open(tmp_path / "index")
    opened.verify()
    assert (len(opened), opened.dim) == shape
    queries = documents(3, shape[1], seed=1)
    assert_same(rows_of(opened.search(queries, 20)), reference.top_k(queries, docs, 20))


def test_identical_input_gives_identical_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file depends on the values alone: not on instruction set, threads, layout or the day."""
    docs = BUILDERS["dominant_coordinates"](np.random.default_rng(2), 1, 1000, 48)[1]
    VectorIndex(docs).save(tmp_path / "first")
    wanted = (tmp_path / "first").read_bytes()
    for isa in kernels.runnable_isas():
        monkeypatch.setenv("GNOMON_ISA", isa)
        for threads in (1, 2, 7):
            for values in (docs, np.asfortranarray(docs), docs[::-1].copy()[::-1]):
                VectorIndex(values, threads=threads).save(tmp_path / "again")
                assert (tmp_path / "again").read_bytes() == wanted, (isa, threads)
    VectorIndex.open(tmp_path / "first").save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == wanted


def test_saving_replaces_a_file_as_a_whole(tmp_path: Path) -> None:
    """Saving over a file that is open elsewhere leaves the open index its old content."""
    file = tmp_path / "index"
    first, second = documents(seed=1), documents(seed=2)
    VectorIndex(first).save(file)
    opened = VectorIndex.open(file)
    VectorIndex(second).save(file)
    assert_same(rows_of(opened.search(first[:2], 3)), reference.top_k(first[:2], first, 3))
    again = VectorIndex.open(file)
    assert_same(rows_of(again.search(first[:2], 3)), reference.top_k(first[:2], second, 3))
    again.save(file)
    assert_same(rows_of(again.search(first[:2], 3)), reference.top_k(first[:2], second, 3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index"]


def test_a_saved_file_and_its_name_reach_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes are synced before the file gets its name, and the folder after that."""
    steps = []
    sync, replace = os.fsync, Path.replace

    def recorded_sync(descriptor: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def recorded_replace(source: Path, target: Path) -> Path:
        steps.append("name")
        return replace(source, target)

    monkeypatch.setattr(os, "fsync", recorded_sync)
    monkeypatch.setattr(Path, "replace", recorded_replace)
    VectorIndex(documents()).save(tmp_path / "index")
    assert steps == ["file", "name", "folder"]


def test_a_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    """When the disk refuses the new bytes the old file stays as it was and nothing else is left."""
    file = tmp_path / "index"
    VectorIndex(documents(50)).save(file)
    before = file.read_bytes()
    code = """
    import resource, signal, sys, numpy as np
    from gnomon import kernels
    from gnomon.errors import GnomonError
    index = kernels.VectorIndex(np.ones((5000, 64), np.float32))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    try:
        index.save(sys.argv[1])
    except OSError as error:
        print(isinstance(error, GnomonError), sys.argv[1] in str(error))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["True", "True"]
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index"]


def test_an_interrupted_save_leaves_nothing_behind(tmp_path: Path) -> None:
    """Ctrl-C during a save raises KeyboardInterrupt, keeps the old file and leaves no other."""
    code = """
    import sys, numpy as np
    from gnomon import kernels
    index = kernels.VectorIndex(np.ones((300_000, 128), np.float32))
    print("ready", flush=True)
    try:
        while True:
            index.save(sys.argv[1])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """
    VectorIndex(documents(50)).save(tmp_path / "index")
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "index")],
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline().strip() == "ready"
            time.sleep(0.4)
            child.send_signal(signal.SIGINT)
            printed, _ = child.communicate(timeout=30)
        finally:
            child.kill()
    assert printed.strip() == "interrupted"
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    VectorIndex.open(tmp_path / "index").verify()


def test_saving_to_impossible_places(tmp_path: Path) -> None:
    """A missing folder, a folder, a path below a file: each is an error that names the path."""
    index = VectorIndex(documents(20))
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    for place in ("missing/index", "file/index", "folder"):
        with pytest.raises(OSError, match=place) as caught:
            index.save(tmp_path / place)
        assert isinstance(caught.value, GnomonError)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]


def test_opening_what_is_not_there(tmp_path: Path) -> None:
    """A path without a file, and a link that leads nowhere, are missing inputs by name."""
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("absent", "dangling", "absent/below"):
        with pytest.raises(MissingInputError, match=name):
            VectorIndex.open(tmp_path / name)


def test_opening_what_is_no_regular_file(tmp_path: Path) -> None:
    """A folder, a pipe and a device are refused at once; nothing waits or reads without end."""
    os.mkfifo(tmp_path / "pipe")
    code = """
    import sys
    from gnomon import kernels
    from gnomon.errors import GnomonError
    try:
        kernels.VectorIndex.open(sys.argv[1])
    except GnomonError as error:
        print(sys.argv[1] in str(error))
    """
    for place in (tmp_path, tmp_path / "pipe", "/dev/zero", "/dev/null"):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), str(place)],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        assert done.stdout.strip() == "True", place


def test_links_and_read_only_files_are_opened(tmp_path: Path) -> None:
    """A link to an index is that index; a file without write permission is enough."""
    docs = documents(50)
    VectorIndex(docs).save(tmp_path / "index")
    (tmp_path / "index").chmod(stat.S_IRUSR)
    (tmp_path / "link").symlink_to("index")
    for name in ("index", "link"):
        opened = VectorIndex.open(str(tmp_path / name))
        opened.verify()
        assert_same(rows_of(opened.search(docs[:2], 3)), reference.top_k(docs[:2], docs, 3))


def test_an_open_index_outlives_its_file(tmp_path: Path) -> None:
    """Deleting the file does not disturb an index that is open."""
    docs = documents(2000)
    VectorIndex(docs).save(tmp_path / "index")
    opened = VectorIndex.open(tmp_path / "index")
    (tmp_path / "index").unlink()
    assert_same(rows_of(opened.search(docs[:2], 3)), reference.top_k(docs[:2], docs, 3))


@pytest.mark.parametrize("searched_before", [False, True])
def test_a_file_cut_short_while_open_ends_no_process(searched_before: bool, tmp_path: Path) -> None:
    """A search over an open index whose file has lost its end is an error, not a SIGBUS."""
    VectorIndex(documents(20_000, 64)).save(tmp_path / "index")
    code = """
    import os, sys, numpy as np
    from gnomon import kernels
    from gnomon.errors import IndexFileError
    index = kernels.VectorIndex.open(sys.argv[1])
    query = np.ones((9, 64), np.float32)
    if sys.argv[2] == "True":
        index.search(query, 3)
    os.truncate(sys.argv[1], 100_000)
    asks = {
        "codes": lambda: index.search(query, 3),
        "few rows": lambda: index.search(query[0], 3, subset=[19_999]),
        "verify": index.verify,
        "save": lambda: index.save(sys.argv[1] + "2"),
    }
    for name, ask in asks.items():
        try:
            ask()
        except IndexFileError as error:
            assert "100000 of" in str(error), error
            print(name)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), tmp_path / "index", str(searched_before)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["codes", "few rows", "verify", "save"]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.parametrize("dim", [64, 65, 384, 1000, 1024, 3072])
@pytest.mark.parametrize("rows", [1000, 100_001])
def test_an_index_adds_little_to_its_documents(rows: int, dim: int) -> None:
    """Beside the documents: at most 1.3 x (d rounded up to 64) + 16 bytes a row, file included."""
    docs = np.broadcast_to(documents(1, dim), (rows, dim))
    index = VectorIndex(docs)
    assert index.nbytes >= rows * dim
    assert index.nbytes <= rows * (1.3 * (-(-dim // 64) * 64) + 16)


def test_a_file_is_no_larger_than_its_parts(tmp_path: Path) -> None:
    """A saved index is the documents, what the index adds to them, and 1% of checksums and gaps."""
    docs = documents(10_000, 100)
    index = VectorIndex(docs)
    index.save(tmp_path / "index")
    size = (tmp_path / "index").stat().st_size
    assert index.nbytes + docs.nbytes <= size <= 1.01 * (index.nbytes + docs.nbytes)
    assert VectorIndex.open(tmp_path / "index").nbytes == index.nbytes


def test_many_threads_touch_a_fresh_file_at_once(tmp_path: Path) -> None:
    """First touches of the same blocks from eight callers are checked and answered right."""
    docs = documents(20_000, 24)
    VectorIndex(docs).save(tmp_path / "index")
    expected = reference.top_k(docs[:12], docs, 9)
    for _ in range(3):
        opened = VectorIndex.open(tmp_path / "index")
        start = threading.Barrier(8)

        def search(turn: int, index: kernels.VectorIndex = opened) -> object:
            start.wait()  # noqa: B023  (the pool ends before the barrier is replaced)
            return index.search(docs[:12], 9, threads=1 + turn % 3)

        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(search, range(8)):
                assert_same(rows_of(found), expected)


def test_an_index_has_no_surprising_attributes() -> None:
    """A misspelt attribute is an error, not a silent setting."""
    index = VectorIndex(documents(20))
    with pytest.raises(AttributeError):
        index.treads = 4
    with pytest.raises(AttributeError):
        index.dim = 4
