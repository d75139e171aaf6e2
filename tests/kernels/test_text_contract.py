"""Text analysis: what becomes of each script and sign, worked by hand."""

from __future__ import annotations

import unicodedata

import pytest

from gnomon import kernels

WORDS = {
    "German": ("Straßenbahn STRASSENBAHN Größe", ["strassenbahn", "strassenbahn", "grösse"]),
    "French": ("L'été, ça va?", ["l", "été", "ça", "va"]),
    "capital sharp s": ("STRAẞE", ["strasse"]),
    "Turkish dotted I": ("İSTANBUL", ["i\u0307stanbul"]),
    "Turkish dotless i": ("ılık Isparta", ["ılık", "isparta"]),
    "Greek final sigma": ("ΟΔΟΣ Οδός οδος", ["οδοσ", "οδόσ", "οδοσ"]),
    "Russian": ("Ёлка, Москва-река", ["ёлка", "москва", "река"]),
    "Hebrew": ("שלום, עולם", ["שלום", "עולם"]),
    "Hebrew with points": ("שָׁלוֹם", [unicodedata.normalize("NFC", "שָׁלוֹם")]),
    "Arabic": ("السلام عليكم؟", ["السلام", "عليكم"]),
    "Arabic with marks": ("مُحَمَّد", [unicodedata.normalize("NFC", "مُحَمَّد")]),
    "Arabic presentation forms": ("\ufefb", ["لا"]),
    "Persian joiner": ("می\u200cخواهم", ["میخواهم"]),
    "Hindi": ("हिन्दी में लिखो।", ["हिन्दी", "में", "लिखो"]),
    "Tamil": ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
    "Thai": ("สวัสดี ชาวโลก", ["สวัสดี", "ชาวโลก"]),
    "Chinese": ("东京塔很高。", ["东京", "京塔", "塔很", "很高"]),
    "Chinese, one sign": ("好", ["好"]),
    "Chinese, astral": (
        "\U00020000\U00020001\U00020002",
        ["\U00020000\U00020001", "\U00020001\U00020002"],
    ),
    "Japanese": ("東京タワーは高い", ["東京", "京タ", "タワ", "ワー", "ーは", "は高", "高い"]),
    "Japanese, half width": ("ﾄｳｷｮｳ", ["トウ", "ウキ", "キョ", "ョウ"]),
    "half width with voice marks": ("ｶﾞｷﾞ", ["ガギ"]),
    "kana with combining voice mark": ("か\u3099き", ["がき"]),
    "Japanese middle dot": ("ジョン・スミス", ["ジョ", "ョン", "スミ", "ミス"]),
    "iteration mark": ("人々", ["人々"]),
    "Korean": ("한국어 사전", ["한국", "국어", "사전"]),
    "Korean, decomposed": (unicodedata.normalize("NFD", "한국어"), ["한국", "국어"]),
    "mixed scripts": ("iPhone手机13号", ["iphone", "手机", "13", "号"]),
    "digits": ("3.14 1,000 x2", ["3", "14", "1", "000", "x2"]),
    "full width": ("ＡＢＣ１２３", ["abc123"]),
    "superscripts": ("x² H₂O", ["x2", "h2o"]),
    "ligatures": ("ﬁne oﬀ", ["fine", "off"]),
    "fractions": ("½", ["1", "2"]),
    "Roman numerals": ("Ⅻ", ["xii"]),
    "circled": ("①Ⓐ", ["1a"]),
    "letters in squares": ("㎏ ㏒", ["kg", "log"]),
    "apostrophes": ("don't rock’n’roll", ["don", "t", "rock", "n", "roll"]),
    "underscore and hyphen": ("snake_case kebab-case", ["snake", "case", "kebab", "case"]),
    "address": ("a.b+c@example.org", ["a", "b", "c", "example", "org"]),
    "soft hyphen": ("Donau\u00addampf", ["donaudampf"]),
    "zero-width space": ("one\u200btwo", ["one", "two"]),
    "word joiner": ("one\u2060two", ["onetwo"]),
    "no-break space": ("one\u00a0two", ["one", "two"]),
    "byte-order mark": ("\ufeffone", ["one"]),
    "direction marks": ("\u202eone\u202c \u2067two\u2069", ["one", "two"]),
    "controls": ("a\x00b\x07c\x7fd\x85e", ["a", "b", "c", "d", "e"]),
    "line ends": ("a\r\nb\u2028c\u2029d\ve\ff", ["a", "b", "c", "d", "e", "f"]),
    "emoji": ("ok 👍🏽 👩‍👩‍👧 done", ["ok", "done"]),
    "emoji alone": ("🙂🙃", []),
    "heart with selector": ("I ❤\ufe0f you", ["i", "you"]),
    "a mark alone": ("\u0301", []),
    "a mark after a space": ("a \u0301b", ["a", "b"]),
    "private use": ("a\ue000b", ["a", "b"]),
    "noncharacter": ("a\uffffb", ["a", "b"]),
    "unassigned": ("a\U000e0fffb", ["ab"]),
    "mathematical": ("𝐀𝒷ℂ", ["abc"]),
    "Deseret": ("\U00010400", ["\U00010428"]),
    "Cherokee": ("ꭰ Ꭰ", ["Ꭰ", "Ꭰ"]),
    "long s": ("ſ", ["s"]),
    "Kelvin and Angstrom": ("K Å", ["k", "å"]),
    "Greek iota subscript": ("ᾳ ΑΙ", ["αι", "αι"]),
    "nothing": ("", []),
    "blank": (" \t\n\u3000", []),
    "punctuation": ("...!?——", []),
}


