"""What an evaluation over a golden set is asked to measure: an index and a pool of its records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon import audit
from gnomon.cli._index_facts import index_facts
from gnomon.errors import InvalidInputError
from gnomon.golden.levels import pool
from gnomon.golden.lint import check_golden
from gnomon.retrieval.index import Index
from gnomon.sources.escape import none_of
from gnomon.sources.files import shown
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.evaluation.result import Setup
    from gnomon.golden.records import GoldenRecord
    from gnomon.sources.fingerprint import FileFingerprint


@dataclass(frozen=True, slots=True)
class Asking:
    """What the command line names.

    Attributes
    ----------
    place, golden
        The folder of the index and the file of the golden set.
    level, limit
        How the set is narrowed.
    embedder
        The URI of what embeds questions; None for the index's own.
    seed
        Of the intervals' draws.
    """

    place: Path
    golden: Path
    level: str | None
    limit: int | None
    embedder: str | None
    seed: int

    @property
    def index_name(self) -> str:
        """The name of the index's folder, for the names of reports."""
        given = self.place.name
        return self.place.resolve().name if given in {"", ".."} else given


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """An index, the records to ask it, and the file that they came from."""

    index: Index
    records: tuple[GoldenRecord, ...]
    file: FileFingerprint

    def recorded(self, asking: Asking, setup: Setup, state_dir: Path) -> dict[str, Any]:
        """Return what the trail says went in: files by hash, settings, no text and no ids."""
        return {
            "golden": audit.file_entry(
                asking.golden,
                state_dir,
                sha256=self.file.sha256,
                size=self.file.size,
                rows=self.file.rows,
            ),
            "index": audit.shorten(asking.place, state_dir),
            "seed": asking.seed,
            **{key: value for key, value in setup.to_json().items() if key != "index"},
            "footing": dict(setup.index),
        }


def open_pool(asking: Asking) -> Pool:
    """Open the index, check the golden set against it and narrow it.

    Raises
    ------
    MissingInputError
        When there is no index or no golden set.
    InvalidInputError
        When lint finds errors in the set, or the pool is empty.
    """
    index = Index.open(asking.place, verify=True)
    every = check_golden(asking.golden, index_facts(index))
    records = pool(every, asking.level, asking.limit)
    if not records:
        raise InvalidInputError(
            f"{shown(asking.golden)}: {none_of(len(every), 'record', whose='its')} in the pool of "
            "level "
            f"{asking.level}; nothing can be measured on this pool"
        )
    return Pool(index, records, fingerprint(asking.golden, rows=len(every)))
