"""The demo's collection is what its script makes of the documentation as it stands."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "demo" / "build.py"


@pytest.fixture(scope="module")
def build() -> Iterator[ModuleType]:
    """Return the script that makes the collection, as a module."""
    spec = importlib.util.spec_from_file_location("demo_build", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def built(build: ModuleType) -> dict[str, str]:
    """Return the files that the script makes now."""
    files: dict[str, str] = build.built()
    return files


def judgements(built: dict[str, str]) -> list[tuple[str, str, int]]:
    """Return (query, passage, gain) of every judgement."""
    rows = [line.split("\t") for line in built["qrels.tsv"].splitlines()[1:]]
    return [(query, passage, int(gain)) for query, passage, gain in rows]


def test_collection_is_up_to_date(build: ModuleType, built: dict[str, str]) -> None:
    """What ships is what the script writes; an edit of a page is followed by a run of it."""
    packaged = {name: (build.OUT / name).read_text(encoding="utf-8") for name in built}
    stale = [name for name, text in built.items() if packaged[name] != text]
    assert stale == [], "run: python docs/demo/build.py"


def test_there_is_enough_to_measure(built: dict[str, str]) -> None:
    """Hundreds of passages, few enough for a minute, and as many questions as the rule wants."""
    assert 500 <= len(built["corpus.jsonl"].splitlines()) <= 2_500
    assert len(built["queries.jsonl"].splitlines()) >= 100


def test_ids_are_unique(build: ModuleType, built: dict[str, str]) -> None:
    """Judgements refer to ids, so each names one passage or one question."""
    passages = Counter(one.id for one in build.passages())
    questions = Counter(json.loads(line)["_id"] for line in built["queries.jsonl"].splitlines())
    assert {name for name, times in (passages + questions).items() if times > 1} == set()


def test_every_question_has_an_answer(built: dict[str, str]) -> None:
    """Each question has a passage that answers it fully, and every gain is 1 or 2."""
    questions = set(texts(built["queries.jsonl"]))
    answered = {query for query, _, gain in judgements(built) if gain == 2}
    assert questions - answered == set()
    assert {gain for _, _, gain in judgements(built)} == {1, 2}


def test_no_question_repeats_its_answer(built: dict[str, str]) -> None:
    """Five words in a row of an answer would make its question a quotation to be looked up."""
    passages, questions = texts(built["corpus.jsonl"]), texts(built["queries.jsonl"])
    repeated = [
        (query, run)
        for query, passage, _ in judgements(built)
        for run in five_words(questions[query]) & five_words(passages[passage])
    ]
    assert repeated == []


def texts(lines: str) -> dict[str, str]:
    """Return the texts of a JSON Lines file by id."""
    return {one["_id"]: one["text"] for one in map(json.loads, lines.splitlines())}


def five_words(text: str) -> set[str]:
    """Return every run of five words, in lower case and without punctuation."""
    letters = "".join(character if character.isalnum() else " " for character in text.lower())
    words = letters.split()
    return {" ".join(words[at : at + 5]) for at in range(len(words) - 4)}


def test_passages_are_prose(build: ModuleType) -> None:
    """Long enough to answer, without markup and without what only leads elsewhere."""
    for one in build.passages():
        assert len(one.text.split()) >= build.FEWEST_WORDS, one.id
        assert "](" not in one.text, one.id
        assert "```" not in one.text, one.id
        assert one.title, one.id


PAGE = """\
# Page

Intro that is long enough to stand on its own as a passage, because it has more than twenty words
in it, as counted.

| head | of table |
|---|---|
| [elsewhere](other.md) | leads away and answers nothing, whatever number of words follow it |
| 12 | 0.5 (0.4 to 0.6) |

## Part

Short one.

- and an item that is joined to it, so that together they are long enough to be kept as one

```python
code = "is left out"
```
"""


def test_blocks_become_passages(build: ModuleType) -> None:
    """Short blocks are joined within their section; links, figures, heads and code are left out."""
    found = list(build._of_page("docs/page.md", PAGE))
    assert [(one.id, one.title) for one in found] == [
        ("docs/page.md#page", "Page"),
        ("docs/page.md#part", "Page / Part"),
    ]
    assert found[0].text.startswith("Intro that is long enough")
    assert found[0].text.endswith("as counted.")
    assert found[1].text.startswith("Short one. and an item")


def test_a_lost_answer_is_named(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit that removes an answer stops the build with the line of the question."""
    answer = {"in": "docs/", "words": "words that no page holds", "gain": 2}
    question = {"id": "q1", "question": "anything?", "answers": [answer]}
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(question) + "\n", encoding="utf-8")
    monkeypatch.setattr(build, "QUESTIONS", questions)
    with pytest.raises(SystemExit, match=r"line 1: .*no page holds.*no passage"):
        build.built()
