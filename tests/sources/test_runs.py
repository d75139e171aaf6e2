"""TREC run files: every form that is read, and every fault refused by its line."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.sources import fields
from gnomon.sources.limits import DEFAULT_LIMITS
from gnomon.sources.run_writing import write_run
from gnomon.sources.runs import Run, make_run, read_run

PLAIN = "q1 Q0 d7 1 0.9 bm25\nq1 Q0 d9 2 0.4 bm25\nq2 Q0 d7 1 0.5 bm25\n"


def run_of(folder: Path, content: str | bytes) -> Run:
    """Write a run and read it."""
    path = folder / "run.trec"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_run(path)


def results(run: Run) -> dict[str, dict[str, float]]:
    """Return the run as a dict."""
    ids = run.document_ids(np.arange(len(run)))
    bounds = zip(run.offsets.tolist(), run.offsets[1:].tolist(), strict=False)
    return {
        query: dict(zip(ids[a:b], run.scores[a:b].tolist(), strict=True))
        for query, (a, b) in zip(run.query_ids, bounds, strict=True)
    }


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(" ", "\t"),
        "\ufeff" + PLAIN,
        "\n\n" + PLAIN.replace("\n", "\n \n\n"),
        PLAIN.replace(" ", "  \t ").replace("\n", "  \r\n"),
        PLAIN.replace("0.4", "4e-1").replace("0.9", "+9.0E-1"),
        PLAIN.replace(" 1 ", " 0 ").replace(" 2 ", " - "),
    ],
    ids=["plain", "no-end", "crlf", "tabs", "bom", "blank-lines", "aligned", "powers", "ranks"],
)
def test_every_form(tmp_path: Path, content: str) -> None:
    """White space, line ends, a byte-order mark, powers of ten, gzip; ranks are not looked at."""
    for written in (content, gzip.compress(content.encode())):
        run = run_of(tmp_path, written)
        assert results(run) == {"q1": {"d7": 0.9, "d9": 0.4}, "q2": {"d7": 0.5}}
        assert run.tag == "bm25"


def test_queries_need_not_stand_together(tmp_path: Path) -> None:
    """The results of a query are gathered, queries in order of first appearance."""
    run = run_of(tmp_path, "b Q0 d1 1 3 t\na Q0 d1 1 2 t\nb Q0 d2 2 1 t\na Q0 d3 2 9 t\n")
    assert results(run) == {"b": {"d1": 3.0, "d2": 1.0}, "a": {"d1": 2.0, "d3": 9.0}}
    assert (run.n_out_of_order, [run.line_of(row) for row in range(4)]) == (1, [1, 3, 2, 4])


def test_ids_are_bytes_of_utf8(tmp_path: Path) -> None:
    """Neither a no-break space nor letters beyond ASCII end an id; long ids are told apart."""
    long = "https://example.org/" + "x" * 90
    run = run_of(tmp_path, f"é Q0 a\u00a0b 1 3 t\né Q0 {long}1 1 2 t\né Q0 {long}2 1 2 t\n")
    assert list(results(run)["é"]) == ["a\u00a0b", f"{long}1", f"{long}2"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q1 Q0 d3 3 nan t", "the score is 'nan', which has no place in an order"),
        ("q1 Q0 d3 3 -NaN t", "the score is '-NaN'"),
        ("q1 Q0 d3 3 0,5 t", "the score '0,5' is no number"),
        ("q1 Q0 d3 3 0.5", "has 5 columns ('q1 Q0 d3 3 0.5')"),
        ("q1 Q0 d 3 3 0.5 t", "has 7 columns"),
        ("d3", "has 1 column ('d3')"),
        ('{"_id": "d3"}', "has 2 columns"),
        ("q1 Q0 d\x003 3 0.5 t", "holds the control character 0x00"),
        ("q1 Q0 d\x1b3 3 0.5 t", "holds the control character 0x1b"),
        (b"q1 Q0 d\xff3 3 0.5 t", "byte 8 of the line (0xff) is not UTF-8"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str | bytes, said: str) -> None:
    """The message has the file, the number of the line and what was found there."""
    content = PLAIN.encode() + (line if isinstance(line, bytes) else line.encode()) + b"\n"
    with pytest.raises(InvalidInputError) as caught:
        run_of(tmp_path, content + PLAIN.encode())
    assert "run.trec: line 4: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("end", ["", " ", "\r"])
def test_a_line_cut_in_two_is_named(tmp_path: Path, end: str) -> None:
    """Even where columns and line ends are as many as in a sound file."""
    lines = ["q1 Q0 d1 1 3 t", "q1 Q0 d2 2", "2 t q1 Q0 d3 3 1 t"]
    with pytest.raises(InvalidInputError, match="line 2: has 4 columns"):
        run_of(tmp_path, "".join(f"{line}{end}\n" for line in lines))


def test_a_document_stands_once(tmp_path: Path) -> None:
    """As in trec_eval a repeated document is refused; the first pair is named by its lines."""
    with pytest.raises(
        InvalidInputError, match=r"lines 1 and 4 both give query 'q1' the document 'd7'"
    ):
        run_of(tmp_path, PLAIN + "q1 Q0 d7 3 0.1 t\nq1 Q0 d9 4 0.1 t\n")


def test_two_ids_with_one_key_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that two ids share is no reason to take them for one document."""
    monkeypatch.setattr(
        "gnomon.sources.runs.keys_of", lambda _data, starts, _ends: np.zeros(len(starts), np.uint64)
    )
    with pytest.raises(InvalidInputError, match="lines 1 and 2 hold the documents 'd7' and 'd9'"):
        run_of(tmp_path, PLAIN)


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"", mtime=0), b"\xef\xbb\xbf"])
def test_nothing_is_no_run(tmp_path: Path, content: bytes) -> None:
    """A run without a result is refused."""
    with pytest.raises(InvalidInputError, match="holds no result; expected 'query Q0 document"):
        run_of(tmp_path, content)


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A missing file, UTF-16, damaged gzip, a file over the limit."""
    with pytest.raises(MissingInputError):
        read_run(tmp_path / "absent")
    with pytest.raises(InvalidInputError, match="UTF-16"):
        run_of(tmp_path, PLAIN.encode("utf-16"))
    with pytest.raises(InvalidInputError, match="cut short or damaged"):
        run_of(tmp_path, gzip.compress(PLAIN.encode())[:-9])
    (tmp_path / "run.trec").write_text(f"\n{'x' * (fields.BLOCK_BYTES + 2000)}\n{PLAIN}")
    for limits, said in (
        (replace(DEFAULT_LIMITS, max_array_bytes=10), "Split it by queries"),
        (replace(DEFAULT_LIMITS, max_line_bytes=100), "line 2: is longer than 100 bytes"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            read_run(tmp_path / "run.trec", limits=limits)


def test_blocks_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a block ends, and however many threads read, the run is the same."""
    lines = [f"q{i // 7} Q0 doc-{i * i} {i} {i * 0.37:.3f} t" for i in range(60)]
    lines[30:30] = ["", "q1 Q0 late 1 7 t", ""]
    content = "\n".join(lines)
    whole = results(run_of(tmp_path, content))
    for size in (1, 25, 40, 333):
        monkeypatch.setattr(fields, "BLOCK_BYTES", size)
        for threads in (1, 3):
            assert results(read_run(tmp_path / "run.trec", threads=threads)) == whole
    with pytest.raises(InvalidInputError, match="line 64: has 1 column"):
        run_of(tmp_path, content + "\nx")


NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?")


def read_plainly(content: bytes) -> dict[str, dict[str, float]] | None:
    """Return what a file holds, line by line; None for what is to be refused."""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    if any(char < " " and char not in "\t\n\v\f\r" for char in text):
        return None
    found: dict[str, dict[str, float]] = {}
    for line in text.split("\n"):
        columns = [part for part in re.split(r"[ \t\v\f\r]+", line) if part]
        if not columns:
            continue
        if len(columns) != 6 or not NUMBER.fullmatch(columns[4]):
            return None
        if columns[2] in found.get(columns[0], {}):
            return None
        found.setdefault(columns[0], {})[columns[2]] = float(columns[4])
    return found or None


WORDS = st.sampled_from(
    ["q1", "q2", "d1", "d2", "Q0", "1", "2.5", "-1e3", ".", "é", "1e", "0.30", "x"]
)
GAPS = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\r", "\v", "\n", "\x00", "\u00a0"])
SOUND = st.tuples(
    st.sampled_from(["q1", "q2"]), st.just("Q0"), st.sampled_from(["d1", "d2", "d3", "döcument-4"]),
    WORDS, st.sampled_from(["1", "2.5", "-1e3", "0.30", "12345678901234567890"]), WORDS,
).map(" ".join)  # fmt: skip
LINES = SOUND | st.lists(st.tuples(WORDS, GAPS).map("".join), max_size=8).map("".join)


