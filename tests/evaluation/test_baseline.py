"""An earlier report: whether it may be compared, and what moved since."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.evaluation.test_result import result, row, setup

from gnomon.errors import InvalidInputError, MismatchError, MissingInputError
from gnomon.evaluation.baseline import (
    MOST_NAMED,
    compare,
    comparison_json,
    read_baseline,
    require_comparable,
    why_not,
)
from gnomon.evaluation.result import METRIC_VERSION, SCHEMA, EvaluationResult
from gnomon.stats.resampling import resample_queries

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.evaluation.baseline import Baseline


def written(folder: Path, found: EvaluationResult, **changes: Any) -> Path:
    """Write the report of a result as eval does, with changes."""
    file = folder / "report.json"
    body = {"schema": SCHEMA, **found.to_json(), **changes}
    file.write_text(json.dumps(body), encoding="utf-8")
    return file


def before(folder: Path, found: EvaluationResult, **changes: Any) -> Baseline:
    """Return a result's report as a baseline."""
    return read_baseline(written(folder, found, **changes))


def test_a_report_comes_back(tmp_path: Path) -> None:
    """With its values by record, nulls left out."""
    found = before(tmp_path, result(row("a", 0.5, 0.0), row("b", None, 1.0)))
    assert found.values == {"recall@8": {"a": 0.5}, "over_refusal": {"a": 0.0, "b": 1.0}}
    assert why_not(setup(), found) == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"level": "low"}, "the pool differs: the whole set there, level low here"),
        ({"limit": 5}, "the pool differs: the whole set there, the whole set, the first 5 here"),
        ({"golden_hash": "c" * 64}, "what is scored of the golden set differs"),
        ({"prompt_hash": "d" * 64}, "the prompt differs: no prompt there, prompt dddddddd here"),
    ],
)
def test_what_must_agree(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    """Pool, golden set and prompt; a baseline that was named is refused with the reason."""
    found = before(tmp_path, result(row("a", 0.5)))
    now = setup(**changes)
    assert why_not(now, found) == (said,)
    with pytest.raises(MismatchError, match=r"--baseline .*report.json cannot be compared"):
        require_comparable(now, found)


def test_older_measures(tmp_path: Path) -> None:
    """A measure that was defined in another way is another measure."""
    found = before(tmp_path, result(row("a", 0.5)), metric_version=METRIC_VERSION + 1)
    assert "the measures are of version" in why_not(setup(), found)[0]


def test_index_model_and_levers_may_differ(tmp_path: Path) -> None:
    """That is what is compared; the comparison says what changed."""
    was = {"hash": "a" * 64, "levers": {"GATE_K": {"value": 5, "source": "default"}}}
    now = {"hash": "e" * 64, "levers": {"GATE_K": {"value": 8.0, "source": "tuning"}}}
    found = before(tmp_path, result(row("a", 0.5), index=was))
    compared = comparison_json(result(row("a", 0.5), index=now), found)
    assert compared["comparable"]
    assert compared["changed"] == ["pages", "GATE_K 5 to 8"]


def test_differences_are_paired(tmp_path: Path) -> None:
    """Over the records that both measured, with the interval of the paired bootstrap."""
    was = result(row("a", 0.0), row("b", 0.5), row("c", 1.0), row("gone", 1.0), row("d", 1.0))
    now = result(row("a", 1.0), row("b", 1.0), row("c", 0.25), row("new", 1.0), row("d", 1.0))
    found = compare(now, before(tmp_path, was))["recall@8"]
    assert (found.n_pairs, found.better, found.worse) == (4, ("a", "b"), ("c",))
    columns = {"now": np.array([1.0, 1.0, 0.25, 1.0]), "was": np.array([0.0, 0.5, 1.0, 1.0])}
    assert found.figure == resample_queries(columns, seed=0).difference_figure("now", "was")
    assert found.figure.value == 0.1875


def test_better_is_lower_where_it_is(tmp_path: Path) -> None:
    """A record that is no longer refused got better."""
    was = result(row("a", None, 1.0), row("b", None, 0.0))
    now = result(row("a", None, 0.0), row("b", None, 1.0))
    found = compare(now, before(tmp_path, was))["over_refusal"]
    assert (found.better, found.worse) == (("a",), ("b",))


def test_a_measure_that_is_new(tmp_path: Path) -> None:
    """Nothing to pair is no difference, with the reason."""
    found = compare(result(row("a", 1.0)), before(tmp_path, result(row("a", None))))["recall@8"]
    assert (found.figure.value, found.n_pairs) == (None, 0)
    assert "in both reports" in (found.figure.reason or "")


def test_not_too_many_are_named(tmp_path: Path) -> None:
    """All are counted, the ten that moved most are named."""
    was = result(*(row(f"r{i}", 0.0) for i in range(30)))
    now = result(*(row(f"r{i}", (i + 1) / 30) for i in range(30)))
    found = comparison_json(now, before(tmp_path, was))["differences"]["recall@8"]
    assert (found["n_better"], found["n_worse"], len(found["better"])) == (30, 0, MOST_NAMED)
    assert found["better"][0] == {"id": "r29", "was": 0.0, "now": 1.0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "its schema is None"),
        ('{"schema": "gnomon.probe/1"}', "its schema is 'gnomon.probe/1'"),
        (f'{{"schema": "{SCHEMA}"}}', "the report is damaged ('records' is missing)"),
        ("[" * 5000, "not JSON"),
        ("\udcff", "not JSON"),
    ],
)
def test_files_that_are_no_report(tmp_path: Path, text: str, said: str) -> None:
    """Said by name, with what was found."""
    file = tmp_path / "other.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InvalidInputError, match=r"other\.json") as raised:
        read_baseline(file)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "value", [2.0, -0.1, True, "1.0", [1.0], float("nan"), float("inf")], ids=str
)
def test_values_that_no_measure_has(tmp_path: Path, value: object) -> None:
    """A report from elsewhere is believed in nothing."""
    records = [{"id": "a", "values": {"recall@8": value}}]
    file = written(tmp_path, result(row("a", 0.5)), records=records)
    with pytest.raises(InvalidInputError, match="the report is damaged"):
        read_baseline(file)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([], "holds 0 records and says 2"),
        (["a"], "holds 1 record and says 2"),
        (["a", "a"], "a record stands twice"),
        (["a", 7], "the id of a record is no text"),
        ({"a": 1, "b": 2}, "'records' is no list"),
    ],
    ids=str,
)
def test_records_that_are_not_those_measured(tmp_path: Path, ids: object, said: str) -> None:
    """A comparison over a part of the records, or over one twice, is none."""
    records = (
        [{"id": one, "values": {"recall@8": 1.0}} for one in ids] if isinstance(ids, list) else ids
    )
    file = written(tmp_path, result(row("a", 0.5), row("b", 0.5)), records=records)
    with pytest.raises(InvalidInputError, match="the report is damaged") as raised:
        read_baseline(file)
    assert said in str(raised.value)


def test_a_hash_that_is_none(tmp_path: Path) -> None:
    """What is copied into the trail is a hash and nothing else."""
    file = written(tmp_path, result(row("a", 0.5)), golden_hash="words")
    with pytest.raises(InvalidInputError, match="is no sha256"):
        read_baseline(file)


def test_no_such_file(tmp_path: Path) -> None:
    """Told apart from one that is damaged."""
    with pytest.raises(MissingInputError):
        read_baseline(tmp_path / "none.json")
