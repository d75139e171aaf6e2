"""The files of an index: written whole or not at all, checked before they are believed."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.embedding.lsa import STORED_NAMES as LSA_NAMES
from gnomon.errors import IndexFileError, MissingInputError, StateError, UsageError
from gnomon.kernels import BM25Index
from gnomon.kernels.bm25_index import FILE_NAME as BM25_FILE
from gnomon.retrieval.chunking import Chunk
from gnomon.retrieval.evidence import FIELDS
from gnomon.retrieval.manifest import Manifest, corpus_hash, sealed
from gnomon.retrieval.stored_files import check_bytes, stored_files
from gnomon.sources.atomic import atomic_write, make_folder
from gnomon.sources.files import reason, shown
from gnomon.sources.json_text import parse_json
from gnomon.sources.npy import map_npy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.embedding.lsa import LsaEmbedder

MANIFEST: Final = "manifest.json"
CHUNKS: Final = "chunks.jsonl"
FREQUENCIES: Final = "frequencies.json"
VECTORS: Final = "vectors.npy"
FIELDS_FOLDER: Final = "bm25"
EMBEDDER_FOLDER: Final = "embedder"


def check_own_folder(folder: Path) -> None:
    """Refuse a folder in which an index would replace files of something else.

    Many things have a ``manifest.json``, and a collection has its ``vectors.npy``. A damaged
    manifest of ours, or an index that was never finished, may be replaced.

    Raises
    ------
    UsageError
        Naming the file.
    """
    manifest = folder / MANIFEST
    if manifest.is_file():
        foreign = MANIFEST if _is_of_something_else(manifest) else None
    else:
        begun = (folder / FIELDS_FOLDER).is_dir()
        foreign = VECTORS if (folder / VECTORS).exists() and not begun else None
    if foreign is not None:
        raise UsageError(
            f"{shown(folder / foreign)} belongs to something else and would be replaced; an index "
            "needs a folder of its own"
        )


def _is_of_something_else(manifest: Path) -> bool:
    try:
        value = json.loads(manifest.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    schema = value.get("schema") if isinstance(value, dict) else None
    return not (isinstance(schema, str) and schema.startswith("gnomon.index/"))


def write_index(
    folder: Path,
    manifest: Manifest,
    chunks: Sequence[Chunk],
    frequencies: Mapping[str, int],
    fields: Mapping[str, BM25Index],
    vectors: NDArray[np.float32] | None,
    embedder: LsaEmbedder | None = None,
) -> Manifest:
    """Write every file of an index; the manifest comes last, so that it names what is there.

    Parameters
    ----------
    embedder
        A model that was fitted on these chunks and is kept with them.

    Returns
    -------
    Manifest
        With the files' sizes and hashes.

    Raises
    ------
    StateError
        When a file cannot be written.
    """
    make_folder(folder)
    try:
        (folder / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise StateError(f"{shown(folder)}: cannot be written: {reason(error)}") from error
    lines = (json.dumps(asdict(chunk), ensure_ascii=False, sort_keys=True) for chunk in chunks)
    _write(folder / CHUNKS, "".join(f"{line}\n" for line in lines).encode())
    _write(folder / FREQUENCIES, _json(dict(sorted(frequencies.items()))))
    for name in FIELDS:
        fields[name].save(folder / FIELDS_FOLDER / name)
    if vectors is None:
        (folder / VECTORS).unlink(missing_ok=True)
    else:
        content = io.BytesIO()
        np.save(content, vectors.astype("<f4"), allow_pickle=False)
        _write(folder / VECTORS, content.getbuffer())
    names = file_names(manifest)
    if embedder is not None:
        (folder / EMBEDDER_FOLDER).mkdir(exist_ok=True)
        embedder.save(folder / EMBEDDER_FOLDER)
        names += [f"{EMBEDDER_FOLDER}/{name}" for name in LSA_NAMES]
    manifest = replace(manifest, files=stored_files(folder, names))
    _write(folder / MANIFEST, _json(sealed(manifest.as_dict()), indent=2))
    return manifest


def file_names(manifest: Manifest) -> list[str]:
    """Return the relative names of the files that an index needs."""
    fields = [f"{FIELDS_FOLDER}/{name}/{BM25_FILE}" for name in FIELDS]
    return [CHUNKS, FREQUENCIES, *fields, *([] if manifest.profile is None else [VECTORS])]


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of an index.

    Raises
    ------
    MissingInputError
        When there is no index.
    IndexFileError
        When the manifest is damaged or of another version.
    """
    path = folder / MANIFEST
    return Manifest.from_dict(_read_object(path)[1], where=shown(path))


