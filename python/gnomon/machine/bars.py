"""What gnomon aims at: for each piece of work, how many times faster than the best peer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.machine.peers import bm25, metrics, mmr, rrf, topk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.machine.work import Work


@dataclass(frozen=True, slots=True)
class Bar:
    """A piece of work and the aims on it.

    Attributes
    ----------
    work
        The work.
    times
        How many times faster than the best peer.
    over
        Aims for single peers, by name; they stand instead of ``times`` or beside it.
    """

    work: Work[Any, Any]
    times: float | None = None
    over: Mapping[str, float] | None = None


def bars() -> Sequence[Bar]:
    """Return all of them, in the order of the table."""
    return [*_topk(), *_mmr(), *_bm25(), *_lists()]


def _topk() -> Sequence[Bar]:
    prepared = (
        (1_000_000, 384, 1, 10, 4.0),
        (1_000_000, 384, 1, 100, 3.5),
        (100_000, 1024, 1, 10, 4.0),
        (100_000, 384, 8, 10, 10.0),
        (100_000, 384, 32, 10, 5.0),
        (100_000, 1024, 32, 10, 5.0),
        (100_000, 384, 1000, 10, 3.8),
        (100_000, 1024, 1000, 10, 3.8),
    )
    arrays = (
        (100_000, 384, 1, 10, 1.0),
        (100_000, 1024, 1, 10, 1.0),
        (100_000, 384, 32, 10, 2.5),
        (100_000, 1024, 32, 10, 2.5),
        (100_000, 384, 1000, 10, 2.5),
        (100_000, 1024, 1000, 10, 2.5),
    )
    return [
        Bar(topk.work(n, d, n_queries, k, prepared=kind is prepared), times)
        for kind in (prepared, arrays)
        for n, d, n_queries, k, times in kind
    ]


def _mmr() -> Sequence[Bar]:
    return [
        Bar(mmr.work(256, 100, 384), over={"pyversity": 7.0, "NumPy, columns": 2.5}),
        Bar(mmr.work(32, 1000, 384), over={"NumPy, columns": 2.0}),
        Bar(mmr.work(32, 1000, 1024), over={"NumPy, columns": 2.0}),
        Bar(mmr.grid_work(), over={"NumPy, prefixes": 25.0}),
    ]


def _bm25() -> Sequence[Bar]:
    return [
        Bar(bm25.search_work(100_000, 1000, 100, single=False), over={"bm25q": 2.5}),
        Bar(bm25.search_work(10_000, 200, 10, single=True), 3.0),
        Bar(bm25.search_work(100_000, 200, 10, single=True), 3.0),
        Bar(bm25.build_work(100_000), over={"tantivy": 3.0}),
    ]


def _lists() -> Sequence[Bar]:
    return [
        Bar(rrf.work(1000, 2, 100), over={"NumPy, unique": 4.0}),
        Bar(rrf.work(100, 3, 1000), over={"NumPy, unique": 2.5}),
        Bar(metrics.work(10_000, 100), over={"pytrec_eval": 50.0}),
    ]
