"""Exported turns for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def exported(question: str = "How do I rotate a key?", **changes: Any) -> dict[str, Any]:
    """Return an exported turn: admitted, without a vote, unless told otherwise."""
    return {
        "question": question,
        "vote": None,
        "time": "2026-03-02T09:00:00Z",
        "gate": {"passes": True, "score": 0.7, "threshold": 0.3, "channel": "raw"},
        **changes,
    }


def refusal(question: str, vote: str | None, **changes: Any) -> dict[str, Any]:
    """Return an exported turn that the gate refused."""
    gate = {"passes": False, "score": 0.1, "threshold": 0.3, "cause": "no-evidence"}
    return exported(question, vote=vote, **{"gate": gate, **changes})


def write_export(path: Path, *turns: dict[str, Any]) -> Path:
    """Write turns as JSON Lines."""
    path.write_text("".join(json.dumps(one) + "\n" for one in turns), encoding="utf-8")
    return path
