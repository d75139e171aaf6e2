"""Text folded and cut into words: the rules by example, hostile texts."""

from __future__ import annotations

import locale
import os
import sys
import threading
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.errors import InvalidInputError, InvalidTypeError
from gnomon.kernels import nfkc_casefold, unicode_version, word_counts

# ---------------------------------------------------------------------------------------------
# The rules, by example


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat's C++ don't", ["the", "cat", "s", "c", "don", "t"]),
        ("don’t don´t", ["don", "t", "don", "t"]),
        ("snake_case kebab-case", ["snake", "case", "kebab", "case"]),
        ("mp3 R2D2 3.14 1,000", ["mp3", "r2d2", "3", "14", "1", "000"]),
        ("x² ½ ① Ⅳ", ["x2", "1", "2", "1", "iv"]),
        ("a.b@c.de #tag", ["a", "b", "c", "de", "tag"]),
    ],
)
def test_punctuation_parts_and_digits_join(text: str, words: list[str]) -> None:
    """Apostrophes, underscores and other punctuation end a word; digits don't."""
    assert gn.analyze(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C", ["c"]),
        ("R 5 x", ["r", "5", "x"]),
        ("字", ["字"]),
    ],
)
def test_one_character_words_stay_b15(text: str, words: list[str]) -> None:
    """B15: C, R, 5 and a single CJK sign are words."""
    assert gn.analyze(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("东京塔很高", ["东京", "京塔", "塔很", "很高"]),
        ("iPhone手机2024年", ["iphone", "手机", "2024", "年"]),
        ("食べる。飲む", ["食べ", "べる", "飲む"]),
        ("コーヒー", ["コー", "ーヒ", "ヒー"]),
        ("한국어 문서", ["한국", "국어", "문서"]),
        ("々〆〇", ["々〆", "〆〇"]),
        ("中・文", ["中", "文"]),
    ],
)
def test_cjk_runs_are_bigrams_b16(text: str, words: list[str]) -> None:
    """B16: runs of Han, Kana and Hangul become bigrams, so that a part of a sentence is found."""
    assert gn.analyze(text) == words


def test_half_width_kana_are_wide_ones() -> None:
    """Half-width kana and their separate voiced marks give the words of the usual kana."""
    assert gn.analyze("ｶﾞｲﾄﾞ ﾃﾞｰﾀ") == gn.analyze("ガイド データ") == ["ガイ", "イド", "デー", "ータ"]


def test_zurich_in_both_forms_is_one_word_b18() -> None:
    """B18: composed and decomposed accents give the same word; the mark doesn't split it."""
    assert gn.analyze("Z\u00fcrich") == gn.analyze("Zu\u0308rich") == ["z\u00fcrich"]


def test_hangul_in_both_forms_is_one_run() -> None:
    """Conjoining jamo give the bigrams of the syllables."""
    assert gn.analyze(unicodedata.normalize("NFD", "한국어")) == ["한국", "국어"]


def test_queries_are_text_not_syntax_b22() -> None:
    """B22: brackets, quotes, colons, minus and OR are plain text."""
    for text in ("fish days:", '36"', "(", "-x", "a OR", "a AND (b", "foo~2^3"):
        assert all(word.isalnum() for word in gn.analyze(text))
    assert gn.analyze("a OR") == ["a", "or"]


def test_turkish_dotted_i_keeps_its_dot_in_every_locale() -> None:
    """The dotted capital folds to i and a dot above, the dotless small letter stays."""
    assert gn.analyze("İstanbul I ı") == ["i\u0307stanbul", "i", "ı"]


