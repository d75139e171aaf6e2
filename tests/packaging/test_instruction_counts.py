"""The gate that counts instructions: what it adds up, and what makes it fail."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

COUNT = Path(__file__).parents[2] / "bench" / "callgrind" / "count.py"

pytestmark = pytest.mark.skipif(not COUNT.is_file(), reason="needs the checkout")

CALLGRIND_FILE = """\
version: 1
positions: line
events: Ir

ob=(1) /usr/bin/driver
fl=(1) search.cpp
fn=(1) search
10 100
+2 20
cob=(2) /lib/libc.so.6
cfi=(2) memcpy.S
cfn=(2) memcpy
calls=3 40
* 5000
15 3

ob=(2)
fl=(2)
fn=(2)
40 5000

ob=(1)
fl=(1)
fn=(3) score
-5 7

totals: 5130
"""


@pytest.fixture(scope="module")
def count() -> ModuleType:
    """Load the script, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("count_instructions", COUNT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_only_code_of_the_binary_is_counted(count: ModuleType) -> None:
    """Self costs of its functions count; libc's don't, and calls aren't counted a second time."""
    assert count.instructions_of(CALLGRIND_FILE.splitlines(keepends=True), "driver") == 130
    assert count.instructions_of(CALLGRIND_FILE.splitlines(keepends=True), "libc.so.6") == 5000


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (1030, []),
        (970, []),
        (1031, ["avx2, topk: 3.1% more, 1,000 -> 1,031"]),
        (969, ["avx2, topk: 3.1% fewer, 1,000 -> 969"]),
    ],
)
def test_both_directions_fail_beyond_the_tolerance(
    count: ModuleType, now: int, said: list[str]
) -> None:
    """More is a loss, fewer an improvement that has to be written down."""
    baseline = {"instructions": {"avx2": {"topk": 1000}}}
    assert count.differences(baseline, {"avx2": {"topk": now}}) == said


def test_a_work_that_came_or_went_fails(count: ModuleType) -> None:
    """The baseline lists exactly the works that there are."""
    baseline = {"instructions": {"avx2": {"old": 5}}}
    assert count.differences(baseline, {"avx2": {"new": 7}}) == [
        "avx2, new: not known before, 7 now",
        "avx2, old: 5 before, gone now",
    ]


def test_a_set_that_this_machine_lacks_is_not_compared(count: ModuleType) -> None:
    """A machine without AVX2 compares the scalar counts."""
    baseline = {"instructions": {"avx2": {"topk": 5}, "scalar": {"topk": 9}}}
    assert count.differences(baseline, {"scalar": {"topk": 9}}) == []
