"""Latent semantic analysis: vectors from the corpus itself, when there is no model at all.

Words that occur in the same documents come to lie along the same axes (Deerwester, Dumais, Furnas,
Landauer and Harshman, "Indexing by latent semantic analysis", JASIS 1990). It knows nothing that is
not in the corpus, so a question in other words than the documents' finds little.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from gnomon.embedding.offline import OneSidedModel
from gnomon.embedding.profile import Profile
from gnomon.errors import IndexFileError, InvalidInputError
from gnomon.kernels import Analyzer

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

# A term of one document joins nothing.
LEAST_DOCUMENTS: Final = 2
_AXES, _TERMS = "axes.npy", "terms.json"
STORED_NAMES: Final = (_AXES, _TERMS)
_FORMAT: Final = 1


class LsaEmbedder(OneSidedModel):
    """Projects the weighted terms of a text onto axes that were fitted on a corpus.

    A text is the vector of its terms' weights, (1 + ln tf) idf with idf = ln((1 + N) / df), at unit
    length; its embedding is that vector times the axes, at unit length. A text without any known
    term is the zero vector.

    Parameters
    ----------
    terms
        The terms in order of their bytes.
    axes
        float32[terms, dim]: the right singular vectors, each scaled by its term's idf.
    analyzer
        What cut the corpus into terms.
    """

    def __init__(self, terms: Sequence[str], axes: NDArray[np.float32], analyzer: Analyzer) -> None:
        self._rows = {term: row for row, term in enumerate(terms)}
        self._axes, self._analyzer = axes, analyzer
        fit = hashlib.sha256(json.dumps(list(terms)).encode())
        fit.update(np.ascontiguousarray(axes, dtype="<f4").tobytes())
        fit.update(analyzer.fingerprint.encode())
        self.profile = Profile("lsa", axes.shape[1], "", "", "l2", fit.hexdigest())

    @classmethod
    def fit(
        cls, texts: Sequence[str], dim: int, *, analyzer: Analyzer | None = None
    ) -> LsaEmbedder:
        """Return the model of a corpus.

        The axes are the same for the same texts, order included, on one machine; another BLAS may
        give other last digits, which the revision in the profile then shows.

        Raises
        ------
        InvalidInputError
            When the corpus has not more than ``dim`` documents, or terms that occur in two.
        """
        from scipy.sparse.linalg import svds  # noqa: PLC0415  # slow to import

        analyzer = analyzer or Analyzer()
        counts = [Counter(analyzer(text)) for text in texts]
        spread = Counter(term for one in counts for term in one)
        terms = sorted(
            (term for term, documents in spread.items() if documents >= LEAST_DOCUMENTS),
            key=str.encode,
        )
        if min(len(texts), len(terms)) <= dim:
            documents = "document" if dim == 1 else "documents"
            raise InvalidInputError(
                f"lsa:{dim} needs more than {dim} {documents} and terms that occur in two of them; "
                f"the corpus has {len(texts):,} and {len(terms):,}. Choose fewer dimensions"
            )
        idf = np.array([math.log((1 + len(texts)) / spread[term]) for term in terms])
        matrix = _weights(counts, {term: row for row, term in enumerate(terms)}, idf)
        # Sums over several threads have other last bits from one run to the next.
        with threadpool_limits(limits=1):
            _, values, axes = svds(matrix, k=dim, v0=np.ones(min(matrix.shape)))
        axes = axes[np.argsort(-values, kind="stable")]
        largest = axes[np.arange(dim), np.abs(axes).argmax(axis=1)]
        axes *= np.sign(largest)[:, None]  # a singular vector is known up to its sign
        return cls(terms, (axes * idf).T.astype(np.float32), analyzer)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim] at unit length, or zero."""
        vectors = np.zeros((len(texts), self.profile.dim), dtype=np.float32)
        for at, text in enumerate(texts):
            counts = Counter(self._analyzer(text))
            known = _known(counts, self._rows)
            if known:
                rows, weights = [r for r, _ in known], [1.0 + math.log(tf) for _, tf in known]
                total = np.asarray(weights) @ self._axes[rows].astype(np.float64)
                length = float(np.linalg.norm(total))
                vectors[at] = total / length if length else 0.0
        return vectors

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model into a folder, which must exist."""
        np.save(Path(folder) / _AXES, self._axes.astype("<f4"), allow_pickle=False)
        body = {"format": _FORMAT, "terms": list(self._rows), "analyzer": self._analyzer.describe()}
        text = json.dumps(body, ensure_ascii=False, sort_keys=True) + "\n"
        (Path(folder) / _TERMS).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, analyzer: Analyzer) -> LsaEmbedder:
        """Read the model that `save` wrote.

        Raises
        ------
        IndexFileError
            When a file is missing or damaged, or the corpus was cut into terms by another analyzer.
        """
        try:
            body: dict[str, Any] = json.loads((Path(folder) / _TERMS).read_text("utf-8"))
            axes = np.load(Path(folder) / _AXES, allow_pickle=False)
            terms, described = body["terms"], body["analyzer"]
        except (OSError, EOFError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise IndexFileError(
                f"{folder}: the lsa model cannot be read ({error}); build the index again"
            ) from error
        if body.get("format") != _FORMAT or described != analyzer.describe():
            raise IndexFileError(
                f"{folder}: the lsa model was fitted with another analyzer; build the index again"
            )
        if axes.ndim != 2 or len(axes) != len(terms) or not np.isfinite(axes).all():
            raise IndexFileError(f"{folder}: the lsa model is damaged; build the index again")
        return cls(terms, axes.astype(np.float32), analyzer)


def _weights(counts: Sequence[Counter[str]], rows: dict[str, int], idf: NDArray[np.float64]) -> Any:
    """Return the sparse matrix of the documents' term weights, each row at unit length."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415  # slow to import

    starts, columns, values = [0], [], []
    for one in counts:
        known = _known(one, rows)
        weights = np.array([1.0 + math.log(tf) for _, tf in known]) * idf[[r for r, _ in known]]
        length = float(np.linalg.norm(weights))
        columns += [row for row, _ in known]
        values += (weights / length if length else weights).tolist()
        starts.append(len(columns))
    return csr_matrix((values, columns, starts), shape=(len(counts), len(rows)))


def _known(counts: Counter[str], rows: dict[str, int]) -> list[tuple[int, int]]:
    """Return (row, tf) of the terms that have a row, in the order of rows."""
    return sorted((rows[term], tf) for term, tf in counts.items() if term in rows)
