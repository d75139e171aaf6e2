"""From the candidates of two channels to the excerpts that a question is answered from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.kernels import Hits, mmr, mmr_grid, rrf
from gnomon.retrieval.chunking import tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.retrieval.chunking import Chunk
    from gnomon.retrieval.evidence import Findings
    from gnomon.retrieval.levers import Levers


def fuse(findings: Findings, levers: Levers) -> NDArray[np.int64]:
    """Return the FUSED best rows of both channels by weighted reciprocal rank."""
    weights = [levers["W_LEXICAL_RRF"], levers["W_DENSE_RRF"]]
    if not any(weights):
        return np.empty(0, dtype=np.int64)
    fused = rrf(
        [findings.lexical, findings.dense],
        weights=weights,
        k=levers["RRF_K"],
        top=levers.count("FUSED"),
        threads=1,
    )
    return fused[0].ids


def pick(
    pool: NDArray[np.int64],
    k: int,
    *,
    vector: NDArray[np.float32],
    vectors: NDArray[np.generic],
    lambda_: float,
    by_cosine: bool,
) -> NDArray[np.int64]:
    """Return k rows of a pool by maximal marginal relevance, in the order of picking.

    Parameters
    ----------
    by_cosine
        What lambda 1, which asks for no variety, means: True ranks the pool by cosine, as the
        definition has it, False keeps the order of the fusion.
    """
    if len(pool) == 0 or _is_plain(lambda_, by_cosine=by_cosine):
        return pool[:k]
    return mmr(vector, vectors, k, lambda_=lambda_, rows=[pool], threads=1)[0].ids


def pick_grid(
    pools: Sequence[NDArray[np.int64]],
    k: int,
    *,
    queries: NDArray[np.float32],
    vectors: NDArray[np.generic],
    lambdas: Sequence[float],
    by_cosine: bool,
) -> list[Hits]:
    """Return what `pick` gives for every pool at every lambda; smaller k are the beginnings.

    Parameters
    ----------
    pools
        Candidate rows of each query.
    queries
        float32[Q, dim].
    by_cosine
        As for `pick`.

    Returns
    -------
    list of Hits
        One for each lambda. Where the order of the fusion is kept, scores are NaN: it has none that
        compare with those of MMR.
    """
    walked = [one for one in lambdas if not _is_plain(one, by_cosine=by_cosine)]
    found = iter(
        mmr_grid(queries, vectors, k, walked, rows=list(pools), threads=1) if walked else ()
    )
    kept = _as_fused(pools, k)
    return [kept if _is_plain(one, by_cosine=by_cosine) else next(found) for one in lambdas]


def _is_plain(lambda_: float, *, by_cosine: bool) -> bool:
    return lambda_ == 1.0 and not by_cosine


def _as_fused(pools: Sequence[NDArray[np.int64]], k: int) -> Hits:
    heads = [pool[:k] for pool in pools]
    offsets = np.concatenate([[0], np.cumsum([len(head) for head in heads])]).astype(np.int64)
    ids = np.concatenate([np.empty(0, dtype=np.int64), *heads])
    return Hits(ids, np.full(len(ids), np.nan, dtype=np.float32), offsets)


def cap_pages(pool: NDArray[np.int64], k: int, pages: Sequence[str], cap: int) -> NDArray[np.int64]:
    """Return k rows of a pool, at most ``cap`` of one page, filled up with the rest if too few.

    The order of the pool is kept.
    """
    taken: list[int] = []
    rest: list[int] = []
    counts: dict[str, int] = {}
    for row in pool.tolist():
        counts[pages[row]] = counts.get(pages[row], 0) + 1
        (taken if counts[pages[row]] <= cap else rest).append(row)
    chosen = set((taken + rest)[:k])
    return np.array([row for row in pool.tolist() if row in chosen], dtype=np.int64)


def with_neighbours(
    rows: Sequence[int], chunks: Sequence[Chunk], *, below: int
) -> tuple[tuple[int, ...], ...]:
    """Return, for every picked row, itself and the chunk after it when it is too short alone.

    Only a neighbour on the same page is brought, and none that is picked itself.
    """
    picked = set(rows)
    groups = []
    for row in rows:
        group, after = [row], row + 1
        short = tokens_of(chunks[row].text) < below
        if (
            short
            and after < len(chunks)
            and chunks[after].page == chunks[row].page
            and after not in picked
        ):
            group.append(after)
        groups.append(tuple(group))
    return tuple(groups)
