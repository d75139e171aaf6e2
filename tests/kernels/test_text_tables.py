"""The tables of Unicode: what the script writes, and equal to Python's on what both know."""

from __future__ import annotations

import bz2
import importlib.util
import itertools
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gnomon as gn
from gnomon.kernels import nfkc_casefold, unicode_version

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = Path(__file__).parents[2] / "cpp" / "src" / "text" / "tables"
DATA = Path("/usr/share/unicode")

# Code points that the standard says to ignore when text is compared; Python's module doesn't know
# them. Unicode 15, DerivedCoreProperties.txt, Default_Ignorable_Code_Point.
IGNORABLE = frozenset(
    itertools.chain(
        [0x00AD, 0x034F, 0x061C, 0x3164, 0xFEFF, 0xFFA0],
        range(0x115F, 0x1161),
        range(0x17B4, 0x17B6),
        range(0x180B, 0x1810),
        range(0x200B, 0x2010),
        range(0x202A, 0x202F),
        range(0x2060, 0x2070),
        range(0xFE00, 0xFE10),
        range(0xFFF0, 0xFFF9),
        range(0x1BCA0, 0x1BCA4),
        range(0x1D173, 0x1D17B),
        range(0xE0000, 0xE1000),
    )
)
# How the names of letters and numbers of Han, Hiragana, Katakana and Hangul begin, once folded.
CJK_NAMES = (
    "CJK ",
    "COUNTING ROD ",
    "HANGUL ",
    "HANGZHOU ",
    "HENTAIGANA ",
    "HIRAGANA ",
    "IDEOGRAPHIC CLOSING ",
    "IDEOGRAPHIC ITERATION ",
    "IDEOGRAPHIC NUMBER ",
    "KATAKANA",
    "MASU MARK",
    "OLD CHINESE ",
    "VERTICAL IDEOGRAPHIC ",
    "VERTICAL KANA ",
)


def assigned() -> Iterator[int]:
    """Yield the code points that the running Python knows and that may stand in text."""
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) != "Cn":
            yield code


def folded_by_python(text: str) -> str:
    """NFKC and casefold with Python's tables, until nothing changes.

    The text is folded in its decomposed form, as section 3.13 of the standard has it: composed, the
    iota subscript would hide in its letter, and a mark behind it would end up on the iota.
    """
    text = "".join(character for character in text if ord(character) not in IGNORABLE)
    while True:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
        if folded == text:
            return folded
        text = folded


def python_is_newer() -> bool:
    """Whether the running Python has newer tables, whose additions ours can't know."""
    ours = tuple(map(int, unicode_version().split(".")))
    return tuple(map(int, unicodedata.unidata_version.split("."))) > ours


def test_folding_agrees_with_python_on_every_code_point() -> None:
    """Each assigned code point folds to NFKC and casefold of it, by Python's own tables."""
    if python_is_newer():
        pytest.skip(f"Python has Unicode {unicodedata.unidata_version}, newer than the tables")
    wrong = [
        hex(code) for code in assigned() if nfkc_casefold(chr(code)) != folded_by_python(chr(code))
    ]
    assert wrong == []


def test_folding_agrees_with_python_next_to_other_characters() -> None:
    """Composition and order are Python's, too: each combining mark behind five bases."""
    if python_is_newer():
        pytest.skip(f"Python has Unicode {unicodedata.unidata_version}, newer than the tables")
    marks = [code for code in assigned() if unicodedata.combining(chr(code))]
    for base in ("a", "α\u0301", "か", "क\u093c", "a\u0327\u0308"):
        for code in marks:
            text = f"{base}{chr(code)}\u0323x"
            assert nfkc_casefold(text) == folded_by_python(text), (base, hex(code))


@pytest.mark.skipif(
    not (DATA / "NormalizationTest.txt.bz2").is_file(), reason="Unicode data not installed"
)
def test_forms_of_the_normalization_test_fold_alike() -> None:
    """The five columns of NormalizationTest.txt are one text in five forms: they fold alike."""
    content = bz2.decompress((DATA / "NormalizationTest.txt.bz2").read_bytes()).decode()
    checked = 0
    for line in content.splitlines():
        columns = line.partition("#")[0].split(";")[:5]
        if len(columns) < 5:
            continue
        texts = ["".join(chr(int(code, 16)) for code in column.split()) for column in columns]
        assert len({nfkc_casefold(text) for text in texts}) == 1, line
        checked += 1
    assert checked > 18_000


@pytest.mark.skipif(
    not ((DATA / "UnicodeData.txt").is_file() and TABLES.is_dir()),
    reason="needs a checkout and Debian's unicode-data",
)
def test_the_tables_are_what_the_script_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running generate.py on the Unicode data gives the file that is checked in, byte for byte."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(TABLES)
    spec = importlib.util.spec_from_file_location("generate", TABLES / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "generate", generate)
    spec.loader.exec_module(generate)
    data = generate.UnicodeData.read(DATA)
    if data.version != unicode_version():
        pytest.skip(f"the Unicode data installed here is {data.version}")
    written: str = generate.source(generate.Tables(data))
    assert written.encode() == (TABLES / "tables.cpp").read_bytes()


def test_words_are_letters_numbers_and_marks_on_every_code_point() -> None:
    """Between two letters, L, N, M and what vanishes join, Han, Kana and Hangul stand alone.

    Anything else parts the letters. Left out: U+200B, and what folds to several characters of
    different classes.
    """
    if python_is_newer():
        pytest.skip(f"Python has Unicode {unicodedata.unidata_version}, newer than the tables")
    for code in assigned():
        folded = folded_by_python(chr(code))
        classes = {unicodedata.category(character)[0] for character in folded}
        if code == 0x200B or len(classes) > 1:
            continue
        name = unicodedata.name(folded[0], "") if folded else ""
        if classes <= {"L", "N"} and name.startswith(CJK_NAMES):
            pairs = [a + b for a, b in itertools.pairwise(folded)]
            expected = ["x", *(pairs or [folded]), "y"]
        elif classes <= {"L"} or classes <= {"N"} or classes <= {"M"}:
            expected = [folded_by_python(f"x{chr(code)}y")]
        else:
            expected = ["x", "y"]
        assert gn.analyze(f"x{chr(code)}y") == expected, hex(code)
