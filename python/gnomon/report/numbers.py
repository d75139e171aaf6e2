"""Numbers as every view writes them: four decimals, thousands apart, never ``-0.0000``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.types import Figure

NOT_MEASURED = "not measured"


def decimal(value: float | None) -> str:
    """Return a number with four decimals, or that it was not measured.

    Examples
    --------
    >>> decimal(0.70710), decimal(-0.00001), decimal(None)
    ('0.7071', '0.0000', 'not measured')
    """
    if value is None:
        return NOT_MEASURED
    text = f"{value:.4f}"
    return text.lstrip("-") if float(text) == 0.0 else text


def signed(value: float | None) -> str:
    """Return a difference with its sign.

    Examples
    --------
    >>> signed(0.25), signed(-0.25), signed(0.0)
    ('+0.2500', '-0.2500', '0.0000')
    """
    text = decimal(value)
    return f"+{text}" if value is not None and float(text) > 0.0 else text


def interval(figure: Figure) -> str:
    """Return the 95% interval in words.

    Examples
    --------
    >>> from gnomon.types import Figure
    >>> interval(Figure(0.5, 0.4, 0.6)), interval(Figure(0.5))
    ('0.4000 to 0.6000', 'no interval')
    """
    if figure.low is None or figure.high is None:
        return "no interval"
    return f"{decimal(figure.low)} to {decimal(figure.high)}"


def count(number: int) -> str:
    """Return a whole number with its thousands apart.

    Examples
    --------
    >>> count(1400)
    '1,400'
    """
    return f"{number:,}"
