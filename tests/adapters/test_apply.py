"""Applying an adapter: the same bits on every route, and nothing shared with the caller."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters.builders import noisy_pairs, structured_vectors

from gnomon import kernels
from gnomon.adapters import ADAPTER_NAMES, FitContext, FittedAdapter, adapter_named
from gnomon.errors import MismatchError


@pytest.fixture(scope="module")
def fitted() -> dict[str, FittedAdapter]:
    """One adapter of each kind, 48 to 33 dimensions."""
    new, old = noisy_pairs(400, 48, 33)
    context = FitContext.of(new, old, seed=0, cluster_labels=np.arange(400) // 100)
    return {name: adapter_named(name).fit_context(context) for name in ADAPTER_NAMES}


@pytest.mark.parametrize("name", ADAPTER_NAMES)
def test_bits_do_not_depend_on_the_machine(
    name: str, fitted: dict[str, FittedAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every instruction set and 1, 2 and 7 threads give the same bits, alone and in a batch."""
    queries = structured_vectors(37, 48, seed=8)
    expected = fitted[name].apply(queries)
    for isa in kernels.runnable_isas():
        monkeypatch.setenv("GNOMON_ISA", isa)
        for threads in (1, 2, 7):
            assert np.array_equal(fitted[name].apply(queries, threads=threads), expected)
        for row in range(0, 37, 9):
            assert np.array_equal(fitted[name].apply(queries[row : row + 1])[0], expected[row])


@pytest.mark.parametrize("name", ADAPTER_NAMES)
def test_the_input_is_neither_written_nor_returned(
    name: str, fitted: dict[str, FittedAdapter]
) -> None:
    """The queries are the same bytes afterwards, and no output shares memory with them (V08)."""
    queries = structured_vectors(20, 48, seed=8)
    before = queries.copy()
    images = fitted[name].apply(queries)
    assert np.array_equal(queries, before)
    assert not np.shares_memory(images, queries)
    images[:] = 7.0
    assert np.array_equal(queries, before)
    queries.flags.writeable = False
    fitted[name].apply(queries)


def test_the_identity_of_equal_widths_is_a_copy() -> None:
    """Even where nothing changes, the result is a new array (V08)."""
    new, old = noisy_pairs(30, 16, 16)
    adapter = adapter_named("identity").fit(new, old, seed=0)
    queries = structured_vectors(5, 16)
    images = adapter.apply(queries)
    assert not np.shares_memory(images, queries)
    np.testing.assert_allclose(images, queries, atol=1e-7)


@pytest.mark.parametrize("name", ADAPTER_NAMES)
def test_images_are_unit_vectors_and_zero_stays_zero(
    name: str, fitted: dict[str, FittedAdapter]
) -> None:
    """g(x) has length 1; a zero row has no direction, so it scores 0 against everything."""
    queries = structured_vectors(9, 48, seed=8)
    queries[4] = 0.0
    images = fitted[name].apply(queries)
    lengths = np.linalg.norm(images.astype(np.float64), axis=1)
    assert lengths[4] == 0.0
    np.testing.assert_allclose(np.delete(lengths, 4), 1.0, atol=1e-6)
    assert images.dtype == np.float32


@pytest.mark.parametrize("name", ADAPTER_NAMES)
def test_no_query_gives_no_image(name: str, fitted: dict[str, FittedAdapter]) -> None:
    """An empty batch is answered by an empty one of the right width."""
    assert fitted[name].apply(np.zeros((0, 48), np.float32)).shape == (0, 33)


@pytest.mark.parametrize("shape", [(48,), (2, 33), (2, 48, 1)])
def test_another_shape_is_refused(shape: tuple[int, ...], fitted: dict[str, FittedAdapter]) -> None:
    """The message names both widths and the shape."""
    with pytest.raises(MismatchError, match="maps width 48 to 33"):
        fitted["procrustes"].apply(np.zeros(shape, np.float32))


@pytest.mark.parametrize(
    "name", ["procrustes", "procrustes_scaled", "ridge", "low_rank", "per_cluster"]
)
def test_a_bridged_query_finds_its_document_and_the_wrong_direction_does_not(name: str) -> None:
    """The result can still find something: recall@1 on documents that no fit has seen (P01)."""
    new, old = noisy_pairs(1500, 32, 32)
    context = FitContext.of(new[:1000], old[:1000], seed=0, cluster_labels=np.arange(1000) % 4)
    adapter = adapter_named(name).fit_context(context)
    unseen = np.arange(1000, 1500)
    hits = kernels.topk(adapter.apply(new[unseen]), old, 1).ids[:, 0]
    assert (hits == unseen).mean() > 0.9
    backwards = kernels.topk(adapter.apply(old[unseen]), new, 1).ids[:, 0]
    assert (backwards == unseen).mean() < 0.2


def test_more_parameters_cost_more_to_serve(fitted: dict[str, FittedAdapter]) -> None:
    """The number of parameters is the number of stored values."""
    assert fitted["identity"].n_parameters == 0
    assert fitted["procrustes"].n_parameters == fitted["ridge"].n_parameters == 33 * 48 + 33
    maps = 400 // 100
    assert fitted["per_cluster"].n_parameters == maps * (33 * 48 + 33) + 4 * 48 + 4
