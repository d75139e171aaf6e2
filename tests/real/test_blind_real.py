"""The worked example of the documentation: fusion on Cranfield, its judgements for a judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.blind.sheet import read_sheet, write_sheet
from gnomon.blind.spot_file import as_shown
from gnomon.sources.corpus import read_corpus
from gnomon.sources.qrels import read_qrels
from gnomon.sources.queries import read_queries
from tests.cli.probing import Gnomon, runner

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "check-by-a-person.md"


@pytest.fixture
def gnomon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Gnomon:
    """Run the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return runner(lambda: tuple(capsys.readouterr()))


def blocks(language: str) -> list[str]:
    """Return the blocks of code of the page in one language."""
    text = PAGE.read_text(encoding="utf-8")
    return [part.split("```")[0] for part in text.split(f"```{language}\n")[1:]]


def judge_by_judgements(sheet_file: Path, collection: Path) -> None:
    """Fill a sheet: the title with the higher gain is right, equal gains can't be told apart."""
    corpus = read_corpus(collection / "corpus.jsonl.gz")
    named: dict[str, list[str]] = {}
    for document in corpus.documents():
        named.setdefault(as_shown(document.title), []).append(document.id)
    queries = read_queries(collection / "queries.jsonl")
    asked = {as_shown(text): name for name, text in zip(queries.ids, queries.texts, strict=True)}
    qrels = read_qrels(collection / "qrels.tsv")
    rows = zip(qrels.query_index, qrels.doc_index, qrels.gains, strict=True)
    gains = {(qrels.query_ids[q], qrels.doc_ids[d]): int(gain) for q, d, gain in rows}
    sheet = read_sheet(sheet_file)
    for spot in sheet.spots:
        query = asked[spot.left_context]
        x, y = (max(gains.get((query, d), 0) for d in named[title]) for title in (spot.x, spot.y))
        verdict = "neither" if x == y == 0 else "cannot_tell" if x == y else "x" if x > y else "y"
        sheet = sheet.with_verdict(spot.number, verdict)
    write_sheet(sheet_file, sheet)


def test_the_worked_example(gnomon: Gnomon, shared_data: Path) -> None:
    """The page shows what its commands print, from the runs to the note."""
    cranfield = shared_data / "cranfield"
    vectors = cranfield / "emb" / "all-minilm-l6-v2"
    uri = f"precomputed:{vectors}.corpus.npy"
    gnomon("index", cranfield, "--embedder", uri, "--out", "idx", "--quiet")
    for channel in ("bm25", "dense", "fused"):
        questions = () if channel == "bm25" else ("--query-vectors", f"{vectors}.queries.npy")
        gnomon(
            "eval", "--collection", cranfield, "--index", "idx", "--channel", channel, "--quiet",
            *questions, "--run-out", f"{channel}.trec", "--metrics", "rr",
        )  # fmt: skip
    contested, scored = blocks("text")
    made = gnomon(
        "blind", "contested", "--a", "bm25.trec", "--b", "dense.trec", "--used", "fused.trec",
        "--collection", cranfield, "--out", "check/contested.jsonl",
    )  # fmt: skip
    assert made.out.startswith(contested)
    Path("rules.toml").write_text(blocks("toml")[0], encoding="utf-8")
    plan = gnomon("blind", "plan", "--rules", "rules.toml", "--yes", "--json").json["plan"]
    assert f"--plan {plan} " in PAGE.read_text(encoding="utf-8")
    gnomon("blind", "draw", "check/contested.jsonl", "--plan", plan, "--out", "drawn", "--quiet")
    judge_by_judgements(Path("drawn/sheet.jsonl"), cranfield)
    done = gnomon("blind", "score", "--sheet", "drawn/sheet.jsonl", "--key", "drawn/key.json")
    assert done.out.startswith(scored)
