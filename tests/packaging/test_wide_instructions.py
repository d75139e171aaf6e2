"""No instruction beyond baseline x86-64 sits where a plain CPU could meet it.

The kernels' objects are compiled for this test and disassembled, because the installed module is
stripped. Three ways are known in which a wheel dies with an illegal instruction on an older CPU:
wide code in an ordinary object, wide code in a static initialiser that runs before any dispatch,
and a weak function that the linker takes from a wide object for everybody.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="looks at x86-64 machine code"),
    pytest.mark.skipif(not (ROOT / "cpp").is_dir(), reason="needs the C++ sources"),
    pytest.mark.skipif(shutil.which("objdump") is None, reason="needs binutils"),
]

MARKS = {"avx512": {"avx2", "avx512"}, "avx2": {"avx2"}, "f16c": {"avx2"}}
"""What an object may contain, by the mark in its file name."""

BIT_MANIPULATION = re.compile(r"andn|bextr|bls(i|msk|r)|bzhi|lzcnt|mulx|pdep|pext|rorx|s[ahlr]+x")
"""Scalar instructions that came with AVX2; tzcnt is left out, older CPUs read it as bsf."""

INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\s+(?P<name>\S+)\s*(?P<operands>.*)$")
EVEX_REGISTER = re.compile(r"%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\d|3[01])")


def run(*command: str) -> str:
    """Return what a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Compile the core as a release does and return its object files."""
    build = tmp_path_factory.mktemp("objects")
    cmake = shutil.which("cmake", path=TOOLS)
    assert cmake, "CMake is needed; it comes with the build tools"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DGNOMON_BUILD_PYTHON=OFF"]
    run(cmake, "-S", str(ROOT), "-B", str(build), *options)
    run(cmake, "--build", str(build), "--target", "gnomon_core", "--parallel", "2")
    found = sorted(build.rglob("*.o"))
    assert found
    return found


def needs(name: str, operands: str) -> str | None:
    """Return the instruction set that an instruction needs beyond x86-64, or None."""
    if EVEX_REGISTER.search(operands):
        return "avx512"
    vex = name.startswith("v") and name not in {"verr", "verw"}
    if vex or "%ymm" in operands or BIT_MANIPULATION.fullmatch(name):
        return "avx2"
    return None


def allowed_in(path: Path) -> set[str]:
    """Return the instruction sets that an object's name promises."""
    return next((sets for mark, sets in MARKS.items() if mark in path.name), set())


def wide_instructions(path: Path) -> dict[str, str]:
    """Return an example for each instruction set beyond x86-64 in an object."""
    found: dict[str, str] = {}
    for line in run("objdump", "--disassemble", "--no-show-raw-insn", str(path)).splitlines():
        match = INSTRUCTION.match(line)
        wanted = match and needs(match["name"], match["operands"])
        if wanted:
            found.setdefault(wanted, line.strip())
    return found


def test_wide_instructions_stay_in_objects_named_for_them(objects: list[Path]) -> None:
    """An object has the instructions that its name promises and no others."""
    surprises = {
        path.name: example
        for path in objects
        for wanted, example in wide_instructions(path).items()
        if wanted not in allowed_in(path)
    }
    assert surprises == {}


def test_the_search_sees_wide_instructions(objects: list[Path]) -> None:
    """The objects named for AVX2 and AVX-512 do contain such code, so the search is not blind."""
    for mark in ("avx2", "avx512"):
        named = [path for path in objects if mark in path.name]
        assert named
        for path in named:
            assert mark in wide_instructions(path), path.name


def test_wide_objects_run_nothing_before_dispatch(objects: list[Path]) -> None:
    """No object with wide code has a static initialiser."""
    for path in objects:
        if allowed_in(path):
            headers = run("objdump", "--section-headers", str(path))
            assert not re.search(r"\.(init_array|ctors|preinit_array)", headers), path.name


def test_wide_objects_lend_no_function_to_others(objects: list[Path]) -> None:
    """No object with wide code defines a weak function that could replace a plain one."""
    for path in objects:
        if allowed_in(path):
            symbols = run("nm", "--defined-only", "--demangle", str(path)).splitlines()
            lent = [line for line in symbols if re.match(r"[0-9a-f]+ [Wu] ", line)]
            assert lent == [], path.name
