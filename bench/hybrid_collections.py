"""What BM25, a model, their fusion and MMR give on real collections, and what of it is noise.

    python -m bench.hybrid_collections ../shared/data

The folder holds corpora, queries, judgements and stored vectors in the layout of BEIR. Nothing is
embedded. Rankings are those of gnomon's own index; differences are paired by query.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from bench.gate_collections import RowsInOrder

from gnomon.embedding.profile import Profile
from gnomon.evaluation.tuning import Options, tune
from gnomon.evaluation.tuning_gain import split
from gnomon.golden.records import GoldenRecord
from gnomon.kernels import Analyzer, mmr, rrf
from gnomon.metrics import evaluate
from gnomon.retrieval.build import Plan, build_index, read_source
from gnomon.retrieval.index import Index
from gnomon.stats.resampling import resample_queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gnomon.evaluation.tuning_result import TuningResult
    from gnomon.types import Figure

    Ranking = Sequence[NDArray[np.int64]]

COLLECTIONS: Final = ("cacm", "cranfield", "mtrag")
MODELS: Final = ("wordllama-256", "all-minilm-l6-v2")
MEASURES: Final = ("ndcg@10", "recall@10")
CANDIDATES: Final = 100
SHIPPED: Final = (5.0, 1.0, 1.0)  # RRF_K, W_LEXICAL_RRF, W_DENSE_RRF
RRF_GRID: Final = tuple(
    (k, lexical, dense)
    for k, (lexical, dense) in product(
        (1.0, 5.0, 20.0, 60.0),
        ((1.0, 4.0), (1.0, 2.0), (1.0, 1.0), (2.0, 1.0), (4.0, 1.0)),
    )
)
SEED: Final = 0


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """A collection, indexed with a model, and what each channel finds for its judged queries."""

    name: str
    model: str
    index: Index
    records: tuple[GoldenRecord, ...]
    embed: Callable[[Sequence[str]], NDArray[np.float32]]
    judged: list[dict[int, int]]
    lexical: Ranking
    dense: Ranking

    def fused(self, k: float, lexical: float, dense: float, top: int = 10) -> Ranking:
        """Return the best of both channels by weighted reciprocal rank."""
        channels: list[Any] = [self.lexical, self.dense]
        found = rrf(channels, weights=[lexical, dense], k=k, top=top)
        return [found[q].ids for q in range(len(found))]

    def reranked(self, lambda_: float) -> Ranking:
        """Return ten by MMR of the twelve that the shipped fusion gives."""
        assert self.index.stored is not None
        found = mmr(
            self.embed([record.question for record in self.records]),
            self.index.stored,
            10,
            lambda_=lambda_,
            rows=self.fused(*SHIPPED, top=12),
        )
        return [found[q].ids for q in range(len(found))]

    def measured(
        self, ranking: Ranking, measures: Sequence[str] = MEASURES
    ) -> dict[str, NDArray[np.float64]]:
        """Return nDCG@10 and recall@10 of every query, or other measures up to a depth of 10."""
        found = evaluate([ids[:10].tolist() for ids in ranking], self.judged, measures)
        return {name: found[name].values for name in measures}

    def tuned(self) -> TuningResult:
        """Return what ``gnomon tune`` finds, every judged document being gold."""
        return tune(
            self.index, self.records, self.embed, Options(seed=SEED), lambda _done, _total: None
        )


def opened(data: Path, name: str, model: str, folder: Path) -> Collection:
    """Index a collection below ``folder`` and look its judged queries up."""
    vectors = np.load(data / name / "emb" / f"{model}.corpus.npy")
    build_index(
        read_source(data / name),
        folder,
        Plan(Analyzer(), ("en",), "cosine", "off", None, None, {}),
        uri=f"precomputed:{model}",
        embedder=RowsInOrder(Profile(model, vectors.shape[1]), vectors),
        cache=None,
        progress=lambda _done, _total: None,
    )
    index = Index.open(folder)
    rows = {chunk.id: row for row, chunk in enumerate(index.chunks)}
    judged: dict[str, dict[int, int]] = {}
    for line in (data / name / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        asked_for, document, gain = line.split("\t")
        judged.setdefault(asked_for, {})[rows[document]] = int(gain)
    asked = np.load(data / name / "emb" / f"{model}.queries.npy").astype(np.float32)
    queries = [
        (q, v) for q, v in zip(_queries(data / name), asked, strict=True) if q["_id"] in judged
    ]
    known = {query["text"]: vector for query, vector in queries}
    records = tuple(
        GoldenRecord(
            query["_id"],
            query["text"],
            "answer",
            gold_chunks=tuple(index.chunks[row].id for row in judged[query["_id"]]),
        )
        for query, _ in queries
    )
    lexical, dense = [], []
    for query, vector in queries:
        scores = index.finder.lexical_scores(query["text"])
        best = np.argsort(-scores, kind="stable")[:CANDIDATES]
        lexical.append(best[scores[best] > 0])
        assert index.finder.vectors is not None
        dense.append(index.finder.vectors.search(vector, CANDIDATES).ids[0])
    return Collection(
        name,
        model,
        index,
        records,
        lambda texts: np.stack([known[text] for text in texts]),
        [judged[query["_id"]] for query, _ in queries],
        lexical,
        dense,
    )


def _queries(folder: Path) -> list[dict[str, Any]]:
    plain = folder / "queries.jsonl"
    content = (
        plain.read_bytes()
        if plain.exists()
        else gzip.decompress((folder / "queries.jsonl.gz").read_bytes())
    )
    return [json.loads(line) for line in content.decode("utf-8").splitlines()]


def rankings(it: Collection) -> dict[str, Ranking]:
    """Return the rankings of the table, by name."""
    return {
        "BM25": it.lexical,
        "dense": it.dense,
        "RRF, k 5, equal weights (shipped)": it.fused(*SHIPPED),
        "RRF, k 60": it.fused(60, 1, 1),
        "RRF, k 5, BM25 counts twice": it.fused(5, 2, 1),
        "RRF, k 5, dense counts twice": it.fused(5, 1, 2),
        "best 12 of RRF, by cosine": it.reranked(1.0),
        "best 12 of RRF, MMR lambda 0.7": it.reranked(0.7),
        "best 12 of RRF, MMR lambda 0.5": it.reranked(0.5),
    }


# What each ranking is compared with: the better single channel, or the step before it.
_SHIPPED_NAME: Final = "RRF, k 5, equal weights (shipped)"
_PLAIN_NAME: Final = "best 12 of RRF, by cosine"


def reference_of(name: str, single: str) -> str | None:
    """Return the name of the ranking that one is compared with."""
    if name in ("BM25", "dense"):
        return None if name == single else single
    if name == _SHIPPED_NAME:
        return single
    return _PLAIN_NAME if name.startswith("best 12") and name != _PLAIN_NAME else _SHIPPED_NAME


def difference(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Figure:
    """Return the mean difference with its paired interval."""
    drawn = resample_queries({"ours": ours, "theirs": theirs}, seed=SEED)
    return drawn.difference_figure("ours", "theirs")


def in_words(figure: Figure) -> str:
    """Return a difference with its interval; one whose interval holds zero is called noise."""
    if figure.value is None or figure.low is None or figure.high is None:
        return "too few"
    noise = ", noise" if figure.low <= 0.0 <= figure.high else ""
    return f"{figure.value:+.3f} ({figure.low:+.3f} to {figure.high:+.3f}){noise}"


def searched_weights(it: Collection) -> tuple[list[tuple[float, float, float]], Figure]:
    """Return the weights that each half of the queries chose, and their gain on the other half.

    The gain is in nDCG@10 over the shipped fusion; ties go to the first of the grid.
    """
    values = np.stack([it.measured(it.fused(*cell))["ndcg@10"] for cell in RRF_GRID])
    shipped = values[RRF_GRID.index(SHIPPED)]
    halves = split([0] * len(it.records), seed=SEED)
    ours, chosen = shipped.copy(), []
    for fit, rest in (halves, halves[::-1]):
        best = int(np.argmax(values[:, fit].mean(axis=1)))
        chosen.append(RRF_GRID[best])
        ours[rest] = values[best, rest]
    return chosen, difference(ours, shipped)


def table(it: Collection) -> list[str]:
    """Return the rows of one collection and model."""
    values = {name: it.measured(ranking) for name, ranking in rankings(it).items()}
    single = max(("BM25", "dense"), key=lambda name: values[name]["ndcg@10"].mean())
    rows = []
    for name, found in values.items():
        reference = reference_of(name, single)
        told = (
            ("", "")
            if reference is None
            else (
                reference.removesuffix(" (shipped)"),
                in_words(difference(found["ndcg@10"], values[reference]["ndcg@10"])),
            )
        )
        rows.append(
            f"| {it.name} | {it.model} | {name} | {found['ndcg@10'].mean():.3f} | "
            f"{found['recall@10'].mean():.3f} | {told[0]} | {told[1]} |"
        )
    return rows


def tuning_row(it: Collection) -> str:
    """Return what ``gnomon tune`` says of a collection and model."""
    result = it.tuned()
    winner, held_out = result.winner, result.held_out
    assert held_out is not None
    before, after = result.compared.redundancy_before, result.compared.redundancy_after
    return (
        f"| {it.name} | {it.model} | {len(it.records)} | {float(winner.lambda_):g}, {winner.k} | "
        f"{winner.f1:.3f} | {in_words(result.compared.gain)} | {in_words(held_out.gain)} | "
        f"{before.cosine:.3f} to {after.cosine:.3f} |"
    )


def weights_row(it: Collection) -> str:
    """Return what a search for RRF's k and weights is worth."""
    chosen, gain = searched_weights(it)
    said = "; ".join(f"k {k:g}, {lexical:g} : {dense:g}" for k, lexical, dense in chosen)
    return f"| {it.name} | {it.model} | {said} | {in_words(gain)} |"


