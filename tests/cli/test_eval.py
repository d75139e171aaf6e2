"""``gnomon eval --gate-only``: reports, baselines, expectations, and nothing left in the trail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from gnomon import audit
from tests.cli.probing import assert_refused
from tests.retrieval.docs import write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

REPORT = Path("gnomon/reports/index-gate-only.json")
ROTATE = {
    "id": "g-rotate",
    "question": "How do I rotate a key?",
    "expect": "answer",
    "level": "low",
    "gold_chunks": ["guide/keys#rotate"],
}
RECORDS = (
    ROTATE,
    {
        "id": "g-follow",
        "question": "and what about that?",
        "prev_question": "How do I revoke a key?",
        "expect": "answer",
        "level": "medium",
        "gold_chunks": ["guide/keys"],
    },
    {
        "id": "g-scoped",
        "question": "which calls does the trail list?",
        "expect": "answer",
        "level": "high",
        "gold_chunks": ["admin"],
        "scope": {"kind": "section", "paths": ["/admin"]},
    },
    {
        "id": "g-absent",
        "question": "borscht with beetroot",
        "expect": "refuse:no-evidence",
        "level": "low",
    },
)


@pytest.fixture
def served(gnomon: Gnomon) -> Path:
    """Build an index without vectors, with a golden set beside it."""
    docs = write_pages(Path("docs"))
    gnomon("index", docs, "--no-embed", "--quiet")
    write(RECORDS)
    return Path("gnomon/index")


def write(records: tuple[dict[str, Any], ...]) -> Path:
    """Write the golden set where the configuration looks for it."""
    file = Path("gnomon/golden.jsonl")
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return file


@pytest.mark.usefixtures("served")
def test_a_run(gnomon: Gnomon) -> None:
    """Figures on stdout, a report in two forms, a record in the trail; all quiet on stderr."""
    outcome = gnomon("eval", "--gate-only", "--quiet")
    assert "recall@8                   1.0000" in outcome.out
    assert "No baseline: this is the first report of its pool here." in outcome.out
    assert outcome.err == ""
    body = json.loads(REPORT.read_text("utf-8"))
    assert (body["schema"], body["n_records"]) == ("gnomon.eval/1", 4)
    assert body["figures"]["negatives_caught"]["mean"] == 1.0
    assert [row["id"] for row in body["records"]] == [row["id"] for row in RECORDS]
    assert REPORT.with_suffix(".md").read_text("utf-8").startswith("# Retrieval and refusal\n")
    record = audit.read_record(Path(".gnomon"), 1)
    assert (record.action, record.outputs["n_records"]) == ("eval", 4)


@pytest.mark.usefixtures("served")
def test_json_is_the_report(gnomon: Gnomon) -> None:
    """One object, the same as the file but for where things are."""
    found = gnomon("eval", "--gate-only", "--json", "--quiet").json
    places = found.pop("files"), found.pop("audit")
    assert found == json.loads(REPORT.read_text("utf-8"))
    assert places[0]["report"] == str(REPORT)
    assert places[1]["seq"] == 1


@pytest.mark.usefixtures("served")
def test_the_same_again_moves_nothing(gnomon: Gnomon) -> None:
    """The last report of the same name is the baseline; two runs give the same figures."""
    first = gnomon("eval", "--gate-only", "--json", "--quiet").json
    again = gnomon("eval", "--gate-only", "--json", "--quiet").json
    assert again["figures"] == first["figures"]
    compared = again["comparison"]
    assert (compared["comparable"], compared["changed"]) == (True, [])
    assert {(one["n_better"], one["n_worse"]) for one in compared["differences"].values()} == {
        (0, 0)
    }


@pytest.mark.usefixtures("served")
def test_a_lever_that_moves_records(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison names the lever and the records."""
    gnomon("eval", "--gate-only", "--quiet")
    monkeypatch.setenv("GNOMON_GATE_K", "1")
    monkeypatch.setenv("GNOMON_EXPAND_BELOW_TOKENS", "0")
    found = gnomon("eval", "--gate-only", "--json", "--quiet").json["comparison"]
    assert found["changed"] == ["GATE_K 5 to 1", "EXPAND_BELOW_TOKENS 150 to 0"]
    precision = found["differences"]["retrieval_precision"]
    assert precision["n_better"] >= 1
    assert precision["better"][0]["id"].startswith("g-")
    assert found["differences"]["recall@8"]["n_worse"] == 0  # its own depth


