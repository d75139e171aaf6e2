# The compiled core, grouped as the files cpp/bindings/bind_*.cpp.

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, type_check_only

import numpy as np
from numpy.typing import NDArray

# bind_isa.cpp
def isa() -> str: ...
def runnable_isas() -> list[str]: ...
def default_threads() -> int: ...

# bind_linear.cpp; a matrix is any 2-D array of the contract's dtypes, bfloat16 as uint16
def first_nonfinite_row(x: NDArray[Any], threads: int) -> int | None: ...
def norms(x: NDArray[Any], threads: int) -> NDArray[np.float64]: ...
def normalize(x: NDArray[Any], threads: int) -> NDArray[np.float32]: ...
def affine_map(
    x: NDArray[Any],
    weights: NDArray[np.float32],
    bias: NDArray[np.float32] | None,
    threads: int,
) -> NDArray[np.float32]: ...
def map_directions(
    x: NDArray[Any],
    maps: Sequence[tuple[NDArray[np.float32], NDArray[np.float32] | None]],
    threads: int,
) -> tuple[NDArray[np.float32], int | None]: ...
def nearest(
    x: NDArray[Any], centroids: NDArray[Any], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]: ...
def pair_scores(
    queries: NDArray[Any],
    docs: NDArray[Any],
    ids: NDArray[np.int64],
    offsets: NDArray[np.int64],
    threads: int,
) -> tuple[NDArray[np.float32], int | None]: ...
def group_sums(
    x: NDArray[Any], labels: NDArray[np.int64], n_groups: int, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...

# bind_machine.cpp
def read_pass(data: NDArray[np.uint8], threads: int) -> int: ...
def multiply_add_pass(isa: str, int8: bool, steps: int, threads: int) -> int: ...

# bind_ranking.cpp; a measure is (number of the metric, cutoff)
def exact_mean(values: NDArray[np.float64]) -> float: ...
def exact_sum(values: NDArray[np.float64]) -> float: ...
def ranks_in_lists(
    ids: NDArray[np.int64],
    offsets: NDArray[np.int64],
    judged: NDArray[np.int64],
    judged_offsets: NDArray[np.int64],
    threads: int,
) -> tuple[NDArray[np.int64], tuple[int, int, bool] | None]: ...
def tied_ranks_in_lists(
    ranks: NDArray[np.int64],
    judged_offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def tied_ranks_by_score(
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    judged_scores: NDArray[np.float64],
    judged_offsets: NDArray[np.int64],
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def ranking_metrics(
    ranks: NDArray[np.int64],
    gains: NDArray[np.float64],
    offsets: NDArray[np.int64],
    measures: Sequence[tuple[int, int]],
    discounts: NDArray[np.float64],
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]: ...
def decided_by_ties(
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    gains: NDArray[np.float64],
    offsets: NDArray[np.int64],
    measures: Sequence[tuple[int, int]],
    discounts: NDArray[np.float64],
    threads: int,
) -> NDArray[np.uint8]: ...

# bind_mmr.cpp; pools are matrices, or one stack of matrices; a hit list is (ids, scores, offsets)
def mmr(
    queries: NDArray[Any],
    pools: list[NDArray[Any]],
    row_offsets: NDArray[np.int64] | None,
    rows: NDArray[np.int64] | None,
    k: int,
    lambdas: list[float],
    threads: int,
) -> list[_Hits]: ...

# bind_resample.cpp
def draw_keys(seed: int, purpose: int, n: int) -> NDArray[np.uint64]: ...
def draw_rows(
    seed: int, purpose: int, n: int, size: int, among: NDArray[np.int64] | None
) -> NDArray[np.int64]: ...
def bootstrap_sums(
    values: NDArray[np.float64], seed: int, draws: int, threads: int
) -> NDArray[np.float64]: ...

# bind_rrf.cpp; a list is (ids, offsets of the queries), or has no offsets when there is one query
def rrf(
    lists: list[tuple[NDArray[np.int64], NDArray[np.int64] | None]],
    weights: list[float],
    k: float,
    top: int | None,
    threads: int,
) -> _Hits: ...
def rrf_arrays(
    rankings: list[Any], weights: list[float], k: float, top: int | None, threads: int
) -> _Hits | None: ...

# bind_text.cpp
def text_words(text: str) -> list[str]: ...
def nfkc_casefold(text: str) -> str: ...
def word_counts(texts: list[str], threads: int) -> NDArray[np.int64]: ...
def unicode_version() -> str: ...
def text_rules() -> int: ...

# bind_cosine.cpp; a request is (queries, k, row class, exclude offsets, exclude rows), a hit list
# is (ids, scores, offsets)
_Request: TypeAlias = tuple[
    NDArray[Any], int, int | None, NDArray[np.int64] | None, NDArray[np.int64] | None
]
_Hits: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]

def cosine_top_k(
    docs: NDArray[Any],
    requests: list[_Request],
    subset: NDArray[np.int64] | None,
    row_labels: NDArray[np.uint8] | None,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[_Hits], int]: ...

@type_check_only
class _Pybind11Type(type): ...

class VectorIndex(metaclass=_Pybind11Type):
    def __init__(self, docs: NDArray[Any], threads: int) -> None: ...
    @staticmethod
    def open(descriptor: int, name: str) -> VectorIndex: ...
    def save(self, descriptor: int) -> None: ...
    def verify(self, threads: int) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def cols(self) -> int: ...
    @property
    def zero_rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def search(
        self,
        requests: list[_Request],
        subset: NDArray[np.int64] | None,
        row_labels: NDArray[np.uint8] | None,
        threads: int,
        progress: Callable[[int, int], None] | None,
    ) -> tuple[list[_Hits], int]: ...

# bind_bm25.cpp; a restriction is (offsets, rows) of exclusions; the strategy is 0 for the cheaper
# way, 1 for pruned and 2 for exhaustive search
_Exclude: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]

class BM25Builder(metaclass=_Pybind11Type):
    def __init__(self, variant: int, k1: float, b: float, delta: float) -> None: ...
    def add_texts(self, texts: list[str], threads: int) -> None: ...
    def add_tokens(self, lists: list[Sequence[str]], threads: int) -> None: ...
    def terms(self) -> list[str]: ...
    def rename(self, spellings: list[str | None]) -> None: ...
    @property
    def docs(self) -> int: ...
    def finish(self, note: str, threads: int) -> BM25Index: ...

class BM25Index(metaclass=_Pybind11Type):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...  # raises: use open or the builder
    @staticmethod
    def open(descriptor: int, name: str) -> BM25Index: ...
    def save(self, descriptor: int) -> None: ...
    def verify(self, threads: int) -> None: ...
    @property
    def docs(self) -> int: ...
    @property
    def vocabulary_size(self) -> int: ...
    @property
    def postings(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def note(self) -> str: ...
    @property
    def settings(self) -> tuple[int, float, float, float]: ...
    def search_tokens(
        self,
        queries: list[Sequence[str]],
        k: int,
        exclude: _Exclude | None,
        subset: NDArray[np.int64] | None,
        threads: int,
        strategy: int,
    ) -> _Hits: ...
    def search_texts(
        self,
        queries: list[str],
        k: int,
        exclude: _Exclude | None,
        subset: NDArray[np.int64] | None,
        threads: int,
        strategy: int,
    ) -> _Hits: ...
    def scores(self, tokens: list[str]) -> NDArray[np.float32]: ...
