"""``gnomon index``: from pages to an index, by flags, files and variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.retrieval.index import Index
from tests.cli.probing import assert_refused
from tests.retrieval.docs import PAGES, write_pages

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon


@pytest.fixture
def docs(gnomon: Gnomon) -> Path:
    """Write the pages into the folder of the command line."""
    return write_pages(Path("docs"))


def contents(folder: str) -> dict[str, bytes]:
    """Return the bytes of every file below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in Path(folder).rglob("*.*")}


def test_lexical(gnomon: Gnomon, docs: Path) -> None:
    """No vectors: the index answers, and the guard says that nothing was measured."""
    outcome = gnomon("index", docs, "--out", "ix", "--no-embed")
    assert "chunks: 9 on 4 pages" in outcome.out
    assert "embedder: no vectors" in outcome.out
    assert "tau none, tau_lexical 0.30" in outcome.out
    assert "provisional, mode off" in outcome.out
    assert Index.open("ix").evaluate("How do I rotate a key?").passes


def test_vectors_from_the_corpus(gnomon: Gnomon, docs: Path) -> None:
    """lsa: needs no model; a second build embeds nothing new and writes the same bytes."""
    first = gnomon("index", docs, "--out", "ix", "--embedder", "lsa:3", "--json", "--quiet").json
    before = contents("ix")
    second = gnomon("index", docs, "--out", "ix", "--embedder", "lsa:3", "--json", "--quiet").json
    assert (first["embedded"], second["embedded"]) == (9, 0)
    assert contents("ix") == before
    assert first["manifest"]["profile"]["dim"] == 3
    gnomon("index", docs, "--out", "anew", "--embedder", "lsa:3", "--no-cache", "--quiet")
    assert contents("anew") == before