@pytest.mark.usefixtures("served")
def test_narrowed_runs_have_names_of_their_own(gnomon: Gnomon) -> None:
    """Neither overwrites nor is compared with the full one."""
    gnomon("eval", "--gate-only", "--quiet")
    full = REPORT.read_bytes()
    outcome = gnomon("eval", "--gate-only", "--level", "low", "--limit", 1, "--quiet")
    assert "No baseline" in outcome.out
    narrowed = REPORT.with_name("index-gate-only-lvl-low-n1.json")
    assert json.loads(narrowed.read_text("utf-8"))["n_records"] == 1
    assert "**Narrowed pool: levels up to low, the first 1.**" in narrowed.with_suffix(
        ".md"
    ).read_text("utf-8")
    assert REPORT.read_bytes() == full


@pytest.mark.usefixtures("served")
def test_growing_the_top_keeps_the_history_below(gnomon: Gnomon) -> None:
    """A record that enters at ultra leaves the pool of low comparable, not the whole set."""
    gnomon("eval", "--gate-only", "--quiet")
    gnomon("eval", "--gate-only", "--level", "low", "--quiet")
    write((*RECORDS, {**ROTATE, "id": "g-new", "level": "ultra", "question": "turn a key daily?"}))
    low = gnomon("eval", "--gate-only", "--level", "low", "--quiet", "--json").json
    assert low["comparison"]["comparable"]
    whole = gnomon("eval", "--gate-only", "--quiet").out
    assert "Not compared with gnomon/reports/index-gate-only.json: what is scored of the" in whole


@pytest.mark.usefixtures("served")
def test_a_named_baseline(gnomon: Gnomon) -> None:
    """Compared when it fits, whatever it is called."""
    gnomon("eval", "--gate-only", "--quiet")
    kept = REPORT.rename("kept.json")
    outcome = gnomon("eval", "--gate-only", "--baseline", kept, "--quiet")
    assert "against kept.json; the same pages, model, gate and levers:" in outcome.out


@pytest.mark.usefixtures("served")
def test_a_named_baseline_of_another_pool(gnomon: Gnomon) -> None:
    """Refused with the reason, before anything is measured or written."""
    gnomon("eval", "--gate-only", "--level", "low", "--quiet")
    other = REPORT.with_name("index-gate-only-lvl-low.json")
    outcome = gnomon("eval", "--gate-only", "--baseline", other, "--quiet", code=3)
    assert_refused(outcome, "cannot be compared", "level low there, the whole set here")
    assert not REPORT.exists()


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("text", ["", "{}", "not JSON"])
def test_a_report_that_was_spoilt(gnomon: Gnomon, text: str) -> None:
    """Named, it is refused; found, the run goes on and says why it is not compared."""
    REPORT.parent.mkdir(parents=True)
    REPORT.write_text(text, encoding="utf-8")
    assert_refused(gnomon("eval", "--gate-only", "--baseline", REPORT, code=3), "is no report")
    assert "Not compared with" in gnomon("eval", "--gate-only", "--quiet").out