def read_chunks(folder: Path, manifest: Manifest) -> tuple[Chunk, ...]:
    """Return the chunks; they must have the hash that the manifest names."""
    path = folder / CHUNKS
    try:
        content = path.read_bytes()
        lines = content.decode("utf-8").split("\n")
    except (OSError, ValueError) as error:
        raise _damaged(shown(path), error) from error
    name = shown(path)
    chunks = tuple(_chunk(line, name, number) for number, line in enumerate(lines, 1) if line)
    if len(chunks) != manifest.chunks or corpus_hash(chunks) != manifest.hash:
        raise IndexFileError(
            f"{shown(path)}: the chunks are not those that the manifest names; "
            "build the index again"
        )
    check_bytes(folder, manifest, CHUNKS, content)  # titles and trails, which have no other hash
    return chunks


def read_frequencies(folder: Path, manifest: Manifest) -> dict[str, int]:
    """Return the document frequency of every term; the bytes must be those that were written."""
    path = folder / FREQUENCIES
    content, value = _read_object(path)
    check_bytes(folder, manifest, FREQUENCIES, content)
    try:
        return {str(term): int(n) for term, n in value.items()}
    except (TypeError, ValueError) as error:
        raise _damaged(shown(path), error) from error


def read_fields(folder: Path, n_chunks: int) -> dict[str, BM25Index]:
    """Return the lexical index of every field, by memory map."""
    fields = {name: BM25Index.open(folder / FIELDS_FOLDER / name) for name in FIELDS}
    for name, index in fields.items():
        if len(index) != n_chunks:
            raise IndexFileError(
                f"{shown(folder / FIELDS_FOLDER / name)}: holds {len(index):,} documents for "
                f"{n_chunks:,} chunks; build the index again"
            )
    return fields


def read_stored_vectors(folder: Path, manifest: Manifest) -> NDArray[np.float32] | None:
    """Return float32[chunks, dim] by memory map, or None where there are none."""
    if manifest.profile is None:
        return None
    vectors = map_npy(folder / VECTORS, name="vectors")
    expected = (manifest.chunks, manifest.profile.dim)
    if vectors.shape != expected or vectors.dtype != np.float32:
        raise IndexFileError(
            f"{shown(folder / VECTORS)}: holds {vectors.dtype} {list(vectors.shape)}; expected "
            f"float32 {list(expected)}. Build the index again"
        )
    return vectors


def _chunk(line: str, name: str, number: int) -> Chunk:
    try:
        fields = json.loads(line)  # the bytes of the whole file are checked
        return Chunk(
            fields["id"], fields["page"], fields["title"], tuple(fields["trail"]), fields["text"]
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(f"{name}: line {number}", error) from error


def _read_object(path: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        content = path.read_bytes()
        value = parse_json(content.decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise MissingInputError(
            f"{shown(path.parent)}: there is no index; build one with: gnomon index"
        ) from None
    except OSError as error:
        raise IndexFileError(f"{shown(path)}: cannot be opened: {reason(error)}") from error
    except ValueError as error:
        raise _damaged(shown(path), error) from error
    if not isinstance(value, dict):
        raise IndexFileError(f"{shown(path)}: holds no JSON object; build the index again")
    return content, value


def _damaged(where: str, error: Exception) -> IndexFileError:
    return IndexFileError(f"{where}: cannot be read ({error}); build the index again")


def _json(value: object, indent: int | None = None) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=indent, allow_nan=False)
    return f"{text}\n".encode()


def _write(path: Path, content: bytes | memoryview) -> None:
    with atomic_write(path) as file:
        file.write(content)
