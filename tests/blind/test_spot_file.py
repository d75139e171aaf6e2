"""Contested files: what a spot is, how its texts are evened out, and what is refused by line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gnomon.blind.naming import Namer
from gnomon.blind.spot_file import Contested, as_shown, read_contested
from gnomon.errors import InvalidInputError, MissingInputError
from tests.blind.checks import contested, spot


def read(tmp_path: Path, *spots: dict[str, Any]) -> list[Contested]:
    """Write spots and read them."""
    return list(read_contested(contested(spots, tmp_path / "contested.jsonl")))


def test_every_field(tmp_path: Path) -> None:
    """Time and context may be missing or null, ids may be numbers, other fields are left alone."""
    bare = {"id": 7, "base": "a", "alt": "b", "used": "alt", "unsure": True, "kind": "substitution"}
    full = spot(1, note="anything")
    found = read(tmp_path, bare, full, bare | {"id": "8", "time": None, "left_context": None})
    assert found[0] == Contested("7", "a", "b", "alt", True, "", None, "substitution", 1, 0)
    assert (found[1].time, found[1].left_context, found[1].line) == (1.5, "contextus0001", 2)
    assert (found[2].time, found[2].left_context) == (None, "")


def test_times_have_no_more_digits_than_a_spreadsheet_shows(tmp_path: Path) -> None:
    """A sum of floats comes back from a spreadsheet as it was drawn."""
    found = read(tmp_path, spot(1, time=83.39999999999999), spot(2, time=3725.0625))
    assert [one.time for one in found] == [83.4, 3725.062]


def test_byte_order_mark_and_gzip(tmp_path: Path) -> None:
    """A byte-order mark, CRLF, blank lines and gzip are all the same file."""
    file = tmp_path / "contested.jsonl.gz"
    line = json.dumps(spot(1)).encode()
    file.write_bytes(gzip.compress(b"\xef\xbb\xbf" + line + b"\r\n\r\n" + line))
    assert [one.line for one in read_contested(file)] == [1, 3]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  two\t\twords\n", "two words"),
        ("e\u0301", "\u00e9"),
        ("a\u200bb\ufeffc\x00d\x1b[1m", "abcd[1m"),
        ("\u202egnidaer", "gnidaer"),
        ("می\u200cخورم", "می\u200cخورم"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("東京　都", "東京 都"),
        ("\u200b \u200b", ""),
        ("\u0601\u0661 \ue000 \U0001fffe", "\u0601\u0661 \ue000 \U0001fffe"),
    ],
)
def test_what_a_judge_sees(text: str, shown: str) -> None:
    """No habit of a system, such as a space before each word, tells it from the other."""
    assert as_shown(text) == shown
    assert as_shown(shown) == shown


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"used": "both"}, "'used' is 'both'; expected 'base' or 'alt'"),
        ({"used": ["base"]}, "'used' is a JSON array"),
        ({"unsure": 1}, "'unsure' is a JSON number"),
        ({"unsure": None}, "'unsure' is a JSON null"),
        ({"kind": "swap"}, "'kind' is 'swap'"),
        ({"id": " "}, "'id' is ' '"),
        ({"id": None}, "'id' is a JSON null"),
        ({"base": 3}, "'base' is a JSON number"),
        ({"alt": "basal0001  gwyrdd "}, "both readings are the same"),
        ({"alt": ""}, "this substitution has 1"),
        ({"kind": "insertion"}, "this insertion has 2"),
        ({"base": "", "alt": " "}, "both readings are the same"),
        ({"base": "(nothing)"}, "which the sheet shows for an empty one"),
        ({"base": "x" * 20_001}, "'base' has 20,001 characters"),
        ({"time": -0.5}, "'time' is -0.5"),
        ({"time": "5"}, "'time' is '5'"),
        ({"time": True}, "'time' is a JSON boolean"),
        ({"time": 10**400}, "'time' is inf"),
        ({"left_context": 5}, "'left_context' is a JSON number"),
        ({"alt": "half \ud800"}, "half of a surrogate pair"),
    ],
)
def test_bad_spots(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    """The line and what is wrong with it are named."""
    file = tmp_path / "contested.jsonl"
    lines = [json.dumps(spot(0)), json.dumps(spot(1) | changes)]
    file.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidInputError) as refused:
        list(read_contested(file))
    assert f"{file}: line 2: " in str(refused.value)
    assert said in str(refused.value)


def test_missing_fields(tmp_path: Path) -> None:
    """Each required field is named when it is missing; so is a missing file."""
    for name in ("id", "base", "alt", "used", "unsure", "kind"):
        with pytest.raises(InvalidInputError, match=f"line 1: has no '{name}'"):
            read(tmp_path, {k: v for k, v in spot(0).items() if k != name})
    with pytest.raises(MissingInputError, match="no such file"):
        list(read_contested(tmp_path / "nothing.jsonl"))


@pytest.mark.parametrize(
    ("reading", "found"),
    [
        ("kb-whisper said so", "kb-whisper"),
        ("(KB-WHISPER)", "KB-WHISPER"),
        ("kb-whispers", None),
        ("B: the second", None),
        ("base: the first", "base:"),
        ("[System A] the first", "[System A]"),
        ("the base is broad", None),
        ("score=0.93", "score=0"),
        ("a score of 3", None),
        ("from runs/tuned.trec", "d.trec"),
        ("he ran", None),
        ("model.safetensors", "l.safetensors"),
    ],
)
def test_names_of_systems(reading: str, found: str | None) -> None:
    """Names of the plan as whole words, labels, scores and files of runs and models."""
    assert Namer(["kb-whisper", "m.1 (tuned)"]).found(reading) == found


def test_a_name_with_signs() -> None:
    """Names are texts, not patterns, and long readings are searched in a moment."""
    namer = Namer(["m.1 (tuned)", ""])
    assert namer.found("by M.1 (Tuned).") == "M.1 (Tuned)"
    assert namer.found("by mx1 (tuned)") is None
    assert namer.found("a" * 20_000 + "=") is None
