"""Keys and comparisons of texts in a buffer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnomon.sources.words import PADDING, are_equal, heads_of_runs, keys_of, keys_of_texts

IDS = st.lists(st.text("ab1é", min_size=1, max_size=30), min_size=1, max_size=20)


def laid_out(texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return texts in a buffer whose padding looks like more of them."""
    pieces = [text.encode() for text in texts]
    data = np.frombuffer(b"a" * PADDING + b"b".join(pieces) + b"a" * PADDING, np.uint8)
    lengths = np.array([len(piece) for piece in pieces])
    starts = PADDING + np.cumsum(lengths + 1) - lengths - 1
    return data, starts, starts + lengths


@given(IDS)
def test_keys_are_those_of_the_texts(texts: list[str]) -> None:
    """Equal texts have equal keys and different ones different keys, wherever they stand."""
    keys = keys_of(*laid_out(texts)).tolist()
    assert keys == keys_of_texts([text.encode() for text in texts]).tolist()
    assert len(set(keys)) == len(set(texts))


@given(IDS)
def test_heads(texts: list[str]) -> None:
    """A head is a text that differs from the one before."""
    expected = [i for i, text in enumerate(texts) if i == 0 or text != texts[i - 1]]
    assert heads_of_runs(*laid_out(texts)).tolist() == expected


def test_a_prefix_is_another_text() -> None:
    """Also when all of it, longer than a word, stands at the beginning of the one before."""
    texts = ["document-10", "document-1", "document-10", "document-10"]
    assert heads_of_runs(*laid_out(texts)).tolist() == [0, 1, 2]


@given(IDS, st.data())
def test_equality(texts: list[str], data: st.DataObject) -> None:
    """Texts of equal length are compared to the last byte."""
    buffer, starts, ends = laid_out(texts)
    places = st.integers(0, len(texts) - 1)
    mine, other = (np.array(data.draw(st.lists(places, min_size=3, max_size=3))) for _ in "ab")
    lengths = (ends - starts)[mine]
    fits = lengths == (ends - starts)[other]
    mine, other = mine[fits], other[fits]
    found = are_equal(buffer, starts[mine], buffer, starts[other], lengths[fits])
    assert found.tolist() == [texts[a] == texts[b] for a, b in zip(mine, other, strict=True)]
