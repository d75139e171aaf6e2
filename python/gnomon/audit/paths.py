"""How a path or URI is written into a record: useful for a replay, silent about the user."""

from __future__ import annotations

import getpass
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gnomon.audit.canonical import is_sha256, sha256_hex
from gnomon.errors import InvalidInputError, MissingInputError

if TYPE_CHECKING:
    from collections.abc import Iterable

_HASH_MARK = "#"
_HASH_DIGITS = 16
_WITHHELD = re.compile(rf".*{_HASH_MARK}[0-9a-f]{{{_HASH_DIGITS}}}", re.DOTALL)


def shorten(
    path: str | os.PathLike[str],
    state_dir: str | os.PathLike[str],
    *,
    home: str | os.PathLike[str] | None = None,
    users: Iterable[str] | None = None,
) -> str:
    """Return the form of ``path`` that a record may hold.

    Relative to the parent of the state directory where it lies below it, else with the home
    directory as ``~``, else absolute. A form that would still hold the user's name becomes the
    file's name, ``#`` and 16 hex digits that keep two files of one name apart; a replay needs
    ``--input`` for it. The digits are a hash of the absolute path without the user's name, so that
    nobody can find the name by trying names.

    Parameters
    ----------
    path
        File or directory; need not exist.
    state_dir
        The state directory of the record.
    home, users
        The home directory and the names that must not show; by default those of this process.

    Examples
    --------
    >>> shorten("/srv/ann/x.npy", "/srv/ann/.gnomon", home="/home/ann", users=["ann"])
    'x.npy'
    >>> shorten("/home/ann/data/x.npy", "/srv/.gnomon", home="/home/ann", users=["ann"])
    '~/data/x.npy'
    >>> shorten("/mnt/ann/x.npy", "/srv/.gnomon", home="/home/ann", users=["ann"])
    'x.npy#616d77f15cd27df6'
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow links
    root = Path(os.path.abspath(state_dir)).parent  # noqa: PTH100
    home_path = _home() if home is None else Path(home)
    if absolute.is_relative_to(root):
        form = absolute.relative_to(root).as_posix()
    elif len(home_path.parts) > 1 and absolute.is_relative_to(home_path):
        form = (Path("~") / absolute.relative_to(home_path)).as_posix()
    else:
        form = absolute.as_posix()
    names = _user_names(home_path) if users is None else users
    hidden = [name.casefold() for name in names if name]
    needs_hash = _names_user(form, hidden) or not _is_text(form) or _WITHHELD.fullmatch(form)
    return _name_and_hash(absolute, hidden) if needs_hash else form


def is_withheld(recorded: str) -> bool:
    """Tell whether a recorded path is a name with a hash, which only ``--input`` can supply."""
    return _WITHHELD.fullmatch(recorded) is not None


def resolve_recorded(
    recorded: str,
    state_dir: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
) -> Path:
    """Return the file that a recorded path means on this machine, for a replay.

    Parameters
    ----------
    recorded
        The form that ``shorten`` gave.
    state_dir
        The state directory of the trail; relative forms start at its parent.
    root
        For a trail from elsewhere: relative forms start here, and whatever lies outside, symbolic
        links followed, is refused. None trusts the trail: it is one's own.

    Raises
    ------
    MissingInputError
        When the form is withheld.
    InvalidInputError
        When the file lies outside ``root``, or the form is no path.
    """
    if is_withheld(recorded):
        raise MissingInputError(
            f"the record keeps only a name and a hash for {recorded!r}, because its path held a"
            " user's name: supply the file with --input NAME=PATH"
        )
    if not recorded or "\0" in recorded:
        raise InvalidInputError(f"the recorded path {recorded!r:.80} is no path")
    base = Path(root) if root is not None else Path(os.path.abspath(state_dir)).parent  # noqa: PTH100
    if recorded == "~" or recorded.startswith("~/"):
        path = _home() / recorded[2:]
    else:
        path = base / recorded
    if root is not None and not path.resolve().is_relative_to(base.resolve()):
        raise InvalidInputError(
            f"the recorded path {recorded!r} lies outside {base}, the only directory that a replay"
            " of this trail may read: copy the file there, or supply it with --input NAME=PATH"
        )
    return path


def public_uri(uri: str) -> str:
    """Return ``uri`` without what may be a secret: user, password, query and fragment.

    Examples
    --------
    >>> public_uri("postgresql://ann:secret@db.example:5432/docs?sslpassword=x")
    'postgresql://db.example:5432/docs'
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        # Python's own message may repeat the address, and with it the password.
        raise InvalidInputError("the address is malformed: its host cannot be read") from None
    scheme, colon, rest = uri.partition(":")
    slashes = "//" if rest.startswith("//") else ""
    return f"{scheme}{colon}{slashes}{parts.netloc.rpartition('@')[2]}{parts.path}"


def file_entry(
    path: str | os.PathLike[str],
    state_dir: str | os.PathLike[str],
    *,
    sha256: str,
    size: int,
    rows: int | None = None,
) -> dict[str, Any]:
    """Return what ``inputs`` says about a file that was read: ``path bytes rows sha256``."""
    if not is_sha256(sha256):
        raise InvalidInputError(f"{sha256!r:.80} is no SHA-256: expected 64 lower-case hex digits")
    return {"path": shorten(path, state_dir), "bytes": size, "rows": rows, "sha256": sha256}


def _user_names(home: Path) -> set[str]:
    names = {home.name}
    with suppress(KeyError, OSError):  # a container may run under a number that has no name
        names.add(getpass.getuser())
    return names


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")  # no HOME and no entry for the user: nothing to shorten


def _names_user(form: str, hidden: list[str]) -> bool:
    folded = form.casefold()
    words = set(re.split(r"[\W_]+", folded))
    # A short name inside a longer word ("ed" in "red") is chance; a long one seldom is.
    return any(name in words or (len(name) >= 4 and name in folded) for name in hidden)


def _name_and_hash(absolute: Path, hidden: list[str]) -> str:
    name = absolute.name
    if _names_user(name, hidden) or not _is_text(name):
        name = "file" + absolute.suffix if _is_text(absolute.suffix) else "file"
        if _names_user(name, hidden):
            name = "file"
    nameless = str(absolute).casefold()
    for user in hidden:
        nameless = nameless.replace(user, "*")
    return f"{name}{_HASH_MARK}{sha256_hex(os.fsencode(nameless))[:_HASH_DIGITS]}"


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
