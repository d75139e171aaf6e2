"""Calibrate the gate on collections whose questions people have labelled, and print the table.

    python bench/gate_collections.py ../shared/data

The folder holds ``gate/TARGET.questions.jsonl`` (``text``, ``kind``, ``origin``, ``origin_id``)
and, for every target and origin, a corpus, queries and stored vectors. Nothing is embedded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.calibration.workflow import Options, calibrate
from gnomon.embedding.profile import Profile
from gnomon.golden.probes import Probe
from gnomon.kernels import Analyzer
from gnomon.retrieval.build import Plan, build_index, read_source
from gnomon.retrieval.index import Index

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gnomon.rules.gate_values import Stratum

TARGETS: Final = ("squad2", "mtrag", "fastapi-docs")
MODELS: Final = ("wordllama-256", "use-multilingual-v3", "all-minilm-l6-v2", "all-mpnet-base-v2")
STRATUM_OF: Final[Mapping[str, Stratum]] = {
    "answerable": "U",
    "plausible-but-absent": "N2",
    "adjacent": "N1",
    "adjacent-product": "N1",
    "off-domain-technical": "N3",
    "off-domain-general": "N4",
}


class RowsInOrder:
    """Stored vectors of a corpus, handed out in its order."""

    def __init__(self, profile: Profile, vectors: NDArray[np.generic]) -> None:
        self.profile, self._vectors, self._next = profile, vectors, 0

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the next rows."""
        first, self._next = self._next, self._next + len(texts)
        return np.asarray(self._vectors[first : self._next], dtype=np.float32)

    embed_questions = embed_documents


def calibrated(data: Path, target: str, model: str, *, strict: bool = False) -> dict[str, Any]:
    """Return the calibration of a target with a model, as JSON values."""
    vectors = np.load(data / target / "emb" / f"{model}.corpus.npy")
    probes, known = labelled(data, target, model)
    with tempfile.TemporaryDirectory() as folder:
        build_index(
            read_source(data / target),
            Path(folder),
            Plan(Analyzer(), ("en",), "cosine", "off", None, None, {}),
            uri=f"precomputed:{model}",
            embedder=RowsInOrder(Profile(model, vectors.shape[1]), vectors),
            cache=None,
            progress=lambda _done, _total: None,
        )
        result = calibrate(
            Index.open(folder),
            probes,
            lambda texts: np.stack([known[text] for text in texts]),
            None,
            Options(strict=strict),
            lambda _done, _total: None,
            probes_hash="0" * 64,
        )
    return result.to_json()


def labelled(
    data: Path, target: str, model: str
) -> tuple[list[Probe], dict[str, NDArray[np.float32]]]:
    """Return the labelled questions with a stored vector, each text once, and their vectors."""
    probes: list[Probe] = []
    known: dict[str, NDArray[np.float32]] = {}
    stored: dict[str, dict[str, NDArray[np.generic]]] = {}
    text = (data / "gate" / f"{target}.questions.jsonl").read_text(encoding="utf-8")
    for question in map(json.loads, text.splitlines()):
        stratum = STRATUM_OF.get(question["kind"])
        origin = question["origin"]
        if origin not in stored:
            stored[origin] = _query_vectors(data / origin, model)
        vector = stored[origin].get(question["origin_id"])
        if stratum is None or vector is None or question["text"] in known:
            continue
        known[question["text"]] = np.asarray(vector, dtype=np.float32)
        probes.append(Probe(question["_id"], question["text"], stratum))
    return probes, known


def _query_vectors(folder: Path, model: str) -> dict[str, NDArray[np.generic]]:
    vectors = folder / "emb" / f"{model}.queries.npy"
    if not vectors.exists():
        return {}
    plain = folder / "queries.jsonl"
    content = (
        plain.read_bytes()
        if plain.exists()
        else gzip.decompress((folder / "queries.jsonl.gz").read_bytes())
    )
    ids = [json.loads(line)["_id"] for line in content.decode("utf-8").splitlines()]
    return dict(zip(ids, np.load(vectors), strict=True))


def row_of(target: str, model: str, found: dict[str, Any]) -> str:
    """Return the table's row of one calibration."""
    if found["guard"] is None:
        why = "; ".join(f"`{f['code']}`" for f in found["failures"])
        if found["too_few"]:
            bound = next(b for b in found["bounds"] if b["stratum"] == "U")
            why += f", too few: {bound['n']} of U, UB95 {bound['upper_at_zero']:.3f}"
        return f"| {target} | {model} | none: {why} | | | | | |"
    guard, strata, held = found["guard"], found["chosen"]["strata"], found["validation"] or {}

    def of(cells: Mapping[str, Any], stratum: str) -> str:
        cell = cells.get(stratum)
        return "" if cell is None else f"{cell['refused']} of {cell['n']}"

    upper = f"{held['U']['ub95']:.3f}" if "U" in held else ""
    window = f"{guard['cos_floor']:.2f} to {guard['cos_ceil']:.2f}, tau {guard['tau']:.2f}"
    cells = [of(strata, s) for s in ("U", "N2", "N3", "N4")]
    return f"| {target} | {model} | {window} | {' | '.join(cells)} | {of(held, 'U')}, {upper} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    print("| pages | model | window and tau | U | N2 | N3 | N4 | U held out, UB95 |")
    print("|---|---|---|---|---|---|---|---|")
    for target in TARGETS:
        for model in MODELS:
            if (data / target / "emb" / f"{model}.corpus.npy").exists():
                print(row_of(target, model, calibrated(data, target, model)))


if __name__ == "__main__":
    main()
