"""Running the probe's commands on small written collections, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from gnomon import audit
from gnomon.cli.main import run
from tests.probe.collections import Collection, make_collection

SMALL: Collection = make_collection(n=120, q=30)
# A forced adapter and a depth that fits the small collections: the shortest whole probe.
QUICK = ("--adapter", "procrustes", "--candidate-depth", "40", "--quiet")


@dataclass(frozen=True)
class Outcome:
    """What one command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON document on stdout; NaN and infinities are refused."""
        document: dict[str, Any] = json.loads(self.out, parse_constant=_refuse_constant)
        return document


Gnomon = Callable[..., Outcome]


def runner(read_streams: Callable[[], tuple[str, str]]) -> Gnomon:
    """Return the function that runs ``gnomon`` with its arguments, checking the exit code."""

    def gnomon(*args: object, code: int = 0) -> Outcome:
        read_streams()
        found = run([str(arg) for arg in args])
        outcome = Outcome(found, *read_streams())
        assert found == code, outcome.err
        return outcome

    return gnomon


def corpus_args(folder: Path) -> list[str]:
    """Return the flags that name a written collection."""
    return ["--corpus", str(folder), "--old", "old", "--new", "new"]


def file_args(folder: Path, **instead: object) -> list[str]:
    """Return a flag for every part of a written collection; None leaves a part out."""
    parts: dict[str, object] = {
        "docs": folder / "corpus.jsonl",
        "queries": folder / "queries.jsonl",
        "qrels": folder / "qrels.tsv",
        "old_docs": folder / "emb" / "old.corpus.npy",
        "new_docs": folder / "emb" / "new.corpus.npy",
        "old_queries": folder / "emb" / "old.queries.npy",
        "new_queries": folder / "emb" / "new.queries.npy",
    }
    given = {name: value for name, value in (parts | instead).items() if value is not None}
    return [
        text
        for name, value in given.items()
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]


def assert_refused(outcome: Outcome, *words: str) -> None:
    """Check that a command printed no result, no traceback and one error with these words."""
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    assert outcome.err.count("error: ") == 1, outcome.err
    message = outcome.err[outcome.err.index("error: ") :]
    for word in words:
        assert word in message, f"{word!r} is not in {message!r}"


def assert_nothing_left(state_dir: Path, *folders: Path) -> None:
    """Check that no record was written and no temporary file stayed behind."""
    assert not (state_dir / "audit.jsonl").exists() or audit.verify(state_dir).records == 0
    for folder in (state_dir, *folders):
        assert [path for path in folder.rglob("*") if path.name.endswith(".tmp")] == []


def refused(gnomon: Gnomon, collection: Path, *flags: str, **parts: object) -> Outcome:
    """Run the probe, by files when ``parts`` are given, and check that it left nothing."""
    args = file_args(collection, **parts) if parts else corpus_args(collection)
    outcome = gnomon("probe", *args, *QUICK, *flags, code=3)
    assert_nothing_left(Path.cwd() / ".gnomon", collection)
    return outcome


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is no JSON"
    raise ValueError(message)
