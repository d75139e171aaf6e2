"""The figures that a forced centred Procrustes gives on the real collections.

They were computed beforehand by an independent float64 definition (tests/reference/probe.py holds
one); recalls agree within 0.002, ratios within 0.005.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from gnomon.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

RECALL, RATIO = 0.002, 0.005


@dataclass(frozen=True)
class Row:
    """One collection and model pair with everything that is expected of it."""

    collection: str
    old: str
    new: str
    recalls_seen: tuple[float, float, float, float, float]  # quo, naive, bridged, oracle, cascade
    gain: float
    arr_seen: float
    recalls_unseen: tuple[float, float]  # bridged, cascade
    arr: float
    rivals: float | None
    bridge: float
    cascade: tuple[float, float, float]  # cascade_arr, advantage, measured
    reuse: float
    decision: str
    arrangement: str
    interim: str
    flags: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Collection and models."""
        return f"{self.collection}-{self.old}-{self.new}"


WORDLLAMA, MINILM, GLOVE = "wordllama-256", "all-minilm-l6-v2", "glove-6b-50d"
LOSES = "loses"
BORDERLINE, STRADDLES, FEW = "borderline", "straddles", "few_queries"

TABLE = [
    Row(
        "cranfield",
        WORDLLAMA,
        MINILM,
        (0.3678, 0.0045, 0.3796, 0.4553, 0.4551),
        1.2377,
        0.8337,
        (0.3219, 0.4472),
        0.7071,
        0.7469,
        0.8752,
        (0.9340, 1.1561, 1.2158),
        0.9691,
        "full_reindex",
        "cascade",
        "stay",
        frozenset({LOSES}),
    ),
    Row(
        "cranfield",
        GLOVE,
        WORDLLAMA,
        (0.1200, 0.0046, 0.1390, 0.3678, 0.3497),
        3.0648,
        0.3780,
        (0.1154, 0.3353),
        0.3137,
        0.3244,
        0.9615,
        (0.7653, 2.3454, 2.7938),
        0.9689,
        "full_reindex",
        "cascade",
        "stay",
        frozenset({LOSES, BORDERLINE, STRADDLES, FEW}),
    ),
    Row(
        "cranfield",
        MINILM,
        "sre-minilm",
        (0.4553, 0.2586, 0.3280, 0.2101, 0.2117),
        0.4614,
        1.5612,
        (0.3254, 0.2117),
        1.5488,
        1.6316,
        0.7146,
        (1.2378, 0.5711, 0.4650),
        0.9690,
        "no_upgrade_needed",
        "single_stage",
        "stay",
        frozenset({FEW}),
    ),
    Row(
        "cranfield",
        MINILM,
        "all-minilm-l6-v2-int8",
        (0.4553, 0.4551, 0.4562, 0.4555, 0.4555),
        1.0004,
        1.0017,
        (0.4562, 0.4555),
        1.0017,
        0.9966,
        1.0021,
        (0.9992, 0.9996, 1.0004),
        0.9689,
        "no_upgrade_needed",
        "single_stage",
        "stay",
        frozenset({BORDERLINE}),
    ),
    Row(
        "medline",
        GLOVE,
        MINILM,
        (0.1307, 0.0060, 0.2425, 0.3592, 0.3552),
        2.7482,
        0.6751,
        (0.2198, 0.3515),
        0.6117,
        0.6043,
        1.6811,
        (0.8606, 2.3650, 2.6893),
        0.8297,
        "full_reindex",
        "single_stage",
        "bridge",
        frozenset({FEW}),
    ),
    Row(
        "mtrag",
        WORDLLAMA,
        MINILM,
        (0.8061, 0.0034, 0.7932, 0.8608, 0.8593),
        1.0679,
        0.9215,
        (0.7072, 0.8554),
        0.8215,
        0.8289,
        0.8773,
        (0.9880, 1.0551, 1.0612),
        0.9854,
        "full_reindex",
        "cascade",
        "stay",
        frozenset({LOSES}),
    ),
    Row(
        "mtrag",
        WORDLLAMA,
        "use-multilingual-v3",
        (0.8061, 0.0067, 0.7280, 0.8012, 0.8016),
        0.9940,
        0.9085,
        (0.6669, 0.7912),
        0.8324,
        0.8378,
        0.8274,
        (0.9723, 0.9665, 0.9816),
        0.9854,
        "no_upgrade_needed",
        "single_stage",
        "stay",
        frozenset({BORDERLINE}),
    ),
    Row(
        "scifact",
        WORDLLAMA,
        MINILM,
        (0.6869, 0.0000, 0.5635, 0.7661, 0.7518),
        1.1154,
        0.7355,
        (0.5059, 0.7422),
        0.6604,
        None,
        0.7365,
        (0.9231, 1.0296, 1.0806),
        0.9772,
        "full_reindex",
        "cascade",
        "stay",
        frozenset({LOSES}),
    ),
]


