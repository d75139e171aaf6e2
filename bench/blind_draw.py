"""Time and memory of a draw from a contested file of a million spots.

Run ``python bench/blind_draw.py [SPOTS]``. The spots are written to a temporary folder first, about
200 bytes each; the draw runs in a process of its own, whose peak of resident memory is printed.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SPOTS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000


def write_contested(path: Path, spots: int) -> None:
    """Write made-up spots: words of seven letters, one in ten an insertion or a deletion."""
    rng = np.random.default_rng(0)
    words = ["".join(chr(97 + c) for c in letters) for letters in rng.integers(0, 26, (5_000, 7))]
    with path.open("w", encoding="utf-8") as file:
        for i in range(spots):
            pick = [words[j] for j in rng.integers(0, 5_000, 8)]
            kind = ("insertion", "deletion", *["substitution"] * 18)[i % 20]
            spot = {
                "id": f"s-{i:07d}",
                "base": "" if kind == "insertion" else f"{pick[0]} å",
                "alt": "" if kind == "deletion" else f"{pick[1]} {pick[2]}z",
                "used": ("base", "alt")[i % 2],
                "unsure": i % 10 == 0,
                "left_context": " ".join(pick[3:]),
                "time": round(i * 0.37, 2),
                "kind": kind,
            }
            file.write(json.dumps(spot, ensure_ascii=False) + "\n")


def main() -> None:
    """Write the file, draw from it, and print what that took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contested = folder / "contested.jsonl"
        write_contested(contested, SPOTS)
        gnomon = [sys.executable, "-c", "from gnomon.cli.main import main; main()", "blind"]
        state = ["--state-dir", str(folder / "state")]
        planned = subprocess.run(
            [*gnomon, "plan", "--yes", "--json", *state], check=True, capture_output=True
        )
        plan = json.loads(planned.stdout)["plan"]
        start = time.perf_counter()
        subprocess.run(
            [*gnomon, "draw", str(contested), "--plan", plan, "--out", str(folder / "check"),
             "--quiet", *state],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        took_s = time.perf_counter() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s, peak_mib = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        size_mb = contested.stat().st_size / 1e6
    print(
        f"{SPOTS:,} spots, {size_mb:.0f} MB: drawn in {took_s:.1f} s ({cpu_s:.1f} s of CPU time), "
        f"peak {peak_mib:.0f} MiB"
    )


if __name__ == "__main__":
    main()
