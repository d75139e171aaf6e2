"""The rules of a plan: read from TOML, checked key by key, and as JSON for the trail."""

from __future__ import annotations

import difflib
import tomllib
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import InvalidInputError, UsageError
from gnomon.rules.blind_values import Rules
from gnomon.sources.escape import quoted
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.limits import MIB

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

MAX_SAMPLE: Final = 10_000

# TOML key -> field. The names of tables and keys are part of the file format.
_FIELDS: Final[Mapping[str, str]] = {
    "judge": "judge",
    "sample": "sample",
    "both_orders": "both_orders",
    "on_failure": "on_failure",
    "condition_1.decided_at_least": "decided_at_least",
    "condition_1.all_above": "all_above",
    "systems.base": "base_name",
    "systems.alt": "alt_name",
}
_TABLES: Final = ("condition_1", "systems")
_LONGEST: Final[Mapping[str, int]] = {
    "judge": 200, "on_failure": 500, "base_name": 100, "alt_name": 100,
}  # fmt: skip
_MOST_DECIMALS: Final = 6


def read_rules(path: str | os.PathLike[str]) -> Rules:
    """Read a rules file; what it leaves out is as `Rules` has it.

    Raises
    ------
    MissingInputError
        When there is no such file.
    UsageError
        When it is not TOML, a key is unknown, or a value is not one that the key can have.
    """
    try:
        text = read_bounded(path, limit=MIB).decode("utf-8-sig")
        table = tomllib.loads(text, parse_float=Decimal)
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown(path)}: is not UTF-8 ({error.reason})") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{shown(path)}: is not TOML: {error}") from None
    except InvalidInputError:
        raise
    except (ValueError, ArithmeticError):  # digits or an exponent beyond all bounds
        raise UsageError(
            f"{shown(path)}: holds a number that is too long to read; expected a sample from 1 to "
            f"{MAX_SAMPLE:,} and shares from 0 to 1, such as 0.85"
        ) from None
    return _rules(_flat(table, path), shown(path))


def rules_json(rules: Rules) -> dict[str, Any]:
    """Return rules as a JSON object, shares as decimal numbers."""
    return {
        "judge": rules.judge,
        "sample": rules.sample,
        "both_orders": rules.both_orders,
        "on_failure": rules.on_failure,
        "condition_1": {
            "decided_at_least": float(rules.decided_at_least),
            "all_above": float(rules.all_above),
        },
        "systems": {"base": rules.base_name, "alt": rules.alt_name},
    }


def rules_of(body: Mapping[str, Any], where: str) -> Rules:
    """Return the rules that `rules_json` has written.

    Raises
    ------
    UsageError
        When it has not.
    """
    pairs: dict[str, Any] = {}
    for name, value in body.items():
        if name in _TABLES and isinstance(value, dict):
            pairs |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            pairs[name] = value
    # A float that JSON holds has the same shortest digits everywhere, so it is exact as decimal.
    exact = {k: Decimal(repr(v)) if isinstance(v, float) else v for k, v in pairs.items()}
    for name in ("systems.base", "systems.alt"):
        if exact.get(name) == "":
            del exact[name]
    return _rules(exact, where)


def _flat(table: Mapping[str, Any], path: str | os.PathLike[str]) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for name, value in table.items():
        if name in _TABLES:
            if not isinstance(value, dict):
                raise UsageError(f"{shown(path)}: {name} is no table; write [{name}]")
            pairs |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            pairs[name] = value
    return pairs


def _rules(pairs: Mapping[str, Any], where: str) -> Rules:
    found: dict[str, Any] = {}
    for name, value in pairs.items():
        if name not in _FIELDS:
            near = difflib.get_close_matches(name, _FIELDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(_FIELDS)}"
            raise UsageError(f"{where}: unknown rule {quoted(name)}; {hint}")
        found[_FIELDS[name]] = _checked(_FIELDS[name], value, f"{where}: {name}")
    rules = Rules(**found)
    if rules.base_name and rules.base_name.casefold() == rules.alt_name.casefold():
        raise UsageError(f"{where}: both systems are called {quoted(rules.base_name)}")
    return rules


def _checked(field: str, value: object, where: str) -> Any:
    if field in _LONGEST:
        return _text(value, where, _LONGEST[field])
    if field == "sample":
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_SAMPLE:
            raise UsageError(f"{where} is {value!r}; expected a whole number, 1 to {MAX_SAMPLE:,}")
        return value
    if field == "both_orders":
        if not isinstance(value, bool):
            raise UsageError(f"{where} is {value!r}; expected true or false")
        return value
    return _share(field, value, where)


def _text(value: object, where: str, longest: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where} is {value!r:.80}; expected a text")
    text = value.strip()
    if len(text) > longest or not text.isprintable():
        raise UsageError(
            f"{where} is {quoted(text)}; expected one line of at most {longest} characters"
        )
    return text


def _share(field: str, value: object, where: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise UsageError(f"{where} is {value!r:.80}; expected a share such as 0.85")
    exact = Decimal(value)
    if not exact.is_finite() or not 0 <= exact <= 1:
        raise UsageError(f"{where} is {value}; expected a share from 0 to 1, such as 0.85")
    if round(exact, _MOST_DECIMALS) != exact:
        raise UsageError(f"{where} is {value}; expected at most {_MOST_DECIMALS} decimals")
    if field == "all_above" and exact == 1:
        raise UsageError(f"{where} is 1; no share is above 1, so nothing could pass")
    if field == "decided_at_least" and exact == 0:
        raise UsageError(f"{where} is 0; everything would pass")
    return Fraction(exact)
