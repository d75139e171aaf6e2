"""How good an answer is, by counting alone: no model judges anything here."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from gnomon.evaluation.answer_words import is_unspaced, token_f1
from gnomon.evaluation.citations import cited_in, without_citations, without_code
from gnomon.evaluation.prompts import DECLINED
from gnomon.golden.gold import are_gold
from gnomon.golden.identifiers import holds_identifier
from gnomon.sources.scripts import script_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gnomon.golden.records import GoldenRecord

Outcome = Literal["answered", "declined", "refused"]

_ADDRESS: Final = re.compile(r"https?://\S+")
_HAN_AND_KANA: Final = frozenset({"cjk", "hiragana", "katakana"})


@dataclass(frozen=True, slots=True)
class Given:
    """What came back for a record.

    Attributes
    ----------
    text
        The answer; empty where nothing was sent.
    outcome
        ``refused`` by the guard, so that nothing was sent; ``declined`` by the model, which said
        that the excerpts don't answer; else ``answered``.
    citable
        Ids of the excerpts that were sent, with those of the turns before.
    is_cut
        Whether a limit of length ended the answer.
    """

    text: str
    outcome: Outcome
    citable: tuple[str, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The figures of one record; None where the record has nothing to compare with.

    Attributes
    ----------
    outcome
        What happened.
    token_f1
        By SQuAD's rule; 0 when an answer was expected and none was given.
    token_f1_characters
        The same with a token for each character of an unspaced script; None unless the gold answer
        is written in one.
    identifier_recall
        Share of the record's identifiers that the answer holds; 0 when there is no answer.
    citation_precision
        Share of the cited ids that match a gold entry; None without citation or gold.
    cited
        How many different ids are cited.
    hallucinated
        Those of them that were not given.
    language_match
        Whether the answer is written in the script of the question; None where either has no
        letters.
    is_cut
        Whether a limit of length ended the answer.
    """

    outcome: Outcome
    token_f1: float | None
    token_f1_characters: float | None
    identifier_recall: float | None
    citation_precision: float | None
    cited: int
    hallucinated: tuple[str, ...]
    language_match: bool | None
    is_cut: bool = False


def score_answer(record: GoldenRecord, given: Given, *, negative: bool) -> AnswerScores:
    """Return the figures of one answer.

    Citations are taken out of an answer before its words are compared.

    Parameters
    ----------
    record
        What was asked, and what is right.
    given
        What came back.
    negative
        Whether a refusal is right: the record expects one, or all its gold lies outside its scope.
    """
    said = given.outcome == "answered"
    prose = without_citations(given.text) if said else ""
    gold = None if negative else record.gold_answer
    names = () if negative else record.identifiers
    found = cited_in(given.text, given.citable)
    by_character = gold is not None and _is_unspaced(gold)
    cited = (*found.given, *found.hallucinated)
    return AnswerScores(
        outcome=given.outcome,
        token_f1=None if gold is None else token_f1(prose, gold) if said else 0.0,
        token_f1_characters=(
            None
            if gold is None or not by_character
            else token_f1(prose, gold, cut="characters")
            if said
            else 0.0
        ),
        identifier_recall=identifier_recall(prose, names),
        citation_precision=(None if negative else citation_precision(cited, record.gold_chunks)),
        cited=found.cited,
        hallucinated=found.hallucinated,
        language_match=language_matches(record.question, given.text) if given.text else None,
        is_cut=given.is_cut,
    )


def identifier_recall(answer: str, identifiers: Collection[str]) -> float | None:
    """Return the share of some identifiers that an answer holds; None without any.

    Identifiers are compared as written, after NFC, and as a whole: ``GATE_K`` does not occur in
    ``GATE_KEY``.

    Examples
    --------
    >>> identifier_recall("Set GATE_K, not GATE_KEY.", ["GATE_K", "GATE_KEYS"])
    0.5
    """
    wanted = set(identifiers)
    if not wanted:
        return None
    text = unicodedata.normalize("NFC", answer)
    return sum(holds_identifier(text, name) for name in wanted) / len(wanted)


def citation_precision(cited: Sequence[str], gold_entries: Sequence[str]) -> float | None:
    """Return the share of cited ids that match a gold entry; None without citation or gold.

    Examples
    --------
    >>> citation_precision(["guide/auth#request", "guide/keys#"], ["guide/auth"])
    0.5
    """
    if not cited or not gold_entries:
        return None
    return sum(are_gold(gold_entries, cited)) / len(cited)


def language_matches(question: str, answer: str) -> bool | None:
    """Return whether an answer is written in the script of its question.

    Code, citations, addresses and the word that declines are left aside. A script is no language:
    an English answer to a German question matches. Kana among Han make Japanese; a question of Han
    alone may be either.

    Returns
    -------
    bool or None
        None where the question or the answer has no letters.

    Examples
    --------
    >>> language_matches("How do I rotate a key?", "Один раз в день.")
    False
    """
    asked, said = _writing(question), _writing(_prose(answer))
    if "none" in (asked, said):
        return None
    return asked == said or (asked == "han" and said == "kana")


def _writing(text: str) -> str:
    script = script_of(text)
    if script not in _HAN_AND_KANA:
        return script
    names = (unicodedata.name(c, "").partition(" ")[0] for c in text)
    return "kana" if any(name in ("HIRAGANA", "KATAKANA") for name in names) else "han"


def _prose(answer: str) -> str:
    said = answer.replace(DECLINED, " ")
    return _ADDRESS.sub(" ", without_citations(without_code(said)))


def _is_unspaced(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return 2 * sum(map(is_unspaced, letters)) > len(letters)
