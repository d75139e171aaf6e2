"""Corpora larger than the memory that a process may use."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MEGABYTE = 2**20
LIMIT = 80 * MEGABYTE
ROWS, DIM = 4 * LIMIT // (4 * 256), 256
SEARCHES = """
import os, resource, sys
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
from gnomon import kernels

folder, rows, dim, limit = sys.argv[1], *map(int, sys.argv[2:5])
if limit:
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
docs = np.memmap(f"{folder}/rows", np.float32, "r", shape=(rows, dim))
index = kernels.VectorIndex.open(f"{folder}/index")
for q in (1, 32):
    query = np.repeat(docs[-1:], q, axis=0)
    for found in (kernels.topk(query, docs, 2, threads=2), index.search(query, 2, threads=2)):
        assert found.ids.tolist() == [[rows - 1, 0]] * q, found
print("searched")
if limit:
    try:
        np.ones(rows * dim, np.float32)
    except MemoryError:
        print("no memory for a copy")
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the rows, nearly all of them zero, and their index."""
    folder: Path = tmp_path_factory.mktemp("corpus")
    docs = np.memmap(folder / "rows", np.float32, "w+", shape=(ROWS, DIM))
    docs[-1] = np.arange(1, DIM + 1)
    docs.flush()
    kernels.VectorIndex(docs).save(folder / "index")
    return folder


def run(command: Sequence[str | Path], folder: Path, limit: int) -> list[str]:
    """Run the searches and return the lines that they print."""
    code = textwrap.dedent(SEARCHES)
    numbers = [str(number) for number in (ROWS, DIM, limit)]
    done = subprocess.run(
        [*command, sys.executable, "-c", code, folder, *numbers],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(
    sys.platform != "linux", reason="RLIMIT_DATA holds for all memory on Linux only"
)
def test_a_corpus_of_four_times_the_memory_that_may_be_written(corpus: Path) -> None:
    """Searching mapped rows or a mapped index takes less writable memory than a quarter of them."""
    assert run([], corpus, LIMIT) == ["searched", "no memory for a copy"]


@pytest.fixture
def limited() -> Iterator[list[str]]:
    """Return the start of a command that limits all memory, page cache included; [] for none."""
    command = ["systemd-run", "--quiet", "--scope", "-p", f"MemoryMax={LIMIT}"]
    command += ["-p", "MemorySwapMax=0"]
    scopes = ([command[0], *scope, *command[1:]] for scope in ([], ["--user"]))
    group = Path(f"/sys/fs/cgroup/memory/gnomon-test-{os.getpid()}")
    for whole in scopes:
        if shutil.which(whole[0]) and succeeds([*whole, "true"]):
            yield whole
            return
    try:
        group.mkdir()  # the first version of control groups, as root
    except OSError:
        yield []
        return
    try:
        (group / "memory.limit_in_bytes").write_text(str(LIMIT))
        yield ["sh", "-c", f'echo $$ > {group}/tasks && exec "$@"', "sh"]
    finally:
        group.rmdir()


def succeeds(command: Sequence[str]) -> bool:
    """Return whether a command ends well; what it prints is dropped."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def forget_pages(folder: Path) -> None:
    """Drop the page cache of the corpus, which is charged to whoever reads it first."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are of Linux")
def test_a_corpus_of_four_times_a_control_group(corpus: Path, limited: list[str]) -> None:
    """With page cache and all else held to a quarter of the corpus, searches still complete."""
    if not limited:
        pytest.skip("neither systemd-run nor /sys/fs/cgroup/memory can limit memory here")
    forget_pages(corpus)
    assert run(limited, corpus, 0) == ["searched"]