class TestExpectations:
    """--expect, its exit codes, and --junit."""

    @pytest.mark.usefixtures("served")
    def test_met(self, gnomon: Gnomon) -> None:
        """Exit 0."""
        flags = ("--expect", "recall@8>=0.9", "--expect", "over_refusal<=0", "--quiet")
        gnomon("eval", "--gate-only", *flags)

    @pytest.mark.usefixtures("served")
    def test_not_met(self, gnomon: Gnomon) -> None:
        """Exit 4 with what was not met, after the reports; stdout holds the result all the same."""
        flags = ("--expect", "recall@8>=0.9", "--expect", "mrr>1", "--junit", "junit.xml")
        outcome = gnomon("eval", "--gate-only", *flags, "--json", "--quiet", code=4)
        assert outcome.err == "not met: mrr>1: mrr is 1.0000, measured on 3 of 4 records\n"
        assert [one["met"] for one in outcome.json["expectations"]] == [True, False]
        cases = ET.parse("junit.xml").getroot().findall(".//testcase")
        assert [case.get("name") for case in cases] == [
            "recall@8>=0.9",
            "mrr>1",
            "scope containment",
        ]
        assert [case.find("failure") is not None for case in cases] == [False, True, False]

    @pytest.mark.usefixtures("served")
    def test_null_is_not_met(self, gnomon: Gnomon) -> None:
        """A set without scoped records does not show containment."""
        write(RECORDS[:1])
        flags = ("--expect", "scope_containment==1", "--quiet")
        assert (
            "no record has a scope_containment" in gnomon("eval", "--gate-only", *flags, code=4).err
        )

    def test_checked_first(self, gnomon: Gnomon) -> None:
        """Before the index is looked for."""
        outcome = gnomon("eval", "--gate-only", "--expect", "recall@9>=1", code=2)
        assert_refused(outcome, "did you mean recall@8?")
        outcome = gnomon("eval", "--gate-only", "--junit", "no/j.xml", code=2)
        assert_refused(outcome, "the folder no does not exist")


