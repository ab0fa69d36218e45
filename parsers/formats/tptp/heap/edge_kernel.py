"""Kernel that merges references of heap dumps. Twin: `nodes.merge_references`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.decorators import int64, kernel
from parsers.kernels.id_table import HALF, LOWER

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array, U64Array


@kernel
def different(keys: U64Array, firsts: U32Array, targets: U32Array, counts: U32Array) -> int:
    """Merges equal references; returns the number left.

    keys             uint64[n]            ascending: source in the upper half, target in the lower one
    firsts           uint32[objects + 1]  zero; filled: first reference of each object
    targets, counts  uint32[n]            filled: target of each, number of equal ones
    """
    left = int64(-1)
    for place in range(len(keys)):
        if place > 0 and keys[place] == keys[place - 1]:
            counts[left] += 1
            continue
        left += 1
        targets[left] = keys[place] & LOWER
        counts[left] = 1
        firsts[int64(keys[place] >> HALF) + 1] += 1
    for object in range(len(firsts) - 1):
        firsts[object + 1] += firsts[object]
    found: int = left + 1
    return found
