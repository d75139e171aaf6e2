"""From words to terms: stopwords, stemmers, the fingerprint."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import gnomon as gn
from gnomon.errors import (
    InvalidInputError,
    InvalidTypeError,
    MismatchError,
    MissingDependencyError,
    UsageError,
)
from gnomon.kernels import unicode_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# By the published examples of snowballstem.org: word and stem.
SNOWBALL = {
    "english": ("consistency", "consist"),
    "german": ("aufeinanderfolgenden", "aufeinanderfolg"),
    "french": ("continuellement", "continuel"),
    "spanish": ("torneados", "torn"),
    "russian": ("важнейшие", "важн"),
    "swedish": ("klostergården", "klostergård"),
}


def test_the_default_drops_and_stems_nothing_b24() -> None:
    """B24: without arguments no language is assumed: every word stays as it is."""
    text = "The cats and die Katzen och katterna"
    assert gn.Analyzer()(text) == gn.analyze(text) == text.lower().split()
    assert gn.Analyzer().describe()["stemmer"] is None
    assert gn.Analyzer().describe()["stopwords"] == []


def test_stopwords_are_compared_after_folding_b14() -> None:
    """B14: "The" is the stopword "the", whatever the case of text and list."""
    assert gn.Analyzer(stopwords="english")("The cat") == ["cat"]
    assert gn.Analyzer(stopwords=["THE"])("the The tHe cat") == ["cat"]
    composed = gn.Analyzer(stopwords=["für"])
    assert composed(unicodedata.normalize("NFD", "FÜR alle")) == ["alle"]


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("german", "die Katze und der Hund", ["katze", "hund"]),
        ("french", "le chat et la souris", ["chat", "souris"]),
        ("spanish", "el gato y la casa", ["gato", "casa"]),
        ("swedish", "katten och hunden", ["katten", "hunden"]),
        ("russian", "кошка и собака", ["кошка", "собака"]),
        ("turkish", "bu kedi ve köpek", ["kedi", "köpek"]),
    ],
)
def test_stopwords_by_language(language: str, text: str, left: list[str]) -> None:
    """The name of a language brings its list, which is recorded with package and version."""
    analyzer = gn.Analyzer(stopwords=language)
    assert analyzer(text) == left
    recorded = analyzer.describe()["stopword_list"]
    assert recorded["language"] == language
    assert recorded["version"]


@pytest.mark.parametrize(("language", "pair"), SNOWBALL.items())
def test_snowball_stems(language: str, pair: tuple[str, str]) -> None:
    """The stemmers are Snowball's: the examples of its site come out."""
    word, stem = pair
    assert gn.Analyzer(stemmer=language)(word.upper()) == [stem]


def test_stopwords_are_dropped_before_stemming() -> None:
    """A word whose stem is a stopword stays; a stopword goes though its stem is none."""
    analyzer = gn.Analyzer(stemmer="english", stopwords=["run"])
    assert analyzer("run running runs") == ["run", "run"]
    assert gn.Analyzer(stemmer="english", stopwords=["running"])("run running") == ["run"]


def test_words_of_other_scripts_pass_a_stemmer_unchanged() -> None:
    """CJK bigrams and digits aren't touched by a stemmer."""
    assert gn.Analyzer(stemmer="english")("東京塔 2024 字") == ["東京", "京塔", "2024", "字"]


@pytest.mark.parametrize("language", ["english", "porter", "german", "turkish", "arabic", "hindi"])
def test_a_term_is_never_empty(language: str) -> None:
    """A word that a stemmer would make empty keeps its form."""
    words = [*"abcdefghijklmnopqrstuvwxyz", "s", "ed", "ing", "es", "ly", "ال", "i", "ları", "में"]
    terms = gn.Analyzer(stemmer=language).terms_of(words)
    assert len(terms) == len(words)
    assert all(terms)


def test_terms_of_keeps_places() -> None:
    """terms_of answers word by word, None for a stopword, so an index can ask once a word."""
    analyzer = gn.Analyzer(stemmer="english", stopwords=["the"])
    assert analyzer.terms_of(["cats", "the", "cats"]) == ["cat", None, "cat"]
    assert analyzer.terms_of([]) == []


# ---------------------------------------------------------------------------------------------
# Refusals


@pytest.mark.parametrize("argument", ["stemmer", "stopwords"])
def test_an_unknown_language_lists_the_known_ones(argument: str) -> None:
    """A misspelt language is refused with the right names, never taken for no language."""
    with pytest.raises(UsageError, match=r"klingon.*english.*german"):
        gn.Analyzer(**{argument: "klingon"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="english"):
        gn.Analyzer(**{argument: ""})  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["chinese", "korean", "japanese"])
def test_no_lists_for_languages_that_are_cut_into_bigrams(language: str) -> None:
    """A stopword of two signs would also drop bigrams of other words, so there is no list."""
    with pytest.raises(UsageError, match=language):
        gn.Analyzer(stopwords=language)


@pytest.mark.parametrize(
    ("word", "cut"), [("don't", "'don', 't'"), ("...", "nothing"), ("東京塔", "京塔")]
)
def test_a_stopword_that_is_not_one_word_is_refused(word: str, cut: str) -> None:
    """An entry that can't occur as a word would silently do nothing."""
    with pytest.raises(UsageError, match=rf"entry 1, .*{cut}"):
        gn.Analyzer(stopwords=["a", word])


@pytest.mark.parametrize(
    "arguments", [{"stemmer": 3}, {"stopwords": [b"a"]}, {"stopwords": [None]}]
)
def test_other_types_are_refused(arguments: dict[str, Any]) -> None:
    """Languages and stopwords are str."""
    with pytest.raises(InvalidTypeError):
        gn.Analyzer(**arguments)