@pytest.mark.usefixtures("served")
def test_a_leak_is_refused(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 3, before any expectation: nothing out of scope may ever leave retrieval."""
    monkeypatch.setattr(
        "gnomon.evaluation.asking.fuse", lambda _findings, _levers: np.arange(6, dtype=np.int64)
    )
    flags = ("--expect", "recall@8>=2", "--junit", "junit.xml", "--quiet")
    outcome = gnomon("eval", "--gate-only", *flags, code=3)
    assert "chunks from outside their scope were given to 1 record;" in outcome.err
    failures = ET.parse("junit.xml").getroot().findall(".//failure")
    assert "g-scoped" in (failures[-1].text or "")


@pytest.mark.usefixtures("served")
def test_no_text_and_no_id_reaches_the_trail(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of questions nor of pages nor of records, after a comparison with moves too."""
    gnomon("eval", "--gate-only", "--quiet")
    monkeypatch.setenv("GNOMON_GATE_K", "1")
    gnomon("eval", "--gate-only", "--expect", "retrieval_precision>=2", "--quiet", code=4)
    trail = Path(".gnomon/audit.jsonl").read_bytes()
    for word in (b"borscht", b"rotate", b"g-", b"guide"):
        assert word not in trail
    assert audit.verify(Path(".gnomon")).records == 2


def test_with_vectors(gnomon: Gnomon) -> None:
    """The index's own model embeds the questions, by way of the cache."""
    gnomon("index", write_pages(Path("docs")), "--embedder", "lsa:3", "--quiet")
    write(RECORDS)
    found = gnomon("eval", "--gate-only", "--json", "--quiet").json
    assert found["index"]["embed_model"] == "lsa"
    assert found["figures"]["recall@8"]["n_measured"] == 3
    assert_refused(gnomon("eval", "--gate-only", "--embedder", "nope:", code=2), "is none of")


@pytest.mark.usefixtures("served")
def test_bad_input(gnomon: Gnomon) -> None:
    """A set with a bad line, a pool without records, a scope without pages: nothing is written."""
    write(({**ROTATE, "expect": "perhaps"}, *RECORDS[1:]))
    assert_refused(gnomon("eval", "--gate-only", "--quiet", code=3), "line 1", "perhaps")
    write(({**ROTATE, "level": "ultra"},))
    outcome = gnomon("eval", "--gate-only", "--level", "low", "--quiet", code=3)
    assert_refused(outcome, "its only record is not in the pool of level low")
    write(({**ROTATE, "scope": {"kind": "section", "paths": ["/nope"]}},))
    assert_refused(gnomon("eval", "--gate-only", "--quiet", code=3), "nope")
    assert not REPORT.parent.exists()


def test_nothing_there(gnomon: Gnomon) -> None:
    """No index, no golden set, no endpoint."""
    assert_refused(gnomon("eval", "--gate-only", code=3), "build one with: gnomon index")
    gnomon("index", write_pages(Path("docs")), "--no-embed", "--quiet")
    assert_refused(gnomon("eval", "--gate-only", code=3), "no such file")
    assert_refused(gnomon("eval", code=2), "--gate-only")


@pytest.mark.usefixtures("served")
def test_reports_elsewhere(gnomon: Gnomon) -> None:
    """--out beats the configuration; a file in the place of the folder is told before the work."""
    Path("gnomon.toml").write_text('reports = "elsewhere"\n', encoding="utf-8")
    gnomon("eval", "--gate-only", "--quiet")
    assert Path("elsewhere/index-gate-only.json").is_file()
    gnomon("eval", "--gate-only", "--out", "third/deep", "--quiet")
    assert Path("third/deep/index-gate-only.md").is_file()
    Path("file").write_text("", encoding="utf-8")
    for out in ("file", "file/deep"):
        outcome = gnomon("eval", "--gate-only", "--out", out, "--quiet", code=3)
        assert_refused(outcome, f"{out}: the folder cannot be made: file is a file")


@pytest.mark.parametrize(
    ("junit", "said"),
    [
        ("gnomon/golden.jsonl", "is read by this command and would be lost"),
        ("gnomon/index/manifest.json", "is read by this command and would be lost"),
        ("before.json", "is read by this command and would be lost"),
        ("gnomon/reports/index-gate-only.json", "expected a name that ends in .xml"),
    ],
)
@pytest.mark.usefixtures("served")
def test_junit_in_the_place_of_another_file(gnomon: Gnomon, junit: str, said: str) -> None:
    """Nothing that is read, and no report, is written over; links are followed."""
    gnomon("eval", "--gate-only", "--quiet")
    Path("before.json").write_bytes(REPORT.read_bytes())
    before = Path(junit).read_bytes()
    Path("link.xml").symlink_to(junit)
    flags = ("eval", "--gate-only", "--baseline", "before.json", "--quiet", "--junit")
    assert_refused(gnomon(*flags, junit, code=2), said)
    if "xml" not in said:
        assert_refused(gnomon(*flags, "link.xml", code=2), said)
    assert Path(junit).read_bytes() == before


@pytest.mark.usefixtures("served")
def test_a_limit_that_no_file_can_hold(gnomon: Gnomon) -> None:
    """It is refused as a flag, not after the work by the trail."""
    assert_refused(gnomon("eval", "--gate-only", "--limit", "9" * 20, code=2), "--limit")


@pytest.mark.usefixtures("served")
def test_a_report_that_cannot_be_written(gnomon: Gnomon) -> None:
    """The figures are in the trail all the same, and the message says where."""
    REPORT.mkdir(parents=True)
    outcome = gnomon("eval", "--gate-only", "--quiet", code=3)
    assert_refused(outcome, "is a folder", "gnomon audit show 1")
    assert audit.read_record(Path(".gnomon"), 1).outputs["figures"]["recall@8"]["mean"] == 1.0


def test_the_name_of_a_report_is_that_of_the_index(gnomon: Gnomon) -> None:
    """A link keeps its own name; a folder without one has that of where it is."""
    gnomon("index", write_pages(Path("docs")), "--out", "v17", "--no-embed", "--quiet")
    Path("gnomon").mkdir()
    write(RECORDS)
    Path("current").symlink_to("v17")
    gnomon("eval", "current", "--gate-only", "--quiet")
    assert Path("gnomon/reports/current-gate-only.json").is_file()
    gnomon("eval", "v17/.", "--gate-only", "--quiet")
    assert Path("gnomon/reports/v17-gate-only.json").is_file()
