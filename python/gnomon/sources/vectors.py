"""Vectors from a file of any accepted format, as one array of rows by columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from gnomon.errors import InvalidInputError, UsageError
from gnomon.sources.columns import read_columns
from gnomon.sources.escape import quoted
from gnomon.sources.files import described, open_regular, shown
from gnomon.sources.fvecs import map_fvecs
from gnomon.sources.hdf5 import read_hdf5
from gnomon.sources.limits import DEFAULT_LIMITS, Limits
from gnomon.sources.npy import map_npy
from gnomon.sources.npz import read_npz

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

_KINDS = {
    ".npy": "npy",
    ".npz": "npz",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".fvecs": "fvecs",
    ".bvecs": "bvecs",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
}
_ACCEPTED = ".npy, .npz, .parquet, .arrow, .feather, .fvecs, .bvecs, .h5 or .hdf5"


@dataclass(frozen=True, slots=True, eq=False)
class VectorSource:
    """The vectors of one file.

    Attributes
    ----------
    array
        Shape [rows, dim], dtype float16, float32, float64, bfloat16, int8 or uint8. A memory map
        opened read-only where the format allows it (``.npy``, ``.fvecs``, ``.bvecs`` and
        contiguous HDF5), else in memory. The values are as stored; nothing is checked or
        normalised.
    ids
        The ids stored in the file, in row order, or None.
    path
        The file.
    kind
        The format: ``npy``, ``npz``, ``parquet``, ``arrow``, ``fvecs``, ``bvecs`` or ``hdf5``.
    name
        What the vectors are, for messages.
    """

    array: NDArray[Any]
    ids: tuple[str, ...] | None
    path: Path
    kind: str
    name: str

    @property
    def rows(self) -> int:
        """Number of vectors."""
        return int(self.array.shape[0])

    @property
    def dim(self) -> int:
        """Number of elements of a vector."""
        return int(self.array.shape[1])

    def row_label(self, row: int) -> str:
        """Return how to name a row in a message: vectors, file, row and, where known, its id."""
        known = "" if self.ids is None else f" (id {quoted(self.ids[row])})"
        return f"{self.name}: {shown(self.path)}: row {row}{known}"

    def with_ids(self, ids: Sequence[str], *, where: str) -> VectorSource:
        """Return the same vectors with ids from elsewhere, one for every row.

        Parameters
        ----------
        ids
            The ids in row order.
        where
            The file that they come from, for messages.

        Raises
        ------
        InvalidInputError
            When there are more or fewer ids than rows, or the file holds other ids.
        """
        if len(ids) != self.rows:
            raise InvalidInputError(
                f"{self.name}: {shown(self.path)}: has {self.rows:,} rows, {where} has "
                f"{len(ids):,} ids; expected one id a row, in the same order"
            )
        if self.ids is not None and self.ids != tuple(ids):
            row = next(
                at for at, pair in enumerate(zip(self.ids, ids, strict=True)) if pair[0] != pair[1]
            )
            raise InvalidInputError(
                f"{self.row_label(row)}: {where} says {quoted(ids[row])} there; the order of both "
                "must be the same"
            )
        return replace(self, ids=tuple(ids))


def read_vectors(
    path: str | os.PathLike[str],
    *,
    name: str,
    column: str | None = None,
    id_column: str | None = None,
    key: str | None = None,
    dtype: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> VectorSource:
    """Open a file of vectors.

    ``.npy``, ``.fvecs``, ``.bvecs`` and contiguous uncompressed HDF5 datasets are memory-mapped
    and cost no memory; ``.npz``, Parquet, Arrow and other HDF5 datasets are read into memory, which
    holds the whole array once. Values are not looked at: a row that is not finite is refused by
    the kernels.

    Parameters
    ----------
    path
        The file; its format is told by its ending.
    name
        What the vectors are, for messages, for example ``old documents``.
    column
        Parquet and Arrow: the column of number lists; by default the only one.
    id_column
        Parquet and Arrow: the column of ids; ``.npz`` and HDF5: the array of ids. By default none
        is read, but from ``.npz`` one called ``ids``.
    key
        ``.npz`` and HDF5: the name of the array; by default the only one.
    dtype
        ``bfloat16`` for ``.npy`` and ``.npz`` whose two-byte elements NumPy stored without a type.
    limits
        Sizes at which reading stops.

    Returns
    -------
    VectorSource

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When the file is cut short, damaged, not of its format, empty, or not rows by columns of an
        accepted type; the message names file, row, what was found and what to do.
    MissingDependencyError
        When the format needs a package that is not installed.
    UsageError
        For an option that the format does not have.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "docs.npy"
    >>> np.save(path, np.eye(3, dtype=np.float16))
    >>> source = read_vectors(path, name="documents")
    >>> source.rows, source.dim, source.kind, source.array.dtype.name
    (3, 3, 'npy', 'float16')
    """
    file = Path(path)
    kind = _KINDS.get(file.suffix.lower())
    where = f"{name}: {shown(file)}"
    if kind is None:
        _refuse_unknown(file, where)
    _check_options(kind, where, column=column, id_column=id_column, key=key, dtype=dtype)
    bfloat16 = dtype == "bfloat16"
    ids: tuple[str, ...] | None = None
    if kind == "npy":
        array = map_npy(file, name=name, bfloat16=bfloat16)
    elif kind == "npz":
        array, ids = read_npz(
            file, name=name, key=key, id_key=id_column, bfloat16=bfloat16, limits=limits
        )
    elif kind in {"parquet", "arrow"}:
        array, ids = read_columns(
            file, name=name, column=column, id_column=id_column, limits=limits
        )
    elif kind == "hdf5":
        array, ids = read_hdf5(file, name=name, key=key, id_key=id_column, limits=limits)
    else:
        array = map_fvecs(file, name=name)
    source = VectorSource(array, None, file, kind, name)
    return source if ids is None else source.with_ids(ids, where=f"{shown(file)}: the id array")


def _check_options(
    kind: str,
    where: str,
    *,
    column: str | None,
    id_column: str | None,
    key: str | None,
    dtype: str | None,
) -> None:
    taken = {
        "column": (column, {"parquet", "arrow"}),
        "id_column": (id_column, {"parquet", "arrow", "npz", "hdf5"}),
        "key": (key, {"npz", "hdf5"}),
        "dtype": (dtype, {"npy", "npz"}),
    }
    for option, (value, kinds) in taken.items():
        if value is not None and kind not in kinds:
            raise UsageError(
                f"{where}: the option {option} does not apply to {kind} files; it is for "
                f"{', '.join(sorted(kinds))}"
            )
    if dtype not in {None, "bfloat16"}:
        raise UsageError(
            f"{where}: dtype {quoted(str(dtype))} cannot be chosen; only 'bfloat16' needs naming, "
            "every other type is read from the file"
        )


def _refuse_unknown(file: Path, where: str) -> NoReturn:
    with open_regular(file) as opened:
        head = opened.read(64)
    ending = quoted(file.suffix) if file.suffix else "no ending"
    packed = "; unpack it first: vectors are memory-mapped" if file.suffix == ".gz" else ""
    raise InvalidInputError(
        f"{where}: has {ending}, and looks like {described(head)}; expected a file of vectors "
        f"that ends in {_ACCEPTED}{packed}"
    )
