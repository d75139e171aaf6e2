"""An evaluation as Markdown and as plain lines, from its JSON values.

It shows whatever measures a result brings; an evaluation that has more to tell than figures, groups
and records gives further sections.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gnomon.evaluation.result import GROUPS
from gnomon.report.markdown import bullets, code, plain, table
from gnomon.report.numbers import decimal, signed
from gnomon.report.tables import Table, safe
from gnomon.sources.escape import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_IDS: Final = 50


def evaluation_markdown(
    body: Mapping[str, Any],
    *,
    title: str = "Retrieval and refusal",
    about: str | None = None,
    unit: str = "records",
    more: Sequence[str] = (),
) -> str:
    """Return the report of a run.

    Parameters
    ----------
    body
        The result's JSON values with ``comparison`` and ``expectations``.
    about
        Markdown that says what was measured; None says it of an index and a golden set.
    unit
        What the means are over.
    more
        Sections of an evaluation that measures more, each a block of Markdown.
    """
    parts = [
        f"# {title}",
        *_warnings(body),
        _setup(body) if about is None else about,
        table(_figures(body, unit)),
        *_comparison(body["comparison"]),
        *_expectations(body["expectations"]),
        *(table(_group(body, group)) for group in GROUPS if body["groups"][group]),
        *more,
        *_records(body["records"]),
        bullets(
            [
                plain(f"{name}: {figure['means']}; {figure['better']} is better.")
                for name, figure in body["figures"].items()
            ]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def evaluation_lines(body: Mapping[str, Any], *, unit: str = "records") -> list[str]:
    """Return a run in a few lines of plain text."""
    width = max(len(name) for name in body["figures"])
    lines = [
        f"{name:<{width}}  {decimal(one['mean']):>12}  {_interval(one):<20}  "
        f"{one['n_measured']} of {one['n_total']}"
        for name, one in body["figures"].items()
    ]
    return [
        f"{'':<{width}}  {'mean':>12}  {'95% interval':<20}  {unit}",
        *lines,
        *_comparison_lines(body["comparison"]),
    ]


def _warnings(body: Mapping[str, Any]) -> list[str]:
    lines = []
    leaks = body["figures"].get("scope_containment", {}).get("mean")
    if leaks is not None and leaks < 1.0:
        lines.append("**Chunks from outside a scope left retrieval.**")
    pool = body["pool"]
    if pool["level"] is not None or pool["limit"] is not None:
        lines.append(f"**Narrowed pool: {plain(_pool(pool))}.**")
    return lines


def _setup(body: Mapping[str, Any]) -> str:
    index = body["index"]
    guard = index["guard"]
    levers = ", ".join(
        f"{name} {index['levers'][name]['value']:g} ({index['levers'][name]['source']})"
        for name in ("MMR_LAMBDA", "GATE_K")
    )
    sentences = [
        (
            f"Index {code(safe(index['name']))} ({index['hash'][:12]}, "
            f"{counted(index['chunks'], 'chunk')}, {plain(index['embed_model'] or 'no vectors')}); "
            f"{plain(levers)}."
        ),
        (
            f"Gate: threshold {index['threshold']:.2f}, {plain(guard['source'])}, mode "
            f"{plain(index['guard_mode'])}; its verdict is measured in every mode."
        ),
        (
            f"{counted(body['n_records'], 'record')} of the golden set, "
            f"{plain(_pool(body['pool']))}, hash {body['golden_hash'][:12]}; seed {body['seed']}."
        ),
    ]
    if body["model"] is not None:
        sentences.append(
            f"Model {code(safe(body['model']))}, prompt {str(body['prompt_hash'])[:8]}."
        )
    return "\n".join(sentences)


def _figures(body: Mapping[str, Any], unit: str) -> Table:
    return Table(
        caption=f"Means over the {unit} that have something to measure",
        header=("measure", "mean", "95% interval", unit),
        rows=[
            (
                name,
                decimal(one["mean"]),
                _interval(one) or one["reason"] or "",
                f"{one['n_measured']} of {one['n_total']}",
            )
            for name, one in body["figures"].items()
        ],
    )


def _comparison(comparison: Mapping[str, Any]) -> list[str]:
    found = comparison["differences"]
    if found is None:
        return [f"## Before\n\n{plain(_no_comparison(comparison))}"]
    rows = [
        (
            name,
            signed(one["difference"]),
            _interval(one),
            _reading(one),
            f"{one['n_better']} better, {one['n_worse']} worse of {one['n_pairs']}",
        )
        for name, one in found.items()
    ]
    header = ("measure", "difference", "95% interval, paired", "reading", "records that moved")
    parts = [
        (
            f"## Before\n\nAgainst {code(safe(comparison['file']))}, index "
            f"{plain(safe(comparison['index_hash'][:12]))}; {plain(_changed(comparison))}. "
            "A difference is now less before."
        ),
        table(Table(caption="Differences", header=header, rows=rows)),
    ]
    moved = [
        f"{plain(name)}, {way}: {_moves(one[way])}"
        for name, one in found.items()
        for way in ("better", "worse")
        if one[way]
    ]
    return [*parts, bullets(moved)] if moved else parts


def _comparison_lines(comparison: Mapping[str, Any]) -> list[str]:
    found = comparison["differences"]
    if found is None:
        return [_no_comparison(comparison)]
    width = max(len(name) for name in found)
    return [
        f"against {safe(comparison['file'])}; {_changed(comparison)}:",
        *(
            f"  {name:<{width}}  {signed(one['difference']):>12}  {_interval(one):<20}  "
            f"{one['n_better']} better, {one['n_worse']} worse of {one['n_pairs']}; {_reading(one)}"
            for name, one in found.items()
        ),
    ]


def _expectations(outcomes: Sequence[Mapping[str, Any]]) -> list[str]:
    if not outcomes:
        return []
    rows = [
        (
            safe(one["expectation"]),
            decimal(one["value"]).removesuffix(".0000")
            if one["of_count"]
            else decimal(one["value"]),
            f"{one['n_measured']} of {one['n_total']}",
            "met" if one["met"] else "not met",
        )
        for one in outcomes
    ]
    header = ("expected", "found", "records", "")
    return [table(Table(caption="Expectations", header=header, rows=rows, codes=frozenset({0})))]


def _group(body: Mapping[str, Any], group: str) -> Table:
    names = list(body["figures"])
    rows = [
        (
            safe(label),
            str(means["n_total"]),
            *(
                ""
                if means[name]["mean"] is None
                else f"{decimal(means[name]['mean'])} ({means[name]['n_measured']})"
                for name in names
            ),
        )
        for label, means in body["groups"][group].items()
    ]
    return Table(
        caption=f"By {GROUPS[group]}; in brackets the records behind a mean",
        header=(group, "records", *names),
        rows=rows,
    )


def _records(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the records that the gate judged wrongly or whose gold was not found."""
    lists = [
        (
            "Refused, although answerable",
            [r["id"] for r in records if r["values"].get("over_refusal") == 1.0],
        ),
        (
            "Passed, although a negative",
            [r["id"] for r in records if r["values"].get("negatives_caught") == 0.0],
        ),
        (
            "No gold among what was ranked",
            [r["id"] for r in records if r["values"].get("mrr") == 0.0],
        ),
        (
            "Given chunks from outside their scope",
            [r["id"] for r in records if r["values"].get("scope_containment") == 0.0],
        ),
    ]
    told = [f"{what} ({len(ids)}): {_ids(ids)}" for what, ids in lists if ids]
    return [f"## Records to look at\n\n{bullets(told)}"] if told else []


