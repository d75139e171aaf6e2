"""What may be an id, whatever kind of file it came from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def ids_of_values(values: Iterable[object], *, where: str) -> tuple[str, ...]:
    """Return the values of an id column as strings; integers give their decimal digits.

    Raises
    ------
    InvalidInputError
        Naming the first row whose value is null, blank, neither string nor integer, or not UTF-8.

    Examples
    --------
    >>> ids_of_values(["a", 7, b"c"], where="ids")
    ('a', '7', 'c')
    """
    return tuple(_id_of_value(value, where, row) for row, value in enumerate(values))


def check_unique(ids: Sequence[str], *, where: str) -> None:
    """Refuse ids that occur more than once.

    Raises
    ------
    InvalidInputError
        Naming the first five duplicates in sorted order and how many there are.
    """
    if len(set(ids)) == len(ids):
        return
    repeated = sorted(item for item, count in Counter(ids).items() if count > 1)
    noun = "id occurs" if len(repeated) == 1 else "ids occur"
    raise InvalidInputError(
        f"{where}: {len(repeated)} {noun} more than once: {listed(repeated)}; "
        "every id must be unique"
    )


def _id_of_value(value: object, where: str, row: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, bytes):
        try:
            value = value.decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidInputError(
                f"{where}: row {row}: the id is not UTF-8; write ids as UTF-8 strings"
            ) from None
    if not isinstance(value, str):
        found = "null" if value is None else f"a value of type {type(value).__name__}"
        raise InvalidInputError(
            f"{where}: row {row}: the id is {found}; expected a string or an integer"
        )
    if not value.strip():
        raise InvalidInputError(
            f"{where}: row {row}: the id is blank; every row needs an id of its own"
        )
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise InvalidInputError(
            f"{where}: row {row}: the id {quoted(value)} holds half of a surrogate pair, "
            "which is no character"
        )
    return value
