"""Citations: what was given, what was made up, and what is no citation."""

from __future__ import annotations

import pytest

from gnomon.evaluation.citations import cited_in, without_citations, without_code

GIVEN = ("guide/auth#", "guide/auth#request", "guide/keys#rotate~2", "Odd [id], v2")


@pytest.mark.parametrize(
    ("answer", "given", "hallucinated"),
    [
        ("No citation, a [link](guide/auth), a[0] and [1].", (), ()),
        ("It is [cite:guide/auth#request].", ("guide/auth#request",), ()),
        ("Twice [cite:guide/auth#] and [cite:guide/auth#].", ("guide/auth#",), ()),
        (
            "[cite: /guide/auth ] [CITE:guide/auth#request]",
            ("guide/auth#", "guide/auth#request"),
            (),
        ),
        ("[cite:guide/auth#, guide/nope#x]", ("guide/auth#",), ("guide/nope#x",)),
        (
            "[cite:guide/auth#; cite:guide/keys#rotate~2]",
            ("guide/auth#", "guide/keys#rotate~2"),
            (),
        ),
        ("[cite:`guide/auth#request`]", ("guide/auth#request",), ()),
        ("[cite:guide/keys]", (), ("guide/keys",)),  # a section was given, the page was not
        ("[cite:guide/keys#rotate]", (), ("guide/keys#rotate",)),  # nor was this part
        ("[cite:guide/auth#request-1]", (), ("guide/auth#request-1",)),
        ("[cite:]", (), ("",)),
        ("[cite:ID]", (), ("ID",)),
        ("So [cite:Odd [id], v2].", ("Odd [id], v2",), ()),
        ("So `[cite:guide/auth#]` `[cite:no]`.", ("guide/auth#",), ("no",)),
        ("Call `x[cite:made-up]`.", (), ()),
        ("```\n[cite:made-up]\n```\nthen [cite:guide/auth#]", ("guide/auth#",), ()),
        ("~~~\n[cite:made-up]", (), ()),  # a fence that nothing closes
        ("``a ` b [cite:x]`` [cite:y]", (), ("y",)),
    ],
)
def test_cited_in(answer: str, given: tuple[str, ...], hallucinated: tuple[str, ...]) -> None:
    """Each id once; nothing that merely resembles one that was given is taken for it."""
    found = cited_in(answer, GIVEN)
    assert (found.given, found.hallucinated) == (given, hallucinated)
    assert found.cited == len(given) + len(hallucinated)


def test_taken_out() -> None:
    """Citations go, or become numbers; code stays unless it is taken out too."""
    answer = "Rotate it [cite:a]. `[x]` [cite:b]"
    assert without_citations(answer) == "Rotate it . `[x]` "
    assert without_citations(answer, lambda written: f"({written})") == "Rotate it (a). `[x]` (b)"
    assert without_code("a `b` c\n```py\nd\n```\ne") == "a   c\n\n\ne"
