"""Write ``tables.cpp`` from the Unicode Character Database.

Usage: ``python generate.py [--data FOLDER] [--out FILE]``. The folder holds the files of one
version as the Unicode Consortium publishes them; Debian's package ``unicode-data`` puts those of
15.0.0 into /usr/share/unicode. ``tables.hpp`` explains the numbers written here.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from unicode_data import CJK_SCRIPTS, CODE_POINTS, YPOGEGRAMMENI, UnicodeData

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HERE = Path(__file__).parent
SOURCE = Path("/usr/share/unicode")

# As in tables.hpp.
SEPARATOR, WORD, CJK, MARK = range(4)
KEEP, IGNORABLE, ORDERED, MAYBE = range(4)
RUN_OF_WORD, ONE_CJK, SEPARATORS, MIXED, SEGMENT = range(5)
FIRST_MAPPED = 1 << 12
BLOCK = 128
IGNORED_PLANE = range(0xE0000, 0xE1000)


@dataclass
class Tables:
    """The arrays of tables.cpp."""

    data: UnicodeData
    values: list[int] = field(default_factory=list)
    mapped: dict[tuple[tuple[int, ...], int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = [self.value_of(cp) for cp in range(CODE_POINTS)]

    def class_of(self, cp: int) -> int:
        """Return what a folded code point is to the words."""
        group = self.data.category.get(cp, "Cn")[0]
        if group == "M":
            return MARK
        if group not in "LN":
            return SEPARATOR
        return CJK if self.data.scripts.get(cp, {""}) <= CJK_SCRIPTS else WORD

    def combines(self, cp: int) -> bool:
        """Say whether a code point may be sorted or composed with what stands before it."""
        return self.data.ccc(cp) > 0 or cp in self.data.maybe_composes

    def folded(self, cp: int) -> tuple[int, ...]:
        """Return NFKC_Casefold of a code point, with every iota subscript left as it is."""
        parts = self.data.compatibility(cp)
        if YPOGEGRAMMENI not in parts:
            return self.data.folding.get(cp, (cp,))
        return tuple(
            each
            for part in parts
            for each in ((part,) if part == YPOGEGRAMMENI else self.data.folding.get(part, (part,)))
        )

    def value_of(self, cp: int) -> int:
        """Return the entry of a code point in the trie."""
        target = self.folded(cp)
        if not target:
            return SEPARATOR | IGNORABLE << 2
        if target != (cp,):
            key = target, self.kind_of(target)
            return FIRST_MAPPED + self.mapped.setdefault(key, len(self.mapped))
        ccc = self.data.ccc(cp)
        kind = MAYBE if cp in self.data.maybe_composes else ORDERED if ccc else KEEP
        first = self.data.canonical(cp)[0]
        if kind == KEEP and self.combines(first):
            raise AssertionError(f"U+{cp:04X} begins with a combining code point and isn't mapped")
        kept = WORD if cp == YPOGEGRAMMENI else self.class_of(cp)
        return kept | kind << 2 | ccc << 4

    def kind_of(self, target: tuple[int, ...]) -> int:
        """Return how a mapping is written out."""
        classes = [self.class_of(cp) for cp in target]
        if YPOGEGRAMMENI in target or self.combines(target[0]) or self.data.ccc(target[-1]):
            return SEGMENT
        if set(classes) == {SEPARATOR}:
            return SEPARATORS
        if classes == [CJK]:
            return ONE_CJK
        if classes[0] == WORD and set(classes) <= {WORD, MARK}:
            return RUN_OF_WORD
        return MIXED

    def trie(self) -> tuple[list[int], list[int]]:
        """Return the numbers of the blocks and the blocks, one after another."""
        end = max(cp for cp in range(IGNORED_PLANE.start) if self.values[cp] != SEPARATOR) + 1
        beyond = set(self.values[end:][: IGNORED_PLANE.start - end])
        plane = {self.values[cp] for cp in IGNORED_PLANE}
        last = set(self.values[IGNORED_PLANE.stop :])
        if beyond | last != {SEPARATOR} or plane != {SEPARATOR | IGNORABLE << 2}:
            raise AssertionError("code points beyond the trie aren't all alike")
        blocks: dict[tuple[int, ...], int] = {}
        starts = [
            blocks.setdefault(tuple(self.values[at : at + BLOCK]), len(blocks))
            for at in range(0, end, BLOCK)
        ]
        return starts, [value for block in blocks for value in block]

    def mappings(self) -> tuple[list[int], list[int]]:
        """Return offset, length and kind of every mapping, and the bytes of all of them."""
        infos, blob = [], bytearray()
        for target, kind in self.mapped:
            encoded = "".join(map(chr, target)).encode()
            at = blob.find(encoded)
            if at < 0:
                at = len(blob)
                blob += encoded
            infos.append(at << 12 | len(encoded) << 4 | kind)
        return infos, list(blob)

    def is_stable(self, cp: int) -> bool:
        """Say whether folding leaves a code point alone."""
        return cp != YPOGEGRAMMENI and self.folded(cp) == (cp,)

    def compositions(self) -> list[tuple[int, int]]:
        """Return (first << 32 | second, composite) of what may stand in folded text, sorted."""
        pairs = []
        for (first, second), composite in self.data.compositions().items():
            if not self.is_stable(first) or not self.is_stable(second):
                continue
            if not self.is_stable(composite):
                raise AssertionError(f"U+{composite:04X} isn't folded, but its parts are")
            if self.class_of(composite) != self.class_of(first):
                raise AssertionError(f"U+{composite:04X} is of another class than its first part")
            pairs.append((first << 32 | second, composite))
        return sorted(pairs)

    def decompositions(self) -> tuple[list[int], list[int]]:
        """Return code point and place of every decomposition, and all of their code points."""
        keys, parts = [], []
        for cp in sorted(self.data.decomposition):
            decomposed = self.data.canonical(cp)
            if self.is_stable(cp) and decomposed != (cp,):
                keys.append(cp << 32 | len(parts) << 8 | len(decomposed))
                parts += decomposed
        return keys, parts


def array(kind: str, name: str, values: Sequence[int]) -> Iterable[str]:
    """Yield the lines of one array."""
    yield f"constinit const {kind} {name}[{len(values)}] = {{"
    line = "   "
    for value in values:
        text = f" {value}," if value < 10 else f" {value:#x},"
        if len(line) + len(text) > 100:
            yield line
            line = "   "
        line += text
    yield line
    yield "};"


def source(tables: Tables) -> str:
    """Return the text of tables.cpp."""
    starts, values = tables.trie()
    infos, blob = tables.mappings()
    pairs = tables.compositions()
    keys, parts = tables.decompositions()
    lines = [
        f"// Made by generate.py from Unicode {tables.data.version} (see LICENSE.unicode).",
        '#include "text/tables/tables.hpp"',
        "",
        "namespace gnomon::detail {",
        "",
        "// clang-format off",
        f'constinit const char* const kUnicodeVersion = "{tables.data.version}";',
        f"constinit const std::uint32_t kTrieEnd = {len(starts) * BLOCK:#x};",
        f"constinit const std::size_t kCompositions = {len(pairs)};",
        f"constinit const std::size_t kDecompositions = {len(keys)};",
        *array("std::uint16_t", "kTrieBlock", starts),
        *array("std::uint16_t", "kTrieValue", values),
        *array("std::uint32_t", "kMapping", infos),
        *array("unsigned char", "kMappingBytes", blob),
        *array("std::uint64_t", "kCompositionPair", [pair for pair, _ in pairs]),
        *array("std::uint32_t", "kComposite", [composite for _, composite in pairs]),
        *array("std::uint64_t", "kDecomposition", keys),
        *array("std::uint32_t", "kDecompositionPart", parts),
        "// clang-format on",
        "",
        "}  // namespace gnomon::detail",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Read the arguments and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=SOURCE, help="folder of the Unicode data")
    parser.add_argument("--out", type=Path, default=HERE / "tables.cpp", help="file to write")
    arguments = parser.parse_args()
    text = source(Tables(UnicodeData.read(arguments.data)))
    arguments.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
