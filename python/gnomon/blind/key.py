"""The key of a draw: which side is base, which reading was used, the input's ids, the secret."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from gnomon import audit
from gnomon.errors import InvalidInputError
from gnomon.rules.blind_values import SYSTEMS, System
from gnomon.sources.atomic import write_text
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.json_text import WrongPartError, fault_of, parse_json
from gnomon.sources.limits import MIB

if TYPE_CHECKING:
    import os

    from gnomon.blind.arranging import Side
    from gnomon.blind.sheet import Sheet
    from gnomon.blind.spots import Spot

KEY_FILE: Final = "key.json"
SCHEMA: Final = "gnomon.blind.key/1"
_MAX_BYTES: Final = 256 * MIB


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What the key says about one row of the sheet.

    Attributes
    ----------
    base
        The side on which base's reading stands.
    used
        The system whose reading was chosen.
    id
        The spot's id in the contested file; the same on both rows of a spot shown twice.
    named
        Whether a reading names its system.
    shown
        Hash of what the row shows.
    """

    number: int
    base: Side
    used: System
    id: str
    unsure: bool
    named: bool
    shown: str


@dataclass(frozen=True, slots=True)
class Key:
    """The key of one draw.

    Attributes
    ----------
    key_seed
        Of ``--key-seed``, or None where the secret is random.
    contested
        Absolute path of the contested file.
    contested_sha256
        What it held.
    """

    draw: str
    plan: str
    secret: bytes
    key_seed: int | None
    contested: str
    contested_sha256: str
    rows: tuple[KeyRow, ...]

    @property
    def secret_sha256(self) -> str:
        """The hash of the secret, as it stands on the sheet."""
        return hashlib.sha256(self.secret).hexdigest()

    @property
    def hash(self) -> str:
        """What the trail knows the key by; the secret in it keeps it from being guessed."""
        return audit.fingerprint(_body(self))


def shown_hash(spot: Spot) -> str:
    """Return the hash of what a row shows, its verdict aside."""
    time = None if spot.time is None else repr(float(spot.time))
    return audit.fingerprint([spot.number, time, spot.left_context, spot.x, spot.y])


def sheet_hash(sheet: Sheet, *, verdicts: bool) -> str:
    """Return the hash of a sheet, the same in both of its forms, with its verdicts or without."""
    return audit.fingerprint(
        {
            "draw": sheet.draw,
            "plan": sheet.plan,
            "secret_sha256": sheet.secret_sha256,
            "rows": [[shown_hash(s), s.verdict if verdicts else None] for s in sheet.spots],
        }
    )


def write_key(path: str | os.PathLike[str], key: Key) -> None:
    """Write a key, mode 0600.

    Raises
    ------
    StateError
        When it cannot be written.
    """
    text = json.dumps(_body(key), ensure_ascii=False, allow_nan=False, indent=1)
    write_text(path, text + "\n", private=True)


def read_key(path: str | os.PathLike[str]) -> Key:
    """Read a key.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When it is no key, or its secret has not the hash that it states.
    """
    try:
        return _key(parse_json(read_bounded(path, limit=_MAX_BYTES).decode("utf-8")))
    except InvalidInputError as error:
        raise InvalidInputError(f"{shown(path)}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInputError(
            f"{shown(path)}: is no key of schema {SCHEMA} ({fault_of(error)}); give "
            f"the {KEY_FILE} that gnomon blind draw has written"
        ) from None


def _body(key: Key) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "draw": key.draw,
        "plan": key.plan,
        "secret": key.secret.hex(),
        "secret_sha256": key.secret_sha256,
        "key_seed": key.key_seed,
        "contested": {"path": key.contested, "sha256": key.contested_sha256},
        "rows": [
            {
                "number": row.number,
                "base": row.base,
                "used": row.used,
                "id": row.id,
                "unsure": row.unsure,
                "named": row.named,
                "shown": row.shown,
            }
            for row in key.rows
        ],
    }


def _key(body: dict[str, Any]) -> Key:
    if body["schema"] != SCHEMA:
        raise KeyError("schema")
    key = Key(
        draw=_text(body["draw"]),
        plan=_text(body["plan"]),
        secret=bytes.fromhex(body["secret"]),
        key_seed=body["key_seed"],
        contested=_text(body["contested"]["path"]),
        contested_sha256=_text(body["contested"]["sha256"]),
        rows=tuple(_row(row) for row in body["rows"]),
    )
    if key.secret_sha256 != body["secret_sha256"]:
        raise InvalidInputError("its secret has not the sha256 that it states; it was edited")
    return key


def _row(row: dict[str, Any]) -> KeyRow:
    number, base, used = row["number"], row["base"], row["used"]
    if type(number) is not int or base not in ("x", "y") or used not in SYSTEMS:
        raise InvalidInputError(f"row {number!r:.20} is none that a draw writes; it was edited")
    return KeyRow(
        number,
        cast("Side", base),
        cast("System", used),
        _text(row["id"]),
        row["unsure"] is True,
        row["named"] is True,
        _text(row["shown"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise WrongPartError(f"expected a text, found {type(value).__name__}")
    return value
