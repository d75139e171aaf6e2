"""Corpora in JSON Lines: what is accepted, what is refused, and reading texts again."""

from __future__ import annotations

import contextlib
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.sources import Corpus, Document, read_corpus
from gnomon.sources.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path


def corpus_of(folder: Path, content: str | bytes, name: str = "corpus.jsonl") -> Corpus:
    """Write a corpus file and read it."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_corpus(path)


def test_documents_in_file_order(tmp_path: Path) -> None:
    """Ids keep their order and spelling; title and text may be missing or null."""
    corpus = corpus_of(
        tmp_path,
        '{"_id": " b ", "title": "T", "text": "x", "url": [1]}\n'
        '{"_id": "a", "text": null}\n'
        '{"text": "only", "_id": 17}\n',
    )
    assert corpus.ids == (" b ", "a", "17")
    assert list(corpus.documents()) == [
        Document(" b ", "T", "x"),
        Document("a", "", ""),
        Document("17", "", "only"),
    ]
    assert (len(corpus), corpus.n_empty, corpus.has_text) == (3, 1, True)


def test_corpus_of_ids_only(tmp_path: Path) -> None:
    """A corpus without any text is taken, and says that it has none."""
    corpus = corpus_of(tmp_path, '{"_id": "a"}\n{"_id": "b", "title": ""}')
    assert not corpus.has_text
    assert corpus.n_empty == 2


def test_byte_order_mark_crlf_and_blank_lines(tmp_path: Path) -> None:
    """A mark, CRLF, blank lines and a missing final line end lose no record."""
    corpus = corpus_of(
        tmp_path, '\ufeff{"_id":"a","text":"1"}\r\n\r\n  \n{"_id":"b","text":"2"}\r\n{"_id":"c"}'
    )
    assert corpus.ids == ("a", "b", "c")
    assert [document.text for document in corpus.documents()] == ["1", "2", ""]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_documents_by_row(tmp_path: Path, pack: Any) -> None:
    """Texts are read again by row, in any order and more than once."""
    lines = "".join(json.dumps({"_id": f"d{n}", "text": "é" * n}) + "\n" for n in range(50))
    corpus = corpus_of(tmp_path, pack(lines.encode()))
    rows = [3, 4, 49, 0, 3]
    assert [(d.id, len(d.text)) for d in corpus.documents(rows)] == [(f"d{n}", n) for n in rows]


BROKEN = {
    "not json": ('{"_id": "x", "text": }', "line 17: is not valid JSON .*at column 22"),
    "cut short": ('{"_id": "x', r"line 17: .*\(Unterminated string starting at column 9\)"),
    "single quotes": ("{'_id': 'x'}", "line 17: is not valid JSON"),
    "two objects": ('{"_id": "x"} {"_id": "y"}', "line 17: is not valid JSON .*Extra data"),
    "array": ('["x"]', "line 17: holds a JSON array; expected one JSON object"),
    "null": ("null", "line 17: holds a JSON null"),
    "number": ("17", "line 17: holds a JSON number"),
    "raw control": ('{"_id": "x\x01"}', "line 17: is not valid JSON"),
    "no id": ('{"id": "x", "text": "t"}', "line 17: has no '_id'; found 'id', 'text'"),
    "empty object": ("{}", "line 17: has no '_id'; found no fields"),
    "null id": ('{"_id": null}', "line 17: '_id' is a JSON null; expected a string or an integer"),
    "fraction": ('{"_id": 1.0}', "line 17: '_id' is a JSON number"),
    "boolean": ('{"_id": true}', "line 17: '_id' is a JSON boolean"),
    "list id": ('{"_id": ["x"]}', "line 17: '_id' is a JSON array"),
    "blank id": ('{"_id": " "}', "line 17: '_id' is blank"),
    "half id": ('{"_id": "x\\ud83d"}', r"line 17: '_id' holds half of a surrogate pair \(.ud83d\)"),
    "half text": ('{"_id": "x", "text": "ab\\udc00"}', "'text' holds half .*at character 3"),
    "number as text": ('{"_id": "x", "text": 5}', "'text' is a JSON number; expected a string"),
    "list as title": ('{"_id": "x", "title": ["t"]}', "'title' is a JSON array"),
    "huge number": ('{"_id": ' + "9" * 5000 + "}", "line 17: .*too long"),
    "deep": ('{"_id": ' + "[" * 100_000 + "}", "line 17: .*(too deep|not valid JSON)"),
}


@pytest.mark.parametrize(("line", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_line_17(tmp_path: Path, line: str, message: str) -> None:
    """A broken line is named with file and number, blank lines counted."""
    good = "".join(f'{{"_id": "d{n}"}}\n' for n in range(15))
    with pytest.raises(InvalidInputError, match=rf"corpus\.jsonl: {message}|{message}") as caught:
        corpus_of(tmp_path, f"\n{good}{line}\n")
    assert "corpus.jsonl: line 17" in str(caught.value)


def test_whole_pair_is_one_character(tmp_path: Path) -> None:
    """A character that JSON writes as two escapes is fine."""
    corpus = corpus_of(tmp_path, '{"_id": "\\ud83d\\ude80"}')
    assert corpus.ids == ("\U0001f680",)


def test_not_utf8(tmp_path: Path) -> None:
    """A line in a code page is named."""
    with pytest.raises(InvalidInputError, match=r"line 2: byte 10 .* is not UTF-8"):
        corpus_of(tmp_path, b'{"_id": "a"}\n{"_id": "\xe9"}')


def test_duplicates_are_listed_in_order(tmp_path: Path) -> None:
    """Duplicate ids are refused, sorted, the first five named; an integer equals its digits."""
    lines = [{"_id": name} for name in "gfedcba"] * 2 + [{"_id": "7"}, {"_id": 7}, {"_id": "one"}]
    with pytest.raises(InvalidInputError) as caught:
        corpus_of(tmp_path, "\n".join(map(json.dumps, lines)))
    assert "8 ids occur more than once: '7', 'a', 'b', 'c', 'd' and 3 more" in str(caught.value)


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_empty_corpus(tmp_path: Path, content: str) -> None:
    """A corpus without documents is refused."""
    with pytest.raises(InvalidInputError, match="the corpus is empty"):
        corpus_of(tmp_path, content)


def test_missing_corpus(tmp_path: Path) -> None:
    """A corpus that is not there is named."""
    with pytest.raises(MissingInputError, match=r"corpus\.jsonl: no such file"):
        read_corpus(tmp_path / "corpus.jsonl")


def test_terminal_sequences_are_shown_escaped(tmp_path: Path) -> None:
    """An id that would act on the terminal is escaped in the message."""
    line = json.dumps({"_id": "\x1b[2Jgone"})
    with pytest.raises(InvalidInputError, match=r"'\\x1b\[2Jgone'") as caught:
        corpus_of(tmp_path, f"{line}\n{line}")
    assert "\x1b" not in str(caught.value)


def test_change_between_two_readings(tmp_path: Path) -> None:
    """A file that changed since it was first read gives an error, never another document's text."""
    corpus = corpus_of(tmp_path, '{"_id": "a"}\n{"_id": "b"}\n')
    for content in ('{"_id": "a"}\n{"_id": "c"}\n', '{"_id": "a"}\n', "{}\nxyzxyzxyz{}"):
        (tmp_path / "corpus.jsonl").write_text(content)
        with pytest.raises(InvalidInputError, match="line 2: has changed"):
            list(corpus.documents([1]))


