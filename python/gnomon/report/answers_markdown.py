"""An evaluation with answers as Markdown: what the figures on answers can't say by themselves."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from gnomon.report.evaluation_markdown import evaluation_markdown
from gnomon.report.markdown import bullets, code, plain
from gnomon.report.tables import safe
from gnomon.sources.escape import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_SHOWN: Final = 20
_OUTCOMES: Final = {
    "answered": "answered",
    "declined": "declined by the model",
    "refused": "refused by the guard and not sent",
}


def answers_markdown(body: Mapping[str, Any]) -> str:
    """Return the report of a run with answers, from its JSON values."""
    records = body["records"]
    more = [f"## Answers\n\n{bullets(_sentences(body, records))}", *_hallucinated(records)]
    return evaluation_markdown(body, title="Retrieval, refusal and answers", more=more)


def _sentences(body: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> list[str]:
    outcomes = Counter(record["outcome"] for record in records)
    parts = [f"{outcomes[name]} {words}" for name, words in _OUTCOMES.items()]
    sentences = [
        f"{counted(len(records), 'record')}: {', '.join(parts)}.",
        (
            "No model judges anything: tokens, identifiers and citations are counted, and a token "
            "F1 says how much of the gold answer's wording came back, not whether it is true."
        ),
        f"The answers: {code(safe(body['answers']))}.",
    ]
    cut = sum(record["is_cut"] for record in records)
    if cut:
        sentences.append(f"{counted(cut, 'answer')} ended at a limit of length.")
    uncited = sum(r["outcome"] == "answered" and not r["cited"] for r in records)
    if uncited:
        sentences.append(f"{counted(uncited, 'answer')} cited nothing and have no precision.")
    return [plain(one) if "`" not in one else one for one in sentences]


def _hallucinated(records: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [record for record in records if record["hallucinated"]]
    if not found:
        return []
    lines = [
        f"{code(safe(record['id']))}: {', '.join(code(safe(i)) for i in record['hallucinated'])}"
        for record in found[:_MOST_SHOWN]
    ]
    if len(found) > _MOST_SHOWN:
        lines.append(f"and {len(found) - _MOST_SHOWN} more")
    return [f"**Cited without having been given**\n\n{bullets(lines)}"]
