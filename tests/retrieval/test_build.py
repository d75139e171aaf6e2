"""Building an index: the same bytes for the same input, and only what still fits is inlined."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.retrieval.docs import PAGES, SubjectEmbedder, build, write_pages

from gnomon.errors import IndexFileError, InvalidInputError, MissingInputError
from gnomon.retrieval.build import read_source
from gnomon.retrieval.calibration_file import SCHEMA as CALIBRATION
from gnomon.retrieval.calibration_file import Footing
from gnomon.retrieval.guard import Guard
from gnomon.retrieval.index_files import CHUNKS, MANIFEST, VECTORS, read_chunks, read_manifest
from gnomon.retrieval.tuning_file import SCHEMA as TUNING

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.retrieval.manifest import Manifest


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def calibration_of(manifest: Manifest, path: Path, **changes: object) -> Path:
    """Write a calibration that fits an index but for some changes of its footing."""
    footing = Footing.of(manifest).as_dict() | changes
    guard = Guard(tau=0.55, tau_lexical=0.4, cos_floor=0.2, cos_ceil=0.6, source="calibrated")
    body = {"schema": CALIBRATION, "footing": footing, "guard": guard.as_dict()}
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


def tuning_of(manifest: Manifest, path: Path, **changes: object) -> Path:
    """Write a tuning that fits an index but for some changes."""
    body = {
        "schema": TUNING,
        "index_hash": manifest.hash,
        "embed_model": None if manifest.profile is None else manifest.profile.id,
        "fingerprint": None if manifest.profile is None else manifest.profile.fingerprint,
        "level": "ultra",
        "records": 60,
        "MMR_LAMBDA": 0.95,
        "GATE_K": 6,
        **changes,
    }
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


class TestBytes:
    """What is written."""

    def test_identical_input_gives_identical_bytes(self, tmp_path: Path) -> None:
        """In another folder, and over an index that was there."""
        docs = write_pages(tmp_path / "docs")
        for name in ("one", "other", "one"):
            build(docs, tmp_path / name, SubjectEmbedder())
        assert contents(tmp_path / "one") == contents(tmp_path / "other")

    def test_no_vectors(self, tmp_path: Path) -> None:
        """A lexical index has no vectors and no tau, also where there was one with vectors."""
        docs, out = write_pages(tmp_path / "docs"), tmp_path / "index"
        build(docs, out, SubjectEmbedder())
        built = build(docs, out, None)
        assert not (out / VECTORS).exists()
        assert (built.manifest.guard.tau, built.manifest.dense) == (None, False)

    def test_the_corpus_hash_moves_with_text_and_not_with_the_embedder(
        self, tmp_path: Path
    ) -> None:
        """Another model is the same corpus; another word is another one."""
        docs = write_pages(tmp_path / "docs")
        hashes = [build(docs, None, m).manifest.hash for m in (SubjectEmbedder(), None)]
        write_pages(docs, {"guide/keys.md": PAGES["guide/keys.md"].replace("day", "week")})
        hashes.append(build(docs, None, None).manifest.hash)
        assert (hashes[0] == hashes[1], hashes[1] == hashes[2]) == (True, False)

    def test_the_vocabulary_hash_moves_with_the_languages(self, tmp_path: Path) -> None:
        """Not with the pages, not with the embedder."""
        docs = write_pages(tmp_path / "docs")
        one = build(docs, None, None).manifest.vocab_hash
        assert build(docs, None, SubjectEmbedder()).manifest.vocab_hash == one
        assert build(docs, None, None, languages=("en", "de")).manifest.vocab_hash != one

    def test_a_dry_run_writes_nothing(self, tmp_path: Path) -> None:
        """The manifest is that of the real run."""
        docs = write_pages(tmp_path / "docs")
        dry = build(docs, None, SubjectEmbedder())
        real = build(docs, tmp_path / "index", SubjectEmbedder())
        assert dry.manifest == real.manifest

    def test_a_corpus_of_documents(self, tmp_path: Path) -> None:
        """A document is a chunk, its id the page; the folder may be named or the file."""
        rows = [{"_id": "d1", "title": "T", "text": "one"}, {"_id": "d2", "text": "two"}]
        file = tmp_path / "corpus.jsonl"
        file.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        for place in (file, tmp_path):
            assert [c.id for c in read_source(place).chunks] == ["d1", "d2"]


class TestInlining:
    """A measured value is used while what it was measured on is what is served."""

    def test_a_calibration_that_fits(self, tmp_path: Path) -> None:
        """Its guard is in force, and the run says so."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, SubjectEmbedder()).manifest
        path = calibration_of(manifest, tmp_path / "calibration.json")
        built = build(docs, None, SubjectEmbedder(), calibration=path)
        assert (built.manifest.guard.tau, built.manifest.guard.source) == (0.55, "calibrated")
        assert built.notes == (f"guard: calibrated, from {path}",)

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"corpus_hash": "0"}, "it was measured on other pages"),
            ({"vocab_hash": "0"}, "words are cut into terms in another way"),
            ({"fingerprint": "0", "embed_model": "m"}, "it was measured with m, the index is made"),
            ({"fingerprint": "0"}, "the index is made with another width or version of it"),
            ({"dense_mode": "zscore"}, "its dense mode is zscore, the index's cosine"),
            ({"levers": {}}, "CANDIDATES was unknown and is 30"),
        ],
    )
    def test_one_that_does_not(self, tmp_path: Path, changes: dict[str, object], said: str) -> None:
        """It is told in plain words, provisional values stay, and the index is built."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, SubjectEmbedder()).manifest
        path = calibration_of(manifest, tmp_path / "calibration.json", **changes)
        built = build(docs, tmp_path / "index", SubjectEmbedder(), calibration=path)
        assert built.manifest.guard == Guard()
        assert said in built.notes[0]
        assert "Provisional thresholds stay" in built.notes[0]

    @pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema": "gnomon.calibration/1"}'])
    def test_a_damaged_one(self, tmp_path: Path, content: str) -> None:
        """Documentation stays publishable."""
        docs, path = write_pages(tmp_path / "docs"), tmp_path / "calibration.json"
        path.write_text(content, encoding="utf-8")
        built = build(docs, tmp_path / "index", None, calibration=path)
        assert built.manifest.guard.source == "provisional"
        assert "run: gnomon calibrate; provisional thresholds stay" in built.notes[0]

    @pytest.mark.parametrize(
        ("name", "value"),
        [("tau", "0.5"), ("tau_lexical", None), ("cos_floor", 3), ("ladder", [1]), ("source", "?")],
    )
    def test_an_impossible_threshold(self, tmp_path: Path, name: str, value: object) -> None:
        """The calibration is dropped with the reason; what is in force can be compared with."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, SubjectEmbedder()).manifest
        path = calibration_of(manifest, tmp_path / "calibration.json")
        body = json.loads(path.read_text("utf-8"))
        body["guard"][name] = value
        path.write_text(json.dumps(body), encoding="utf-8")
        built = build(docs, None, SubjectEmbedder(), calibration=path)
        assert built.manifest.guard == Guard()
        assert "the calibration is damaged (" in built.notes[0]

    def test_tuning_keeps_a_calibration(self, tmp_path: Path) -> None:
        """MMR_LAMBDA and GATE_K move no verdict, so tune then index discards nothing."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, SubjectEmbedder()).manifest
        built = build(
            docs,
            None,
            SubjectEmbedder(),
            calibration=calibration_of(manifest, tmp_path / "calibration.json"),
            tuning=tuning_of(manifest, tmp_path / "tuning.json"),
        )
        assert built.manifest.guard.source == "calibrated"
        levers = built.manifest.levers
        assert (levers["MMR_LAMBDA"], levers["GATE_K"]) == (0.95, 6)
        assert levers.values["GATE_K"].source == "tuning"

    @pytest.mark.parametrize("variable", ["GNOMON_CANDIDATES", "GNOMON_BM25_K1"])
    def test_a_moved_lever_drops_a_calibration(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
    ) -> None:
        """The lever is named with both values."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, SubjectEmbedder()).manifest
        path = calibration_of(manifest, tmp_path / "calibration.json")
        monkeypatch.setenv(variable, "2")
        built = build(docs, None, SubjectEmbedder(), calibration=path)
        assert built.manifest.guard.source == "provisional"
        assert f"{variable[7:]} was" in built.notes[0]
        assert "and is 2" in built.notes[0]

    @pytest.mark.parametrize(
        ("key", "said"),
        [
            ("tau", "a threshold, which only calibrate measures"),
            ("CANDIDATES", "a lever that tune never sweeps"),
            ("GATE_K ", "no lever has this name"),
            ("MMR_LAMDA", "no lever has this name, it is a typing error; MMR_LAMBDA may be meant"),
        ],
    )
    def test_foreign_keys_of_a_tuning(self, tmp_path: Path, key: str, said: str) -> None:
        """They are dropped loudly, each with the right one of three reasons."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, None).manifest
        path = tuning_of(manifest, tmp_path / "tuning.json", **{key: 1})
        built = build(docs, None, None, tuning=path)
        assert len(built.notes) == 1
        assert f"{key} is dropped: it is {said}" in built.notes[0] or said in built.notes[0]
        assert built.manifest.levers["GATE_K"] == 6

    def test_a_flood_of_foreign_keys(self, tmp_path: Path) -> None:
        """Twenty are told, the rest counted; a name is cut."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, None).manifest
        foreign = {f"{'X' * 5000}{number}": 1 for number in range(50)}
        path = tuning_of(manifest, tmp_path / "tuning.json", **foreign)
        built = build(docs, None, None, tuning=path)
        assert len(built.notes) == 21
        assert built.notes[-1].endswith("30 more keys are dropped")
        assert max(map(len, built.notes)) < 1000

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"index_hash": "0"}, "tuned on other pages"),
            ({"embed_model": "m"}, "tuned with m, not none"),
            ({"schema": "gnomon.tuning/0"}, "its version is"),
        ],
    )
    def test_a_stale_tuning(self, tmp_path: Path, changes: dict[str, object], said: str) -> None:
        """It warns and the shipped levers stay; a missing one is silent."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, None).manifest
        path = tuning_of(manifest, tmp_path / "tuning.json", **changes)
        built = build(docs, None, None, tuning=path)
        assert said in built.notes[0]
        assert built.manifest.levers["GATE_K"] == 5
        assert build(docs, None, None, tuning=tmp_path / "none.json").notes == ()

    @pytest.mark.parametrize(
        ("lost", "said"),
        [
            (("GATE_K",), "it lacks GATE_K; run"),
            (("MMR_LAMBDA", "GATE_K"), "it lacks MMR_LAMBDA and GATE_K; run"),
        ],
    )
    def test_a_tuning_without_its_values(
        self, tmp_path: Path, lost: tuple[str, ...], said: str
    ) -> None:
        """Both were measured together, so one alone is not used, and neither is told."""
        docs = write_pages(tmp_path / "docs")
        path = tuning_of(build(docs, None, None).manifest, tmp_path / "tuning.json")
        body = json.loads(path.read_text("utf-8"))
        kept = {name: value for name, value in body.items() if name not in lost}
        path.write_text(json.dumps(kept), encoding="utf-8")
        built = build(docs, None, None, tuning=path)
        assert said in built.notes[0]
        assert built.manifest.tuning is None

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("{", "it is not JSON"),
            ("[" * 100_000, "it is not JSON"),
            ("[]", "it holds no JSON object"),
        ],
        ids=["cut", "deep", "array"],
    )
    def test_a_damaged_tuning(self, tmp_path: Path, content: str, said: str) -> None:
        """It warns like a stale one: pages must stay publishable."""
        docs = write_pages(tmp_path / "docs")
        path = tmp_path / "tuning.json"
        path.write_text(content, encoding="utf-8")
        built = build(docs, None, None, tuning=path)
        assert said in built.notes[0]
        assert built.notes[0].endswith("; run: gnomon tune")
        assert built.manifest.tuning is None

    @pytest.mark.parametrize(
        "changes",
        [
            {"GATE_K": 0},
            {"GATE_K": 10**400},
            {"GATE_K": 5.5},
            {"GATE_K": None},
            {"MMR_LAMBDA": 1.5},
            {"MMR_LAMBDA": True},
            {"MMR_LAMBDA": [1]},
        ],
    )
    def test_an_impossible_tuned_value(self, tmp_path: Path, changes: dict[str, object]) -> None:
        """The whole file is dropped, with the value; half a winner was never measured."""
        docs = write_pages(tmp_path / "docs")
        manifest = build(docs, None, None).manifest
        path = tuning_of(manifest, tmp_path / "tuning.json", **changes)
        built = build(docs, None, None, tuning=path)
        assert f"{next(iter(changes))} is" in built.notes[0]
        assert "is not used" in built.notes[0]
        levers = built.manifest.levers
        assert (levers["MMR_LAMBDA"], levers["GATE_K"]) == (1, 5)


class TestDamage:
    """Files are checked before they are believed."""

    def test_a_changed_chunk(self, tmp_path: Path) -> None:
        """The manifest names the hash of what was built."""
        out = tmp_path / "index"
        build(write_pages(tmp_path / "docs"), out, None)
        text = (out / CHUNKS).read_text("utf-8")
        (out / CHUNKS).write_text(text.replace("ten seconds", "two seconds"), encoding="utf-8")
        with pytest.raises(IndexFileError, match="not those that the manifest names"):
            read_chunks(out, read_manifest(out))

    @pytest.mark.parametrize(
        "line", ['{"id": "x', "{}", "[]", "[" * 100_000], ids=["cut", "no id", "array", "deep"]
    )
    def test_a_broken_chunk(self, tmp_path: Path, line: str) -> None:
        """It is named by its line."""
        out = tmp_path / "index"
        build(write_pages(tmp_path / "docs"), out, None)
        lines = (out / CHUNKS).read_text("utf-8").splitlines()
        lines[1] = line
        (out / CHUNKS).write_text("\n".join(lines), encoding="utf-8")
        with pytest.raises(IndexFileError, match=r"chunks\.jsonl: line 2: cannot be read \("):
            read_chunks(out, read_manifest(out))

    @pytest.mark.parametrize(
        "content", ["", "[1]", "{}", '{"schema": "gnomon.index/1"}', '{"schema": "other/9"}']
    )
    def test_a_damaged_manifest(self, tmp_path: Path, content: str) -> None:
        """The message says what to do."""
        (tmp_path / MANIFEST).write_text(content, encoding="utf-8")
        with pytest.raises(IndexFileError, match="build the index again"):
            read_manifest(tmp_path)

    def test_nothing_there(self, tmp_path: Path) -> None:
        """No index and no pages are told apart."""
        with pytest.raises(MissingInputError, match="build one with: gnomon index"):
            read_manifest(tmp_path)
        with pytest.raises(InvalidInputError, match="holds no Markdown page"):
            read_source(tmp_path)

    def test_the_manifest_survives_a_round_trip(self, tmp_path: Path) -> None:
        """What is read is what was written, ladder and all."""
        out = tmp_path / "index"
        built = build(write_pages(tmp_path / "docs"), out, SubjectEmbedder())
        assert read_manifest(out) == built.manifest
        guard = replace(built.manifest.guard, ladder={2: 1.0, 40: 2.5})
        assert Guard.from_dict(guard.as_dict()) == guard
