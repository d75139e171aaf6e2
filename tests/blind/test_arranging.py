"""Sides and order: fair, secret, and not to be guessed from anything that the sheet shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from gnomon.blind.arranging import Row, arrange, seeded_secret
from gnomon.blind.sample import Sampled
from gnomon.blind.spot_file import Contested
from gnomon.rules.blind_values import System

SPOTS = 30


def word(rng: np.random.Generator) -> str:
    """Return a word of 4 to 12 letters."""
    return "".join(chr(97 + letter) for letter in rng.integers(0, 26, rng.integers(4, 13)))


def sampled(rng: np.random.Generator, n: int = SPOTS) -> list[Sampled]:
    """Return a sample whose readings are alike in kind, in the order of the file.

    Ids and time rise with the line, base is used more often at first, and a third of the spots are
    insertions or deletions: whatever leaks into the sheet is there to be found.
    """
    found = []
    for i in range(n):
        texts = [
            "".join(chr(97 + c) for c in rng.integers(0, 26, rng.integers(1, 12))) for _ in "ab"
        ]
        base, alt = texts if texts[0] != texts[1] else (texts[0], f"{texts[0]}z")
        kind = "substitution"
        if rng.random() < 1 / 3:
            kind = "insertion" if rng.random() < 0.5 else "deletion"
            base, alt = ("", alt) if kind == "insertion" else (base, "")
        used: System = "base" if rng.random() < 1 - i / n else "alt"
        spot = Contested(f"id-{i:04d}", base, alt, used, False, "ctx " * int(rng.integers(0, 5)),
                         float(i), kind, i + 1, 90 * i)  # fmt: skip
        found.append(Sampled(hashlib.sha256(spot.id.encode()).digest(), spot))
    return found


def sheets(n: int, *, seed: int) -> Iterator[list[Row]]:
    """Arrange so many samples, each under a secret of its own."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield arrange(sampled(rng), rng.bytes(32), both_orders=False)


def test_sides_are_balanced() -> None:
    """2,000 draws: at every number, base is x in half of them (chi-square, p over 0.001)."""
    rng = np.random.default_rng(1)
    drawn = sampled(rng)
    on_x = np.zeros(SPOTS)
    of_spot = dict.fromkeys((one.spot.id for one in drawn), 0)
    for _ in range(2_000):
        for row in arrange(drawn, rng.bytes(32), both_orders=False):
            on_x[row.shown.number - 1] += row.base == "x"
            of_spot[row.spot.id] += row.base == "x"
    for counts in (on_x, np.array(list(of_spot.values()))):
        assert ((counts - 1_000) ** 2 / 500).sum() < chi2.ppf(0.999, SPOTS)


def test_every_order_is_as_likely() -> None:
    """2,000 draws: every spot stands at every number equally often (chi-square, p over 0.001)."""
    rng = np.random.default_rng(2)
    drawn = sampled(rng, 10)
    place = np.zeros((10, 10))
    row_of = {one.spot.id: i for i, one in enumerate(drawn)}
    for _ in range(2_000):
        for row in arrange(drawn, rng.bytes(32), both_orders=False):
            place[row_of[row.spot.id], row.shown.number - 1] += 1
    assert ((place - 200) ** 2 / 200).sum() < chi2.ppf(0.999, 81)


def features(row: Row, before: Row | None, rows: int) -> list[float]:
    """Return everything about a row of a sheet that somebody might try to read a side from."""
    shown = row.shown
    x, y = shown.x, shown.y
    hashed = hashlib.sha256(f"{shown.number}{x}{y}".encode()).digest()
    ids = hashlib.sha256(row.spot.id.encode()).digest()
    return [
        1.0,
        len(x) - len(y),
        float(len(x) > len(y)),
        float(x < y),
        float(x == ""),
        float(y == ""),
        len(shown.left_context),
        shown.number / rows,
        float(shown.number % 2),
        float(shown.number % 3),
        shown.time or 0.0,
        float((shown.time or 0.0) % 2),
        float(before is not None and (shown.time or 0.0) > (before.shown.time or 0.0)),
        float(before is not None and before.base == "x"),
        float(row.spot.used == "base"),
        float(row.spot.id[-1] in "02468"),
        *(float(hashed[0] >> bit & 1) for bit in range(4)),
        *(float(ids[0] >> bit & 1) for bit in range(4)),
    ]


def accuracy(all_rows: list[list[Row]]) -> float:
    """Fit least squares on half of the sheets and return how often it is right on the others."""
    inputs: list[list[float]] = []
    sides: list[float] = []
    for rows in all_rows:
        for before, row in zip([None, *rows], rows, strict=False):
            inputs.append(features(row, before, len(rows)))
            sides.append(1.0 if row.base == "x" else -1.0)
    table, truth = np.array(inputs), np.array(sides)
    half = len(truth) // 2
    weights: NDArray[np.float64] = np.linalg.lstsq(table[:half], truth[:half], rcond=None)[0]
    return float(((table[half:] @ weights > 0) == (truth[half:] > 0)).mean())


def test_no_feature_predicts_the_side() -> None:
    """1,000 sheets, 15,000 rows unseen: nothing above chance (four standard errors, 1.6 points).

    The features are lengths, positions, order, times, ids, the row before and the choice itself.
    """
    assert abs(accuracy(list(sheets(1_000, seed=3))) - 0.5) < 4 * 0.5 / np.sqrt(15_000)


def test_the_classifier_finds_what_is_there() -> None:
    """A side that follows the number, the time or the choice would be found out."""
    rows = list(sheets(60, seed=4))
    leaks = (
        lambda row: row.shown.number % 2 == 0,
        lambda row: row.spot.used == "base",
        lambda row: len(row.shown.x) > len(row.shown.y),
    )
    for leak in leaks:
        told = [[row._replace(base="x" if leak(row) else "y") for row in sheet] for sheet in rows]
        assert accuracy(told) > 0.9


def test_the_secret_decides() -> None:
    """One secret gives one sheet, whatever the order of the sample; another gives another."""
    drawn = sampled(np.random.default_rng(5))
    first = arrange(drawn, seeded_secret(1), both_orders=False)
    assert arrange(drawn[::-1], seeded_secret(1), both_orders=False) == first
    other = arrange(drawn, seeded_secret(2), both_orders=False)
    assert [row.spot.id for row in other] != [row.spot.id for row in first]
    assert {(row.spot.id, row.base) for row in other} != {(row.spot.id, row.base) for row in first}


def test_rows_show_both_readings() -> None:
    """X is base's reading where the key says so, alt's elsewhere; numbers run from 1."""
    rows = arrange(sampled(np.random.default_rng(6)), b"s" * 32, both_orders=False)
    assert [row.shown.number for row in rows] == list(range(1, SPOTS + 1))
    for row in rows:
        shown = {"x": row.shown.x, "y": row.shown.y}
        assert shown.pop(row.base) == row.spot.base
        assert list(shown.values()) == [row.spot.alt]
        assert row.shown.verdict is None


def test_both_orders() -> None:
    """Every spot once in each half, its sides exchanged, the second half in another order."""
    rows = arrange(sampled(np.random.default_rng(7)), b"s" * 32, both_orders=True)
    first, second = rows[:SPOTS], rows[SPOTS:]
    side = {row.spot.id: row.base for row in first}
    assert {row.spot.id for row in second} == set(side)
    assert all(side[row.spot.id] != row.base for row in second)
    assert [row.spot.id for row in first] != [row.spot.id for row in second]
