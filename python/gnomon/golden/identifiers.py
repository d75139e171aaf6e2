"""Identifiers in prose: compared as written and as a whole."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Characters that would make another identifier of one beside them. ASCII: code stands in any prose.
_NAME: Final = "[A-Za-z0-9_]"


def holds_identifier(text: str, identifier: str) -> bool:
    """Return whether a text holds an identifier that is not a part of a longer one.

    Parameters
    ----------
    text
        In NFC.
    identifier
        In any form.

    Examples
    --------
    >>> holds_identifier("call rotate()", "rotate"), holds_identifier("--all-keys", "--all")
    (True, False)
    """
    name = unicodedata.normalize("NFC", identifier)
    before = f"(?<!{_NAME})" if re.match(_NAME, name) else ""
    after = f"(?!{_NAME}|-{_NAME})" if re.match(_NAME, name[-1:]) else ""
    return re.search(before + re.escape(name) + after, text) is not None
