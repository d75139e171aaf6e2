"""The bridge: serving, saving, loading, and everything it refuses."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.adapters.builders import noisy_pairs, small_affine, structured_vectors

from gnomon import kernels
from gnomon.adapters import ADAPTER_NAMES, Bridge, FitContext, adapter_named
from gnomon.embedding import Profile
from gnomon.errors import (
    GnomonError,
    InvalidInputError,
    MismatchError,
    MissingInputError,
    StateError,
    UsageError,
)

NEW = Profile("maker/new-model", 24, "query: ", "passage: ", "l2", "2")
OLD = Profile("maker/old-model", 16, normalisation="l2", revision="1")
TWIN = Profile("maker/another-model", 24, "query: ", "passage: ", "l2", "2")


@pytest.fixture(scope="module")
def bridge() -> Bridge:
    """Return a Procrustes bridge from 24 to 16 dimensions."""
    new, old = noisy_pairs(200, 24, 16)
    adapter = adapter_named("procrustes").fit(new, old, seed=3)
    return Bridge(adapter, NEW, OLD, measured_fit_scope="unseen", seed=3, usable_documents=500)


@pytest.fixture
def saved(bridge: Bridge, tmp_path: Path) -> Path:
    """Return the folder of a saved bridge."""
    bridge.save(tmp_path / "bridge")
    return tmp_path / "bridge"


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Rewrite the manifest of a saved bridge."""
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize("name", ADAPTER_NAMES)
def test_serving_gives_the_bits_that_were_measured(name: str) -> None:
    """For every kind, one vector, a batch and the adapter on normalised rows agree to the bit."""
    new, old = noisy_pairs(120, 24, 16)
    labels = np.repeat([0, 1, 2], 40).astype(np.int64)
    context = FitContext.of(new, old, seed=0, cluster_labels=labels)
    adapter = adapter_named(name).fit_context(context)
    bridge = Bridge(adapter, Profile("new", 24), Profile("old", 16))
    queries = structured_vectors(9, 24, seed=8) * np.float32(3.7)
    queries[4] = 0.0
    measured = adapter.apply(kernels.normalize(queries))
    assert np.array_equal(bridge.to_index_space(queries), measured)
    for row, query in enumerate(queries):
        single = bridge.to_index_space(query)
        assert single.shape == (16,)
        assert np.array_equal(single, measured[row])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_any_dtype_of_the_kernels_is_served(bridge: Bridge, dtype: type) -> None:
    """The result is float32 at unit length whatever comes in, a list included."""
    query = structured_vectors(1, 24, seed=8)[0].astype(dtype)
    for given_query in (query, query.tolist()):
        image = bridge.to_index_space(given_query)
        assert image.dtype == np.float32
        assert abs(np.linalg.norm(image.astype(np.float64)) - 1.0) < 1e-6


def test_the_query_is_neither_written_nor_returned() -> None:
    """Even an identity bridge gives a new array and leaves the query alone (V08)."""
    new, old = noisy_pairs(30, 16, 16)
    adapter = adapter_named("identity").fit(new, old, seed=0)
    bridge = Bridge(adapter, Profile("new", 16), Profile("old", 16))
    query = structured_vectors(1, 16)[0]
    before = query.copy()
    image = bridge.to_index_space(query)
    assert not np.shares_memory(image, query)
    image[:] = 5.0
    assert np.array_equal(query, before)


def test_serving_is_silent(bridge: Bridge, caplog: pytest.LogCaptureFixture, capfd) -> None:
    """No log record and no output on the hot path."""
    with caplog.at_level(logging.DEBUG):
        bridge.to_index_space(structured_vectors(3, 24))
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shape", [(23,), (2, 25), (16,), (2, 2, 24), ()])
def test_another_width_names_both_models(bridge: Bridge, shape: tuple[int, ...]) -> None:
    """The message names the two models with their widths, and the shape that came."""
    with pytest.raises(MismatchError) as caught:
        bridge.to_index_space(np.ones(shape, np.float32))
    for part in ("maker/new-model", "width 24", "maker/old-model", "width 16", str(shape)):
        assert part in str(caught.value)
    assert ("need no bridge" in str(caught.value)) == (shape == (16,))


def test_masked_values_are_refused(bridge: Bridge) -> None:
    """What the mask hides is no value, and dropping the mask would use it."""
    query = np.ma.masked_less(structured_vectors(1, 24)[0], 0.0)
    with pytest.raises(InvalidInputError, match="masked array"):
        bridge.to_index_space(query)


def test_a_vector_that_is_not_finite_is_refused(bridge: Bridge) -> None:
    """NaN gets no image."""
    query = structured_vectors(1, 24)[0]
    query[3] = np.nan
    with pytest.raises(InvalidInputError):
        bridge.to_index_space(query)


