"""Every code of lint, and whether it is an error: the one table that decides."""

from __future__ import annotations

from typing import Final, Literal

Severity = Literal["error", "warning"]

# An error keeps the file from measuring anything, or a record from being right whatever a system
# does. A warning skews one figure.
SEVERITIES: Final[dict[str, Severity]] = {
    # Every file.
    "broken-line": "error",
    "empty-set": "error",
    "missing-id": "error",
    "duplicate-id": "error",
    "id-spelling": "warning",
    "wrong-type": "error",
    "no-text": "error",
    # Golden sets and probe sets.
    "blank-question": "error",
    "blank-entry": "error",
    "two-spellings": "error",
    "bad-scope": "error",
    "no-scope": "error",
    "scope-matches-nothing": "error",
    "gold-matches-nothing": "error",
    "gold-in-scope": "error",
    "contradiction": "error",
    "scope-slash": "warning",
    "idle-scope-path": "warning",
    "gold-outside-scope": "warning",
    "duplicate-question": "warning",
    "near-duplicate": "warning",
    "quotes-gold": "warning",
    "no-answers": "warning",
    "no-refusals": "warning",
    # Golden sets.
    "unknown-expect": "error",
    "unknown-level": "error",
    "no-gold": "error",
    "gold-on-no-evidence": "error",
    "identifier-not-in-answer": "error",
    "another-index": "error",
    "missing-level": "warning",
    "no-gold-answer": "warning",
    "answer-length": "warning",
    "answer-on-refusal": "warning",
    "gold-by-prefix": "warning",
    "repeated-gold": "warning",
    "empty-gold": "warning",
    "unjudged-copy": "warning",
    # Probe sets.
    "unknown-stratum": "error",
    "no-previous": "error",
    "gold-on-negative": "warning",
    # Collections.
    "another-corpus": "error",
    "contradicting-judgement": "error",
    "nothing-relevant": "error",
    "vector-rows": "error",
    "dangling-document": "warning",
    "dangling-query": "warning",
    "repeated-judgement": "warning",
    "unjudged-query": "warning",
    "no-relevant": "warning",
    "empty-text": "warning",
    "duplicate-text": "warning",
    "split-overlap": "warning",
    "no-queries": "warning",
    "no-judgements": "warning",
}
