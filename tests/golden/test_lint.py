"""Every code of lint has a file that it is found in, and a twin of that file without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gnomon.errors import InvalidInputError
from gnomon.golden.codes import SEVERITIES
from gnomon.golden.facts import IndexFacts
from gnomon.golden.lint import check_golden, check_probes, lint_golden, lint_probes
from tests.golden.faulty_collections import FAULTS
from tests.golden.linting import (
    ANSWER,
    FACTS,
    GOLDEN,
    PROBES,
    Case,
    Fields,
    Line,
    added,
    changed,
    write_set,
)

SECOND = {"question": "What happens to a stolen one?"}
SCOPED = {"scope": {"kind": "section", "paths": ["/guide/keys"]}}


def at_first(code: str, said: str, right: Fields, **broken: Any) -> Case:
    """Return a case about the first golden record."""
    return Case(code, changed(GOLDEN, 1, **broken), changed(GOLDEN, 1, **right), 1, said)


def at_new(code: str, said: str, right: Fields, **broken: Any) -> Case:
    """Return a case about one more golden record."""
    return Case(code, added(GOLDEN, **broken), added(GOLDEN, **right), 4, said)


def with_lines(code: str, said: str, *broken: Line) -> Case:
    """Return a case of lines behind the golden set, the last of which is at fault."""
    line = len(GOLDEN) + len(broken)
    return Case(code, (*GOLDEN, *broken), (*GOLDEN, *broken[:-1]), line, said)


LONE = r'{"id": "g-04", "question": "half \ud83d a face", "expect": "refuse:no-evidence"}'
GOLDEN_CASES = [
    with_lines("broken-line", "is not valid JSON", '{"id": "g-04",'),
    with_lines("no-text", "half of a surrogate pair", LONE),
    Case("empty-set", (), GOLDEN, None, "holds no record"),
    at_first("missing-id", "has no 'id'", {}, id=...),
    Case(
        "duplicate-id",
        changed(GOLDEN, 2, id="g-01"),
        GOLDEN,
        2,
        "has the id of line 1",
    ),
    Case("id-spelling", changed(GOLDEN, 2, id="G-01 "), GOLDEN, 2, "only in case, blanks"),
    at_first("wrong-type", "'level' is a JSON number", {}, level=2),
    at_first("blank-question", "the question is empty", {}, question=" "),
    at_first("blank-entry", "entry 1 of 'gold_chunks'", {}, gold_chunks=[" "]),
    at_first(
        "two-spellings",
        "has both",
        {"prev_questions": ["What is a key?"]},
        prev_question="What is a key?",
        prev_questions=["What is a key?"],
    ),
    at_first("bad-scope", "the scope names no pages", SCOPED, scope={"kind": "section"}),
    at_first("scope-slash", "write '/guide'", {"scope": ["/guide"]}, scope=["guide"]),
    Case("unknown-expect", changed(GOLDEN, 2, expect="refuse"), GOLDEN, 2, "expects 'refuse'"),
    at_first("unknown-level", "level 'lwo' is not one of low", {}, level="lwo"),
    at_first("missing-level", "taken for high", {}, level=...),
    at_first("no-gold", "names no 'gold_chunks'", {}, gold_chunks=[]),
    Case(
        "gold-on-no-evidence",
        changed(GOLDEN, 2, gold_chunks=["admin/audit"]),
        GOLDEN,
        2,
        "names 'admin/audit' as evidence",
    ),
    Case(
        "no-scope",
        changed(GOLDEN, 3, scope=...),
        GOLDEN,
        3,
        "is to be refused as out of scope and has no 'scope'",
    ),
    Case("gold-in-scope", changed(GOLDEN, 3, scope=["/admin"]), GOLDEN, 3, "'admin/audit'"),
    at_first(
        "scope-matches-nothing",
        "lies in the scope 'gide'; did you mean 'guide'?",
        {"scope": ["/guide"]},
        scope=["/gide"],
    ),
    at_first(
        "scope-matches-nothing",
        "did you mean 'guide/keys'?",
        SCOPED,
        scope=["/guide/keys#rotate"],
    ),
    at_first(
        "idle-scope-path",
        "no page of the index lies in 'nowhere'",
        {"scope": ["/guide"]},
        scope=["/guide", "/nowhere"],
    ),
    at_first(
        "gold-matches-nothing",
        "'guide/keys#rotat' matches nothing in the index; did you mean 'guide/keys#rotate'?",
        {},
        gold_chunks=["guide/keys#rotat"],
    ),
    at_first(
        "gold-by-prefix",
        "'admin/nested' is no page of the index",
        {"gold_chunks": ["admin/nested/deep"]},
        gold_chunks=["admin/nested"],
    ),
    at_first("gold-outside-scope", "measured as a refusal", SCOPED, scope=["/guide/calls"]),
    at_first(
        "gold-outside-scope",
        "'admin/audit' of its gold lies outside its scope",
        SCOPED,
        **SCOPED,
        gold_chunks=["guide/keys", "admin/audit"],
    ),
    at_first(
        "repeated-gold",
        "'guide/keys#rotate' of its gold is matched by other entries",
        {"gold_chunks": ["guide/keys#rotate", "guide/keys#revoke"]},
        gold_chunks=["guide/keys#rotate", "guide/keys#"],
    ),
    at_first(
        "repeated-gold",
        "'guide/calls' of its gold is matched",
        {"gold_chunks": ["guide/keys"]},
        gold_chunks=["guide/calls", "guide/keys", "guide/calls"],
    ),
    at_first("empty-gold", "matches chunks without text", {}, gold_chunks=["admin/blank"]),
    at_first(
        "unjudged-copy",
        "'guide/calls#copied' has the text of 'admin/copies#'",
        {"gold_chunks": ["guide/calls", "admin/copies"]},
        gold_chunks=["guide/calls"],
    ),
    Case(
        "another-index",
        changed(GOLDEN, 1, gold_chunks=["old/a", "old/b", "old/c"]),
        changed(GOLDEN, 1, gold_chunks=["old/a", "old/b", "guide/keys"]),
        None,
        "3 of 4 gold entries match nothing in the index: 'old/a', 'old/b', 'old/c'",
    ),
    Case(
        "another-index",
        changed(GOLDEN, 1, gold_chunks=["old/a", "old/b", "old/c", "guide/keys"]),
        changed(GOLDEN, 1, gold_chunks=["old/a", "old/b", "old/c", "guide/keys", "guide/calls"]),
        None,
        "3 of 5 gold entries",
    ),
    at_first(
        "repeated-gold",
        "'/guide/keys#rotate' of its gold is matched",
        {"gold_chunks": ["guide/keys#rotate"]},
        gold_chunks=["guide/keys#rotate", "/guide/keys#rotate"],
    ),
    at_first("no-gold-answer", "has no gold_answer", {}, gold_answer="", identifiers=[]),
    at_first(
        "answer-length", "has 4 words; expected 90", {}, gold_answer="Call `rotate()` once, ok."
    ),
    at_first("answer-length", "has 170 words", {}, gold_answer="rotate() " * 170),
    Case(
        "answer-on-refusal",
        changed(GOLDEN, 2, gold_answer="There is none."),
        GOLDEN,
        2,
        "never scored; drop it",
    ),
    at_first(
        "identifier-not-in-answer",
        "'Rotate()' of 'identifiers' can't be found in its own gold_answer, where it is in another",
        {},
        identifiers=["rotate()", "Rotate()"],
    ),
    at_new(
        "contradiction",
        "this one must be answered, that one refused (no-evidence)",
        {**SECOND, "level": "max"},
        question="is there a  mobile APP?",
        level="max",
    ),
    at_new(
        "duplicate-question",
        "asks what 'g-01' (line 1) asks (level max here, level low there)",
        {**SECOND, "level": "max"},
        question="How do I get a FRESH secret?",
        level="max",
    ),
    at_new(
        "near-duplicate",
        "asks nearly what 'g-01' (line 1) asks",
        {**SECOND},
        question="How can I get fresh secrets?",
    ),
    at_first(
        "quotes-gold",
        "'hand the new one to all callers at once'",
        {"question": "How do I hand the new key to all callers?"},
        question="Why would I hand the new one to all callers at once?",
    ),
    Case(
        "no-refusals",
        GOLDEN[:1],
        GOLDEN[:2],
        None,
        "no record expects a refusal, so a gate",
    ),
    Case(
        "no-refusals",
        changed(GOLDEN, 2, level="medium"),
        GOLDEN,
        None,
        "no record of the pool low expects a refusal",
    ),
    Case("no-answers", GOLDEN[1:], GOLDEN, None, "no record expects an answer"),
]
PROBE_CASES = [
    Case("broken-line", (*PROBES, "[]"), PROBES, 5, "holds a JSON array"),
    Case("empty-set", (), PROBES, None, "holds no probe"),
    Case("unknown-stratum", changed(PROBES, 1, stratum="V"), PROBES, 1, "stratum 'V'"),
    Case("no-scope", changed(PROBES, 2, scope=...), PROBES, 2, "is asked within a scope"),
    Case(
        "no-previous",
        changed(PROBES, 1, stratum="F"),
        changed(PROBES, 1, stratum="F", prev_question="What is a key?"),
        1,
        "stratum F follows a question",
    ),
    Case(
        "gold-matches-nothing",
        changed(PROBES, 2, gold_page="guide/call"),
        PROBES,
        2,
        "did you mean 'guide/calls'?",
    ),
    Case(
        "gold-matches-nothing",
        changed(PROBES, 2, gold_page="guide/calls#copied"),
        PROBES,
        2,
        "'guide/calls#copied' is no page of the index; did you mean 'guide/calls'?",
    ),
    Case("gold-in-scope", changed(PROBES, 4, scope=["/admin"]), PROBES, 4, "lies in it"),
    Case(
        "gold-outside-scope",
        changed(PROBES, 2, scope=["/guide/keys"]),
        PROBES,
        2,
        "lies outside; widen the scope, or make it an X",
    ),
    Case(
        "gold-on-negative",
        changed(PROBES, 3, gold_page="guide/calls"),
        PROBES,
        3,
        "stratum N2 must be refused",
    ),
    Case(
        "scope-matches-nothing",
        changed(PROBES, 2, scope=["/nowhere"], gold_page=...),
        PROBES,
        2,
        "lies in the scope 'nowhere'",
    ),
    Case(
        "contradiction",
        added(PROBES, stratum="N1"),
        added(PROBES, stratum="N1", **SECOND),
        5,
        "this one must be refused, that one answered",
    ),
    Case(
        "duplicate-question",
        added(PROBES, question="is there a mobile app?", stratum="N4"),
        added(PROBES, question="is there a television?", stratum="N4"),
        5,
        "asks what 'n-01' (line 3) asks (stratum N4 here, stratum N2 there)",
    ),
    Case(
        "near-duplicate",
        added(PROBES, question="Is there the mobile app", stratum="U"),
        added(PROBES, question="Is there the desktop app", stratum="U"),
        5,
        "(stratum U here, stratum N2 there)",
    ),
    Case(
        "quotes-gold",
        changed(PROBES, 4, question="The trail lists every call?", gold_page="admin/audit"),
        changed(PROBES, 4, question="The trail lists calls, every one?"),
        4,
        "quotes its gold chunk 'admin/audit#': 'the trail lists every call'",
    ),
    Case(
        "no-answers", PROBES[2:], PROBES, None, "no probe must be answered (strata 'U', 'S', 'F')"
    ),
    Case("no-refusals", PROBES[:2], PROBES, None, "no probe must be refused"),
    Case("id-spelling", changed(PROBES, 3, id="U-01"), PROBES, 3, "that of 'u-01' (line 1)"),
]


def name_of(case: Case) -> str:
    """Return what to call a case."""
    return f"{case.code}-{case.said[:24]}"


def test_the_sets_that_cases_are_made_of_have_no_fault(tmp_path: Path) -> None:
    """What the cases change is found because of the change."""
    assert lint_golden(write_set(tmp_path / "g.jsonl", GOLDEN), FACTS).findings == ()
    assert lint_probes(write_set(tmp_path / "p.jsonl", PROBES), FACTS).findings == ()


@pytest.mark.parametrize("case", GOLDEN_CASES, ids=name_of)
def test_golden_codes(tmp_path: Path, case: Case) -> None:
    """The fault is found where it is, and not in the twin without it."""
    found = lint_golden(write_set(tmp_path / "broken.jsonl", case.broken), FACTS).findings
    assert [(one.line, case.said in one.message) for one in found if one.code == case.code] == [
        (case.line, True)
    ]
    right = lint_golden(write_set(tmp_path / "right.jsonl", case.right), FACTS).findings
    assert [one for one in right if one.code == case.code] == []


@pytest.mark.parametrize("case", PROBE_CASES, ids=name_of)
def test_probe_codes(tmp_path: Path, case: Case) -> None:
    """The fault is found where it is, and not in the twin without it."""
    found = lint_probes(write_set(tmp_path / "broken.jsonl", case.broken), FACTS).findings
    assert [(one.line, case.said in one.message) for one in found if one.code == case.code] == [
        (case.line, True)
    ]
    right = lint_probes(write_set(tmp_path / "right.jsonl", case.right), FACTS).findings
    assert [one for one in right if one.code == case.code] == []


def test_every_code_has_its_case() -> None:
    """A check that no file shows to work is no check."""
    shown = {case.code for case in (*GOLDEN_CASES, *PROBE_CASES, *FAULTS)}
    assert shown == set(SEVERITIES)


@pytest.mark.parametrize("case", GOLDEN_CASES, ids=name_of)
def test_checking_stops_on_every_error_and_on_nothing_else(tmp_path: Path, case: Case) -> None:
    """What a command checks before it measures is what lint calls an error."""
    file = write_set(tmp_path / "set.jsonl", case.broken)
    result = lint_golden(file, FACTS)
    if result.n_errors == 0:
        assert len(check_golden(file, FACTS)) == len(case.broken)
        return
    with pytest.raises(InvalidInputError) as refused:
        check_golden(file, FACTS)
    errors = [one for one in result.findings if one.is_error]
    assert [one.message in str(refused.value) for one in errors] == [True] * len(errors)


@pytest.mark.parametrize("case", PROBE_CASES, ids=name_of)
def test_checking_probes(tmp_path: Path, case: Case) -> None:
    """The same for probe sets."""
    file = write_set(tmp_path / "set.jsonl", case.broken)
    result = lint_probes(file, FACTS)
    if result.n_errors == 0:
        assert len(check_probes(file, FACTS)) == len(case.broken)
        return
    with pytest.raises(InvalidInputError) as refused:
        check_probes(file, FACTS)
    errors = [one for one in result.findings if one.is_error]
    assert [one.message in str(refused.value) for one in errors] == [True] * len(errors)


def test_one_bad_line_hides_no_other_finding(tmp_path: Path) -> None:
    """Faults on three lines are three findings, in the order of the file."""
    lines = (*changed(GOLDEN, 1, level="lwo"), "{", changed(GOLDEN, 1, id="g-05", level=None)[0])
    found = lint_golden(write_set(tmp_path / "set.jsonl", lines), FACTS).findings
    assert [(one.line, one.code) for one in found] == [
        (1, "unknown-level"),
        (4, "broken-line"),
        (5, "duplicate-question"),
        (5, "missing-level"),
    ]


def test_errors_come_before_warnings_of_their_line(tmp_path: Path) -> None:
    """What stops is read first."""
    lines = changed(GOLDEN, 1, level="lwo", gold_answer="Call `rotate()`.")
    found = lint_golden(write_set(tmp_path / "set.jsonl", lines), FACTS).findings
    assert [one.code for one in found] == ["unknown-level", "answer-length"]


def test_a_contradiction_is_no_repetition(tmp_path: Path) -> None:
    """One question with two fates is told once, as what it is."""
    lines = added(GOLDEN, question="Is there a mobile app?")
    found = lint_golden(write_set(tmp_path / "set.jsonl", lines), FACTS).findings
    assert [one.code for one in found] == ["contradiction"]


def test_chunks_without_text_are_no_copies(tmp_path: Path) -> None:
    """Nothing is not the same as nothing."""
    facts = IndexFacts(["a#", "b#", "c#"], ["a", "b", "c"], [" ", "", "c"])
    lines = changed(GOLDEN[:2], 1, gold_chunks=["a", "c"])
    found = lint_golden(write_set(tmp_path / "set.jsonl", lines), facts).findings
    assert [one.code for one in found] == ["empty-gold"]


def test_without_an_index(tmp_path: Path) -> None:
    """What only an index can tell is left out; the rest is looked for."""
    lines = changed(GOLDEN, 1, gold_chunks=["nowhere"], level="lwo", scope=["/nope"])
    result = lint_golden(write_set(tmp_path / "set.jsonl", lines), None)
    assert [one.code for one in result.findings] == ["unknown-level"]


def test_another_context_is_another_question(tmp_path: Path) -> None:
    """The same words after other questions, or in another scope, ask something else."""
    lines = added(GOLDEN, prev_question="What is a token?")
    scoped = added(GOLDEN, **SCOPED)
    for one in (lines, scoped):
        assert lint_golden(write_set(tmp_path / "set.jsonl", one), FACTS).findings == ()
    same = (*lines, {**lines[-1], "id": "again", "prev_question": "what is a TOKEN?"})  # type: ignore[dict-item]
    found = lint_golden(write_set(tmp_path / "set.jsonl", same), FACTS).findings
    assert [(one.line, one.code) for one in found] == [(5, "duplicate-question")]


def test_the_level_of_a_typo_is_in_every_pool(tmp_path: Path) -> None:
    """Counts show where a record is measured, not what was meant."""
    result = lint_golden(write_set(tmp_path / "s", changed(GOLDEN, 3, level="hihg")), FACTS)
    assert result.summary["by_level"]["low"] == {"pool": 3, "added": 3}


def test_summaries(tmp_path: Path) -> None:
    """Counts by expectation, depth, level, kind and language, of the records that could be read."""
    lines = (
        *changed(GOLDEN, 1, kind="how-to", lang="en", prev_questions=["What?", "Why?"]),
        "{",
    )
    result = lint_golden(write_set(tmp_path / "set.jsonl", lines), FACTS)
    assert result.summary == {
        "records": 3,
        "by_label": {"answer": 1, "refuse:no-evidence": 1, "refuse:out-of-scope": 1},
        "by_depth": {"0": 2, "2": 1},
        "by_level": {
            "low": {"pool": 2, "added": 2},
            "medium": {"pool": 2, "added": 0},
            "high": {"pool": 3, "added": 1},
            "xhigh": {"pool": 3, "added": 0},
            "max": {"pool": 3, "added": 0},
            "ultra": {"pool": 3, "added": 0},
        },
        "by_kind": {"(none)": 2, "how-to": 1},
        "by_lang": {"(none)": 2, "en": 1},
    }
    probed = lint_probes(write_set(tmp_path / "probes.jsonl", PROBES), FACTS)
    assert probed.summary["by_label"] == {"U": 1, "S": 1, "N2": 1, "X": 1}
    assert (probed.summary["by_level"], probed.summary["by_kind"]) == ({}, {})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (ANSWER, 104),
        ("", 0),
        ("one two  three\nfour", 4),
        ("密" * 100, 60),
        ("调用 `rotate()` 两次", 3),
        ("ก" * 40, 10),
    ],
)
def test_words_of_an_answer(answer: str, words: int) -> None:
    """Where no blanks part words, characters are counted as the share of a word that they are."""
    from gnomon.golden.lint_golden import answer_words

    assert answer_words(answer) == words


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ("guide/Keys", "; did you mean 'guide/keys'?"),
        ("guide/keys.md", "; did you mean 'guide/keys'?"),
        ("/guide/keys.md#rotate", "; did you mean 'guide/keys#rotate'?"),
        ("guide/kyes#", "; did you mean 'guide/keys#'?"),
        ("guide/keys#Rotate", "; did you mean 'guide/keys#rotate'?"),
        ("guide/keys#installation", "; the page 'guide/keys' has no such section"),
        ("entirely/elsewhere", ""),
        ("", ""),
        ("#", ""),
    ],
)
def test_hints(entry: str, hint: str) -> None:
    """What an entry that matches nothing may have been meant to be."""
    assert FACTS.hint(entry) == hint


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("guide", True),
        ("guide/keys", True),
        ("guide/keys/old", True),
        ("admin/nested", True),
        ("guide/key", False),
        ("guide/keys/olde", False),
        ("admin/nested/deep/er", False),
        ("z", False),
        ("", False),
    ],
)
def test_paths_of_scopes(path: str, there: bool) -> None:
    """A path is there when a page has it or is nested below it, with a boundary."""
    assert FACTS.holds([path]) is there
    assert FACTS.holds(["nowhere", path]) is there


def test_a_page_in_another_unicode_form() -> None:
    """What looks the same is shown by its characters."""
    page = "guide/cafe\u0301"
    facts = IndexFacts([f"{page}#"], [page], [""])
    assert facts.hint("guide/caf\u00e9") == (
        r"; the index has 'guide/cafe\u0301', and ids are compared exactly as written"
    )


def test_documents_of_a_corpus(tmp_path: Path) -> None:
    """A gold entry may be the id of a document; a longer id is not nested under it."""
    facts = IndexFacts(["d1", "d10", "d1/2"], ["d1", "d10", "d1/2"], ["a", "b", "c"])
    lines = changed(GOLDEN[:2], 1, gold_chunks=["d10"])
    assert lint_golden(write_set(tmp_path / "set.jsonl", lines), facts).findings == ()
    lines = changed(GOLDEN[:2], 1, gold_chunks=["D1", "d"])
    found = lint_golden(write_set(tmp_path / "set.jsonl", lines), facts).findings
    assert [(one.code, "did you mean 'd1'?" in one.message) for one in found] == [
        ("gold-matches-nothing", True),
        ("gold-matches-nothing", False),
    ]
