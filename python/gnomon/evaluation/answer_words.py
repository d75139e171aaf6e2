"""Token F1 of an answer, as SQuAD defines it, and by characters where no blanks part words.

Source: Rajpurkar, Zhang, Lopyrev and Liang, "SQuAD: 100,000+ questions for machine comprehension of
text", EMNLP 2016, and the rule for empty answers of SQuAD 2.0 (Rajpurkar, Jia and Liang, ACL 2018).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from typing import Final, Literal

Cut = Literal["squad", "characters"]

# ASCII only, as SQuAD has it: Spanish question marks and Chinese full stops stay.
_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
# Scripts that put no blanks between words; Korean does.
_UNSPACED: Final = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"}
)


def squad_tokens(text: str) -> list[str]:
    """Return the tokens of a text by SQuAD's rule.

    Lower case, without ASCII punctuation, without the articles a, an and the, split at whitespace.
    Punctuation goes before articles do, and leaves no blank: ``state-of-the-art`` is one token.

    Examples
    --------
    >>> squad_tokens("The key's TTL: a day, at most.")
    ['keys', 'ttl', 'day', 'at', 'most']
    """
    bare = text.lower().translate(_PUNCTUATION)
    return _ARTICLES.sub(" ", bare).split()


def character_tokens(text: str) -> list[str]:
    """Return the tokens of a text, with a token for each character of an unspaced script.

    The text is brought to NFC, and punctuation of every script is dropped; the rest is SQuAD's
    rule. Chinese, Japanese, Thai, Lao, Khmer, Burmese and Tibetan are unspaced.

    Examples
    --------
    >>> character_tokens("API 密钥。")
    ['api', '密', '钥']
    """
    composed = unicodedata.normalize("NFC", text)
    apart = (
        "" if unicodedata.category(c).startswith("P") else f" {c} " if is_unspaced(c) else c
        for c in composed
    )
    return squad_tokens("".join(apart))


def is_unspaced(character: str) -> bool:
    """Return whether a character belongs to a script that puts no blanks between words."""
    name = unicodedata.name(character, "")
    return name.partition(" ")[0] in _UNSPACED


def token_f1(answer: str, gold: str, *, cut: Cut = "squad") -> float:
    """Return the harmonic mean of the shares of tokens that an answer and the gold answer share.

    Parameters
    ----------
    answer, gold
        Texts; a token that occurs twice in both counts twice.
    cut
        ``squad`` splits at whitespace alone, so that a Chinese sentence is one token;
        ``characters`` makes each character of an unspaced script a token
        (``docs/decisions/0074-token-f1-as-squad-has-it.md``).

    Returns
    -------
    float
        From 0 to 1. Where either has no token, 1 when both have none, else 0.

    Examples
    --------
    >>> token_f1("Rotate the key daily.", "rotate a key")
    0.8
    """
    tokens = squad_tokens if cut == "squad" else character_tokens
    found, wanted = tokens(answer), tokens(gold)
    if not found or not wanted:
        return float(found == wanted)
    shared = (Counter(found) & Counter(wanted)).total()
    return 2 * shared / (len(found) + len(wanted))
