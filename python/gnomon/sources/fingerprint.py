"""What a file was: where, how large, how many rows, and the sha256 of its bytes."""

from __future__ import annotations

import getpass
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from gnomon.errors import InvalidInputError
from gnomon.sources.files import open_regular, shown, size_of

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

# Folders whose entries are named after people, on the systems that data comes from.
_HOMES = re.compile(r"(?:^|/)(?:home|Users|users|Documents and Settings)/[^/]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class FileFingerprint:
    """Which file was read.

    Attributes
    ----------
    uri
        Where it is, without user names; see `recorded_path`.
    size
        Bytes.
    rows
        Rows, records or judgements, where they were counted.
    sha256
        64 hexadecimal digits, of the bytes as stored (of the packed ones, for gzip).
    """

    uri: str
    size: int
    rows: int | None
    sha256: str


def fingerprint(
    path: str | os.PathLike[str],
    *,
    rows: int | None = None,
    relative_to: str | os.PathLike[str] | None = None,
) -> FileFingerprint:
    """Read a file once and return what identifies it.

    Parameters
    ----------
    path
        The file.
    rows
        How many rows the caller found in it.
    relative_to
        The folder that recorded paths start from: the parent of the state directory.

    Returns
    -------
    FileFingerprint

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When the file grows or shrinks while it is read.
    """
    with open_regular(path) as file:
        size = size_of(file)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if file.tell() != size or size_of(file) != size:
            raise InvalidInputError(
                f"{shown(path)}: changed while it was read; wait until it is written"
            )
    home = Path.home()
    uri = recorded_path(
        path, sha256=sha256, relative_to=relative_to, home=home, users=_user_names(home)
    )
    return FileFingerprint(uri, size, rows, sha256)


def recorded_path(
    path: str | os.PathLike[str],
    *,
    sha256: str,
    relative_to: str | os.PathLike[str] | None,
    home: str | os.PathLike[str],
    users: Collection[str],
) -> str:
    """Return a path as it may be recorded: without a user name and without the home folder.

    In this order: relative to ``relative_to`` when the file is below it; with ``~`` when it is
    below ``home``; absolute. When that still holds one of ``users``, or lies in somebody's home
    folder, only the file name and the hash remain; when the file name holds one, only the hash.

    Parameters
    ----------
    path
        The file, absolute or relative to the current folder. Links are followed only to find out
        whether the file is below ``relative_to``.
    sha256
        The hash of its content.
    relative_to, home
        Folders as above.
    users
        Names that must not be recorded; compared as whole words, without regard to case.

    Examples
    --------
    >>> digest = "ab" * 32
    >>> recorded_path("/srv/kim/q.npy", sha256=digest, relative_to=None, home="/home/kim",
    ...               users={"kim"})[:20]
    'q.npy#sha256:abababa'
    >>> recorded_path("/home/kim/data/q.npy", sha256=digest, relative_to=None, home="/home/kim",
    ...               users={"kim"})
    '~/data/q.npy'
    """
    shortest = _shortened(
        Path(path), None if relative_to is None else Path(relative_to), Path(home)
    )
    if not _names_user(shortest, users):
        return shortest
    file_name = Path(path).name
    kept = "" if _names_user(file_name, users) else file_name
    return f"{kept}#sha256:{sha256}"


def without_credentials(uri: str) -> str:
    """Return a URI without user, password, query and fragment, which can carry keys.

    Examples
    --------
    >>> without_credentials("postgresql://kim:secret@db.example:5432/docs?sslkey=/k#x")
    'postgresql://db.example:5432/docs'
    """
    parts = urlsplit(uri)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _shortened(path: Path, relative_to: Path | None, home: Path) -> str:
    # A ".." behind a symbolic link cannot be resolved by looking at the text alone.
    plain = path.resolve() if ".." in path.parts else path.absolute()
    if relative_to is not None:
        for candidate, base in (
            (plain, relative_to.absolute()),
            (path.resolve(), relative_to.resolve()),
        ):
            if candidate.is_relative_to(base):
                return candidate.relative_to(base).as_posix()
    if home != Path(home.anchor):
        for base in (home.absolute(), home.resolve()):
            if plain.is_relative_to(base):
                return (Path("~") / plain.relative_to(base)).as_posix()
    return plain.as_posix()


def _names_user(text: str, users: Collection[str]) -> bool:
    if _HOMES.search(text):
        return True
    return any(
        re.search(rf"(?<![^\W_]){re.escape(user)}(?![^\W_])", text, re.IGNORECASE)
        for user in users
        if user
    )


def _user_names(home: Path) -> frozenset[str]:
    names = {home.name}
    try:
        names.add(getpass.getuser())
    except (OSError, KeyError):
        # A container may run under a number that no account has.
        names.add("")
    return frozenset(names - {""})
