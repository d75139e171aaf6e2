"""What an index's manifest says of its files, and what is noticed by it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.retrieval.docs import PAGES, SubjectEmbedder, build, write_pages

from gnomon.embedding.lsa import LsaEmbedder
from gnomon.errors import IndexFileError, InvalidInputError, MissingInputError
from gnomon.retrieval.index import Index
from gnomon.retrieval.index_files import MANIFEST, read_manifest
from gnomon.retrieval.levers import LEVERS
from gnomon.retrieval.manifest import sealed

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = [
    "bm25/anchor/index.bm25",
    "bm25/path/index.bm25",
    "bm25/text/index.bm25",
    "bm25/title/index.bm25",
    "bm25/trail/index.bm25",
    "chunks.jsonl",
    "embedder/axes.npy",
    "embedder/terms.json",
    "frequencies.json",
    "vectors.npy",
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an index with every kind of file, once."""
    place = tmp_path_factory.mktemp("built")
    build(write_pages(place / "docs"), place / "index", LsaEmbedder.fit(list(PAGES.values()), 2))
    return place / "index"


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """Return a copy of it to spoil."""
    return Path(shutil.copytree(built, tmp_path / "index"))


def flip(path: Path, place: int) -> None:
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def edited(folder: Path, change: Callable[[dict[str, Any]], object], *, seal: bool = True) -> None:
    """Change the manifest, and seal it again as a program that wrote this would have."""
    body = json.loads((folder / MANIFEST).read_text("utf-8"))
    change(body)
    text = json.dumps(sealed(body) if seal else body)
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def test_every_file_is_listed(folder: Path) -> None:
    """All but the manifest itself, each with its size."""
    there = [p for p in folder.rglob("*") if p.is_file() and p.name != MANIFEST]
    assert sorted(p.relative_to(folder).as_posix() for p in there) == NAMES
    files = read_manifest(folder).files
    assert {name: one.size for name, one in files.items()} == {
        name: (folder / name).stat().st_size for name in NAMES
    }
    Index.open(folder, verify=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_is_noticed(folder: Path, name: str) -> None:
    """In whatever file, by a check of the bytes; the file is named, with what to do."""
    flip(folder / name, -3)
    with pytest.raises(IndexFileError, match=rf"{name}: .*[Bb]uild the index again"):
        Index.open(folder, verify=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b + b"\n"], ids=["cut", "longer"])
def test_another_size_is_noticed(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """At every opening, without a look into the file."""
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    with pytest.raises(IndexFileError, match=rf"{name}: holds [\d,]+ bytes and was written with"):
        Index.open(folder)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_gone(folder: Path, name: str) -> None:
    """It is named."""
    (folder / name).unlink()
    with pytest.raises(MissingInputError, match=rf"{name}: is gone"):
        Index.open(folder)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("chunks.jsonl", '"Keys"', '"Kegs"'), ("frequencies.json", '"key": ', '"kez": ')],
)
def test_what_is_read_whole_is_checked_at_every_opening(
    folder: Path, name: str, old: str, new: str
) -> None:
    """Titles and frequencies have no other hash."""
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(IndexFileError, match=rf"{name}: its bytes are not those"):
        Index.open(folder)


def test_files_of_two_indexes(tmp_path: Path) -> None:
    """Vectors of another model over the same pages have the right size and are not these."""
    docs = write_pages(tmp_path / "docs")
    build(docs, tmp_path / "one", SubjectEmbedder())
    moved = SubjectEmbedder()
    counted = moved.embed_documents
    moved.embed_documents = lambda texts: counted(texts) + 1  # type: ignore[method-assign]
    build(docs, tmp_path / "other", moved)
    (tmp_path / "other" / "vectors.npy").replace(tmp_path / "one" / "vectors.npy")
    with pytest.raises(IndexFileError, match=r"vectors\.npy: its bytes are not those"):
        Index.open(tmp_path / "one", verify=True)


