"""Adapters as bytes: one canonical form, and nothing believed when it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from tests.adapters.builders import noisy_pairs, small_affine, structured_vectors

from gnomon.adapters import ADAPTER_NAMES, FitContext, adapter_named, from_bytes, to_bytes
from gnomon.adapters.container import pack, unpack
from gnomon.errors import GnomonError, InvalidInputError, MismatchError

SMALL = to_bytes(small_affine())


def header_of(data: bytes) -> dict[str, Any]:
    """Return the JSON header of safetensors bytes."""
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])


def with_header(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Return the bytes with another header in front of the same tensors."""
    header = header_of(data)
    replaced = change(header)
    text = replaced if isinstance(replaced, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + int.from_bytes(data[:8], "little") :]


@pytest.mark.parametrize("name", ADAPTER_NAMES)
def test_an_adapter_survives_the_round_trip(name: str) -> None:
    """What is read back has the same fields, the same bytes and maps to the same bits."""
    new, old = noisy_pairs(200, 24, 16)
    context = FitContext.of(new, old, seed=0, cluster_labels=np.arange(200) // 50)
    adapter = adapter_named(name).fit_context(context)
    again = from_bytes(to_bytes(adapter), expected_sha256=adapter.sha256)
    assert type(again) is type(adapter)
    assert to_bytes(again) == to_bytes(adapter)
    for field in ("name", "d_new", "d_old", "rank", "n_pairs", "fewest_pairs", "few_pairs"):
        assert getattr(again, field) == getattr(adapter, field)
    queries = structured_vectors(10, 24, seed=8)
    assert np.array_equal(again.apply(queries), adapter.apply(queries))


def test_the_bytes_are_pinned() -> None:
    """The canonical form never changes by accident: a trail refers to it by fingerprint."""
    assert small_affine().sha256 == PINNED
    assert len(SMALL) % 4 == 0
    assert list(header_of(SMALL)) == ["__metadata__", "bias", "weights"]


PINNED = "028ecfef89845fa909a87a3fcbb68e0790c73d058fe0d4aee7439ea6d7fe5626"


def test_other_readers_of_safetensors_read_it() -> None:
    """The container is ordinary safetensors."""
    tensors = safetensors.numpy.load(SMALL)
    assert np.array_equal(tensors["weights"], small_affine().weights)
    assert np.array_equal(tensors["bias"], small_affine().bias)


def test_the_order_in_which_tensors_come_does_not_matter() -> None:
    """Equal content gives equal bytes."""
    one, two = np.ones((2, 3), np.float32), np.arange(4)
    left = pack({"a": one, "b": two}, {"x": "1", "y": "2"})
    assert left == pack({"b": two, "a": np.asfortranarray(one)}, {"y": "2", "x": "1"})
    tensors, metadata = unpack(left, where="here")
    assert np.array_equal(tensors["a"], one)
    assert np.array_equal(tensors["b"], two)
    assert metadata == {"x": "1", "y": "2"}


@given(cut=st.integers(0, len(SMALL) - 1))
def test_a_truncated_file_is_refused(cut: int) -> None:
    """Cut short anywhere, it is an error of gnomon and never anything else."""
    with pytest.raises(InvalidInputError):
        from_bytes(SMALL[:cut])


@given(position=st.integers(0, len(SMALL) - 1), flip=st.integers(1, 255))
def test_a_flipped_byte_is_refused_by_its_fingerprint(position: int, flip: int) -> None:
    """With the recorded fingerprint every change is seen; without it, none crashes."""
    damaged = bytearray(SMALL)
    damaged[position] ^= flip
    with pytest.raises(MismatchError, match="sha256"):
        from_bytes(bytes(damaged), expected_sha256=small_affine().sha256)
    try:
        adapter = from_bytes(bytes(damaged))
    except GnomonError:
        return
    assert to_bytes(adapter) == bytes(damaged)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    """Noise is not an adapter."""
    with pytest.raises(InvalidInputError):
        from_bytes(data)


def _set(*path: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        inner = header
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return change


HOSTILE: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a size that is not there": (
        _set("weights", "shape", to=[1 << 31, 1 << 31]),
        "needs 18446744073709551616",
    ),
    "a large size": (_set("weights", "shape", to=[1 << 20, 5]), "needs 20971520 bytes"),
    "a negative size": (_set("weights", "shape", to=[-3, 5]), "not a list of at most three sizes"),
    "a fractional size": (_set("weights", "shape", to=[3.0, 5]), "not a list"),
    "a boolean size": (_set("weights", "shape", to=[True, 15]), "not a list"),
    "four dimensions": (_set("weights", "shape", to=[3, 5, 1, 1]), "at most three"),
    "another dtype": (_set("weights", "dtype", to="F16"), "expected one of F32, I64"),
    "a dtype that is a list": (_set("weights", "dtype", to=["F32"]), "expected one of"),
    "offsets behind the end": (_set("weights", "data_offsets", to=[12, 1000]), "outside"),
    "offsets backwards": (_set("weights", "data_offsets", to=[72, 12]), "outside"),
    "one offset": (_set("weights", "data_offsets", to=[12]), "not two positions"),
    "overlapping tensors": (_set("bias", "data_offsets", to=[12, 24]), "overlap"),
    "a tensor that is not an object": (_set("weights", to=[1, 2]), "needs exactly dtype"),
    "an unknown key": (_set("weights", "extra", to=1), "needs exactly dtype"),
    "metadata that is not text": (_set("__metadata__", "rank", to=3), "not an object of texts"),
    "metadata that is a list": (_set("__metadata__", to=[]), "not an object of texts"),
    "no metadata": (lambda header: header.pop("__metadata__") and None, "format is None"),
    "a name twice": (lambda _: b'{"a":{},"a":{}}', "twice"),
    "a header that is a list": (lambda _: b"[]", "not a JSON object"),
    "deep nesting": (lambda _: b"[" * 100_000, "not JSON"),
    "a missing tensor": (lambda header: header.pop("bias") and None, "hole"),
    "a renamed tensor": (
        lambda header: header.update(bia=header.pop("bias")),
        r"needs the tensors \['bias', 'weights'\]",
    ),
    "another format": (_set("__metadata__", "format", to="gnomon.adapter/9"), "format is"),
    "another adapter": (_set("__metadata__", "name", to="mlp"), "holds an adapter 'mlp'"),
    "the wrong widths": (_set("__metadata__", "d_new", to="6"), r"expected float32\[3, 6\]"),
    "no width": (_set("__metadata__", "d_old", to="0"), "expected 1 to"),
    "a huge width": (_set("__metadata__", "d_old", to="9" * 16), "expected 1 to"),
    "a long number": (_set("__metadata__", "d_old", to="9" * 5000), "expected a whole number"),
    "a width in other digits": (_set("__metadata__", "d_old", to="\u0663"), "whole number"),
    "a rank above the width": (_set("__metadata__", "rank", to="4"), "don't fit together"),
    "more fewest pairs than pairs": (_set("__metadata__", "fewest_pairs", to="41"), "don't fit"),
    "another order of bytes": (lambda _: None, "canonical form"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_lying_header_is_refused(case: str) -> None:
    """Every size, name and type is checked against the bytes before it is used."""
    change, message = HOSTILE[case]
    with pytest.raises((InvalidInputError, MismatchError), match=message):
        from_bytes(with_header(SMALL, change), where="adapter.safetensors")


def test_the_message_names_the_file() -> None:
    """A reader of the error knows which file to look at."""
    with pytest.raises(InvalidInputError, match=r"^folder/x\.safetensors: "):
        from_bytes(b"", where="folder/x.safetensors")


def test_a_map_the_other_way_is_refused() -> None:
    """Applied backwards an adapter passes every check of form and finds nothing (P01)."""
    data = with_header(SMALL, _set("__metadata__", "direction", to="old->new"))
    with pytest.raises(MismatchError, match=r"maps 'old->new', expected 'new->old'"):
        from_bytes(data)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_refused(value: float) -> None:
    """NaN in a file would silence a whole index."""
    tensors, metadata = unpack(SMALL, where="")
    spoiled = tensors["weights"].copy()
    spoiled[1, 2] = value
    with pytest.raises(InvalidInputError, match="'weights' holds NaN or infinity"):
        from_bytes(pack({**tensors, "weights": spoiled}, metadata))


@pytest.mark.parametrize("route", [[0, 2], [0, -1]])
def test_a_route_to_nowhere_is_refused(route: list[int]) -> None:
    """Centroids must name maps that are there."""
    new, old = noisy_pairs(100, 8, 8)
    context = FitContext.of(new, old, seed=0, cluster_labels=np.arange(100) // 50)
    adapter = adapter_named("per_cluster").fit_context(context)
    tensors, metadata = unpack(to_bytes(adapter), where="")
    with pytest.raises(InvalidInputError, match="one of 2 maps for each of 2 centroids"):
        from_bytes(pack({**tensors, "map_of_centroid": np.array(route)}, metadata))


def test_loaded_weights_cannot_be_changed() -> None:
    """A served adapter is what its fingerprint says, for as long as it lives."""
    loaded = from_bytes(SMALL)
    with pytest.raises(ValueError, match="read-only"):
        loaded.weights[0, 0] = 1.0
