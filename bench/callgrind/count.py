"""Counts the instructions of every kernel under Callgrind and compares them with a baseline.

    python bench/callgrind/count.py DRIVER              compare; exits with 1 when something moved
    python bench/callgrind/count.py DRIVER --refresh    write the baseline anew

``DRIVER`` is the program gnomon_callgrind of the build folder; ``nox -s instructions`` builds it
and compares. Every work runs on one thread with GNOMON_ISA=scalar and, where the CPU has it, avx2;
Valgrind knows no AVX-512. Counted are the instructions of the driver itself, which contains the
core, while the work runs: libc and libstdc++ are left out, because glibc chooses its memcpy by the
CPU. A work whose count moves by more than 3% fails, downwards too: an improvement that isn't
written down can be lost again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BASELINE = Path(__file__).parent / "baseline.json"
TOLERANCE = 0.03
ISAS = ("scalar", "avx2")
COUNTED = "gnomon_counted"

Counts = dict[str, dict[str, int]]

_POSITION = re.compile(r"(?:ob|cob)=\((?P<number>\d+)\)(?: (?P<name>.*))?")


def instructions_of(lines: Iterable[str], binary: str) -> int:
    """Return the instructions that a Callgrind file attributes to code of one binary itself.

    A line of cost belongs to the object named last; the line after ``calls=`` repeats what the
    called function cost, which is listed under that function already.
    """
    names: dict[str, str] = {}
    ours = called = False
    total = 0
    for line in lines:
        if line.startswith(("ob=", "cob=")):
            match = _POSITION.match(line)
            assert match, line
            if match["name"] is not None:
                names[match["number"]] = match["name"].rstrip("\n")
            if line.startswith("ob="):
                ours = Path(names[match["number"]]).name == binary
        elif line.startswith("calls="):
            called = True
        elif line[:1].isdigit() or line[:1] in "+-*":
            if called:
                called = False
            elif ours:
                total += int(line.rsplit(maxsplit=1)[-1])
    return total


def count(driver: Path, work: str, isa: str) -> int:
    """Run one work under Callgrind and return its instructions."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        command = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={out}",
            "--collect-atstart=no",
            f"--toggle-collect={COUNTED}",
            str(driver),
            work,
        ]
        environment = {"PATH": os.environ["PATH"], "GNOMON_ISA": isa, "LC_ALL": "C"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{work} with {isa} failed under Callgrind:\n{done.stderr}")
        with out.open(encoding="utf-8", errors="replace") as lines:
            found = instructions_of(lines, driver.name)
    if found == 0:
        raise SystemExit(f"{work} with {isa}: Callgrind counted nothing in {COUNTED}")
    return found


def count_all(driver: Path) -> Counts:
    """Return the instructions of every work, by instruction set."""
    works = printed(driver).splitlines()
    counts: Counts = {isa: {} for isa in ISAS if runs(driver, isa)}
    wanted = [(isa, work) for isa in counts for work in works]
    # Counts don't depend on what else runs, so all cores may count.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = pool.map(lambda one: count(driver, one[1], one[0]), wanted)
        for (isa, work), instructions in zip(wanted, found, strict=True):
            counts[isa][work] = instructions
    return counts


def runs(driver: Path, isa: str) -> bool:
    """Return whether this machine, and Valgrind's idea of it, runs an instruction set."""
    done = subprocess.run(
        ["valgrind", "--tool=none", "-q", str(driver), "norms"],
        env={"PATH": os.environ["PATH"], "GNOMON_ISA": isa},
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def printed(driver: Path, *arguments: str) -> str:
    """Return what the driver prints."""
    done = subprocess.run([driver, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def differences(baseline: Mapping[str, Any], counts: Counts) -> list[str]:
    """Return a line for everything that isn't as in the baseline; works that it lacks, too."""
    found = []
    for isa, works in counts.items():
        known = baseline["instructions"].get(isa, {})
        for work in sorted(works.keys() | known.keys()):
            before, now = known.get(work), works.get(work)
            if before is None or now is None:
                found.append(f"{isa}, {work}: {before or 'not known'} before, {now or 'gone'} now")
            elif abs(now - before) > TOLERANCE * before:
                word = "more" if now > before else "fewer"
                found.append(
                    f"{isa}, {work}: {abs(now / before - 1):.1%} {word}, {before:,} -> {now:,}"
                )
    return found


def main() -> int:
    """Compare with the baseline, or refresh it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("driver", type=Path)
    parser.add_argument("--refresh", action="store_true", help="write the baseline anew")
    args = parser.parse_args()
    driver = args.driver.resolve()
    compiler = printed(driver, "--compiler").strip()
    counts = count_all(driver)
    for isa, works in counts.items():
        for work, instructions in works.items():
            print(f"{isa:8}{work:32}{instructions:>16,}")
    if args.refresh:
        text = json.dumps({"compiler": compiler, "instructions": counts}, indent=2)
        BASELINE.write_text(text + "\n", encoding="utf-8")
        return 0
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    if baseline["compiler"] != compiler:
        print(f"the baseline belongs to {baseline['compiler']}, this is {compiler}: not comparable")
        return 2
    moved = differences(baseline, counts)
    if moved:
        print(f"moved by more than {TOLERANCE:.0%}; if that is meant, run this with --refresh and")
        print("say why in the commit:", *moved, sep="\n  ")
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
