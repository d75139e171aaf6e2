"""Documents and queries as the caller gives them: texts or tokens, of any length, read once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidTypeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STEP = 512
_MOST_DOCUMENTS = 16384
_ENOUGH = 8 << 20  # characters or tokens


def one_of(texts: Any, tokens: Any, name: str) -> tuple[bool, Any]:
    """Return whether texts were given, and what was given; exactly one must be."""
    if (texts is None) == (tokens is None):
        raise UsageError(f"give exactly one of {name} and tokens, not {_given(texts)}")
    return (True, texts) if tokens is None else (False, tokens)


def _given(texts: Any) -> str:
    return "neither" if texts is None else "both"


def batches_of(documents: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield lists of consecutive documents, each of a size that memory can hold twice."""
    if isinstance(documents, str | bytes) or not hasattr(documents, "__iter__"):
        raise InvalidTypeError(
            f"documents are one {type(documents).__name__}; expected an iterable with one item a "
            f"document, such as [document]"
        )
    source = iter(documents)
    batch: list[Any] = []
    size = 0
    while some := list(islice(source, _STEP)):
        batch += some
        size += sum(len(item) if hasattr(item, "__len__") else _ENOUGH for item in some)
        if len(batch) >= _MOST_DOCUMENTS or size >= _ENOUGH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def query_list(queries: Any, *, is_text: bool) -> list[Any]:
    """Return the queries as a list of its own; one text is a list of one."""
    if is_text and isinstance(queries, str):
        return [queries]
    if isinstance(queries, str | bytes) or not hasattr(queries, "__iter__"):
        raise InvalidTypeError(
            f"{'queries' if is_text else 'tokens'} is of type {type(queries).__name__}; expected "
            f"{'a str or an iterable of str' if is_text else 'one sequence of str for each query'}"
        )
    return list(queries)
