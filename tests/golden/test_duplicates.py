"""Questions asked twice: what is nearly the same, and what only looks alike."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gnomon.golden.duplicates import first_of_each, folded, near_repetitions
from gnomon.golden.quoting import Quoting
from gnomon.retrieval.function_words import function_words

if TYPE_CHECKING:
    from collections.abc import Sequence

LIGHT = function_words(["en"])
# What a small set asks besides, so that no pair is compared in a void.
OTHERS = ["Where are invoices kept?", "Is there a limit on uploads?", "Why was I logged out?"]


def pairs(
    questions: Sequence[str], contexts: Sequence[object] | None = None
) -> list[tuple[int, int]]:
    """Return which questions repeat which."""
    found = near_repetitions(questions, contexts or [None] * len(questions), LIGHT)
    assert all(0.8 <= one.likeness <= 1 for one in found)
    return [(one.row, one.first) for one in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do I rotate a key?", "How do I rotate the key"),
        ("How do I rotate a key?", "How can I rotate my key?"),
        ("How do I rotate an API key?", "how do i rotate an api-key"),
        (
            "How do I rotate the signing keys of a project?",
            "How do I rotate the signing key of a project?",
        ),
        (
            "How do I rotate the signing keys of a project?",
            "How do I rotat the signing keys of a project?",
        ),
        ("How do I rotate a key in the console?", "In the console, how do I rotate a key?"),
        ("如何轮换控制台中的项目密钥", "如何轮换控制台中的项目密钥呢"),
        ("วิธีหมุนคีย์ของโครงการในคอนโซลทุกวัน", "วิธีหมุนคีย์ของโครงการในคอนโซลทุกวันค่ะ"),
        (
            "Wie drehe ich einen Schlüssel?",
            "Wie drehe ich einen Schluessel?".replace("ue", "u\u0308"),
        ),
    ],
)
def test_nearly_the_same(one: str, other: str) -> None:
    """Articles, helping verbs, endings, typos and order don't make another question."""
    assert pairs([one, *OTHERS, other]) == [(4, 0)] or folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do I rotate a key?", "Why do I rotate a key?"),
        ("How do I rotate a key?", "When do I rotate a key?"),
        ("How do I rotate a key?", "How do I revoke a key?"),
        ("Can I rotate a key?", "Can I not rotate a key?"),
        ("What is exit code 3?", "What is exit code 4?"),
        (
            "What changed in version 2.1 of the client?",
            "What changed in version 2.2 of the client?",
        ),
        ("Does it read from Pinecone?", "Does it read from Weaviate?"),
        ("Wie drehe ich einen Schlüssel?", "Warum drehe ich einen Schlüssel?"),
        ("Rotate it?", "And then?"),
        ("如何轮换密钥", "如何撤销密钥"),
    ],
)
def test_only_alike(one: str, other: str) -> None:
    """A question word, a negation, a number or a name makes another question."""
    assert pairs([one, *OTHERS, other]) == []


def test_equal_but_for_case_is_not_near() -> None:
    """What is equal once folded is told as a duplicate, not as nearly one."""
    assert pairs(["How do I rotate a key?", "how  do i ROTATE a key?"]) == []
    assert folded("ﬁne\u00a0 Straße") == "fine strasse"


def test_contexts_are_kept_apart() -> None:
    """The same words after other turns are another question."""
    asked = ["and how often?", "and how often", "and how often", "AND HOW OFTEN"]
    assert pairs(asked, ["keys", "calls", "keys", "calls"]) == [(2, 0)]
    assert pairs(asked, ["keys", "calls", "audit", "admin"]) == []


def test_the_nearest_earlier_one_is_named() -> None:
    """One finding for a question, about what it is most alike; the first of equals."""
    asked = [
        "How do I rotate the signing keys of a project?",
        "How can I rotate the signing key of a project",
        "How do I rotate the signing keys of a project",
    ]
    assert pairs(asked) == [(1, 0), (2, 0)]
    assert pairs([asked[2], *OTHERS, asked[0], f"{asked[0]}?"]) == [(4, 0), (5, 0)]


def likeness_by_definition(questions: list[str]) -> dict[tuple[int, int], float]:
    """Return the weighted Jaccard coefficient of every pair, worked out one by one."""

    def weighted(question: str) -> set[tuple[bool, str]]:
        return {
            (word in LIGHT, f" {word} "[start : start + 3])
            for word in question.lower().split()
            for start in range(len(word))
        }

    sets = [weighted(question) for question in questions]
    count = Counter(one for part in sets for one in part)

    def weight(part: set[tuple[bool, str]]) -> float:
        return sum(
            (0.25 if one[0] else 1.0) * math.log(1 + (len(sets) + 20) / (count[one] + 5))
            for one in part
        )

    return {
        (one, other): weight(sets[one] & sets[other]) / weight(sets[one] | sets[other])
        for one in range(len(sets))
        for other in range(one)
    }


def test_no_pair_is_missed() -> None:
    """Candidates are found for every pair that the definition calls alike, and no other pair."""
    draw = random.Random(3)
    words = [start + end for start in ("key", "call", "page", "tok") for end in ("er", "ma", "lo")]
    small = ["the", "a", "of", "in"]
    asked = [
        " ".join(draw.choices([*words, *words, *small], k=draw.randint(4, 8))) for _ in range(90)
    ]
    for question in asked[:60]:
        altered = question.split()
        altered[draw.randrange(len(altered))] = draw.choice([*words, *small])
        asked.append(" ".join(altered))
    asked = list(dict.fromkeys(asked))
    alike = {pair: x for pair, x in likeness_by_definition(asked).items() if x >= 0.8}
    assert len(alike) > 20
    found = near_repetitions(asked, [None] * len(asked), LIGHT)
    assert {one.row for one in found} == {row for row, _ in alike}
    for one in found:
        best = max(x for (row, _), x in alike.items() if row == one.row)
        assert one.likeness == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("asked", [[], [""], ["", " "], ["?", "!"], ["a"], ["\x00", "\x00 \x00"]])
def test_nothing_to_compare(asked: list[str]) -> None:
    """Sets without words are no trouble."""
    assert pairs(asked) == []


def test_rows_and_their_first() -> None:
    """Every later row points to the first with its key."""
    assert first_of_each(["a", "b", "a", "a", "b"]) == {2: 0, 3: 0, 4: 1}
    assert first_of_each([]) == {}


TEXTS = [
    "Every call is signed with the key of the account that it is made for.",
    "How do I rotate a key? Call rotate() and wait.",
    "",
]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How do I rotate a key?", (1, "how do i rotate a key")),
        ("How do I rotate the key?", None),
        ("how, do I: rotate a KEY", (1, "how do i rotate a key")),
        ("Why is a call signed with the key of the account?", None),
        ("Why signed with the key of the account of mine?", None),
        (
            "Why is it signed with the key of the account that it knows?",
            (0, "signed with the key of the account that it"),
        ),
        ("rotate a key", None),
        ("", None),
    ],
)
def test_quotations(question: str, found: tuple[int, str] | None) -> None:
    """Eight words in a row, or a whole question of five; the longest run is told."""
    assert Quoting(TEXTS).quoted_run(question, [0, 1, 2]) == found


def test_only_own_rows_are_looked_at() -> None:
    """Words that stand elsewhere are no quotation of the gold."""
    assert Quoting(TEXTS).quoted_run("How do I rotate a key?", [0, 2]) is None
