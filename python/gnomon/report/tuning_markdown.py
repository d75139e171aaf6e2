"""A tuning run as Markdown and as plain lines, from its JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gnomon.evaluation.tuning_result import NARROWED
from gnomon.report.markdown import bullets, plain, table
from gnomon.report.numbers import decimal, signed
from gnomon.report.tables import Table, safe
from gnomon.sources.escape import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A wider grid can't be read; its best cells can, and --json has all of them.
_WIDEST: Final = 20
_TALLEST: Final = 60
_BEST: Final = 20
_HOW_HELD_OUT: Final = "chosen on one half of the records and measured on the other, both ways"


def tuning_markdown(body: Mapping[str, Any]) -> str:
    """Return the report of a run."""
    notes = [*body["notes"], *_edges(body)]
    parts = [
        *([f"**{NARROWED}**"] if body["narrowed"] else []),
        "# Tuning of MMR_LAMBDA and GATE_K",
        *([f"**{plain(refusals_line(body))}**"] if body["refusals_differ"] else []),
        plain(reading_line(body)),
        _setup(body),
        *([bullets([plain(note) for note in notes])] if notes else []),
        "## The grid",
        *_grid(body),
        "## The winner beside what it is compared with",
        table(_cells(body)),
        plain(f"{_gain(body)} {_halves(body)}"),
        plain(refusals_line(body)),
        table(_redundancy(body)),
        "## The records that moved most",
        plain(_moved_line(body["moved"])),
        *(table(_moved(body["moved"][way], way)) for way in ("up", "down") if body["moved"][way]),
    ]
    return "\n\n".join(parts) + "\n"


def tuning_lines(body: Mapping[str, Any]) -> list[str]:
    """Return a run in a few lines of plain text."""
    before, after = body["redundancy"]["reference"], body["redundancy"]["winner"]
    return [
        f"winner: {_cell(body['winner'])}",
        f"in force: {_cell(body['in_force'])}, from {_sources(body)}",
        reading_line(body),
        _gain(body),
        (
            f"redundancy: mean pairwise cosine {decimal(before['cosine'])} -> "
            f"{decimal(after['cosine'])}, pages {decimal(before['pages'])} -> "
            f"{decimal(after['pages'])}"
        ),
        refusals_line(body),
        *body["notes"],
        *_edges(body),
    ]


def reading_line(body: Mapping[str, Any]) -> str:
    """Return what the search is worth on records that had no say, and what to do about it."""
    held_out, beside = body["held_out"], _beside(body)
    if not _is_searched(body):
        if _has_vectors(body):
            return "Lambda is pinned to 1: ranking is plain, and there is no gain over it to tell."
        return f"Only {beside} was measured, so there is no gain over it to tell."
    if held_out is None or held_out["reading"] == "too-few":
        return (
            f"Too few records to tell whether the winner does better than {beside}: "
            f"{counted(body['pool']['with_gold'], 'record')} with gold."
        )
    gain = held_out["gain"]
    figures = (
        f"the gain in F1 over it is {signed(gain['value'])} ({signed(gain['low'])} to "
        f"{signed(gain['high'])}), {_HOW_HELD_OUT}"
    )
    pin = "--lambda=1" if _has_vectors(body) else f"--k={body['reference']['GATE_K']}"
    if held_out["reading"] == "gain":
        return f"The search does better than {beside}: {figures}."
    if held_out["reading"] == "loss":
        return (
            f"The search does worse than {beside} on records that had no say: {figures}. "
            f"Pin it with {pin}."
        )
    opening = f"{beside[0].upper()}{beside[1:]} {'wins' if _is_plain(body) else 'does as well'}"
    return f"{opening}: {figures}, and the interval holds zero. Pin it with {pin}."


def refusals_line(body: Mapping[str, Any]) -> str:
    """Return the sanity row: what the gate refuses, which no cell may change."""
    cells = body["cells"]
    if not body["refusals_differ"]:
        return (
            f"Refusals are the same in all {counted(len(cells), 'cell')}: "
            f"{counted(cells[0]['over'], 'over-refusal')}, "
            f"{counted(cells[0]['caught'], 'negative')} caught."
        )
    over = [cell["over"] for cell in cells]
    caught = [cell["caught"] for cell in cells]
    return (
        f"Refusals differ between cells, which neither lever may do: {min(over)} to {max(over)} "
        f"over-refusals, {min(caught)} to {max(caught)} negatives caught. No tuning.json is "
        "written; this is a fault of gnomon, please report it."
    )


def _setup(body: Mapping[str, Any]) -> str:
    pool, footing, axes = body["pool"], body["footing"], body["axes"]
    return "\n".join(
        [
            f"Winner: {plain(_cell(body['winner']))}.",
            f"In force: {plain(_cell(body['in_force']))}, from {plain(_sources(body))}.",
            plain(
                f"Swept: MMR_LAMBDA {_axis(axes['MMR_LAMBDA'])}; GATE_K {_axis(axes['GATE_K'])}; "
                f"{counted(len(body['cells']), 'cell')}."
            ),
            plain(
                f"Index {footing['index_hash'][:12]}, {footing['embed_model'] or 'no vectors'}; "
                f"golden set {pool['golden_hash'][:12]}, {_narrowing(pool)}, "
                f"{counted(pool['records'], 'record')}, {pool['with_gold']} of them with gold in "
                f"their own scope; seed {body['seed']}."
            ),
        ]
    )


def _grid(body: Mapping[str, Any]) -> list[str]:
    lambdas, counts = body["axes"]["MMR_LAMBDA"], body["axes"]["GATE_K"]
    if len(counts) > _WIDEST or len(lambdas) > _TALLEST:
        best = sorted(body["cells"], key=lambda cell: -cell["f1"])[:_BEST]
        return [table(_cell_table(f"The {len(best)} cells of the highest F1", best))]
    at = {(cell["MMR_LAMBDA"], cell["GATE_K"]): cell for cell in body["cells"]}
    winner = (body["winner"]["MMR_LAMBDA"], body["winner"]["GATE_K"])
    rows = [
        (
            f"{lambda_:g}",
            *(
                decimal(at[lambda_, k]["f1"]) + (" (winner)" if (lambda_, k) == winner else "")
                for k in counts
            ),
            decimal(at[lambda_, counts[0]]["recall@8"]),
            decimal(at[lambda_, winner[1]]["mrr"]),
        )
        for lambda_ in lambdas
    ]
    header = ("lambda", *(f"k = {k:g}" for k in counts), "recall@8", f"MRR at k = {winner[1]}")
    caption = "Mean retrieval F1 of what primes the turn; recall@8 does not depend on k"
    return [table(Table(caption=caption, header=header, rows=rows))]


def _cells(body: Mapping[str, Any]) -> Table:
    named = {
        "winner": body["winner"],
        _beside(body): body["reference"],
        "the levers in force": body["in_force"],
    }
    return _cell_table("Means over the records with gold", list(named.values()), list(named))


def _cell_table(
    caption: str, cells: Sequence[Mapping[str, Any]], names: Sequence[str] | None = None
) -> Table:
    rows = [
        (
            *(() if names is None else (names[at],)),
            f"{cell['MMR_LAMBDA']:g}",
            str(cell["GATE_K"]),
            *(decimal(cell[measure]) for measure in ("f1", "recall@8", "mrr")),
        )
        for at, cell in enumerate(cells)
    ]
    header = ("MMR_LAMBDA", "GATE_K", "F1", "recall@8", "MRR")
    return Table(caption=caption, header=header if names is None else ("", *header), rows=rows)


def _halves(body: Mapping[str, Any]) -> str:
    held_out = body["held_out"]
    if held_out is None:
        return "One record can't be halved."
    first, second = (
        f"lambda {cell['MMR_LAMBDA']:g} and k {cell['GATE_K']}" for cell in held_out["chosen"]
    )
    sizes = " and ".join(map(str, held_out["sizes"]))
    return f"Of the halves, of {sizes} records, one chose {first}, the other {second}."


def _edges(body: Mapping[str, Any]) -> list[str]:
    """Return where the winner lies at the end of an axis that could go on."""
    ends = {"MMR_LAMBDA": (0.0, 1.0), "GATE_K": (1, body["footing"]["levers"]["FUSED"])}
    found = []
    for name, (least, most) in ends.items():
        axis, value = body["axes"][name], body["winner"][name]
        if len(axis) > 1 and value in (axis[0], axis[-1]) and least < value < most:
            found.append(
                f"the winner lies at the end of the axis of {name}, {value:g}; a better one may "
                "lie beyond"
            )
    return found


def _gain(body: Mapping[str, Any]) -> str:
    if _is_plain(body):
        return f"The winner is {_beside(body)}, so it gains nothing over it."
    gain = body["gain"]
    figures = (
        "no interval"
        if gain["low"] is None
        else f"{signed(gain['low'])} to {signed(gain['high'])}, paired"
    )
    return (
        f"On the records that chose it, the winner's F1 is {signed(gain['value'])} against "
        f"{_beside(body)} ({figures}): flattered, for it is the best of "
        f"{counted(len(body['cells']), 'cell')}."
    )


def _redundancy(body: Mapping[str, Any]) -> Table:
    before, after = body["redundancy"]["reference"], body["redundancy"]["winner"]
    return Table(
        caption="How alike the excerpts of one turn are, without the neighbours that are brought",
        header=("", _beside(body), "winner"),
        rows=[
            ("mean pairwise cosine", decimal(before["cosine"]), decimal(after["cosine"])),
            ("pages spanned", decimal(before["pages"]), decimal(after["pages"])),
        ],
    )


def _moved_line(moved: Mapping[str, Any]) -> str:
    return f"{moved['n_up']} up, {moved['n_down']} down, {moved['n_same']} not at all."


def _moved(moved: Sequence[Mapping[str, Any]], way: str) -> Table:
    return Table(
        caption=f"F1 went {way}",
        header=("record", "before", "after", "moved by"),
        rows=[
            (
                safe(one["id"]),
                decimal(one["before"]),
                decimal(one["after"]),
                signed(one["after"] - one["before"]),
            )
            for one in moved
        ],
        codes=frozenset({0}),
    )


def _cell(cell: Mapping[str, Any]) -> str:
    return (
        f"MMR_LAMBDA {cell['MMR_LAMBDA']:g}, GATE_K {cell['GATE_K']} (F1 {decimal(cell['f1'])}, "
        f"recall@8 {decimal(cell['recall@8'])}, MRR {decimal(cell['mrr'])})"
    )


def _sources(body: Mapping[str, Any]) -> str:
    in_force = body["footing"]["in_force"]
    return " and ".join(dict.fromkeys(lever["source"] for lever in in_force.values()))


def _axis(values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"pinned to {values[0]:g}"
    return f"{values[0]:g} to {values[-1]:g}, {len(values)} values"


def _narrowing(pool: Mapping[str, Any]) -> str:
    level = f"level {pool['level'] or 'ultra'}"
    return level if pool["limit"] is None else f"{level}, the first {pool['limit']}"


def _has_vectors(body: Mapping[str, Any]) -> bool:
    return body["footing"]["embed_model"] is not None


def _beside(body: Mapping[str, Any]) -> str:
    """Return in words what the winner is compared with."""
    if _has_vectors(body):
        return "plain ranking (lambda 1, the same k)"
    return f"the k in force ({body['reference']['GATE_K']})"


def _is_plain(body: Mapping[str, Any]) -> bool:
    """Return whether the winner is what it is compared with."""
    names = ("MMR_LAMBDA", "GATE_K")
    return all(body["winner"][name] == body["reference"][name] for name in names)


def _is_searched(body: Mapping[str, Any]) -> bool:
    """Return whether there was anything to choose beside the reference."""
    axes, reference = body["axes"], body["reference"]
    name = "MMR_LAMBDA" if _has_vectors(body) else "GATE_K"
    return [float(value) for value in axes[name]] != [float(reference[name])]
