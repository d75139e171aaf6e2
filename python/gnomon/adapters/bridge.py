"""The bridge: a fitted adapter with the two models it connects, saved, loaded and served."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.adapters.container import MAX_DATA_BYTES
from gnomon.adapters.manifest import MAX_MANIFEST_BYTES, MEASURED_FIT_SCOPES, Manifest
from gnomon.adapters.storage import from_bytes
from gnomon.errors import InvalidInputError, MismatchError, MissingInputError, UsageError
from gnomon.sources.atomic import atomic_write

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.embedding.profile import Profile

MANIFEST = "manifest.json"
_WEIGHTS = re.compile(r"[0-9a-f]{64}\.safetensors\Z")


@dataclass(frozen=True, eq=False)
class Bridge:
    """Takes queries of a new embedding model to the space of an index of the old one.

    Attributes
    ----------
    adapter
        The map.
    query_profile
        The new model: what embeds the queries.
    index_profile
        The old model: what embedded the documents of the index.
    measured_fit_scope
        ``"unseen"`` or ``"seen"``: how the probe that chose the adapter measured it; None without
        a probe. The bridge itself is fitted on pairs drawn from all documents.
    seed
        Seed of the draws.
    usable_documents
        From how many documents its pairs could be drawn.

    Raises
    ------
    MismatchError
        A profile has another width than its side of the adapter.
    UsageError
        ``measured_fit_scope`` is none of these.
    """

    adapter: FittedAdapter
    query_profile: Profile
    index_profile: Profile
    measured_fit_scope: str | None = None
    seed: int = 0
    usable_documents: int = 0

    def __post_init__(self) -> None:
        sides = (
            ("query", self.query_profile, self.adapter.d_new),
            ("index", self.index_profile, self.adapter.d_old),
        )
        for side, profile, width in sides:
            if profile.dim != width:
                raise MismatchError(
                    f"the {side} model {profile.id!r} has width {profile.dim}, the adapter "
                    f"{self.adapter.name} maps {self.adapter.d_new} to {self.adapter.d_old}"
                )
        if self.measured_fit_scope not in MEASURED_FIT_SCOPES:
            raise UsageError(
                f"measured_fit_scope is {self.measured_fit_scope!r}, expected one of "
                f"{MEASURED_FIT_SCOPES}"
            )

    def to_index_space(
        self, queries: ArrayLike, *, threads: int | None = None
    ) -> NDArray[np.float32]:
        """Return the queries as vectors of the index, at unit length.

        These are the bits that the probe measured, on every machine: the kernels normalise, map
        and normalise again. Nothing is logged; only the width is checked here, and NaN or infinity
        by the kernel that reads the vector.

        Parameters
        ----------
        queries
            One vector [d_new] or a batch [m, d_new] of the new model, in any dtype of the kernels;
            need not be normalised. Never written to, never part of the result. A zero vector gives
            a zero vector.
        threads
            Number of threads; None for the default of the kernels.

        Returns
        -------
        numpy.ndarray
            float32[d_old] or float32[m, d_old].

        Raises
        ------
        MismatchError
            The width is not that of the new model; the message names both models.
        """
        given = queries if isinstance(queries, np.ndarray) else np.asarray(queries)
        x = given[None] if given.ndim == 1 else given
        if x.ndim != 2 or x.shape[1] != self.adapter.d_new:
            raise self._width_error(given.shape)
        images = self.adapter.serve(x, threads)
        return images[0] if given.ndim == 1 else images

    def _width_error(self, shape: tuple[int, ...]) -> MismatchError:
        new, old = self.query_profile, self.index_profile
        hint = ""
        if new.dim != old.dim and shape[-1:] == (old.dim,):
            hint = "; vectors of the old model need no bridge, search the index with them directly"
        return MismatchError(
            f"this bridge takes vectors of {new.id!r} (width {new.dim}) to the index of {old.id!r} "
            f"(width {old.dim}); got an array of shape {shape}{hint}"
        )

    @property
    def manifest(self) -> Manifest:
        """What :meth:`save` writes beside the weights."""
        return Manifest(
            new_profile=self.query_profile,
            old_profile=self.index_profile,
            adapter_name=self.adapter.name,
            rank=self.adapter.rank,
            n_pairs=self.adapter.n_pairs,
            n_parameters=self.adapter.n_parameters,
            sha256=self.adapter.sha256,
            measured_fit_scope=self.measured_fit_scope,
            seed=self.seed,
            usable_documents=self.usable_documents,
            gnomon_version=_gnomon_version(),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bridge into the folder ``path``: ``<sha256>.safetensors``, ``manifest.json``.

        The manifest names its weights by fingerprint and is written last, by a rename: at every
        moment the folder holds the old bridge or the new one. Weights of a bridge that was
        replaced are removed afterwards.

        Parameters
        ----------
        path
            A folder: made when it does not exist, else empty or a saved bridge.

        Raises
        ------
        UsageError
            The folder holds something else.
        StateError
            Something cannot be written; what was there stays.
        """
        folder, manifest = Path(path), self.manifest
        created = _prepare_folder(folder)
        weights = folder / manifest.weights_name
        had_weights = weights.exists()
        try:
            with atomic_write(weights) as file:
                file.write(self.adapter.canonical_bytes)
            with atomic_write(folder / MANIFEST) as file:
                file.write(manifest.to_json())
        except BaseException:
            if not had_weights:
                weights.unlink(missing_ok=True)
            if created:
                folder.rmdir()
            raise
        for other in folder.iterdir():
            if _WEIGHTS.match(other.name) and other.name != manifest.weights_name:
                other.unlink(missing_ok=True)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        query_profile: Profile | None = None,
        index_profile: Profile | None = None,
    ) -> Bridge:
        """Return the bridge saved in the folder ``path``, everything in it checked.

        Parameters
        ----------
        query_profile, index_profile
            The models that the caller really uses. Two models of the same width fit each other
            without an error and find nothing, so give them wherever they are known.

        Raises
        ------
        MissingInputError
            There is no saved bridge.
        InvalidInputError
            A file is damaged or is not what it should be.
        MismatchError
            Wrong direction, weights that don't belong to the manifest, or other models than the
            caller's.
        """
        folder = Path(path)
        manifest = Manifest.from_json(
            _read(folder / MANIFEST, MAX_MANIFEST_BYTES), where=str(folder / MANIFEST)
        )
        _require_profiles(manifest, query_profile, index_profile, str(folder))
        weights = folder / manifest.weights_name
        adapter = from_bytes(
            _read(weights, MAX_DATA_BYTES), where=str(weights), expected_sha256=manifest.sha256
        )
        bridge = cls(
            adapter,
            manifest.new_profile,
            manifest.old_profile,
            manifest.measured_fit_scope,
            manifest.seed,
            manifest.usable_documents,
        )
        recorded = (manifest.adapter_name, manifest.rank, manifest.n_pairs, manifest.n_parameters)
        actual = (adapter.name, adapter.rank, adapter.n_pairs, adapter.n_parameters)
        if recorded != actual:
            raise MismatchError(
                f"{folder / MANIFEST}: describes the adapter {recorded}, the weights hold {actual} "
                "(name, rank, pairs, parameters)"
            )
        return bridge


