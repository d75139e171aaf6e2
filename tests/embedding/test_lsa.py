"""Latent semantic analysis: meaning from the corpus, the same vectors every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.embedding.lsa import LsaEmbedder
from gnomon.errors import IndexFileError, InvalidInputError
from gnomon.kernels import Analyzer

if TYPE_CHECKING:
    from pathlib import Path

# "car" and "automobile" never meet; "engine" and "wheels" stand beside both.
CORPUS = [
    "car engine wheels",
    "automobile engine wheels",
    "car wheels road",
    "automobile road engine",
    "cat milk fur",
    "cat fur whiskers",
    "kitten milk whiskers",
    "kitten fur milk",
    "sun moon sky",
    "moon stars sky",
    "sun stars light",
    "light sky stars",
] * 2


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """Return the cosine of two vectors at unit length."""
    return float(a @ b)


def test_words_of_like_company_are_near() -> None:
    """A synonym that shares no document is nearer than a word of another subject."""
    model = LsaEmbedder.fit(CORPUS, 3)
    car, automobile, kitten = model.embed_questions(["car", "automobile", "kitten"])
    assert cosine(car, automobile) > 0.9
    assert abs(cosine(car, kitten)) < 0.3


def test_the_axes_are_those_of_a_dense_decomposition() -> None:
    """Against numpy.linalg.svd of the whole matrix of weights."""
    model = LsaEmbedder.fit(CORPUS, 3)
    terms = sorted({term for text in CORPUS for term in text.split()})
    matrix = np.zeros((len(CORPUS), len(terms)))
    for row, text in enumerate(CORPUS):
        for term in text.split():
            df = sum(term in other.split() for other in CORPUS)
            matrix[row, terms.index(term)] = np.log((1 + len(CORPUS)) / df)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    _, values, axes = np.linalg.svd(matrix)
    assert values[2] - values[3] > 0.1  # else the third axis would not be determined
    projected = matrix @ axes[:3].T
    projected /= np.linalg.norm(projected, axis=1, keepdims=True)
    vectors = model.embed_documents(CORPUS)
    assert np.allclose(vectors @ vectors.T, projected @ projected.T, atol=1e-5)


def test_unit_length_and_zero() -> None:
    """A text without a known term is zero; nothing is NaN."""
    vectors = LsaEmbedder.fit(CORPUS, 3).embed_documents(["car cat", "", "unheard of", "CAR"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1])


def test_the_same_fit_twice() -> None:
    """The same bits, and the same revision in the profile; another corpus has another."""
    one, other = (LsaEmbedder.fit(CORPUS, 3) for _ in range(2))
    assert one.embed_documents(CORPUS).tobytes() == other.embed_documents(CORPUS).tobytes()
    assert one.profile == other.profile
    assert LsaEmbedder.fit(CORPUS[:-1], 3).profile.revision != one.profile.revision


def test_saved_and_loaded(tmp_path: Path) -> None:
    """A question is embedded later as the documents were."""
    model = LsaEmbedder.fit(CORPUS, 3)
    model.save(tmp_path)
    again = LsaEmbedder.load(tmp_path, analyzer=Analyzer())
    assert again.profile == model.profile
    assert again.embed(["cat engine"]).tobytes() == model.embed(["cat engine"]).tobytes()


def test_another_analyzer_is_refused(tmp_path: Path) -> None:
    """Terms cut another way are other terms."""
    LsaEmbedder.fit(CORPUS, 3).save(tmp_path)
    with pytest.raises(IndexFileError, match="fitted with another analyzer"):
        LsaEmbedder.load(tmp_path, analyzer=Analyzer(stopwords=["car"]))


@pytest.mark.parametrize("name", ["axes.npy", "terms.json"])
def test_damage(tmp_path: Path, name: str) -> None:
    """A missing, empty, cut or senseless file is told, with what to do."""
    LsaEmbedder.fit(CORPUS, 3).save(tmp_path)
    file = tmp_path / name
    for content in (file.read_bytes()[:-9], b"", b"[" * 100_000):
        file.write_bytes(content)
        with pytest.raises(IndexFileError, match="build the index again"):
            LsaEmbedder.load(tmp_path, analyzer=Analyzer())
    file.unlink()
    with pytest.raises(IndexFileError, match="build the index again"):
        LsaEmbedder.load(tmp_path, analyzer=Analyzer())


@pytest.mark.parametrize(("texts", "dim"), [(CORPUS[:3], 3), ([], 1), (["a", "b", "c"], 1)])
def test_too_few(texts: list[str], dim: int) -> None:
    """More documents and shared terms than dimensions are needed; the message counts both."""
    noun = "document" if dim == 1 else "documents"
    with pytest.raises(InvalidInputError, match=f"lsa:{dim} needs more than {dim} {noun} and"):
        LsaEmbedder.fit(texts, dim)
