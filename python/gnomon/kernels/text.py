"""Text folded and cut into words by the compiled core: the same everywhere.

The tables are those of one version of Unicode (`unicode_version`), not those of the running Python,
and no locale is asked. What is a word is in ``docs/kernels/text.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon import _core
from gnomon.errors import InvalidTypeError
from gnomon.kernels._arrays import as_threads

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


def unicode_version() -> str:
    """Return the version of the Unicode data in the tables.

    Examples
    --------
    >>> unicode_version()
    '15.0.0'
    """
    return _core.unicode_version()


def nfkc_casefold(text: str) -> str:
    """Return the text in the form in which words are compared.

    Parameters
    ----------
    text
        Any text; ``""`` gives ``""``.

    Returns
    -------
    str
        NFKC_Casefold of the Unicode Standard (section 3.13): compatibility forms are replaced, case
        is folded in full, default-ignorable code points are removed, and what is left is in
        normalisation form C. The iota subscript is put in canonical order before it is folded, so
        that canonically equivalent texts fold alike. Folding twice changes nothing.

    Raises
    ------
    InvalidInputError
        The text holds a lone surrogate; the message gives its place.
    InvalidTypeError
        It isn't a str.

    Examples
    --------
    >>> nfkc_casefold("Straße"), nfkc_casefold("ＡＢＣ①")
    ('strasse', 'abc1')
    """
    return _core.nfkc_casefold(text)


def word_counts(texts: Iterable[str], *, threads: int | None = None) -> NDArray[np.int64]:
    """Return how many words every text has, before stopwords are dropped.

    Parameters
    ----------
    texts
        The texts, one a row.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    numpy.ndarray
        int64 of shape (rows,); 0 for a text without words.

    Raises
    ------
    InvalidInputError
        A text holds a lone surrogate; the message names the row.
    InvalidTypeError
        A row isn't a str, or ``texts`` is a single str.

    Examples
    --------
    >>> word_counts(["To be, or not to be", "", "東京塔"])
    array([6, 0, 2])
    """
    return _core.word_counts(text_rows(texts), as_threads(threads))


def text_rows(texts: Iterable[str]) -> list[str]:
    """Return the texts as a list of its own; a single str is refused."""
    if isinstance(texts, str | bytes):
        raise InvalidTypeError(
            f"texts is one {type(texts).__name__}; expected a sequence of str, such as [text]"
        )
    return list(texts)
