"""Judgements in BEIR and TREC form: told apart by the first line, refused by line."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError
from gnomon.sources import Qrels, read_qrels

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "query-id\tcorpus-id\tscore\n"


def qrels_of(folder: Path, content: str | bytes) -> Qrels:
    """Write a file of judgements and read it."""
    path = folder / "qrels.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_qrels(path)


def triples(qrels: Qrels) -> list[tuple[str, str, int]]:
    """Return the judgements with their ids."""
    return [
        (qrels.query_ids[query], qrels.doc_ids[document], int(gain))
        for query, document, gain in zip(
            qrels.query_index, qrels.doc_index, qrels.gains, strict=True
        )
    ]


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (HEADER + "q1\td1\t2\nq1\td2\t0\nq2\td1\t-1\n", "beir"),
        ("q1\td1\t2\nq1\td2\t0\nq2\td1\t-1", "beir"),
        ("\ufeff" + HEADER + "q1\td1\t2\r\n\r\nq1\td2\t0\r\nq2\td1\t-1\r\n", "beir"),
        ("query_id\tdoc_id\trelevance\nq1\td1\t2.0\nq1\td2\t+0\nq2\td1\t-1.\n", "beir"),
        ("q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 -1\n", "trec"),
        ("q1\tQ0\td1\t2\n q1  0\t d2 0 \nq2 0 d1 -1\n", "trec"),
    ],
    ids=range(6),
)
def test_both_forms(tmp_path: Path, content: str, form: str) -> None:
    """Header, line ends, blank lines and the separator do not change what is read."""
    for written in (content, gzip.compress(content.encode())):
        qrels = qrels_of(tmp_path, written)
        assert triples(qrels) == [("q1", "d1", 2), ("q1", "d2", 0), ("q2", "d1", -1)]
        assert qrels.format == form
        assert (len(qrels), qrels.n_relevant, qrels.n_negative, qrels.n_repeated) == (3, 1, 1, 0)


def test_ids_of_tables_may_hold_blanks(tmp_path: Path) -> None:
    """In the tab-separated form an id is what stands between two tabs."""
    assert triples(qrels_of(tmp_path, "q 1\t d#1 é\t1")) == [("q 1", " d#1 é", 1)]


def test_a_query_named_query(tmp_path: Path) -> None:
    """A first line whose gain is a number is data, whatever the ids are called."""
    assert triples(qrels_of(tmp_path, "query-id\tcorpus-id\t1")) == [("query-id", "corpus-id", 1)]


def test_repeated_lines_are_counted(tmp_path: Path) -> None:
    """The same judgement twice counts once, and the repeat is counted, in either form."""
    content = "q1\td1\t1\nq2\td1\t1\nq1\td1\t1\nq1\td1\t1"
    for written in (content, content.replace("\td1", " 0 d1")):
        qrels = qrels_of(tmp_path, written)
        assert triples(qrels) == [("q1", "d1", 1), ("q2", "d1", 1)]
        assert qrels.n_repeated == 2


def test_contradiction_names_both_lines(tmp_path: Path) -> None:
    """Two gains for one pair are refused with both lines."""
    with pytest.raises(InvalidInputError) as caught:
        qrels_of(tmp_path, HEADER + "q1\td1\t1\nq1\td2\t1\n\nq1\td1\t2")
    assert "lines 2 and 5 give query 'q1' and document 'd1' the gains 1 and 2" in str(caught.value)


@pytest.mark.parametrize("gain", ["0.5", ".5", "1e-1", "1.25", "-0.5"])
def test_fractions_are_refused(tmp_path: Path, gain: str) -> None:
    """A fractional gain is never cut to a whole one."""
    for content, line in ((f"q1\td1\t1\nq1\td2\t{gain}", 2), (f"q1 0 d1 {gain}", 1)):
        with pytest.raises(InvalidInputError, match=rf"line {line}: the gain '.*' is not a whole"):
            qrels_of(tmp_path, content)


@pytest.mark.parametrize(
    "gain", ["", "high", "nan", "inf", "1_0", "1e2", "٣", "0x1", "2147483648", "9" * 30]
)
def test_other_gains_are_refused(tmp_path: Path, gain: str) -> None:
    """What is no whole number of ordinary size is refused."""
    with pytest.raises(InvalidInputError, match="line 2: the gain"):
        qrels_of(tmp_path, f"q1\td1\t1\nq1\td2\t{gain}")
    if gain:
        with pytest.raises(InvalidInputError, match="line 2: the gain"):
            qrels_of(tmp_path, f"q1 0 d1 1\nq1 0 d2 {gain}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no judgement; expected 'query-id<TAB>corpus-id<TAB>score'"),
        (HEADER, "holds no judgement"),
        ("q1 d1 1\n", "line 1: has 3 columns .*separate the three columns by tabs"),
        ("q1,d1,1\n", "line 1: has 1 columns"),
        ("q1 0 d1 1 0.7 run\n", "line 1: has 6 columns"),
        ('{"q1": {"d1": 1}}', "line 1: holds JSON"),
        ('[["d1"]]', "line 1: holds JSON"),
        ("q1\td1\t1\nq1 0 d1 1\n", "line 2: has 1 columns .*began as BEIR with 3"),
        ("q1 0 d1 1\nq1\td1\t1\n", "line 2: has 3 columns .*began as TREC with 4"),
        ("q1\t\t1\n", "line 1: has a blank id"),
        (" \td1\t1\n", "line 1: has a blank id"),
        ("qid\tpid\tlabel\nq1\td1\tx", "line 2: the gain 'x'"),
        ("name\tdoc\tlabel\nq1\td1\t1", "line 1: the gain 'label' is not a whole number"),
    ],
)
def test_refused_lines(tmp_path: Path, content: str, message: str) -> None:
    """Other shapes are refused with the line, what it holds and what is expected."""
    with pytest.raises(InvalidInputError, match=rf"qrels\.tsv: .*{message}|{message}"):
        qrels_of(tmp_path, content)


tokens = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)


@given(
    judgements=st.dictionaries(
        st.tuples(tokens.filter(lambda token: token[0] not in '{["\ufeff'), tokens),
        st.integers(-5, 100),
        min_size=1,
        max_size=10,
    ),
    form=st.sampled_from(["beir", "trec"]),
)
def test_roundtrip(
    tmp_path_factory: pytest.TempPathFactory, judgements: dict[tuple[str, str], int], form: str
) -> None:
    """Judgements written in either form come back in order."""
    between = "\t" if form == "beir" else " 0 "
    after = "\t" if form == "beir" else " "
    content = "".join(f"{q}{between}{d}{after}{gain}\n" for (q, d), gain in judgements.items())
    qrels = qrels_of(tmp_path_factory.mktemp("q"), content)
    assert triples(qrels) == [(q, d, gain) for (q, d), gain in judgements.items()]
    assert qrels.format == form
