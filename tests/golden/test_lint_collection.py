"""Collections: what does not fit together is found in the file where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.golden.lint_collection import lint_collection
from tests.golden.faulty_collections import (
    D1,
    D2,
    FAULTS,
    MORE_ROWS,
    Q1,
    RIGHT,
    FaultyCollection,
    corpus,
    judgements,
    lines,
    queries,
    table,
    vectors,
    write_files,
)


def test_the_collection_that_faults_are_made_of_has_none(tmp_path: Path) -> None:
    """What the changes are found by is the change."""
    result = lint_collection(write_files(tmp_path, {}))
    assert result.findings == ()
    assert result.summary == {
        "documents": 13,
        "queries": 2,
        "judgements": 13,
        "judged_queries": 2,
    }


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: f"{one.code}-{one.said[:24]}")
def test_codes(tmp_path: Path, fault: FaultyCollection) -> None:
    """One finding of the code, with its file and line."""
    found = lint_collection(write_files(tmp_path, fault.files)).findings
    own = [one for one in found if one.code == fault.code]
    assert [(one.file, one.line) for one in own] == [(fault.file, fault.line)], found
    assert fault.said in own[0].message


def test_exchanged_columns(tmp_path: Path) -> None:
    """Judgements whose ids are all of the other kind are told as such."""
    found = lint_collection(write_files(tmp_path, judgements("d1 q1 1", "d2 q2 1"))).findings
    wrong = [one.message for one in found if one.code == "another-corpus"]
    assert len(wrong) == 2
    assert all("seem to be exchanged" in message for message in wrong)


def test_one_bad_line_hides_no_other(tmp_path: Path) -> None:
    """A broken document is not also a missing vector, and the judgements are still compared."""
    files = {
        "corpus.jsonl": RIGHT["corpus.jsonl"].replace(lines(D2), b"{\n"),
        **judgements("q1 d1 1", "q2 d2 2", *MORE_ROWS),
    }
    found = lint_collection(write_files(tmp_path, files)).findings
    assert [(one.code, one.file, one.line) for one in found] == [
        ("broken-line", "corpus.jsonl", 2),
        ("dangling-document", "qrels.tsv", None),
    ]


def test_the_form_of_trec(tmp_path: Path) -> None:
    """Four columns separated by blanks are judgements as well."""
    rows = b"q1 0 d1 1\nq2 0 d2 1\n"
    assert lint_collection(write_files(tmp_path, {"qrels.tsv": rows})).findings == ()


def test_split_that_cannot_be_read(tmp_path: Path) -> None:
    """The other split is told to be broken; the collection is checked all the same."""
    (tmp_path / "qrels" / "dir.tsv").mkdir(parents=True)
    files = {"qrels/train.tsv": "q2\td1\t1\n".encode("utf-16"), "qrels/notes.txt": b"x"}
    found = lint_collection(write_files(tmp_path, files)).findings
    assert [(one.code, one.file) for one in found] == [("broken-line", "qrels/train.tsv")]


def test_judgements_of_the_test_split(tmp_path: Path) -> None:
    """The split that is measured is not compared with itself."""
    files = {"qrels.tsv": None, "qrels/test.tsv": RIGHT["qrels.tsv"]}
    assert lint_collection(write_files(tmp_path, files)).findings == ()
    both = {**files, "qrels/dev.tsv": table("q1 d1 1")}
    found = lint_collection(write_files(tmp_path, both)).findings
    assert [(one.code, one.file) for one in found] == [("split-overlap", "qrels/dev.tsv")]


def test_copies_that_are_judged(tmp_path: Path) -> None:
    """A copy that was judged, relevant or not, is no surprise; the text is still there twice."""
    files = {
        **corpus(D1, D2, {**D2, "_id": "d3"}),
        **judgements("q1 d1 1", "q2 d2 2", "q2 d3 0", *MORE_ROWS),
    }
    found = lint_collection(write_files(tmp_path, files)).findings
    assert [one.code for one in found] == ["duplicate-text"]


def test_odd_names_of_models(tmp_path: Path) -> None:
    """Vectors are compared whatever the model is called and however it describes itself."""
    files = {"emb/.a\x1b.corpus.npy": vectors(12), "emb/m.json": b"[]"}
    found = lint_collection(write_files(tmp_path, files)).findings
    assert [(one.code, one.file) for one in found] == [("vector-rows", "emb/.a\x1b.corpus.npy")]


def test_hostile_names_stay_in_their_message(tmp_path: Path) -> None:
    """Control characters of ids and texts are shown escaped."""
    files = queries(
        Q1, {"_id": "q\x1b[31m", "text": "\x07 why?"}, {"_id": "q3", "text": "\x07 WHY?"}
    )
    for one in lint_collection(write_files(tmp_path, files)).findings:
        assert one.message.isprintable()


def test_integer_ids(tmp_path: Path) -> None:
    """An integer is its digits; a boolean and a fraction are no ids."""
    ok = queries({"_id": 7, "text": "How?"}, {"_id": 8, "text": "Why?"})
    files = {**ok, **judgements("7 d1 1", "8 d2 1", *(row.replace("q1", "7") for row in MORE_ROWS))}
    assert lint_collection(write_files(tmp_path, files)).findings == ()
    odd = queries(Q1, {"_id": True, "text": "How?"}, {"_id": 1.5, "text": "Why?"})
    found = lint_collection(write_files(tmp_path, odd)).findings
    assert [one.line for one in found if one.code == "wrong-type"] == [2, 3]


def test_nothing_there(tmp_path: Path) -> None:
    """No folder, no corpus, two corpora, a corpus that is UTF-16."""
    with pytest.raises(MissingInputError):
        lint_collection(tmp_path / "none")
    with pytest.raises(MissingInputError, match=r"no corpus\.jsonl"):
        lint_collection(tmp_path)
    write_files(tmp_path, {"corpus.jsonl.gz": b""})
    with pytest.raises(InvalidInputError, match="keep one"):
        lint_collection(tmp_path)
    (tmp_path / "corpus.jsonl.gz").unlink()
    (tmp_path / "corpus.jsonl").write_bytes(lines(D1).decode().encode("utf-16"))
    with pytest.raises(InvalidInputError, match="UTF-16"):
        lint_collection(tmp_path)
