"""Which texts of two sides differ in number, told by their hashes: millions of them take eight bytes each."""

from __future__ import annotations

from typing import Any

import numpy as np

BITS = 22
"""Bits of a hash that most which aren't wanted are passed over by."""


def differing(old: Any, new: Any) -> Any:
    """uint64, ascending: the hashes of which one side has more.

    Sides are counted, so two texts of one hash are two. Something is missed only where a text that went and another one
    that came have the same hash: with 10,000 of each and 62 bits that is one comparison in 46 billion.
    """
    # The lowest bit tells the side, so that one sort puts equal ones of both sides beside each other.
    keys = np.concatenate((old & ~np.uint64(1), new | np.uint64(1)))
    keys.sort()
    sides = (keys & np.uint64(1)).astype(np.uint8)
    keys >>= np.uint64(1)
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    lengths = np.diff(begins, append=len(keys))
    newer = np.add.reduceat(sides, begins, dtype=np.int64) if len(keys) else lengths
    return keys[begins[2 * newer != lengths]] << np.uint64(1)


def having(hashes: Any, wanted: Any) -> Any:
    """int64, ascending: the places whose hash is one of some."""
    hashes = hashes & ~np.uint64(1)
    low = np.uint64((1 << BITS) - 1)
    is_marked = np.zeros(1 << BITS, bool)
    is_marked[hashes_low(wanted, low)] = True
    places = np.flatnonzero(is_marked[hashes_low(hashes, low)])
    return places[np.isin(hashes[places], wanted)]


def hashes_low(hashes: Any, low: Any) -> Any:
    """Some bits of hashes as indexes: the lowest one is none of theirs."""
    return ((hashes >> np.uint64(1)) & low).astype(np.int64)
