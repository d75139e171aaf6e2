"""How drawn spots become a sheet: shuffled, numbered, each reading given a side, all by a secret.

Side and place of a spot are keyed hashes of the secret and the spot's key (HMAC-SHA256), so each
side is a fair coin of its own, and neither the file nor the sample says anything about it. Numbers
are given after the shuffle.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from gnomon.blind.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.blind.sample import Sampled
    from gnomon.blind.spot_file import Contested

Side = Literal["x", "y"]
SECRET_BYTES: Final = 32


class Row(NamedTuple):
    """One row of a sheet with what the key says about it.

    Attributes
    ----------
    base
        The side on which base's reading stands.
    """

    shown: Spot
    base: Side
    spot: Contested


def seeded_secret(key_seed: int) -> bytes:
    """Return the secret that ``--key-seed`` stands for; everybody can compute it."""
    return hashlib.sha256(f"gnomon.blind.key-seed/1\n{key_seed}\n".encode("ascii")).digest()


def arrange(sampled: Sequence[Sampled], secret: bytes, *, both_orders: bool) -> list[Row]:
    """Return the rows of a sheet in the order of their numbers.

    Parameters
    ----------
    sampled
        The drawn spots.
    secret
        32 bytes.
    both_orders
        True shows every spot a second time, shuffled anew behind all first times, with its sides
        exchanged.
    """
    placed = [(one, _side(one, secret)) for one in _shuffled(sampled, secret, b"order")]
    if both_orders:
        again = _shuffled(sampled, secret, b"again")
        placed += [(one, "y" if _side(one, secret) == "x" else "x") for one in again]
    return [
        Row(_shown(one.spot, number, base), base, one.spot)
        for number, (one, base) in enumerate(placed, start=1)
    ]


def _shuffled(sampled: Sequence[Sampled], secret: bytes, purpose: bytes) -> list[Sampled]:
    return sorted(sampled, key=lambda one: _keyed(secret, purpose, one.key))


def _side(one: Sampled, secret: bytes) -> Side:
    return "x" if _keyed(secret, b"side", one.key)[0] & 1 else "y"


def _keyed(secret: bytes, purpose: bytes, key: bytes) -> bytes:
    return hmac.digest(secret, purpose + b"\n" + key, "sha256")


def _shown(spot: Contested, number: int, base: Side) -> Spot:
    x, y = (spot.base, spot.alt) if base == "x" else (spot.alt, spot.base)
    return Spot(number, spot.time, spot.left_context, x, y)