@pytest.mark.parametrize(
    ("package", "arguments"),
    [("Stemmer", '{"stemmer": "english"}'), ("bm25s", '{"stopwords": "english"}')],
)
def test_a_missing_package_names_the_extra(package: str, arguments: str) -> None:
    """Without the optional package the message says how to get it; plain analysis needs none."""
    code = (
        "import sys, importlib.util as u\n"
        f"sys.modules[{package!r}] = None\n"
        "real = u.find_spec\n"
        f"u.find_spec = lambda name, *a: None if name == {package!r} else real(name, *a)\n"
        "import gnomon as gn\n"
        "assert gn.analyze('a B') == ['a', 'b']\n"
        "try:\n"
        f"    gn.Analyzer(**{arguments})\n"
        "except ImportError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert printed.startswith(MissingDependencyError.__name__)
    assert "pip install 'gnomon[text]'" in printed


# ---------------------------------------------------------------------------------------------
# Identity


def variants() -> Iterable[gn.Analyzer]:
    """Return analyzers that differ in one setting each."""
    return [
        gn.Analyzer(),
        gn.Analyzer(stemmer="english"),
        gn.Analyzer(stemmer="german"),
        gn.Analyzer(stopwords=["a"]),
        gn.Analyzer(stopwords=["a", "b"]),
        gn.Analyzer(stopwords="english"),
        gn.Analyzer(stopwords="german"),
        gn.Analyzer(stemmer="english", stopwords="english"),
    ]


def test_fingerprints_differ_with_the_settings() -> None:
    """Every setting that changes terms changes the fingerprint, which is 64 hex digits."""
    fingerprints = [analyzer.fingerprint for analyzer in variants()]
    assert len(set(fingerprints)) == len(fingerprints)
    assert all(re.fullmatch(r"[0-9a-f]{64}", fingerprint) for fingerprint in fingerprints)


def test_equal_settings_are_equal() -> None:
    """Order, case and repetition of stopwords don't matter to equality, hash and fingerprint."""
    one = gn.Analyzer(stopwords=["b", "A", "a", "ﬁ"])
    two = gn.Analyzer(stopwords=iter(["fi", "a", "b"]))
    assert one == two
    assert hash(one) == hash(two)
    assert one.fingerprint == two.fingerprint
    assert gn.Analyzer(stopwords=[]) == gn.Analyzer()


def test_an_analyzer_is_frozen() -> None:
    """Settings can't be changed under an index that recorded them."""
    with pytest.raises(AttributeError):
        gn.Analyzer().stopwords = ("a",)  # type: ignore[misc]


def test_the_description_records_every_version() -> None:
    """Unicode, the rules, PyStemmer and the list's package are in what is hashed."""
    described = gn.Analyzer(stemmer="english", stopwords="english").describe()
    assert described["unicode"] == unicode_version()
    assert described["rules"] >= 1
    assert described["stemmer"]["package"] == "PyStemmer"
    assert described["stemmer"]["version"]
    assert described["stopword_list"]["package"] == "bm25s"
    assert json.loads(json.dumps(described)) == described


def test_a_description_gives_the_analyzer_back() -> None:
    """What describe() wrote, through JSON, and what pickle wrote, is the same analyzer."""
    for analyzer in variants():
        written = json.loads(json.dumps(analyzer.describe()))
        again = gn.Analyzer.from_description(written)
        assert again == analyzer
        assert again.fingerprint == analyzer.fingerprint
        assert pickle.loads(pickle.dumps(analyzer)) == analyzer


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"unicode": "3.0.0"}, "3.0.0"),
        ({"rules": 999}, "999"),
        ({"stemmer": {"language": "english", "package": "PyStemmer", "version": "0.1"}}, "0.1"),
    ],
)
def test_a_description_of_other_versions_is_refused(change: dict[str, Any], named: str) -> None:
    """An index of other tables, rules or stemmers isn't searched with these."""
    with pytest.raises(MismatchError, match=re.escape(named)):
        gn.Analyzer.from_description(gn.Analyzer().describe() | change)


@pytest.mark.parametrize("wrong", [{}, {"schema": "x"}, {"stemmer": 3, "stopword_list": 1}])
def test_what_is_no_description_is_refused(wrong: dict[str, Any]) -> None:
    """A damaged description is named as such."""
    with pytest.raises(InvalidInputError, match="not the description of an analyzer"):
        gn.Analyzer.from_description(wrong)


def test_one_analyzer_serves_many_threads() -> None:
    """Stemming from several threads at once gives what one thread gives."""
    analyzer = gn.Analyzer(stemmer="english", stopwords="english")
    texts = [f"running flies organizations happily {i} generously " * 20 for i in range(200)]
    expected = [analyzer(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(analyzer, texts)) == expected


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: gn.Analyzer(stopwords=3), InvalidTypeError, "stopwords is of type int; expected"),
        (lambda: gn.Analyzer(stopwords=["a", "\ud800"]), InvalidInputError, "stopwords: entry 1: "),
        (lambda: gn.analyze("a", analyzer="english"), InvalidTypeError, "analyzer is of type str"),
        (lambda: gn.BM25Index(["a"], analyzer=str.split), InvalidTypeError, "analyzer is of type"),
        (
            lambda: gn.BM25Index(tokens=[["a"]], analyzer={}),
            InvalidTypeError,
            "analyzer is of type",
        ),
    ],
    ids=["a number", "a surrogate", "a language", "a function", "a dict"],
)
def test_other_arguments_are_refused_by_name(
    make: Callable[[], object], error: type[Exception], said: str
) -> None:
    """The message says which argument it was and what was expected."""
    with pytest.raises(error, match=said):
        make()
