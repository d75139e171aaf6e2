"""XXH64, the checksum of index files, in plain integers.

Written from the description of the algorithm by its author, Yann Collet (the "XXH fast digest
algorithm" specification): four lanes over stripes of 32 bytes, then the tail, then an avalanche.
"""

from __future__ import annotations

_MASK = 2**64 - 1
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _rotated(x: int, bits: int) -> int:
    return (x << bits | x >> (64 - bits)) & _MASK


def _mixed(lane: int, word: int) -> int:
    return _rotated((lane + word * _P2) & _MASK, 31) * _P1 & _MASK


def xxh64(data: bytes, seed: int = 0) -> int:
    """Return the 64-bit checksum of some bytes."""
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data) - 7, 8)]
    striped = len(data) // 32 * 4
    if striped:
        lanes = [seed + _P1 + _P2, seed + _P2, seed, seed - _P1]
        for at in range(0, striped, 4):
            stripe = words[at : at + 4]
            lanes = [_mixed(lane, word) for lane, word in zip(lanes, stripe, strict=True)]
        digest = sum(map(_rotated, lanes, (1, 7, 12, 18))) & _MASK
        for lane in lanes:
            digest = ((digest ^ _mixed(0, lane)) * _P1 + _P4) & _MASK
    else:
        digest = seed + _P5
    digest = (digest + len(data)) & _MASK
    for word in words[striped:]:
        digest = (_rotated(digest ^ _mixed(0, word), 27) * _P1 + _P4) & _MASK
    tail = data[len(words) * 8 :]
    if len(tail) >= 4:
        half = int.from_bytes(tail[:4], "little")
        digest = (_rotated(digest ^ half * _P1 & _MASK, 23) * _P2 + _P3) & _MASK
        tail = tail[4:]
    for byte in tail:
        digest = _rotated(digest ^ byte * _P5 & _MASK, 11) * _P1 & _MASK
    digest = (digest ^ digest >> 33) * _P2 & _MASK
    digest = (digest ^ digest >> 29) * _P3 & _MASK
    return digest ^ digest >> 32
