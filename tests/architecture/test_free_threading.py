"""The compiled core says that it needs no global interpreter lock, and keeps nothing that would."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def sources(folder: str) -> list[Path]:
    """Return the C++ files of a folder."""
    return sorted(path for path in (ROOT / "cpp" / folder).rglob("*.[ch]pp"))


def test_the_module_declares_it() -> None:
    """Importing gnomon on a free-threaded Python must not turn the lock on again."""
    text = (ROOT / "cpp" / "bindings" / "module.cpp").read_text(encoding="utf-8")
    assert re.search(r"PYBIND11_MODULE\(_core, \w+, pybind11::mod_gil_not_used\(\)\)", text)


def test_kernels_do_not_know_python() -> None:
    """Nothing under cpp/src or cpp/include includes Python or pybind11."""
    for path in [*sources("src"), *sources("include")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"#include [<\"](Python\.h|pybind11)", text), path


def test_no_mutable_globals() -> None:
    """Variables at namespace scope are constants: calls share nothing but their arguments."""
    variable = re.compile(
        r"^(?:static |inline |thread_local )+(?!const|constexpr)[\w:<>, ]+ \w+(?: = .*|\{.*)?;$",
        re.M,
    )
    for path in [*sources("src"), *sources("include"), *sources("bindings")]:
        found = variable.search(path.read_text(encoding="utf-8"))
        assert found is None, (path, found)
