"""Token F1 as SQuAD defines it, step by step, without regular expressions."""

from __future__ import annotations

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
ARTICLES = ("a", "an", "the")


def tokens(text: str) -> list[str]:
    """Return the tokens: lower case, no punctuation, no articles, split at whitespace."""
    kept = [char for char in text.lower() if char not in PUNCTUATION]
    runs: list[str] = []  # of letters and digits, and single characters between them
    for char in kept:
        if runs and char.isalnum() and runs[-1][-1].isalnum():
            runs[-1] += char
        else:
            runs.append(char)
    return "".join(" " if run in ARTICLES else run for run in runs).split()


def token_f1(answer: str, gold: str) -> float:
    """Return F1 from precision and recall of the shared tokens."""
    found, wanted = tokens(answer), tokens(gold)
    if not found or not wanted:
        return 1.0 if found == wanted else 0.0
    left, shared = list(wanted), 0
    for token in found:
        if token in left:
            left.remove(token)
            shared += 1
    if shared == 0:
        return 0.0
    precision, recall = shared / len(found), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)
