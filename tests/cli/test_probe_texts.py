"""Text around the vectors: descriptions, marks, packing, hostile ids and names."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.probing import QUICK, Gnomon, assert_refused, corpus_args, refused


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("[" * 50_000 + "]" * 50_000, []),
        ('{"dim": ' + '{"a":' * 50_000 + "1" + "}" * 50_001, []),
        ("{", []),
        ("[]", ["object"]),
        ("{}", ["dim"]),
        ('{"dim": NaN}', ["dim"]),
        ('{"dim": 1e400}', ["dim"]),
        ('{"dim": "32"}', ["dim"]),
        ('{"dim": true}', ["dim"]),
        ('{"dim": 0}', ["dim"]),
        ('{"dim": 33}', ["33", "32"]),
        ('{"dim": 32, "model": 7}', []),
        ('{"dim": 32, "model": ""}', []),
        ('{"dim": 32, "normalised": "yes"}', ["normalised"]),
        ('{"dim": 32, "normalised": []}', ["normalised"]),
        ('{"dim": 32, "query_prefix": ["q"]}', ["query_prefix"]),
        ('{"dim": 32, "model": "\\ud800"}', []),
        ('{"dim": 32, "dim": 32, "revision": "1"}', ["line 1 has the key 'dim' twice"]),
        ('{"dim": 32, "revision": 1}', ["revision"]),
        ('{"dim": ' + "9" * 5_000 + "}", []),
        ('{"dim": 32, "x": "' + "y" * (1 << 21) + '"}', ["more than"]),
        ("\udcff", []),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
@pytest.mark.parametrize("by_flag", [False, True])
def test_a_hostile_description_of_a_model_is_refused_in_words(
    gnomon: Gnomon, collection: Path, description: str, words: list[str], by_flag: bool
) -> None:
    """Deep nesting, wrong types, NaN, huge: the file is named and nothing breaks."""
    path = collection / "emb" / "new.json"
    path.write_bytes(description.encode("utf-8", "surrogateescape"))
    parts = {"new_profile": path} if by_flag else {}
    assert_refused(refused(gnomon, collection, **parts), "new.json", *words)


def test_text_files_with_mark_crlf_and_blank_lines_give_the_same_figures(
    gnomon: Gnomon, collection: Path
) -> None:
    """What editors and other systems add changes nothing."""
    plain = gnomon("probe", *corpus_args(collection), *QUICK, "--json").json
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        path = collection / name
        lines = path.read_bytes().split(b"\n")
        blanks = b"" if name == "qrels.tsv" else b"\r\n\r\n"
        path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines[:20]) + blanks + b"\r\n"
                         + b"\r\n".join(lines[20:]).rstrip())  # fmt: skip
    again = gnomon("probe", *corpus_args(collection), *QUICK, "--json").json
    assert {**again, "audit": None} == {**plain, "audit": None}


def test_packed_text_files_give_the_same_figures(gnomon: Gnomon, collection: Path) -> None:
    """Every text file as gzip."""
    plain = gnomon("probe", *corpus_args(collection), *QUICK, "--json").json
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        content = (collection / name).read_bytes()
        (collection / name).unlink()
        (collection / f"{name}.gz").write_bytes(gzip.compress(content))
    again = gnomon("probe", *corpus_args(collection), *QUICK, "--json").json
    assert {**again, "audit": None} == {**plain, "audit": None}


def test_hostile_ids_are_shown_escaped(gnomon: Gnomon, collection: Path) -> None:
    """Controls, bidirectional overrides and markup in an id do nothing to the terminal."""
    hostile = "\x1b[2J\x07\u202e<b>[red]x"
    path = collection / "corpus.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[3] = lines[4] = json.dumps({"_id": hostile, "text": "text"})
    path.write_text("\n".join(lines), encoding="utf-8")
    outcome = refused(gnomon, collection)
    assert_refused(outcome, "corpus.jsonl", r"\x1b[2J\x07\u202e<b>[red]x")
    assert not set(outcome.err) & set("\x1b\x07\u202e")


def test_a_hostile_file_name_is_shown_escaped(gnomon: Gnomon, collection: Path) -> None:
    """A name can hold anything but a slash."""
    path = collection / "a\x1b[31m\n.npy"
    outcome = refused(gnomon, collection, old_docs=path)
    assert_refused(outcome, r"a\x1b[31m\n.npy")
    assert "\x1b" not in outcome.err
