"""Questions that quote the text they should find: retrieval is easier on them than on readers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from gnomon.kernels import Analyzer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

QUOTED_WORDS: Final = 8
# A whole question that stands in the text is a quotation although it is short, such as a heading.
WHOLE_QUESTION: Final = 5
# So many words of a quotation are told at most.
_MOST_TOLD: Final = 40
_MANY_RUNS: Final = 200


class Quoting:
    """Looks for runs of words of questions in texts; every text is cut into words once.

    Parameters
    ----------
    texts
        The texts, by row.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._analyzer = Analyzer()
        self._words_of_row = cache(self._joined)

    def quoted_run(self, question: str, rows: Iterable[int]) -> tuple[int, str] | None:
        """Return the row of the first text that a question quotes, and the words; None without.

        A run of eight words counts, or the whole question when it has five.

        Examples
        --------
        >>> texts = ["Keys. To rotate a key, call rotate().", "How do I rotate a key? Call it."]
        >>> Quoting(texts).quoted_run("How do I rotate a key", [0, 1])
        (1, 'how do i rotate a key')
        """
        words = self._analyzer(question)
        if len(words) < WHOLE_QUESTION:
            return None
        size = min(QUOTED_WORDS, len(words))
        start_of: dict[str, int] = {}
        for start in range(len(words) - size + 1):
            start_of.setdefault(" ".join(words[start : start + size]), start)
        for row in dict.fromkeys(rows):
            text = self._words_of_row(row)
            first = _first_start(start_of, text, size)
            if first is not None:
                return row, _longest(words[first : first + _MOST_TOLD], size, text)
        return None

    def _joined(self, row: int) -> str:
        return f" {' '.join(self._analyzer(self._texts[row]))} "


def _first_start(start_of: Mapping[str, int], text: str, size: int) -> int | None:
    """Return where the first run of a question begins that a text holds."""
    if len(start_of) < _MANY_RUNS:
        return next((start for run, start in start_of.items() if f" {run} " in text), None)
    # A question as long as a page: one pass over the text instead of one for every run.
    words = text.split()
    runs = (" ".join(words[i : i + size]) for i in range(len(words) - size + 1))
    return min((start_of[run] for run in runs if run in start_of), default=None)


def _longest(words: Sequence[str], size: int, text: str) -> str:
    """Return the words from the first on for as long as they stand in a text together."""
    while size < len(words) and f" {' '.join(words[: size + 1])} " in text:
        size += 1
    return " ".join(words[:size])
