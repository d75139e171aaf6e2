"""From text to the terms of an index: words, stopwords dropped, words stemmed.

The same analyzer has to serve documents and queries. Its fingerprint says whether two analyzers
give the same terms for every text.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import rfc8785

from gnomon import _core
from gnomon.errors import InvalidInputError, InvalidTypeError, MismatchError, UsageError
from gnomon.kernels._word_lists import LanguageData, find_stemmer, stems_of, stopword_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCHEMA = "gnomon.analyzer/1"


@dataclass(frozen=True, init=False)
class Analyzer:
    """How text becomes terms. Without arguments: words as they are, nothing dropped or stemmed.

    Parameters
    ----------
    stemmer
        Name of a Snowball stemmer, such as ``"english"``, or None. Needs PyStemmer, which
        ``gnomon[text]`` brings. A word whose stem would be empty keeps its form.
    stopwords
        Words to drop, compared after folding and before stemming: the name of a language, whose
        list comes with ``gnomon[text]``; or the words themselves, in any case and form; or None.
        What isn't one word is left out of a list by language and refused among words given.

    Attributes
    ----------
    stopwords : tuple of str
        The words that are dropped, folded, sorted by code point.
    stemmer_data, stopword_data : LanguageData or None
        Language, package and version of the stemmer and of the list; None where none is used, and
        for words that were given.

    Raises
    ------
    UsageError
        A language isn't known (the message lists those that are), or a stopword isn't one word.
    InvalidTypeError
        An argument or a stopword is of another type.
    MissingDependencyError
        The package that is needed isn't installed; the message names the extra.

    Examples
    --------
    >>> analyzer = Analyzer(stopwords=["the", "a"])
    >>> analyzer("The Café, a Bar")
    ['café', 'bar']
    >>> analyzer == Analyzer(stopwords=["A", "THE"]), analyzer.fingerprint[:12]
    (True, 'd793bb3396bd')
    """

    stopwords: tuple[str, ...]
    stemmer_data: LanguageData | None
    stopword_data: LanguageData | None

    def __init__(
        self, *, stemmer: str | None = None, stopwords: str | Iterable[str] | None = None
    ) -> None:
        if not isinstance(stemmer, str | None):
            raise InvalidTypeError(
                f"stemmer is of type {type(stemmer).__name__}; expected the name of a language"
            )
        source = None
        if stopwords is None:
            words: set[str] = set()
        elif isinstance(stopwords, str):
            listed, source = stopword_list(stopwords)
            words = {cut[0] for cut in map(_core.text_words, listed) if len(cut) == 1}
        else:
            words = {_one_word(word, place) for place, word in enumerate(_listed(stopwords))}
        self._set(words, None if stemmer is None else find_stemmer(stemmer), source)

    def _set(
        self,
        stopwords: Iterable[str],
        stemmer_data: LanguageData | None,
        stopword_data: LanguageData | None,
    ) -> None:
        object.__setattr__(self, "stopwords", tuple(sorted(stopwords)))
        object.__setattr__(self, "stemmer_data", stemmer_data)
        object.__setattr__(self, "stopword_data", stopword_data)

    def __call__(self, text: str) -> list[str]:
        """Return the terms of a text in their order.

        Raises
        ------
        InvalidInputError
            The text holds a lone surrogate; the message gives its place.
        InvalidTypeError
            It isn't a str.
        """
        words = _core.text_words(text)
        if not self.changes_words:
            return words
        distinct = list(dict.fromkeys(words))
        terms = dict(zip(distinct, self.terms_of(distinct), strict=True))
        return [term for word in words if (term := terms[word]) is not None]

    @property
    def stemmer(self) -> str | None:
        """The language of the stemmer, or None."""
        return self.stemmer_data.language if self.stemmer_data else None

    @property
    def changes_words(self) -> bool:
        """Whether words are dropped or stemmed; else every word is its own term."""
        return self.stemmer_data is not None or bool(self.stopwords)

    def terms_of(self, words: Sequence[str]) -> list[str | None]:
        """Return the term of every word, None where the word is a stopword.

        Parameters
        ----------
        words
            Words as the core cuts them, folded. An index passes each distinct one once.

        Returns
        -------
        list
            As long as ``words``.

        Examples
        --------
        >>> Analyzer(stopwords=["the"]).terms_of(["the", "cats"])
        [None, 'cats']
        """
        dropped = self._dropped
        if self.stemmer is None:
            return [None if word in dropped else word for word in words]
        stems = stems_of(words, self.stemmer)
        return [None if word in dropped else stem for word, stem in zip(words, stems, strict=True)]

    @cached_property
    def _dropped(self) -> frozenset[str]:
        return frozenset(self.stopwords)

    def describe(self) -> dict[str, Any]:
        """Return everything that the terms depend on, in types that JSON has.

        Examples
        --------
        >>> Analyzer().describe()["unicode"], Analyzer().describe()["stemmer"]
        ('15.0.0', None)
        """
        return {
            "schema": SCHEMA,
            "unicode": _core.unicode_version(),
            "rules": _core.text_rules(),
            "stemmer": asdict(self.stemmer_data) if self.stemmer_data else None,
            "stopwords": list(self.stopwords),
            "stopword_list": asdict(self.stopword_data) if self.stopword_data else None,
        }

    @cached_property
    def fingerprint(self) -> str:
        """sha256 (64 hex digits) of the canonical JSON (RFC 8785) of `describe`."""
        return hashlib.sha256(rfc8785.dumps(self.describe())).hexdigest()

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> Analyzer:
        """Return the analyzer that `describe` described, here or elsewhere.

        Its stopwords are those recorded; the package that they came from isn't needed again.

        Raises
        ------
        MismatchError
            This installation would give other terms: its Unicode data, its rules or its stemmer are
            of another version. The message says which and what to do.
        InvalidInputError
            It isn't the description of an analyzer.
        """
        try:
            recorded = dict(description)
            stemmer = _language_data(recorded["stemmer"])
            source = _language_data(recorded["stopword_list"])
            words = tuple(map(str, recorded["stopwords"]))
            versions = (recorded["schema"], recorded["unicode"], recorded["rules"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInputError(
                f"not the description of an analyzer ({type(error).__name__}: {error})"
            ) from error
        here = (SCHEMA, _core.unicode_version(), _core.text_rules())
        if versions != here:
            raise MismatchError(
                f"the analyzer was recorded with (schema, Unicode, rules) {versions}, this version "
                f"of gnomon has {here}; analyse the texts again or use the version they were "
                "analysed with"
            )
        if stemmer is not None and find_stemmer(stemmer.language) != stemmer:
            raise MismatchError(
                f"the texts were stemmed by {stemmer.package} {stemmer.version}, installed is "
                f"{find_stemmer(stemmer.language).version}; install the recorded version or "
                "analyse the texts again"
            )
        analyzer = cls.__new__(cls)
        analyzer._set(words, stemmer, source)
        return analyzer


def _listed(stopwords: Iterable[str]) -> Iterable[str]:
    try:
        return iter(stopwords)
    except TypeError:
        raise InvalidTypeError(
            f"stopwords is of type {type(stopwords).__name__}; expected the name of a language or "
            "the words"
        ) from None


def _one_word(word: str, place: int) -> str:
    if not isinstance(word, str):
        raise InvalidTypeError(
            f"stopwords: entry {place} is of type {type(word).__name__}; expected str"
        )
    try:
        cut = _core.text_words(word)
    except InvalidInputError as error:
        raise InvalidInputError(f"stopwords: entry {place}: {error}") from None
    if len(cut) != 1:
        parts = ", ".join(map(repr, cut)) or "nothing"
        raise UsageError(
            f"stopwords: entry {place}, {word!r}, is cut into {parts}; give single words, in the "
            "form in which gnomon.analyze returns them"
        )
    return cut[0]


def _language_data(recorded: Mapping[str, str] | None) -> LanguageData | None:
    return None if recorded is None else LanguageData(**recorded)


_PLAIN = Analyzer()


def analyze(text: str, *, analyzer: Analyzer | None = None) -> list[str]:
    """Return the terms of a text, as an index and its queries see them.

    Parameters
    ----------
    text
        Any text; never read as query syntax.
    analyzer
        Default: ``Analyzer()``, which drops and stems nothing.

    Returns
    -------
    list of str
        The terms in their order. Words are maximal runs of letters, numbers and marks of the text
        after NFKC_Casefold; runs of Han, Kana and Hangul are cut into bigrams. The rules are in
        ``docs/kernels/text.md``.

    Raises
    ------
    InvalidInputError
        The text holds a lone surrogate; the message gives its place.
    InvalidTypeError
        It isn't a str.

    Examples
    --------
    >>> analyze("The cat's C++ in Zürich: 東京塔")
    ['the', 'cat', 's', 'c', 'in', 'zürich', '東京', '京塔']
    """
    return checked_analyzer(analyzer or _PLAIN)(text)


def checked_analyzer(analyzer: object) -> Analyzer:
    """Return an argument that has to be an analyzer.

    Raises
    ------
    InvalidTypeError
        It is something else, such as the name of a language.
    """
    if not isinstance(analyzer, Analyzer):
        raise InvalidTypeError(
            f"analyzer is of type {type(analyzer).__name__}; expected a gnomon.Analyzer, as in "
            "Analyzer(stemmer='english')"
        )
    return analyzer
