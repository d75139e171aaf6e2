"""Looking probes up: one request for all vectors, misses by page, conversations aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.retrieval.docs import SubjectEmbedder, build, write_pages

from gnomon.calibration.gather import RawProbe, as_evidence, look_at_probes
from gnomon.calibration.ladder import measure_ladder
from gnomon.errors import InvalidInputError
from gnomon.golden.probes import Probe
from gnomon.retrieval.gate_score import standard_score
from gnomon.retrieval.index import Index
from gnomon.retrieval.turns import wordings_of
from gnomon.sources.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

PROBES = (
    Probe("u", "How do I rotate a key?", "U", gold_page="guide/keys"),
    Probe("f", "and then?", "F", ("How do I rotate a key?",), gold_page="nowhere"),
    Probe("s", "which calls are listed?", "S", scope=Scope.of(["admin"])),
)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Return an index with vectors."""
    build(write_pages(tmp_path / "docs"), tmp_path / "index", SubjectEmbedder())
    return Index.open(tmp_path / "index")


def looked_up(index: Index, probes: Sequence[Probe] = PROBES) -> tuple[RawProbe, ...]:
    """Look probes up."""
    embed = SubjectEmbedder().embed_questions
    return look_at_probes(index, probes, embed, lambda _done, _total: None)


def test_all_wordings_are_embedded_at_once(index: Index) -> None:
    """A service is asked in batches, each text once, and not probe by probe."""
    asked: list[list[str]] = []

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(list(texts))
        return SubjectEmbedder().embed_questions(texts)

    look_at_probes(index, PROBES, embed, lambda _done, _total: None)
    wanted = {t for p in PROBES for t in wordings_of((*p.previous, p.question))}
    assert len(asked) == 1
    assert sorted(asked[0]) == sorted(wanted)


def test_misses(index: Index) -> None:
    """A gold page within the first twenty of a channel is found; none named is not armed."""
    assert [raw.missed for raw in looked_up(index)] == [False, True, None]


def test_evidence_ends_at_the_last_turn(index: Index) -> None:
    """Shorter conversations are padded in front, where nothing counts."""
    raw = looked_up(index)
    evidence = as_evidence(PROBES, raw, dense_mode="cosine", ladder={})
    assert evidence.admissible.shape == (2, 3, 3)
    assert evidence.admissible[0, 0].tolist() == [False, True, False]
    assert evidence.admissible[1].T.tolist() == [
        [True, False, False],
        [True, True, False],
        [True, False, False],
    ]
    assert evidence.cosine[1, 1, 1] == np.float32(raw[1].turns[1].cosine[1])


def test_what_is_kept_comes_back(index: Index) -> None:
    """The cache's form loses nothing."""
    for raw in looked_up(index):
        assert RawProbe.from_list(raw.as_list()) == raw


def test_a_scope_without_pages_names_the_probe(index: Index) -> None:
    """So that it can be mended."""
    lost = Probe("x-1", "what?", "X", scope=Scope.of(["nope"]), line=7)
    with pytest.raises(InvalidInputError, match=r"probe 'x-1' \(line 7\): no page"):
        looked_up(index, [lost])


def test_ladder() -> None:
    """The median z of the best chunk over runs of whole pages, and over all."""
    pages = ["a", "a", "b", "b", "c", "c"]
    cosines = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.9]], dtype=np.float32)
    z = {best: standard_score(cosines[0], float(np.float32(best))) for best in (0.2, 0.4, 0.9)}
    ladder = measure_ladder(cosines, pages)
    assert ladder == pytest.approx({2: z[0.4], 6: z[0.9]})
    assert measure_ladder(cosines[:0], pages) == {}
