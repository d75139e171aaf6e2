"""How to run a recorded probe again: the command, the replay, the identity of what went in."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Protocol

from gnomon.audit import is_withheld
from gnomon.sources.escape import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.probe.settings import ProbeSettings

_OPTION_FLAGS = {
    "old_name": "--old",
    "new_name": "--new",
    "vector_column": "--vector-column",
    "id_column": "--id-column",
    "key": "--key",
    "dtype": "--dtype",
}
_OTHER_FILES = "*"  # in an option told by role: the files not named


class Place(Protocol):
    """Where in the trail a decision stands, and what the record says about its origin."""

    @property
    def seq(self) -> int:
        """Number of the record."""

    @property
    def hash(self) -> str:
        """Hash of the record."""

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Files by role with path and hash, options, settings."""

    @property
    def env(self) -> Mapping[str, Any]:
        """Versions and machine."""


def command_line(settings: ProbeSettings, place: Place) -> str:
    """Return the command that measures the same again, files as the record names them."""
    words = ["gnomon", "probe"]
    for role, entry in place.inputs.get("files", {}).items():
        words += [f"--{role.replace('_', '-')}", str(entry["path"])]
    for name, flag in _OPTION_FLAGS.items():
        value = place.inputs.get("options", {}).get(name)
        for told in _told(value):
            words += [flag, told]
    for name, value in settings.to_json().items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return printable(" ".join(map(_quoted, words)))


def _told(value: Any) -> list[str]:
    """Return an option's words: none, one, or one for each file."""
    if value is None:
        return []
    if not isinstance(value, dict):
        return [str(value)]
    return [
        str(name) if role == _OTHER_FILES else f"{role.replace('_', '-')}={name}"
        for role, name in value.items()
    ]


def has_withheld_paths(place: Place) -> bool:
    """Tell whether a file of the record goes by a name that its path cannot be read from."""
    return any(is_withheld(str(entry["path"])) for entry in place.inputs.get("files", {}).values())


def replay_line(place: Place) -> str:
    """Return the command that runs the record again and compares every figure."""
    return f"gnomon replay {place.seq}"


def input_files(place: Place) -> list[tuple[str, str, str]]:
    """Return role, path and sha256 of every file that was read."""
    return [
        (printable(role), printable(str(entry["path"])), printable(str(entry["sha256"])))
        for role, entry in place.inputs.get("files", {}).items()
    ]


def origins(place: Place) -> list[tuple[str, str]]:
    """Return what the record says about versions and machine, as name and value."""
    return [(printable(name), printable(str(value))) for name, value in place.env.items()]


def _quoted(word: str) -> str:
    # A shell expands the home directory only where it stands outside the quotes.
    return f"~/{shlex.quote(word[2:])}" if word.startswith("~/") else shlex.quote(word)
