"""Two configurations side by side, in plain lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gnomon.report.numbers import decimal, signed
from gnomon.report.tables import safe
from gnomon.sources.escape import by_number, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_NAMED: Final = 10
SPREAD_NOTE: Final = (
    "One run proves nothing: it shows no run-to-run spread. Have the same tasks answered three "
    "times or more and give the answers to gnomon bench runs."
)
ADVICE_NOTE: Final = (
    "A judge's word is advisory: it gates nothing, and no figure above comes from it."
)


def score_lines(body: Mapping[str, Any]) -> list[str]:
    """Return the table of one or two sides from its JSON values."""
    sides = body["sides"]
    lines = [*_sides(sides), *_words(body)]
    if body["differences"] is None:
        lines += ["", *_one_side(sides[0])]
    else:
        lines += ["", *_two_sides(sides, body["differences"])]
    return [*lines, "", *_hallucinating(sides), SPREAD_NOTE, not_measured(body["not_measured"])]


def runs_lines(body: Mapping[str, Any]) -> list[str]:
    """Return the differences and spreads of several runs from their JSON values."""
    sides = body["sides"]
    first, second = (safe(side["config"]) for side in sides)
    head = ("measure", first, second, "difference", "95% interval", "p", "spread", "verdict")
    rows = [
        (
            one["name"],
            decimal(one["first"]),
            decimal(one["second"]),
            signed(one["difference"]),
            _interval(one),
            _p(one["p"]),
            decimal(one["spread"]),
            one["verdict"]
            if one["verdict"] in ("moved", "not measured")
            else f"{one['verdict']}: {one['verdict_reason']}",
        )
        for one in body["measures"]
    ]
    moved = [one["name"] for one in body["measures"] if one["verdict"] == "moved"]
    return [
        *_sides(sides),
        *(
            f"{safe(side['config'])}: {side['runs']} runs, {side['distinct_runs']} of them distinct"
            for side in sides
        ),
        *_words(body),
        "",
        *_columns(head, rows),
        "",
        (
            "A difference is the second less the first; the spread is the largest difference "
            "between two runs of one side. A difference under 2 points or inside the spread has "
            "not moved; one whose interval over the records holds 0 is within the noise."
        ),
        f"moved: {', '.join(moved) or 'nothing'}",
        not_measured(body["not_measured"]),
    ]


def judge_lines(body: Mapping[str, Any]) -> list[str]:
    """Return the count of a judge's verdicts from its JSON values."""
    lines = []
    for name, words in (("blind", "blind pairs"), ("not_blind", "pairs that tell their side")):
        one = body[name]
        if name == "not_blind" and not one["pairs"]:
            continue
        wins = ", ".join(
            f"{safe(config)} {n}" for config, n in zip(body["configs"], one["wins"], strict=True)
        )
        lines.append(f"{words}: {one['pairs']}; {wins}, ties {one['ties']}; p {_p(one['p'])}")
    x = body["chose_x"]
    if x["mean"] is not None:
        lines.append(
            f"x was chosen in {decimal(x['mean'])} of the decided pairs "
            f"({decimal(x['low'])} to {decimal(x['high'])}); a judge who looks at the text and not "
            "at the place is near 0.5"
        )
    lines.append(f"left out: {counted(body['identical'], 'pair')} of equal answers")
    return [*lines, ADVICE_NOTE]


def not_measured(names: Sequence[str]) -> str:
    """Return what a comparison does not measure, as a sentence."""
    return f"Not measured: {', '.join(names)}."


def _sides(sides: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{safe(side['config'])}: index {safe(side['index']['name'])} "
        f"({str(side['index']['hash'])[:12]}), {counted(side['n_records'], 'record')}, "
        f"{side['n_refused']} refused by the guard and not sent"
        for side in sides
    ]


def _words(body: Mapping[str, Any]) -> list[str]:
    same = body["same_words"]
    if same is None:
        return []
    of = body["sides"][0]["n_records"]
    say = by_number(same, "says", "say")
    return [f"{same} of {counted(of, 'task')} {say} the same words on both sides"]


def _one_side(side: Mapping[str, Any]) -> list[str]:
    rows = [
        (name, decimal(one["mean"]), _interval(one), f"{one['n_measured']} of {one['n_total']}")
        for name, one in side["figures"].items()
    ]
    return _columns(("measure", "mean", "95% interval", "records"), rows)


def _two_sides(
    sides: Sequence[Mapping[str, Any]], differences: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    first, second = sides
    head = (
        "measure", safe(first["config"]), safe(second["config"]), "difference", "95% interval",
        "p", "records",
    )  # fmt: skip
    rows = [
        (
            name,
            decimal(first["figures"][name]["mean"]),
            decimal(second["figures"][name]["mean"]),
            signed(one["difference"]),
            _interval(one),
            _p(one["p"]),
            f"{one['n_better']} better, {one['n_worse']} worse of {one['n_pairs']}",
        )
        for name, one in differences.items()
    ]
    note = (
        f"A difference is the second less the first, paired by record. "
        f"{counted(len(rows), 'measure is', 'measures are')} compared: of twenty that don't "
        "differ, one has p under 0.05."
    )
    return [*_columns(head, rows), "", note]


def _hallucinating(sides: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{safe(side['config'])}: {counted(len(ids), 'answer cites', 'answers cite')} what was "
        "not given: "
        + ", ".join(safe(one) for one in ids[:_MOST_NAMED])
        + (f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else "")
        for side in sides
        if (ids := side["hallucinating"])
    ]


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) if at in (0, len(head) - 1) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]


def _interval(one: Mapping[str, Any]) -> str:
    if one["low"] is None or one["high"] is None:
        return ""
    return f"{decimal(one['low'])} to {decimal(one['high'])}"


def _p(p: float | None) -> str:
    return "" if p is None else "under 0.0001" if p < 0.0001 else f"{p:.4f}"