def first_five_row(it: Collection) -> str:
    """Return what the first five of the fusion find, and of its twelve ranked by cosine."""
    fused, reranked = (
        it.measured(ranking, ["recall@5"])["recall@5"]
        for ranking in (it.fused(*SHIPPED), it.reranked(1.0))
    )
    return (
        f"| {it.name} | {it.model} | {fused.mean():.3f} | {reranked.mean():.3f} | "
        f"{in_words(difference(reranked, fused))} |"
    )


def main() -> None:
    """Print the four tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    first, second, third, fourth = [], [], [], []
    for name, model in product(COLLECTIONS, MODELS):
        with tempfile.TemporaryDirectory() as folder:
            it = opened(data, name, model, Path(folder))
            first += table(it)
            second.append(weights_row(it))
            third.append(tuning_row(it))
            fourth.append(first_five_row(it))
    print("| collection | model | ranking | nDCG@10 | recall@10 | against | difference |")
    print("|---|---|---|---|---|---|---|", *first, "", sep="\n")
    print("| collection | model | chosen by each half, BM25 : dense | gain on the other half |")
    print("|---|---|---|---|", *second, "", sep="\n")
    print(
        "| collection | model | queries | lambda, k | F1 | gain on the queries that chose it | "
        "gain held out | mean pairwise cosine |"
    )
    print("|---|---|---|---|---|---|---|---|", *third, "", sep="\n")
    print("| collection | model | recall@5 of the fusion | of its twelve by cosine | difference |")
    print("|---|---|---|---|---|", *fourth, sep="\n")


if __name__ == "__main__":
    main()
