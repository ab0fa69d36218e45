"""References of a heap dump, equal ones merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.index.scratch import Scratch, anonymous
from parsers.kernels.compiled import compiled, unsigned
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array, U64Array


class DumpEdges(NamedTuple):
    """Distinct references, by source and target object."""

    firsts: U32Array
    """uint32[objects + 1]"""
    targets: U32Array
    counts: U32Array
    """uint32: number of equal references"""


def merge_references(keys: U64Array, objects: int, scratch: Scratch = anonymous) -> DumpEdges:
    """Merges equal references. keys: uint64, ascending: source in the upper half, target in the lower one"""
    firsts = np.zeros(objects + 1, np.uint32)
    targets, counts = (scratch(name, "u4", len(keys)) for name in ("targets", "equal"))
    left = compiled(merge_equal)(keys, firsts, targets, counts)
    return DumpEdges(firsts, targets[:left], counts[:left])


def merge_equal(keys: U64Array, firsts: U32Array, targets: U32Array, counts: U32Array) -> int:
    """Merges equal references; returns the number left.

    firsts           uint32[objects + 1]  zeros; filled: first reference of each object
    targets, counts  uint32[n]            filled: target of each, number of equal ones
    """
    left = 0
    for place in range(len(keys)):
        if place > 0 and keys[place] == keys[place - 1]:
            counts[left - 1] += 1
            continue
        targets[left] = unsigned(keys[place]) & unsigned(0xFFFF_FFFF)
        counts[left] = 1
        firsts[int(unsigned(keys[place]) >> unsigned(32)) + 1] += 1
        left += 1
    for object in range(len(firsts) - 1):
        firsts[object + 1] += firsts[object]
    return left
