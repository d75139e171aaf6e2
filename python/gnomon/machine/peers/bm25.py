"""BM25: search one question at a time or many at once, and building an index from text."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import kernels
from gnomon.machine.peers.passages import Passages, passages
from gnomon.machine.work import OURS, LeftOutError, Peer, Work, WrongAnswerError, installed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Found = Sequence[Sequence[int] | NDArray[np.int64]]  # rows of each question, best first
    Search = Callable[[], Found]
    Build = Callable[[], int]

K1, B = 1.2, 0.75
TIE = 2e-5  # float32 sums may swap documents whose scores are this close
CHECKED = 8
_RANK_BM25_MOST = 20_000  # passages: it scores all of them in Python


@dataclass(frozen=True, slots=True, eq=False)
class SearchTask:
    """Passages, the first ``n`` of their questions, hits for each, and whether one at a time."""

    corpus: Passages
    n: int
    k: int
    single: bool


def search_work(n: int, n_queries: int, k: int, *, single: bool) -> Work[SearchTask, Any]:
    """Return the search for so many questions in so many passages."""
    how = "one at a time" if single else "at once"
    return Work(
        kernel="bm25",
        name=f"bm25 {n} q{n_queries} k{k} {how}",
        what=f"{n_queries:,} questions {how}, {n:,} passages, k = {k}",
        make=lambda: SearchTask(passages(n), n_queries, k, single),
        peers=SEARCH,
        check=check_search,
        amount=n_queries,
        unit="questions",
    )


def build_work(n: int) -> Work[Passages, Any]:
    """Return the building of an index from raw text, analysis included."""
    return Work(
        kernel="bm25_build",
        name=f"bm25_build {n}",
        what=f"{n:,} passages of 40 words, from text",
        make=lambda: passages(n),
        peers=BUILD,
        check=check_build,
        amount=n,
        unit="passages",
    )


def check_search(task: SearchTask, found: Found) -> None:
    """Raise unless every question got the float64 top k, up to near ties."""
    for q in range(min(CHECKED, task.n)):
        truth = float64_scores(task.corpus, task.corpus.query_words[q])
        rows = np.asarray(found[q], dtype=np.int64)
        expected = min(task.k, int((truth > 0).sum()))
        if len(rows) != expected or len(set(rows.tolist())) != expected:
            raise WrongAnswerError(f"question {q} has {len(rows)} hits instead of {expected}")
        if expected and truth[rows].min() < np.partition(truth, -expected)[-expected] - TIE:
            raise WrongAnswerError(f"not the true top {expected} of question {q}")


def check_build(task: Passages, n: int) -> None:
    """Raise unless all passages are in."""
    if n != len(task.texts):
        raise WrongAnswerError(f"the index has {n} passages instead of {len(task.texts)}")


def float64_scores(corpus: Passages, query: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the score of every passage by Lucene's formula, in float64."""
    n = len(corpus.texts)
    lengths = np.diff(corpus.offsets).astype(np.float64)
    owner = np.repeat(np.arange(n), np.diff(corpus.offsets))
    scores = np.zeros(n)
    for word, times in zip(*np.unique(query, return_counts=True), strict=True):
        frequency = np.bincount(owner[corpus.words == word], minlength=n).astype(np.float64)
        holding = (frequency > 0).sum()
        idf = np.log(1 + (n - holding + 0.5) / (holding + 0.5))
        weight = frequency / (frequency + K1 * (1 - B + B * lengths / lengths.mean()))
        scores += times * idf * weight
    return scores


def _ours(task: SearchTask, threads: int) -> Search:
    index = kernels.BM25Index(task.corpus.texts, k1=K1, b=B, threads=threads)
    queries = list(task.corpus.queries[: task.n])
    if task.single:
        return lambda: [index.search(one, task.k, threads=threads).ids for one in queries]

    def search() -> Found:
        hits = index.search(queries, task.k, threads=threads)
        return [hits.ids[a:b] for a, b in zip(hits.offsets[:-1], hits.offsets[1:], strict=True)]

    return search


def _positive(rows: Any, scores: Any) -> NDArray[np.int64]:
    """Return the rows that scored: some packages fill up with rows of score 0."""
    found: NDArray[np.int64] = np.asarray(rows)[np.asarray(scores) > 0]
    return found


