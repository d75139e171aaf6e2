"""What ``gnomon probe --json`` prints, what the trail keeps of it, and what it never keeps."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnomon import audit
from tests.cli.probing import QUICK, SMALL, Gnomon, assert_refused, corpus_args, file_args
from tests.probe.collections import Collection, write_collection

RESULT = {
    "schema", "decision", "arrangement", "interim", "provisional", "provisional_reasons",
    "borderline", "interval_straddles_threshold", "decided_by", "neighbours", "queries_to_settle",
    "tier", "fit_scope", "k", "candidate_depth", "seed", "n_documents", "n_queries", "skipped",
    "metrics", "also", "rankings", "pairs_curve", "adapter", "candidates", "warnings", "rationale",
    "audit",
}  # fmt: skip
FIGURES = [
    "arr", "arr_seen", "arr_unseen_rivals", "upgrade_gain", "bridge_advantage",
    "cascade_arr", "cascade_advantage", "cascade_measured",
]  # fmt: skip
NUMBERS = ["candidate_reuse", "cascade_embeddings_per_query", "tail_arr"]
ALSO_FIGURES = ("gain_ndcg", "cascade_measured_ndcg")
ALSO = ["arr_mrr", "arr_ndcg", "overlap", "strict_overlap", "spearman"]
RANKINGS = ["status_quo", "naive_swap", "bridged", "cascade", "oracle"]

ROUTES = {
    "T1": (),
    "T1 chosen": ("--candidate-depth", "40"),
    "T1u": ("--tier", "T1u"),
    "T0": ("--tier", "T0"),
    "seen": ("--fit-scope", "seen"),
    "sampled": ("--sample", "60"),
    "no folds": ("--pairs", "20"),
    "deep": ("--k", "120", "--candidate-depth", "5000"),
    "shallow": ("--k", "1", "--candidate-depth", "1"),
}


@pytest.fixture(params=ROUTES.values(), ids=ROUTES)
def result(request: pytest.FixtureRequest, gnomon: Gnomon, small_collection: Path) -> Any:
    """Return the JSON of a probe; every tier, fit scope and extreme of k."""
    flags = ["--quiet", "--json", *request.param]
    if request.param != ROUTES["T1 chosen"]:
        flags += ["--adapter", "procrustes"]
    return gnomon("probe", *corpus_args(small_collection), *flags).json


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Return every value that is neither object nor list, with its path."""
    if isinstance(value, dict):
        return [leaf for name, one in value.items() for leaf in leaves(one, f"{path}.{name}")]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one, f"{path}[]")]
    return [(path, value)]


def test_the_keys_of_the_schema_are_there(result: dict[str, Any]) -> None:
    """gnomon.probe/1: a script may rely on each of them, at every tier."""
    assert set(result) >= RESULT
    assert next(iter(result.items())) == ("schema", "gnomon.probe/1")
    assert set(result["metrics"]) == {*FIGURES, *NUMBERS, "score_shift"}
    assert set(result["metrics"]["score_shift"]) >= {"before", "after", "p"}
    assert set(result["also"]) == {*ALSO, *ALSO_FIGURES}
    assert set(result["ties_at_k"]) == {"status_quo", "naive_swap", "bridged", "oracle"}
    assert list(result["rankings"]) == RANKINGS
    assert set(result["decided_by"]) == {"figure", "value", "threshold", "distance"}
    assert {"name", "rank", "n_pairs", "sha256"} <= set(result["adapter"])
    assert set(result["audit"]) == {"seq", "hash"}
    assert all(set(one) == {"code", "message"} for one in result["warnings"])


def test_every_figure_is_a_number_with_an_interval_or_says_why_not(result: dict[str, Any]) -> None:
    """A missing value or interval has a reason; an interval contains its value."""
    figures = [result["metrics"][name] for name in FIGURES]
    for figure in figures + [result["also"][name] for name in ALSO_FIGURES]:
        assert set(figure) == {"value", "ci", "reason"}
        if figure["value"] is None or figure["ci"] is None:
            assert figure["reason"]
        else:
            low, high = figure["ci"]
            assert low <= figure["value"] <= high
            assert figure["reason"] is None
    for name in RANKINGS:
        ranking = result["rankings"][name]
        assert set(ranking) == {"recall", "ndcg", "mrr", "ci"}
        assert set(ranking["ci"]) == {"recall", "ndcg", "mrr"}
        for metric, ci in ranking["ci"].items():
            assert ci is None or ci[0] <= ranking[metric] <= ci[1]