def _no_comparison(comparison: Mapping[str, Any]) -> str:
    reasons = "; ".join(comparison["why_not"])
    if comparison["file"] is None:
        return f"No baseline: {reasons}."
    return f"Not compared with {safe(comparison['file'])}: {reasons}."


def _changed(comparison: Mapping[str, Any]) -> str:
    """Return what is not as it was: what a difference may come from."""
    changed = comparison["changed"]
    if not changed:
        return str(comparison.get("unchanged", "the same pages, model, gate and levers"))
    return f"changed: {safe(', '.join(changed))}"


def _reading(one: Mapping[str, Any]) -> str:
    if one["difference"] is None:
        return "not measured"
    if not one["n_better"] and not one["n_worse"]:
        return "no record moved"
    if one["low"] is None:
        return "too few records to tell"
    return "within the noise" if one["low"] <= 0.0 <= one["high"] else "moved"


def _interval(one: Mapping[str, Any]) -> str:
    if one["low"] is None or one["high"] is None:
        return ""
    return f"{decimal(one['low'])} to {decimal(one['high'])}"


def _moves(moved: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(
        f"{code(safe(one['id']))} {one['was']:.2f} to {one['now']:.2f}" for one in moved
    )


def _ids(ids: Sequence[str]) -> str:
    named = ", ".join(code(safe(one)) for one in ids[:_MOST_IDS])
    return named if len(ids) <= _MOST_IDS else f"{named} and {len(ids) - _MOST_IDS} more"


def _pool(pool: Mapping[str, Any]) -> str:
    named = "the whole set" if pool["level"] is None else f"levels up to {pool['level']}"
    return named if pool["limit"] is None else f"{named}, the first {pool['limit']}"
