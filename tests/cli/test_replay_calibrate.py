"""``gnomon replay`` of a calibration and of a transfer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon import audit
from gnomon.retrieval.manifest import sealed
from tests.cli.test_calibrate import probes, write
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.probing import Gnomon

ENOUGH = (("U", 60), ("F", 40), ("N4", 30))
KEPT = Path(".gnomon/embeddings.sqlite")
CODES = {"identical": 0, "input_changed": 3, "not_replayable": 2}


@pytest.fixture(params=["lsa:3", None], ids=["vectors", "words alone"])
def calibrated(gnomon: Gnomon, request: pytest.FixtureRequest) -> str | None:
    """Build an index and calibrate it; return its embedder."""
    write_pages(Path("docs"))
    build(gnomon, request.param)
    write(probes(*ENOUGH))
    gnomon("calibrate", "--quiet")
    embedder: str | None = request.param
    return embedder


def build(gnomon: Gnomon, embedder: str | None, out: str = "gnomon/index") -> None:
    """Build the index of the pages."""
    how = ["--no-embed"] if embedder is None else ["--embedder", embedder]
    gnomon("index", "docs", "--out", out, *how, "--quiet")


def replayed(gnomon: Gnomon, verdict: str, *flags: object, seq: int = 1) -> dict[str, Any]:
    """Replay a record, check verdict and exit code, and return the JSON."""
    outcome = gnomon("replay", seq, *flags, "--json", "--quiet", code=CODES[verdict])
    assert outcome.json["verdict"] == verdict, outcome.json
    document: dict[str, Any] = outcome.json
    return document


def test_the_same_calibration_again(gnomon: Gnomon, calibrated: str | None) -> None:
    """To the bit, although the index now carries what was measured, and with no evidence kept."""
    build(gnomon, calibrated)
    Path(".gnomon/probe-evidence.json").unlink()
    document = replayed(gnomon, "identical")
    assert document["decision"] == document["recorded_decision"] == "measured"
    assert (document["changes"], document["changed_inputs"]) == ([], [])
    assert audit.verify(Path(".gnomon")).records == 1


def test_the_levers_are_the_recorded_ones(
    gnomon: Gnomon, calibrated: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the environment says today moves nothing."""
    monkeypatch.setenv("GNOMON_CANDIDATES", "1")
    monkeypatch.setenv("GNOMON_BOOST_TEXT", "0")
    replayed(gnomon, "identical")


@pytest.mark.parametrize(
    ("change", "role"),
    [
        (lambda: write(probes(("U", 60), ("F", 40), ("N4", 29))), "probes"),
        (lambda: Path("docs/guide/keys.md").write_text("# Keys\n\nNone.\n", "utf-8"), "index"),
    ],
    ids=["a probe less", "another page"],
)
def test_a_changed_input_is_named(
    gnomon: Gnomon, calibrated: str | None, change: Callable[[], object], role: str
) -> None:
    """With what is decided now."""
    change()
    build(gnomon, calibrated)
    document = replayed(gnomon, "input_changed")
    assert [name.partition(" ")[0] for name in document["changed_inputs"]] == [f"files.{role}"]


def test_vectors_that_are_gone_are_made_again(gnomon: Gnomon, calibrated: str | None) -> None:
    """By a model that runs here."""
    KEPT.unlink(missing_ok=True)
    replayed(gnomon, "identical")


@pytest.mark.parametrize("calibrated", ["lsa:3"], indirect=True)
def test_an_endpoint_is_not_asked(gnomon: Gnomon, calibrated: str | None) -> None:
    """Where its vectors are not kept, the record cannot be replayed, and the reason is given."""
    manifest = Path("gnomon/index/manifest.json")
    body = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps(sealed(body | {"embedder": "openai:some-model"})), "utf-8")
    KEPT.unlink()
    document = replayed(gnomon, "not_replayable")
    assert "a replay asks no endpoint (openai:some-model)" in document["reason"]


def test_a_transfer(gnomon: Gnomon) -> None:
    """Anchors are drawn and the window fitted as before."""
    write_pages(Path("docs"))
    build(gnomon, "lsa:3")
    build(gnomon, "lsa:4", "gnomon/other")
    write(probes(("U", 60), ("S", 60), ("F", 40), ("N4", 35)))
    gnomon("calibrate", "--quiet")
    gnomon("calibrate", "gnomon/other", "--transfer", "gnomon/calibration.json", "--quiet")
    build(gnomon, "lsa:4", "gnomon/other")
    assert replayed(gnomon, "identical", seq=2)["decision"] == "transferred"
    Path("gnomon/calibration.json").unlink()
    assert "as source" in replayed(gnomon, "not_replayable", seq=2)["reason"]


@pytest.mark.parametrize("part", ["levers", "incoming", "settings"])
@pytest.mark.parametrize("calibrated", [None], indirect=True)
def test_a_record_of_another_form_is_refused(
    gnomon: Gnomon, calibrated: str | None, part: str
) -> None:
    """A trail can be made by anybody."""
    first = audit.read_record(Path(".gnomon"), 1)
    audit.append(
        Path(".gnomon"),
        action="calibrate",
        inputs=first.inputs | {part: {"tau": []}},
        outputs=first.outputs,
        env=first.env,
    )
    outcome = gnomon("replay", 2, "--quiet", code=3)
    assert "record 2" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("calibrated", [None], indirect=True)
def test_what_was_measured_under_another_lever_fits_no_other(
    gnomon: Gnomon, calibrated: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment's lever stands in the calibration, and the index without it says so."""
    with monkeypatch.context() as moved:
        moved.setenv("GNOMON_CANDIDATES", "7")
        gnomon("calibrate", "--quiet")
    outcome = gnomon("index", "docs", "--no-embed", "--quiet")
    assert "CANDIDATES was 7 and is 30" in outcome.out + outcome.err
