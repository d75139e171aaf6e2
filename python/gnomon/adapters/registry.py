"""The adapters by name, in the order in which a tie between them is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.adapters.affine import AffineAdapter
from gnomon.adapters.identity import IdentityAdapter, fit_identity
from gnomon.adapters.low_rank import LowRankAdapter, fit_low_rank
from gnomon.adapters.pairs import FitContext
from gnomon.adapters.per_cluster import PerClusterAdapter, fit_per_cluster
from gnomon.adapters.procrustes import fit_procrustes, fit_procrustes_scaled
from gnomon.adapters.ridge import fit_ridge
from gnomon.errors import InvalidInputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter


@dataclass(frozen=True, slots=True)
class Adapter:
    """A kind of adapter: its name, its form, and how it is fitted.

    Attributes
    ----------
    name
        As in the table of the decision rule and in ``--adapter``.
    fitted_type
        The class of what a fit returns.
    fit_context
        Fits on a context; raises NotMeasuredError where the adapter is not offered.
    """

    name: str
    fitted_type: type[FittedAdapter]
    fit_context: Callable[[FitContext], FittedAdapter]

    def fit(
        self,
        new_pairs: NDArray[np.float32],
        old_pairs: NDArray[np.float32],
        *,
        seed: int,
        context: FitContext | None = None,
    ) -> FittedAdapter:
        """Return the adapter fitted on these pairs.

        Parameters
        ----------
        new_pairs, old_pairs
            float32[n, d_new] and float32[n, d_old], l2-normalised, row i of both the same document.
        seed
            Seed of the draws inside the fit.
        context
            What several fits on the same pairs share; made here when None.

        Raises
        ------
        InvalidInputError
            The pairs can't be used, or the context belongs to others.
        NotMeasuredError
            The adapter is not offered for these pairs; the message says why.
        """
        if context is None:
            context = FitContext.of(new_pairs, old_pairs, seed=seed)
        given = (new_pairs.shape[1], old_pairs.shape[1], seed)
        shared = (context.new_pairs.shape[1], context.old_pairs.shape[1], context.seed)
        if given != shared or context.n > len(new_pairs):
            raise InvalidInputError("the context was made from other pairs or another seed")
        return self.fit_context(context)


ADAPTERS: tuple[Adapter, ...] = (
    Adapter("identity", IdentityAdapter, fit_identity),
    Adapter("procrustes", AffineAdapter, fit_procrustes),
    Adapter("procrustes_scaled", AffineAdapter, fit_procrustes_scaled),
    Adapter("ridge", AffineAdapter, fit_ridge),
    Adapter("low_rank", LowRankAdapter, fit_low_rank),
    Adapter("per_cluster", PerClusterAdapter, fit_per_cluster),
)
ADAPTER_NAMES: tuple[str, ...] = tuple(adapter.name for adapter in ADAPTERS)


def adapter_named(name: str) -> Adapter:
    """Return the adapter of this name.

    Raises
    ------
    UsageError
        There is none; the message lists the right names.

    Examples
    --------
    >>> adapter_named("ridge").name
    'ridge'
    """
    for adapter in ADAPTERS:
        if adapter.name == name:
            return adapter
    raise UsageError(f"unknown adapter {name!r}; the adapters are {', '.join(ADAPTER_NAMES)}")
