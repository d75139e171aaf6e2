"""What the caller may set, checked before any work starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from gnomon.adapters.registry import adapter_named
from gnomon.errors import UsageError

Tier = Literal["T1", "T1u", "T0"]
FitScope = Literal["unseen", "seen"]

N_FOLDS = 5  # probe.md, "No document is scored by an adapter that was fitted on it"
CURVE_PAIRS = (500, 1_000, 2_000, 4_000, 8_000)
MAX_SELECTION = 1_000
MAX_T0_QUERIES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSettings:
    """The settings of one probe; all of them enter the record.

    Attributes
    ----------
    k
        Cut-off of the deciding recall.
    candidate_depth
        N, how many candidates the bridge fetches for the cascade; at least ``k``.
    seed
        Seed of every draw.
    tier
        Ground truth to use, or None for the best that the inputs allow.
    fit_scope
        ``"unseen"`` (default): no document is scored by an adapter fitted on it. ``"seen"``
        for comparison with tools that allow it.
    pairs
        Largest number of document pairs that an adapter is fitted on.
    adapter
        Name of the adapter to use; None lets the probe choose on held-out documents.
    sample
        Number of documents whose new vectors are used, beside every judged document;
        None uses all that were given.
    threads
        Threads of the kernels; None takes the machine's.
    """

    k: int = 10
    candidate_depth: int = 200
    seed: int = 0
    tier: Tier | None = None
    fit_scope: FitScope = "unseen"
    pairs: int = 4_000
    adapter: str | None = None
    sample: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no data could make meaningful."""
        _at_least("k", self.k, 1)
        _at_least("candidate_depth", self.candidate_depth, 1)
        _at_least("pairs", self.pairs, 2)
        _at_least("seed", self.seed, 0)
        if self.seed >= 1 << 53:
            raise UsageError(f"seed is {self.seed}; expected a number below 2**53")
        if self.candidate_depth < self.k:
            raise UsageError(
                f"candidate_depth is {self.candidate_depth} but k is {self.k}: the bridge must "
                "fetch at least k candidates; raise --candidate-depth or lower --k"
            )
        if self.tier is not None and self.tier not in get_args(Tier):
            raise UsageError(f"tier is {self.tier!r}; expected one of T1, T1u, T0")
        if self.fit_scope not in get_args(FitScope):
            raise UsageError(f"fit_scope is {self.fit_scope!r}; expected 'unseen' or 'seen'")
        if self.adapter is not None:
            adapter_named(self.adapter)  # refuses a name that is not in the table
        if self.sample is not None:
            _at_least("sample", self.sample, 1)
        if self.threads is not None:
            _at_least("threads", self.threads, 1)

    def to_json(self) -> dict[str, Any]:
        """Return the settings as they stand in the record; ``threads`` belongs to ``env``."""
        return {
            "adapter": self.adapter,
            "candidate_depth": self.candidate_depth,
            "fit_scope": self.fit_scope,
            "k": self.k,
            "pairs": self.pairs,
            "sample": self.sample,
            "seed": self.seed,
            "tier": self.tier,
        }

    @classmethod
    def from_json(cls, recorded: dict[str, Any], *, threads: int | None) -> ProbeSettings:
        """Rebuild the settings of a record."""
        known: dict[str, Any] = {name: recorded[name] for name in cls().to_json()}
        return cls(**known, threads=threads)


def _at_least(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{name} is {value!r}; expected a whole number of at least {least}")
    if value < least:
        raise UsageError(f"{name} is {value}; expected at least {least}")