def test_every_other_null_of_a_measurement_has_a_reason(result: dict[str, Any]) -> None:
    """Plain numbers have no place for it, so ``reasons`` names them by their path."""
    measured = {name: result[name] for name in ("rankings", "interim")}
    measured["also"] = {name: result["also"][name] for name in ALSO}
    measured["ties_at_k"] = result["ties_at_k"]
    measured["metrics"] = {name: result["metrics"][name] for name in NUMBERS}
    measured["metrics"]["score_shift"] = result["metrics"]["score_shift"]["after"]
    missing = {path.removeprefix(".") for path, value in leaves(measured) if value is None}
    assert missing == set(result["reasons"])
    assert all(result["reasons"].values())
    for one in result["pairs_curve"]:
        assert (one["arr"] is not None and one["ci"] is not None) or one["reason"]


def test_no_number_is_nan_or_infinite(result: dict[str, Any]) -> None:
    """Everything outside JSON is null; flags are flags and counts are whole."""
    for path, value in leaves(result):
        assert isinstance(value, (str, bool, int, float, type(None))), path
        assert not isinstance(value, float) or math.isfinite(value), path
    for name in ("provisional", "borderline", "interval_straddles_threshold"):
        assert isinstance(result[name], bool)
    for name in ("k", "candidate_depth", "seed", "n_documents", "n_queries"):
        assert type(result[name]) is int
    assert all(type(count) is int for count in result["skipped"].values())


def test_a_depth_beyond_the_corpus_is_cut_and_reported(
    gnomon: Gnomon, small_collection: Path
) -> None:
    """N is what was measured, not what was asked for; the record keeps both."""
    flags = ["--adapter", "procrustes", "--quiet", "--json"]
    result = gnomon("probe", *corpus_args(small_collection), *flags).json
    assert result["candidate_depth"] == 120
    record = audit.read_record(Path(".gnomon"), 1)
    assert record.inputs["settings"]["candidate_depth"] == 200
    assert record.outputs["candidate_depth"] == 120


def test_the_record_holds_what_was_printed(gnomon: Gnomon, small_collection: Path) -> None:
    """Outputs are the printed object without ``audit``, to the bit."""
    result = gnomon("probe", *corpus_args(small_collection), *QUICK, "--json").json
    place = result.pop("audit")
    record = audit.read_record(Path(".gnomon"), place["seq"])
    assert record.outputs == result
    assert record.hash == place["hash"]
    assert record.action == "probe"
    assert audit.verify(Path(".gnomon")).ok


def test_the_record_says_what_was_read(gnomon: Gnomon, small_collection: Path) -> None:
    """Every file with path, size, rows and hash; models, settings, thresholds, environment."""
    gnomon("probe", *corpus_args(small_collection), *QUICK, "--seed", "7")
    record = audit.read_record(Path(".gnomon"), 1)
    files = record.inputs["files"]
    rows = {role: entry["rows"] for role, entry in files.items()}
    assert rows == {
        "old_docs": 120, "new_docs": 120, "old_queries": 30, "new_queries": 30,
        "docs": 120, "queries": 30, "qrels": sum(map(len, SMALL.judged)),
    }  # fmt: skip
    path = small_collection / "emb" / "old.corpus.npy"
    assert files["old_docs"]["bytes"] == path.stat().st_size
    assert all(re.fullmatch("[0-9a-f]{64}", entry["sha256"]) for entry in files.values())
    assert record.inputs["settings"]["seed"] == 7
    assert record.inputs["adapters"] == ["procrustes"]
    assert {"old", "new"} == set(record.inputs["models"])
    assert record.inputs["thresholds"]["upgrade_gain"] == 1.02
    for name in ("python", "numpy", "blas", "gnomon", "isa", "threads", "platform"):
        assert record.env[name], name


def test_the_record_counts_the_ids_of_a_part(gnomon: Gnomon, collection: Path) -> None:
    """Rows of --ids, --new-ids and of the vectors they name."""
    np.save(collection / "part.npy", SMALL.new_docs[:80])
    (collection / "part.txt").write_text("\n".join(SMALL.doc_ids[:80]), encoding="utf-8")
    (collection / "ids.txt").write_text("\n".join(SMALL.doc_ids), encoding="utf-8")
    part = {"new_docs": collection / "part.npy", "new_ids": collection / "part.txt"}
    args = file_args(collection, docs=None, ids=collection / "ids.txt", **part)
    gnomon("probe", *args, *QUICK)
    files = audit.read_record(Path(".gnomon"), 1).inputs["files"]
    assert (files["new_docs"]["rows"], files["new_ids"]["rows"]) == (80, 80)
    assert files["ids"]["rows"] == 120


