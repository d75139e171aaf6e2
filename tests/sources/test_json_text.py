"""JSON of people: a key that stands twice in one object is refused wherever it is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.adapters.manifest import Manifest as BridgeManifest
from gnomon.blind.key import read_key
from gnomon.blind.sheet import read_sheet
from gnomon.blind.spot_file import read_contested
from gnomon.errors import GnomonError
from gnomon.evaluation.baseline import read_baseline
from gnomon.evaluation.bench_tasks import read_tasks
from gnomon.evaluation.bench_verdicts import read_key as read_pair_key
from gnomon.evaluation.journal import Journal
from gnomon.feedback.candidates import read_candidates
from gnomon.feedback.reading import read_file
from gnomon.golden.probes import read_probes
from gnomon.golden.records import read_golden
from gnomon.retrieval.calibration_file import read_calibration
from gnomon.retrieval.index_files import read_manifest
from gnomon.retrieval.opening import open_embedder, surroundings
from gnomon.sources.collection import read_description
from gnomon.sources.config import read_config
from gnomon.sources.corpus import read_corpus
from gnomon.sources.ids import read_ids
from gnomon.sources.json_text import RepeatedKeyError, TooDeepError, parse_json
from gnomon.sources.queries import read_queries

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
WHITE = st.text(" \t\n\r", max_size=2)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_what_has_no_doubled_key_is_what_json_says(
    value: Any, escaped: bool, indent: int | None
) -> None:
    """Text and bytes, written in whatever form."""
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    assert parse_json(text) == json.loads(text) == value
    if escaped:
        assert parse_json(text.encode()) == value
        assert parse_json(text.encode("utf-16")) == value


@given(VALUES, VALUES, st.text(), st.lists(WHITE, min_size=12, max_size=12), st.data())
def test_a_doubled_key_is_found_where_it_stands(
    first: Any, other: Any, key: str, white: list[str], data: st.DataObject
) -> None:
    """At any depth, behind any white space, however the key is escaped: its line is named."""
    at = iter(white)
    again = data.draw(st.sampled_from([json.dumps(key), json.dumps(key, ensure_ascii=False)]))
    head = f"{{{next(at)}{json.dumps(key)}{next(at)}:{next(at)}{json.dumps(first)}{next(at)},"
    head += next(at)
    tail = f"{next(at)}:{next(at)}{json.dumps(other)}{next(at)}}}"
    before, after = data.draw(
        st.sampled_from([("", ""), ("[0,\n", "]"), ('{"a\\":\\"": {"b": [1, ', "]}}")])
    )
    text = f"{next(at)}{before}{head}{again}{tail}{after}"
    line = 1 + text.count("\n", 0, len(text) - len(after) - len(tail) - len(again))
    with pytest.raises(RepeatedKeyError) as caught:
        parse_json(text)
    assert caught.value.line == line
    assert "twice; keep one of them" in str(caught.value)


def test_the_first_of_several() -> None:
    """In the order of the text, not in that of the objects' ends."""
    with pytest.raises(RepeatedKeyError, match=r"^line 2 has the key 'a' twice"):
        parse_json('{"a": 1,\n"a": {"c": 1,\n"c": 2}}')


def test_the_same_key_in_two_objects() -> None:
    """It stands once in each."""
    assert parse_json('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


def test_too_deep() -> None:
    """One error, of a kind of its own; also where a doubled key lies at the bottom."""
    with pytest.raises(TooDeepError):
        parse_json("[" * 100_000)
    with pytest.raises(ValueError, match=r"twice|deeply"):
        parse_json("[" * 900 + '{"a": 1, "a": 1}' + "]" * 900)


def _embedding_beside(path: Path) -> None:
    vectors = path.with_suffix(".npy")
    np.save(vectors, np.zeros((1, 2), np.float32))
    path.with_suffix(".texts.jsonl").write_text('{"text": "a"}\n', encoding="utf-8")
    open_embedder(f"precomputed:{vectors}", surroundings())


def _index(path: Path) -> None:
    path.rename(path.with_name("manifest.json"))
    read_manifest(path.parent)


WHOLE: dict[str, Callable[[Path], object]] = {
    "key of a sheet": read_key,
    "key of pairs": read_pair_key,
    "report": read_baseline,
    "calibration": read_calibration,
    "index": _index,
    "description": read_description,
    "description beside vectors": _embedding_beside,
    "bridge": lambda path: BridgeManifest.from_json(path.read_bytes(), where=str(path)),
}
LINES: dict[str, Callable[[Path], object]] = {
    "golden set": read_golden,
    "probe set": read_probes,
    "contested spots": lambda path: list(read_contested(path)),
    "sheet": read_sheet,
    "tasks": read_tasks,
    "answers": lambda path: Journal.resume(path, {}),
    "candidates": read_candidates,
    "votes": lambda path: list(read_file(path)),
    "corpus": read_corpus,
    "queries": read_queries,
    "ids": read_ids,
}


@pytest.mark.parametrize("kind", WHOLE)
def test_files_of_one_object(kind: str, tmp_path: Path) -> None:
    """File, line and key are named."""
    path = tmp_path / "file.json"
    path.write_text('{"schema": "a",\n\n "schema": "b"}\n', encoding="utf-8")
    with pytest.raises(GnomonError, match=r"(file|manifest)\.json.*line 3 has the key 'schema' tw"):
        WHOLE[kind](path)


@pytest.mark.parametrize("kind", LINES)
def test_files_of_an_object_a_line(kind: str, tmp_path: Path) -> None:
    """File, line and key are named."""
    path = tmp_path / "file.jsonl"
    path.write_text('{"id": "a", "text": "t", "id": "b"}\n', encoding="utf-8")
    with pytest.raises(GnomonError, match=r"file\.jsonl.*line 1\b.* has the key 'id' twice"):
        LINES[kind](path)


def test_a_configuration(tmp_path: Path) -> None:
    """TOML forbids it by itself; the message names file and line."""
    path = tmp_path / "gnomon.toml"
    path.write_text('docs = "a"\ndocs = "b"\n', encoding="utf-8")
    with pytest.raises(GnomonError, match=r"gnomon\.toml.*line 2"):
        read_config(tmp_path, environment={"XDG_CONFIG_HOME": str(tmp_path)})
