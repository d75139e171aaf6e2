"""The flags of ``gnomon eval`` that belong to a collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from gnomon.cli._options import place_type
from gnomon.cli._targets import check_targets
from gnomon.errors import UsageError
from gnomon.evaluation.collection_result import (
    CHANNELS,
    DEFAULT_DEPTH,
    DEFAULT_METRICS,
    measures_of,
)
from gnomon.sources.collection import resolve_collection
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.evaluation.collection_result import Channel
    from gnomon.metrics.named import Ties

_PATH = place_type
_OPTIONS = (
    click.option(
        "--collection", type=_PATH, metavar="DIR",
        help="Measure on a BEIR folder, not on a golden set.",
    ),
    click.option("--run", "run_file", type=_PATH, metavar="FILE", help="The TREC run to measure."),
    click.option(
        "--index", "collection_index", type=_PATH, metavar="DIR",
        help="The index of the collection to measure.",
    ),
    click.option(
        "--qrels", type=_PATH, metavar="FILE",
        help="Judgements, BEIR or TREC. [default: those of the collection]",
    ),
    click.option(
        "--metrics", metavar="NAMES",
        help=f"Separated by commas. [default: {','.join(DEFAULT_METRICS)}]",
    ),
    click.option(
        "--ties", type=click.Choice(["id", "trec"]),
        help="Order of equal scores: by rising id, or as trec_eval does. [default: id]",
    ),
    click.option(
        "--channel", type=click.Choice(CHANNELS),
        help="What of the index is measured. [default: fused]",
    ),
    click.option(
        "--depth", type=click.IntRange(1, 100_000), metavar="N",
        help=f"Documents a query from the index. [default: {DEFAULT_DEPTH}]",
    ),
    click.option(
        "--query-vectors", type=_PATH, metavar="FILE",
        help="Vectors of the queries, in the order of queries.jsonl.",
    ),
    click.option(
        "--run-out", type=_PATH, metavar="FILE", help="Write the index's run, as TREC has it."
    ),
    click.option(
        "--ignore-identical-ids", is_flag=True,
        help="Leave out results with the id of their query, as BEIR does.",
    ),
    click.option(
        "--per-query", type=_PATH, metavar="FILE", help="Write every value: metric, query, value."
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionFlags:
    """The flags of an evaluation on a collection, as given."""

    collection: Path | None
    run_file: Path | None
    collection_index: Path | None
    qrels: Path | None
    metrics: str | None
    ties: Ties | None
    channel: Channel | None
    depth: int | None
    query_vectors: Path | None
    run_out: Path | None
    per_query: Path | None
    ignore_identical_ids: bool

    @property
    def given(self) -> bool:
        """Whether any of them was given."""
        return any(getattr(self, name) not in {None, False} for name in self.__slots__)

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics in the spelling of the report."""
        names = DEFAULT_METRICS if self.metrics is None else self.metrics.split(",")
        return tuple(measure.name for measure in measures_of(name.strip() for name in names))

    def check(
        self, index_dir: Path | None, other: Sequence[str], embedder: str | None
    ) -> CollectionFlags:
        """Refuse flags that don't go together, and return them with the index that is meant.

        Parameters
        ----------
        index_dir
            The index given as an argument.
        other
            Flags of an evaluation on a golden set that were given.
        embedder
            What ``--embedder`` says.

        Raises
        ------
        UsageError
            Naming both sides.
        """
        if other:
            raise UsageError(
                f"{other[0]} belongs to a golden set, not to a collection; leave one of them out"
            )
        if index_dir is not None and self.collection_index is not None:
            raise UsageError(
                f"two indexes are named, {shown(index_dir)} and {shown(self.collection_index)}; "
                "keep one"
            )
        index = index_dir or self.collection_index
        if (self.run_file is None) == (index is None):
            raise UsageError("give either --run FILE or --index DIR: what is to be measured")
        if self.collection is None and (index is not None or self.qrels is None):
            missing = "an index needs" if index is not None else "a run needs"
            raise UsageError(
                f"{missing} --collection DIR{'' if index is not None else ', or --qrels FILE'}"
            )
        self._check_searching(index, embedder)
        self._check_written()
        values = {name: getattr(self, name) for name in self.__slots__}
        return CollectionFlags(**{**values, "collection_index": index})

    def read(self) -> tuple[Path, ...]:
        """Return the files and folders that are read.

        Raises
        ------
        GnomonError
            When the collection is no folder, or has no corpus.
        """
        files = None if self.collection is None else resolve_collection(self.collection)
        of_collection = () if files is None else (files.corpus, files.queries, files.qrels)
        named = (self.run_file, self.qrels, self.query_vectors, self.collection_index)
        return tuple(path for path in (*of_collection, *named) if path is not None)

    def _check_searching(self, index: Path | None, embedder: str | None) -> None:
        """Refuse flags of a search that isn't made, or that say the same thing twice."""
        of_index = {
            "--channel": self.channel,
            "--depth": self.depth,
            "--query-vectors": self.query_vectors,
            "--run-out": self.run_out,
            "--embedder": embedder,
        }
        given = [name for name, value in of_index.items() if value is not None]
        if index is None and given:
            raise UsageError(f"{given[0]} belongs to --index, not to --run")
        if self.channel == "served" and self.depth is not None:
            raise UsageError("served returns GATE_K documents; leave out --depth")
        if self.query_vectors is not None and (embedder is not None or self.channel == "bm25"):
            other = "--channel bm25 needs none" if embedder is None else "--embedder makes them"
            raise UsageError(f"--query-vectors gives vectors, and {other}; leave one of them out")

    def _check_written(self) -> None:
        """Refuse files that could not be written."""
        named = {"--run-out": self.run_out, "--per-query": self.per_query}
        written = {flag: file for flag, file in named.items() if file is not None}
        for flag, file in written.items():
            if not file.parent.is_dir():
                folder = shown(file.parent)
                raise UsageError(f"{flag} {shown(file)}: the folder {folder} does not exist")
        check_targets(written, self.read() if written else ())


def collection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of an evaluation on a collection."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
