"""Texts that occur more often on one of two sides, found by hash: eight bytes for each of millions of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.model.distinct import begins

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U64Array

BITS = 22
"""Bits of a hash by which most unwanted hashes are skipped."""


def differing(old: U64Array, new: U64Array) -> Any:
    """Returns the hashes that one side has more often: uint64, ascending.

    Occurrences are counted, so two texts with one hash are two. A difference is missed only if a removed and an added
    text have the same hash: with 10,000 of each and 62 bits that is one comparison in 46 billion.
    """
    # The lowest bit is the side, so that one sort puts equal hashes of both sides beside each other.
    keys = np.concatenate((old & ~np.uint64(1), new | np.uint64(1)))
    keys.sort()
    sides = (keys & np.uint64(1)).astype(np.uint8)
    keys >>= np.uint64(1)
    starts = np.flatnonzero(begins(keys))
    lengths = np.diff(starts, append=len(keys))
    newer = np.add.reduceat(sides, starts, dtype=np.int64) if len(keys) else lengths
    return keys[starts[2 * newer != lengths]] << np.uint64(1)


def having(hashes: U64Array, wanted: U64Array) -> I64Array:
    """Returns the places of wanted hashes: int64, ascending."""
    hashes = hashes & ~np.uint64(1)
    low = np.uint64((1 << BITS) - 1)
    is_marked = np.zeros(1 << BITS, bool)
    is_marked[hashes_low(wanted, low)] = True
    places = np.flatnonzero(is_marked[hashes_low(hashes, low)])
    return places[np.isin(hashes[places], wanted)]


def hashes_low(hashes: U64Array, low: Any) -> Any:
    """Returns some bits of hashes as indexes, without the lowest one, which is the side."""
    return ((hashes >> np.uint64(1)) & low).astype(np.int64)
