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


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("a `b` c\n```py\nd\n```\ne", "a   c\n\ne"),
        ("a ``b ` c`` d", "a   d"),
        ("a ` b", "a ` b"),  # nothing closes it
        ("a `b``c` d", "a   d"),
        ("~~~\na\n```\nb\n~~~\nc", "\nc"),
        ("```\na\n````\nb", "\nb"),  # closed by as many or more
        ("````\na\n```\nb", "\n"),
        ("``` a ``` b", "  b"),  # a span: a fence has no backticks behind it
        ("    ```\na", "    ```\na"),
    ],
)
def test_without_code(text: str, prose: str) -> None:
    """Fences and spans as CommonMark reads them."""
    assert without_code(text) == prose


@pytest.mark.parametrize(
    "piece", ["[cite:", "`[cite: ", "`", "` a ", "```\n", "[cite:a]", "[cite:`a"]
)
def test_a_hostile_answer(piece: str) -> None:
    """A long answer of the worst kind is read in one pass; a square of its length would not end."""
    found = cited_in(piece * ((1 << 18) // len(piece)), GIVEN)
    assert found.given == ()