def test_configuration(gnomon: Gnomon, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's file names pages, index and embedder; the shell beats it."""
    Path("gnomon.toml").write_text(
        f'docs = "{docs}"\nindex = "served"\nembedder = "lsa:3"\nguard.mode = "calibrated"\n'
        "top_k = 3\n",
        encoding="utf-8",
    )
    manifest = gnomon("index", "--json", "--quiet").json["manifest"]
    assert (manifest["embedder"], manifest["guard_mode"]) == ("lsa:3", "calibrated")
    assert manifest["levers"]["GATE_K"] == {"source": "config", "value": 3}
    assert Path("served/manifest.json").is_file()
    monkeypatch.setenv("GNOMON_INDEX", "elsewhere")
    gnomon("index", "--quiet")
    assert Path("elsewhere/manifest.json").is_file()


def test_a_dry_run_writes_nothing(gnomon: Gnomon, docs: Path) -> None:
    """It says what would be built."""
    outcome = gnomon("index", docs, "--out", "ix", "--embedder", "lsa:3", "--dry")
    assert outcome.out.startswith("would write: ix\n")
    assert not Path("ix").exists()
    assert not Path(".gnomon").exists()


def test_precomputed_vectors(gnomon: Gnomon) -> None:
    """A corpus with a row of vectors for each document."""
    np = pytest.importorskip("numpy")
    rows = [{"_id": f"d{i}", "text": f"document {i}"} for i in range(3)]
    Path("corpus.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    np.save("v.npy", np.eye(3, dtype=np.float16))
    gnomon("index", "corpus.jsonl", "--out", "ix", "--embedder", "precomputed:v.npy", "--quiet")
    found = Index.open("ix").search("elsewhere", vectors=[0, 1, 0])
    assert found[0].id == "d1"
    np.save("short.npy", np.eye(2, dtype=np.float16))
    outcome = gnomon(
        "index", "corpus.jsonl", "--out", "ix2", "--embedder", "precomputed:short.npy", code=3
    )
    assert_refused(outcome, "short.npy: has 2 rows for 3 texts")
    assert not Path("ix2").exists()


@pytest.mark.parametrize("flags", [(), ("--dry",)])
def test_a_folder_of_something_else(gnomon: Gnomon, docs: Path, flags: tuple[str, ...]) -> None:
    """A manifest or vectors that no index made are not replaced; ours are, damaged or begun."""
    flags = ("--no-embed", "--quiet", *flags)
    for name, content in {"manifest.json": '{"name": "my app"}', "vectors.npy": "numbers"}.items():
        folder = Path(f"of-{name}")
        folder.mkdir()
        (folder / name).write_text(content, encoding="utf-8")
        outcome = gnomon("index", docs, "--out", folder, *flags, code=2)
        assert_refused(outcome, f"{folder / name} belongs to something else")
        assert [one.read_text("utf-8") for one in folder.iterdir()] == [content]
    gnomon("index", docs, "--out", "ours", "--embedder", "lsa:3", "--quiet")
    Path("ours/manifest.json").write_text("{", encoding="utf-8")
    gnomon("index", docs, "--out", "ours", *flags)
    gnomon("index", docs, "--out", "ours", "--embedder", "lsa:3", "--quiet")
    Path("ours/manifest.json").unlink()
    gnomon("index", docs, "--out", "ours", *flags)


def test_links_are_told(gnomon: Gnomon, docs: Path) -> None:
    """What is not followed is named on stderr."""
    (docs / "loop").symlink_to(docs.resolve())
    outcome = gnomon("index", docs, "--out", "ix", "--no-embed")
    assert "loop: is a link that leaves the folder, loops or leads nowhere; left out" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["docs", "--out", "ix"], 2, "no embedder is named"),
        (["--no-embed"], 2, "no pages are named"),
        (["docs", "--no-embed", "--embedder", "lsa:3"], 2, "contradict each other"),
        (["docs", "--embedder", "bert"], 2, "the embedder 'bert' is none of precomputed:"),
        (["docs", "--embedder", "lsa:"], 2, "lacks what follows the colon, as in lsa:128"),
        (["docs", "--embedder", "lsa:many"], 2, "names no number of dimensions"),
        (["docs", "--embedder", "lsa:900"], 3, "lsa:900 needs more than 900 documents"),
        (["docs", "--no-embed", "--calibration", "none.json"], 2, "none.json is no file"),
        (["nowhere", "--no-embed"], 3, "nowhere"),
        (["empty", "--no-embed"], 3, "holds no Markdown page"),
        (["docs", "--embedder", "precomputed:none.npy"], 3, "none.npy: no such file"),
        (["docs", "--embedder", "openai:x"], 3, "no answer in 5 attempts"),
        (["docs", "--no-embed", "--guard-mode", "on"], 2, "'on' is not one of"),
    ],
)
@pytest.mark.usefixtures("docs")
def test_refused(
    gnomon: Gnomon,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    """Exit 2 for usage, 3 for data and services; nothing is written."""
    Path("empty").mkdir()
    monkeypatch.setenv("GNOMON_ENDPOINT_OPENAI", "http://127.0.0.1:1")
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    assert_refused(gnomon("index", *arguments, code=code), said)
    assert not Path("ix").exists()


@pytest.mark.usefixtures("docs")
def test_an_unknown_key(gnomon: Gnomon) -> None:
    """A typo in the configuration is refused, not skipped."""
    Path("gnomon.toml").write_text("dcos = 'docs'", encoding="utf-8")
    assert_refused(gnomon("index", "--no-embed", code=2), "unknown key 'dcos'; did you mean docs?")


def test_a_page_in_latin1(gnomon: Gnomon, docs: Path) -> None:
    """The file and the line are named, and the old index stays."""
    gnomon("index", docs, "--out", "ix", "--no-embed", "--quiet")
    before = contents("ix")
    (docs / "more.md").write_bytes("# Größe".encode("latin-1"))
    outcome = gnomon("index", docs, "--out", "ix", "--no-embed", code=3)
    assert_refused(outcome, "more.md: line 1")
    assert contents("ix") == before


def test_only_changed_pages_are_embedded(gnomon: Gnomon, docs: Path) -> None:
    """Vectors of unchanged chunks come from the cache, and the bytes are those of a full build."""
    np = pytest.importorskip("numpy")
    texts = docs / "guide" / "keys.md"
    one = gnomon("index", docs, "--out", "ix", "--embedder", "lsa:3", "--json", "--quiet").json
    texts.write_text(PAGES["guide/keys.md"].replace("every day", "each week"), encoding="utf-8")
    two = gnomon("index", docs, "--out", "ix", "--embedder", "lsa:3", "--json", "--quiet").json
    assert one["manifest"]["hash"] != two["manifest"]["hash"]
    assert np.load("ix/vectors.npy").shape == (9, 3)
