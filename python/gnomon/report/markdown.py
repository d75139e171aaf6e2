"""Text, code and tables in Markdown that no value can break out of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.report.tables import Table

_MARKUP = re.compile(r"([\\`*_{}\[\]<>|~$&])")
# At its start a text could become a heading, a list item or a rule; a number's sign cannot.
_AT_START = re.compile(r"^(\d*)([#+=.)-])(?!\d)")


def plain(text: str) -> str:
    r"""Return text with everything escaped that Markdown would read as markup or as a link.

    Examples
    --------
    >>> plain("<b> *[a](x)* | www.x.org")
    '\\<b\\> \\*\\[a\\](x)\\* \\| www\\.x.org'
    """
    escaped = _MARKUP.sub(r"\\\1", text)
    escaped = escaped.replace("://", ":\\//").replace("www.", "www\\.")
    return _AT_START.sub(r"\1\\\2", escaped)


def code(text: str) -> str:
    r"""Return text as a code span.

    Examples
    --------
    >>> code("a"), code("tick ` inside")
    ('`a`', '`` tick ` inside ``')
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padded = f" {text} " if longest or not text.strip() else text
    return f"{fence}{padded}{fence}"


def fenced(text: str) -> str:
    """Return one line of text as a code block."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def table(it: Table) -> str:
    """Return a table with its caption above, in the form of GitHub's Markdown."""
    lines = [f"**{plain(it.caption)}**", "", _row([plain(name) for name in it.header])]
    lines.append(_row(["---"] * len(it.header)))
    lines += [
        _row(
            [
                # A pipe ends a cell even inside a code span, unless it is escaped.
                code(cell).replace("|", "\\|") if column in it.codes else plain(cell)
                for column, cell in enumerate(row)
            ]
        )
        for row in it.rows
    ]
    return "\n".join(lines)


def bullets(sentences: list[str]) -> str:
    """Return sentences as a list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
