"""The house keeps its shape: who imports what, how long a file may be, what never appears in it.

import-linter checks the floors (``nox -s layers``). These tests need nothing but the sources, so
they also hold for the installed package.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

import gnomon

PACKAGE = Path(gnomon.__file__).parent
ROOT = Path(__file__).parents[2]
SOURCES = sorted(PACKAGE.rglob("*.py"))
PURE = {
    "rules": {"numpy", "scipy", "os", "pathlib", "io", "gnomon.kernels"},
    "audit": {"numpy", "scipy", "gnomon.kernels", "gnomon.stats"},
}
MAX_LINES = 400


@functools.cache
def imported(path: Path) -> frozenset[str]:
    """Return the full dotted names that a file imports, those for type checking included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = path.relative_to(PACKAGE.parent).parts[: -node.level] if node.level else ()
            module = ".".join((*parents, *((node.module,) if node.module else ())))
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def reaches(path: Path, forbidden: set[str]) -> set[str]:
    """Return which forbidden modules a file imports, submodules included."""
    return {
        bad
        for bad in forbidden
        for name in imported(path)
        if name == bad or name.startswith(f"{bad}.")
    }


@pytest.mark.parametrize("room", sorted(PURE))
def test_pure_rooms(room: str) -> None:
    """A rule sees values only, and the trail can be verified without any numerics."""
    files = sorted((PACKAGE / room).rglob("*.py"))
    found = {path.name: reaches(path, PURE[room]) for path in files}
    assert {name: bad for name, bad in found.items() if bad} == {}


def test_only_kernels_reach_the_core() -> None:
    """The compiled core has one door."""
    outside = [path for path in SOURCES if PACKAGE / "kernels" not in path.parents]
    assert [path.name for path in outside if reaches(path, {"gnomon._core"})] == []


def test_errors_import_nothing_of_ours() -> None:
    """The exceptions stand at the bottom of the house."""
    assert not [name for name in imported(PACKAGE / "errors.py") if name.startswith("gnomon")]


def test_no_long_room() -> None:
    """A file that needs a map is two files."""
    lengths = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in SOURCES
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_catch_all_names() -> None:
    """A file is named after what it holds."""
    catch_all = {"utils.py", "helpers.py", "common.py", "misc.py"}
    assert [path.name for path in SOURCES if path.name in catch_all] == []


def test_no_pickle() -> None:
    """Files given to gnomon are untrusted; nothing that runs code on loading is ever imported."""
    unsafe = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
    assert [path.name for path in SOURCES if reaches(path, unsafe)] == []


def test_documents_name_no_machine_path() -> None:
    """What the documents show works in any folder of any machine."""
    places = ("/home/", "/root/", "/Users/", "C:\\")
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert documents
    found = {
        str(path.relative_to(ROOT)): place
        for path in documents
        for place in places
        if place in path.read_text(encoding="utf-8")
    }
    assert found == {}
