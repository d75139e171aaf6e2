"""Measure how often 95% intervals of a ratio of means contain the truth, on real collections.

The per-query recall of a collection and a model pair is taken as the population. Samples of n
queries are drawn from it with replacement, each sample gets an interval by every method from the
same bootstrap draws, and the table shows in how many percent of the samples the interval contains
the population's ratio: the mean over collections, and the worst one.

    python bench/interval_coverage.py --data ../shared/data --repetitions 1000
    python bench/interval_coverage.py --data ../shared/data --figures
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from gnomon.kernels import Purpose, bootstrap_sums, draw_rows
from gnomon.stats.quantiles import Z_975, student_t_975
from gnomon.stats.resampling import DRAWS, resample_queries

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]

PAIRS = (
    ("cranfield", "wordllama-256", "all-minilm-l6-v2"),
    ("cranfield", "glove-6b-50d", "wordllama-256"),
    ("cranfield", "all-minilm-l6-v2", "sre-minilm"),
    ("cranfield", "all-minilm-l6-v2", "all-mpnet-base-v2"),
    ("mtrag", "wordllama-256", "all-minilm-l6-v2"),
    ("mtrag", "wordllama-256", "use-multilingual-v3"),
    ("mtrag", "glove-6b-50d", "all-minilm-l6-v2"),
    ("scifact", "wordllama-256", "all-minilm-l6-v2"),
    ("scifact", "glove-6b-50d", "wordllama-256"),
    ("squad2", "use-multilingual-v3", "all-minilm-l6-v2"),
    ("squad2", "all-minilm-l6-v2", "all-mpnet-base-v2"),
    ("medline", "glove-6b-50d", "all-minilm-l6-v2"),
    # one model in two forms: hardly any query moves at all
    ("cranfield", "all-minilm-l6-v2", "all-minilm-l6-v2-int8"),
)
TWINS = PAIRS[-1:]
RATIOS = {
    "arr": ("bridged", "oracle"),
    "upgrade_gain": ("oracle", "stay"),
    "bridge_advantage": ("bridged", "stay"),
    "mean recall (odds)": ("bridged", "missed"),
}
SIZES = (30, 60, 100, 225, 500)
K, PAIRS_TO_FIT, FOLDS = 10, 4000, 5


def read_lines(folder: Path, name: str) -> list[str]:
    """Return the ids of a JSONL file, gzipped or not."""
    plain = folder / f"{name}.jsonl"
    if plain.exists():
        text = plain.read_text(encoding="utf-8")
    else:
        text = gzip.decompress((folder / f"{name}.jsonl.gz").read_bytes()).decode("utf-8")
    return [json.loads(line)["_id"] for line in text.splitlines()]


def read_judgements(folder: Path) -> tuple[list[int], list[list[int]]]:
    """Return the judged queries' rows and, for each, the rows of its relevant documents."""
    rows = {doc: row for row, doc in enumerate(read_lines(folder, "corpus"))}
    relevant: dict[str, list[int]] = defaultdict(list)
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, doc, gain = line.split("\t")
        if int(gain) >= 1 and doc in rows:
            relevant[query].append(rows[doc])
    queries = read_lines(folder, "queries")
    judged = [row for row, query in enumerate(queries) if query in relevant]
    return judged, [relevant[queries[row]] for row in judged]


def read_vectors(folder: Path, model: str, kind: str) -> NDArray[np.float32]:
    """Return unit vectors."""
    vectors = np.load(folder / "emb" / f"{model}.{kind}.npy").astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.where(norms > 0, norms, 1)
    return unit


def ranks(
    queries: NDArray[np.float32], docs: NDArray[np.float32], relevant: list[list[int]]
) -> list[list[int]]:
    """Return the rank of every relevant document, ties by row."""
    scores = queries @ docs.T
    return [
        [1 + int((row > row[doc]).sum() + (row[:doc] == row[doc]).sum()) for doc in docs_of_query]
        for row, docs_of_query in zip(scores, relevant, strict=True)
    ]


