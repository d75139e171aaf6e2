"""Pages that replace another package: their programs run, and agree with it where it is there."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
PEERS = {
    "replace-faiss-indexflat.md": ("faiss",),
    "replace-langchain-ensemble.md": ("langchain_classic", "langchain_core"),
    "replace-langchain-mmr.md": ("langchain_core",),
    "replace-rank-bm25.md": ("rank_bm25",),
    "replace-ranx-fusion.md": ("ranx",),
}


def programs(page: str) -> list[tuple[str, str]]:
    """Return (heading, program) for every program of a page, in order."""
    heading, found = "", []
    text = (HOW_TO / page).read_text(encoding="utf-8")
    for title, code in re.findall(
        r"^## ([^\n]*)$|^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    ):
        heading = title or heading
        if code:
            found.append((heading, code))
    return found


def run(page: str, *, with_peer: bool) -> dict[str, Any]:
    """Run a page's programs in one namespace; without the peer those that don't need it."""
    names: dict[str, Any] = {}
    for heading, code in programs(page):
        needs_peer = heading == "They agree" or heading.startswith("With ")
        if with_peer or not needs_peer or heading == "With gnomon":
            exec(compile(code, f"{page}, {heading}", "exec"), names)
    return names


def test_every_page_is_here() -> None:
    """No page that replaces something goes untested."""
    assert sorted(PEERS) == sorted(page.name for page in HOW_TO.glob("replace-*.md"))


@pytest.mark.parametrize("page", sorted(PEERS))
def test_ours_runs_alone(page: str) -> None:
    """What a reader is told to write needs nothing but gnomon and NumPy, in ten lines or fewer."""
    assert "gn" in run(page, with_peer=False)
    ours = [code for heading, code in programs(page) if heading == "With gnomon"]
    assert max(len([line for line in code.splitlines() if line]) for code in ours) <= 10


@pytest.mark.parametrize("page", sorted(PEERS))
def test_the_page_agrees_with_its_peer(page: str) -> None:
    """The peer's program and ours give what the page says they give."""
    for package in PEERS[page]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed; the extra gnomon[bench] brings it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peers' own
        names = run(page, with_peer=True)
    assert any(heading == "They agree" for heading, _ in programs(page))
    assert "peer_ids" in names or "peer_scores" in names


def test_picks_avoid_near_twins() -> None:
    """Without LangChain too: no document is picked beside its twin as long as others are there."""
    ids = run("replace-langchain-mmr.md", with_peer=False)["ids"]
    assert len({row % 250 for row in ids}) == 10


def test_fusions_by_hand() -> None:
    """Without the peers too: the orders follow from the sums of weight / (60 + rank)."""
    ensemble = run("replace-langchain-ensemble.md", with_peer=False)["ids"]
    assert ensemble == ["d1", "d3", "d9", "d4", "d7", "d2", "d5"]
    scores = run("replace-ranx-fusion.md", with_peer=False)["scores"]
    assert scores["q1"]["c"] == pytest.approx(1 / 63 + 1 / 61, rel=1e-6)
    assert list(scores["q2"]) == ["e", "c", "a", "g"]


def test_lexical_hits_hold_a_word_of_the_question() -> None:
    """Without rank_bm25 too: the document with both words first, and none without either."""
    found = run("replace-rank-bm25.md", with_peer=False)["found"]
    assert found[0] == "Pressure in the pump falls"
    assert len(found) == 4
