"""The mean, the same bits everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.kernels import exact_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def mean(values: NDArray[np.float64]) -> float:
    """Return the mean of finite float64[n], n >= 1, from its correctly rounded sum.

    Examples
    --------
    >>> import numpy as np
    >>> mean(np.array([1.0, 1e-17, -1.0, 1e-17]))
    5e-18
    """
    return exact_mean(values)
