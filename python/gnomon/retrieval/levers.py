"""The levers of retrieval: what each is, who may move it, and which value is in force and why.

Levers change what is retrieved; thresholds (``tau``, ``tau_lexical`` and the weights of the gate)
change what is said. Only ``tune`` writes a lever, only ``calibrate`` a threshold, and nothing is
both.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from gnomon.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Source = Literal["environment", "config", "tuning", "default"]

ENVIRONMENT_PREFIX: Final = "GNOMON_"
# GATE_K under its documented name; more than a dozen excerpts do not fit a prompt.
CONFIG_GATE_K: Final = "top_k"
CONFIG_GATE_K_RANGE: Final = (1, 12)


@dataclass(frozen=True, slots=True)
class LeverKind:
    """What a lever may be.

    Attributes
    ----------
    default
        The shipped value.
    whole
        Whether it is a count.
    low, high
        The closed range of its values.
    swept
        Whether ``tune`` may choose it.
    moves_verdict
        Whether a calibration measured under another value no longer holds.
    """

    default: float
    whole: bool
    low: float
    high: float
    swept: bool = False
    moves_verdict: bool = False


def _count(default: int, *, low: int = 1, high: int = 10_000, **marks: bool) -> LeverKind:
    return LeverKind(default, True, low, high, **marks)


def _weight(default: float, *, high: float = 1000.0, **marks: bool) -> LeverKind:
    return LeverKind(default, False, 0.0, high, **marks)


LEVERS: Final[Mapping[str, LeverKind]] = {
    "MMR_LAMBDA": _weight(1.0, high=1.0, swept=True),
    "GATE_K": _count(5, high=100, swept=True),
    "RRF_K": _weight(5.0),
    "W_LEXICAL_RRF": _weight(1.0),
    "W_DENSE_RRF": _weight(1.0),
    "CANDIDATES": _count(30, moves_verdict=True),
    "FUSED": _count(12),
    "EXPAND_BELOW_TOKENS": _count(150, low=0),
    # What MMR_LAMBDA 1 means: 0 keeps the order of the fusion, 1 ranks the pool by cosine.
    "DENSE_RERANK": _count(0, low=0, high=1),
    "PAGE_CAP": _count(2),
    "BM25_K1": _weight(1.2, moves_verdict=True),
    "BM25_B": _weight(0.75, high=1.0, moves_verdict=True),
    "BOOST_TITLE": _weight(2.0, moves_verdict=True),
    "BOOST_TRAIL": _weight(2.0, moves_verdict=True),
    "BOOST_PATH": _weight(1.0, moves_verdict=True),
    "BOOST_ANCHOR": _weight(1.0, moves_verdict=True),
    "BOOST_TEXT": _weight(1.0, moves_verdict=True),
}
THRESHOLDS: Final = ("tau", "tau_lexical", "w_dense", "w_lexical")


@dataclass(frozen=True, slots=True)
class Lever:
    """A value in force and where it came from."""

    value: float
    source: Source


@dataclass(frozen=True, slots=True)
class Levers:
    """Every lever's value in force."""

    values: Mapping[str, Lever]

    def __getitem__(self, name: str) -> float:
        return self.values[name].value

    def count(self, name: str) -> int:
        """Return the value of a lever that is a count."""
        return int(self[name])

    def moving_verdict(self) -> dict[str, float]:
        """Return the levers that a calibration depends on."""
        return {name: self[name] for name, kind in LEVERS.items() if kind.moves_verdict}


def resolve_levers(
    *,
    config: Mapping[str, object] | None = None,
    tuning: Mapping[str, float] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Levers:
    """Return the levers in force: environment before config before tuning before the default.

    Parameters
    ----------
    config
        The user's configuration; only ``top_k`` is a lever, clamped to 1 to 12.
    tuning
        MMR_LAMBDA and GATE_K as the index carries them.
    environment
        ``os.environ``, read now, unless given.

    Raises
    ------
    UsageError
        When a value is no number or out of its range; the message names the variable or key.
    """
    environment = os.environ if environment is None else environment
    found = {
        name: _resolve(name, kind, config or {}, tuning or {}, environment)
        for name, kind in LEVERS.items()
    }
    return Levers(found)


def checked_value(name: str, value: object, *, where: str) -> float:
    """Return a lever's value from a file.

    Raises
    ------
    UsageError
        When it is no number or out of the lever's range; the message names ``where``.
    """
    return _checked(value, LEVERS[name], where=where)


def shadowing_variables(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the set variables that would make every cell of a sweep measure the same."""
    environment = os.environ if environment is None else environment
    swept = (ENVIRONMENT_PREFIX + name for name, kind in LEVERS.items() if kind.swept)
    return tuple(variable for variable in swept if environment.get(variable, "") != "")


def _resolve(
    name: str,
    kind: LeverKind,
    config: Mapping[str, object],
    tuning: Mapping[str, float],
    environment: Mapping[str, str],
) -> Lever:
    variable = ENVIRONMENT_PREFIX + name
    text = environment.get(variable, "")
    if text:
        return Lever(_checked(text, kind, where=variable), "environment")
    if name == "GATE_K" and config.get(CONFIG_GATE_K) is not None:
        value = _checked(config[CONFIG_GATE_K], LEVERS[name], where=CONFIG_GATE_K, clamp=True)
        return Lever(value, "config")
    if kind.swept and name in tuning:
        return Lever(_checked(tuning[name], kind, where=f"tuning {name}"), "tuning")
    return Lever(kind.default, "default")


def _checked(value: object, kind: LeverKind, *, where: str, clamp: bool = False) -> float:
    low, high = CONFIG_GATE_K_RANGE if clamp else (kind.low, kind.high)
    what = "a whole number" if kind.whole else "a number"
    try:
        number = float(value) if not isinstance(value, bool) else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or (kind.whole and number != int(number)):
        raise UsageError(f"{where} is {value!r}; expected {what} from {low:g} to {high:g}")
    if clamp:
        return min(max(number, low), high)
    if not low <= number <= high:
        raise UsageError(f"{where} is {value!r}; expected {what} from {low:g} to {high:g}")
    return number
