"""Affine maps of rows: what serving an adapter costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import kernels
from gnomon.machine.work import OURS, Demand, Peer, Work, WrongAnswerError, installed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Map = Callable[[], NDArray[np.float32]]

TOLERANCE = 1e-4  # of unit rows mapped by weights of length about 1
CHECKED = 64


@dataclass(frozen=True, slots=True, eq=False)
class AffineTask:
    """Rows, weights (outputs x inputs) and a bias."""

    rows: NDArray[np.float32]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]


def work(n: int, d: int) -> Work[AffineTask, Any]:
    """Return the map of so many rows onto as many dimensions as they have."""
    return Work(
        kernel="affine",
        name=f"affine {n}x{d}",
        what=f"{n:,} rows, {d} x {d} weights, a bias",
        make=lambda: _task(n, d),
        peers=PEERS,
        check=check,
        demand=Demand(float64_multiply_adds=n * d * d),
        amount=n,
        unit="rows",
    )


def check(task: AffineTask, mapped: NDArray[np.float32]) -> None:
    """Raise unless the first rows are those of float64 arithmetic, up to float32's rounding."""
    rows = task.rows[:CHECKED].astype(np.float64)
    truth = rows @ task.weights.T.astype(np.float64) + task.bias
    error = float(np.abs(mapped[:CHECKED] - truth).max())
    if not error <= TOLERANCE:
        raise WrongAnswerError(f"off by up to {error:.3g}")


def _task(n: int, d: int) -> AffineTask:
    rng = np.random.default_rng(11)
    weights = rng.standard_normal((d, d), dtype=np.float32) / np.float32(np.sqrt(d))
    return AffineTask(
        rng.standard_normal((n, d), dtype=np.float32), weights, rng.standard_normal(d, np.float32)
    )


def _ours(task: AffineTask, threads: int) -> Map:
    return lambda: kernels.affine_map(task.rows, task.weights, task.bias, threads=threads)


def _numpy(task: AffineTask, _threads: int) -> Map:
    return lambda: task.rows @ task.weights.T + task.bias


def _torch(task: AffineTask, threads: int) -> Map:
    torch = installed("torch")
    torch.set_num_threads(threads)
    rows, weights, bias = (torch.from_numpy(x) for x in (task.rows, task.weights, task.bias))

    def mapped() -> NDArray[np.float32]:
        result: NDArray[np.float32] = torch.nn.functional.linear(rows, weights, bias).numpy()
        return result

    return mapped


PEERS: tuple[Peer[AffineTask, Any], ...] = (
    Peer(OURS, _ours),
    Peer("NumPy", _numpy, "numpy"),
    Peer("torch", _torch, "torch", slow_start=True),
)
