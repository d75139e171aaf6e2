"""The safetensors container: one order of bytes when written, nothing believed when read.

The format is eight bytes with the length of a JSON header (little-endian), the header, and the
tensors one after the other. Every reader of safetensors reads what :func:`pack` writes. It is
written here, and not by the safetensors package, because a fingerprint needs one fixed order of
bytes and that package promises none for the metadata.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.json_text import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8")}
MAX_HEADER_BYTES = 1 << 20
MAX_DATA_BYTES = 1 << 32
_HEADER_ALIGNMENT = 8


def pack(tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """Return the canonical safetensors bytes of some arrays.

    Tensors are stored in the order of their names, keys are sorted, the header has no spaces but
    those that pad it to a multiple of eight bytes; equal input gives equal bytes.

    Parameters
    ----------
    tensors
        Arrays by name, float32 or int64.
    metadata
        Text by name; stored under ``__metadata__``.
    """
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    chunks: list[bytes] = []
    offset = 0
    for name in sorted(tensors):
        code = next(code for code, dtype in DTYPES.items() if dtype == tensors[name].dtype)
        chunk = np.ascontiguousarray(tensors[name], dtype=DTYPES[code]).tobytes()
        header[name] = {
            "dtype": code,
            "shape": list(tensors[name].shape),
            "data_offsets": [offset, offset + len(chunk)],
        }
        chunks.append(chunk)
        offset += len(chunk)
    encoded = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
    encoded += b" " * (-len(encoded) % _HEADER_ALIGNMENT)
    return b"".join([len(encoded).to_bytes(8, "little"), encoded, *chunks])


def unpack(data: bytes, *, where: str) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the arrays and the metadata of safetensors bytes from anywhere.

    Every size is compared with the bytes that are there before an array is made. The arrays are
    read-only views of ``data`` where its alignment allows.

    Parameters
    ----------
    data
        The whole file.
    where
        Name of the file, for messages.

    Raises
    ------
    InvalidInputError
        The bytes are cut short, too long, or the header lies about them.
    """

    def refuse(problem: str) -> NoReturn:
        raise InvalidInputError(f"{where}: not a usable safetensors file: {problem}")

    if len(data) < 8:
        refuse(f"{len(data)} bytes, expected at least 8")
    header_size = int.from_bytes(data[:8], "little")
    if not 2 <= header_size <= min(MAX_HEADER_BYTES, len(data) - 8):
        refuse(f"its header claims {header_size} bytes of the {len(data) - 8} that follow")
    try:
        header = parse_json(data[8 : 8 + header_size])
    except ValueError as error:
        refuse(f"its header is not JSON ({error})")
    if not isinstance(header, dict):
        refuse("its header is not a JSON object")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        refuse("its metadata is not an object of texts")
    body = memoryview(data)[8 + header_size :]
    spans: list[tuple[int, int]] = []
    tensors: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        problem = _entry_problem(entry, len(body))
        if problem is not None:
            refuse(f"tensor {name!r}: {problem}")
        begin, end = entry["data_offsets"]
        spans.append((begin, end))
        tensors[name] = _array(body[begin:end], DTYPES[entry["dtype"]], entry["shape"])
    position = 0
    for begin, end in sorted(spans):
        if begin != position:
            refuse(f"its tensors overlap or leave a hole at byte {min(begin, position)}")
        position = end
    if position != len(body):
        refuse(f"it holds {len(body)} bytes of tensors, its header describes {position}")
    return tensors, metadata


def _array(chunk: memoryview, dtype: np.dtype[Any], shape: list[int]) -> NDArray[Any]:
    flat = np.frombuffer(chunk, dtype=dtype)
    if not flat.flags.aligned:
        flat = flat.copy()
        flat.flags.writeable = False
    return flat.reshape(shape)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_DATA_BYTES


def _entry_problem(entry: object, available: int) -> str | None:
    """Return what is wrong with one tensor's description, or None."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        return "its description needs exactly dtype, shape and data_offsets"
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in DTYPES:
        return f"dtype is {entry['dtype']!r}, expected one of {', '.join(DTYPES)}"
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not isinstance(shape, list) or len(shape) > 3 or not all(map(_is_count, shape)):
        return f"shape {shape!r} is not a list of at most three sizes"
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_count, offsets)):
        return f"data_offsets {offsets!r} are not two positions"
    begin, end = offsets
    if not begin <= end <= available:
        return f"data_offsets {offsets!r} lie outside the {available} bytes that are there"
    expected = math.prod(shape) * DTYPES[entry["dtype"]].itemsize
    if end - begin != expected:
        return f"shape {shape!r} needs {expected} bytes, data_offsets give {end - begin}"
    return None
