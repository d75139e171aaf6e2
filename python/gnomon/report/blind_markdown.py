"""The note on a blind check: date, plan, counts, both conditions, the tie rule, what follows.

It is made from the result's JSON values, which hold no reading, no context and no id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.report.markdown import plain
from gnomon.sources.escape import by_number, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DECISIONS = {
    "kept": "The choice is kept",
    "switched_off": "The choice is switched off",
    "not_measurable": "Not measurable",
}
_FINDINGS = {
    "base": "base is right",
    "alt": "alt is right",
    "neither": "neither is right",
    "cannot_tell": "cannot tell",
    "tie": "tie: the two orders do not agree",
}


def blind_markdown(body: Mapping[str, Any], *, date: str) -> str:
    """Return the note of a score.

    Parameters
    ----------
    body
        The result as JSON values.
    date
        The day of the note, such as ``2026-11-30``; no figure depends on it.
    """
    parts = [
        [f"# Blind check of {date}", "", *_opening(body)],
        _plan(body),
        _counts(body),
        _first_condition(body),
        _second_condition(body),
        _second_judge(body),
    ]
    return "\n".join("\n".join(part) + "\n" for part in parts if part)


def blind_lines(body: Mapping[str, Any]) -> list[str]:
    """Return a score in a few lines of plain text."""
    second = body["condition_2"]
    lines = [f"decision: {body['decision']}", *(f"  {reason}" for reason in body["reasons"])]
    if body["on_failure"] is not None:
        lines.append(f"on failure: {body['on_failure']}")
    lines += [
        f"right of decided: {_figure(body['condition_1']['decided'])}",
        f"right of all: {_figure(body['condition_1']['all'])}",
        f"McNemar (exact, informs only): {_tests(second)}",
        _resolvable(body),
        *_warnings(body),
    ]
    judge = body["second_judge"]
    if judge is not None:
        lines.append(_agreement(judge))
    return lines


def partial_lines(body: Mapping[str, Any]) -> list[str]:
    """Return the counts of a half-filled sheet as plain text."""
    counts = ", ".join(f"{name} {count}" for name, count in body["verdicts"].items())
    lines = [f"{body['draw']}: {body['filled']} of {body['rows']} filled", f"verdicts: {counts}"]
    return [*lines, "the key was not opened"]


def plan_lines(plan: str, rules: Mapping[str, Any], fixed: Mapping[str, str]) -> list[str]:
    """Return all rules of a plan as plain text."""
    return [
        f"plan: {plan}",
        *(f"  {name}: {value}" for name, value in _rules(rules)),
        "  rules that no plan changes",
        *(f"    {name}: {value}" for name, value in fixed.items()),
    ]


def _opening(body: Mapping[str, Any]) -> list[str]:
    lines = [f"**{_DECISIONS[body['decision']]}.**"]
    if body["on_failure"] is not None:
        lines[0] += f" {plain(body['on_failure'])}"
    lines += ["", *(plain(reason) for reason in body["reasons"])]
    warnings = _warnings(body)
    return [*lines, "", *(f"- {plain(line)}" for line in warnings)] if warnings else lines


def _warnings(body: Mapping[str, Any]) -> list[str]:
    spots = body["spots"]
    lines = []
    if not body["blind"]:
        lines.append(
            f"Not blind: the sides came from --key-seed {body['key_seed']}, which is for tests "
            "only."
        )
    if spots["sampled"] < spots["wanted"]:
        lines.append(
            f"The plan asks for {counted(spots['wanted'], 'spot')} and {spots['sampled']} "
            f"{by_number(spots['sampled'], 'was', 'were')} available: "
            f"{by_number(spots['sampled'], 'it was', 'all of them were')} judged."
        )
    if spots["named"]:
        lines.append(
            f"{counted(spots['named'], 'sampled spot has', 'sampled spots have')} a reading that "
            "names its "
            f"system, and {by_number(spots['named'], 'was', 'were')} not "
            f"blind: the choice is right on {spots['right_of']['named']} of them."
        )
    earlier = body["earlier_draws"]
    if earlier["all"]:
        lines.append(
            f"Draws in this trail before this one: {earlier['all']}, of them from the same "
            f"contested file {earlier['same_file']}, without a score until this draw "
            f"{earlier['without_score']}."
        )
    return lines


def _plan(body: Mapping[str, Any]) -> list[str]:
    rows = [(plain(name), plain(str(value))) for name, value in _rules(body["rules"])]
    return ["## Plan", "", f"`{body['plan']}`, fixed before `{body['draw']}` was drawn.", "",
            *_table(("rule", "value"), rows)]  # fmt: skip


def _rules(rules: Mapping[str, Any]) -> list[tuple[str, object]]:
    first, systems = rules["condition_1"], rules["systems"]
    return [
        ("who judges", rules["judge"]),
        ("sample", f"{rules['sample']} spots"),
        ("condition 1, decided spots", f"right on at least {100 * first['decided_at_least']:g}%"),
        ("condition 1, all spots", f"right on more than {100 * first['all_above']:g}%"),
        ("both orders", "every spot twice" if rules["both_orders"] else "no, every spot once"),
        ("base", systems["base"] or "not named"),
        ("alt", systems["alt"] or "not named"),
        ("on failure", rules["on_failure"]),
    ]


def _counts(body: Mapping[str, Any]) -> list[str]:
    spots, everything = body["spots"], body["spots"]["all"]
    right = spots["right_of"]
    rows: list[tuple[object, ...]] = [
        ("spots", everything["spots"], spots["sampled"], body["condition_2"]["chosen"]),
        ("changed (alt was chosen)", everything["changed"], spots["changed"], right["changed"]),
        ("kept (base was chosen)", everything["kept"], spots["kept"], right["kept"]),
        ("unsure", everything["unsure"], spots["unsure"], right["unsure"]),
    ]
    if everything["unplaced"]:
        rows.append(("not drawn: neither time nor left context", everything["unplaced"], "", ""))
    found = [
        f"{_FINDINGS[name]} {count}"
        for name, count in body["findings"].items()
        if count or name != "tie"
    ]
    return [
        "## Counts",
        "",
        *_table(("", "in the file", "sampled", "choice right"), rows),
        "",
        f"Of the sampled spots: {', '.join(found)}.",
    ]


def _first_condition(body: Mapping[str, Any]) -> list[str]:
    first, rules = body["condition_1"], body["rules"]["condition_1"]
    rows = [
        (
            "decided spots",
            _share(first["decided"]),
            _interval(first["decided"]),
            f"at least {100 * rules['decided_at_least']:g}%",
            _held(first["decided"]["holds"]),
        ),
        (
            "all sampled spots",
            _share(first["all"]),
            _interval(first["all"]),
            f"more than {100 * rules['all_above']:g}%",
            _held(first["all"]["holds"]),
        ),
    ]
    return [
        f"## Condition 1: right often enough ({_held(first['holds'])})",
        "",
        *_table(("", "right", "Wilson 95%", "needed", ""), rows),
        "",
        "The thresholds decide; the intervals inform.",
    ]


def _second_condition(body: Mapping[str, Any]) -> list[str]:
    second = body["condition_2"]
    rows = [("the choice", second["chosen"], "", "", "")]
    rows += [
        (
            f"{name} alone",
            second[name]["right"],
            second[name]["gained"],
            second[name]["lost"],
            _p_value(second[name]),
        )
        for name in ("base", "alt")
    ]
    better = " and ".join(second["better"])
    tie = "decided here" if second["tie_rule_decided"] else "did not come into play"
    return [
        f"## Condition 2: better than either system alone ({_held(second['holds'])})",
        "",
        *_table(("", "right", "only the choice", "only the system", "McNemar p"), rows),
        "",
        f"The better single system: {better}. Ties favour the single system; that rule {tie}.",
        _resolvable(body),
    ]


def _resolvable(body: Mapping[str, Any]) -> str:
    n, least = body["spots"]["sampled"], body["resolvable"]
    if least is None:
        return (
            f"No difference can be resolved with {counted(n, 'spot')}: McNemar's exact test needs "
            "a lead of 6."
        )
    second = body["condition_2"]
    here = [
        f"against {name} {second[name]['least_lead']} of the "
        f"{second[name]['gained'] + second[name]['lost']} that differ"
        for name in second["better"]
        if second[name]["least_lead"] is not None
    ]
    needed = f" Needed here: {', '.join(here)}." if here else ""
    return (
        f"The smallest difference that {n} spots can resolve (McNemar's exact test at 5%) is a "
        f"lead of {least} spots, {100 * least / n:.1f} points, with no other spot differing."
        f"{needed}"
    )


def _second_judge(body: Mapping[str, Any]) -> list[str]:
    judge = body["second_judge"]
    if judge is None:
        return []
    return ["## Second judge", "", f"{_agreement(judge)} It informs and decides nothing."]


def _agreement(judge: Mapping[str, Any]) -> str:
    kappa = judge["kappa"]
    measured = (
        f"not measured ({kappa['reason']})"
        if kappa["value"] is None
        else f"{kappa['value']:.3f} (95% {kappa['low']:.3f} to {kappa['high']:.3f})"
    )
    numbers = ", ".join(str(number) for number in judge["disagreements"]) or "none"
    return (
        f"Two judges agree on {judge['agreed']} of {counted(judge['rows'], 'row')}; Cohen's kappa "
        f"{measured}. "
        f"Disagreements, by number: {numbers}."
    )


def _tests(second: Mapping[str, Any]) -> str:
    return ", ".join(
        f"against {name} p {_p_value(second[name])} ({second[name]['gained']} to "
        f"{second[name]['lost']})"
        for name in ("base", "alt")
    )


def _p_value(single: Mapping[str, Any]) -> str:
    p = float(single["p_value"])
    return "under 0.0001" if p < 0.0001 else f"{p:.4f}"


def _figure(figure: Mapping[str, Any]) -> str:
    return f"{_share(figure)}, {_interval(figure)}, {_held(figure['holds'])}"


def _share(figure: Mapping[str, Any]) -> str:
    return "not measured" if figure["value"] is None else f"{100 * figure['value']:.1f}%"


def _interval(figure: Mapping[str, Any]) -> str:
    if figure["low"] is None:
        return "no interval"
    return f"{100 * figure['low']:.1f}% to {100 * figure['high']:.1f}%"


def _held(holds: bool | None) -> str:  # a word for a value
    return "not measured" if holds is None else "holds" if holds else "does not hold"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    head = list(head)
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]
