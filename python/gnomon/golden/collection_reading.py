"""A collection's files read line by line, broken lines noted and left out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gnomon.golden.duplicates import folded
from gnomon.golden.fields import FieldReader, UniqueIds
from gnomon.golden.finding import Finding
from gnomon.sources.corpus import Document
from gnomon.sources.each_record import BrokenLine, read_each_record
from gnomon.sources.escape import quoted
from gnomon.sources.qrels import read_each_judgement

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path


@dataclass(slots=True)
class TextFile:
    """Documents or queries.

    Attributes
    ----------
    file
        The name within the folder.
    ids
        In file order, each once.
    digests
        A digest of the folded text of each, or None for one without text. Equal texts have equal
        digests.
    texts
        By id, of those that were to be kept.
    n_lines
        Records, broken ones too.
    """

    file: str
    ids: list[str] = field(default_factory=list)
    digests: list[bytes | None] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    n_lines: int = 0


@dataclass(slots=True)
class JudgedFile:
    """Judgements.

    Attributes
    ----------
    gains
        By query and document.
    n_repeated
        Lines that say again what an earlier one says.
    """

    file: str
    path: Path
    gains: dict[tuple[str, str], int] = field(default_factory=dict)
    n_repeated: int = 0

    @property
    def queries(self) -> set[str]:
        """The ids of the queries that judgements are about."""
        return {query for query, _ in self.gains}

    @property
    def relevant(self) -> dict[str, list[str]]:
        """The relevant documents of every query that has one."""
        found: dict[str, list[str]] = {}
        for (query, document), gain in self.gains.items():
            if gain >= 1:
                found.setdefault(query, []).append(document)
        return found

    @property
    def relevant_documents(self) -> frozenset[str]:
        """The documents that are relevant for some query."""
        return frozenset(document for (_, document), gain in self.gains.items() if gain >= 1)


def read_texts(
    path: Path, root: Path, problems: list[Finding], *, keep: Container[str] | None
) -> TextFile:
    """Read documents or queries.

    Parameters
    ----------
    keep
        Ids of which the text is kept; None keeps all.
    """
    name = str(path.relative_to(root))
    found, ids = TextFile(name), UniqueIds()
    noted: list[Finding] = []
    for record in read_each_record(path):
        found.n_lines += 1
        if isinstance(record, BrokenLine):
            noted.append(Finding("broken-line", record.line, None, record.problem))
            continue
        reader = FieldReader(record, noted)
        document = Document(
            reader.read_id("_id", integers=True),
            reader.text("title") or "",
            reader.text("text") or "",
        )
        if ids.is_new(reader) and reader.is_clean:
            found.ids.append(document.id)
            text = folded(document.passage)
            found.digests.append(_digest(text) if text else None)
            if keep is None or document.id in keep:
                found.texts[document.id] = document.passage
    if found.n_lines == 0:
        noted.append(Finding("empty-set", None, None, "holds no record"))
    problems += [Finding(one.code, one.line, one.id, one.message, name) for one in noted]
    return found


def read_judged(path: Path, root: Path, problems: list[Finding]) -> JudgedFile:
    """Read judgements; of two that contradict each other, the first is kept."""
    name = str(path.relative_to(root))
    found = JudgedFile(name, path)
    lines: dict[tuple[str, str], int] = {}
    for one in read_each_judgement(path):
        if isinstance(one, BrokenLine):
            problems.append(Finding("broken-line", one.line, None, one.problem, name))
            continue
        line, judgement = one
        pair = (judgement.query, judgement.document)
        known = found.gains.setdefault(pair, judgement.gain)
        first = lines.setdefault(pair, line)
        if first == line:
            continue
        if known == judgement.gain:
            found.n_repeated += 1
            continue
        message = (
            f"gives query {quoted(pair[0])} and document {quoted(pair[1])} the gain "
            f"{judgement.gain}, line {first} gives {known}; keep one of them"
        )
        problems.append(Finding("contradicting-judgement", line, None, message, name))
    if not found.gains:
        problems.append(Finding("empty-set", None, None, "holds no judgement", name))
    return found


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