def _require_profiles(
    manifest: Manifest, query: Profile | None, index: Profile | None, where: str
) -> None:
    new, old = manifest.new_profile, manifest.old_profile
    sides = (("query", query, new, old), ("index", index, old, new))
    for side, used, expected, opposite in sides:
        if used is None or used.fingerprint == expected.fingerprint:
            continue
        if used.fingerprint == opposite.fingerprint:
            raise MismatchError(
                f"{where}: the profiles are swapped: this bridge takes queries of {new.id!r} to "
                f"the index of {old.id!r}, and {used.id!r} was given as the {side} model. "
                "Going the other way needs a bridge that was fitted that way"
            )
        raise MismatchError(
            f"{where}: the {side} model is {used.id!r} (fingerprint {used.fingerprint[:12]}), this "
            f"bridge was fitted for {expected.id!r} ({expected.fingerprint[:12]}): "
            + _difference(used, expected)
        )


def _difference(used: Profile, expected: Profile) -> str:
    """Return which fields of two profiles differ, in words."""
    ours, theirs = used.as_dict(), expected.as_dict()
    return ", ".join(
        f"{key} is {ours[key]!r} instead of {theirs[key]!r}"
        for key in ours
        if ours[key] != theirs[key]
    )


def check_bridge_folder(path: str | os.PathLike[str]) -> None:
    """Refuse now what :meth:`Bridge.save` would refuse after a fit; makes nothing.

    Raises
    ------
    UsageError
        The folder holds something else than a bridge.
    MissingInputError
        The folder that it would be made in does not exist.
    """
    folder = Path(path)
    if folder.exists():
        _prepare_folder(folder)
    elif not folder.parent.is_dir():
        raise _no_parent(folder)


def _prepare_folder(folder: Path) -> bool:
    """Return whether the folder had to be made; refuse one that holds something else."""
    try:
        if not folder.exists():
            folder.mkdir()
            return True
        strangers = [
            entry.name
            for entry in folder.iterdir()
            if entry.name != MANIFEST and not _WEIGHTS.match(entry.name)
        ]
    except FileNotFoundError:
        raise _no_parent(folder) from None
    except OSError as error:
        raise UsageError(
            f"{folder}: a bridge needs a folder of its own: {error.strerror}"
        ) from None
    if strangers:
        raise UsageError(
            f"{folder}: a bridge needs a folder of its own, this one holds {min(strangers)!r}"
        )
    return False


def _no_parent(folder: Path) -> MissingInputError:
    return MissingInputError(f"{folder.parent}: no such folder to save a bridge in")


def _read(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInputError(f"{path}: not a regular file")
        if found.st_size > limit:
            raise InvalidInputError(
                f"{path}: {found.st_size:,} bytes, a bridge has at most {limit:,} in this file"
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise MissingInputError(
            f"{path}: no such file; a bridge is a folder with {MANIFEST} and the weights it names"
        ) from None
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be read: {error.strerror}") from None


def _gnomon_version() -> str:
    try:
        return version("gnomon")
    except PackageNotFoundError:
        return "unknown"
