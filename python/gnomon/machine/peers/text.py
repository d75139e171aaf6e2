"""Cutting text into words; the others fold less and know no Chinese, so the texts are ASCII."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon import kernels
from gnomon.machine.peers.passages import passages
from gnomon.machine.work import OURS, Peer, Work, WrongAnswerError, installed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Words = Sequence[Sequence[str]]
    Cut = Callable[[], Words]


@dataclass(frozen=True, slots=True, eq=False)
class TextTask:
    """Texts of ASCII words."""

    texts: Sequence[str]


def work(n: int) -> Work[TextTask, Any]:
    """Return the analysis of so many passages."""
    texts = n * 40 * 6  # words of a passage, bytes of a word with its space
    return Work(
        kernel="text",
        name=f"text {n}",
        what=f"{n:,} passages of 40 words into lists of str",
        make=lambda: TextTask(passages(n).texts),
        peers=PEERS,
        check=check,
        amount=texts,
        unit="bytes",
    )


def check(task: TextTask, words: Words) -> None:
    """Raise unless the words are those between the spaces, in lower case."""
    for row, text in enumerate(task.texts):
        if list(words[row]) != text.lower().split():
            raise WrongAnswerError(f"text {row} has other words")


def _ours(task: TextTask, _threads: int) -> Cut:
    return lambda: [kernels.analyze(text) for text in task.texts]


def _tantivy(task: TextTask, _threads: int) -> Cut:
    tantivy = installed("tantivy")
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    analyzer = builder.filter(tantivy.Filter.lowercase()).build()
    return lambda: [analyzer.analyze(text) for text in task.texts]


def _bm25s(task: TextTask, _threads: int) -> Cut:
    bm25s = installed("bm25s")
    texts = list(task.texts)
    return lambda: bm25s.tokenize(texts, stopwords=None, return_ids=False, show_progress=False)


def _python(task: TextTask, _threads: int) -> Cut:
    pattern = re.compile(r"\w+")
    return lambda: [
        pattern.findall(unicodedata.normalize("NFKC", text).casefold()) for text in task.texts
    ]


PEERS: tuple[Peer[TextTask, Any], ...] = (
    Peer(OURS, _ours),
    Peer("tantivy", _tantivy, "tantivy"),
    Peer("bm25s", _bm25s, "bm25s"),
    Peer("Python, re", _python),
)
