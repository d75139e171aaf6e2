"""Blind pairs of answers for an advisory judge, and what the judge says of them.

A pair shows a question and two answers, x and y. Which configuration stands where follows from
secret random bytes that are kept in the key and nowhere else: neither a record nor its place, its
length or its number tells.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.evaluation.bench_lines import RowsHash, line_of
from gnomon.evaluation.bench_tasks import PROTOCOL
from gnomon.evaluation.citations import without_citations
from gnomon.evaluation.prompts import REFUSAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.evaluation.bench_score import Answers
    from gnomon.evaluation.bench_tasks import Task, TaskFile

PAIRS_SCHEMA: Final = "gnomon.bench-pairs/1"
KEY_SCHEMA: Final = "gnomon.bench-key/2"
SECRET_BYTES: Final = 32
# A number such as 0.8312 may be a score of the retrieval that made the answer.
_SCORE: Final = re.compile(r"(?<![\w.])0\.\d{3,}(?![\w.])")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers to one question.

    Attributes
    ----------
    record
        The golden record; in the key only.
    first_is_x
        Whether the first configuration stands at x; in the key only.
    tells
        Whether one text and not the other names a configuration, its index or its model, or shows
        what looks like a score: such a pair is not blind, and is counted apart.
    """

    record: str
    question: str
    previous: tuple[str, ...]
    x: str
    y: str
    first_is_x: bool
    tells: bool


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs in the order in which they are judged, and what was left out.

    Attributes
    ----------
    identical
        How many records have the same answer on both sides: nothing to judge.
    """

    pairs: tuple[Pair, ...]
    identical: int


def make_pairs(sides: Sequence[TaskFile], answers: Sequence[Answers], secret: bytes) -> Pairs:
    """Return blind pairs of the answers of two sides.

    Half of the pairs, drawn by the secret, have the first configuration at x; of an odd number, the
    secret says which half is larger. The order is drawn too. Citations are shown as numbers.

    Parameters
    ----------
    secret
        Random bytes that nobody else has.
    """
    first, second = (
        {task.record.id: (task, _shown(task, given)) for task in side.tasks}
        for side, given in zip(sides, answers, strict=True)
    )
    differing = [name for name in first if first[name][1] != second[name][1]]
    at_x = _half(differing, secret)
    names = _names(sides)
    pairs = []
    for name in sorted(differing, key=lambda one: _drawn(secret, "order", one)):
        task, one = first[name]
        other = second[name][1]
        x, y = (one, other) if name in at_x else (other, one)
        pairs.append(
            Pair(
                name,
                task.record.question,
                task.record.previous,
                x,
                y,
                first_is_x=name in at_x,
                tells=_named_in(x, names) != _named_in(y, names),
            )
        )
    return Pairs(tuple(pairs), len(first) - len(differing))


def pairs_lines(pairs: Pairs, commitment: str) -> list[bytes]:
    """Return what the judge gets, line by line."""
    return [line_of(value) for value in (head_of(len(pairs.pairs), commitment), *_rows(pairs))]


def head_of(n_pairs: int, commitment: str) -> dict[str, Any]:
    """Return the first line of pairs."""
    return {
        "schema": PAIRS_SCHEMA,
        "protocol": PROTOCOL,
        "pairs": n_pairs,
        "key_sha256": commitment,
    }


def _rows(pairs: Pairs) -> list[dict[str, Any]]:
    return [
        {
            "pair": number,
            "question": pair.question,
            "previous": list(pair.previous),
            "x": pair.x,
            "y": pair.y,
        }
        for number, pair in enumerate(pairs.pairs, 1)
    ]


def key_body(pairs: Pairs, sides: Sequence[TaskFile], secret: bytes) -> dict[str, Any]:
    """Return what the key keeps."""
    rows = _rows(pairs)
    return {
        "schema": KEY_SCHEMA,
        "secret": secret.hex(),
        "configs": [side.config for side in sides],
        "tasks_hashes": [side.hash for side in sides],
        "identical": pairs.identical,
        "pairs_sha256": RowsHash(rows).hex,
        "pairs": [
            {
                "pair": number,
                "record": pair.record,
                "x": 0 if pair.first_is_x else 1,
                "tells": pair.tells,
                "row_sha256": RowsHash([row]).hex,
            }
            for number, (pair, row) in enumerate(zip(pairs.pairs, rows, strict=True), 1)
        ],
    }


def commitment_of(key: dict[str, Any]) -> str:
    """Return sha256 over a key, in hexadecimal digits: what the pairs say of it."""
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()


def _half(records: Sequence[str], secret: bytes) -> frozenset[str]:
    drawn = sorted(records, key=lambda one: _drawn(secret, "side", one))
    larger = _drawn(secret, "half", "")[0] & 1
    return frozenset(drawn[: (len(drawn) + larger) // 2])


def _drawn(secret: bytes, purpose: str, record: str) -> bytes:
    return hmac.new(secret, f"{purpose}\n{record}".encode(), hashlib.sha256).digest()


def _shown(task: Task, answers: Answers) -> str:
    """Return an answer as the judge sees it: citations tell which excerpts were found."""
    if task.is_refused:
        return REFUSAL
    numbers: dict[str, int] = {}

    def number(written: str) -> str:
        return f"[{numbers.setdefault(written, len(numbers) + 1)}]"

    return without_citations(answers[task.id][-1], number).strip()


def _names(sides: Sequence[TaskFile]) -> tuple[str, ...]:
    """Return what only one of the sides is called: a name that both have tells nothing."""
    first, second = (
        {
            str(name).casefold()
            for name in (side.config, side.setup["index"].get("name"), _model(side))
            if name
        }
        for side in sides
    )
    return tuple(sorted(first ^ second))


def _model(side: TaskFile) -> str | None:
    name: str | None = side.setup["index"].get("embed_model")
    return name


def _named_in(text: str, names: Sequence[str]) -> frozenset[str]:
    """Return the names and the scores that a text shows."""
    folded = text.casefold()
    found = {name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded)}
    return frozenset(found | set(_SCORE.findall(text)))


def key_text(key: dict[str, Any]) -> str:
    """Return a key as it is written."""
    return json.dumps(key, indent=1) + "\n"