def procrustes(
    new: NDArray[np.float32], old: NDArray[np.float32], queries: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the queries mapped to the old space by a centred Procrustes fit."""
    mean_new, mean_old = new.mean(axis=0), old.mean(axis=0)
    cross = (new - mean_new).astype(np.float64).T @ (old - mean_old).astype(np.float64)
    left, sigma, right = np.linalg.svd(cross, full_matrices=False)
    rank = int((sigma > 1e-9 * sigma[0]).sum())
    rotation = (left[:, :rank] @ right[:rank]).astype(np.float32)
    mapped: NDArray[np.float32] = (queries - mean_new) @ rotation + mean_old
    return mapped


def population(folder: Path, old: str, new: str) -> dict[str, Floats]:
    """Return recall per judged query: staying, bridged by unseen documents, full reindex."""
    judged, relevant = read_judgements(folder)
    old_docs, new_docs = (read_vectors(folder, model, "corpus") for model in (old, new))
    old_queries, new_queries = (
        read_vectors(folder, model, "queries")[judged] for model in (old, new)
    )
    folds = np.arange(len(old_docs)) % FOLDS
    free = np.setdiff1d(np.arange(len(old_docs)), np.concatenate([*relevant]))
    if len(free) >= PAIRS_TO_FIT:
        folds[:] = 0
    bridged = [[0] * len(docs) for docs in relevant]
    for fold in np.unique(folds):
        rows = free if len(free) >= PAIRS_TO_FIT else np.flatnonzero(folds != fold)
        rows = draw_rows(0, Purpose.PAIRS, len(old_docs), PAIRS_TO_FIT, among=rows)
        mapped = procrustes(new_docs[rows], old_docs[rows], new_queries)
        for query, its_ranks in enumerate(ranks(mapped, old_docs, relevant)):
            for place, doc in enumerate(relevant[query]):
                if folds[doc] == fold:
                    bridged[query][place] = its_ranks[place]
    found = {
        "stay": ranks(old_queries, old_docs, relevant),
        "oracle": ranks(new_queries, new_docs, relevant),
        "bridged": bridged,
    }
    columns = {
        name: np.array([sum(rank <= K for rank in query) / len(query) for query in per_query])
        for name, per_query in found.items()
    }
    return columns | {"missed": 1 - columns["bridged"]}


@dataclass(frozen=True)
class Samples:
    """Many samples of one size and one ratio: estimates, and their bootstrap draws."""

    a: Floats  # (samples, n) numerators
    b: Floats  # (samples, n) denominators
    counts: Floats  # (draws, n): how often each draw takes each query

    @property
    def n(self) -> int:
        """Queries per sample."""
        return int(self.a.shape[1])

    @cached_property
    def estimate(self) -> Floats:
        """Return the ratio of each sample."""
        ratio: Floats = self.a.sum(axis=1) / self.b.sum(axis=1)
        return ratio

    @cached_property
    def draws(self) -> tuple[Floats, Floats]:
        """Return the sums of numerators and denominators, (draws, samples) each."""
        return self.counts @ self.a.T, self.counts @ self.b.T

    @cached_property
    def sorted_ratios(self) -> Floats:
        """Return the ratios of all draws; one without a denominator counts as largest."""
        above, below = self.draws
        ratios = np.where(below > 0, above / np.where(below > 0, below, 1), np.inf)
        return np.sort(ratios, axis=0)


def quantile(ordered: Floats, share: Floats) -> Floats:
    """Return one quantile per column of sorted draws, interpolated at (draws + 1) share."""
    place = np.clip(share * (len(ordered) + 1) - 1, 0, len(ordered) - 1)
    lower = np.floor(place).astype(int)
    upper = np.minimum(lower + 1, len(ordered) - 1)
    columns = np.arange(ordered.shape[1])
    low, high = ordered[lower, columns], ordered[upper, columns]
    step = np.where(np.isfinite(high), high, low) - np.where(np.isfinite(low), low, 0)
    value: Floats = np.where(np.isfinite(low), low + step * (place - lower), low)
    return value


def at_shares(ordered: Floats, low: float, high: float) -> Limits:
    """Return two quantiles of sorted draws."""
    width = ordered.shape[1]
    return quantile(ordered, np.full(width, low)), quantile(ordered, np.full(width, high))


def percentile(samples: Samples) -> Limits:
    """Plain percentiles of the draws."""
    return at_shares(samples.sorted_ratios, 0.025, 0.975)


def wide_percentile(samples: Samples) -> Limits:
    """Percentiles at the level at which they match Student's t for a mean (Hesterberg 2015)."""
    n = samples.n
    share = float(ndtr(-student_t_975(n - 1) * np.sqrt(n / (n - 1))))
    return at_shares(samples.sorted_ratios, share, 1 - share)


def bca(samples: Samples) -> Limits:
    """Bias-corrected and accelerated percentiles (Efron 1987), jackknife acceleration."""
    ordered, estimate = samples.sorted_ratios, samples.estimate
    under = ((ordered < estimate).sum(axis=0) + (ordered == estimate).sum(axis=0) / 2) / DRAWS
    bias = ndtri(np.clip(under, 1 / (2 * DRAWS), 1 - 1 / (2 * DRAWS)))
    a, b = samples.a, samples.b
    rest = b.sum(axis=1, keepdims=True) - b
    left_out = (a.sum(axis=1, keepdims=True) - a) / np.where(rest > 0, rest, 1)
    gap = left_out.mean(axis=1, keepdims=True) - left_out
    spread = (gap**2).sum(axis=1)
    acceleration = (gap**3).sum(axis=1) / (6 * np.where(spread > 0, spread, 1) ** 1.5)
    shares = [ndtr(bias + (bias + z) / (1 - acceleration * (bias + z))) for z in (-Z_975, Z_975)]
    return quantile(ordered, shares[0]), quantile(ordered, shares[1])


def studentised(samples: Samples) -> Limits:
    """Bootstrap-t with the delta-method standard error of the ratio in every draw."""
    a, b, counts, ratio = samples.a, samples.b, samples.counts, samples.estimate
    above, below = samples.draws
    drawn = above / np.where(below > 0, below, 1)
    squares = (counts @ (a * a).T, counts @ (a * b).T, counts @ (b * b).T)
    variance = squares[0] - 2 * drawn * squares[1] + drawn * drawn * squares[2]
    error = np.sqrt(np.maximum(variance, 0)) / np.where(below > 0, below, 1)
    residual = a - ratio[:, None] * b
    own_error = np.sqrt((residual**2).sum(axis=1)) / b.sum(axis=1)
    usable = (error > 1e-12) & (below > 0)
    pivot = np.sort(np.where(usable, (drawn - ratio) / np.where(usable, error, 1), 0), axis=0)
    low, high = at_shares(pivot, 0.025, 0.975)
    return ratio - high * own_error, ratio - low * own_error


def fieller(samples: Samples) -> Limits:
    """Fieller's limits (1954) from the sample's own variances; the whole line where unbounded."""
    n, ratio = samples.n, samples.estimate
    a, b = samples.a.mean(axis=1), samples.b.mean(axis=1)
    around_a, around_b = samples.a - a[:, None], samples.b - b[:, None]
    scale = student_t_975(n - 1) ** 2 / (n * (n - 1))
    v_aa, v_bb = (scale * (x * x).sum(axis=1) for x in (around_a, around_b))
    v_ab = scale * (around_a * around_b).sum(axis=1)
    room = b * b - v_bb
    bounded = room > 0
    root = np.sqrt(np.maximum((a * b - v_ab) ** 2 - (a * a - v_aa) * room, 0))
    room = np.where(bounded, room, 1)
    low, high = (a * b - v_ab - root) / room, (a * b - v_ab + root) / room
    return (
        np.where(bounded, np.minimum(low, ratio), -np.inf),
        np.where(bounded, np.maximum(high, ratio), np.inf),
    )


def log_t(samples: Samples) -> Limits:
    """Student's t on the log ratio, its error from the draws, as gnomon.stats.resampling does."""
    above, below = samples.draws
    deviation = above / samples.a.sum(axis=1) - below / samples.b.sum(axis=1)
    kept = below > 0
    variance = (deviation**2 * kept).sum(axis=0) / kept.sum(axis=0)
    n = samples.n
    factor = np.exp(student_t_975(n - 1) * np.sqrt(variance * n / (n - 1)))
    return samples.estimate / factor, samples.estimate * factor


METHODS = {
    "percentile": percentile,
    "wide percentile": wide_percentile,
    "BCa": bca,
    "studentised": studentised,
    "Fieller": fieller,
    "log t": log_t,
}


def check_that_this_is_gnomons_interval(columns: dict[str, Floats]) -> None:
    """Compare the vectorised log t with the interval that the package computes."""
    n = len(columns["stay"])
    figure = resample_queries(columns, seed=0).ratio_figure("oracle", "stay")
    counts = bootstrap_sums(np.eye(n), seed=0, draws=DRAWS)
    low, high = log_t(Samples(columns["oracle"][None], columns["stay"][None], counts))
    if figure.low is None or figure.high is None:
        raise SystemExit("the package gave no interval")
    np.testing.assert_allclose((low[0], high[0]), (figure.low, figure.high), rtol=1e-10)


def covered(
    columns: dict[str, Floats], n: int, counts: Floats, repetitions: int
) -> dict[tuple[str, str], float]:
    """Return the coverage per ratio and method on samples of n queries."""
    drawn = np.random.default_rng(n).integers(0, len(columns["stay"]), (repetitions, n))
    shares = {}
    for ratio, (above, below) in RATIOS.items():
        truth = columns[above].mean() / columns[below].mean()
        a, b = columns[above][drawn], columns[below][drawn]
        usable = (a.sum(axis=1) > 0) & (b.sum(axis=1) > 0)
        samples = Samples(a[usable], b[usable], counts)
        for name, method in METHODS.items():
            low, high = method(samples)
            low, high = np.minimum(low, samples.estimate), np.maximum(high, samples.estimate)
            shares[ratio, name] = float(((low <= truth) & (truth <= high)).mean())
    return shares


def print_figures(populations: dict[tuple[str, str, str], dict[str, Floats]]) -> None:
    """Print the ratios of every collection with the interval that gnomon reports."""
    names = [name for name in RATIOS if not name.startswith("mean")]
    print(f"{'collection, old -> new':55}{'queries':>8}" + "".join(f"{n:>25}" for n in names))
    for (folder, old, new), columns in populations.items():
        resampled = resample_queries(columns, seed=0)
        cells = [resampled.ratio_figure(*RATIOS[name]) for name in names]
        print(
            f"{f'{folder}, {old} -> {new}':55}{resampled.n_queries:8}"
            + "".join(f"{cell.value:9.3f} {cell.low:.3f} to {cell.high:.3f}" for cell in cells)
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--figures", action="store_true", help="figures instead of coverage")
    options = parser.parse_args()
    populations = {pair: population(options.data / pair[0], pair[1], pair[2]) for pair in PAIRS}
    if options.figures:
        print_figures(populations)
        return
    check_that_this_is_gnomons_interval(populations[PAIRS[0]])
    table = {}
    for n in SIZES:
        counts = bootstrap_sums(np.eye(n), seed=0, draws=DRAWS)
        for pair, columns in populations.items():
            table[n, pair] = covered(columns, n, counts, options.repetitions)
    for title, pairs in (("different models", PAIRS[:-1]), ("one model in two forms", TWINS)):
        print(f"\n{title}: coverage in %, mean over {len(pairs)} model pairs (worst)")
        print(f"{'ratio':20}{'n':>5}" + "".join(f"{name:>17}" for name in METHODS))
        for ratio in RATIOS:
            for n in SIZES:
                cells = []
                for name in METHODS:
                    shares = [100 * table[n, pair][ratio, name] for pair in pairs]
                    cells.append(f"{sum(shares) / len(shares):8.1f} ({min(shares):4.1f})")
                print(f"{ratio:20}{n:5}" + "".join(f"{cell:>17}" for cell in cells))


if __name__ == "__main__":
    main()
