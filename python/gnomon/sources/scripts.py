"""Which script a text is written in."""

from __future__ import annotations

import unicodedata
from collections import Counter


def script_of(text: str) -> str:
    """Return the script of most letters of a text, as its letters' names tell it.

    Examples
    --------
    >>> script_of("and for backend calls?"), script_of("δίκτυο"), script_of("42")
    ('latin', 'greek', 'none')
    """
    scripts = Counter(unicodedata.name(c, "none").split()[0].lower() for c in text if c.isalpha())
    return max(sorted(scripts), key=scripts.__getitem__) if scripts else "none"
