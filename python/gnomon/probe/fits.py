"""Which adapters one probe fits, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import MismatchError
from gnomon.kernels import default_threads
from gnomon.probe.beside import Beside
from gnomon.probe.bridging import Adapters
from gnomon.probe.plan import FitPools, Rows, allowed_rows, deciding_pools, draw_pairs
from gnomon.probe.settings import N_FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.adapters.base import FittedAdapter
    from gnomon.probe.choosing import Chosen
    from gnomon.probe.fitting import Fitter
    from gnomon.probe.inputs import ProbeInputs
    from gnomon.probe.ranks import Relevance
    from gnomon.probe.truth import Evaluation


@dataclass(frozen=True, slots=True)
class Fits:
    """The fits behind the figures of one probe.

    Attributes
    ----------
    held_out
        Documents that no deciding adapter may be fitted on.
    stored
        Adapters of an earlier run that take the place of the deciding fits, or None.
    """

    fitter: Fitter
    held_out: Rows
    stored: Sequence[FittedAdapter] | None

    def prepare(self, relevance: Relevance | None) -> Beside[None]:
        """Begin with what needs neither a search nor a chosen adapter, beside the caller.

        Human judgements settle the pools of pairs before anything is searched; at the other tiers
        the oracle does, and only the clusters can be made ahead.
        """
        fitter = self.fitter

        def work(checkpoint: Callable[[], None]) -> None:
            fitter.cluster(checkpoint)
            if relevance is not None and self.stored is None:
                for rows in self._row_sets(self._pools(relevance)):
                    checkpoint()
                    fitter.context(rows)

        return Beside(work, threads=fitter.settings.threads or default_threads())

    def adapters(self, evaluation: Evaluation, chosen: Chosen) -> Adapters:
        """Return what the second walk needs; of stored adapters, nothing but themselves."""
        relevance = evaluation.relevance
        assert relevance is not None
        pools, fitter = self._pools(relevance), self.fitter
        if self.stored is not None:
            _check_stored(self.stored, fitter.inputs, N_FOLDS if pools.folded else 1)
            return Adapters(deciding=self.stored, seen=None, curve={}, folded=pools.folded)
        fitted = fitter.fitted(chosen.name, self._row_sets(pools))
        if fitter.settings.fit_scope == "seen":
            return Adapters(deciding=fitted, seen=None, curve={}, folded=pools.folded)
        return Adapters(
            deciding=fitted[:-1],
            seen=fitted[-1],
            curve=fitter.curve(chosen.name, pools),
            folded=pools.folded,
        )

    def _pools(self, relevance: Relevance) -> FitPools:
        return deciding_pools(
            self.fitter.settings,
            self.fitter.inputs.covered,
            self.held_out,
            np.unique(relevance.rows),
        )

    def _row_sets(self, pools: FitPools) -> list[Rows]:
        """Return the pairs of the deciding fits, then those from everywhere, where they differ."""
        settings = self.fitter.settings
        sets = [draw_pairs(settings, pool) for pool in pools.pools]
        if settings.fit_scope != "seen":
            allowed = allowed_rows(self.fitter.inputs.covered, self.held_out)
            sets.append(draw_pairs(settings, allowed))
        return sets


def _check_stored(stored: Sequence[FittedAdapter], inputs: ProbeInputs, expected: int) -> None:
    widths = {(one.d_new, one.d_old) for one in stored}
    wanted = {(inputs.new_docs.shape[1], inputs.old_docs.shape[1])}
    if len(stored) != expected or widths != wanted or len({one.name for one in stored}) != 1:
        raise MismatchError(
            f"the {len(stored)} stored adapters ({', '.join(one.name for one in stored)}) do not "
            f"belong to this run, which takes {expected} of one kind, from width "
            f"{inputs.new_docs.shape[1]} to {inputs.old_docs.shape[1]}; fit anew with --refit"
        )
