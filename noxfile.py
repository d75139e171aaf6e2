# /// script
# requires-python = ">=3.11"
# dependencies = ["nox>=2025.5"]
# ///
"""The checks of gnomon, one session each; ``nox -l`` lists them.

``nox -s NAME`` makes an environment for the session. ``nox --no-venv -s NAME`` runs it in the
environment that is active, where gnomon and the tools are installed already; ``.ci/run`` does that,
so that the package is compiled once and not once per session.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nox
import nox.virtualenv

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_external_run = False

ROOT = Path(__file__).parent
PYPROJECT = nox.project.load_toml("pyproject.toml")
KERNEL_DEPENDENT_TESTS = ("tests/kernels", "tests/metrics", "tests/adapters", "tests/probe")
# Tests of files that only the checkout has, or that need not run twice: the wheel goes without.
CHECKOUT_TESTS = (
    "tests/architecture/test_cpp_names.py",
    "tests/architecture/test_free_threading.py",
    "tests/bench",
    "tests/blind/test_page_in_browser.py",
    "tests/docs/test_demo.py",
    "tests/docs/test_links.py",
    "tests/docs/test_readme.py",
    "tests/packaging/test_wide_instructions.py",
    "tests/real",  # the README's command has run them; they take a quarter of the time
)
# Rooms that read no file of the package: installed in another way they are the same code.
SAME_IN_A_WHEEL = (
    "tests/audit",
    "tests/calibration",
    "tests/evaluation",
    "tests/golden",
    "tests/metrics",
    "tests/probe",
    "tests/rules",
    "tests/stats",
)
FUZZ_SECONDS = 30


# ---------------------------------------------------------------------------------------------
# What sessions share


def install(session: nox.Session, *groups: str, package: str | None = ".[test]") -> None:
    """Install gnomon and groups of tools, unless the session runs in the active environment."""
    if isinstance(session.virtualenv, nox.virtualenv.PassthroughEnv):
        return
    tools = nox.project.dependency_groups(PYPROJECT, *groups) if groups else ()
    wanted = (*((package,) if package else ()), *tools)
    if wanted:
        session.install("--quiet", *wanted)


def sources(*suffixes: str) -> list[str]:
    """Return the C++ files that are ours, sorted."""
    roots = ("cpp", "tests/cpp", "bench/callgrind")
    return sorted(
        str(path.relative_to(ROOT))
        for root in roots
        for path in (ROOT / root).rglob("*")
        if path.suffix in suffixes
    )


def presets() -> set[str]:
    """Return the names of the configure presets in CMakePresets.json."""
    text = (ROOT / "CMakePresets.json").read_text(encoding="utf-8")
    return {preset["name"] for preset in json.loads(text)["configurePresets"]}


def build_preset(session: nox.Session, preset: str) -> None:
    """Configure and build one CMake preset."""
    session.run("cmake", "--preset", preset)
    session.run("cmake", "--build", "--preset", preset, "-j", jobs())


def jobs() -> str:
    """Return how many compilers run at once."""
    return os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))


def runnable_isas(session: nox.Session) -> list[str]:
    """Ask the installed package which instruction sets this CPU runs."""
    code = "import gnomon.kernels as k; print(*k.runnable_isas())"
    printed = session.run("python", "-c", code, silent=True)
    if not isinstance(printed, str):
        session.error("gnomon.kernels.runnable_isas() printed nothing")
    return printed.split()


# ---------------------------------------------------------------------------------------------
# Tests


@nox.session(default=True)
def tests(session: nox.Session) -> None:
    """Run the Python tests against the installed package; arguments go to pytest."""
    install(session)
    session.run("pytest", *session.posargs)


@nox.session(default=False)
def real(session: nox.Session) -> None:
    """Run the tests on real collections; they need ../shared/data beside the checkout."""
    install(session)
    session.run("pytest", "tests/real", *session.posargs, env={"CI": "true"})


@nox.session(default=False)
def isa(session: nox.Session) -> None:
    """Run every test that reaches a kernel once per instruction set that this CPU runs.

    The best one is left out: ``nox -s tests`` runs everything under it.
    """
    install(session)
    wanted = [folder for folder in KERNEL_DEPENDENT_TESTS if (ROOT / folder).is_dir()]
    for name in runnable_isas(session)[:-1]:
        session.log(f"GNOMON_ISA={name}")
        session.run("pytest", *wanted, *session.posargs, env={"GNOMON_ISA": name})


@nox.session(default=False)
def threads(session: nox.Session) -> None:
    """Run every test that reaches a kernel on 1, 2 and 7 threads."""
    install(session)
    wanted = [folder for folder in KERNEL_DEPENDENT_TESTS if (ROOT / folder).is_dir()]
    for count in ("1", "2", "7"):
        session.log(f"GNOMON_NUM_THREADS={count}")
        session.run("pytest", *wanted, *session.posargs, env={"GNOMON_NUM_THREADS": count})


@nox.session(default=False)
def tests_cpp(session: nox.Session) -> None:
    """Build the C++ tests with warnings as errors and run them."""
    install(session, "cpp", package=None)
    build_preset(session, "dev")
    session.run("ctest", "--preset", "dev", "--output-on-failure")


@nox.session(default=False)
def sanitize(session: nox.Session) -> None:
    """Run the C++ tests under address and undefined-behaviour, then under thread sanitizers."""
    install(session, "cpp", package=None)
    for preset in ("asan", "tsan"):
        build_preset(session, preset)
        session.run("ctest", "--preset", preset, "--output-on-failure")


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Run every libFuzzer target; the argument is seconds a target (30), clang is needed."""
    install(session, "cpp", package=None)
    seconds = int(session.posargs[0]) if session.posargs else FUZZ_SECONDS
    build_preset(session, "fuzz")
    targets = sorted(
        path
        for path in (ROOT / "build/fuzz").rglob("fuzz_*")
        if path.is_file() and os.access(path, os.X_OK)
    )
    if not targets:
        session.error("the fuzz preset built no fuzz_* program")
    # Two at a time: a target is one thread, and the smallest machine of CI has two CPUs.
    with tempfile.TemporaryDirectory() as corpus, ThreadPoolExecutor(2) as pool:
        codes = pool.map(lambda target: run_fuzzer(target, Path(corpus), seconds), targets)
        failed = [target.name for target, code in zip(targets, codes, strict=True) if code]
    if failed:
        session.error(f"{', '.join(failed)}: a finding; the input that shows it is printed above")


