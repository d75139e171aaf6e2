"""``gnomon eval --collection``: runs and indexes on the judgements of a BEIR folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from gnomon import audit
from tests.cli.probing import assert_refused

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

DOCUMENTS = {
    "sundial": "A gnomon casts the shadow on a sundial.",
    "clock": "A clock with a pendulum shows the time indoors.",
    "calendar": "A calendar lists the days of a year.",
    "shadow": "At noon the shadow is short.",
}
QUERIES = {
    "q1": "what casts a shadow on a sundial",
    "q2": "how is time shown indoors",
    "q3": "days of the year",
    "unjudged": "noon",
}
QRELS = "query-id\tcorpus-id\tscore\nq1\tsundial\t2\nq1\tshadow\t1\nq2\tclock\t1\nq3\tcalendar\t1\n"
RUN = (
    "q1 Q0 shadow 1 0.9 mine\nq1 Q0 sundial 2 0.5 mine\nq2 Q0 clock 1 0.8 mine\n"
    "q2 Q0 sundial 2 0.8 mine\nunjudged Q0 shadow 1 1.0 mine\n"
)


@pytest.fixture
def folder(gnomon: Gnomon) -> Path:
    """Write a collection and a run of another system into the folder of the command line."""
    place = Path("small")
    (place / "qrels").mkdir(parents=True)
    write_lines(place / "corpus.jsonl", DOCUMENTS)
    write_lines(place / "queries.jsonl", QUERIES)
    (place / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    Path("mine.trec").write_text(RUN, encoding="utf-8")
    return place


def write_lines(path: Path, texts: dict[str, str]) -> None:
    """Write ids and texts as BEIR has them."""
    lines = (json.dumps({"_id": name, "text": text}) for name, text in texts.items())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def means(body: dict[str, object]) -> dict[str, float]:
    """Return the means of a report."""
    figures = body["figures"]
    assert isinstance(figures, dict)
    return {name: round(one["mean"], 4) for name, one in figures.items()}


def test_a_run_of_another_system(gnomon: Gnomon, folder: Path) -> None:
    """Figures, counts and notes on stdout; a report as JSON and Markdown; a record in the trail."""
    outcome = gnomon(
        "eval", "--collection", folder, "--run", "mine.trec", "--metrics", "nDCG@10,R@1,MRR"
    )
    assert outcome.out.startswith("mine on small, ties by id\n")
    assert "1 of 4 queries without judgements: left out" in outcome.out
    assert "1 of 4 queries without results: counted with 0" in outcome.out
    assert "ties decide the rr of 1 of 3 queries" in outcome.out
    body = json.loads(Path("gnomon/reports/mine-on-small.json").read_text("utf-8"))
    assert means(body) == {"ndcg@10": 0.6199, "recall@1": 0.5, "rr": 0.6667}
    assert body["collection"]["counts"]["n_measured"] == 3
    assert "| ndcg@10 | 0.6199 |" in Path("gnomon/reports/mine-on-small.md").read_text("utf-8")
    record = audit.read_record(".gnomon", 1).to_json()
    text = json.dumps(record)
    assert record["action"] == "eval"
    assert not any(one in text for one in ("sundial", "q1", "unjudged"))


def test_ties_as_trec_eval_has_them(gnomon: Gnomon, folder: Path) -> None:
    """The other rule gives other values, files its own report and is no baseline of the first."""
    args = ("eval", "--collection", folder, "--run", "mine.trec", "--metrics", "rr", "--json")
    mine = gnomon(*args).json
    other = gnomon(*args, "--ties", "trec").json
    assert (means(mine), means(other)) == ({"rr": 0.6667}, {"rr": 0.5})
    assert other["files"]["report"] == "gnomon/reports/mine-on-small-ties-trec.json"
    outcome = gnomon(*args, "--ties", "trec", "--baseline", mine["files"]["report"], code=3)
    assert_refused(outcome, "what is judged, the rule of ties or what is left out differs")


def test_judgements_alone(gnomon: Gnomon, folder: Path) -> None:
    """A TREC track has no corpus here: --qrels is enough, in either form."""
    Path("track.qrels").write_text("q2 0 clock 1\nq1 0 sundial 0\n", encoding="utf-8")
    body = gnomon("eval", "--qrels", "track.qrels", "--run", "mine.trec", "--json").json
    assert body["collection"]["counts"]["n_without_relevant"] == 1
    assert body["figures"]["ap"]["mean"] == 1.0
    assert body["files"]["report"] == "gnomon/reports/mine-on-track.json"
    assert folder.is_dir()


def test_every_value_by_query(gnomon: Gnomon, folder: Path) -> None:
    """The file has metric, query and value, then the means, in full."""
    gnomon(
        "eval", "--collection", folder, "--run", "mine.trec",
        "--metrics", "recall@1,ndcg@10", "--per-query", "values.tsv",
    )  # fmt: skip
    rows = [line.split("\t") for line in Path("values.tsv").read_text("utf-8").splitlines()]
    assert [row[:2] for row in rows] == [
        [name, query] for query in ("q1", "q2", "q3", "all") for name in ("recall@1", "ndcg@10")
    ]
    assert float(rows[1][2]) == pytest.approx(
        (1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3)), abs=1e-12
    )


def test_the_same_run_again_is_compared(gnomon: Gnomon, folder: Path) -> None:
    """The last report of the name is the baseline; what moved is counted and named."""
    args = ("eval", "--collection", folder, "--run", "mine.trec", "--metrics", "rr")
    assert "No baseline: this is the first report of this run on" in gnomon(*args).out
    assert "the same run, or the same index and channel" in gnomon(*args).out
    Path("mine.trec").write_text(RUN.replace("sundial 2 0.8", "sundial 2 0.9"), encoding="utf-8")
    outcome = gnomon(*args)
    assert "changed: run mine" in outcome.out
    assert "0 better, 1 worse of 3" in outcome.out


def test_expectations_and_junit(gnomon: Gnomon, folder: Path) -> None:
    """Exit 4 with the queries that speak against it; no case about scopes, which there are none."""
    outcome = gnomon(
        "eval", "--collection", folder, "--run", "mine.trec", "--expect", "ndcg@10>=0.9",
        "--junit", "unit.xml", code=4,
    )  # fmt: skip
    assert "not met: ndcg@10>=0.9: ndcg@10 is 0.6199, measured on 3 of 3 records" in outcome.err
    names = [one.get("name") for one in ET.parse("unit.xml").iter("testcase")]
    assert names == ["ndcg@10>=0.9"]
    outcome = gnomon(
        "eval", "--collection", folder, "--run", "mine.trec", "--expect", "recall@7>1", code=2
    )
    assert "no measure is called 'recall@7'" in outcome.err


@pytest.mark.parametrize("channel", ["bm25", "dense", "fused", "served"])
def test_an_index(gnomon: Gnomon, folder: Path, channel: str) -> None:
    """Each channel gives a run, which measures the same when it is read back."""
    gnomon("index", folder, "--embedder", "lsa:2", "--out", "idx", "--quiet")
    args = ("eval", "--collection", folder, "--quiet", "--json")
    depth = () if channel == "served" else ("--depth", 3)
    mine = gnomon(
        *args, "--index", "idx", "--channel", channel, *depth, "--run-out", "out.trec.gz"
    ).json
    assert mine["files"]["report"] == f"gnomon/reports/idx-{channel}-on-small.json"
    assert mine["index"]["facts"]["run"].startswith(f"{channel} of ")
    again = gnomon(*args, "--run", "out.trec.gz").json
    assert again["figures"] == mine["figures"]
    assert mine["collection"]["counts"]["n_total"] == 3  # only judged queries are asked
    assert mine["figures"]["recall@10"]["mean"] > 0.5


def test_an_index_without_vectors(gnomon: Gnomon, folder: Path) -> None:
    """Its fusion is its lexical list; it has no dense channel."""
    gnomon("index", folder, "--no-embed", "--out", "idx", "--quiet")
    args = ("eval", "idx", "--collection", folder, "--quiet")
    fused, lexical = (
        gnomon(*args, "--json", "--channel", channel).json["figures"]
        for channel in ("fused", "bm25")
    )
    assert fused == lexical
    outcome = gnomon(*args, "--channel", "dense", code=2)
    assert "idx has no vectors; take --channel bm25 or fused" in outcome.err
    outcome = gnomon(*args, "--query-vectors", "v.npy", code=2)
    assert "idx has no vectors; leave out those of the queries" in outcome.err


def test_stored_query_vectors(gnomon: Gnomon, folder: Path) -> None:
    """Vectors of the queries come from a file, a row for each query of the collection."""
    np.save("docs.npy", np.eye(4, dtype=np.float32))
    np.save("queries.npy", np.eye(4, dtype=np.float32)[[0, 1, 2, 3]])
    gnomon("index", folder, "--embedder", "precomputed:docs.npy", "--out", "idx", "--quiet")
    args = ("eval", "--collection", folder, "--index", "idx", "--channel", "dense", "--quiet")
    body = gnomon(*args, "--query-vectors", "queries.npy", "--metrics", "rr", "--json").json
    assert means(body) == {"rr": 1.0}
    np.save("queries.npy", np.eye(3, dtype=np.float32))
    outcome = gnomon(*args, "--query-vectors", "queries.npy", code=3)
    assert_refused(outcome, "queries.npy: holds vectors of the shape [3, 3]; expected [4, 4]")


def test_an_index_of_other_documents(gnomon: Gnomon, folder: Path) -> None:
    """One changed document makes it another corpus: refused by hash, with the way out."""
    gnomon("index", folder, "--no-embed", "--out", "idx", "--quiet")
    write_lines(folder / "corpus.jsonl", {**DOCUMENTS, "clock": "changed"})
    outcome = gnomon("eval", "--collection", folder, "--index", "idx", code=3)
    assert_refused(outcome, "idx was not built from small/corpus.jsonl", "gnomon index small")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("Q1 Q0 clock 1 1 t\n", "its only query is not judged in"),
        ("Q1 Q0 clock 1 1 t\n", "'Q1' is 'q1' but for upper and lower case"),
        ("q1 Q0 d1 1 1 t\nq2 Q0 d2 1 1 t\n", "none of its 2 documents is in the corpus"),
        ("", "mine.trec: holds no result"),
        ("q1 Q0 clock 1 nan t\n", "mine.trec: line 1: the score is 'nan'"),
    ],
)
def test_a_run_of_another_collection(gnomon: Gnomon, folder: Path, run: str, said: str) -> None:
    """No overlap of queries or documents, and broken files, are refused and leave no report."""
    Path("mine.trec").write_text(run, encoding="utf-8")
    outcome = gnomon("eval", "--collection", folder, "--run", "mine.trec", code=3)
    assert_refused(outcome, said)
    assert not Path("gnomon/reports").exists()


def test_judgements_of_another_collection(gnomon: Gnomon, folder: Path) -> None:
    """Up to a tenth of ids that are nowhere are told, more are refused, as lint has it."""
    write_lines(folder / "corpus.jsonl", DOCUMENTS | {f"d{n}": "some text" for n in range(15)})
    write_lines(folder / "queries.jsonl", QUERIES | {f"p{n}": f"ask {n}" for n in range(15)})
    known = [f"p{n}\td{n}\t1\n" for n in range(15)] + ["q1\tsundial\t1\n", "q2\tclock\t1\n"]
    lost = ["q1\tgone\t1\n", "q9\tclock\t1\n"]
    run = ("eval", "--collection", folder, "--run", "mine.trec", "--qrels", "other.tsv")
    Path("other.tsv").write_text("".join(known + lost), encoding="utf-8")
    outcome = gnomon(*run)
    assert "1 judged document is not in the corpus, such as 'gone'" in outcome.out
    assert "1 judged query is not among the queries, such as 'q9'" in outcome.out
    Path("other.tsv").write_text("q1\tgone\t1\n", encoding="utf-8")
    assert_refused(gnomon(*run, code=3), "no judged document: the only judged document is not")


@pytest.mark.parametrize("how", ["run", "index"])
@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("q1\tgone\t0\n", "1 of 5 judged documents is not in the corpus, such as 'gone'"),
        ("q9\tclock\t1\n", "1 of 4 judged queries is not in the queries, such as 'q9'"),
    ],
    ids=["documents", "queries"],
)
def test_too_many_foreign_judgements(
    gnomon: Gnomon, folder: Path, how: str, lost: str, said: str
) -> None:
    """More than a tenth is what lint calls another-corpus, an error: nothing is measured."""
    with (folder / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write(lost)
    linted = gnomon("lint", "--collection", folder, "--json", code=3).json["files"][0]
    assert "another-corpus" in {finding["code"] for finding in linted["findings"]}
    what = ["--run", "mine.trec"]
    if how == "index":
        gnomon("index", folder, "--no-embed", "--out", "idx", "--quiet")
        what = ["--index", "idx"]
    outcome = gnomon("eval", "--collection", folder, *what, code=3)
    assert_refused(outcome, said, "another-corpus", "--qrels")
    assert not Path("gnomon/reports").exists()


def test_identical_ids(gnomon: Gnomon, folder: Path) -> None:
    """A result with the id of its query is told, and left out on demand, as BEIR does."""
    queries = {"clock": "a clock is no sundial", "sundial": "a sundial shows the time"}
    write_lines(folder / "queries.jsonl", queries)
    qrels = "query-id\tcorpus-id\tscore\nclock\tsundial\t1\nsundial\tclock\t1\n"
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    gnomon("index", folder, "--no-embed", "--out", "idx", "--quiet")
    args = ("eval", "--collection", folder, "--metrics", "rr", "--quiet", "--json")
    kept = gnomon(*args, "--index", "idx", "--depth", 2, "--run-out", "out.trec").json
    read = gnomon(*args, "--run", "out.trec").json
    assert read["collection"]["notes"][-1] == (
        "2 results have the id of their query: counted like any other"
    )
    left = gnomon(*args, "--run", "out.trec", "--ignore-identical-ids").json
    assert left["collection"]["notes"][-1].endswith("their query: left out")
    searched = gnomon(*args, "--index", "idx", "--depth", 1, "--ignore-identical-ids").json
    found = [means(body) for body in (kept, read, left, searched)]
    assert found == [{"rr": 0.75}, {"rr": 0.75}, {"rr": 1.0}, {"rr": 1.0}]
    assert "without-identical" in left["files"]["report"]


def test_queries_without_text(gnomon: Gnomon, folder: Path) -> None:
    """They find nothing, are not embedded, and are told."""
    write_lines(folder / "queries.jsonl", {**QUERIES, "q2": " "})
    gnomon("index", folder, "--embedder", "lsa:2", "--out", "idx", "--quiet")
    body = gnomon("eval", "--collection", folder, "--index", "idx", "--quiet", "--json").json
    assert body["collection"]["notes"][-1] == ("1 query has no text: nothing is found for it")
    assert body["collection"]["counts"]["n_without_results"] == 1


def test_the_form_of_the_judgements_is_no_difference(gnomon: Gnomon, folder: Path) -> None:
    """The same judgements in another order and form are the same for a comparison."""
    args = ("eval", "--collection", folder, "--run", "mine.trec", "--metrics", "rr", "--json")
    gnomon(*args)
    rows = [line.split("\t") for line in QRELS.splitlines()[1:]]
    trec = "".join(f"{query} 0 {document} {gain}\n" for query, document, gain in rows[::-1])
    (folder / "qrels" / "test.tsv").write_text(trec, encoding="utf-8")
    assert gnomon(*args).json["comparison"]["comparable"]


def test_unknown_ids_are_told(gnomon: Gnomon, folder: Path) -> None:
    """Documents and queries of a run that the collection lacks, and a file out of order."""
    more = "q7 Q0 clock 1 1 t\nq1 Q0 \x41ncient 3 0.95 t\n"
    Path("mine.trec").write_text(RUN + more, encoding="utf-8")
    outcome = gnomon("eval", "--collection", folder, "--run", "mine.trec")
    assert "1 query of the run is not among the queries, such as 'q7'" in outcome.out
    assert "1 of 4 documents of the run is not in the corpus, such as 'Ancient'" in outcome.out
    assert "1 query does not stand in the order of the scores" in outcome.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--collection", "small"], "give either --run FILE or --index DIR"),
        (["--collection", "small", "--run", "r", "--index", "i"], "give either --run FILE or"),
        (["--run", "r"], "a run needs --collection DIR, or --qrels FILE"),
        (["--index", "i", "--qrels", "q"], "an index needs --collection DIR"),
        (["i", "--index", "j", "--collection", "small"], "two indexes are named, i and j"),
        (["--collection", "small", "--run", "r", "--depth", "5"], "--depth belongs to --index"),
        (["--collection", "small", "--run", "r", "--run-out", "o"], "--run-out belongs to --index"),
        (["--collection", "small", "--run", "r", "--gate-only"], "--gate-only belongs to a golden"),
        (["--collection", "small", "--run", "r", "--level", "low"], "--level belongs to a golden"),
        (["--collection", "small", "--run", "r", "--metrics", "f1"], "there is no metric 'f1'"),
        (["--collection", "small", "--run", "r", "--metrics", "rr@0"], "the cutoff is '0'"),
        (["--collection", "small", "--run", "r", "--per-query", "no/x"], "the folder no does not"),
        (["--collection", "small", "--run", "r", "--embedder", "lsa:2"], "--embedder belongs to"),
        (["--collection", "small", "--run", "r", "--per-query", "small"], "small is a folder"),
        (["--collection", "small", "i", "--channel", "served", "--depth", "5"], "leave out --dep"),
        (["--collection", "small", "i", "--channel", "bm25", "--query-vectors", "v"], "needs none"),
        (["--collection", "small", "i", "--run-out", "o", "--per-query", "o"], "the same file"),
        (["--collection", "small", "--run", "r", "--per-query", "./r"], "is read by this"),
        (["--collection", "small", "i", "--run-out", "small/corpus.jsonl"], "is read by this"),
        (["--ties", "trec"], "give either --run FILE or --index DIR"),
    ],
)
def test_flags_that_do_not_go_together(
    gnomon: Gnomon, folder: Path, args: list[str], said: str
) -> None:
    """Each is refused with exit 2, before anything is read or written."""
    outcome = gnomon("eval", *args, code=2)
    assert said in outcome.err
    assert sorted(path.name for path in Path().iterdir()) == ["mine.trec", folder.name]
