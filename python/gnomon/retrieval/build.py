"""Building an index: chunks, lexical fields, vectors, and the guard and levers that fit it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.embedding.lsa import LsaEmbedder
from gnomon.errors import InvalidInputError
from gnomon.kernels import Analyzer, BM25Index
from gnomon.retrieval import index_files as files
from gnomon.retrieval.calibration_file import Footing, misfits, read_calibration
from gnomon.retrieval.chunking import Chunk, chunks_of_document, chunks_of_page
from gnomon.retrieval.evidence import FIELDS
from gnomon.retrieval.guard import DenseMode, Guard, GuardMode
from gnomon.retrieval.levers import Levers, resolve_levers
from gnomon.retrieval.manifest import Manifest, corpus_hash, vocabulary_hash
from gnomon.retrieval.terms import Vocabulary
from gnomon.retrieval.tuning_file import Tuning, read_tuning
from gnomon.sources.corpus import read_corpus
from gnomon.sources.files import shown
from gnomon.sources.idvalues import check_unique
from gnomon.sources.markdown import read_markdown
from gnomon.sources.pages import find_pages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.embedding.cache import EmbeddingCache
    from gnomon.embedding.embedder import Embedder
    from gnomon.types import Progress

EMBED_BATCH: Final = 256
CORPUS_NAMES: Final = ("corpus.jsonl", "corpus.jsonl.gz")


@dataclass(frozen=True, slots=True)
class Source:
    """The pages or documents of an index.

    Attributes
    ----------
    links_left_out
        Symbolic links that were not followed.
    """

    chunks: tuple[Chunk, ...]
    links_left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How an index is to be built.

    Attributes
    ----------
    calibration, tuning
        Files to inline if they fit.
    config
        ``top_k`` of the configuration, if set.
    """

    analyzer: Analyzer
    languages: tuple[str, ...]
    dense_mode: DenseMode
    guard_mode: GuardMode
    calibration: Path | None
    tuning: Path | None
    config: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Built:
    """An index as it was written, or would be.

    Attributes
    ----------
    notes
        What was inlined and what was not, in plain words.
    embedded
        How many texts had to be embedded; the rest was known.
    """

    manifest: Manifest
    notes: tuple[str, ...]
    links_left_out: tuple[str, ...]
    embedded: int


def read_source(place: Path) -> Source:
    """Return the chunks of a folder of Markdown pages, or of a ``corpus.jsonl``.

    Raises
    ------
    MissingInputError
        When there is nothing.
    InvalidInputError
        When a page or a record breaks a rule, or there is no page at all.
    """
    names = [place / name for name in CORPUS_NAMES] if place.is_dir() else [place]
    corpus_file = next((path for path in names if path.is_file()), None)
    if place.is_dir() and corpus_file is None:
        pages = find_pages(place)
        chunks = tuple(
            chunk
            for one in pages.files
            for chunk in chunks_of_page(
                one.page,
                read_markdown(one.file, fallback_title=one.page.rpartition("/")[2]),
            )
        )
        if not chunks:
            raise InvalidInputError(
                f"{shown(place)}: holds no Markdown page (.md); name the folder of the pages"
            )
        check_unique([chunk.id for chunk in chunks], where=shown(place))
        return Source(chunks, pages.links_left_out)
    corpus = read_corpus(corpus_file or place)
    return Source(tuple(c for d in corpus.documents() for c in chunks_of_document(d)))


