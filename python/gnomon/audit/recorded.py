"""Reading a record back: where its files are now, and parts that must be of their form.

A trail may be anybody's, so nothing in a record is believed before it is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.audit.paths import resolve_recorded
from gnomon.errors import InvalidInputError, MissingInputError, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping
    from pathlib import Path
    from types import UnionType

    from gnomon.audit.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What a recorded command gives now.

    Attributes
    ----------
    files
        Role -> path, size and hash of the files as they are now.
    outputs
        The result object.
    left_out
        Dotted paths of what was not measured again, since it comes from other fits and does not
        count.
    """

    files: dict[str, Any]
    outputs: dict[str, Any]
    left_out: tuple[str, ...] = ()


def located_files(
    record: Record,
    state_dir: str | os.PathLike[str],
    roles: Collection[str],
    *,
    root: str | os.PathLike[str] | None,
    given: Mapping[str, Path],
) -> dict[str, Path]:
    """Return where every recorded file or folder is now, by role.

    Parameters
    ----------
    roles
        Those that the action knows.
    root
        The only directory that a trail from elsewhere may read; None trusts the trail.
    given
        Paths by role that go before the record.

    Raises
    ------
    InvalidInputError
        The record names a role that the action does not know, or a path outside ``root``.
    UsageError
        A path is given for a role that the record does not name.
    MissingInputError
        Something is gone.
    """
    recorded = part_of(record, record.inputs, "files", dict)
    unknown = sorted(set(recorded) - set(roles))
    if unknown:
        raise InvalidInputError(f"record {record.seq} names unknown files: {', '.join(unknown)}")
    unused = sorted(set(given) - set(recorded))
    if unused:
        raise UsageError(
            f"--input {unused[0]}: record {record.seq} read no such file; it read "
            f"{', '.join(sorted(recorded))}"
        )
    paths: dict[str, Path] = {}
    for role in recorded:
        name = part_of(record, part_of(record, recorded, role, dict), "path", str)
        path = given.get(role)
        if path is None:
            path = _resolved(record, name, state_dir, root)
        if not path.exists():
            raise MissingInputError(
                f"record {record.seq} read {name} as {role}, and it is not there; supply "
                f"it with --input {role}=PATH"
            )
        paths[role] = path
    return paths


def part_of(record: Record, whole: Mapping[str, Any], name: str, kind: type | UnionType) -> Any:
    """Return a part of a record, which must be there and of its type.

    Raises
    ------
    InvalidInputError
        It is not.
    """
    value = whole.get(name)
    # To Python a truth is a number; to a record it is none.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InvalidInputError(
            f"record {record.seq} holds no {name!r} of the form that a {record.action} writes; it "
            "was made by another version or altered, and can't be run again"
        )
    return value


def _resolved(
    record: Record,
    name: str,
    state_dir: str | os.PathLike[str],
    root: str | os.PathLike[str] | None,
) -> Path:
    try:
        return resolve_recorded(name, state_dir, root=root)
    except (InvalidInputError, MissingInputError) as error:
        raise type(error)(f"record {record.seq}: {error}") from None
