"""Pages on which lambda and k matter: sections that resemble each other, some of them short."""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING

import numpy as np
from tests.evaluation.records import record

from gnomon.embedding.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.golden.records import GoldenRecord

DIM = 16
SUBJECTS = ("key", "call", "audit", "sundial", "shadow", "index", "probe", "trail")
_FILLER = [f"word{number}" for number in range(60)]


class HashedWords:
    """An embedder that adds up a random vector for each word."""

    def __init__(self, name: str = "hashed-words") -> None:
        self.profile = Profile(name, DIM, normalisation="none")

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the sum over the words of each text."""
        return np.stack(
            [sum((_word(w) for w in text.lower().split()), _word("")) for text in texts]
        )

    embed_questions = embed_documents


def _word(word: str) -> NDArray[np.float32]:
    seed = zlib.crc32(word.encode())
    return np.random.default_rng(seed).standard_normal(DIM).astype(np.float32)


def pages() -> dict[str, str]:
    """Return Markdown pages by name: for each subject two pages of four sections."""
    draw = random.Random(7)
    written = {}
    for subject in SUBJECTS:
        for number in (1, 2):
            sections = [f"# The {subject} {number}\n\nAll about the {subject}."]
            for part in range(4):
                words = draw.choices(_FILLER, k=draw.choice((8, 150)))
                sections.append(f"## Part {part} of {subject}\n\nThe {subject} {' '.join(words)}.")
            written[f"{subject}/p{number}.md"] = "\n\n".join(sections)
    return written


def records() -> list[GoldenRecord]:
    """Return records that expect answers, follow-ups, scoped ones and refusals."""
    found = []
    for number, subject in enumerate(SUBJECTS):
        page = f"{subject}/p1"
        part = f"part-{number % 4}-of-{subject}"
        found += [
            record(f"{subject}-1", f"{subject} word{number}", gold=[f"{page}#{part}"]),
            record(f"{subject}-2", f"all about {subject}", gold=[page, f"{subject}/p2#"]),
            record(
                f"{subject}-f", "and word3 there?", gold=[page], previous=[f"what is a {subject}?"]
            ),
            record(f"{subject}-s", f"{subject} word9", gold=[page], scope=[subject]),
        ]
    found += [
        record("absent", "borscht recipe", expect="refuse:no-evidence"),
        record("elsewhere", "the key", gold=["key/p1"], scope=["trail"]),
        record("outside", "rotate the key", expect="refuse:out-of-scope", scope=["trail"]),
    ]
    return found
