"""Check what an sdist and a wheel contain; the ``wheel`` session runs it on what it has built.

Usage::

    python tests/packaging/check_archives.py dist
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

IN_SDIST = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "cpp/CMakeLists.txt",
    "docs/README.md",
    "noxfile.py",
    "pyproject.toml",
    "python/gnomon/__init__.py",
    "python/gnomon/_core.pyi",
    "python/gnomon/py.typed",
)
IN_WHEEL = (
    "gnomon/__init__.py",
    "gnomon/_core.pyi",
    "gnomon/blind/assets/icon.svg",
    "gnomon/blind/assets/judge.css",
    "gnomon/blind/assets/judge.html",
    "gnomon/blind/assets/judge.js",
    "gnomon/blind/assets/player.js",
    "gnomon/blind/assets/text.js",
    "gnomon/errors.py",
    "gnomon/py.typed",
    "gnomon/report/templates/parts.html.j2",
    "gnomon/report/templates/probe.css",
    "gnomon/report/templates/probe.html.j2",
)
NEVER = (".venv/", "build/", "__pycache__/", ".gnomon/", ".git/", ".nox/")
MAX_WHEEL_BYTES = 5_000_000


def sdist_names(folder: Path) -> list[str]:
    """Return the names in the one sdist of a folder, without the leading folder."""
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        return [name.partition("/")[2] for name in opened.getnames()]


def wheel_names(folder: Path) -> list[str]:
    """Return the names in the one wheel of a folder."""
    (archive,) = folder.glob("*.whl")
    with zipfile.ZipFile(archive) as opened:
        return opened.namelist()


def faults(folder: Path) -> list[str]:
    """Return what is wrong with the archives of a folder, one sentence each."""
    sdist, wheel = sdist_names(folder), wheel_names(folder)
    found = [f"sdist lacks {name}" for name in IN_SDIST if name not in sdist]
    found += [f"wheel lacks {name}" for name in IN_WHEEL if name not in wheel]
    if not any(name.startswith("gnomon/_core.") and name.endswith(".so") for name in wheel):
        found.append("wheel lacks the compiled core")
    if not any(name.endswith("licenses/LICENSE") for name in wheel):
        found.append("wheel lacks the licence")
    found += [
        f"{kind} holds {name}"
        for kind, names in (("sdist", sdist), ("wheel", wheel))
        for name in names
        if any(name.startswith(part) or f"/{part}" in name for part in NEVER)
    ]
    found += [
        f"wheel holds {name}: only the package belongs there"
        for name in wheel
        if not name.startswith(("gnomon/", "gnomon-"))
    ]
    (archive,) = folder.glob("*.whl")
    if archive.stat().st_size > MAX_WHEEL_BYTES:
        found.append(f"wheel has {archive.stat().st_size} bytes, more than {MAX_WHEEL_BYTES}")
    return found


def main() -> None:
    """Print the faults and exit with 1 when there are any."""
    folder = Path(sys.argv[1])
    found = faults(folder)
    for fault in found:
        sys.stderr.write(f"{fault}\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
