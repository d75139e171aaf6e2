"""Faults that text analysis had in the field, each with its right value.

tests/kernels/test_bm25_field_reports.py looks at the same reports through an index.
"""

from __future__ import annotations

import unicodedata

import pytest

from gnomon import kernels


def test_b14_stopwords_are_compared_after_folding(isa: str) -> None:
    """B14: "The" is a stopword when "the" is."""
    assert kernels.Analyzer(stopwords="english")("The cat") == ["cat"]
    assert kernels.Analyzer(stopwords=["THE"])("the The cat") == ["cat"]


def test_b15_words_of_one_character_are_kept(isa: str) -> None:
    """B15: C, R, x, 5 and a lone sign are words."""
    assert kernels.analyze("C R x 5 東") == ["c", "r", "x", "5", "東"]


@pytest.mark.parametrize(
    ("text", "part"),
    [("东京塔很高", "东京"), ("東京タワーは高い", "タワー"), ("서울은한국의수도", "한국")],
)
def test_b16_unspaced_scripts_are_cut(text: str, part: str, isa: str) -> None:
    """B16: a sentence without spaces is more than one token, and holds those of its parts."""
    words = kernels.analyze(text)
    assert len(words) == len(text) - 1
    assert set(kernels.analyze(part)) <= set(words)


def test_b18_normal_forms_are_one(isa: str) -> None:
    """B18: composed and decomposed letters are one word, which no mark splits."""
    forms = {unicodedata.normalize(form, "Zürich") for form in ("NFC", "NFD")}
    assert len(forms) == 2
    assert {tuple(kernels.analyze(form)) for form in forms} == {("zürich",)}


def test_b21_compounds_stay_whole(isa: str) -> None:
    """B21: a compound is one word, never cut wrongly; that parts don't find it is documented."""
    assert kernels.analyze("Wandhalterung") == ["wandhalterung"]


def test_b22_signs_of_query_languages_are_signs(isa: str) -> None:
    """B22: operators and quotes are punctuation, and words that name operators are words."""
    assert kernels.analyze('fish days: 36" ( -x a OR') == ["fish", "days", "36", "x", "a", "or"]


def test_b24_no_language_by_default(isa: str) -> None:
    """B24: nothing is removed or stemmed unless asked, and the setting is recorded."""
    text = "die katzen och the running"
    assert kernels.analyze(text) == text.split()
    said = kernels.Analyzer().describe()
    assert said["stemmer"] is None
    assert said["stopwords"] == []
