"""Flags of ``gnomon probe`` that no data could make right: exit 2 before anything is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.probing import Gnomon, assert_refused, corpus_args, file_args


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--k", "0"], ["k is 0", "at least 1"]),
        (["--k", "-3"], ["k is -3", "at least 1"]),
        (["--k", "1.5"], ["--k", "1.5"]),
        (["--k", "ten"], ["--k", "ten"]),
        (["--k", ""], ["--k"]),
        (["--k"], ["--k", "requires an argument"]),
        (["--k", "20", "--candidate-depth", "19"], ["candidate_depth is 19", "k is 20"]),
        (["--candidate-depth", "0"], ["candidate_depth is 0"]),
        (["--candidate-depth", "1e3"], ["--candidate-depth", "1e3"]),
        (["--pairs", "1"], ["pairs is 1", "at least 2"]),
        (["--pairs", "4k"], ["--pairs", "4k"]),
        (["--seed", "-1"], ["seed is -1"]),
        (["--seed", str(2**53)], ["seed is 9007199254740992", "2**53"]),
        (["--seed", "0x10"], ["--seed", "0x10"]),
        (["--threads", "0"], ["threads is 0"]),
        (["--threads", "two"], ["--threads", "two"]),
        (["--sample", "0"], ["sample is 0"]),
        (["--sample", "10%"], ["--sample", "10%"]),
        (["--adapter", "procrustean"], ["procrustean", "procrustes", "ridge"]),
        (["--adapter", ""], ["adapter"]),
        (["--tier", "T2"], ["--tier", "T2", "T1u"]),
        (["--fit-scope", "both"], ["--fit-scope", "both", "unseen"]),
        (["--expect", "stay"], ["--expect", "stay", "no_upgrade_needed"]),
        (["--expect", "caution,"], ["--expect", "''", "caution"]),
        (["--expect", ""], ["--expect", "''"]),
        (["--report", "out.pdf"], ["--report", "out.pdf", ".html", ".md"]),
        (["--report", "out"], ["--report", "out", ".html"]),
        (["--report", "nowhere/out.html"], ["--report", "nowhere", "does not exist"]),
        (["--report", ""], ["--report"]),
        (["--state-dir", ""], ["--state-dir", "empty"]),
        (["--no-such-flag"], ["--no-such-flag"]),
        (["--cand", "30"], ["--cand"]),
        (["stray"], ["stray"]),
    ],
    ids=" ".join,
)
def test_a_malformed_flag_is_a_usage_error(
    gnomon: Gnomon, small_collection: Path, flags: list[str], words: list[str]
) -> None:
    """The message names the flag and what would do; no trail is begun."""
    outcome = gnomon("probe", *corpus_args(small_collection), *flags, code=2)
    assert_refused(outcome, *words)
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], ["--old-docs", "--new-docs", "--corpus"]),
        (["--corpus", "x"], ["--corpus", "--old", "--new"]),
        (["--corpus", "x", "--old", "a"], ["--corpus", "--old", "--new"]),
        (["--old-docs", "a.npy"], ["--new-docs missing"]),
        (["--old", "a", "--new", "b"], ["--old-docs", "--corpus"]),
    ],
    ids=" ".join,
)
def test_files_that_are_not_named_are_asked_for(
    gnomon: Gnomon, flags: list[str], words: list[str]
) -> None:
    """Either a collection and two models, or at least both files of document vectors."""
    assert_refused(gnomon("probe", *flags, code=2), *words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"new_queries": None}, ["--old-queries is given but --new-queries is not"]),
        ({"old_queries": None}, ["--new-queries is given but --old-queries is not"]),
        ({"old_queries": None, "new_queries": None}, ["--qrels", "without query vectors"]),
        ({"ids": "ids.txt"}, ["--docs and --ids"]),
    ],
    ids=str,
)
def test_parts_that_contradict_each_other_are_a_usage_error(
    gnomon: Gnomon, small_collection: Path, changes: dict[str, str | None], words: list[str]
) -> None:
    """No content of the files could make these calls whole."""
    outcome = gnomon("probe", *file_args(small_collection, **changes), code=2)
    assert_refused(outcome, *words)


def test_a_report_named_like_a_folder_is_a_usage_error(
    gnomon: Gnomon, small_collection: Path
) -> None:
    """Found before the work and not after it."""
    (Path.cwd() / "out.html").mkdir()
    outcome = gnomon("probe", *corpus_args(small_collection), "--report", "out.html", code=2)
    assert_refused(outcome, "out.html is a folder")


@pytest.mark.parametrize("name", ["../old", "a/b", ".hidden", "a\x1b[31mb", ""])
def test_a_model_name_is_never_a_path(gnomon: Gnomon, small_collection: Path, name: str) -> None:
    """It becomes part of a file name, so it must be plain; nothing on disk could make it right."""
    for old, new in ((name, "new"), ("old", name)):
        outcome = gnomon("probe", "--corpus", small_collection, "--old", old, "--new", new, code=2)
        assert_refused(outcome, "plain name")
        assert "\x1b" not in outcome.err