def _bm25s(package: str) -> Callable[[SearchTask, int], Search]:
    def prepare(task: SearchTask, threads: int) -> Search:
        module = installed(package)
        installed("numba")
        index = module.BM25(method="lucene", k1=K1, b=B, backend="numba")
        index.index(task.corpus.tokens, show_progress=False)
        queries = task.corpus.query_tokens[: task.n]

        def retrieve(some: list[list[str]]) -> Found:
            rows, scores = index.retrieve(some, k=task.k, show_progress=False, n_threads=threads)
            return [_positive(*both) for both in zip(rows, scores, strict=True)]

        retrieve(queries[:1])  # compiles
        if task.single:
            return lambda: [retrieve([one])[0] for one in queries]
        return lambda: retrieve(queries)

    return prepare


def _bm25_turbo(task: SearchTask, _threads: int) -> Search:
    index = installed("bm25_turbo_python").BM25(method="lucene", k1=K1, b=B)
    index.index(list(task.corpus.texts))
    queries = task.corpus.queries[: task.n]
    return lambda: [_positive(*index.search_numpy(one, k=task.k)) for one in queries]


def _tantivy_index(texts: Sequence[str], threads: int, folder: str | None = None) -> Any:
    tantivy = installed("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", stored=False, tokenizer_name="default", index_option="freq")
    index = tantivy.Index(builder.build(), path=folder)
    # One thread makes one segment: the fastest to search, and its documents are numbered by row.
    writer = index.writer(heap_size=512_000_000, num_threads=threads)
    for text in texts:
        writer.add_document(tantivy.Document(body=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def _tantivy(task: SearchTask, _threads: int) -> Search:
    index = _tantivy_index(task.corpus.texts, 1)
    searcher = index.searcher()
    queries = task.corpus.queries[: task.n]

    def search() -> Found:
        found = []
        for one in queries:
            hits = searcher.search(index.parse_query(one, ["body"]), task.k, count=False).hits
            found.append([address.doc for _, address in hits])
        return found

    return search


def _rank_bm25(task: SearchTask, _threads: int) -> Search:
    if len(task.corpus.texts) > _RANK_BM25_MOST:
        raise LeftOutError("takes many times as long as the others")
    index = installed("rank_bm25").BM25Okapi(task.corpus.tokens, k1=K1, b=B)
    queries = task.corpus.query_tokens[: task.n]

    def search() -> Found:
        found = []
        for one in queries:
            scores = index.get_scores(one)
            best = np.argsort(-scores, kind="stable")[: task.k]
            found.append(best[scores[best] > 0].tolist())
        return found

    return search


def _build_ours(corpus: Passages, threads: int) -> Build:
    return lambda: len(kernels.BM25Index(corpus.raw, k1=K1, b=B, threads=threads))


def _build_tantivy(corpus: Passages, threads: int) -> Build:
    installed("tantivy")

    def build() -> int:
        with tempfile.TemporaryDirectory() as folder:
            index = _tantivy_index(corpus.raw, threads, folder)
            return int(index.searcher().num_docs)

    return build


def _build_bm25s(corpus: Passages, _threads: int) -> Build:
    bm25s = installed("bm25s")
    texts = list(corpus.raw)

    def build() -> int:
        tokens = bm25s.tokenize(texts, stopwords=None, show_progress=False)
        index = bm25s.BM25(method="lucene", k1=K1, b=B)
        index.index(tokens, show_progress=False)
        return int(index.scores["num_docs"])

    return build


def _build_bm25_turbo(corpus: Passages, _threads: int) -> Build:
    module = installed("bm25_turbo_python")
    texts = list(corpus.raw)

    def build() -> int:
        index = module.BM25(method="lucene", k1=K1, b=B)
        index.index(texts)
        return len(texts)

    return build


SEARCH: tuple[Peer[SearchTask, Any], ...] = (
    Peer(OURS, _ours),
    Peer("bm25q", _bm25s("bm25q"), "bm25q", slow_start=True),
    Peer("bm25s, numba", _bm25s("bm25s"), "bm25s", slow_start=True),
    Peer("bm25-turbo", _bm25_turbo, "bm25-turbo"),
    Peer("tantivy", _tantivy, "tantivy", differs="rounds the lengths of passages to one byte"),
    Peer("rank_bm25", _rank_bm25, "rank-bm25", differs="another idf", slow_start=True),
)
BUILD: tuple[Peer[Passages, Any], ...] = (
    Peer(OURS, _build_ours),
    Peer("tantivy", _build_tantivy, "tantivy"),
    Peer("bm25s", _build_bm25s, "bm25s"),
    Peer("bm25-turbo", _build_bm25_turbo, "bm25-turbo"),
)