class Telling(Collection):
    """A collection whose ids can be searched for."""

    @property
    def doc_ids(self) -> list[str]:
        """Ids that occur nowhere else."""
        return [f"document-zq{row}x" for row in range(len(self.old_docs))]

    @property
    def query_ids(self) -> list[str]:
        """Ids that occur nowhere else."""
        return [f"query-zq{row}x" for row in range(len(self.old_queries))]


@pytest.mark.parametrize("flags", [(), ("--tier", "T0"), ("--sample", "60")], ids=" ".join)
def test_the_trail_holds_no_id_no_text_and_no_user(
    gnomon: Gnomon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    """Neither of a document nor of a query, and no home folder."""
    home = tmp_path / "home" / "annabelle"
    monkeypatch.setenv("HOME", str(home))
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "annabelle")
    made = Telling(**vars(SMALL))
    folder = write_collection(made, home / "data")
    for name in ("corpus.jsonl", "queries.jsonl"):
        path = folder / name
        text = path.read_text(encoding="utf-8").replace('"text"}', '"very private words"}')
        path.write_text(text, encoding="utf-8")
    judged = (folder / "qrels.tsv").read_text(encoding="utf-8")
    renamed = re.sub(r"\td(\d+)\t", r"\tdocument-zq\1x\t", judged)
    (folder / "qrels.tsv").write_text(renamed, encoding="utf-8")

    assert "zq" in (folder / "corpus.jsonl").read_text(encoding="utf-8")
    gnomon("probe", *corpus_args(folder), *QUICK, "--report", "out.html", *flags)
    trail = (Path(".gnomon") / "audit.jsonl").read_text(encoding="utf-8")
    assert "zq" not in trail
    assert "private" not in trail
    assert "annabelle" not in trail
    assert str(tmp_path) not in trail
    assert "~/data/corpus.jsonl" in trail


def test_threads_change_nothing_that_is_printed_or_recorded(
    gnomon: Gnomon, small_collection: Path
) -> None:
    """But the environment of the record."""
    for threads in (1, 2, 7):
        gnomon("probe", *corpus_args(small_collection), *QUICK, "--threads", threads)
    records = [audit.read_record(Path(".gnomon"), seq) for seq in (1, 2, 3)]
    assert [record.env["threads"] for record in records] == [1, 2, 7]
    first = records[0]
    assert all(one.outputs == first.outputs for one in records)
    assert all(one.inputs == first.inputs for one in records)


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["text", "json"])
def test_an_unexpected_decision_is_exit_4_with_result_and_record(
    gnomon: Gnomon, small_collection: Path, flags: list[str]
) -> None:
    """Only the exit code says that the expectation failed."""
    right = gnomon("probe", *corpus_args(small_collection), *QUICK, "--json").json["decision"]
    wrong = "no_upgrade_needed" if right != "no_upgrade_needed" else "caution"
    expect = ["--expect", f"{wrong}, bridge_sufficient" if right != "bridge_sufficient" else wrong]
    outcome = gnomon("probe", *corpus_args(small_collection), *QUICK, *flags, *expect, code=4)
    assert right in outcome.out
    assert f"the decision is {right}" in outcome.err
    assert wrong in outcome.err
    assert "Traceback" not in outcome.err
    if flags:
        assert outcome.json["decision"] == right
    assert audit.read_record(Path(".gnomon"), 2).decision == right
    met = ["--expect", f"{wrong},{right}"]
    gnomon("probe", *corpus_args(small_collection), *QUICK, *flags, *met, code=0)


