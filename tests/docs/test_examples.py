"""The examples run: those of the docstrings and those of the pages."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import gnomon

ROOT = Path(__file__).parents[2]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PAGES = [
    page
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    if ">>> " in page.read_text(encoding="utf-8")
]
MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(gnomon.__path__, "gnomon.")
    if not found.name.endswith(("._core", ".__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a docstring shows is what the function returns."""
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page shows is what a reader gets, all examples of the page in one session."""
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(
        str(page), module_relative=False, optionflags=OPTIONS, encoding="utf-8"
    )
    assert results.failed == 0
