"""The HTML report: whole, closed to the world, and true to the result."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.report.builders import (
    FIGURES,
    HOSTILE,
    HOSTILE_IDS,
    HOSTILE_RECORD,
    RECORD,
    SAMPLED,
    SHAPES,
    T0,
    T1_FOLDS,
    UNMEASURED,
    FakeRecord,
)
from tests.report.page import Page

from gnomon.probe.columns import RANKINGS
from gnomon.report.probe_html import probe_html

CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "h3", "p",
    "b", "a", "ul", "li", "dl", "dt", "dd", "div", "table", "caption", "thead", "tbody", "tr",
    "th", "td", "figure", "figcaption", "svg", "g", "line", "rect", "circle", "text", "tspan",
    "defs", "pattern", "bdi", "code", "pre",
}  # fmt: skip
FORBIDDEN_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def page_of(shape: str) -> Page:
    """Return the parsed page of one shape."""
    return Page(probe_html(*SHAPES[shape]))


@pytest.fixture(params=SHAPES)
def page(request: pytest.FixtureRequest) -> Page:
    """Return the page of every shape in turn."""
    return page_of(request.param)


def test_policy_comes_first_in_the_head(page: Page) -> None:
    """The content security policy governs all that follows, so nothing may come before it."""
    head = [element for element in page.elements if element.inside[-1:] == ("head",)]
    assert head[0].attributes == {"http-equiv": "Content-Security-Policy", "content": CSP}
    assert "charset" in head[1].attributes


def test_page_holds_only_known_elements_that_close(page: Page) -> None:
    """No value becomes an element: no script, image, frame or form, and every tag is closed."""
    assert {element.tag for element in page.elements} <= ALLOWED
    assert page.unbalanced == []


def test_no_attribute_acts_or_fetches(page: Page) -> None:
    """No event handler, no inline style from data, and links stay on the page."""
    for element in page.elements:
        for name, value in element.attributes.items():
            assert not name.startswith("on"), (element.tag, name)
            assert name not in {"src", "srcset", "action", "xlink:href", "style", "data"}
            if name == "href":
                assert value.startswith("#")
            assert re.fullmatch(r"url\(#hatch\d\)", value) or "url(" not in value
    (style,) = page.all("style")
    assert not re.search(r"url\(|@import|expression", style.text)


def test_style_is_the_same_whatever_the_data_say() -> None:
    """The style sheet takes no value from the result."""
    styles = {page_of(shape).all("style")[0].text for shape in SHAPES}
    assert len(styles) == 1


def test_links_and_labels_lead_somewhere(page: Page) -> None:
    """Every id is unique, and every reference to one names one that exists."""
    ids = [it.attributes["id"] for it in page.elements if "id" in it.attributes]
    assert len(ids) == len(set(ids))
    for element in page.elements:
        if element.tag == "a":
            assert element.attributes["href"][1:] in ids
        if "aria-labelledby" in element.attributes:
            assert element.attributes["aria-labelledby"] in ids


def test_headings_descend_without_gaps(page: Page) -> None:
    """One h1, then h2 for sections and h3 below them."""
    levels = [int(it.tag[1]) for it in page.elements if re.fullmatch(r"h[1-6]", it.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_charts_and_tables_can_be_heard(page: Page) -> None:
    """Every drawing has a text of its own, every table a caption and headers with a scope."""
    for drawing in page.all("svg"):
        assert drawing.attributes["role"] == "img"
        assert drawing.attributes["aria-label"]
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(header.attributes["scope"] in {"row", "col"} for header in page.all("th"))


def test_rows_are_as_wide_as_their_header() -> None:
    """Every row of every table has as many cells as its header."""
    for result, record in SHAPES.values():
        for table in re.findall(r"<table>.*?</table>", probe_html(result, record), re.DOTALL):
            widths = {
                len(re.findall(r"<t[hd][ >]", row)) for row in re.findall("<tr>.*?</tr>", table)
            }
            assert len(widths) == 1


def test_nothing_invisible_acts(page: Page) -> None:
    """No control character, override or lone surrogate reaches the page, which is UTF-8."""
    page.html.encode("utf-8")
    assert FORBIDDEN_CHARACTERS.search(page.html) is None


def test_hostile_values_are_shown_as_they_are() -> None:
    """Markup in ids, reasons, names and paths is text; control characters are written out."""
    page = Page(probe_html(HOSTILE_IDS, HOSTILE_RECORD))
    shown = [element.text for element in page.all("code")]
    assert "<script>alert(1)</script>" in shown
    assert "[a](http://evil.example)" in shown
    assert "\\x1b[31mred" in shown
    assert "\\u202egnp.exe" in shown
    assert "{{ 7 * 7 }}" in shown
    assert 'x" onmouseover="alert(1)' in shown
    warnings = " ".join(element.text for element in page.all("p", "warning"))
    assert all(text in warnings for text in HOSTILE if text.isprintable())


def test_bars_are_as_long_as_their_numbers() -> None:
    """A bar's length on its axis is the recall of its ranking, and its whisker the interval."""
    page = Page(probe_html(T1_FOLDS, RECORD))
    bars = page.all("rect", "bar")
    axis_end = 0.5  # the round number above the highest limit, 0.46
    assert len(bars) == len(RANKINGS)
    lengths = [float(bar.attributes["width"].rstrip("%")) / 100 * axis_end for bar in bars]
    recalls = [T1_FOLDS.figures.rankings[name]["recall"] for name in RANKINGS]
    assert lengths == pytest.approx([recall.value for recall in recalls], abs=1e-6)
    whiskers = page.all("line", "whisker")[: 3 * len(RANKINGS) : 3]
    for whisker, recall in zip(whiskers, recalls, strict=True):
        ends = [float(whisker.attributes[x].rstrip("%")) / 100 * axis_end for x in ("x1", "x2")]
        assert ends == pytest.approx([max(0.0, recall.low or 0.0), recall.high], abs=1e-6)


