"""The content terms of a question, and how much of them a piece of text has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.retrieval.function_words import function_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gnomon.kernels import Analyzer

# More terms than this make a question a paragraph, whose rare words decide as well.
MOST_TERMS: Final = 12
# A question whose letters make up less of the corpus's than this is in another script.
FOREIGN_SHARE: Final = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """What the corpus knows of words.

    Attributes
    ----------
    analyzer
        What cuts pages and questions into terms.
    languages
        Whose function words are no content.
    document_frequency
        In how many chunks each term occurs.
    letters
        How often each letter occurs in the distinct terms.
    """

    analyzer: Analyzer
    languages: tuple[str, ...]
    document_frequency: Mapping[str, int]
    letters: Mapping[str, int]
    _function_words: frozenset[str]

    @classmethod
    def of(
        cls,
        analyzer: Analyzer,
        languages: Sequence[str],
        document_frequency: Mapping[str, int],
    ) -> Vocabulary:
        """Return the vocabulary of a corpus from its document frequencies."""
        characters = Counter("".join(document_frequency))  # one text: counted without a loop here
        letters = {char: n for char, n in characters.items() if char.isalpha()}
        words = frozenset(term for word in function_words(languages) for term in analyzer(word))
        return cls(analyzer, tuple(languages), document_frequency, letters, words)

    def content_terms(self, question: str) -> tuple[str, ...]:
        """Return at most twelve distinct content terms of a question, rarest first.

        An unknown term is as rare as can be. Equally rare terms keep the order of their bytes.
        """
        distinct = set(self.analyzer(question)) - self._function_words
        ordered = sorted(
            distinct, key=lambda term: (self.document_frequency.get(term, 0), term.encode())
        )
        return tuple(ordered[:MOST_TERMS])

    def searched_terms(self, question: str) -> list[str]:
        """Return the terms to look for, in their order: all but function words, if any are left."""
        terms = self.analyzer(question)
        return [term for term in terms if term not in self._function_words] or terms

    def is_in_another_script(self, question: str) -> bool:
        """Return whether a question shares no term with the corpus and hardly a letter."""
        terms = self.analyzer(question)
        letters = {letter for term in terms for letter in term if letter.isalpha()}
        if not letters or any(term in self.document_frequency for term in terms):
            return False
        total = sum(self.letters.values())
        return sum(self.letters.get(letter, 0) for letter in letters) < FOREIGN_SHARE * total

    def terms_in(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the terms of some texts."""
        return frozenset(term for text in texts for term in self.analyzer(text))

    def describe(self) -> dict[str, Any]:
        """Return what decides which terms a text has, for the vocabulary's hash."""
        return {
            "analyzer": self.analyzer.describe(),
            "languages": list(self.languages),
            "function_words": sorted(self._function_words),
            "most_terms": MOST_TERMS,
        }


def coverage(terms: Sequence[str], evidence: frozenset[str]) -> float:
    """Return the share of the terms that the evidence has; 0 when there are none."""
    return sum(term in evidence for term in terms) / len(terms) if terms else 0.0
