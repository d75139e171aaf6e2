"""Only regular files are opened, and errors say what was found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon.errors import InvalidInputError, MissingDependencyError, MissingInputError
from gnomon.sources.files import (
    described,
    open_regular,
    optional_module,
    plain_relative,
    read_bounded,
    suffix_of,
)


def test_missing_file_is_named(tmp_path: Path) -> None:
    """A file that is not there is a MissingInputError, also below a regular file."""
    (tmp_path / "file").write_text("x")
    for missing in ("none.npy", "file/none.npy"):
        with pytest.raises(MissingInputError, match=r"none\.npy: no such file"):
            open_regular(tmp_path / missing)


def test_folders_pipes_and_devices_are_refused(tmp_path: Path) -> None:
    """Reading never waits for a pipe and never ends in a device."""
    os.mkfifo(tmp_path / "pipe")
    for path, found in (
        (tmp_path, "a folder"),
        (tmp_path / "pipe", "a pipe"),
        (Path("/dev/zero"), "a device"),
    ):
        with pytest.raises(InvalidInputError, match=found):
            open_regular(path)


def test_nul_in_a_path_is_refused() -> None:
    """A path that no file can have is bad input, shown escaped."""
    with pytest.raises(InvalidInputError, match=r"a\\x00b: cannot be opened"):
        open_regular("a\x00b")


def test_read_bounded(tmp_path: Path) -> None:
    """A small file may fill its limit and not exceed it."""
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bounded(tmp_path / "a", limit=5) == b"12345"
    with pytest.raises(InvalidInputError, match="more than 4 bytes"):
        read_bounded(tmp_path / "a", limit=4)


@pytest.mark.parametrize("name", ["a.npy", "emb/a.npy", "x..y", "ünïcode", "a b"])
def test_plain_names(name: str) -> None:
    """Ordinary relative names become paths."""
    assert plain_relative(name, where="f") == Path(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../a",
        "a/../b",
        "/etc/passwd",
        "a//b",
        "a/",
        "./a",
        "a\\b",
        "C:a",
        "c:/a",
        "a\x00",
        "a\nb",
        "\u202ea",
    ],
)
def test_names_that_lead_elsewhere(name: str) -> None:
    """Names that are absolute, climb, or hide what they are do not become paths."""
    with pytest.raises(InvalidInputError, match="expected a plain relative name"):
        plain_relative(name, where="f")


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"", "empty"),
        (b"\x93NUMPY\x01\x00", "a NumPy .npy file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x80\x04\x95", "pickle"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"\x1f\x8b\x08", "gzip data"),
        (b"0.1,0.2\n", "text beginning '0.1,0.2\\n'"),
        (b"\x00\x01\xff", "bytes 00 01 ff"),
    ],
)
def test_content_is_described(head: bytes, found: str) -> None:
    """What a wrong file is, is told by its first bytes."""
    assert found in described(head)


def test_suffix() -> None:
    """The format is told by the ending under a final .gz, in either case."""
    assert suffix_of("a/B.JSONL.gz") == ".jsonl"
    assert suffix_of("qrels.tsv") == ".tsv"
    assert suffix_of("noending") == ""


def test_missing_package_names_the_extra() -> None:
    """An optional package that is not installed is asked for by the extra that brings it."""
    with pytest.raises(MissingDependencyError, match=r"pip install 'gnomon\[parquet\]'"):
        optional_module("no_such_package_here.sub", extra="parquet", where="docs.parquet")
