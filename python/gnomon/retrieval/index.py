"""The index that is served: opened by memory map, asked from any number of threads."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import InvalidInputError, UsageError
from gnomon.kernels import Analyzer, VectorIndex, pair_scores
from gnomon.retrieval import index_files as files
from gnomon.retrieval.evidence import Finder
from gnomon.retrieval.gate import Gate, Judged
from gnomon.retrieval.manifest import levers_in_force
from gnomon.retrieval.ranking import cap_pages, fuse, pick, with_neighbours
from gnomon.retrieval.stored_files import check_contents, check_sizes
from gnomon.retrieval.terms import Vocabulary
from gnomon.retrieval.turns import Turn, Wording, look_at_turns, wordings_of
from gnomon.retrieval.verdict import CHANNELS, GateVerdict, RetrievedChunk
from gnomon.sources.scope import Scope

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embedder
    from gnomon.retrieval.chunking import Chunk
    from gnomon.retrieval.levers import Levers
    from gnomon.retrieval.manifest import Manifest

    Vectors = Mapping[str, NDArray[np.float32]] | NDArray[np.float32] | Sequence[float]

_CLOSEST_PAGES = 3


class Index:
    """Chunks of pages with a lexical and, unless built without, a dense channel.

    Made by `Index.open`. Nothing in it changes when it is asked, so threads may share it.

    Attributes
    ----------
    chunks
        In the order of pages and of reading.
    manifest
        What the index was made of, and the guard in force.
    """

    def __init__(
        self,
        manifest: Manifest,
        chunks: Sequence[Chunk],
        finder: Finder,
        stored: NDArray[np.float32] | None,
        embedder: Embedder | None,
    ) -> None:
        self.manifest, self.chunks = manifest, chunks
        self.finder, self._stored, self.embedder = finder, stored, embedder
        self.gate = Gate(manifest)
        self._pages = [chunk.page for chunk in chunks]

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        *,
        embedder: Embedder | None = None,
        levers: Levers | None = None,
        threads: int | None = None,
        verify: bool = False,
    ) -> Index:
        """Open an index.

        Parameters
        ----------
        folder
            What ``gnomon index`` wrote.
        embedder
            Embeds questions. Without one, questions come with their vectors.
        levers
            Default: those of the index, under the environment's.
        verify
            Compare the bytes of every file with the sha256 of what was written, about a second a
            gigabyte; without it the vectors are known by size and header alone.

        Raises
        ------
        MissingInputError
            There is no index, or a file of it is gone.
        IndexFileError
            A file is damaged or of another version.
        MismatchError
            The embedder is not the model that made the index.
        """
        place = Path(folder)
        manifest = files.read_manifest(place)
        if embedder is not None:
            manifest.check_model(embedder)
        check_sizes(place, manifest, files.file_names(manifest))
        if verify:
            check_contents(place, manifest)
        chunks = files.read_chunks(place, manifest)
        vocabulary = Vocabulary.of(
            Analyzer.from_description(manifest.analyzer),
            manifest.languages,
            files.read_frequencies(place, manifest),
        )
        stored = files.read_stored_vectors(place, manifest)
        finder = Finder(
            chunks=chunks,
            vocabulary=vocabulary,
            fields=files.read_fields(place, len(chunks)),
            vectors=None if stored is None else VectorIndex(stored, threads=threads),
            levers=levers or levers_in_force(manifest),
        )
        return cls(manifest, chunks, finder, stored, embedder)

    def attach(self, embedder: Embedder) -> None:
        """Let a model embed questions; it must be the one that made the vectors.

        Raises
        ------
        MismatchError
            It is another model.
        """
        self.manifest.check_model(embedder)
        self.embedder = embedder

    def with_levers(self, levers: Levers) -> Index:
        """Return this index under other levers; files and vectors are shared."""
        other = copy.copy(self)
        other.finder = dataclasses.replace(self.finder, levers=levers)
        return other

    @property
    def stored(self) -> NDArray[np.float32] | None:
        """The vectors of the chunks, float32[n, dim], by memory map; None without vectors."""
        return self._stored

    @property
    def levers(self) -> Levers:
        """The levers in force, each with its source."""
        return self.finder.levers

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self.chunks)

    def rows_in(self, scope: Scope | Iterable[str] | None) -> NDArray[np.int64] | None:
        """Return the rows of the chunks in a scope, rising; None without a scope.

        Raises
        ------
        InvalidInputError
            When no page lies in the scope.
        """
        if scope is None:
            return None
        pages = scope if isinstance(scope, Scope) else Scope.of(scope)
        rows = np.array([r for r, page in enumerate(self._pages) if pages.covers(page)], np.int64)
        if len(rows) == 0:
            raise InvalidInputError(
                f"no page of the index lies in the scope {', '.join(pages.paths)}; "
                "scopes are page paths such as guide/keys"
            )
        return rows

    def search(
        self,
        question: str,
        k: int | None = None,
        *,
        scope: Scope | Iterable[str] | None = None,
        vectors: Vectors | None = None,
    ) -> tuple[RetrievedChunk, ...]:
        """Return the excerpts that a question is answered from, best first.

        Parameters
        ----------
        question
            Text; never query syntax.
        k
            How many; default: the lever GATE_K.
        scope
            Pages to search, or None for all.
        vectors
            The question's vector, if it is not to be embedded.

        Raises
        ------
        UsageError
            The question is blank or k is less than 1.
        """
        _check_question(question)
        if k is not None and k < 1:
            raise UsageError(f"k is {k}; expected 1 or more")
        known = self._vectors_of([question], vectors)
        findings = self.finder.find(question, known.get(question), self.rows_in(scope))
        return self._excerpts(fuse(findings, self.levers), known.get(question), k)

    def evaluate(
        self,
        question: str,
        *,
        previous: Sequence[str] = (),
        scope: Scope | Iterable[str] | None = None,
        vectors: Vectors | None = None,
    ) -> GateVerdict:
        """Return the gate's verdict on a question and the excerpts to answer it from.

        Parameters
        ----------
        question
            Text; never query syntax.
        previous
            The questions before it, oldest first.
        scope
            Pages within which it is asked, or None for all.
        vectors
            The question's vector, or a vector by text for every text of `wordings_of`, if they are
            not to be embedded.

        Raises
        ------
        UsageError
            A question is blank.
        InvalidInputError
            No page lies in the scope, or a vector is missing or of another width.
        """
        questions = [*previous, question]
        for one in questions:
            _check_question(one)
        known = self._vectors_of(questions, vectors)
        rows = self.rows_in(scope)
        judged = self.judge(questions, known, rows)
        pool = fuse(judged.won.findings, self.levers)
        manifest, unscoped = self.manifest, judged.would_pass_unscoped
        return GateVerdict(
            passes=judged.passes,
            score=self.gate.score(judged.won.findings),
            channel=CHANNELS[judged.channel],
            admissible=None if not previous else any(judged.last.counts(c) for c in (1, 2)),
            admitted_by=_admitted_by(judged.last, judged.channel),
            would_pass_unscoped=unscoped,
            threshold=judged.threshold,
            source=manifest.guard.source,
            mode=manifest.guard_mode,
            refuses=judged.refuses,
            cause=None if judged.passes else "out-of-scope" if unscoped else "no-evidence",
            closest_pages=self._closest_pages(pool),
            chunks=self._excerpts(pool, known.get(judged.won.text), None),
        )

    def judge(
        self,
        questions: Sequence[str],
        vectors: Mapping[str, NDArray[np.float32]],
        rows: NDArray[np.int64] | None,
    ) -> Judged:
        """Return the verdict on the last of some questions; evaluation judges here too.

        Parameters
        ----------
        vectors
            float32[dim] by text, for every text of `wordings_of`; ignored without vectors.
        rows
            The rows in scope, rising; None for all.
        """
        turns = self.look_at(questions, vectors, rows)
        total, channel = self.gate.score_turns(turns)
        won, threshold = turns[-1].wording(channel), self.gate.threshold
        assert won is not None  # the winning channel is there
        passes = unscoped = total >= threshold
        if rows is not None and not passes:
            unscoped = self.gate.score_turns(self.look_at(questions, vectors, None))[0] >= threshold
        return Judged(
            total=total,
            channel=channel,
            won=won,
            last=turns[-1],
            threshold=threshold,
            passes=passes,
            would_pass_unscoped=unscoped,
            refuses=self.gate.enforced and not passes,
        )

    def look_at(
        self,
        questions: Sequence[str],
        vectors: Mapping[str, NDArray[np.float32]],
        rows: NDArray[np.int64] | None,
    ) -> tuple[Turn, ...]:
        """Return what every turn finds; calibration and evaluation look here too."""
        with_z = self.manifest.dense_mode == "zscore"
        return look_at_turns(self.finder, questions, vectors, rows, with_z=with_z)

    def _vectors_of(
        self, questions: Sequence[str], given: Vectors | None
    ) -> Mapping[str, NDArray[np.float32]]:
        profile = self.manifest.profile
        if profile is None:
            return {}
        texts = wordings_of(questions)
        if isinstance(given, Mapping):
            known = {text: np.asarray(given[text], np.float32) for text in texts if text in given}
        elif given is not None:
            known = {questions[-1]: np.asarray(given, dtype=np.float32)}
        else:
            known = self._embedded(texts)
        for text in texts:
            if text not in known:
                raise InvalidInputError(f"no vector is given for the text {text!r}")
            if known[text].shape != (profile.dim,):
                raise InvalidInputError(
                    f"the vector of {text!r} has the shape {list(known[text].shape)}; the index "
                    f"holds vectors of {profile.dim} dimensions"
                )
        return known

    def _embedded(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        if self.embedder is None:
            raise UsageError(
                f"the index was embedded with {self.manifest.embedder}; open it with an embedder, "
                "or give the vectors of the questions"
            )
        return dict(zip(texts, self.embedder.embed_questions(texts), strict=True))

    def _closest_pages(self, pool: NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._pages[row] for row in pool.tolist()))[:_CLOSEST_PAGES]

    def _excerpts(
        self, pool: NDArray[np.int64], vector: NDArray[np.float32] | None, k: int | None
    ) -> tuple[RetrievedChunk, ...]:
        picked = self.ranked(pool, vector, self.levers.count("GATE_K") if k is None else k)
        cosines: dict[int, float] = {}
        if self._stored is not None and vector is not None and len(picked):
            scores = pair_scores(vector[None, :], self._stored, picked[None, :])[0]
            cosines = dict(zip(picked.tolist(), scores.tolist(), strict=True))
        return tuple(self._excerpt(group, cosines) for group in self.grouped(picked))

    def ranked(
        self, pool: NDArray[np.int64], vector: NDArray[np.float32] | None, k: int
    ) -> NDArray[np.int64]:
        """Return k rows of a pool in the order of the levers in force.

        Parameters
        ----------
        pool
            int64[FUSED], what `fuse` gives.
        vector
            float32[dim], of the wording that found the pool; None without vectors.
        """
        if self._stored is None or vector is None:
            return cap_pages(pool, k, self._pages, self.levers.count("PAGE_CAP"))
        return pick(
            pool,
            k,
            vector=vector,
            vectors=self._stored,
            lambda_=self.levers["MMR_LAMBDA"],
            by_cosine=bool(self.levers.count("DENSE_RERANK")),
        )

    def grouped(self, picked: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
        """Return every picked row with the neighbours that it brings."""
        below = self.levers.count("EXPAND_BELOW_TOKENS")
        return with_neighbours(picked.tolist(), self.chunks, below=below)

    def _excerpt(self, group: Sequence[int], cosines: Mapping[int, float]) -> RetrievedChunk:
        first, *more = (self.chunks[row] for row in group)
        return RetrievedChunk(
            id=first.id,
            page=first.page,
            title=first.title,
            text="\n\n".join([first.text, *(chunk.text for chunk in more)]),
            also=tuple(chunk.id for chunk in more),
            cosine=cosines.get(group[0]),
        )


def _check_question(question: str) -> None:
    if not question.strip():
        raise UsageError("a question is blank; ask something")


def _admitted_by(turn: Turn, channel: int) -> Any:
    wordings: list[Wording | None] = [turn.with_last, turn.with_last_two]
    if channel:
        wordings = [turn.wording(channel)]
    return next((w.admitted_by for w in wordings if w is not None and w.admitted_by), None)
