"""A calibration as Markdown: what is measured, under which bounds, and what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.sources.escape import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_KINDS = {
    "U": "unscoped positives",
    "S": "scoped positives",
    "F": "follow-ups",
    "N1": "adjacent product",
    "N2": "plausible but absent",
    "N3": "off-domain, technical",
    "N4": "off-domain, general",
    "N5": "off-domain after a legitimate turn",
    "N6": "excerpt plus an off-domain ask",
    "X": "answer outside the scope",
    "P": "shared words, no answer",
}


def calibration_markdown(result: Mapping[str, Any]) -> str:
    """Return the report of a run, from its JSON values."""
    parts = [
        ["# Calibration of the gate", "", *_opening(result)],
        _failures(result),
        _bounds(result),
        _window(result),
        _strata(result),
        _lexical(result),
        _probes(result),
        _languages(result),
    ]
    return "\n".join("\n".join(part) + "\n" for part in parts if part)


def calibration_lines(result: Mapping[str, Any]) -> list[str]:
    """Return a run in a few lines of plain text."""
    guard, chosen = result["guard"], result["chosen"]
    lines = [f"verdict: {result['verdict']}"]
    if guard is not None:
        lines.append(f"guard: {_guard_words(guard)}")
    window = result["window"]
    if window is not None:
        incoming = result["incoming"]
        lines.append(
            f"windows: {window['candidates']} candidates, {window['viable']} viable, "
            f"{window['non_degenerate']} not degenerate; was [{incoming['cos_floor']:.2f}, "
            f"{incoming['cos_ceil']:.2f}], {incoming['source']}"
        )
        lines += [
            f"  [{o['window'][0]:.2f}, {o['window'][1]:.2f}]  tau {o['tau']:.2f}  precision "
            f"{_percent(o['gate_precision'])}  blatant {_percent(o['blatant_refusal'])}  ramp "
            f"{_percent(o['ramp'])}"
            for o in window["shortlist"]
        ]
    if chosen is not None:
        lines += [f"  {line}" for line in _stratum_lines(chosen["strata"], result["validation"])]
    return lines


def _opening(result: Mapping[str, Any]) -> list[str]:
    guard = result["guard"]
    lines = []
    if result["narrowed"]:
        lines += ["**Narrowed probe set: report only, nothing is written.**", ""]
    if guard is None:
        lines.append("Nothing is written; the reasons stand below. An old file is as it was.")
    else:
        lines.append(f"Measured: {_guard_words(guard)}.")
    model = result["footing"]["embed_model"] or "no vectors"
    strict = ", strict" if result["strict"] else ""
    corpus, probes = result["footing"]["corpus_hash"][:12], result["probes_hash"][:12]
    lines += ["", f"Index {corpus}, {model}, seed {result['seed']}, probe set {probes}{strict}."]
    if result["auc"] is not None:
        lines.append(
            f"The raw best cosine puts a positive above a negative in {result['auc']:.3f} of all "
            "pairs (area under the ROC curve; 0.5 is chance)."
        )
    return lines


def _failures(result: Mapping[str, Any]) -> list[str]:
    if not result["failures"]:
        return []
    return ["## Why not", "", *(f"- `{f['code']}`: {f['message']}" for f in result["failures"])]


def _bounds(result: Mapping[str, Any]) -> list[str]:
    rows = [
        (
            row["stratum"],
            row["n"],
            f"{row['bound']:.2f}",
            f"{row['upper_at_zero']:.4f}",
            f"{row['exact_at_zero']:.4f}",
            "none" if row["tolerated"] is None else row["tolerated"],
            f"{row['needed']} ({row['needed_exact']})",
            row["needed_for_one"],
        )
        for row in result["bounds"]
    ]
    head = (
        "stratum", "probes", "bound", "UB95 at 0", "exact at 0", "tolerates", "needs (exact)",
        "needs for 1",
    )  # fmt: skip
    unmeasured = ", ".join(result["unmeasured"]) or "none"
    misses = result["misses"]
    missed = (
        f"Retrieval missed the gold page of {misses['missed']} of "
        f"{counted(misses['with_gold'], 'positive')}."
        if misses["with_gold"]
        else "No probe names its gold page, so misses of retrieval are not armed."
    )
    return [
        "## What the probes can show",
        "",
        *_table(head, rows),
        "",
        (
            "UB95 is Wilson's one-sided bound (z 1.6449). It is approximate: where it says 5% the "
            "true risk can be 7%. The exact one is Clopper and Pearson's."
        ),
        f"Unmeasured strata: {unmeasured}. {missed}",
    ]


def _window(result: Mapping[str, Any]) -> list[str]:
    window = result["window"]
    if window is None:
        return []
    rows = [
        (
            f"[{o['window'][0]:.2f}, {o['window'][1]:.2f}]",
            f"{o['tau']:.2f}",
            _percent(o["gate_precision"]),
            _percent(o["blatant_refusal"]),
            _percent(o["ramp"]),
        )
        for o in window["shortlist"]
    ]
    lines = [
        "## Window",
        "",
        (
            f"{window['candidates']} candidates, {window['viable']} viable, "
            f"{window['non_degenerate']} not degenerate. Before: "
            f"[{result['incoming']['cos_floor']:.2f}, {result['incoming']['cos_ceil']:.2f}], "
            f"{result['incoming']['source']}."
        ),
    ]
    if window["degenerate"]:
        lines.append("**Every viable window is a step: one revision of the embedder flips it.**")
    if rows:
        head = ("window", "tau", "gate precision", "blatant refusal", "on the ramp")
        lines += ["", *_table(head, rows)]
    return lines


def _strata(result: Mapping[str, Any]) -> list[str]:
    chosen = result["chosen"]
    if chosen is None:
        return []
    validation, held_out = result["validation"] or {}, result["held_out"] or {}
    rows = []
    for stratum, cell in chosen["strata"].items():
        rows.append(
            (
                f"{stratum}, {_KINDS[stratum]}",
                f"{cell['refused']} of {cell['n']}",
                _upper(cell),
                _of(validation.get(stratum)),
                _upper(validation.get(stratum)),
                _of(held_out.get(stratum)),
                _upper(held_out.get(stratum)),
            )
        )
    head = ("stratum", "refused", "UB95", "held out", "UB95", "untouched", "UB95")
    return [
        f"## Refused at {chosen['tau']:.2f}",
        "",
        *_table(head, rows),
        "",
        (
            "Held out: window and threshold chosen on one half and measured on the other, both "
            "ways. The first column chose the best of hundreds of windows and is flattered by that."
        ),
    ]


def _lexical(result: Mapping[str, Any]) -> list[str]:
    lexical = result["lexical"]
    if lexical is None:
        return ["## Words alone", "", "No lexical threshold is measured."]
    rows = [
        (f"{s}, {_KINDS[s]}", f"{cell['refused']} of {cell['n']}", _upper(cell))
        for s, cell in lexical["strata"].items()
    ]
    return [
        f"## Words alone, at {lexical['tau']:.2f}",
        "",
        *_table(("stratum", "refused", "UB95"), rows),
    ]


def _probes(result: Mapping[str, Any]) -> list[str]:
    lines = []
    if result["binding"]:
        lines.append(f"One step higher would refuse: {_ids(result['binding'])}.")
    if result["nearest"]:
        near = ", ".join(f"`{p['id']}` {p['score']:.3f}" for p in result["nearest"])
        lines.append(f"Positives nearest the threshold: {near}.")
    if result["misjudged"]:
        lines.append(f"Misjudged: {_ids(result['misjudged'])}.")
    return ["## Probes by name", "", *lines] if lines else []


def _languages(result: Mapping[str, Any]) -> list[str]:
    rows = [(name, v["n"], v["right"]) for name, v in result["languages"].items()]
    return ["## By language or script", "", *_table(("language", "probes", "judged rightly"), rows)]


def _stratum_lines(
    strata: Mapping[str, Any], validation: Mapping[str, Any] | None
) -> Iterable[str]:
    for stratum, cell in strata.items():
        held = (validation or {}).get(stratum)
        tail = "" if held is None else f", held out {held['refused']} of {held['n']}"
        upper = f", UB95 {cell['ub95']:.4f}" if "ub95" in cell else ""
        yield f"{stratum}: refused {cell['refused']} of {cell['n']}{upper}{tail}"


def _guard_words(guard: Mapping[str, Any]) -> str:
    tau = "no tau" if guard["tau"] is None else f"tau {guard['tau']:.2f}"
    return (
        f"{tau}, tau_lexical {guard['tau_lexical']:.2f}, window [{guard['cos_floor']:.2f}, "
        f"{guard['cos_ceil']:.2f}], {guard['source']}"
    )


def _ids(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ", ".join(f"`{_escaped(name)}`" for name in listed[:50])
    return shown if len(listed) <= 50 else f"{shown} and {len(listed) - 50} more"


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() and c not in "`|<>" else " " for c in text)


def _of(cell: Mapping[str, Any] | None) -> str:
    return "" if cell is None else f"{cell['refused']} of {cell['n']}"


def _upper(cell: Mapping[str, Any] | None) -> str:
    return "" if cell is None or "ub95" not in cell else f"{cell['ub95']:.4f}"


def _percent(share: float | None) -> str:
    return "not armed" if share is None else f"{100 * share:.0f}%"


def _table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    head = list(head)
    lines = [f"| {' | '.join(map(str, head))} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]
