"""A page taken apart by the standard library's parser, for tests to look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "line", "rect", "circle"}  # the empty elements that a report uses


@dataclass
class Element:
    """An element with its attributes, the names of those around it, and the text below it."""

    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """Every element of a page in order.

    Attributes
    ----------
    elements
        In the order in which they begin.
    unbalanced
        Names of end tags that did not fit.
    """

    html: str
    elements: list[Element] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[Element] = []
        self.feed(self.html)
        self.close()
        self.unbalanced += [element.tag for element in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that begins."""
        names = tuple(element.tag for element in self._open)
        element = Element(tag, {name: value or "" for name, value in attrs}, names)
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that begins and ends at once."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, or note that the tag does not fit."""
        if self._open and self._open[-1].tag == tag:
            self._open.pop()
        else:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        """Add text to every open element."""
        for element in self._open:
            element.text += data

    def all(self, tag: str, css_class: str | None = None) -> list[Element]:
        """Return the elements of one name, and of one class."""
        return [
            element
            for element in self.elements
            if element.tag == tag
            and (css_class is None or css_class in element.attributes.get("class", "").split())
        ]
