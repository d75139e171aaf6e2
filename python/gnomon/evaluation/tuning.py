"""Which lambda and which k fit this corpus: a sweep over a golden set, from index to winner."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.errors import NotMeasuredError, UsageError
from gnomon.evaluation.asking import ask
from gnomon.evaluation.tuning_gain import (
    Reference,
    cells_of,
    gain_held_out,
    gain_in_sample,
)
from gnomon.evaluation.tuning_pools import lay_out
from gnomon.evaluation.tuning_redundancy import redundancy
from gnomon.evaluation.tuning_refusals import refusals_by_cell
from gnomon.evaluation.tuning_result import Compared, Footing, Moved, Pool, TuningResult
from gnomon.evaluation.tuning_sweep import order_of_hits, order_of_pages, sweep
from gnomon.golden.fingerprint import golden_hash
from gnomon.golden.gold import GoldIndex
from gnomon.golden.levels import level_of, pool, pool_suffix
from gnomon.retrieval.levers import ENVIRONMENT_PREFIX, LEVERS
from gnomon.retrieval.ranking import pick_grid
from gnomon.rules.tuning import (
    DEFAULT_COUNTS,
    DEFAULT_LAMBDAS,
    PLAIN_LAMBDA,
    Axis,
    Plane,
    choose_cell,
    parse_counts,
    parse_lambdas,
)
from gnomon.sources.escape import none_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embed
    from gnomon.evaluation.asking import Asked
    from gnomon.evaluation.tuning_pools import Pools
    from gnomon.evaluation.tuning_sweep import Swept
    from gnomon.golden.records import GoldenRecord
    from gnomon.retrieval.index import Index
    from gnomon.rules.tuning import Cell
    from gnomon.types import Progress

MOST_MOVED: Final = 10
SWEPT: Final = tuple(name for name, kind in LEVERS.items() if kind.swept)


@dataclass(frozen=True, slots=True)
class Options:
    """How a run goes about it.

    Attributes
    ----------
    lambdas, counts
        The axes as written, ``lo:hi:step`` or one number; None for the default.
    level, limit
        What the golden set is narrowed to; then nothing but a report is written.
    seed
        Of the halves and of the intervals.
    """

    lambdas: str | None = None
    counts: str | None = None
    level: str | None = None
    limit: int | None = None
    seed: int = 0


def tune(
    index: Index,
    records: Sequence[GoldenRecord],
    embed: Embed | None,
    options: Options,
    progress: Progress,
) -> TuningResult:
    """Measure every pair of MMR_LAMBDA and GATE_K on a golden set.

    Parameters
    ----------
    records
        The whole set; the options may narrow it.
    embed
        Returns the vectors of questions; None for an index without vectors.

    Raises
    ------
    UsageError
        An axis is malformed, or names lambdas for an index without vectors.
    NotMeasuredError
        The pool is empty, or none of its records has gold inside its own scope.
    """
    plane = plane_of(index, options)
    asked_for = pool(records, options.level, options.limit)
    if not asked_for:
        raise NotMeasuredError(
            f"{none_of(len(records), 'record')} in the pool of level {options.level}; name a "
            "higher level"
        )
    remember = _Remembered(embed)
    asked = ask(index, asked_for, None if embed is None else remember, progress)
    counted = [one for one in asked if one.record.gold_chunks and not one.negative]
    if not counted:
        raise NotMeasuredError(
            f"{none_of(len(asked), 'record')} answered by gold inside its own scope, so no "
            "setting can be better than another; add records that expect an answer, with "
            "gold_chunks"
        )
    pools = _pools(index, counted)
    swept = _sweep(index, pools, counted, plane)
    cells = cells_of(swept, plane)
    winner = choose_cell(cells, plane)
    reference = Reference(None if index.manifest.dense else plane.k_in_force)
    points = [(cell.lambda_, cell.k) for cell in cells]
    return TuningResult(
        footing=_footing(index),
        pool=Pool(
            golden_hash(asked_for),
            options.level,
            options.limit,
            pool_suffix(options.level, options.limit),
            len(asked),
            len(counted),
        ),
        lambdas=plane.lambdas,
        counts=plane.counts,
        cells=tuple(cells),
        refusals=refusals_by_cell(index, asked, remember.vectors, points),
        winner=winner,
        in_force=swept.cell(plane.lambda_in_force, plane.k_in_force),
        compared=_compared(index, pools, counted, swept, winner, reference, options.seed),
        held_out=gain_held_out(
            swept, plane, reference, [_stratum(one) for one in counted], seed=options.seed
        ),
        seed=options.seed,
        notes=notes_of(index, options),
    )


def plane_of(index: Index, options: Options) -> Plane:
    """Return what is swept on an index.

    Raises
    ------
    UsageError
        An axis is malformed, or names lambdas for an index without vectors.
    """
    levers = index.levers
    in_force = Fraction(str(levers["MMR_LAMBDA"]))
    if index.manifest.dense:
        lambdas = parse_lambdas(options.lambdas or DEFAULT_LAMBDAS)
    elif options.lambdas is None:
        lambdas = Axis((in_force,))
    else:
        raise UsageError(
            "the index has no vectors, so there is no lambda to sweep: the order is that of BM25 "
            "and GATE_K is what is swept; leave out --lambda"
        )
    counts = parse_counts(options.counts or DEFAULT_COUNTS, levers.count("FUSED"))
    return Plane(lambdas, counts, in_force, levers.count("GATE_K"))


def notes_of(index: Index, options: Options) -> tuple[str, ...]:
    """Return what the reader of a report should know about the levers, a sentence each."""
    levers, notes = index.levers, []
    set_now = [
        f"{ENVIRONMENT_PREFIX}{name}={lever.value:g}"
        for name, lever in levers.values.items()
        if lever.source == "environment"
    ]
    if set_now:
        notes.append(
            f"measured under {', '.join(set_now)} of the environment; the figures hold where "
            "these are set"
        )
    if levers.values["GATE_K"].source == "config":
        notes.append(
            f"top_k is {levers['GATE_K']:g} in the configuration and goes before a measured "
            "GATE_K; remove it to serve what is measured here"
        )
    fused = levers.count("FUSED")
    wanted = parse_counts(options.counts or DEFAULT_COUNTS, int(LEVERS["FUSED"].high))
    if wanted.values[-1] > fused:
        notes.append(f"k is capped at FUSED, {fused}: there are no more candidates to pick from")
    if not index.manifest.dense:
        notes.append(
            "the index has no vectors: what is swept is GATE_K, in the order of BM25 with at most "
            f"PAGE_CAP, {levers.count('PAGE_CAP')}, chunks a page"
        )
    return tuple(notes)


class _Remembered:
    """What embeds questions, with the vectors that it gave."""

    def __init__(self, embed: Embed | None) -> None:
        self._embed = embed
        self.vectors: dict[str, NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        assert self._embed is not None  # an index without vectors embeds nothing
        made = self._embed(texts)
        self.vectors.update(zip(texts, made, strict=True))
        return made


def _pools(index: Index, counted: Sequence[Asked]) -> Pools:
    gold = GoldIndex([chunk.id for chunk in index.chunks])
    brings = _neighbours(index, np.unique(np.concatenate([one.pool for one in counted])))
    return lay_out(
        [one.pool for one in counted],
        [{row: brings[row] for row in one.pool.tolist() if row in brings} for one in counted],
        [[frozenset(gold.rows(entry)) for entry in one.record.gold_chunks] for one in counted],
    )


def _neighbours(index: Index, rows: NDArray[np.int64]) -> dict[int, int]:
    """Return the neighbour of every row that is too short alone.

    A row that is picked itself is brought by none, so even and odd rows are asked apart.
    """
    groups = [*index.grouped(rows[rows % 2 == 0]), *index.grouped(rows[rows % 2 == 1])]
    return {group[0]: group[1] for group in groups if len(group) > 1}


def _sweep(index: Index, pools: Pools, counted: Sequence[Asked], plane: Plane) -> Swept:
    """Sweep the plane, and beside it what its cells are compared with."""
    counts = sorted({*map(int, plane.counts.values), plane.k_in_force})
    if index.stored is None:
        cap = index.levers.count("PAGE_CAP")
        order = order_of_pages(pools, [chunk.page for chunk in index.chunks], cap)
        return sweep(pools, plane.lambdas.values, counts, [order], by_place=True)
    lambdas = sorted({*plane.lambdas.values, plane.lambda_in_force, PLAIN_LAMBDA})
    vectors = [one.vector for one in counted if one.vector is not None]
    found = pick_grid(
        [one.pool for one in counted],
        index.levers.count("FUSED"),
        queries=np.stack(vectors),
        vectors=index.stored,
        lambdas=list(map(float, lambdas)),
        by_cosine=bool(index.levers.count("DENSE_RERANK")),
    )
    orders = [order_of_hits(pools, hits) for hits in found]
    return sweep(pools, lambdas, counts, orders, by_place=False)


def _compared(
    index: Index,
    pools: Pools,
    counted: Sequence[Asked],
    swept: Swept,
    winner: Cell,
    reference: Reference,
    seed: int,
) -> Compared:
    plain = reference.of(winner)
    pages = [chunk.page for chunk in index.chunks]
    before, after = (
        redundancy(
            pools,
            swept.picked_at[swept.lambdas.index(lambda_)],
            k,
            stored=index.stored,
            pages=pages,
        )
        for lambda_, k in (plain, (winner.lambda_, winner.k))
    )
    old, new = swept.f1_at(*plain), swept.f1_at(winner.lambda_, winner.k)
    moved = [
        Moved(one.record.id, float(a), float(b))
        for one, a, b in zip(counted, old, new, strict=True)
    ]
    up = sorted((m for m in moved if m.after > m.before), key=lambda m: m.before - m.after)
    down = sorted((m for m in moved if m.after < m.before), key=lambda m: m.after - m.before)
    return Compared(
        reference=swept.cell(*plain),
        gain=gain_in_sample(swept, winner, reference, seed=seed),
        redundancy_before=before,
        redundancy_after=after,
        up=tuple(up[:MOST_MOVED]),
        down=tuple(down[:MOST_MOVED]),
        n_up=len(up),
        n_down=len(down),
        n_same=len(moved) - len(up) - len(down),
    )


def _stratum(asked: Asked) -> tuple[str, bool, bool]:
    """Return what both halves of the records should have alike."""
    record = asked.record
    return level_of(record), record.scope is not None, bool(record.previous)


def _footing(index: Index) -> Footing:
    manifest, levers = index.manifest, index.levers
    return Footing(
        index_hash=manifest.hash,
        embed_model=None if manifest.profile is None else manifest.profile.id,
        fingerprint=None if manifest.profile is None else manifest.profile.fingerprint,
        levers={name: levers[name] for name in LEVERS if name not in SWEPT},
        in_force={name: levers.values[name] for name in SWEPT},
    )