def test_chart_numbers_stand_beside_the_bars() -> None:
    """Every bar carries its number as text, so that no length has to be read off."""
    page = Page(probe_html(T1_FOLDS, RECORD))
    values = [element.text for element in page.all("tspan", "value")]
    assert values[:5] == ["0.3600", "0.0100", "0.3200", "0.4400", "0.4500"]
    assert "1.2500" in values


def test_shares_of_wins_and_losses_fill_the_bar() -> None:
    """Better, equal and worse are drawn in proportion, and counted in words."""
    page = Page(probe_html(T1_FOLDS, RECORD))
    assert "Better 67 (solid), equal 67 (pale), worse 66 (hatched), of 200" in page.html
    better = page.all("rect", "better")[0].attributes
    equal = page.all("rect", "equal")[0].attributes
    assert (better["width"], equal["x"], equal["width"]) == ("33.5%", "33.5%", "33.5%")


def test_decision_is_the_first_sentence() -> None:
    """The first paragraph says what to do, before any figure."""
    first, second = Page(probe_html(T1_FOLDS, RECORD)).all("p")[:2]
    assert first.text == "Re-embed the whole corpus with the new model."
    assert second.text.startswith("Until that is done, leave the index alone")


def test_own_ground_truth_compares_no_queries() -> None:
    """At T0 no query counts as won or lost, and the bars say that they cannot compare models."""
    page = Page(probe_html(T0, RECORD))
    assert page.all("rect", "better") == []
    assert "Not measured: at tier T0 the new model is its own ground truth" in page.html
    assert "these bars cannot say which model is better" in page.html
    assert "Times the recall of staying" not in page.html
    assert "staying</text>" not in page.html


def test_missing_evidence_is_listed() -> None:
    """Queries to settle, documents left to embed and reasons of unmeasured figures are named."""
    assert "Queries that would settle the decision: 4,100 (now 200)." in probe_html(T0, RECORD)
    sampled = probe_html(SAMPLED, RECORD)
    assert "600 documents of 1,400 without a vector of the new model" in sampled
    assert "Left out: 3 unjudged queries." in sampled
    assert "Zero vectors in old docs: 2" in sampled
    assert "Two estimates on a part of the corpus" in sampled
    assert "Reason: no folds were needed." in probe_html(UNMEASURED, RECORD)


