"""The installed package: one version, a light import, typed, explained when it is not compiled."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gnomon

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What costs time or memory to import, or belongs to an extra or to the command line alone.
HEAVY = (
    "Stemmer",
    "bm25s",
    "click",
    "dotenv",
    "h5py",
    "jinja2",
    "ml_dtypes",
    "pyarrow",
    "safetensors",
    "scipy",
    "starlette",
    "torch",
    "tqdm",
    "uvicorn",
    "wordllama",
)


def test_one_version() -> None:
    """The version stands in pyproject.toml and everything else reads it from there."""
    assert importlib.metadata.version("gnomon") == PROJECT["version"]
    assert gnomon.__version__ == PROJECT["version"]


def test_changelog_knows_the_version() -> None:
    """The changelog has a section for the version under work."""
    base = re.sub(r"\.dev\d+$", "", PROJECT["version"])
    assert f"## {base}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_python_has_no_upper_bound() -> None:
    """A cap on Python or on a dependency would make installers choose old releases of gnomon."""
    assert PROJECT["requires-python"] == ">=3.11"
    assert not [wanted for wanted in PROJECT["dependencies"] if "<" in wanted or "==" in wanted]


@pytest.mark.parametrize(
    "use", ["gnomon", "gnomon.topk", "gnomon.VectorIndex", "gnomon.analyze('a b')"]
)
def test_import_is_light(use: str) -> None:
    """``import gnomon``, also to search, loads nothing that is slow or optional."""
    code = f"import gnomon, sys; {use}; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert loaded == []


def test_typed() -> None:
    """Type checkers find the marker and the stub of the compiled core in the installed package."""
    files = importlib.resources.files("gnomon")
    assert files.joinpath("py.typed").is_file()
    assert files.joinpath("_core.pyi").is_file()


def test_public_names_exist() -> None:
    """Every name that the package promises can be reached."""
    assert gnomon.__all__ == sorted(gnomon.__all__)
    for name in gnomon.__all__:
        assert getattr(gnomon, name) is not None


def test_the_console_script_begins_light() -> None:
    """It starts where Ctrl-C is answered, before anything that is slow to import."""
    assert PROJECT["scripts"] == {"gnomon": "gnomon.cli.start:main"}
