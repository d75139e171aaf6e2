"""Which row of which file a kernel refused."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.kernels import norms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gnomon.probe.inputs import ProbeInputs


@contextmanager
def rows_named(inputs: ProbeInputs, threads: int | None) -> Iterator[None]:
    """Turn a kernel's refusal of a row into one that names the file and the row in it.

    A kernel sees drawn rows and bridged queries, whose row numbers mean nothing to the reader; the
    row is looked up in the matrices as they were given, and only once something was refused.
    """
    try:
        yield
    except InvalidInputError:
        for name, matrix in inputs.matrices():
            try:
                norms(_as_in_file(inputs, name, matrix), threads=threads)
            except InvalidInputError as refused:
                what = str(refused).removeprefix("x: ")
                raise InvalidInputError(f"{inputs.names.get(name, name)}: {what}") from None
        raise


def _as_in_file(inputs: ProbeInputs, name: str, matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the rows in the order of the file that they were read from."""
    if name not in inputs.file_rows:
        return matrix
    return matrix[np.argsort(inputs.file_rows[name])]
