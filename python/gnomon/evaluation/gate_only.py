"""Retrieval and refusal over a golden set: everything that needs no chat model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gnomon.evaluation.asking import ask
from gnomon.evaluation.result import EvaluationResult, Measure, Row, Setup
from gnomon.evaluation.scoring import RECALL_DEPTH, recall_at, reciprocal_rank, retrieval_f1
from gnomon.golden.fingerprint import golden_hash
from gnomon.golden.gold import first_gold_rank
from gnomon.golden.levels import LEVELS, level_of
from gnomon.sources.scripts import script_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.embedding.embedder import Embed
    from gnomon.evaluation.asking import Asked
    from gnomon.golden.records import GoldenRecord
    from gnomon.retrieval.index import Index
    from gnomon.types import Progress

CONTAINMENT: Final = "scope_containment"
RETRIEVAL_MEASURES: Final = (
    Measure(
        f"recall@{RECALL_DEPTH}",
        "higher",
        False,
        f"share of gold entries covered by the first {RECALL_DEPTH} chunks",
    ),
    Measure("mrr", "higher", False, "1 / rank of the first chunk that is gold, 0 if none"),
    Measure("retrieval_precision", "higher", False, "share of the primed chunks that are gold"),
    Measure("retrieval_recall", "higher", False, "share of gold entries the primed chunks cover"),
    Measure("retrieval_f1", "higher", False, "harmonic mean of the two, by record"),
)
GATE_MEASURES: Final = (
    Measure("over_refusal", "lower", True, "share of answerable records that the gate refuses"),
    Measure("negatives_caught", "higher", True, "share of negatives that the gate refuses"),
    Measure(
        CONTAINMENT, "higher", True, "share of scoped records given nothing from outside the scope"
    ),
)
GATE_ONLY_MEASURES: Final = RETRIEVAL_MEASURES + GATE_MEASURES


def evaluate_gate(
    index: Index,
    records: Sequence[GoldenRecord],
    embed: Embed | None,
    setup: Setup,
    progress: Progress,
    *,
    seed: int,
) -> EvaluationResult:
    """Ask every record of a pool and measure what the index retrieves and refuses.

    Parameters
    ----------
    embed
        Returns the vectors of questions; None for an index without vectors.

    Raises
    ------
    InvalidInputError
        When the scope of a record matches no page.
    """
    asked = ask(index, records, embed, progress)
    rows = tuple(Row(one.record.id, labels(one), gate_values(one), detail(one)) for one in asked)
    return EvaluationResult(setup, GATE_ONLY_MEASURES, rows, seed)


def setup_of(
    index: Index,
    index_name: str,
    records: Sequence[GoldenRecord],
    *,
    level: str | None,
    limit: int | None,
    model: str | None = None,
    prompt_hash: str | None = None,
) -> Setup:
    """Return what an evaluation of a pool is measured on.

    Parameters
    ----------
    records
        The pool: what the level and the limit have left.
    """
    return Setup(
        index_name=index_name,
        index=describe_index(index),
        level=None if level == LEVELS[-1] else level,  # the last tier is the whole set
        limit=limit,
        golden_hash=golden_hash(records),
        model=model,
        prompt_hash=prompt_hash,
    )


def describe_index(index: Index) -> dict[str, Any]:
    """Return what an index retrieves and refuses by, as JSON values."""
    manifest = index.manifest
    return {
        "hash": manifest.hash,
        "vocab_hash": manifest.vocab_hash,
        "chunks": len(index),
        "embed_model": None if manifest.profile is None else manifest.profile.id,
        "profile": None if manifest.profile is None else manifest.profile.fingerprint,
        "dense_mode": manifest.dense_mode,
        "threshold": index.gate.threshold,
        "guard": manifest.guard.as_dict(),
        "guard_mode": manifest.guard_mode,
        "levers": {
            name: {"value": lever.value, "source": lever.source}
            for name, lever in index.levers.values.items()
        },
    }


def gate_values(asked: Asked) -> dict[str, float | None]:
    """Return the values of ``GATE_ONLY_MEASURES`` for one record.

    A negative has no gold to find: what it names lies outside its scope, where nothing may be
    looked for.
    """
    entries = () if asked.negative else asked.record.gold_chunks
    f1 = retrieval_f1(asked.primed, entries)
    refused = float(not asked.passes)
    return {
        f"recall@{RECALL_DEPTH}": recall_at(asked.ranked, entries),
        "mrr": reciprocal_rank(asked.ranked, entries),
        "retrieval_precision": None if f1 is None else f1.precision,
        "retrieval_recall": None if f1 is None else f1.recall,
        "retrieval_f1": None if f1 is None else f1.f1,
        "over_refusal": None if asked.negative else refused,
        "negatives_caught": refused if asked.negative else None,
        CONTAINMENT: None if asked.contained is None else float(asked.contained),
    }


def labels(asked: Asked) -> dict[str, str]:
    """Return the groups that a record belongs to, by name of ``GROUPS``."""
    record = asked.record
    expect = record.expect
    if record.expects_answer and asked.negative:
        expect_label = "answer, outside its scope"
    else:
        expect_label = expect
    return {
        "kind": record.kind or "none",
        "level": level_of(record),
        "language": record.lang or script_of(record.question),
        "depth": str(len(record.previous)),
        "expect": expect_label,
    }


def detail(asked: Asked) -> dict[str, Any]:
    """Return what the gate did with a record and where its gold stood, as JSON values."""
    verdict = "passes"
    if not asked.passes:
        verdict = "out-of-scope" if asked.would_pass_unscoped else "no-evidence"
    gold = () if asked.negative else asked.record.gold_chunks
    return {
        "negative": asked.negative,
        "verdict": verdict,
        "score": asked.total,
        "channel": asked.channel,
        "first_gold_rank": first_gold_rank(gold, asked.ranked),
    }