def test_stdout_is_one_document_whatever_libraries_print(small_collection: Path) -> None:
    """Progress and the noise of imports go to stderr; the document is ASCII."""
    code = (
        "import sys, numpy as np, os\n"
        "from gnomon.cli import main\n"
        "from gnomon.probe import gather\n"
        "read = gather.read_vectors\n"
        "def noisy(*args, **kwargs):\n"
        "    print('welcome to the library!'); os.write(1, b'raw bytes\\n')\n"
        "    return read(*args, **kwargs)\n"
        "gather.read_vectors = noisy\n"
        "sys.exit(main.run(sys.argv[1:]))"
    )
    args = [*corpus_args(small_collection), "--adapter", "procrustes", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", code, "probe", *args, "--state-dir", "/dev/null/x"],
        capture_output=True, text=True, check=False, env=dict(os.environ), timeout=60,
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stdout == ""
    state = small_collection.parent / "state-of-noise"
    done = subprocess.run(
        [sys.executable, "-c", code, "probe", *args, "--state-dir", str(state)],
        capture_output=True, text=True, check=False, env=dict(os.environ), timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schema"] == "gnomon.probe/1"
    assert done.stdout.isascii()
    assert done.stderr.count("welcome") == 4
    assert done.stderr.count("raw bytes") == 4
    assert "measuring: 100%" in done.stderr


def test_hostile_names_of_models_do_nothing_to_the_terminal(
    gnomon: Gnomon, collection: Path
) -> None:
    """Names come from a JSON file beside the vectors."""
    name = "\x1b[2J\u202e<script>[bold]"
    for model, dim in (("old", 24), ("new", 32)):
        path = collection / "emb" / f"{model}.json"
        path.write_text(json.dumps({"dim": dim, "model": name}), encoding="utf-8")
    text = gnomon("probe", *corpus_args(collection), *QUICK).out
    assert r"\x1b[2J\u202e<script>[bold]" in text
    assert not set(text) & set("\x1b\u202e")
    document = gnomon("probe", *corpus_args(collection), *QUICK, "--json")
    assert document.out.isascii()
    assert document.json["models"]["old"]["id"] == name


def test_a_known_model_without_its_prefix_is_warned_about(gnomon: Gnomon, collection: Path) -> None:
    """A missing prefix raises no error anywhere; it only makes the model look weak."""
    path = collection / "emb" / "new.json"
    profile = {"dim": 32, "model": "intfloat/e5-small-v2", "query_prefix": "query: "}
    path.write_text(json.dumps(profile), encoding="utf-8")
    outcome = gnomon("probe", *corpus_args(collection), *QUICK, "--json")
    warned = [one for one in outcome.json["warnings"] if one["code"] == "missing_prefix"]
    assert len(warned) == 1
    assert "document" in warned[0]["message"]
    assert audit.read_record(Path(".gnomon"), 1).outputs["warnings"] == outcome.json["warnings"]
    assert "missing_prefix" in gnomon("probe", *corpus_args(collection), *QUICK).out


def test_draws_without_a_denominator_are_counted(gnomon: Gnomon, tmp_path: Path) -> None:
    """With one query in three found by staying, a few draws hold none of them."""
    asked = [next(iter(one)) for one in SMALL.judged[:6]]
    few = replace(
        SMALL, judged=[{row: 1} for row in asked], new_queries=SMALL.new_docs[asked],
        old_queries=np.concatenate([SMALL.old_docs[asked[:2]], -SMALL.old_docs[asked[2:]]]),
    )  # fmt: skip
    folder = write_collection(few, tmp_path / "few")
    result = gnomon("probe", *corpus_args(folder), *QUICK, "--json", "--k", "2").json
    dropped = result["dropped_draws"]
    assert set(dropped) == {"status_quo.recall"}
    assert 0 < dropped["status_quo.recall"] < 1_000


def test_a_query_log_of_one_query_is_measured_without_intervals(
    gnomon: Gnomon, tmp_path: Path
) -> None:
    """One query shows no spread: null with a reason, never NaN."""
    judged = SMALL.judged[:1]
    one = replace(
        SMALL, judged=judged, old_queries=SMALL.old_queries[:1], new_queries=SMALL.new_queries[:1]
    )
    folder = write_collection(one, tmp_path / "one")
    result = gnomon("probe", *corpus_args(folder), *QUICK, "--json").json
    assert result["n_queries"] == 1
    for name in FIGURES:
        assert result["metrics"][name]["ci"] is None
        assert result["metrics"][name]["reason"]


def test_a_new_model_that_finds_nothing_gives_null_or_a_decision(
    gnomon: Gnomon, tmp_path: Path
) -> None:
    """The oracle's recall is 0: ratios over it are null, the gain of 0 decides."""
    worst = replace(SMALL, new_queries=-SMALL.new_docs[[next(iter(one)) for one in SMALL.judged]])
    folder = write_collection(worst, tmp_path / "worst")
    result = gnomon("probe", *corpus_args(folder), *QUICK, "--json", "--k", "2").json
    assert result["decision"] == "no_upgrade_needed"
    assert result["metrics"]["arr"]["value"] is None
    assert "0" in result["metrics"]["arr"]["reason"]
    blind = replace(SMALL, old_queries=-SMALL.old_docs[[next(iter(one)) for one in SMALL.judged]],
                    new_queries=worst.new_queries)  # fmt: skip
    folder = write_collection(blind, tmp_path / "blind")
    outcome = gnomon("probe", *corpus_args(folder), *QUICK, "--json", "--k", "2", code=3)
    assert_refused(outcome, "measured")