@given(lines=st.lists(LINES, max_size=6), ends=st.sampled_from(["\n", "\r\n", "\n\n", " \n"]))
def test_equal_to_a_plain_reading(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ends: str
) -> None:
    """Whatever stands in a file, it is read as line by line, or refused as it would be there."""
    content = ends.join(lines).encode()
    expected = read_plainly(content)
    try:
        found = results(run_of(tmp_path_factory.getbasetemp(), content))
    except InvalidInputError:
        assert expected is None
    else:
        assert found == expected


def as_float32(score: float) -> float:
    """Return a score as trec_eval stores it."""
    with np.errstate(over="ignore"):
        return float(np.float64(score).astype(np.float32))


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
SCORES = st.floats(allow_nan=False)


@settings(max_examples=15)  # each waits for the disk
@given(run=st.dictionaries(NAMES, st.dictionaries(NAMES, SCORES, min_size=1), min_size=1))
def test_written_runs_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, dict[str, float]]
) -> None:
    """Ids and scores return as they were, best first."""
    path = tmp_path_factory.mktemp("run") / "run.trec.gz"
    scores = [np.array(list(own.values())) for own in run.values()]
    write_run(
        path, make_run(list(run), [list(own) for own in run.values()], scores, name="", tag="t")
    )
    back = read_run(path)
    if any(float(s) != as_float32(s) for own in run.values() for s in own.values()):
        assert results(back) == run
    else:
        assert {
            q: {d: as_float32(s) for d, s in own.items()} for q, own in results(back).items()
        } == run
    assert back.n_out_of_order == 0


@pytest.mark.parametrize(
    ("query", "document"), [("q 1", "d"), ("q", "d\t1"), ("q", "d\x1b"), ("q", "a\u00a0b")]
)
def test_ids_that_a_run_cannot_hold(tmp_path: Path, query: str, document: str) -> None:
    """White space inside an id would become another column: nothing is written."""
    path = tmp_path / "run.trec"
    path.write_text("old")
    with pytest.raises(InvalidInputError, match="holds white space or a control character"):
        write_run(path, make_run([query], [[document]], [np.ones(1)], name="", tag="t"))
    assert path.read_text() == "old"


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    """Neither time nor name stands in a packed run; equal scores stand by rising id."""
    tied = make_run(["q", "none"], [["b", "a"], []], [np.ones(2), np.ones(0)], name="", tag="t")
    for name in ("one.gz", "two.gz"):
        write_run(tmp_path / name, tied)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    assert (
        gzip.decompress((tmp_path / "one.gz").read_bytes()) == b"q Q0 a 1 1.0 t\nq Q0 b 2 1.0 t\n"
    )


def test_scores_stay_apart(tmp_path: Path) -> None:
    """A run of float32 scores is written short; one wider score makes all of them long."""
    narrow = float(np.float32(0.1))
    for scores, written in (
        ([narrow, 2.0], ["0.1", "2.0"]),
        ([narrow, 0.1], [repr(narrow), "0.1"]),
    ):
        run = make_run(["q"], [["b", "a"]], [np.array(scores)], name="", tag="t")
        write_run(tmp_path / "run", run)
        found = [line.split()[4] for line in (tmp_path / "run").read_text().splitlines()]
        assert sorted(found) == sorted(written)
