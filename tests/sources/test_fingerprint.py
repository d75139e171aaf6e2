"""What is recorded of a file identifies it and names nobody."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.sources import FileFingerprint, fingerprint, recorded_path, without_credentials

DIGEST = "0f" * 32
HASHED = f"#sha256:{DIGEST}"


def recorded(path: Any, **options: Any) -> str:
    """Record a path of the user kim."""
    known: dict[str, Any] = {"relative_to": None, "home": "/home/kim", "users": {"kim"}}
    return recorded_path(path, sha256=DIGEST, **(known | options))


def test_size_rows_and_hash(tmp_path: Path) -> None:
    """The hash is that of the bytes on disk; the path starts at the given folder."""
    (tmp_path / "data").mkdir()
    content = bytes(range(256)) * 5000
    (tmp_path / "data" / "a.npy").write_bytes(content)
    assert fingerprint(tmp_path / "data" / "a.npy", rows=7, relative_to=tmp_path) == (
        FileFingerprint("data/a.npy", len(content), 7, hashlib.sha256(content).hexdigest())
    )


def test_relative_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that is relative to the current folder is recorded like the absolute one."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.npy").touch()
    monkeypatch.chdir(tmp_path / "sub")
    assert fingerprint("../a.npy", relative_to=tmp_path).uri == "a.npy"
    assert fingerprint("../a.npy", relative_to="..").uri == "a.npy"


def test_own_home_is_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file below the home folder is recorded with `~`, and no user name."""
    home = tmp_path / "kim"
    (home / "data").mkdir(parents=True)
    (home / "data" / "a.npy").touch()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LOGNAME", "kim")
    assert fingerprint(home / "data" / "a.npy").uri == "~/data/a.npy"


def test_account_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that no account has, as in containers, is no reason to fail."""
    (tmp_path / "a").touch()

    def nobody() -> str:
        raise KeyError

    monkeypatch.setattr("getpass.getuser", nobody)
    assert fingerprint(tmp_path / "a", relative_to=tmp_path).uri == "a"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/srv/data/q.npy", "/srv/data/q.npy"),
        ("/home/kim/q.npy", "~/q.npy"),
        ("/home/kim/kim/q.npy", "q.npy" + HASHED),
        ("/srv/kim/q.npy", "q.npy" + HASHED),
        ("/srv/KIM-data/q.npy", "q.npy" + HASHED),
        ("/srv/data_kim/q.npy", "q.npy" + HASHED),
        ("/srv/kimono/q.npy", "/srv/kimono/q.npy"),
        ("/srv/data/kim.npy", HASHED),
        ("/home/lee/q.npy", "q.npy" + HASHED),
        ("/Users/lee/q.npy", "q.npy" + HASHED),
        ("/mnt/backup/home/lee/q.npy", "q.npy" + HASHED),
        ("/home/kimberly/q.npy", "q.npy" + HASHED),
    ],
)
def test_user_names_are_left_out(path: str, expected: str) -> None:
    """The own name and other people's home folders never appear; other words do."""
    assert recorded(path) == expected


@pytest.mark.parametrize(
    ("path", "base", "expected"),
    [
        ("/home/kim/project/data/q.npy", "/home/kim/project", "data/q.npy"),
        ("/home/kim/project/kim/q.npy", "/home/kim/project", "q.npy" + HASHED),
        ("/home/kim/other/q.npy", "/home/kim/project", "~/other/q.npy"),
        ("/home/kim/project2/q.npy", "/home/kim/project", "~/project2/q.npy"),
        ("/home/lee/project/q.npy", "/home/lee/project", "q.npy"),
    ],
)
def test_project_comes_before_home(path: str, base: str, expected: str) -> None:
    """Below the project a path is relative to it; beside it, to the home folder."""
    assert recorded(path, relative_to=base) == expected


def test_home_that_is_the_root() -> None:
    """A home folder that is the root shortens nothing."""
    assert recorded("/srv/q.npy", home="/", users=set()) == "/srv/q.npy"


def test_links(tmp_path: Path) -> None:
    """A project that is reached through a link is the same project."""
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.npy").touch()
    (tmp_path / "link").symlink_to(real)
    for path in (real / "a.npy", tmp_path / "link" / "a.npy"):
        for base in (real, tmp_path / "link"):
            assert recorded(path, relative_to=base, users=set()) == "a.npy"
    outside = tmp_path / "outside.npy"
    outside.touch()
    (real / "alias.npy").symlink_to(outside)
    assert recorded(real / "alias.npy", relative_to=real) == "alias.npy"


def test_climbing_behind_a_link(tmp_path: Path) -> None:
    """`link/..` is the folder above the link's target, as the system sees it."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "x.npy").touch()
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    assert recorded(tmp_path / "link" / ".." / "x.npy", relative_to=tmp_path) == "a/x.npy"


parts = st.text(st.sampled_from("aKkiImM-_. é7"), min_size=1, max_size=6).filter(
    lambda part: part not in {".", ".."}
)


@given(
    st.lists(parts, min_size=1, max_size=5),
    st.sampled_from(["/home/kim", "/srv", "/home/lee", "/data/kim"]),
    st.sampled_from([None, "/srv", "/home/kim/kim"]),
)
def test_the_name_never_appears(names: list[str], base: str, relative_to: str | None) -> None:
    """Whatever a path is made of, the user's name is no word of what is recorded."""
    shown = recorded("/".join([base, *names]), relative_to=relative_to)
    assert not re.search(r"(?<![^\W_])kim(?![^\W_])", shown, re.IGNORECASE)
    assert "/home/" not in shown


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("postgresql://kim:pw@host:5432/db?password=x#y", "postgresql://host:5432/db"),
        ("qdrant://key@host/collection", "qdrant://host/collection"),
        ("https://a:b@c@host/x", "https://host/x"),
        ("http://host", "http://host"),
        ("faiss:index.bin", "faiss:index.bin"),
    ],
)
def test_credentials_are_left_out(uri: str, expected: str) -> None:
    """Users, passwords, query strings and fragments of a URI are not recorded."""
    assert without_credentials(uri) == expected


def test_no_file(tmp_path: Path) -> None:
    """A missing file and a folder are refused."""
    with pytest.raises(MissingInputError):
        fingerprint(tmp_path / "none")
    with pytest.raises(InvalidInputError, match="is a folder"):
        fingerprint(tmp_path)


def test_file_that_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes its size while it is hashed gives no fingerprint."""
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    digest = hashlib.file_digest

    def growing(file: Any, name: str) -> Any:
        result = digest(file, name)
        with path.open("ab") as other:
            other.write(b"y")
        return result

    monkeypatch.setattr(hashlib, "file_digest", growing)
    with pytest.raises(InvalidInputError, match="changed while it was read"):
        fingerprint(path)