def test_a_manifest_that_forgets_a_file(folder: Path) -> None:
    """What is not listed cannot be checked, and is not believed."""
    edited(folder, lambda body: body["files"].pop("vectors.npy"))
    with pytest.raises(IndexFileError, match=r"does not list vectors\.npy"):
        Index.open(folder)


def test_a_manifest_that_names_a_file_elsewhere(folder: Path) -> None:
    """Nothing outside of the folder is read."""
    entry = {"size": 1, "sha256": "0" * 64}
    edited(folder, lambda body: body["files"].update({"../docs/index.md": entry}))
    with pytest.raises(InvalidInputError, match="expected a plain relative name"):
        Index.open(folder)


@pytest.mark.parametrize("entry", [None, [], {"size": "1", "sha256": ""}, {"size": 1}])
def test_a_damaged_list(folder: Path, entry: object) -> None:
    """It is told, with what to do."""
    edited(folder, lambda body: body["files"].update({"vectors.npy": entry}))
    with pytest.raises(IndexFileError, match="the manifest is damaged"):
        read_manifest(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["levers"]["GATE_K"].update(value=4),
        lambda body: body["guard"].update(tau=0.31),
        lambda body: body.update(embedder="lsa:3"),
        lambda body: body.update(note="mine"),
        lambda body: body.pop("manifest_sha256"),
    ],
    ids=["lever", "threshold", "embedder", "more", "unsealed"],
)
def test_an_edited_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """What is in force is what was written: one digit of a threshold would change verdicts."""
    edited(folder, change, seal=False)
    with pytest.raises(IndexFileError, match=r"manifest\.json: was edited or damaged since"):
        read_manifest(folder)


IMPOSSIBLE = {
    "GATE_K": [-5, "abc", "5", None, float("inf"), float("nan"), True, 2.5, []],
    "tau": ["x", float("nan"), 7, True, []],
    "tau_lexical": ["x", None, -1],
    "cos_floor": ["x", None, 2],
    "w_lexical": [None, -1],
    "source": ["other", None, []],
    "ladder": [5, {"x": 1}, {"2": "y"}, {"2": float("nan")}],
    "guard_mode": ["other", 3, None, []],
    "dense_mode": ["other", 3],
    "embedder": [5, []],
    "chunks": ["4", 4.0, True, None],
    "languages": [5, "en", None],
    "analyzer": [None, []],
    "tuning": [5, []],
    "calibration": [5, "x"],
    "levers": [None, 5],
    "files": [None, []],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in IMPOSSIBLE.items() for value in values]
)
def test_a_value_that_cannot_be(folder: Path, name: str, value: object) -> None:
    """It is damage, told with the name of what is wrong, and no traceback later."""

    def change(body: dict[str, Any]) -> None:
        if name in LEVERS:
            body["levers"][name]["value"] = value
        elif name in body["guard"]:
            body["guard"][name] = value
        else:
            body[name] = value

    edited(folder, change)
    with pytest.raises(IndexFileError, match=r"manifest\.json: the manifest is damaged \("):
        read_manifest(folder)


def test_an_index_of_an_earlier_version(folder: Path) -> None:
    """It lists no files and is refused as what it is."""
    edited(folder, lambda body: body.update(schema="gnomon.index/1"))
    with pytest.raises(IndexFileError, match=r"is of version 'gnomon.index/1', .* build the index"):
        read_manifest(folder)


@pytest.mark.parametrize("name", LEVERS)
def test_a_lever_that_is_missing(folder: Path, name: str) -> None:
    """The index is of another version, whichever lever it is; it is not called damaged."""
    edited(folder, lambda body: body["levers"].pop(name))
    with pytest.raises(IndexFileError, match=f"another version .* lacks the lever {name};") as info:
        read_manifest(folder)
    assert "damaged" not in str(info.value)


def test_a_lever_that_is_unknown(folder: Path) -> None:
    """What it would do is unknown, so it is not passed over."""
    lever = {"value": 1.0, "source": "default"}
    edited(folder, lambda body: body["levers"].update({"GATE_Q": lever}))
    with pytest.raises(IndexFileError, match=r"another version .* has the lever 'GATE_Q'"):
        read_manifest(folder)
