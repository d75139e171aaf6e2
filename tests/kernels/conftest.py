"""Fixtures that run a test once per instruction set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(params=kernels.runnable_isas())
def isa(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Force one instruction set for the whole test and make sure that it is the one that runs."""
    name: str = request.param
    monkeypatch.setenv("GNOMON_ISA", name)
    assert kernels.isa() == name
    return name


@pytest.fixture
def force_isa(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that switches the instruction set in the middle of a test."""

    def force(name: str) -> None:
        monkeypatch.setenv("GNOMON_ISA", name)
        assert kernels.isa() == name

    return force
