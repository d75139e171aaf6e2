"""Expectations as JUnit XML, for the test view of a CI service.

A failure there means what the exit code means: an expectation that was not met, or a chunk from
outside a scope. A single record that the gate judged wrongly is no failure, since some are to be
expected; the failure that they cause together names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from gnomon.sources.escape import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CLASS = "gnomon.eval"


def junit_xml(name: str, cases: Sequence[Mapping[str, Any]], properties: Mapping[str, str]) -> str:
    """Return a test suite with one case each.

    Parameters
    ----------
    name
        Of the suite: the report's.
    cases
        Each with ``name``, ``failure`` (a sentence, or None) and ``records`` (ids that it names).
    properties
        What was measured, such as hashes.
    """
    failed = sum(case["failure"] is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "skipped": "0"}
    root = ET.Element("testsuites", {"name": "gnomon eval", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": _safe(name), **counts, "time": "0"})
    listed = ET.SubElement(suite, "properties")
    for key, value in properties.items():
        ET.SubElement(listed, "property", {"name": key, "value": _safe(value)})
    for case in cases:
        one = ET.SubElement(
            suite, "testcase", {"classname": _CLASS, "name": _safe(case["name"]), "time": "0"}
        )
        if case["failure"] is not None:
            message = _safe(case["failure"])
            failure = ET.SubElement(one, "failure", {"type": "expectation", "message": message})
            failure.text = "\n".join([message, *(_safe(record) for record in case["records"])])
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _safe(text: str) -> str:
    r"""Return text that XML can hold: no control character, half a pair, \ufffe or \uffff."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if c in "\ufffe\uffff" else c for c in printable(text)
    )