class Probe(Protocol):
    """Runs the command on a row's collection and returns the JSON that it prints."""

    def __call__(self, row: Row, *more: str) -> dict[str, Any]:
        """Run it."""


@pytest.fixture
def probe(shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Probe:
    """Give the command with a forced Procrustes and a trail of its own."""

    def run_probe(row: Row, *more: str) -> dict[str, Any]:
        command = ["probe", "--corpus", str(shared_data / row.collection)]
        command += ["--old", row.old, "--new", row.new, "--adapter", "procrustes"]
        command += ["--state-dir", str(tmp_path / ".gnomon"), "--json", "--quiet", *more]
        code = run(command)
        out, err = capsys.readouterr()
        assert code == 0, err
        result: dict[str, Any] = json.loads(out)
        return result

    return run_probe


def recall(result: dict[str, Any], ranking: str) -> float:
    """Return the recall of a ranking."""
    return float(result["rankings"][ranking]["recall"])


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_seen_pairs_give_the_published_recalls(row: Row, probe: Probe) -> None:
    """With --fit-scope seen all five rankings, the gain and ARR are the reference's."""
    result = probe(row, "--fit-scope", "seen")
    order = ("status_quo", "naive_swap", "bridged", "oracle", "cascade")
    for ranking, expected in zip(order, row.recalls_seen, strict=True):
        assert recall(result, ranking) == pytest.approx(expected, abs=RECALL), ranking
    assert result["metrics"]["upgrade_gain"]["value"] == pytest.approx(row.gain, abs=RATIO)
    assert result["metrics"]["arr"]["value"] == pytest.approx(row.arr_seen, abs=RATIO)
    assert "seen_fit" in {warning["code"] for warning in result["warnings"]}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_unseen_documents_give_the_published_decision(row: Row, probe: Probe) -> None:
    """By default the deciding figures, the decision and every flag are the reference's."""
    result = probe(row)
    metrics = result["metrics"]

    assert recall(result, "bridged") == pytest.approx(row.recalls_unseen[0], abs=RECALL)
    assert recall(result, "cascade") == pytest.approx(row.recalls_unseen[1], abs=RECALL)
    ratios = {
        "arr": row.arr, "arr_seen": row.arr_seen, "upgrade_gain": row.gain,
        "bridge_advantage": row.bridge, "cascade_arr": row.cascade[0],
        "cascade_advantage": row.cascade[1], "cascade_measured": row.cascade[2],
    }  # fmt: skip
    for name, expected in ratios.items():
        assert metrics[name]["value"] == pytest.approx(expected, abs=RATIO), name
    if row.rivals is None:
        assert metrics["arr_unseen_rivals"]["value"] is None
        assert metrics["arr_unseen_rivals"]["reason"]
    else:
        assert metrics["arr_unseen_rivals"]["value"] == pytest.approx(row.rivals, abs=RATIO)
    assert metrics["candidate_reuse"] == pytest.approx(row.reuse, abs=RECALL)
    assert metrics["cascade_embeddings_per_query"] == pytest.approx(
        200 * (1 - row.reuse), abs=200 * RECALL
    )

    verdict = (result["decision"], result["arrangement"], result["interim"])
    assert verdict == (row.decision, row.arrangement, row.interim)
    assert result["borderline"] == (BORDERLINE in row.flags)
    assert (result["decided_by"]["figure"] == "bridge_advantage") == (LOSES in row.flags)
    codes = {warning["code"] for warning in result["warnings"]}
    assert ("few_queries" in codes) == (FEW in row.flags)
    if STRADDLES in row.flags:
        assert result["interval_straddles_threshold"]
