"""NumPy `.npz` archives: one array of vectors and, if there, their ids."""

from __future__ import annotations

import copy
import io
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.dtypes import stored_dtype
from gnomon.sources.escape import listed, quoted
from gnomon.sources.files import described, open_regular, reason, shown, size_of
from gnomon.sources.idvalues import check_unique, ids_of_values
from gnomon.sources.limits import Limits, check_array_size, check_unpacked_size, empty_array
from gnomon.sources.npy import NpyHeader, check_id_header, id_values, read_header
from gnomon.sources.shapes import check_shape

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_CHUNK = 1 << 20
# The longest header that numpy itself reads without being asked to trust the file.
_HEADER_BYTES = 12 + 10_000
_IDS = "ids"
# What zipfile raises when the numbers inside an archive make no sense.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


def read_npz(
    path: Path,
    *,
    name: str,
    key: str | None,
    id_key: str | None,
    bfloat16: bool,
    limits: Limits,
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Read one array of vectors into memory, and the ids stored beside it.

    Parameters
    ----------
    path, name
        The archive, and what the vectors are, for messages.
    key
        Name of the array; None takes the only one besides the ids.
    id_key
        Name of the id array; None takes one called ``ids`` where it exists.
    bfloat16
        Take two-byte elements without a type as bfloat16.
    limits
        Sizes at which reading stops.

    Returns
    -------
    array of shape [rows, dim], tuple of str or None
    """
    where = f"{name}: {shown(path)}"
    with open_regular(path) as file, _archive(file, where) as archive:
        members = _arrays(archive, where)
        vectors = _chosen(members, key, id_key or _IDS, where)
        header, data = _unpack(archive, vectors, where, size_of(file), limits)
        dtype = stored_dtype(header.dtype, where=where, bfloat16=bfloat16)
        array = data.view(dtype).reshape(header.shape, order="F" if header.fortran else "C")
        ids = None
        if id_key is not None or _IDS in members:
            found = _named(members, id_key or _IDS, where)
            ids_where = f"{where}: {quoted(id_key or _IDS)}"
            id_header, id_data = _unpack(archive, found, ids_where, size_of(file), limits, ids=True)
            values = id_values(id_data.tobytes(), id_header, where=ids_where)
            ids = ids_of_values(values, where=ids_where)
            check_unique(ids, where=ids_where)
    return array, ids


def _archive(file: BinaryIO, where: str) -> zipfile.ZipFile:
    head = file.read(64)
    file.seek(0)
    try:
        return zipfile.ZipFile(file)
    except _DAMAGE as error:
        found = "" if head.startswith(b"PK") else f"it is {described(head)}; "
        raise InvalidInputError(
            f"{where}: is not a readable .npz archive ({reason(error)}); {found}"
            "expected a file written by numpy.savez"
        ) from None


def _arrays(archive: zipfile.ZipFile, where: str) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        stem = info.filename.removesuffix(".npy")
        if stem in members:
            raise InvalidInputError(f"{where}: holds the array {quoted(stem)} twice")
        if stem != info.filename:
            members[stem] = info
    if not members:
        raise InvalidInputError(f"{where}: holds no array; expected a file written by numpy.savez")
    return members


def _chosen(
    members: dict[str, zipfile.ZipInfo], key: str | None, id_key: str, where: str
) -> zipfile.ZipInfo:
    if key is not None:
        return _named(members, key, where)
    others = [stem for stem in members if stem != id_key]
    if len(others) != 1:
        raise InvalidInputError(
            f"{where}: holds {len(others)} arrays besides {quoted(id_key)}: {listed(others)}; "
            "say which one holds the vectors (key)"
        )
    return members[others[0]]


def _named(members: dict[str, zipfile.ZipInfo], key: str, where: str) -> zipfile.ZipInfo:
    if key not in members:
        raise InvalidInputError(
            f"{where}: holds no array {quoted(key)}; it holds {listed(list(members))}"
        )
    return members[key]


def _unpack(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    where: str,
    archive_bytes: int,
    limits: Limits,
    *,
    ids: bool = False,
) -> tuple[NpyHeader, NDArray[np.uint8]]:
    """Return the header and the data bytes of one member, every size checked beforehand."""
    _check_member(info, where, archive_bytes, limits)
    # One byte more than declared is asked for, so that a member that goes on is noticed.
    wanted = copy.copy(info)
    wanted.file_size = info.file_size + 1
    try:
        with archive.open(wanted) as packed:
            start = packed.read(min(_HEADER_BYTES, info.file_size))
            header = read_header(io.BytesIO(start), where=f"{where}: {quoted(info.filename)}")
            if ids:
                check_id_header(header, where=where)
            else:
                _check_vectors(header, where)
            _check_declared(header, info, where)
            data = empty_array(where, (header.nbytes,), np.dtype(np.uint8), limits)
            _fill(data, start[header.offset :], cast("BinaryIO", packed), where)
    except InvalidInputError:
        raise
    except _DAMAGE as error:
        raise InvalidInputError(
            f"{where}: {quoted(info.filename)} is damaged, or unpacks to another size than it "
            f"declares ({reason(error)}); write the file again with numpy.savez"
        ) from None
    return header, data


def _check_member(info: zipfile.ZipInfo, where: str, archive_bytes: int, limits: Limits) -> None:
    if info.flag_bits & 0x1:
        raise InvalidInputError(f"{where}: {quoted(info.filename)} is encrypted; save it plain")
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise InvalidInputError(
            f"{where}: {quoted(info.filename)} is packed by a method that numpy does not write; "
            "write the file again with numpy.savez"
        )
    if info.compress_size > archive_bytes:
        raise InvalidInputError(
            f"{where}: is cut short: {quoted(info.filename)} declares {info.compress_size:,} "
            f"packed bytes, the whole file holds {archive_bytes:,}"
        )
    check_array_size(where, info.file_size, limits)
    check_unpacked_size(where, info.file_size, info.compress_size, limits)


def _check_declared(header: NpyHeader, info: zipfile.ZipInfo, where: str) -> None:
    declared = header.offset + header.nbytes
    if declared != info.file_size:
        raise InvalidInputError(
            f"{where}: the archive declares {info.file_size:,} bytes for {quoted(info.filename)}, "
            f"its NumPy header {declared:,}; write the file again with numpy.savez"
        )


def _check_vectors(header: NpyHeader, where: str) -> None:
    if header.dtype.hasobject:
        stored_dtype(header.dtype, where=where)
    check_shape(header.shape, where=where)


def _fill(data: NDArray[np.uint8], start: bytes, packed: BinaryIO, where: str) -> None:
    filled = min(len(start), len(data))
    data[:filled] = np.frombuffer(start[:filled], np.uint8)
    while filled < len(data):
        chunk = packed.read(min(_CHUNK, len(data) - filled))
        if not chunk:
            raise InvalidInputError(
                f"{where}: is cut short: unpacks to {filled:,} of the {len(data):,} bytes declared"
            )
        data[filled : filled + len(chunk)] = np.frombuffer(chunk, np.uint8)
        filled += len(chunk)
    if packed.read(1):
        raise InvalidInputError(
            f"{where}: unpacks to more than the {len(data):,} bytes it declares; such an archive "
            "is broken or hostile"
        )