@pytest.mark.parametrize("case", sorted(WORDS))
def test_words_by_hand(case: str, isa: str) -> None:
    """Each script and sign gives the words that the rules say."""
    text, expected = WORDS[case]
    assert kernels.analyze(text) == expected


@pytest.mark.parametrize("case", sorted(WORDS))
def test_normal_forms_are_one(case: str, isa: str) -> None:
    """All four normal forms of a text, and its case-folded form, have the same words."""
    text, expected = WORDS[case]
    if "\ufeff" in text or "\u200b" in text:
        expected = kernels.analyze(text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert kernels.analyze(unicodedata.normalize(form, text)) == expected, form


def test_words_keep_their_order_and_number(isa: str) -> None:
    """Every occurrence is a word; nothing is sorted or counted."""
    assert kernels.analyze("b a b B") == ["b", "a", "b", "b"]


def test_words_analyse_to_themselves(isa: str) -> None:
    """The words of words are the words, so that a word can be asked for again."""
    for text, expected in WORDS.values():
        assert [again for word in expected for again in kernels.analyze(word)] == expected, text


def test_documents_do_not_run_into_each_other(isa: str) -> None:
    """The end of a text ends its word, and a mark at a text's start belongs to no other text."""
    index = kernels.BM25Index(["ab", "cd", "\u0301ef", "東", "京"])
    found = index.search(["abcd", "d\u0301", "ef", "東京", "東"], 3)
    assert found.counts().tolist() == [0, 0, 1, 0, 1]


def test_the_default_analyzer_is_analyze(isa: str) -> None:
    """No analyzer, the default analyzer, and calling it are the same."""
    text = "The Zürich 东京 cats"
    assert kernels.analyze(text) == kernels.analyze(text, analyzer=None)
    assert kernels.analyze(text) == kernels.Analyzer()(text)
    assert kernels.analyze(text, analyzer=kernels.Analyzer()) == kernels.analyze(text)


def test_analyzers_are_values() -> None:
    """Analyzers with equal settings are equal, hash alike and have one fingerprint; frozen."""
    a, b = kernels.Analyzer(stopwords=["x", "y"]), kernels.Analyzer(stopwords=["y", "x", "x"])
    assert a == b
    assert hash(a) == hash(b)
    assert a.fingerprint == b.fingerprint
    assert kernels.Analyzer() != a
    assert kernels.Analyzer().fingerprint != a.fingerprint
    with pytest.raises((AttributeError, TypeError)):
        a.stopwords = ()


def test_fingerprints_are_hashes_of_settings_and_versions() -> None:
    """A fingerprint is 64 hexadecimal digits; the description names the Unicode version."""
    analyzer = kernels.Analyzer()
    assert len(analyzer.fingerprint) == 64
    assert set(analyzer.fingerprint) <= set("0123456789abcdef")
    said = analyzer.describe()
    assert any("unicode" in str(key).lower() for key in said)


def test_stopwords_are_folded_like_the_text(isa: str) -> None:
    """A stopword may be given in any form in which the word may stand."""
    analyzer = kernels.Analyzer(stopwords=["ÜBER", "STRASSE", "Ａ"])
    assert kernels.analyze("u\u0308ber Über straße a b", analyzer=analyzer) == ["b"]


@pytest.mark.parametrize("stopwords", ["english", "german"])
def test_stopword_lists_by_language(stopwords: str, isa: str) -> None:
    """A language's list removes its function words and nothing else."""
    text = "the cat and the dog und die katze"
    left = kernels.analyze(text, analyzer=kernels.Analyzer(stopwords=stopwords))
    gone = {"english": {"the", "and"}, "german": {"und", "die"}}[stopwords]
    assert not gone & set(left)
    assert {"cat", "dog", "katze"} <= set(left)


def test_stemming_by_language(isa: str) -> None:
    """A stemmer maps each word to its stem, for the index and for the query alike."""
    analyzer = kernels.Analyzer(stemmer="english")
    assert kernels.analyze("running runs RUN", analyzer=analyzer) == ["run", "run", "run"]
    index = kernels.BM25Index(["he was running", "a walk"], analyzer=analyzer)
    assert index.search("Runs", 3).ids.tolist() == [0]
    swedish = kernels.Analyzer(stemmer="swedish")
    assert kernels.analyze("flickorna", analyzer=swedish) == ["flick"]


def test_stopwords_go_before_stemming(isa: str) -> None:
    """A stopword is compared as it stands, not as its stem."""
    analyzer = kernels.Analyzer(stemmer="english", stopwords=["run"])
    assert kernels.analyze("run running", analyzer=analyzer) == ["run"]
