"""Build the collection of ``gnomon demo`` from our own documentation and docstrings.

    python docs/demo/build.py            # writes python/gnomon/data/demo
    python docs/demo/build.py --check    # fails when that folder is not what would be written

A passage is a paragraph, a list item or a table row of a page under ``docs/``, joined with the next
ones of its section when it is too short to stand alone, or the docstring of a public name. Its id
is the page and the heading (``docs/audit.md#repairing~2``: the second passage below that heading)
or the object (``gnomon.kernels.linear.norms``). Questions stand in ``questions.jsonl``, written by
hand; each names its relevant passages by id prefix and a few of their words, so that an edit that
moves or removes an answer is noticed here and not in somebody's demo.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "gnomon"
OUT = PACKAGE / "data" / "demo"
QUESTIONS = Path(__file__).with_name("questions.jsonl")
# This page states the demo's figures; were it in the collection, stating them would move them.
LEFT_OUT = ("docs/how-to/run-the-demo.md",)
FEWEST_WORDS, MOST_WORDS = 20, 250
RUN_WORDS = 5  # a question must not repeat so many words in a row of its answer


@dataclass(frozen=True)
class Passage:
    """A piece of text that can answer a question."""

    id: str
    title: str
    text: str


def passages() -> list[Passage]:
    """Return every passage once, pages first, in the order of their paths."""
    kept, seen = [], set()
    for one in (*_of_pages(), *_of_docstrings()):
        if len(one.text.split()) >= FEWEST_WORDS and one.text not in seen:
            seen.add(one.text)
            kept.append(one)
    return kept


# ---------------------------------------------------------------------------------------------
# Pages


def _of_pages() -> Iterator[Passage]:
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT).as_posix()
        if name not in LEFT_OUT:
            yield from _of_page(name, page.read_text(encoding="utf-8"))


@dataclass
class _Section:
    """The heading of a piece of a page and its blocks of text, in order."""

    slug: str
    title: str
    blocks: list[str] = field(default_factory=list)


def _of_page(name: str, source: str) -> Iterator[Passage]:
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    counts: Counter[str] = Counter()
    for section in _sections(tokens):
        for text in _joined(section.blocks):
            counts[section.slug] += 1
            number = f"~{counts[section.slug]}" if counts[section.slug] > 1 else ""
            yield Passage(f"{name}#{section.slug}{number}", section.title, _cut(text))


def _sections(tokens: list[Token]) -> Iterator[_Section]:
    headings: dict[int, str] = {}
    section = _Section("top", "")
    for level, text in _blocks(tokens):
        if not level:
            section.blocks.append(text)
            continue
        yield section
        headings = {at: title for at, title in headings.items() if at < level} | {level: text}
        section = _Section(_slug(text), " / ".join(headings[at] for at in sorted(headings)))
    yield section


def _joined(blocks: list[str]) -> list[str]:
    """Return the blocks of a section, none shorter than a passage unless it is the only one."""
    texts: list[str] = []
    short = False
    for block in blocks:
        if short:
            texts[-1] = f"{texts[-1]} {block}"
        else:
            texts.append(block)
        short = len(texts[-1].split()) < FEWEST_WORDS
    if short and len(texts) > 1:
        last = texts.pop()
        texts[-1] = f"{texts[-1]} {last}"
    return texts


def _blocks(tokens: list[Token]) -> Iterator[tuple[int, str]]:
    """Yield (heading level, title) and (0, text) in order; a list item or table row is one text.

    Heads of tables are left out, rows of figures, and rows or items with a part that is only a
    link: alone, none of them answers a question.
    """
    gathered: list[tuple[str, bool]] = []
    depth = heading = 0
    in_head = False
    for token in tokens:
        if token.type in ("thead_open", "thead_close"):
            in_head = token.type == "thead_open"
        elif token.type == "heading_open":
            heading = int(token.tag[1])
        elif token.type in ("tr_open", "list_item_open"):
            depth += 1
        elif token.type in ("tr_close", "list_item_close"):
            depth -= 1
            if depth == 0:
                text = _row(gathered) if token.type == "tr_close" else _item(gathered)
                if text and not in_head:
                    yield 0, text
                gathered = []
        elif token.type == "inline":
            part = (_plain(token), _is_link(token))
            if heading:
                yield heading, part[0]
                heading = 0
            elif depth:
                gathered.append(part)
            else:
                yield 0, part[0]


def _row(cells: list[tuple[str, bool]]) -> str:
    """Return a table row as a sentence, or nothing when it is a row of links or of figures."""
    tokens = " ".join(text for text, _ in cells).split()
    if any(is_link for _, is_link in cells) or 2 * sum(map(_is_word, tokens)) < len(tokens):
        return ""
    first, *rest = (text for text, _ in cells if text)
    return f"{first}: {'; '.join(rest)}." if rest else first


def _item(parts: list[tuple[str, bool]]) -> str:
    return "" if any(is_link for _, is_link in parts) else " ".join(text for text, _ in parts)


def _is_word(token: str) -> bool:
    return any(character.isalpha() for character in token)


def _is_link(token: Token) -> bool:
    children = token.children or []
    return (
        len(children) > 1
        and children[0].type == "link_open"
        and children[-1].type == "link_close"
        and sum(child.type == "link_open" for child in children) == 1
    )


def _plain(token: Token) -> str:
    parts = []
    for child in token.children or []:
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts).strip()


# ---------------------------------------------------------------------------------------------
# Docstrings


def _of_docstrings() -> Iterator[Passage]:
    """Yield the docstrings of what a user can import or call.

    That is every name that a room lists in ``__all__`` with its public methods, every error class,
    and every command. Docstrings that only maintainers read stay out.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0]
        names = _exported(path.parent / "__init__.py") | _exported(PACKAGE / "__init__.py")
        module = ".".join(path.relative_to(ROOT / "python").with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and (
                node.name in names or room == "errors.py" or (room == "cli" and _is_command(node))
            ):
                yield from _of_node(node, f"{module.removesuffix('.__init__')}.{node.name}")


def _exported(path: Path) -> set[str]:
    """Return the names in the ``__all__`` of a file; none when there is no such file or list."""
    if not path.is_file():
        return set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def _is_command(node: ast.ClassDef | ast.FunctionDef) -> bool:
    return any("command(" in ast.unparse(decorator) for decorator in node.decorator_list)


def _of_node(node: ast.ClassDef | ast.FunctionDef, name: str) -> Iterator[Passage]:
    text = ast.get_docstring(node)
    if text is not None:
        yield Passage(name, name, _cut(_prose(text)))
    if isinstance(node, ast.ClassDef):
        for child in node.body:
            if isinstance(child, ast.FunctionDef) and not child.name.startswith("_"):
                yield from _of_node(child, f"{name}.{child.name}")


def _prose(docstring: str) -> str:
    prose = inspect.cleandoc(docstring).partition("\nExamples\n")[0]
    prose = re.sub(r"\n(\w+)\n-+\n", r"\n\1: ", prose)
    return re.sub(r":\w+:`([^`]*)`", r"\1", prose).replace("`", "")


# ---------------------------------------------------------------------------------------------
# Questions and files


def _cut(text: str) -> str:
    return " ".join(text.split()[:MOST_WORDS])


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def judged(found: list[Passage]) -> tuple[list[dict[str, str]], list[tuple[str, str, int]]]:
    """Return the queries and the judgements of the questions.

    Raises
    ------
    SystemExit
        An answer names no passage or more than one, two answers of a question name the same, or a
        question repeats its answer; the message says which, all of them at once.
    """
    queries, qrels, problems = [], [], []
    for number, line in enumerate(QUESTIONS.read_text(encoding="utf-8").splitlines(), start=1):
        question = json.loads(line)
        queries.append({"_id": question["id"], "text": question["question"]})
        answers: set[str] = set()
        for answer in question["answers"]:
            matching = [
                one
                for one in found
                if one.id.startswith(answer["in"]) and answer["words"] in one.text
            ]
            if len(matching) != 1:
                named = [one.id for one in matching] or "no passage"
                problems.append(f"line {number}: {answer} matches {named}")
                continue
            passage = matching[0]
            if passage.id in answers:
                problems.append(f"line {number}: {passage.id} is named twice")
            problems += [
                f"line {number}: repeats {' '.join(run)!r} of {passage.id}"
                for run in sorted(_runs(question["question"]) & _runs(passage.text))
            ]
            answers.add(passage.id)
            qrels.append((question["id"], passage.id, answer.get("gain", 1)))
    if problems:
        sys.exit("\n".join(problems))
    return queries, qrels


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[^\W_]+", text.lower())
    return {tuple(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)}


def built() -> dict[str, str]:
    """Return the files of the collection by name."""
    found = passages()
    queries, qrels = judged(found)
    documents = [{"_id": one.id, "title": one.title, "text": one.text} for one in found]
    rows = ["query-id\tcorpus-id\tscore", *(f"{q}\t{d}\t{gain}" for q, d, gain in qrels)]
    return {
        "corpus.jsonl": _lines(documents),
        "queries.jsonl": _lines(queries),
        "qrels.tsv": "\n".join(rows) + "\n",
    }


def _lines(records: list[dict[str, str]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def main() -> None:
    """Write or check the collection."""
    parser = argparse.ArgumentParser(description="Build the collection of gnomon demo.")
    parser.add_argument("--check", action="store_true", help="fail when a file would change")
    check = parser.parse_args().check
    for name, text in built().items():
        path = OUT / name
        if check and (not path.is_file() or path.read_text(encoding="utf-8") != text):
            sys.exit(f"{path.relative_to(ROOT)} is out of date; run: python docs/demo/build.py")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
