"""Real text cut into passages of about 25 words, one a line, for the benchmarks of lexical search.

Reads folders of text (.txt, .md, .rst, .html, man pages, dictionaries, docstrings and comments of
Python files; also compressed with gzip) and Debian packages, which are downloaded with
``apt-get download`` and unpacked into a temporary folder, not installed. Equal passages are kept
once. The passages are shuffled by their hashes, so that the first n of them are a sample of all,
the same one on every run::

    python bench/passages.py --out passages.txt --n 1000000 \
        --debian linux-doc-6.1 dict-gcide python3.11-doc debian-reference-en wordnet-base \
        --folder /usr/share/doc --folder /usr/lib/python3/dist-packages
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS_A_PASSAGE = 25
FEWEST_WORDS = 8
LARGEST_FILE = 256 << 20
CODE = {".svg", ".js", ".css", ".c", ".h", ".so", ".json"}
TAGS = re.compile(r"(?s)<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>")
BREAKS = re.compile(r"(?i)<(?:p|li|dd|dt|h\d|tr|div|pre|br)\b[^>]*>")
DOCSTRINGS = re.compile(r'(?s)"""(.*?)"""')
COMMENTS = re.compile(r"(?m)(?:^[ \t]*#[^\n]*\n)+")
ROFF = re.compile(r'(?m)^[.\'](?!\\").*$|^\.\\".*$|\\f.|\\[&|^c]')
PARAGRAPH = re.compile(r"\n[ \t]*\n")
WORDY = re.compile(r"[^\W\d_]{2,}")


def texts_of(path: Path) -> str:
    """Return what a file says, as paragraphs between empty lines."""
    data = path.read_bytes()
    name = path
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
        name = path.with_suffix("") if path.suffix in {".gz", ".dz"} else path
    text = data.decode("utf-8", errors="replace")
    suffix = name.suffix.lower()
    if suffix in {".html", ".htm", ".xml"}:
        return html.unescape(TAGS.sub(" ", BREAKS.sub("\n\n", text)))
    if suffix == ".py":
        return "\n\n".join([*DOCSTRINGS.findall(text), *COMMENTS.findall(text)]).replace("#", " ")
    if re.fullmatch(r"\.[1-8]\w*", suffix):
        return ROFF.sub("\n", text)
    return "" if suffix in CODE else text


def passages_of(text: str) -> Iterator[str]:
    """Yield passages of a text; what is mostly no words (tables, code, numbers) is left out."""
    for paragraph in PARAGRAPH.split(text):
        words = paragraph.split()
        for start in range(0, len(words), WORDS_A_PASSAGE):
            piece = words[start : start + WORDS_A_PASSAGE]
            wordy = sum(bool(WORDY.search(word)) for word in piece)
            if wordy >= max(FEWEST_WORDS, 0.7 * len(piece)):
                yield " ".join(piece)


def files_under(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder in order, without following links."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < LARGEST_FILE:
            yield path


def unpacked(packages: list[str], into: Path) -> Path:
    """Download Debian packages and unpack them; returns the folder."""
    subprocess.run(["apt-get", "download", *packages], cwd=into, check=True)
    for archive in sorted(into.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(archive), str(into)], check=True)
        archive.unlink()
    return into


def collect(folders: list[Path]) -> dict[bytes, str]:
    """Return the distinct passages of all folders by their hashes."""
    found: dict[bytes, str] = {}
    for folder in folders:
        for path in files_under(folder):
            try:
                text = texts_of(path)
            except (OSError, EOFError, ValueError) as error:
                print(f"{path}: left out: {error}", file=sys.stderr)
                continue
            if "\x00" in text[:4096]:
                continue
            for passage in passages_of(text):
                found.setdefault(
                    hashlib.blake2b(passage.encode(), digest_size=10).digest(), passage
                )
        print(f"{folder}: {len(found)} passages so far", file=sys.stderr)
    return found


def main() -> None:
    """Collect, shuffle and write the passages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--n", type=int, default=1_000_000, help="how many passages at most")
    parser.add_argument("--folder", type=Path, action="append", default=[], help="may be repeated")
    parser.add_argument("--debian", nargs="*", default=[], help="packages to download and unpack")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folders = [unpacked(args.debian, Path(scratch))] if args.debian else []
        found = collect([*folders, *args.folder])
    chosen = [found[key] for key in sorted(found)[: args.n]]
    args.out.write_text("".join(f"{passage}\n" for passage in chosen), encoding="utf-8")
    print(f"{args.out}: {len(chosen)} of {len(found)} passages", file=sys.stderr)


if __name__ == "__main__":
    main()
