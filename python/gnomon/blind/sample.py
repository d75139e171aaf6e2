"""Which spots are drawn: those with the smallest keys, the same on every machine.

The key of a spot is sha256 of the seed and the spot's id, so a sample needs one pass, keeps only
itself in memory, and depends on no random generator. The seed is a hash of the plan and of the
contested file: whoever would like another sample has to change one of the two, which shows.
"""

from __future__ import annotations

import hashlib
import heapq
from typing import TYPE_CHECKING, NamedTuple

from gnomon.errors import InvalidInputError

if TYPE_CHECKING:
    from gnomon.blind.spot_file import Contested


class Sampled(NamedTuple):
    """A drawn spot and the key that drew it.

    Attributes
    ----------
    key
        32 bytes; no two spots of a sample share one.
    """

    key: bytes
    spot: Contested


def sample_seed(plan_hash: str, contested_sha256: str) -> bytes:
    r"""Return the seed of a draw: sha256 of the two hashes, as hexadecimal lines.

    Examples
    --------
    >>> sample_seed("0" * 64, "1" * 64).hex()[:16]
    '0eda7bc727cd09fe'
    """
    return hashlib.sha256(f"{plan_hash}\n{contested_sha256}\n".encode("ascii")).digest()


class Sampler:
    """Takes spots one at a time and keeps those with the smallest keys.

    Parameters
    ----------
    size
        How many spots to keep, 1 or more.
    seed
        As `sample_seed` gives it.
    """

    def __init__(self, size: int, seed: bytes) -> None:
        self._size = size
        self._seed = seed
        # A heap keeps its smallest on top; with keys negated that is the one to give up.
        self._kept: list[tuple[int, int, Sampled]] = []
        self._keys: dict[bytes, int] = {}
        self._largest = b"\xff" * 33  # of the keys kept, once there are enough of them

    def take(self, spot: Contested) -> None:
        """Consider a spot.

        Raises
        ------
        InvalidInputError
            When a spot that is kept so far has the same id.
        """
        key = hashlib.sha256(self._seed + spot.id.encode("utf-8")).digest()
        if key > self._largest:
            return
        if key in self._keys:
            raise InvalidInputError(
                f"line {spot.line}: has the same id as line {self._keys[key]}; every spot needs an "
                "id of its own"
            )
        number = -int.from_bytes(key, "big")
        entry = (number, spot.line, Sampled(key, spot))
        if len(self._kept) < self._size:
            heapq.heappush(self._kept, entry)
        else:
            given_up = heapq.heapreplace(self._kept, entry)
            del self._keys[given_up[2].key]
        self._keys[key] = spot.line
        if len(self._kept) == self._size:
            self._largest = self._kept[0][2].key

    def sample(self) -> list[Sampled]:
        """Return the spots kept, smallest key first."""
        return [entry[2] for entry in sorted(self._kept, key=lambda entry: entry[2].key)]