def test_unmeasured_ranking_has_no_bar() -> None:
    """What was not measured is said in words and drawn as nothing."""
    page = Page(probe_html(SAMPLED, RECORD))
    assert len(page.all("rect", "bar")) == len(RANKINGS) - 1
    assert [it.text for it in page.all("tspan", "value")][3] == "not measured"


def test_few_queries_in_a_cluster_give_no_figure() -> None:
    """Retention of a cluster with fewer than 30 queries would alarm or reassure by accident."""
    html = probe_html(T1_FOLDS, RECORD)
    assert "too few to tell" in html
    assert "<td>0.1000</td>" not in html
    assert "<td>0.6600</td>" in html


def test_reordering_is_not_compared_with_adapters() -> None:
    """CSLS has its figure from other queries than the adapters, so it stands apart."""
    page = Page(probe_html(T1_FOLDS, RECORD))
    assert not any(header.text == "csls" for header in page.all("th"))
    assert "reaches recall@10 0.4000 on the evaluation queries" in page.html


def test_hollow_points_are_explained() -> None:
    """A point with no more pairs than dimensions is drawn otherwise and named in the table."""
    few = replace(T1_FOLDS, curve_few_pairs={500: True, 1_000: False})
    page = Page(probe_html(few, RECORD))
    assert len(page.all("circle", "hollow")) == 1
    assert "no more pairs than dimensions" in page.html
    assert page_of("t1_folds").all("circle", "hollow") == []


def test_replay_and_command_reproduce_it() -> None:
    """The page names the record, the replay and a command whose words are quoted."""
    page = Page(probe_html(T1_FOLDS, RECORD))
    replay, command = [element.text for element in page.all("pre")]
    assert replay == "gnomon replay 7"
    assert command == (
        "gnomon probe --old-docs 'emb/old model.npy' --new-docs emb/new.npy --old old --new new "
        "--candidate-depth 200 --fit-scope unseen --k 10 --pairs 4000 --seed 0"
    )
    assert RECORD.hash in page.html
    assert T1_FOLDS.new_profile.fingerprint in page.html


def test_command_names_files_as_a_shell_reads_them() -> None:
    """The home directory is left for the shell to expand; a withheld path is explained."""
    files = {
        "docs": {"path": "~/my data/d.jsonl", "sha256": "04" * 32},
        "qrels": {"path": "q.tsv#0123456789abcdef", "sha256": "05" * 32},
    }
    html = probe_html(T1_FOLDS, FakeRecord(inputs={"files": files}))
    command = Page(html).all("pre")[1].text
    assert "--docs ~/'my data/d.jsonl' --qrels 'q.tsv#0123456789abcdef'" in command
    assert "put the file's own path in its place" in Page(html).all("main")[0].text
    assert "stands for a file" not in probe_html(T1_FOLDS, RECORD)


def test_two_renderings_are_equal() -> None:
    """The same result and record give the same bytes."""
    assert probe_html(T1_FOLDS, RECORD) == probe_html(T1_FOLDS, RECORD)


def test_no_number_is_nan(page: Page) -> None:
    """Nothing undefined is drawn or written."""
    assert not re.search(r"\bnan\b|\binf\b|\bNone\b(?![.:])", page.html)


def test_intervals_beyond_the_axis_stay_on_the_page() -> None:
    """A limit below zero is drawn at zero."""
    rankings = {**FIGURES.rankings, "bridged": {**FIGURES.rankings["naive_swap"]}}
    page = Page(probe_html(replace(T1_FOLDS, figures=replace(FIGURES, rankings=rankings)), RECORD))
    positions = [
        float(value.rstrip("%"))
        for element in page.elements
        for name, value in element.attributes.items()
        if name in {"x", "x1", "x2", "cx", "width"} and value.endswith("%")
    ]
    assert all(0.0 <= position <= 100.0 for position in positions)