def test_a_saved_bridge_is_the_same_bridge(bridge: Bridge, saved: Path) -> None:
    """Loading gives the same bits, profiles and origin."""
    again = Bridge.load(saved, query_profile=NEW, index_profile=OLD)
    assert again.manifest == bridge.manifest
    queries = structured_vectors(5, 24, seed=8)
    assert np.array_equal(again.to_index_space(queries), bridge.to_index_space(queries))
    assert sorted(entry.name for entry in saved.iterdir()) == sorted(
        ["manifest.json", f"{bridge.adapter.sha256}.safetensors"]
    )


def test_the_manifest_says_what_the_bridge_is(bridge: Bridge, saved: Path) -> None:
    """Schema, direction, both profiles with fingerprints, the adapter and its origin."""
    content = json.loads((saved / "manifest.json").read_text())
    assert content["schema"] == "gnomon.bridge/1"
    assert content["direction"] == "new->old"
    assert content["new_profile"] == {**NEW.as_dict(), "fingerprint": NEW.fingerprint}
    assert content["old_profile"] == {**OLD.as_dict(), "fingerprint": OLD.fingerprint}
    assert content["adapter"] == {
        "name": "procrustes",
        "rank": bridge.adapter.rank,
        "n_pairs": 200,
        "n_parameters": 16 * 24 + 16,
        "sha256": bridge.adapter.sha256,
    }
    assert (content["measured_fit_scope"], content["seed"]) == ("unseen", 3)
    assert content["pairs_from"] == "all_documents"
    assert content["usable_documents"] == 500
    assert content["gnomon_version"]


def test_saving_again_replaces_the_bridge(bridge: Bridge, saved: Path) -> None:
    """The folder then holds the new bridge alone."""
    other = Bridge(small_affine(24, 16), NEW, OLD)
    other.save(saved)
    assert Bridge.load(saved).adapter.sha256 == other.adapter.sha256
    assert len(list(saved.iterdir())) == 2


