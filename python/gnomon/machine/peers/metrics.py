"""Ranking metrics of a run: rows of ids for those who take them, strings for those who must."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import metrics
from gnomon.machine.work import OURS, Peer, Work, WrongAnswerError, installed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Means = Mapping[str, float]
    Measure = Callable[[], Means]

NAMES = ("recall@10", "ndcg@10", "rr")
TOLERANCE = 1e-9
_PYTREC = {"recall@10": "recall_10", "ndcg@10": "ndcg_cut_10", "rr": "recip_rank"}
_RANX = {"recall@10": "recall@10", "ndcg@10": "ndcg@10", "rr": "mrr"}
_IRM = {"recall@10": "R@10", "ndcg@10": "nDCG@10", "rr": "RR"}


@dataclass(frozen=True, slots=True, eq=False)
class MetricsTask:
    """A run int64 [Q, depth] and judged rows in CSR form with gains."""

    run: NDArray[np.int64]
    judged: metrics.Judgements

    def qrels(self) -> dict[str, dict[str, int]]:
        """Return the judgements as TREC has them."""
        offsets, gains = self.judged.offsets, self.judged.gains
        assert gains is not None
        return {
            str(q): {
                str(row): int(gain)
                for row, gain in zip(
                    self.judged.ids[begin:end].tolist(), gains[begin:end].tolist(), strict=True
                )
            }
            for q, (begin, end) in enumerate(itertools.pairwise(offsets.tolist()))
        }

    def named_run(self) -> dict[str, dict[str, float]]:
        """Return the run as TREC has it, with scores that fall."""
        scores = list(map(float, range(self.run.shape[1], 0, -1)))
        return {
            str(q): dict(zip(map(str, row), scores, strict=True))
            for q, row in enumerate(self.run.tolist())
        }


def work(n_queries: int, depth: int) -> Work[MetricsTask, Any]:
    """Return the metrics of so many queries."""
    return Work(
        kernel="metrics",
        name=f"metrics {n_queries}x{depth}",
        what=f"{n_queries:,} queries x {depth} ids, {', '.join(NAMES)}",
        make=lambda: _task(n_queries, depth),
        peers=PEERS,
        check=check,
        amount=n_queries,
        unit="queries",
    )


def check(task: MetricsTask, means: Means) -> None:
    """Raise unless the means are those of the definitions, in float64."""
    for name, truth in _definition(task).items():
        if not abs(means[name] - truth) <= TOLERANCE:
            raise WrongAnswerError(f"{name} is {means[name]!r} instead of {truth!r}")


def _definition(task: MetricsTask) -> Means:
    sums = dict.fromkeys(NAMES, 0.0)
    qrels = task.qrels()
    for q, row in enumerate(task.run.tolist()):
        judged = qrels[str(q)]
        gains = np.array([judged.get(str(one), 0) for one in row])
        discounts = 1.0 / np.log2(np.arange(2, 12))
        ideal = np.array(sorted(judged.values(), reverse=True)[:10])
        relevant = sum(gain > 0 for gain in judged.values())
        sums["recall@10"] += sum(gain > 0 for gain in gains[:10]) / relevant
        sums["ndcg@10"] += float(gains[:10] @ discounts) / float(ideal @ discounts[: len(ideal)])
        sums["rr"] += next((1 / at for at, gain in enumerate(gains, 1) if gain > 0), 0.0)
    return {name: total / len(task.run) for name, total in sums.items()}


def _task(n_queries: int, depth: int) -> MetricsTask:
    rng = np.random.default_rng(19)
    universe = 4 * depth
    order = np.argsort(rng.random((n_queries, universe)), axis=1).astype(np.int64)
    judged = np.argsort(rng.random((n_queries, universe)), axis=1)[:, :10].astype(np.int64)
    offsets = np.arange(0, 10 * n_queries + 1, 10, dtype=np.int64)
    gains = rng.integers(1, 4, 10 * n_queries)
    return MetricsTask(
        np.ascontiguousarray(order[:, :depth]),
        metrics.Judgements(judged.reshape(-1), offsets, gains),
    )


def _ours(task: MetricsTask, threads: int) -> Measure:
    return lambda: metrics.evaluate(task.run, task.judged, NAMES, threads=threads).means


def _ours_named(task: MetricsTask, threads: int) -> Measure:
    run, qrels = task.named_run(), task.qrels()
    return lambda: metrics.evaluate(run, qrels, NAMES, threads=threads).means


def _pytrec_eval(task: MetricsTask, _threads: int) -> Measure:
    pytrec_eval = installed("pytrec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator(task.qrels(), set(_PYTREC.values()))
    run = task.named_run()

    def measure() -> Means:
        values = evaluator.evaluate(run).values()
        return {
            name: sum(one[theirs] for one in values) / len(values)
            for name, theirs in _PYTREC.items()
        }

    return measure


def _ranx(task: MetricsTask, _threads: int) -> Measure:
    ranx = installed("ranx")
    qrels, run = ranx.Qrels(task.qrels()), ranx.Run(task.named_run())
    theirs = list(_RANX.values())
    few = dict(list(task.qrels().items())[:2])
    ranx.evaluate(  # compiles
        ranx.Qrels(few), ranx.Run({q: dict.fromkeys(docs, 1.0) for q, docs in few.items()}), theirs
    )

    def measure() -> Means:
        means = ranx.evaluate(qrels, run, theirs)
        return {name: float(means[one]) for name, one in _RANX.items()}

    return measure


def _ir_measures(task: MetricsTask, _threads: int) -> Measure:
    irm = installed("ir_measures")
    qrels, run = task.qrels(), task.named_run()
    measures = {name: irm.parse_measure(theirs) for name, theirs in _IRM.items()}

    def measure() -> Means:
        means = irm.calc_aggregate(list(measures.values()), qrels, run)
        return {name: means[one] for name, one in measures.items()}

    return measure


PEERS: tuple[Peer[MetricsTask, Any], ...] = (
    Peer(OURS, _ours),
    Peer("gnomon, dicts", _ours_named),
    Peer("pytrec_eval", _pytrec_eval, "pytrec_eval-terrier"),
    Peer("ir-measures", _ir_measures, "ir-measures"),
    Peer("ranx", _ranx, "ranx", slow_start=True),
)