def run_fuzzer(target: Path, corpus: Path, seconds: int) -> int:
    """Run one libFuzzer program on its seeds, print what it printed, and return its exit code."""
    found = corpus / target.name
    found.mkdir()
    seeds = ROOT / "tests" / "cpp" / "corpus" / target.name
    done = subprocess.run(
        [
            str(target),
            str(found),
            *([str(seeds)] if seeds.is_dir() else []),
            "-len_control=0",
            f"-max_total_time={seconds}",
            "-print_final_stats=1",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    print(f"{target.name}: exit {done.returncode}\n{done.stdout}", flush=True)
    return done.returncode


# ---------------------------------------------------------------------------------------------
# Reading without running


@nox.session(default=True)
def lint(session: nox.Session) -> None:
    """Check style and formatting: ruff, clang-format, clang-tidy, all at pinned versions."""
    install(session, "cpp", "lint", package=None)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    ours = sources(".hpp", ".cpp")
    if ours:
        session.run("clang-format", "--dry-run", "-Werror", *ours)
    if "tidy" in presets():
        session.run("cmake", "--preset", "tidy")
        session.run("cmake", "--build", "--preset", "tidy", "-j", jobs())


@nox.session(default=True)
def typing(session: nox.Session) -> None:
    """Check types: mypy strict, the stub of the compiled core, and the typing tests."""
    install(session, "typing", "bench")
    session.run("mypy")
    # From outside the checkout: the stub is compared with the module that is installed.
    with tempfile.TemporaryDirectory() as elsewhere, session.chdir(elsewhere):
        session.run("python", "-m", "mypy.stubtest", "gnomon._core")


@nox.session(default=True)
def layers(session: nox.Session) -> None:
    """Check that rooms import only from below (import-linter, the contracts of pyproject.toml)."""
    install(session, "lint")
    session.run("lint-imports")


@nox.session(default=True)
def docs(session: nox.Session) -> None:
    """Check the documentation: links resolve, examples run, the README's commands are CI's."""
    install(session)
    session.run("pytest", "tests/docs", *session.posargs)


# ---------------------------------------------------------------------------------------------
# Figures and releases


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Run the benchmarks; arguments go to pytest. Figures are informational, never a gate."""
    install(session, "bench", package=".[bench]")
    files = sorted(str(path) for path in Path("bench").glob("bench_*.py"))
    session.run("pytest", *files, "--benchmark-only", *session.posargs)


@nox.session(default=False)
def instructions(session: nox.Session) -> None:
    """Compare instruction counts of every kernel with the baseline; ``-- --refresh`` writes it."""
    install(session, "cpp", package=None)
    session.run("cmake", "--preset", "dev")
    target = "gnomon_callgrind"
    session.run("cmake", "--build", "--preset", "dev", "-j", jobs(), "--target", target)
    driver = f"build/dev/cpp/callgrind/{target}"
    session.run("python", "bench/callgrind/count.py", driver, *session.posargs)


@nox.session(default=False)
def wheel(session: nox.Session) -> None:
    """Build sdist and wheel, test the wheel away from the source tree, print install figures."""
    install(session, "wheel", package=None)
    with tempfile.TemporaryDirectory(prefix="gnomon-wheel-") as folder:
        work = Path(folder)
        session.run("python", "-m", "build", "--outdir", str(work / "dist"), str(ROOT))
        built = next((work / "dist").glob("*.whl"))
        session.run("python", "tests/packaging/check_archives.py", str(work / "dist"))
        # Only what the tests read: neither the package's sources nor its build files.
        copied = work / "away"
        for name in ("tests", "docs", ".ci"):
            shutil.copytree(ROOT / name, copied / name)
        for path in (ROOT / "pyproject.toml", *ROOT.glob("*.md")):
            shutil.copy(path, copied / path.name)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (work / "shared").symlink_to(shared)
        python = fresh_environment(work / "venv")
        session.run(python, "-m", "pip", "install", "--quiet", f"{built}[test,demo]", external=True)
        ignored = [f"--ignore={path}" for path in (*CHECKOUT_TESTS, *SAME_IN_A_WHEEL)]
        with session.chdir(copied):
            session.run(python, "-m", "pytest", *ignored, *session.posargs, external=True)
        print_install_figures(session, work)


def fresh_environment(folder: Path) -> str:
    """Make a virtual environment and return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return str(folder / "bin" / "python")


def print_install_figures(session: nox.Session, work: Path) -> None:
    """Print how long ``pip install .`` takes from nothing, and the import of the package."""
    python = fresh_environment(work / "timed")
    start = time.monotonic()
    session.run(python, "-m", "pip", "install", "--quiet", str(ROOT), external=True)
    session.log(f"pip install . took {time.monotonic() - start:.1f} s (bar: 180 s)")
    session.run(python, str(ROOT / "bench" / "import_time.py"), external=True)


if __name__ == "__main__":
    nox.main()
