"""Probe results made by hand, in the shapes that a report must be able to show."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.probe.clusters import ClusterArr, ClusterFigures
from gnomon.probe.columns import RANKINGS
from gnomon.probe.figures import METRICS, Figures
from gnomon.probe.result import (
    Agreement,
    Candidate,
    FoldAdapter,
    MiniIndex,
    PerQuery,
    ProbeResult,
    ScoreShift,
)
from gnomon.probe.settings import ProbeSettings
from gnomon.rules.upgrade import DecidedBy, UpgradeDecision
from gnomon.types import Caveat, Figure

RECALL = {
    "status_quo": 0.36,
    "naive_swap": 0.01,
    "bridged": 0.32,
    "cascade": 0.44,
    "oracle": 0.45,
}
HOSTILE = (
    "<script>alert(1)</script>",
    "[a](http://evil.example)",
    "\x1b[31mred",
    "\u202egnp.exe",
    'x" onmouseover="alert(1)',
    "a|b`c",
    "{{ 7 * 7 }}",
    "</style><img src=//evil.example/x>",
)


@dataclass(frozen=True)
class FakeRecord:
    """What a report needs to know about a record."""

    seq: int = 7
    hash: str = "ab" * 32
    inputs: dict[str, Any] = field(default_factory=dict)
    env: dict[str, Any] = field(default_factory=dict)


RECORD = FakeRecord(
    inputs={
        "files": {
            "old_docs": {"path": "emb/old model.npy", "sha256": "01" * 32},
            "new_docs": {"path": "emb/new.npy", "sha256": "02" * 32},
        },
        "options": {"old_name": "old", "new_name": "new", "key": None},
    },
    env={"gnomon": "0.1.0", "isa": "scalar"},
)


def about(value: float, half_width: float = 0.03) -> Figure:
    """Return a figure with a symmetric interval."""
    return Figure(value, value - half_width, value + half_width)


VERDICT = UpgradeDecision(
    decision="full_reindex",
    arrangement="cascade",
    arrangement_missing=(),
    interim="stay",
    provisional=False,
    provisional_reasons=(),
    borderline=False,
    interval_straddles_threshold=False,
    decided_by=DecidedBy(figure="bridge_advantage", value=0.89, threshold=0.975, distance=0.085),
    neighbours=(),
    queries_to_settle=None,
    rationale=("As the final ranking, bridging loses to staying.", "Tier T1: real queries."),
    warnings=(Caveat("folds_lean_low", "the figure leans low"),),
)

FIGURES = Figures(
    arr=about(0.71),
    arr_seen=about(0.84),
    arr_unseen_rivals=about(0.75),
    upgrade_gain=about(1.25),
    bridge_advantage=about(0.89),
    cascade_arr=about(0.93),
    cascade_advantage=about(1.16),
    cascade_measured=about(1.22),
    arr_mrr=about(0.64),
    arr_ndcg=about(0.65),
    gain_ndcg=about(1.2),
    cascade_ndcg=about(1.15),
    dropped_draws={},
    rankings={name: {metric: about(RECALL[name], 0.01) for metric in METRICS} for name in RANKINGS},
    curve={500: about(0.64), 1_000: about(0.7)},
    csls_recall=0.4,
)


def per_query(ids: list[str]) -> PerQuery:
    """Return recalls in which the bridge wins, ties and loses in turn."""
    n = len(ids)
    staying = np.full(n, 0.5)
    bridged = np.resize([1.0, 0.5, 0.25], n)
    recall = {
        "status_quo": staying,
        "bridged": bridged,
        "cascade": np.ones(n),
        "oracle": np.ones(n),
    }
    return PerQuery(ids=ids, recall=recall)


T1_FOLDS = ProbeResult(
    verdict=VERDICT,
    settings=ProbeSettings(),
    tier="T1",
    candidate_depth=200,
    n_documents=1_400,
    n_covered=1_400,
    n_queries=200,
    skipped={"unjudged_queries": 0},
    figures=FIGURES,
    agreement=Agreement(overlap=0.5, strict_overlap=None, spearman=0.4),
    score_shift=ScoreShift(before=0.3, after=0.2, p=0.01),
    clusters=ClusterFigures(
        clusters=[
            ClusterArr(cluster=2, n_documents=9, n_queries=2, arr=0.1),
            ClusterArr(cluster=0, n_documents=700, n_queries=50, arr=0.66),
        ],
        n_clusters=8,
        n_clustered=1_400,
        tail_arr=0.6,
        tail_queries=31,
    ),
    ties_at_k={"status_quo": 0.0, "naive_swap": 0.0, "bridged": 0.01, "oracle": 0.0},
    candidate_reuse=0.969,
    cascade_embeddings_per_query=6.2,
    adapter_name="procrustes",
    adapters=[FoldAdapter(rank=256, n_pairs=1_000 + fold, sha256="aa" * 32) for fold in range(5)],
    curve_few_pairs={500: False, 1_000: False},
    candidates=[
        Candidate(
            name="identity",
            recall=0.0,
            difference_to_best=about(-0.6),
            n_parameters=0,
            chosen=False,
        ),
        Candidate(
            name="procrustes",
            recall=0.6,
            difference_to_best=Figure(0.0, 0.0, 0.0),
            n_parameters=98_560,
            chosen=True,
            reason="the highest mean",
        ),
        Candidate(
            name="csls",
            recall=0.4,
            difference_to_best=Figure.missing("a reordering"),
            n_parameters=None,
            chosen=False,
            reason="reported only",
        ),
    ],
    mini_index=None,
    old_profile=Profile("old-model", 256),
    new_profile=Profile("new-model", 384),
    zero_rows={},
    per_query=per_query([f"q{number}" for number in range(200)]),
)

_OWN_TRUTH = "compares with the old model, and at tier T0 the new model is its own ground truth"
T0 = replace(
    T1_FOLDS,
    tier="T0",
    verdict=replace(
        VERDICT,
        arrangement="single_stage",
        interim=None,
        provisional=True,
        provisional_reasons=("whether the new model is better was not measured",),
        borderline=True,
        interval_straddles_threshold=True,
        decided_by=DecidedBy(figure="arr", value=0.69, threshold=0.7, distance=0.01),
        neighbours=("full_reindex", "caution"),
        queries_to_settle=4_100,
    ),
    figures=replace(
        FIGURES,
        **{
            name: Figure.missing(f"{name} {_OWN_TRUTH}")
            for name in (
                "upgrade_gain", "bridge_advantage", "cascade_advantage", "cascade_measured",
                "gain_ndcg", "cascade_ndcg",
            )
        },
    ),
    candidate_reuse=None,
    cascade_embeddings_per_query=None,
)  # fmt: skip

SAMPLED = replace(
    T1_FOLDS,
    n_covered=800,
    skipped={"unjudged_queries": 3},
    zero_rows={"old_docs": 2},
    figures=replace(
        FIGURES,
        cascade_measured=Figure.missing("some candidates have no vector of the new model"),
        rankings={
            **FIGURES.rankings,
            "cascade": dict.fromkeys(METRICS, Figure.missing("some candidates have no vector")),
        },
    ),
    per_query=replace(
        T1_FOLDS.per_query,
        recall={
            name: column for name, column in T1_FOLDS.per_query.recall.items() if name != "cascade"
        },
    ),
    mini_index=MiniIndex(
        arr=about(0.8), upgrade_gain=about(1.1), bridge_advantage=Figure.missing("no mini bridge")
    ),
)

UNMEASURED = replace(
    T1_FOLDS,
    figures=replace(
        FIGURES,
        arr_seen=Figure.missing("--fit-scope seen"),
        arr_unseen_rivals=Figure.missing("no folds were needed"),
        arr_mrr=Figure.missing("the oracle finds nothing"),
        curve={},
        csls_recall=None,
    ),
    adapters=T1_FOLDS.adapters[:1],
    score_shift=ScoreShift(before=None, after=None, p=None, reason="too few queries"),
    candidates=[],
    curve_few_pairs={},
    verdict=replace(VERDICT, warnings=()),
)

ONE_QUERY = replace(
    T1_FOLDS,
    n_queries=1,
    figures=replace(FIGURES, arr=Figure(0.71, reason="one query"), curve={500: about(0.6)}),
    per_query=per_query(["q0"]),
)

NO_CLUSTERS = replace(
    T1_FOLDS,
    clusters=ClusterFigures(
        clusters=[], n_clusters=8, n_clustered=80, tail_arr=None, tail_queries=0
    ),
)

HOSTILE_IDS = replace(
    T1_FOLDS,
    old_profile=Profile(HOSTILE[0], 256, query_prefix=HOSTILE[3]),
    new_profile=Profile(HOSTILE[1], 384, document_prefix=HOSTILE[2]),
    per_query=per_query([*HOSTILE, *HOSTILE]),
    verdict=replace(
        VERDICT,
        rationale=HOSTILE,
        provisional=True,
        provisional_reasons=HOSTILE,
        warnings=tuple(Caveat("few_queries", text) for text in HOSTILE),
    ),
    figures=replace(FIGURES, arr_seen=Figure.missing(HOSTILE[0] + HOSTILE[2])),
    candidates=[
        Candidate(
            name="ridge",
            recall=None,
            difference_to_best=Figure.missing(text),
            n_parameters=None,
            chosen=False,
            reason=text,
        )
        for text in HOSTILE
    ],
)
HOSTILE_RECORD = FakeRecord(
    inputs={
        "files": {text: {"path": text, "sha256": "03" * 32} for text in (*HOSTILE, "\udcff")},
        "options": {"old_name": HOSTILE[0], "key": HOSTILE[4]},
    },
    env=dict.fromkeys(HOSTILE, HOSTILE[0]),
)

SHAPES = {
    "t1_folds": (T1_FOLDS, RECORD),
    "t0": (T0, RECORD),
    "sampled": (SAMPLED, RECORD),
    "unmeasured": (UNMEASURED, RECORD),
    "one_query": (ONE_QUERY, RECORD),
    "no_clusters": (NO_CLUSTERS, RECORD),
    "bare_record": (T1_FOLDS, FakeRecord()),
    "hostile": (HOSTILE_IDS, HOSTILE_RECORD),
}
