"""The sheet: both forms hold every text, formulas are made inert, damage is named by its line."""

from __future__ import annotations

import csv
import io
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.blind.sheet import VERDICTS, Sheet, Spot, read_sheet, save_verdict, write_sheet
from gnomon.blind.sheet_csv import inert, original
from gnomon.blind.spots import NOTHING
from gnomon.errors import InvalidInputError, StateError, UsageError

DRAW, PLAN, SECRET = "draw-0123456789abcdef", "ab" * 32, "cd" * 32
FORMS = pytest.mark.parametrize("name", ["sheet.csv", "sheet.jsonl"])

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(
    lambda text: text != NOTHING
)
RISKY = st.text("'=+-@\t\r\n\",;ab", max_size=6)
READINGS = st.one_of(TEXTS, RISKY)


def sheet_of(*spots: Spot) -> Sheet:
    """Return a sheet of the test's draw."""
    return Sheet(DRAW, PLAN, SECRET, spots)


THREE = sheet_of(
    Spot(1, 12.5, "he said", "no", "know"),
    Spot(2, None, "", "", "=1+2", "y"),
    Spot(3, 0.0, "-x", "שלום", "こんにちは", "cannot_tell"),
)


def written(folder: Path, name: str, sheet: Sheet = THREE) -> Path:
    """Write a sheet file and return its path."""
    path = folder / name
    write_sheet(path, sheet)
    return path


def edited(path: Path, old: str, new: str) -> Path:
    """Replace one piece of a sheet file's text."""
    text = path.read_bytes().decode()
    assert text.count(old) == 1
    path.write_bytes(text.replace(old, new).encode())
    return path


@FORMS
@given(
    readings=st.lists(st.tuples(READINGS, READINGS, READINGS), min_size=1, max_size=4),
    time=st.none() | st.floats(0, 1e9),
    verdict=st.none() | st.sampled_from(VERDICTS),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    readings: list[tuple[str, str, str]],
    time: float | None,
    verdict: str | None,
) -> None:
    """Every text comes back as it was, whatever it starts with."""
    sheet = sheet_of(*(Spot(i, time, *texts, verdict) for i, texts in enumerate(readings, start=1)))
    path = written(tmp_path_factory.getbasetemp(), name, sheet)
    assert read_sheet(path) == sheet


