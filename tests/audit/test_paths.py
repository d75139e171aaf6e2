"""Paths in records: enough for a replay, nothing about the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon import audit
from gnomon.errors import InvalidInputError, MissingInputError


def recorded(path: str, state_dir: str = "/srv/app/.gnomon") -> str:
    """Return the recorded form for a user ``mira`` with a home directory."""
    return audit.shorten(path, state_dir, home="/home/mira", users=["mira"])


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/srv/app/emb/a.npy", "emb/a.npy"),
        ("/srv/app", "."),
        ("/srv/app/emb/../b.npy", "b.npy"),
        ("/srv/application/a.npy", "/srv/application/a.npy"),
        ("/home/mira/data/a.npy", "~/data/a.npy"),
        ("/home/mira", "~"),
        ("/data/a.npy", "/data/a.npy"),
        ("/data/admiral.npy", "/data/admiral.npy"),
    ],
)
def test_paths_are_shortened(path: str, form: str) -> None:
    """Below the state directory's parent relative, below home with a tilde, else absolute."""
    if path == "/data/admiral.npy":
        assert audit.shorten(path, "/s/.gnomon", home="/home/al", users=["al"]) == form
    else:
        assert recorded(path) == form


@pytest.mark.parametrize(
    "path",
    [
        "/mnt/mira/a.npy",
        "/mnt/MIRA/a.npy",
        "/mnt/mira-backup/a.npy",
        "/mnt/oldmira2/a.npy",
        "/home/mira/of_mira/a.npy",
        "/srv/app/mira/a.npy",
    ],
)
def test_a_path_with_the_users_name_is_withheld(path: str) -> None:
    """File name and hash stay; the hash differs between directories and hides the name."""
    form = recorded(path)
    assert form.startswith("a.npy#")
    assert audit.is_withheld(form)
    assert "mira" not in form.casefold()
    assert form != recorded("/mnt/mira/other/a.npy")


def test_a_file_name_with_the_users_name_is_withheld_too(tmp_path: Path) -> None:
    """Only the suffix stays."""
    form = recorded("/data/mira_corpus.npy")
    assert form.startswith("file.npy#")
    assert recorded("/data/a.mira").startswith("file#")


def test_the_hash_does_not_give_the_name_away() -> None:
    """The same place under another user's name has the same hash: trying names finds nothing."""
    other = audit.shorten("/mnt/otto/a.npy", "/s/.gnomon", home="/home/otto", users=["otto"])
    assert recorded("/mnt/mira/a.npy") == other


def test_an_undecodable_name_is_withheld() -> None:
    """A name that is no Unicode text cannot stand in JSON."""
    form = recorded("/data/\udcff.npy")
    assert audit.is_withheld(form)
    assert form.encode()


def test_the_home_of_a_bare_container_shortens_nothing() -> None:
    """A home of / would turn every path into a tilde."""
    assert audit.shorten("/data/a.npy", "/s/.gnomon", home="/", users=[]) == "/data/a.npy"


def test_recorded_paths_lead_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each form is found again on this machine."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    state_dir = tmp_path / "app" / ".gnomon"
    assert audit.resolve_recorded("emb/a.npy", state_dir) == tmp_path / "app/emb/a.npy"
    assert audit.resolve_recorded("~/a.npy", state_dir) == tmp_path / "home/a.npy"
    assert audit.resolve_recorded("/data/a.npy", state_dir) == Path("/data/a.npy")
    with pytest.raises(MissingInputError, match="--input NAME=PATH"):
        audit.resolve_recorded("a.npy#0123456789abcdef", state_dir)


@pytest.mark.parametrize("form", ["../a.npy", "/etc/passwd", "~/a.npy", "x/../../a.npy", "link/a"])
def test_a_trail_from_elsewhere_reads_below_its_root_only(tmp_path: Path, form: str) -> None:
    """Neither dots nor an absolute path nor a link leads out of --root."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    assert audit.resolve_recorded("emb/a.npy", "/s/.gnomon", root=root) == root / "emb/a.npy"
    with pytest.raises(InvalidInputError, match="outside"):
        audit.resolve_recorded(form, "/s/.gnomon", root=root)


@pytest.mark.parametrize("form", ["", "a\0b"])
def test_a_recorded_path_must_be_a_path(form: str) -> None:
    """An empty form would be the directory itself."""
    with pytest.raises(InvalidInputError, match="no path"):
        audit.resolve_recorded(form, "/s/.gnomon")


@pytest.mark.parametrize(
    ("uri", "public"),
    [
        ("https://u:p@host:8443/c?api_key=s#f", "https://host:8443/c"),
        ("qdrant://host/docs", "qdrant://host/docs"),
        ("st:org/model", "st:org/model"),
        ("postgresql://u@/db", "postgresql:///db"),
        ("https://u:p@ss@host/c", "https://host/c"),
    ],
)
def test_uris_lose_their_secrets(uri: str, public: str) -> None:
    """User, password, query and fragment are not recorded."""
    assert audit.public_uri(uri) == public


@pytest.mark.parametrize(
    "address", ["https://u:secret@[host/c", "https://u:secret@ho\u2100st/c"], ids=["[", "NFKC"]
)
def test_a_malformed_uri_is_refused_without_being_shown(address: str) -> None:
    """The message must not repeat what may hold a password."""
    with pytest.raises(InvalidInputError, match="malformed") as found:
        audit.public_uri(address)
    assert "secret" not in str(found.value)


def test_a_file_entry_names_the_file(tmp_path: Path) -> None:
    """Path, size, rows, hash; a hash that is none is refused."""
    entry = audit.file_entry(
        tmp_path / "a.npy", tmp_path / ".gnomon", sha256="0" * 64, size=3, rows=1
    )
    assert entry == {"path": "a.npy", "bytes": 3, "rows": 1, "sha256": "0" * 64}
    with pytest.raises(InvalidInputError, match="SHA-256"):
        audit.file_entry("a", "b", sha256="0", size=3)


def test_the_environment_names_no_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions and hardware, no host, no user, no directory."""
    import getpass
    import socket

    env = audit.collect_env(gnomon="0.1", isa="avx2", threads=2, numpy="2.4", blas="openblas 0.3")
    assert str(env["python"]).startswith("CPython 3.")
    assert env["isa"] == "avx2"
    text = audit.canonical_bytes(env).decode()
    assert socket.gethostname() not in text
    assert f'"{getpass.getuser()}' not in text