def test_saving_leaves_other_folders_alone(bridge: Bridge, tmp_path: Path) -> None:
    """A folder with anything else in it, a file, or a missing parent is refused."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"holds 'notes.txt'"):
        bridge.save(tmp_path)
    with pytest.raises(UsageError, match="folder of its own"):
        bridge.save(tmp_path / "notes.txt")
    with pytest.raises(MissingInputError, match="no such folder"):
        bridge.save(tmp_path / "missing" / "bridge")
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("failing", ["weights", "manifest"])
@pytest.mark.parametrize("reason", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_save_leaves_what_was_there(
    bridge: Bridge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, reason: Any
) -> None:
    """Ctrl-C or a full disk: the old bridge still loads, a new folder is not left behind."""
    folder = tmp_path / "bridge"
    first = Bridge(small_affine(24, 16), NEW, OLD)
    for before in (None, first):
        if before is not None:
            before.save(folder)
        with monkeypatch.context() as patch:
            _fail_while_writing(patch, failing, reason)
            with pytest.raises((KeyboardInterrupt, StateError)):
                bridge.save(folder)
        if before is None:
            assert list(tmp_path.iterdir()) == []
        else:
            assert Bridge.load(folder).adapter.sha256 == first.adapter.sha256
            assert len(list(folder.iterdir())) == 2


def _fail_while_writing(patch: pytest.MonkeyPatch, failing: str, reason: Any) -> None:
    from gnomon.adapters import bridge as module

    real = module.atomic_write

    class Failing:
        def __init__(self, path: Path) -> None:
            self.real = real(path)

        def __enter__(self) -> Any:
            self.real.__enter__()
            return self

        def write(self, _: bytes) -> None:
            raise reason

        def __exit__(self, *error: object) -> Any:
            return self.real.__exit__(*error)  # type: ignore[arg-type]

    def atomic_write(path: Path) -> Any:
        is_manifest = path.name == "manifest.json"
        return Failing(path) if is_manifest == (failing == "manifest") else real(path)

    patch.setattr(module, "atomic_write", atomic_write)


def test_swapped_profiles_are_explained(saved: Path) -> None:
    """The other direction would pass every check of form and find nothing (P01)."""
    with pytest.raises(MismatchError, match="the profiles are swapped"):
        Bridge.load(saved, query_profile=OLD, index_profile=NEW)
    with pytest.raises(MismatchError, match="the profiles are swapped"):
        Bridge.load(saved, index_profile=NEW)


def test_another_model_of_the_same_width_is_refused(saved: Path) -> None:
    """Two models of one width mix without an error; the fingerprint tells them apart (I17)."""
    with pytest.raises(MismatchError, match="id is 'maker/another-model' instead of"):
        Bridge.load(saved, query_profile=TWIN)


@pytest.mark.parametrize(
    ("field", "value"),
    [("query_prefix", ""), ("revision", "3"), ("normalisation", "none"), ("document_prefix", "x")],
)
def test_every_field_of_a_profile_counts(saved: Path, field: str, value: str) -> None:
    """A lost prefix or another revision is another model, and the message says which field."""
    used = Profile(**{**NEW.as_dict(), field: value})
    with pytest.raises(MismatchError, match=f"{field} is {value!r} instead of"):
        Bridge.load(saved, query_profile=used)


def test_profiles_must_fit_the_adapter(bridge: Bridge) -> None:
    """A bridge cannot be made with a model of another width, nor with an unknown scope."""
    with pytest.raises(MismatchError, match="query model 'maker/old-model' has width 16"):
        Bridge(bridge.adapter, OLD, NEW)
    with pytest.raises(UsageError, match="measured_fit_scope"):
        Bridge(bridge.adapter, NEW, OLD, measured_fit_scope="all")


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "another direction": (lambda m: m.update(direction="old->new"), "direction is 'old->new'"),
    "no direction": (lambda m: m.pop("direction"), "direction is None"),
    "another schema": (lambda m: m.update(schema="gnomon.bridge/2"), "schema is"),
    "swapped profiles": (
        lambda m: m.update(new_profile=m["old_profile"], old_profile=m["new_profile"]),
        "query model 'maker/old-model' has width 16",
    ),
    "a missing key": (lambda m: m.pop("seed"), "lacks seed"),
    "an unknown key": (lambda m: m.update(extra=1), "unknown keys 'extra'"),
    "a path as a fingerprint": (
        lambda m: m["adapter"].update(sha256="../" * 20 + "etc/passwd"),
        "expected 64 hex digits",
    ),
    "a fingerprint with a newline": (
        lambda m: m["adapter"].update(sha256="a" * 64 + "\n"),
        "expected 64 hex digits",
    ),
    "capital hex digits": (lambda m: m["adapter"].update(sha256="A" * 64), "64 hex digits"),
    "other weights": (lambda m: m["adapter"].update(sha256="a" * 64), "no such file"),
    "another rank": (lambda m: m["adapter"].update(rank=3), "describes the adapter"),
    "another name": (lambda m: m["adapter"].update(name="ridge"), "describes the adapter"),
    "a negative count": (lambda m: m.update(usable_documents=-1), "whole number"),
    "a boolean count": (lambda m: m.update(seed=True), "whole number"),
    "a fractional count": (lambda m: m.update(seed=1.5), "whole number"),
    "an unknown scope": (
        lambda m: m.update(measured_fit_scope="all"),
        "measured_fit_scope is 'all'",
    ),
    "a scope that is a list": (lambda m: m.update(measured_fit_scope=[]), "measured_fit_scope is"),
    "pairs from elsewhere": (lambda m: m.update(pairs_from="a part"), "pairs_from is 'a part'"),
    "a number as version": (lambda m: m.update(gnomon_version=1), "expected text"),
    "an adapter that is a list": (lambda m: m.update(adapter=[]), "not an object"),
    "a profile that is a list": (lambda m: m.update(new_profile=[]), "not an object"),
    "a changed profile": (
        lambda m: m["new_profile"].update(query_prefix=""),
        "does not belong to its fields",
    ),
    "a profile without width": (lambda m: m["old_profile"].pop("dim"), "lacks 'dim'"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_changed_manifest_is_refused(saved: Path, case: str) -> None:
    """Every key is checked; a fingerprint must be one before it becomes a file name."""
    change, message = CHANGES[case]
    change_manifest(saved, change)
    with pytest.raises(GnomonError, match=message):
        Bridge.load(saved)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_manifest_that_is_not_one_is_refused(saved: Path, content: bytes) -> None:
    """Anything but a JSON object is named as such."""
    (saved / "manifest.json").write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"manifest\.json"):
        Bridge.load(saved)


def test_files_that_are_missing_or_not_files_are_named(bridge: Bridge, saved: Path) -> None:
    """Each message names the path."""
    weights = saved / f"{bridge.adapter.sha256}.safetensors"
    weights.unlink()
    with pytest.raises(MissingInputError, match=weights.name):
        Bridge.load(saved)
    weights.mkdir()
    with pytest.raises(InvalidInputError, match="not a regular file"):
        Bridge.load(saved)
    with pytest.raises(MissingInputError, match=r"manifest\.json"):
        Bridge.load(saved / "missing")


def test_an_oversized_manifest_is_not_read(saved: Path) -> None:
    """The size is looked at first."""
    with (saved / "manifest.json").open("r+b") as file:
        file.truncate(1 << 30)
    with pytest.raises(InvalidInputError, match="at most"):
        Bridge.load(saved)


@given(position=st.integers(0, 10_000), flip=st.integers(1, 255))
def test_a_flipped_byte_in_the_weights_is_refused(
    bridge: Bridge, tmp_path_factory: pytest.TempPathFactory, position: int, flip: int
) -> None:
    """The fingerprint in the manifest sees every change of the weights."""
    folder = tmp_path_factory.mktemp("flip") / "bridge"
    bridge.save(folder)
    weights = folder / f"{bridge.adapter.sha256}.safetensors"
    data = bytearray(weights.read_bytes())
    data[position % len(data)] ^= flip
    weights.write_bytes(bytes(data))
    with pytest.raises(MismatchError, match="sha256 is"):
        Bridge.load(folder)
