"""Readings whose own text names the system that they come from: such a spot is not blind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# What tools leave in a text beside the names that the plan gives: a label before the reading, a
# score, a file of a run or of a model.
_LABEL = (
    r"^\W*(?:base|alt|baseline|candidate|(?:system|model|engine|arm|variant|run|config(?:uration)?)"
    r"\s*(?:[ab12]|one|two))\s*[:=\]]"
)
_SCORE = r"\b(?:score|cosine|similarity|confidence|logprob|bm25)\s*[:=]\s*[-+]?\d"
_FILE = r"\w\.(?:trec|run|gguf|onnx|safetensors|ckpt|pt|npy|npz|jsonl)\b"
_MARKED = re.compile("|".join([_LABEL, _SCORE, _FILE]), re.IGNORECASE)
_MARKS = re.compile(r"[:=\].]")  # every marked piece has one of these; looking for them is cheap


class Namer:
    """Finds what names a system in a reading.

    Parameters
    ----------
    names
        What the systems are called; empty ones are left out.

    Examples
    --------
    >>> namer = Namer(["kb-whisper", ""])
    >>> namer.found("as KB-Whisper heard it"), namer.found("a whisper")
    ('KB-Whisper', None)
    >>> namer.found("alt: the reading"), namer.found("score: 0.83")
    ('alt:', 'score: 0')
    >>> namer.found("see runs/tuned.trec")
    'd.trec'
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [
            (name.lower(), re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE))
            for name in names
            if name
        ]

    def found(self, reading: str) -> str | None:
        """Return the first piece of a reading that names a system, or None."""
        if self._names:
            folded = reading.lower()
            for name, pattern in self._names:
                if name in folded and (match := pattern.search(reading)):
                    return match[0]
        if _MARKS.search(reading) and (match := _MARKED.search(reading)):
            return match[0]
        return None
