"""Calls that a type checker has to refuse; an ignore that isn't needed is an error in itself.

mypy runs with ``warn_unused_ignores``, so a signature that becomes too loose fails here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import gnomon as gn
from gnomon.types import Figure


def settings_are_named(docs: NDArray[np.float32]) -> None:
    """After the data everything is named."""
    gn.topk(docs, docs, 3, None)  # type: ignore[call-arg]
    gn.VectorIndex(docs, 2)  # type: ignore[call-arg]


def k_is_a_count(docs: NDArray[np.float32]) -> None:
    """A fraction or a word is no number of hits."""
    gn.topk(docs, docs, "ten")  # type: ignore[arg-type]


def results_are_frozen(figure: Figure) -> None:
    """What was measured isn't edited."""
    figure.value = 1.0  # type: ignore[misc]
