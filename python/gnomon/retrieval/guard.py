"""The guard: which threshold is in force, where it came from, and whether it is enforced."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from gnomon.retrieval.gate_score import (
    PROVISIONAL_TAU,
    PROVISIONAL_TAU_LEXICAL,
    PROVISIONAL_WINDOW,
    W_DENSE,
    W_LEXICAL,
    check_weights,
)
from gnomon.sources.json_text import WrongPartError

if TYPE_CHECKING:
    from collections.abc import Mapping

GuardMode = Literal["off", "calibrated", "dense-only"]
DenseMode = Literal["cosine", "zscore"]
GuardSource = Literal["provisional", "calibrated", "calibrated-lexical", "transferred-window"]

PROVISIONAL: Final = "provisional"
# What each may be in a file.
_RANGES: Final = {
    "tau": (0.0, 1.0),
    "tau_lexical": (0.0, 1.0),
    "w_dense": (0.0, 1.0),
    "w_lexical": (0.0, 1.0),
    "cos_floor": (-1.0, 1.0),
    "cos_ceil": (-1.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class Guard:
    """The thresholds of a gate.

    Attributes
    ----------
    tau
        What G must reach; None without a dense channel, where it cannot be measured.
    tau_lexical
        What L must reach where there is no dense channel.
    cos_floor, cos_ceil
        The window of the dense channel.
    ladder
        Measured z of the best of n chunks, by n; empty until measured.
    source
        ``provisional`` until a calibration is inlined.
    """

    tau: float | None = PROVISIONAL_TAU
    tau_lexical: float = PROVISIONAL_TAU_LEXICAL
    w_dense: float = W_DENSE
    w_lexical: float = W_LEXICAL
    cos_floor: float = PROVISIONAL_WINDOW[0]
    cos_ceil: float = PROVISIONAL_WINDOW[1]
    ladder: Mapping[int, float] = field(default_factory=dict)
    source: GuardSource = "provisional"

    def __post_init__(self) -> None:
        if self.tau is not None:
            check_weights(tau=self.tau, w_dense=self.w_dense, w_lexical=self.w_lexical)

    @property
    def z_exp_source(self) -> Literal["measured", "closed-form"]:
        """Where the expected best of n chunks comes from."""
        return "measured" if self.ladder else "closed-form"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {
            "tau": self.tau,
            "tau_lexical": self.tau_lexical,
            "w_dense": self.w_dense,
            "w_lexical": self.w_lexical,
            "cos_floor": self.cos_floor,
            "cos_ceil": self.cos_ceil,
            "ladder": {str(n): z for n, z in sorted(self.ladder.items())},
            "z_exp_source": self.z_exp_source,
            "source": self.source,
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Guard:
        """Return the guard that `as_dict` wrote.

        Raises
        ------
        WrongPartError
            When a threshold is no number of its range, or the source is none.
        """
        for name, (low, high) in _RANGES.items():
            _check_number(name, fields.get(name, low), low, high, or_null=name == "tau")
        if fields.get("source", PROVISIONAL) not in get_args(GuardSource):
            raise WrongPartError(f"the source of the guard is {fields['source']!r:.40}")
        known = {
            name: fields[name]
            for name in cls.__dataclass_fields__
            if name in fields and name != "ladder"
        }
        ladder = {int(n): float(z) for n, z in fields.get("ladder", {}).items()}
        if not all(map(math.isfinite, ladder.values())):
            raise WrongPartError("the ladder holds a number that is not finite")
        return cls(**known, ladder=ladder)


def _check_number(name: str, value: object, low: float, high: float, *, or_null: bool) -> None:
    if or_null and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise WrongPartError(f"{name} is {value!r:.40}; expected a number from {low:g} to {high:g}")


def is_enforced(mode: GuardMode, *, dense: bool) -> bool:
    """Return whether a verdict is acted upon; it is always scored and recorded."""
    return mode == "calibrated" or (mode == "dense-only" and dense)
