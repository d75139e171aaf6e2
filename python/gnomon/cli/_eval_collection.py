"""``gnomon eval --collection``: a run, or an index, against the judgements of a collection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon import audit
from gnomon.cli._embedding import question_embedding
from gnomon.cli._eval_ending import Ending, end
from gnomon.cli._output import only_results_on_stdout, print_note
from gnomon.cli._progress import progress_shown
from gnomon.errors import InvalidInputError, MissingInputError, UsageError
from gnomon.evaluation.baseline import require_comparable
from gnomon.evaluation.collection import evaluate_run, judgements_hash
from gnomon.evaluation.collection_checks import (
    check_queries,
    notes_on_judgements,
    notes_on_run,
)
from gnomon.evaluation.collection_result import (
    DEFAULT_DEPTH,
    CollectionSetup,
    collection_facts,
    collection_result,
)
from gnomon.evaluation.collection_search import (
    Asked,
    check_channel,
    check_corpus,
    search_collection,
)
from gnomon.report.collection_markdown import (
    collection_lines,
    collection_markdown,
    per_query_table,
)
from gnomon.retrieval.index import Index
from gnomon.sources.atomic import write_text
from gnomon.sources.collection import resolve_collection
from gnomon.sources.corpus import read_corpus
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import shown
from gnomon.sources.fingerprint import fingerprint
from gnomon.sources.qrels import read_qrels
from gnomon.sources.queries import read_queries
from gnomon.sources.run_writing import write_run
from gnomon.sources.runs import read_run
from gnomon.sources.vectors import read_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.cli._collection_flags import CollectionFlags
    from gnomon.cli._configured import Configured
    from gnomon.evaluation.collection_result import Channel
    from gnomon.sources.collection import CollectionFiles
    from gnomon.sources.qrels import Qrels
    from gnomon.sources.runs import Run
    from gnomon.types import Progress

    Vectors = NDArray[np.float32]
_EMBED_BATCH: Final = 256


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """A run to measure, and where it came from."""

    run: Run
    qrels: Qrels
    setup: CollectionSetup
    notes: list[str]
    inputs: dict[str, Any] = field(default_factory=dict)


def measure_collection(
    flags: CollectionFlags,
    ending: Ending,
    settings: Configured,
    *,
    embedder: str | None,
    seed: int,
    quiet: bool,
) -> int:
    """Measure a run or an index on a collection, and return the exit code."""
    with only_results_on_stdout(), progress_shown("queries", quiet=quiet) as progress:
        files = None if flags.collection is None else resolve_collection(flags.collection)
        qrels = read_qrels(_qrels_file(flags, files))
        if flags.run_file is not None:
            measured = _from_file(flags, flags.run_file, files, qrels, ending.state_dir)
        else:
            measured = _from_index(
                flags, files, qrels, settings, embedder, progress, ending.state_dir
            )
        if ending.baseline is not None:
            require_comparable(measured.setup, ending.baseline)
        found = evaluate_run(measured.run, qrels, flags.metric_names, ties=flags.ties or "id")
        result = collection_result(found, measured.setup, seed=seed)
    if flags.run_out is not None:
        write_run(flags.run_out, measured.run)
        print_note(f"run: {shown(flags.run_out)}")
    if flags.per_query is not None:
        write_text(flags.per_query, per_query_table(result))
        print_note(f"per query: {shown(flags.per_query)}")
    return end(
        result,
        ending,
        inputs={**measured.inputs, "seed": seed},
        markdown=collection_markdown,
        lines=collection_lines,
        no_baseline="this is the first report of this run on this collection here",
        more={"collection": collection_facts(found, measured.setup, measured.notes)},
    )


def _qrels_file(flags: CollectionFlags, files: CollectionFiles | None) -> Path:
    if flags.qrels is not None:
        return flags.qrels
    assert files is not None  # one of the two is given
    if files.qrels is None:
        raise MissingInputError(
            f"{shown(files.root)}: has no judgements (qrels.tsv or qrels/test.tsv); name them with "
            "--qrels"
        )
    return files.qrels


def _from_file(
    flags: CollectionFlags,
    path: Path,
    files: CollectionFiles | None,
    qrels: Qrels,
    state_dir: Path,
) -> _Measured:
    run = read_run(path)
    check_queries(run, qrels)
    notes = []
    if run.n_out_of_order:
        notes.append(
            f"{counted(run.n_out_of_order, 'query does', 'queries do')} not stand in the order of "
            "the scores: scores rank, not the order of the file nor its ranks"
        )
    if files is not None:
        queries = None if files.queries is None else read_queries(files.queries).ids
        corpus = read_corpus(files.corpus).ids
        notes += notes_on_judgements(qrels, corpus, queries) + notes_on_run(run, corpus, queries)
    identical = run.identical_rows()
    if flags.ignore_identical_ids:
        run = run.without(identical)
    if len(identical):
        what = "left out" if flags.ignore_identical_ids else "counted like any other"
        named = "result has the id of its query", "results have the id of their query"
        notes.append(f"{counted(len(identical), *named)}: {what}")
    file = fingerprint(path, rows=len(run))
    entry = audit.file_entry(path, state_dir, sha256=file.sha256, size=file.size, rows=file.rows)
    name = path.name.removesuffix(".gz").removesuffix(".trec").removesuffix(".txt")
    facts = {"run": f"{run.tag} {file.sha256[:12]}"}
    setup, judged = _setup(flags, qrels, files, state_dir, name, file.sha256, facts)
    return _Measured(run, qrels, setup, notes, {"run": entry, **judged})


def _from_index(
    flags: CollectionFlags,
    files: CollectionFiles | None,
    qrels: Qrels,
    settings: Configured,
    embedder: str | None,
    progress: Progress,
    state_dir: Path,
) -> _Measured:
    place, channel, depth = flags.collection_index, flags.channel or "fused", flags.depth
    assert place is not None  # checked
    assert files is not None
    if files.queries is None:
        raise MissingInputError(
            f"{shown(files.root)}: has no queries.jsonl, so there is nothing to ask the index"
        )
    index = Index.open(place, verify=True)
    check_channel(index, place, channel)
    if not index.manifest.dense and (flags.query_vectors or embedder) is not None:
        raise UsageError(f"{shown(place)} has no vectors; leave out those of the queries")
    check_corpus(index, place, files.corpus)
    queries = read_queries(files.queries)
    notes = notes_on_judgements(qrels, read_corpus(files.corpus).ids, queries.ids)
    judged = set(qrels.query_ids)
    rows = [row for row, query in enumerate(queries.ids) if query in judged]
    texts = [queries.texts[row] for row in rows]
    if blank := sum(not text.strip() for text in texts):
        nothing = f"nothing is found for {by_number(blank, 'it', 'them')}"
        notes.append(f"{counted(blank, 'query has', 'queries have')} no text: {nothing}")
    vectors = None
    if index.manifest.dense and channel != "bm25":
        if flags.query_vectors is not None:
            vectors = _stored(flags.query_vectors, index, len(queries), files.queries)[rows]
        else:
            with question_embedding(index, place, embedder, settings) as embed:
                assert embed is not None  # the index has vectors
                vectors = _embedded(embed, texts, index)
    run = search_collection(
        index,
        Asked([queries.ids[row] for row in rows], texts, vectors),
        channel,
        depth or DEFAULT_DEPTH,
        progress,
        ignore_identical=flags.ignore_identical_ids,
    )
    facts = _facts_of(index, channel, depth)
    name = f"{place.resolve().name}-{channel}"
    setup, inputs = _setup(flags, qrels, files, state_dir, name, index.manifest.hash, facts)
    return _Measured(run, qrels, setup, notes, {"index": facts, **inputs})


def _facts_of(index: Index, channel: Channel, depth: int | None) -> dict[str, str]:
    """Return what a difference between two reports may come from, by name for a reader."""
    manifest = index.manifest
    return {
        "run": f"{channel} of {manifest.hash[:12]}",
        "depth": "GATE_K" if channel == "served" else str(depth or DEFAULT_DEPTH),
        "embedder": "none" if manifest.profile is None else manifest.profile.id,
        **{name: f"{lever.value:g}" for name, lever in index.levers.values.items()},
    }


def _setup(
    flags: CollectionFlags,
    qrels: Qrels,
    files: CollectionFiles | None,
    state_dir: Path,
    name: str,
    measured_hash: str,
    facts: dict[str, str],
) -> tuple[CollectionSetup, dict[str, Any]]:
    """Return what is measured on what, and what the trail says of the judgements."""
    file = fingerprint(qrels.path, rows=len(qrels))
    entry = audit.file_entry(
        qrels.path, state_dir, sha256=file.sha256, size=file.size, rows=file.rows
    )
    ties = flags.ties or "id"
    scored = {
        "judgements": judgements_hash(qrels),
        "ties": ties,
        "ignore_identical_ids": flags.ignore_identical_ids,
    }
    setup = CollectionSetup(
        index_name=name,
        index={"hash": measured_hash, "facts": facts},
        level=None,
        limit=None,
        golden_hash=audit.fingerprint(scored),
        collection=qrels.path.name.partition(".")[0]
        if files is None
        else files.root.resolve().name,
        ties=ties,
        ignores_identical=flags.ignore_identical_ids,
    )
    return setup, {"qrels": entry, "scored": scored}


def _stored(path: Path, index: Index, n_queries: int, queries: Path) -> Vectors:
    found = read_vectors(path, name="query vectors")
    profile = index.manifest.profile
    assert profile is not None  # the index has vectors
    if found.array.shape != (n_queries, profile.dim):
        raise InvalidInputError(
            f"{shown(path)}: holds vectors of the shape {list(found.array.shape)}; expected "
            f"[{n_queries}, {profile.dim}]: a row for each query of {shown(queries)}, from the "
            f"model of the index, {profile.id}"
        )
    return np.asarray(found.array, dtype=np.float32)


def _embedded(
    embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str], index: Index
) -> Vectors:
    """Return a vector for every text, zeros for a blank one."""
    assert index.manifest.profile is not None  # the index has vectors
    vectors = np.zeros((len(texts), index.manifest.profile.dim), np.float32)
    asked = [row for row, text in enumerate(texts) if text.strip()]
    for at in range(0, len(asked), _EMBED_BATCH):
        rows = asked[at : at + _EMBED_BATCH]
        vectors[rows] = embed([texts[row] for row in rows])
    return vectors