def test_german_sharp_s_and_greek_sigma_fold_in_full() -> None:
    """Full case folding: ß is ss, also from the capital; the final sigma is a sigma."""
    assert gn.analyze("Straße STRASSE ẞ") == ["strasse", "strasse", "ss"]
    assert gn.analyze("ΣΟΦΟΣ σοφος σοφός") == ["σοφοσ", "σοφοσ", "σοφόσ"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("co\u00adoperate", ["cooperate"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("क्\u200dष", ["क्ष"]),
        ("x\ufe0fy 葛\U000e0100城", ["xy", "葛城"]),
        ("\u200eabc\u200f \ufeffdef", ["abc", "def"]),
        ("កខ\u200bគ", ["កខ", "គ"]),
        ("a\x00b\x07c\x1bd\x85e", ["a", "b", "c", "d", "e"]),
        ("a\ue000b\uffffc\U0010ffffd", ["a", "b", "c", "d"]),
        ("a\u2028b\u00a0c\u3000d", ["a", "b", "c", "d"]),
    ],
)
def test_invisible_characters(text: str, words: list[str]) -> None:
    """Soft hyphen, joiners, selectors and direction marks vanish; space and control part."""
    assert gn.analyze(text) == words


def test_emoji_are_no_words() -> None:
    """Emoji, their joiners, skin tones and flags are symbols; the digit of a keycap stays."""
    assert gn.analyze("ok👩‍👩‍👧‍👦 👍🏽 🇩🇪 ❤️ go") == ["ok", "go"]
    assert gn.analyze("press 1\ufe0f\u20e3") == ["press", "1\u20e3"]


def test_marks_belong_to_the_word_in_any_script() -> None:
    """Arabic and Hebrew points, Indic signs and Thai vowels are inside words, in one order."""
    assert gn.analyze("كَتَبَ") == ["كَتَبَ"]
    assert gn.analyze("שָׁלוֹם עולם") == [nfkc_casefold("שָׁלוֹם"), "עולם"]
    assert gn.analyze("हिन्दी में") == ["हिन्दी", "में"]
    assert gn.analyze("ภาษาไทย ดี") == ["ภาษาไทย", "ดี"]
    assert gn.analyze("ש\u05bc\u05b8") == gn.analyze("ש\u05b8\u05bc")


def test_a_mark_that_stands_on_nothing_is_dropped() -> None:
    """At the start of a text, or after space or a symbol, a combining mark is no word."""
    assert gn.analyze("\u0301") == []
    assert gn.analyze("a \u0301b +\u0308c") == ["a", "b", "c"]


def test_thai_is_not_segmented() -> None:
    """The documented limit: without a dictionary a Thai phrase is one word."""
    assert len(gn.analyze("การทดสอบภาษาไทย")) == 1


def test_german_compounds_are_not_split_b21() -> None:
    """B21, the documented limit: a compound isn't found by its parts."""
    assert gn.analyze("Wandhalterung") == ["wandhalterung"]


# ---------------------------------------------------------------------------------------------
# Hostile texts


@pytest.mark.parametrize("text", ["\ud800", "abc\udfff", "a" * 40 + "\udc80" + "ü", "😀\ud83d"])
def test_lone_surrogates_are_refused_with_their_place(text: str) -> None:
    """A lone surrogate is no text: ValueError with its place, and with the row among many."""
    place = next(i for i, c in enumerate(text) if 0xD800 <= ord(c) < 0xE000)
    with pytest.raises(InvalidInputError, match=rf"U\+D[89C-F]\w\w at character {place}\b"):
        gn.analyze(text)
    with pytest.raises(ValueError, match=r"row 2 of texts holds the lone surrogate"):
        word_counts(["a", "ü", text, text])
    with pytest.raises(ValueError, match="lone surrogate"):
        nfkc_casefold(text)


@pytest.mark.parametrize("text", [None, b"bytes", 3, float("nan"), ["list"]])
def test_what_is_no_str_is_refused(text: object) -> None:
    """Bytes, None and NaN are TypeErrors; the row is named."""
    with pytest.raises(InvalidTypeError, match="expected str"):
        gn.analyze(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="row 1 of texts"):
        word_counts(["a", text])  # type: ignore[list-item]


def test_a_single_text_instead_of_many_is_refused() -> None:
    """One str where texts are wanted would be read letter by letter."""
    with pytest.raises(InvalidTypeError, match="one str"):
        word_counts("abc")


def test_subclasses_of_str_are_text() -> None:
    """NumPy's strings are str."""
    assert gn.analyze(np.str_("Zürich 東京")) == ["zürich", "東京"]
    assert word_counts(np.array(["a b", "字é"])).tolist() == [2, 2]


def test_a_document_of_ten_megabytes() -> None:
    """A document of 10 MB, with and without spaces, gives the words it has."""
    text = "Zürich ist groß, 東京 auch. " * 320_000
    assert len(text.encode()) > 10_000_000
    assert word_counts([text]).tolist() == [1_600_000]
    assert gn.analyze(text)[-5:] == ["zürich", "ist", "gross", "東京", "auch"]
    assert [len(word) for word in gn.analyze("Ä" * 5_000_000)] == [5_000_000]
    assert len(gn.analyze("字" * 3_500_000)) == 3_499_999
    assert len(gn.analyze("a" + "\u0323\u0301" * 2_000_000)) == 1


def test_a_million_empty_documents() -> None:
    """A million empty documents have no words, and no row is lost."""
    counts = word_counts([""] * 1_000_000)
    assert counts.shape == (1_000_000,)
    assert not counts.any()


@pytest.mark.parametrize("texts", [[], ["", " ", "\t\n", "...", "\u200b"]])
def test_texts_without_words(texts: list[str]) -> None:
    """No texts give no counts, texts without words give zeros (B05: rows never shift)."""
    assert word_counts(texts).tolist() == [0] * len(texts)
    assert word_counts([*texts, "x"]).tolist() == [0] * len(texts) + [1]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@example("ᾳ\u0301")
@example("\u1112\u1161\u11ab")
@example("a\u0323\u0307b")
def test_words_depend_on_the_folded_text_only(text: str) -> None:
    """A text and its normal forms, and its folding, have the same words."""
    spaced = text.replace("\u200b", " ")
    expected = gn.analyze(spaced)
    assert gn.analyze(text) == expected
    if unicodedata.unidata_version > unicode_version() or "Cn" in map(unicodedata.category, text):
        return  # two versions needn't agree about a code point that one of them doesn't know
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert gn.analyze(unicodedata.normalize(form, spaced)) == expected
    assert gn.analyze(nfkc_casefold(spaced)) == expected


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_words_are_their_own_words(text: str) -> None:
    """A word analysed again is itself: no word is empty, unfolded or cut once more."""
    for word in gn.analyze(text):
        assert gn.analyze(word) == [word]


def test_counts_are_those_of_analyze_on_any_number_of_threads() -> None:
    """word_counts counts what analyze returns, on 1, 2 and 7 threads."""
    rng = np.random.default_rng(3)
    pieces = ["word ", "Ünï", "字", "\u0301", "ｶﾞ", ", ", "3.1 ", "🎉", "한국 "]
    texts = ["".join(rng.choice(pieces, rng.integers(0, 40))) for _ in range(3000)]
    expected = [len(gn.analyze(text)) for text in texts]
    for threads in (1, 2, 7):
        assert word_counts(texts, threads=threads).tolist() == expected


def test_a_str_is_not_changed_or_filled() -> None:
    """No UTF-8 copy is left in a str: a million rows don't double in memory."""
    text = "Zürich " * 100
    before = sys.getsizeof(text)
    gn.analyze(text)
    word_counts([text])
    assert sys.getsizeof(text) == before


def test_the_locale_changes_nothing() -> None:
    """Words are the same under every locale that this machine has."""
    text = "İI ıi ŞEHİR Straße ΣΑΣ ÅÄÖ"
    expected = gn.analyze(text)
    saved = locale.setlocale(locale.LC_ALL)
    try:
        for name in ("tr_TR.UTF-8", "de_DE.UTF-8", "C.UTF-8", "C"):
            try:
                locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
            assert gn.analyze(text) == expected
    finally:
        locale.setlocale(locale.LC_ALL, saved)


def test_threads_of_the_caller_share_nothing() -> None:
    """Two Python threads that analyse at the same time get what one gets."""
    texts = [f"Zürich {i} 東京塔 don´t " * 50 for i in range(200)]
    expected = [gn.analyze(text) for text in texts]
    found: dict[int, list[list[str]]] = {}

    def work(name: int) -> None:
        found[name] = [gn.analyze(text) for text in texts]

    workers = [threading.Thread(target=work, args=(name,)) for name in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == {0: expected, 1: expected}


def test_a_forked_child_analyses() -> None:
    """Analysis works after a fork: no thread or lock is left over from the parent."""
    word_counts(["a b c"] * 5000, threads=2)
    child = os.fork()
    if child == 0:
        os._exit(0 if word_counts(["a b"], threads=2).tolist() == [2] else 1)
    assert os.waitpid(child, 0)[1] == 0
