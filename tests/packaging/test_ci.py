"""The build's own machinery: a failing step fails the build, whatever comes after it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

STEPS = Path(__file__).parents[2] / ".ci" / "steps.sh"


def run_steps(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script that has the build's step functions, as ``.ci/run`` does."""
    text = f'set -euo pipefail\nsource "{STEPS}"\n{script}'
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False)


def test_all_steps_pass() -> None:
    """A build whose steps all pass succeeds and lists each of them."""
    done = run_steps("step one true\nstep two true\nfinish_steps")
    assert done.returncode == 0
    assert "all 2 steps passed" in done.stdout


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("false", "a command fails"),
        ("false; true", "an earlier command of a function fails"),
        ("false | tee /dev/null", "the left side of a pipe fails"),
        ("no-such-command-anywhere", "a command is missing"),
        ('echo "$not_set"', "a variable is not set"),
        ("kill -KILL $BASHPID", "the step is killed"),
        ("exit 3", "the step exits"),
    ],
)
def test_failing_step_fails_the_build(body: str, why: str) -> None:
    """A step fails the build, the steps after it still run, and the table names it."""
    done = run_steps(f"bad() {{ {body}; }}\nstep broken bad\nstep later true\nfinish_steps")
    assert done.returncode == 1, why
    assert "broken" in done.stdout
    assert "1 of 2 steps failed" in done.stdout
    assert "later: ok" in done.stdout


def test_no_step_fails_the_build() -> None:
    """A build in which nothing ran has not passed."""
    assert run_steps("finish_steps").returncode == 1


def test_step_cannot_move_the_next_one() -> None:
    """A step that changes folder leaves the next one where it was."""
    done = run_steps(
        "move() { cd /; }\nstep one move\n[[ $PWD != / ]]\nstep two true\nfinish_steps"
    )
    assert done.returncode == 0
