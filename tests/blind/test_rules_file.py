"""Rules in TOML: defaults, every key, and whatever a key cannot have."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import pytest

from gnomon.blind.plan import Plan
from gnomon.blind.rules_file import read_rules, rules_json, rules_of
from gnomon.errors import InvalidInputError, MissingInputError, UsageError
from gnomon.rules.blind_values import Rules

WHOLE = """
judge = "the speaker"
sample = 50
both_orders = true
on_failure = "Reconciling is switched off."
[condition_1]
decided_at_least = 0.9
all_above = 0.725
[systems]
base = "pianissimo"
alt = "kb-whisper"
"""


def read(tmp_path: Path, text: str) -> Rules:
    """Write a rules file and read it."""
    file = tmp_path / "rules.toml"
    file.write_text(text, encoding="utf-8")
    return read_rules(file)


def test_defaults(tmp_path: Path) -> None:
    """An empty file gives the rules of the documentation."""
    rules = read(tmp_path, "")
    assert rules == Rules()
    assert (rules.sample, rules.decided_at_least, rules.all_above) == (
        30,
        Fraction(17, 20),
        Fraction(7, 10),
    )


def test_every_key(tmp_path: Path) -> None:
    """Shares are exact, not the nearest binary fraction."""
    assert read(tmp_path, WHOLE) == Rules(
        judge="the speaker",
        sample=50,
        decided_at_least=Fraction(9, 10),
        all_above=Fraction(29, 40),
        both_orders=True,
        base_name="pianissimo",
        alt_name="kb-whisper",
        on_failure="Reconciling is switched off.",
    )


def test_the_trail_gives_them_back(tmp_path: Path) -> None:
    """JSON and back is the same plan, with the same hash."""
    for rules in (Rules(), read(tmp_path, WHOLE)):
        again = rules_of(json.loads(json.dumps(rules_json(rules))), "record 1")
        assert again == rules
        assert Plan(again).hash == Plan(rules).hash


def test_the_hash_is_that_of_the_rules() -> None:
    """The sha256 of JSON with sorted keys and no spaces, of every rule, set or fixed."""
    plan = Plan(Rules())
    text = json.dumps(plan.body, sort_keys=True, separators=(",", ":"))
    assert plan.hash == hashlib.sha256(text.encode("ascii")).hexdigest()
    assert plan.id == f"plan-{plan.hash[:16]}"
    assert Plan(Rules(sample=31)).hash != plan.hash


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("samples = 30", "unknown rule 'samples'; did you mean sample?"),
        ("seed = 4", "unknown rule 'seed'"),
        ("[condition_2]\nties = 'choice'", "unknown rule 'condition_2'"),
        ("[condition_1]\nat_least = 0.5", "unknown rule 'condition_1.at_least'"),
        ("condition_1 = 3", "condition_1 is no table"),
        ("sample = 0", "sample is 0; expected a whole number, 1 to 10,000"),
        ("sample = 30.0", "sample is Decimal('30.0')"),
        ("sample = true", "sample is True"),
        ("both_orders = 1", "both_orders is 1; expected true or false"),
        ("judge = ''", "judge is ''; expected a text"),
        ("judge = 'a\\nb'", None),
        ('judge = "a\\nb"', "expected one line of at most 200 characters"),
        (f"on_failure = '{'x' * 501}'", "expected one line of at most 500 characters"),
        ("[condition_1]\ndecided_at_least = 85", "decided_at_least is 85; expected a share"),
        ("[condition_1]\ndecided_at_least = nan", "expected a share from 0 to 1"),
        ("[condition_1]\ndecided_at_least = 0", "everything would pass"),
        ("[condition_1]\nall_above = 1.0", "nothing could pass"),
        ("[condition_1]\nall_above = '0.7'", "expected a share such as 0.85"),
        ("[condition_1]\nall_above = 0.1234567", "expected at most 6 decimals"),
        ("[systems]\nbase = 'One'\nalt = 'one'", "both systems are called 'One'"),
        ("sample = ", "is not TOML"),
        (f"sample = {'9' * 5000}", "too long to read; expected a sample from 1 to 10,000"),
        (
            f"[condition_1]\nall_above = 1e{'9' * 30}",
            "too long to read; expected a sample from 1 to 10,000",
        ),
        ("[condition_1]\nall_above = 1e-999999", "expected at most 6 decimals"),
    ],
)
def test_refused(tmp_path: Path, text: str, said: str | None) -> None:
    """The file and the key are named, nothing is defaulted."""
    if said is None:
        assert read(tmp_path, text).judge == "a\\nb"
        return
    with pytest.raises(UsageError) as refused:
        read(tmp_path, text)
    assert said in str(refused.value)
    assert "rules.toml" in str(refused.value)


def test_no_file(tmp_path: Path) -> None:
    """A missing file and bytes that are no text are told apart."""
    with pytest.raises(MissingInputError):
        read_rules(tmp_path / "rules.toml")
    (tmp_path / "rules.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_rules(tmp_path / "rules.toml")
    (tmp_path / "rules.toml").write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(InvalidInputError, match="holds more than"):
        read_rules(tmp_path / "rules.toml")
