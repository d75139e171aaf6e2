"""Settings from files and variables, each with where it came from.

A project's file is ``gnomon.toml``, else ``[tool.gnomon]`` of ``pyproject.toml``, in the current
folder. The user's own is ``gnomon/config.toml`` in the configuration folder. The command line
beats the environment, that the project's file, that the user's own, and that the default.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from gnomon.errors import UsageError
from gnomon.sources.escape import quoted
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.limits import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

Origin = Literal["command line", "shell", "project file", "user config", "default"]

GUARD_MODES: Final = ("off", "calibrated", "dense-only")
_MAX_BYTES: Final = MIB


@dataclass(frozen=True, slots=True)
class Key:
    """What a setting may be: ``text``, ``path``, ``count`` or ``texts``, or one of ``choices``."""

    kind: Literal["text", "path", "count", "texts"]
    default: Any = None
    choices: tuple[str, ...] = ()


KEYS: Final[Mapping[str, Key]] = {
    "docs": Key("path"),
    "index": Key("path", "gnomon/index"),
    "probes": Key("path", "gnomon/calibration.jsonl"),
    "golden": Key("path", "gnomon/golden.jsonl"),
    "calibration": Key("path"),
    "tuning": Key("path", "gnomon/tuning.json"),
    "reports": Key("path", "gnomon/reports"),
    "cache": Key("path", ".gnomon/embeddings.sqlite"),
    "embedder": Key("text"),
    "endpoint.openai": Key("text"),
    "endpoint.ollama": Key("text"),
    "chat.endpoint": Key("text"),
    "chat.model": Key("text"),
    "chat.temperature": Key("text", "0"),
    "chat.timeout": Key("count", 120),
    "feedback.from": Key("text"),
    "guard.mode": Key("text", "off", GUARD_MODES),
    "top_k": Key("count"),
    "product": Key("text"),
    "prompt.override": Key("text"),
    "prompt.extend": Key("text"),
    "languages": Key("texts", ("en",)),
    "stemmer": Key("text"),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A value in force, where it came from, and the file or variable by name."""

    value: Any
    origin: Origin
    where: str


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of the files, before the environment and the command line are asked.

    Attributes
    ----------
    files
        The files that were read, the user's own first.
    """

    settings: Mapping[str, Setting] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    def resolve(
        self,
        name: str,
        given: Any = None,
        *,
        environment: Mapping[str, str] | None = None,
        project_variables: frozenset[str] = frozenset(),
    ) -> Setting:
        """Return the value of a key that is in force.

        Parameters
        ----------
        given
            What the command line says, or None.
        environment
            ``os.environ``, read now, unless given.
        project_variables
            Variables that ``.env.local`` has set: they come with the checkout, not from the shell.

        Raises
        ------
        UsageError
            When a variable holds what the key can't be.
        """
        key = KEYS[name]
        if given is not None:
            return Setting(_checked(given, key, where=name), "command line", "command line")
        variable = variable_of(name)
        text = (os.environ if environment is None else environment).get(variable, "")
        if text:
            origin: Origin = "project file" if variable in project_variables else "shell"
            value: Any = text
            if key.kind == "texts":
                value = [part.strip() for part in text.split(",")]
            elif key.kind == "count" and text.isdecimal():
                value = int(text)
            return Setting(_checked(value, key, where=variable), origin, variable)
        return self.settings.get(name, Setting(key.default, "default", "default"))


def variable_of(name: str) -> str:
    """Return the environment variable of a key: ``GNOMON_GUARD_MODE`` of ``guard.mode``."""
    return "GNOMON_" + name.upper().replace(".", "_")


def read_config(
    folder: str | os.PathLike[str] = ".", *, environment: Mapping[str, str] | None = None
) -> Config:
    """Read the project's file in a folder, and the user's own.

    Raises
    ------
    UsageError
        When a file is not TOML, or has an unknown key or a value that the key can't have; the
        message names file and key.
    """
    environment = os.environ if environment is None else environment
    settings: dict[str, Setting] = {}
    files: list[Path] = []
    users = _user_file(environment)
    project = Path(folder) / "gnomon.toml"
    shared = Path(folder) / "pyproject.toml"
    if users.is_file():
        settings |= _settings(_table(users), users, "user config")
        files.append(users)
    if project.is_file():
        settings |= _settings(_table(project), project, "project file")
        files.append(project)
    elif shared.is_file():
        table = _table(shared).get("tool", {}).get("gnomon")
        if table is not None:
            settings |= _settings(table, shared, "project file")
            files.append(shared)
    return Config(settings, tuple(files))


def _user_file(environment: Mapping[str, str]) -> Path:
    home = environment.get("XDG_CONFIG_HOME") or Path(environment.get("HOME", "~"), ".config")
    return Path(home) / "gnomon" / "config.toml"


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bounded(path, limit=_MAX_BYTES).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{shown(path)}: is not UTF-8 ({error.reason}); save it as UTF-8"
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{shown(path)}: is not TOML: {error}") from None


def _settings(table: object, path: Path, origin: Origin) -> dict[str, Setting]:
    if not isinstance(table, dict):
        raise UsageError(f"{shown(path)}: tool.gnomon is no table")
    found = {}
    for name, value in _flat(table):
        if name not in KEYS:
            near = difflib.get_close_matches(name, KEYS, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(KEYS)}"
            raise UsageError(f"{shown(path)}: unknown key {quoted(name)}{hint}")
        where = f"{shown(path)}: {name}"
        found[name] = Setting(_checked(value, KEYS[name], where=where), origin, shown(path))
    return found


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for name, value in table.items():
        pairs += (
            _flat(value, f"{prefix}{name}.")
            if isinstance(value, dict)
            else [(prefix + name, value)]
        )
    return pairs


def _checked(value: object, key: Key, *, where: str) -> Any:
    if key.kind == "count":
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"{where} is {value!r}; expected a whole number")
        return value
    if key.kind == "texts":
        texts = list(value) if isinstance(value, (list, tuple)) else None
        if texts is None or not all(isinstance(text, str) and text.strip() for text in texts):
            raise UsageError(f"{where} is {value!r}; expected a list of texts")
        return tuple(texts)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where} is {value!r}; expected a text")
    if key.choices and value not in key.choices:
        raise UsageError(f"{where} is {quoted(value)}; expected one of {', '.join(key.choices)}")
    return value
