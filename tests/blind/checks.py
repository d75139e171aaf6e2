"""A check made in a folder: a contested file, a plan, a draw, verdicts, and what was said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.blind.key import read_key
from gnomon.blind.sheet import read_sheet, write_sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tests.cli.probing import Gnomon, Outcome

Spot = dict[str, Any]


def spot(i: int, **changes: object) -> Spot:
    """Return a spot whose every text is findable: no two spots share one."""
    one: Spot = {
        "id": f"ident-{i:04d}",
        "base": f"basal{i:04d} gwyrdd",
        "alt": f"altal{i:04d} melyn",
        "used": "alt" if i % 2 else "base",
        "unsure": i % 7 == 0,
        "left_context": f"contextus{i:04d}",
        "time": 1.5 * i,
        "kind": "substitution",
    }
    return one | changes


def contested(spots: Iterable[Spot], path: str | Path = "contested.jsonl") -> Path:
    """Write a contested file."""
    file = Path(path)
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in spots)
    file.write_text("".join(lines), encoding="utf-8")
    return file


def planned(gnomon: Gnomon, **rules: object) -> str:
    """Fix a plan and return its id; tables of rules are given as mappings."""
    tables = {name: value for name, value in rules.items() if isinstance(value, dict)}
    plain = {name: value for name, value in rules.items() if name not in tables}
    lines = [f"{name} = {json.dumps(value)}" for name, value in plain.items()]
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    Path("rules.toml").write_text("\n".join(lines), encoding="utf-8")
    return str(gnomon("blind", "plan", "--rules", "rules.toml", "--yes", "--json").json["plan"])


def drawn(gnomon: Gnomon, plan: str, out: str = "check", *flags: str) -> dict[str, Any]:
    """Draw from the contested file and return what was printed."""
    return gnomon(
        "blind",
        "draw",
        "contested.jsonl",
        "--plan",
        plan,
        "--out",
        out,
        "--json",
        "--quiet",
        *flags,
    ).json


def fill(
    folder: str | Path, said: str | Callable[[Mapping[str, Any]], str], name: str = "sheet.csv"
) -> Path:
    """Fill a sheet: ``base``, ``alt`` or ``used`` for what is right there, or a verdict.

    ``said`` is one of these, or a function of the key's row that returns one.
    """
    path = Path(folder) / name
    sheet, key = read_sheet(path), read_key(Path(folder) / "key.json")
    for row in key.rows:
        shown = {"number": row.number, "used": row.used, "id": row.id}
        right = said if isinstance(said, str) else said(shown)
        if right == "used":
            right = row.used
        if right in {"base", "alt"}:
            other = "y" if row.base == "x" else "x"
            right = row.base if right == "base" else other
        sheet = sheet.with_verdict(row.number, right)  # type: ignore[arg-type]
    write_sheet(path, sheet)
    return path


def score(gnomon: Gnomon, *flags: object, code: int = 0, name: str = "sheet.csv") -> Outcome:
    """Score the sheet of the folder ``check``."""
    args = ("blind", "score", "--sheet", f"check/{name}", "--key", "check/key.json")
    return gnomon(*args, *flags, code=code)