def build_index(
    source: Source,
    out: Path | None,
    plan: Plan,
    *,
    uri: str | None,
    embedder: Embedder | None,
    cache: EmbeddingCache | None,
    progress: Progress,
    threads: int | None = None,
) -> Built:
    """Build an index and write it; the same chunks and settings give the same bytes.

    Parameters
    ----------
    out
        The folder, or None to write nothing.
    uri, embedder
        Where vectors come from; None for a lexical index.
    cache
        Vectors that were made before.
    """
    chunks = source.chunks
    frequencies = document_frequencies(chunks, plan.analyzer)
    vocabulary = Vocabulary.of(plan.analyzer, plan.languages, frequencies)
    vectors, embedded = None, 0
    if embedder is not None:
        vectors, embedded = _embed(chunks, embedder, cache, progress)
    manifest = Manifest(
        hash=corpus_hash(chunks),
        vocab_hash=vocabulary_hash(vocabulary),
        chunks=len(chunks),
        pages=len({chunk.page for chunk in chunks}),
        languages=plan.languages,
        analyzer=plan.analyzer.describe(),
        embedder=uri,
        profile=None if embedder is None else embedder.profile,
        dense_mode=plan.dense_mode,
        levers=resolve_levers(config=plan.config),
        guard=Guard(tau=None) if embedder is None else Guard(),
        guard_mode=plan.guard_mode,
    )
    manifest, notes = _with_measured(manifest, plan)
    if out is not None:
        fields = _fields(chunks, plan.analyzer, manifest.levers, threads)
        fitted = embedder if isinstance(embedder, LsaEmbedder) else None
        manifest = files.write_index(out, manifest, chunks, frequencies, fields, vectors, fitted)
    return Built(manifest, notes, source.links_left_out, embedded)


def document_frequencies(chunks: Sequence[Chunk], analyzer: Analyzer) -> dict[str, int]:
    """Return in how many chunks each term occurs, headings included."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts.update(set(analyzer(chunk.passage)))
    return dict(counts)


def field_text(chunk: Chunk, name: str) -> str:
    """Return what a lexical field of a chunk holds."""
    return {
        "title": chunk.title,
        "trail": "\n".join(chunk.trail),
        "path": chunk.page,
        "anchor": chunk.anchor,
        "text": chunk.text,
    }[name]


def _fields(
    chunks: Sequence[Chunk], analyzer: Analyzer, levers: Levers, threads: int | None
) -> dict[str, BM25Index]:
    return {
        name: BM25Index(
            (field_text(chunk, name) for chunk in chunks),
            analyzer=analyzer,
            k1=levers["BM25_K1"],
            b=levers["BM25_B"],
            threads=threads,
        )
        for name in FIELDS
    }


def _embed(
    chunks: Sequence[Chunk],
    embedder: Embedder,
    cache: EmbeddingCache | None,
    progress: Progress,
) -> tuple[NDArray[np.float32], int]:
    texts = [chunk.passage for chunk in chunks]
    before = 0 if cache is None else len(cache)
    blocks = []
    for first in range(0, len(texts), EMBED_BATCH):
        part = texts[first : first + EMBED_BATCH]
        blocks.append(
            embedder.embed_documents(part)
            if cache is None
            else cache.embed(embedder, part, "document")
        )
        progress(first + len(part), len(texts))
    made = len(texts) if cache is None else len(cache) - before
    return np.concatenate(blocks), made


def _with_measured(manifest: Manifest, plan: Plan) -> tuple[Manifest, tuple[str, ...]]:
    """Return the manifest with the tuning and the calibration that fit it, and what was done."""
    notes: list[str] = []
    tuning = Tuning({}, {}, ())
    if plan.tuning is not None:
        tuning = read_tuning(plan.tuning, manifest)
        notes += tuning.notes
    if tuning.levers:
        levers = resolve_levers(config=plan.config, tuning=tuning.levers)
        manifest = replace(manifest, levers=levers, tuning={**tuning.about, **tuning.levers})
    if plan.calibration is not None and plan.calibration.exists():
        manifest, note = _with_calibration(manifest, plan.calibration)
        notes.append(note)
    return manifest, tuple(notes)


def _with_calibration(manifest: Manifest, path: Path) -> tuple[Manifest, str]:
    try:
        calibration = read_calibration(path)
    except InvalidInputError as error:
        return manifest, f"{error}; provisional thresholds stay"
    why = misfits(calibration, Footing.of(manifest))
    if why:
        return manifest, (
            f"{shown(path)} does not fit this index and is not used: {'; '.join(why)}. "
            "Provisional thresholds stay; run: gnomon calibrate"
        )
    about: dict[str, Any] = {
        name: calibration.body.get(name) for name in ("probes_hash", "counts", "seed")
    }
    guard = calibration.guard
    return replace(manifest, guard=guard, calibration=about), (
        f"guard: {guard.source}, from {shown(path)}"
    )
