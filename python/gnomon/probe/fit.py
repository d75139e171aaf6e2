"""Fitting the bridge that is served: on everything it may use, not on what a probe held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.adapters.bridge import Bridge
from gnomon.probe.finding import rows_named
from gnomon.probe.fitting import Fitter, one_blas_thread
from gnomon.probe.plan import draw_pairs

if TYPE_CHECKING:
    from gnomon.probe.inputs import ProbeInputs
    from gnomon.probe.settings import ProbeSettings

MAX_PAIRS = 50_000  # retention saturates near 10,000 pairs (arXiv 2510.13406); memory does not


def fit_bridge(
    inputs: ProbeInputs,
    settings: ProbeSettings,
    name: str,
    *,
    pairs: int = MAX_PAIRS,
    probed: bool = False,
) -> Bridge:
    """Return the adapter ``name`` fitted on up to ``pairs`` documents, ready to be saved.

    Parameters
    ----------
    inputs
        Vectors of both models; judgements are not used, so every document may be a pair.
    settings
        Seed of the draws, and the fit scope of the probe that chose the adapter.
    name
        An adapter of the table.
    pairs
        Most pairs to use; fewer documents are all used.
    probed
        Whether a probe with these settings chose the adapter.

    Raises
    ------
    NotMeasuredError
        The adapter is not offered for so few documents.
    InvalidInputError
        A row of a matrix holds NaN or infinity; the message names matrix and row.
    """
    covered = np.asarray(inputs.covered)
    with rows_named(inputs, settings.threads), one_blas_thread():
        fitter = Fitter(inputs, settings)
        (adapter,) = fitter.fitted(name, [draw_pairs(settings, covered, pairs)])
    return Bridge(
        adapter,
        query_profile=inputs.new_profile,
        index_profile=inputs.old_profile,
        measured_fit_scope=settings.fit_scope if probed else None,
        seed=settings.seed,
        usable_documents=len(covered),
    )
