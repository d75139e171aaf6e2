"""What an advisory judge says of blind pairs. It never gates: a judge is a model or a hurry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import InvalidInputError, MismatchError
from gnomon.evaluation.bench_lines import RowsHash
from gnomon.evaluation.bench_pairs import KEY_SCHEMA, PAIRS_SCHEMA, commitment_of, head_of
from gnomon.evaluation.stored_json import read_stored
from gnomon.sources.escape import counted, quoted
from gnomon.sources.files import shown
from gnomon.sources.json_text import fault_of
from gnomon.sources.jsonl import read_records
from gnomon.sources.limits import MIB
from gnomon.stats.intervals import wilson
from gnomon.stats.mcnemar import mcnemar_exact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SCHEMA: Final = "gnomon.bench-judge/1"
VERDICTS: Final = ("x", "y", "tie")
_MAX_KEY: Final = 64 * MIB
_MOST_SHOWN: Final = 10
_RESTORE: Final = "restore the file that gnomon bench judge-emit wrote and that the judge was given"


@dataclass(frozen=True, slots=True)
class Judged:
    """One pair with its verdict and its key."""

    pair: int
    verdict: str
    first_is_x: bool
    tells: bool

    @property
    def winner(self) -> int | None:
        """Number of the configuration that won, 0 or 1; None for a tie."""
        if self.verdict == "tie":
            return None
        return 0 if (self.verdict == "x") == self.first_is_x else 1


def read_key(path: Path) -> dict[str, Any]:
    """Read a key.

    Raises
    ------
    InvalidInputError
        When it is none.
    """
    return read_stored(
        path, limit=_MAX_KEY, schema=KEY_SCHEMA, what="key of gnomon bench judge-emit"
    )


def join_verdicts(pairs_file: Path, key_file: Path, verdicts_file: Path) -> list[Judged]:
    """Return every pair with its verdict and its sides.

    Raises
    ------
    MismatchError
        When key and pairs do not belong together, or the pairs were edited.
    InvalidInputError
        When a verdict is none, or pairs are missing, unknown or judged twice; they are named.
    """
    key = read_key(key_file)
    sides = _checked_pairs(pairs_file, key, shown(key_file))
    found = _verdicts(verdicts_file, sides)
    return [
        Judged(number, found[number], sides[number]["x"] == 0, bool(sides[number]["tells"]))
        for number in sorted(sides)
    ]


def judged_json(judged: Iterable[Judged], key: Mapping[str, Any]) -> dict[str, Any]:
    """Return the count of a judge's verdicts as JSON values."""
    every = list(judged)
    blind = [one for one in every if not one.tells]
    by_x = wilson(sum(one.verdict == "x" for one in blind), _decided(blind))
    return {
        "configs": list(key["configs"]),
        "identical": key["identical"],
        "blind": _count(blind),
        "not_blind": _count([one for one in every if one.tells]),
        "chose_x": {"mean": by_x.value, "low": by_x.low, "high": by_x.high},
        "advisory": True,
    }


def _count(judged: list[Judged]) -> dict[str, Any]:
    wins = [sum(one.winner == side for one in judged) for side in (0, 1)]
    return {
        "pairs": len(judged),
        "wins": wins,
        "ties": len(judged) - sum(wins),
        "p": mcnemar_exact(wins[0], wins[1]),
    }


def _decided(judged: list[Judged]) -> int:
    return sum(one.verdict != "tie" for one in judged)


def _checked_pairs(path: Path, key: Mapping[str, Any], key_name: str) -> dict[int, dict[str, Any]]:
    try:
        sides = {int(one["pair"]): one for one in key["pairs"]}
        _ = [(one["x"], one["tells"], one["row_sha256"]) for one in sides.values()]
        _ = key["configs"][1], key["identical"], key["pairs_sha256"]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InvalidInputError(f"{key_name}: the key is damaged: {fault_of(error)}") from None
    head: dict[str, Any] | None = None
    seen, rows = set(), RowsHash()
    for record in read_records(path):
        fields, where = record.fields, f"{shown(path)}: line {record.line}"
        if head is None:
            head = fields
            if head.get("schema") != PAIRS_SCHEMA:
                raise InvalidInputError(f"{where}: is no head of {PAIRS_SCHEMA}")
            if head.get("key_sha256") != commitment_of(dict(key)):
                raise MismatchError(
                    f"{shown(path)} was not made with the key {key_name}, or one of them was edited"
                )
            if head != head_of(len(sides), commitment_of(dict(key))):
                raise MismatchError(f"{where}: the head was edited; {_RESTORE}")
            continue
        number = fields.get("pair")
        known = sides.get(number) if type(number) is int else None
        if known is None or known["row_sha256"] != RowsHash([fields]).hex:
            raise MismatchError(
                f"{where}: is not the pair that the key {key_name} knows; {_RESTORE}"
            )
        rows.add(fields)
        seen.add(number)
    if head is None or seen != set(sides):
        raise MismatchError(
            f"{shown(path)}: holds {len(seen)} of the {counted(len(sides), 'pair')} of the key; "
            f"{_RESTORE}"
        )
    if rows.hex != key["pairs_sha256"]:
        raise MismatchError(
            f"{shown(path)}: its pairs stand twice or in another order than they were written; "
            f"{_RESTORE}"
        )
    return sides


def _verdicts(path: Path, sides: Mapping[int, Any]) -> dict[int, str]:
    found: dict[int, str] = {}
    problems: list[str] = []
    for record in read_records(path):
        number, verdict = record.fields.get("pair"), record.fields.get("verdict")
        where = f"line {record.line}"
        if isinstance(number, bool) or not isinstance(number, int):
            problems.append(f"{where}: has no pair, a whole number")
        elif number not in sides:
            problems.append(f"{where}: there is no pair {number}")
        elif number in found:
            problems.append(f"{where}: pair {number} is judged twice")
        elif verdict not in VERDICTS:
            problems.append(f"{where}: the verdict on pair {number} is {quoted(str(verdict))}")
        else:
            found[number] = str(verdict)
    missing = sorted(set(sides) - set(found))
    if missing and not problems:
        named = ", ".join(map(str, missing[:_MOST_SHOWN]))
        more = f" and {len(missing) - _MOST_SHOWN} more" if len(missing) > _MOST_SHOWN else ""
        problems.append(f"no verdict on pair {named}{more}")
    if problems:
        raise InvalidInputError(
            f"{shown(path)}: {'; '.join(problems[:_MOST_SHOWN])}. Expected one "
            f'{{"pair": 1, "verdict": "x"}} a line for each pair ({len(sides)} in all), the '
            f"verdict one of {', '.join(VERDICTS)}"
        )
    return found