def test_line_cap(tmp_path: Path) -> None:
    """A document longer than the cap is refused by line."""
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "a"}\n' + json.dumps({"_id": "b", "text": "x" * 500}))
    with pytest.raises(InvalidInputError, match="line 2: is longer than 100 bytes"):
        read_corpus(path, limits=Limits(max_line_bytes=100))


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
records = st.lists(
    st.tuples(words.filter(str.strip), words, words),
    min_size=1,
    max_size=8,
    unique_by=lambda record: record[0],
)


@given(
    records=records,
    ascii_only=st.booleans(),
    mark=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", "\n\n", "\r\n \r\n"]),
    last=st.booleans(),
    packed=st.booleans(),
    data=st.data(),
)
def test_roundtrip(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[tuple[str, str, str]],
    ascii_only: bool,
    mark: bool,
    end: str,
    last: bool,
    packed: bool,
    data: st.DataObject,
) -> None:
    """Whatever a JSON writer writes comes back, in every dress that JSON Lines wear."""
    lines = [
        json.dumps({"_id": a, "title": b, "text": c}, ensure_ascii=ascii_only)
        for a, b, c in records
    ]
    content = (("\ufeff" if mark else "") + end.join(lines) + (end if last else "")).encode()
    corpus = corpus_of(tmp_path_factory.mktemp("c"), gzip.compress(content) if packed else content)
    rows = data.draw(st.lists(st.integers(0, len(records) - 1), max_size=10))
    assert corpus.ids == tuple(record[0] for record in records)
    assert list(corpus.documents()) == [Document(*record) for record in records]
    assert list(corpus.documents(rows)) == [Document(*records[row]) for row in rows]


@given(content=st.binary(max_size=200))
def test_any_bytes_give_a_corpus_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """Arbitrary bytes are read or refused; no other exception escapes."""
    with contextlib.suppress(InvalidInputError):
        corpus_of(tmp_path_factory.mktemp("c"), content)
