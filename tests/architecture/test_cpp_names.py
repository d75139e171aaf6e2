"""Names of the compiled core: none is given twice."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_two_classes_of_one_name() -> None:
    """Two headers that define a class of one name in one namespace break the program silently.

    The linker takes one destructor for both, and a compiler sees only one of them at a time.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for header in sorted((ROOT / "cpp").rglob("*.hpp")):
        namespace = ""
        for line in header.read_text(encoding="utf-8").splitlines():
            if opened := re.match(r"namespace ([\w:]+) \{", line):
                namespace = opened[1]
            elif defined := re.match(r"(?:class|struct|enum class) (\w+)[^;]*\{", line):
                found.setdefault((namespace, defined[1]), []).append(header.name)
    assert found
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
