"""The Unicode Character Database, read from its own files: what the tables are made of.

Python's ``unicodedata`` isn't asked for anything: its version is that of the interpreter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CODE_POINTS = 0x110000
YPOGEGRAMMENI = 0x0345
HANGUL_BASE, HANGUL_COUNT = 0xAC00, 11172
LEADING_BASE, VOWEL_BASE, TRAILING_BASE = 0x1100, 0x1161, 0x11A7
VOWELS, TRAILINGS = 21, 28
CJK_SCRIPTS = {"Hani", "Hira", "Kana", "Hang"}
# Unicode's long names of the scripts above, as Scripts.txt writes them.
SCRIPT_NAMES = {"Han": "Hani", "Hiragana": "Hira", "Katakana": "Kana", "Hangul": "Hang"}


def fields_of(path: Path) -> Iterator[tuple[range, list[str]]]:
    """Yield the code points and the other fields of every line of a property file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        values = [value.strip() for value in line.partition("#")[0].split(";")]
        if values[0]:
            first, _, last = values[0].partition("..")
            yield range(int(first, 16), int(last or first, 16) + 1), values[1:]


def code_points_of(text: str) -> tuple[int, ...]:
    """Return the code points that a field lists in hexadecimal."""
    return tuple(int(value, 16) for value in text.split())


@dataclass
class UnicodeData:
    """The properties that folding and cutting need, for every code point that has them."""

    version: str
    category: dict[int, str] = field(default_factory=dict)
    combining_class: dict[int, int] = field(default_factory=dict)
    decomposition: dict[int, tuple[int, ...]] = field(default_factory=dict)
    compatible: set[int] = field(default_factory=set)
    folding: dict[int, tuple[int, ...]] = field(default_factory=dict)
    no_composition: set[int] = field(default_factory=set)
    maybe_composes: set[int] = field(default_factory=set)
    scripts: dict[int, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> UnicodeData:
        """Read the database from a folder such as /usr/share/unicode."""
        props = folder / "DerivedNormalizationProps.txt"
        first_line = props.read_text(encoding="utf-8").splitlines()[0]
        data = cls(version=first_line.removesuffix(".txt").rpartition("-")[2])
        data._read_characters(folder / "UnicodeData.txt")
        data._read_normalization(props)
        data._read_scripts(folder)
        return data

    def _read_characters(self, path: Path) -> None:
        first = 0
        for line in path.read_text(encoding="utf-8").splitlines():
            code, name, category, ccc, _, mapping, *_ = line.split(";")
            cp = int(code, 16)
            if name.endswith(", First>"):
                first = cp
            for each in range(first if name.endswith(", Last>") else cp, cp + 1):
                self.category[each] = category
                if ccc != "0":
                    self.combining_class[each] = int(ccc)
            if mapping:
                if mapping.startswith("<"):
                    self.compatible.add(cp)
                self.decomposition[cp] = code_points_of(mapping.partition("> ")[2] or mapping)

    def _read_normalization(self, path: Path) -> None:
        for cps, (name, *values) in fields_of(path):
            if name == "NFKC_CF":
                for cp in cps:
                    self.folding[cp] = code_points_of(values[0])
            elif name == "Full_Composition_Exclusion":
                self.no_composition.update(cps)
            elif name == "NFC_QC" and values[0] == "M":
                self.maybe_composes.update(cps)

    def _read_scripts(self, folder: Path) -> None:
        for cps, (name, *_) in fields_of(folder / "Scripts.txt"):
            for cp in cps:
                self.scripts[cp] = {SCRIPT_NAMES.get(name, name)}
        for cps, (names, *_) in fields_of(folder / "ScriptExtensions.txt"):
            for cp in cps:
                self.scripts[cp] = set(names.split())

    def canonical(self, cp: int) -> tuple[int, ...]:
        """Return the full canonical decomposition of a code point, ordered."""
        return self._decomposed(cp, compatible=False)

    def compatibility(self, cp: int) -> tuple[int, ...]:
        """Return the full compatibility decomposition of a code point, ordered."""
        return self._decomposed(cp, compatible=True)

    def _decomposed(self, cp: int, *, compatible: bool) -> tuple[int, ...]:
        if HANGUL_BASE <= cp < HANGUL_BASE + HANGUL_COUNT:
            rest, trailing = divmod(cp - HANGUL_BASE, TRAILINGS)
            leading, vowel = divmod(rest, VOWELS)
            parts = (LEADING_BASE + leading, VOWEL_BASE + vowel, TRAILING_BASE + trailing)
            return parts[: 3 if trailing else 2]
        if cp not in self.decomposition or (cp in self.compatible and not compatible):
            return (cp,)
        parts = tuple(
            part
            for each in self.decomposition[cp]
            for part in self._decomposed(each, compatible=compatible)
        )
        return self.ordered(parts)

    def ordered(self, cps: tuple[int, ...]) -> tuple[int, ...]:
        """Return code points with every run of combining marks sorted by class, stably."""
        result = list(cps)
        for end in range(1, len(result)):
            place = end
            while place and 0 < self.ccc(result[place]) < self.ccc(result[place - 1]):
                result[place - 1 : place + 1] = result[place], result[place - 1]
                place -= 1
        return tuple(result)

    def ccc(self, cp: int) -> int:
        """Return the canonical combining class."""
        return self.combining_class.get(cp, 0)

    def compositions(self) -> dict[tuple[int, int], int]:
        """Return the primary composites by their two parts, Hangul apart."""
        return {
            (parts[0], parts[1]): cp
            for cp, parts in self.decomposition.items()
            if cp not in self.compatible and len(parts) == 2 and cp not in self.no_composition
        }