@given(text=st.one_of(TEXTS, RISKY))
def test_no_cell_is_a_formula(text: str) -> None:
    """An inert cell starts with no sign that a spreadsheet acts on, and turns back exactly."""
    assert inert(text)[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n"} or not inert(text)
    assert original(inert(text)) == text


def test_formula_cells_in_the_file(tmp_path: Path) -> None:
    """In the CSV each such cell has its apostrophe; other cells are as they are."""
    path = written(tmp_path, "sheet.csv")
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    assert rows[1]["y"] == "'=1+2"
    assert rows[2]["left_context"] == "'-x"
    assert rows[0]["x"] == "no"


@FORMS
def test_an_empty_reading_is_shown_as_nothing(tmp_path: Path, name: str) -> None:
    """The file says (nothing), so that the judge sees that a system read nothing there."""
    path = written(tmp_path, name)
    assert path.read_text(encoding="utf-8").count(NOTHING) == 1
    assert read_sheet(path).spots[1].x == ""


@FORMS
def test_modes_and_no_leftovers(tmp_path: Path, name: str) -> None:
    """A sheet is readable by its owner alone, before and after a verdict is saved."""
    path = written(tmp_path, name)
    path.chmod(0o644)
    save_verdict(path, 1, "x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [name]


@FORMS
def test_save_one_verdict(tmp_path: Path, name: str) -> None:
    """One verdict changes and nothing else; None takes it back."""
    path = written(tmp_path, name)
    saved = save_verdict(path, 1, "neither")
    assert saved == read_sheet(path)
    assert saved.spots == (replace(THREE.spots[0], verdict="neither"), *THREE.spots[1:])
    assert save_verdict(path, 1, None) == THREE
    assert THREE.unfilled == (1,)


def test_save_refuses(tmp_path: Path) -> None:
    """A fifth verdict, and a spot that is not there, leave the file as it was."""
    path = written(tmp_path, "sheet.csv")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="'both' is no verdict; expected x, y, neither"):
        save_verdict(path, 1, "both")  # type: ignore[arg-type]
    for number in (0, 4, -1):
        with pytest.raises(UsageError, match="the sheet has 1 to 3"):
            save_verdict(path, number, "x")
    assert path.read_bytes() == before


def test_a_disk_that_refuses_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the new file cannot take its name, the old verdicts are still there."""
    path = written(tmp_path, "sheet.jsonl")
    before = path.read_bytes()

    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StateError, match="nothing that was there has changed"):
        save_verdict(path, 1, "x")
    assert path.read_bytes() == before


def test_a_spreadsheet_may_write_it_otherwise(tmp_path: Path) -> None:
    """Semicolons, decimal commas, another order of rows and columns, blank rows: the same sheet."""
    path = tmp_path / "sheet.csv"
    names = f'"{DRAW}";sha256:{PLAN};sha256:{SECRET}'
    path.write_text(
        '"verdict";number;time;left_context;x;y;draw;plan;secret_sha256\n'
        f"Cannot_Tell;3;0;'-x;שלום;こんにちは;{names}\n"
        f'" Y ";2;;;(nothing);"\'=1+2";{names}\n'
        f";1;12,50;he said;no;know;{names}\n"
        ";;;;;;;;\n",
        encoding="utf-8",
    )
    assert read_sheet(path) == THREE


@FORMS
@pytest.mark.parametrize(
    ("verdict", "said"), [("both", "'both'"), ("z", "'z'"), ("cannot tell", "'cannot tell'")]
)
def test_a_fifth_verdict(tmp_path: Path, name: str, verdict: str, said: str) -> None:
    """A verdict that is none of the four is refused by line and spot."""
    path = written(tmp_path, name)
    edited(path, "cannot_tell", verdict)
    with pytest.raises(InvalidInputError, match=rf"line \d.*\(spot 3\): the verdict is {said}"):
        read_sheet(path)


@FORMS
def test_doubled_and_missing_rows(tmp_path: Path, name: str) -> None:
    """A row twice and a gap in the numbers are refused by line and number."""
    path = written(tmp_path, name)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(InvalidInputError, match="line 5: spot 1 stands on line 2 already"):
        read_sheet(path)
    path.write_bytes(b"".join([lines[0], lines[1], lines[3]]))
    with pytest.raises(InvalidInputError, match="spot 2 is missing"):
        read_sheet(path)
    path.write_bytes(lines[0])
    with pytest.raises(InvalidInputError, match="holds no spot"):
        read_sheet(path)


def test_rows_of_two_draws(tmp_path: Path) -> None:
    """A CSV whose rows name two draws is refused by line."""
    path = written(tmp_path, "sheet.csv")
    lines = path.read_bytes().decode().splitlines(keepends=True)
    lines[2] = lines[2].replace(DRAW, "draw-ffffffffffffffff")
    path.write_bytes("".join(lines).encode())
    with pytest.raises(InvalidInputError, match="line 3: is of another draw"):
        read_sheet(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("number,", "", "line 1: has 'number' missing"),
        ("verdict,", "verdict,note,", "line 1: has 'note' too much"),
        ("left_context", "context", "line 1: has 'left_context' missing"),
        ("12.5", "soon", "line 2: the time is 'soon'"),
        ("12.5", "nan", "line 2: the time is nan"),
        ("12.5", "'-1", "line 2: the time is -1.0"),
        ("\r\n1,", "\r\n0,", "line 2: the number is '0'"),
        ("\r\n1,", "\r\n1.0,", "line 2: the number is '1.0'"),
        ("he said,", "he said", "line 2: has 8 cells; expected 9"),
        ("he said,", 'he "said,', None),
        ("know,,", '"know"s,,', "line 2: is not CSV"),
    ],
)
def test_damaged_csv(tmp_path: Path, old: str, new: str, said: str | None) -> None:
    """What is no sheet is refused by line, never guessed at."""
    path = written(tmp_path, "sheet.csv")
    edited(path, old, new)
    if said is None:
        assert read_sheet(path).spots[0].left_context == 'he "said'
        return
    with pytest.raises(InvalidInputError) as refused:
        read_sheet(path)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"number": True}, "the number is no whole number"),
        ({"number": "1"}, "the number is no whole number"),
        ({"time": "3"}, "'time' is a JSON string"),
        ({"time": -1}, "the time is -1.0"),
        ({"time": 10**400}, "'time' is too large"),
        ({"x": None}, "'x' is a JSON null; expected a text"),
        ({"verdict": 1}, "'verdict' is a JSON number"),
        ({"extra": 1}, "has the unknown 'extra'"),
    ],
)
def test_damaged_jsonl(tmp_path: Path, change: dict[str, object], said: str) -> None:
    """A field of another type and a field too much are refused by line."""
    path = written(tmp_path, "sheet.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | change)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidInputError) as refused:
        read_sheet(path)
    assert f"line 2: {said}" in str(refused.value)


@FORMS
def test_what_it_belongs_to(tmp_path: Path, name: str) -> None:
    """A draw or a hash that is none is refused."""
    for old, new, said in (
        (DRAW, "draw-x", "its draw is"),
        (f"sha256:{PLAN}", PLAN, "its plan is"),
        (f"sha256:{SECRET}", "sha256:12", "its secret_sha256 is"),
    ):
        path = written(tmp_path, name, sheet_of(THREE.spots[0]))
        with pytest.raises(InvalidInputError, match=said):
            read_sheet(edited(path, old, new))


def test_other_files(tmp_path: Path) -> None:
    """Another ending, bytes that are no UTF-8, and JSON Lines of another kind are refused."""
    with pytest.raises(UsageError, match=r"a sheet is called .csv or .jsonl"):
        read_sheet_of(tmp_path / "sheet.txt", b"")
    with pytest.raises(InvalidInputError, match="is not UTF-8"):
        read_sheet_of(tmp_path / "sheet.csv", b"number,\xff")
    with pytest.raises(InvalidInputError, match="is not the head of a sheet"):
        read_sheet_of(tmp_path / "sheet.jsonl", b'{"id": "a"}\n')


def read_sheet_of(path: Path, content: bytes) -> Sheet:
    """Write bytes and read them as a sheet."""
    path.write_bytes(content)
    return read_sheet(path)


def test_lines_that_end_with_cr_alone(tmp_path: Path) -> None:
    """As some spreadsheets of the Mac save CSV."""
    path = written(tmp_path, "sheet.csv")
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\r"))
    assert read_sheet(path) == THREE


def test_empty_cells_behind_the_last_column(tmp_path: Path) -> None:
    """Left by a spreadsheet they are no change; a note in one of them is."""
    path = written(tmp_path, "sheet.csv")
    path.write_bytes(path.read_bytes().replace(b"\r\n", b",,\r\n"))
    assert read_sheet(path) == THREE
    path.write_bytes(path.read_bytes()[:-3] + b"x,\r\n")
    with pytest.raises(InvalidInputError, match="line 4: has 11 cells; expected 9"):
        read_sheet(path)
