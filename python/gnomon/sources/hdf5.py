"""HDF5 files: one dataset of vectors that lies in the file itself, and optionally one of ids."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.dtypes import stored_dtype
from gnomon.sources.escape import listed, quoted
from gnomon.sources.files import described, open_regular, optional_module, reason, shown
from gnomon.sources.idvalues import check_unique, ids_of_values
from gnomon.sources.limits import Limits, check_array_size, check_unpacked_size, empty_array
from gnomon.sources.shapes import check_shape

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# The filters that come with HDF5 and h5py: deflate, shuffle, fletcher32, lzf. Any other one would
# make the library look for a plug-in to load.
_KNOWN_FILTERS = frozenset({1, 2, 3, 32000})


def read_hdf5(
    path: Path, *, name: str, key: str | None, id_key: str | None, limits: Limits
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Read a dataset of vectors; a contiguous uncompressed one is memory-mapped.

    Parameters
    ----------
    path, name
        The file, and what the vectors are, for messages.
    key
        Path of the dataset inside the file; None takes the only two-dimensional one at the top.
    id_key
        Path of a one-dimensional dataset of ids; None reads none.
    limits
        Sizes at which reading stops.

    Returns
    -------
    array of shape [rows, dim], tuple of str or None
    """
    where = f"{name}: {shown(path)}"
    h5py = optional_module("h5py", extra="hdf5", where=where)
    with open_regular(path) as file:
        head = file.read(64)
        if not head.startswith(_SIGNATURE):
            raise InvalidInputError(f"{where}: is not an HDF5 file: it is {described(head)}")
    try:
        with h5py.File(path, "r", locking="best-effort") as opened:
            found = _dataset(h5py, opened, key or _only_matrix(h5py, opened, where), where)
            array = _vectors(found, path, where, limits)
            ids = None if id_key is None else _ids(h5py, opened, id_key, where, limits)
    except (OSError, RuntimeError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"{where}: is cut short or damaged, or HDF5 cannot read it ({reason(error)})"
        ) from None
    return array, ids


def _only_matrix(h5py: Any, opened: Any, where: str) -> str:
    inside = [key for key in opened if isinstance(opened.get(key, getlink=True), h5py.HardLink)]
    datasets = [key for key in inside if isinstance(opened[key], h5py.Dataset)]
    matrices = [key for key in datasets if opened[key].ndim == 2]
    if len(matrices) != 1:
        links = [key for key in opened if key not in inside]
        passed = f" (links are not followed: {listed(links)})" if links else ""
        raise InvalidInputError(
            f"{where}: has {len(matrices)} two-dimensional datasets at the top among "
            f"{listed(inside) or 'nothing'}{passed}; say which one holds the vectors (key)"
        )
    return str(matrices[0])


def _dataset(h5py: Any, opened: Any, key: str, where: str) -> Any:
    """Follow ``key`` over hard links only, so that what is read lies in this file."""
    node = opened
    for part in key.strip("/").split("/"):
        link = node.get(part, getlink=True) if isinstance(node, h5py.Group) else None
        if link is None:
            inside = list(node) if isinstance(node, h5py.Group) else []
            raise InvalidInputError(
                f"{where}: holds no dataset {quoted(key)}; "
                f"it holds {listed(inside) or 'nothing'} where {quoted(part)} is looked for"
            )
        if not isinstance(link, h5py.HardLink):
            kind = "an external" if isinstance(link, h5py.ExternalLink) else "a soft"
            raise InvalidInputError(
                f"{where}: {quoted(key)} is {kind} link, which can lead to another file; give the "
                "file that holds the data, and the dataset's own name"
            )
        node = node[part]
    if not isinstance(node, h5py.Dataset):
        raise InvalidInputError(
            f"{where}: {quoted(key)} is a group of {listed(list(node)) or 'nothing'}; "
            "expected a dataset"
        )
    _check_storage(node, f"{where}: {quoted(key)}")
    return node


def _check_storage(dataset: Any, where: str) -> None:
    layout = dataset.id.get_create_plist()
    if dataset.is_virtual or layout.get_external_count():
        raise InvalidInputError(
            f"{where}: is kept in other files (virtual or external storage); copy the data into "
            "one file, for example with h5repack"
        )
    filters = [layout.get_filter(number) for number in range(layout.get_nfilters())]
    foreign = [found[0] for found in filters if found[0] not in _KNOWN_FILTERS]
    if foreign:
        raise InvalidInputError(
            f"{where}: is packed with the HDF5 filter {foreign[0]}, which needs a plug-in; write "
            "it uncompressed or with gzip"
        )


def _vectors(dataset: Any, path: Path, where: str, limits: Limits) -> NDArray[Any]:
    where = f"{where}: {quoted(dataset.name)}"
    if dataset.dtype.kind == "O":
        raise InvalidInputError(
            f"{where}: holds rows of varying length or text; expected a rectangular array"
        )
    dtype = stored_dtype(dataset.dtype, where=where)
    if dataset.shape is None:
        raise InvalidInputError(f"{where}: is an empty dataset; expected rows and columns")
    check_shape(dataset.shape, where=where)
    nbytes = math.prod(dataset.shape) * dtype.itemsize
    offset = dataset.id.get_offset()
    if offset is not None and not dataset.file.userblock_size:
        if offset + nbytes > path.stat().st_size:
            raise InvalidInputError(f"{where}: is cut short; copy or write the file again")
        return np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=dataset.shape)
    check_array_size(where, nbytes, limits)
    check_unpacked_size(where, nbytes, dataset.id.get_storage_size(), limits)
    array = empty_array(where, dataset.shape, dtype, limits)
    dataset.read_direct(array)
    return array


def _ids(h5py: Any, opened: Any, key: str, where: str, limits: Limits) -> tuple[str, ...]:
    dataset = _dataset(h5py, opened, key, where)
    where = f"{where}: {quoted(key)}"
    if dataset.ndim != 1:
        raise InvalidInputError(f"{where}: ids have the shape {dataset.shape}; expected one row")
    string = h5py.check_string_dtype(dataset.dtype)
    if string is None and dataset.dtype.kind not in "iu":
        raise InvalidInputError(
            f"{where}: holds {dataset.dtype} values; expected ids as strings or integers"
        )
    nbytes = dataset.shape[0] * dataset.dtype.itemsize
    check_array_size(where, nbytes, limits)
    check_unpacked_size(where, nbytes, dataset.id.get_storage_size(), limits)
    values = dataset[...].tolist()
    ids = ids_of_values(values, where=where)
    check_unique(ids, where=where)
    return ids
