"""Dominators and retained sizes of tens of millions of objects: depth-first numbering, semi-NCA, sums.

Objects are numbered in depth-first order; number 0 is the virtual root. Only non-tree references are stored:
each object has one tree reference, and most have no other.

Source: Georgiadis, "Linear-time algorithms for dominators and related problems", 2005, section 2.3. No recursion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.decorators import int64, kernel, part, uint32, uint64

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U32Array, U64Array

NONE = np.uint32(0xFFFF_FFFF)
"""No object. As a dominator: the object is unreachable."""
FROM_ROOTS = np.uint32(0xFFFF_FFFE)
"""As a dominator: the virtual root."""
WAITING = uint32(0xFFFF_FFFF)
"""As a number: a root that is not visited yet and that no reference leads to."""
HALF, LOWER = uint64(32), uint64(0xFFFF_FFFF)


@kernel
def walk(
    firsts: U32Array, targets: U32Array, classes: U32Array, types: U32Array, roots: U32Array, numbers: U32Array,
    visited: U32Array, parents: U32Array, cursors: U32Array, others: U64Array, counts: I64Array,
) -> int:  # fmt: skip
    """Numbers objects depth first; returns how many are reached.

    firsts, targets  references: uint32[n+1], uint32[r]; NONE leads nowhere
    classes          uint32, by type: the class object that its instances refer to, NONE for none
    types            uint32[n]
    roots            uint32, objects
    numbers          uint32[n], zeros; filled: by object, 0 for unreachable ones
    visited              uint32[n+1], filled: objects by number
    parents          uint32[n+1], filled: by number the number of the parent in the depth-first tree
    cursors          uint32[n+1]: by number the next reference to follow
    others           uint64, filled: non-tree references, target in the upper half, both as numbers
    counts           int64[1], filled: number of non-tree references
    """
    for root in roots:
        numbers[root] = WAITING
    total: int = int64(0)
    left: int = int64(0)
    for root in roots:
        if numbers[root] != WAITING:
            continue
        total += 1
        numbers[root] = total
        visited[total] = root
        parents[total] = 0
        cursors[total] = firsts[root]
        here = total
        object = int64(root)
        at = int64(firsts[object])
        end = int64(firsts[object + 1])
        while here != 0:
            # The class follows the last reference.
            if at <= end:
                target = targets[at] if at < end else classes[types[object]]
                at += 1
                if target == NONE:
                    continue
                number = numbers[target]
                if number == 0:
                    cursors[here] = at
                    total += 1
                    numbers[target] = total
                    visited[total] = target
                    parents[total] = here
                    here = total
                    object = int64(target)
                    at = int64(firsts[object])
                    end = int64(firsts[object + 1])
                elif number != WAITING and parents[number] != 0 and int64(number) != here:
                    others[left] = uint64(number) << HALF | uint64(here)
                    left += 1
            else:
                here = int64(parents[here])
                if here != 0:
                    object = int64(visited[here])
                    at = int64(cursors[here])
                    end = int64(firsts[object + 1])
    counts[0] = left
    return total


@kernel
def count_others(others: U64Array, starts: U32Array) -> None:
    """Counts references: starts[target + 2] += 1 for each. starts uint32[m+3], zeros"""
    for place in range(len(others)):
        starts[int64(others[place] >> HALF) + 2] += 1


@kernel
def place_others(others: U64Array, starts: U32Array, sources: U32Array) -> None:
    """Groups sources by target; afterwards the sources of a target are at starts[target] … starts[target + 1].

    starts  prefix sums of the counts from `count_others`
    """
    for place in range(len(others)):
        target = int64(others[place] >> HALF) + 1
        sources[starts[target]] = uint32(others[place] & LOWER)
        starts[target] += 1


@kernel
def add_up(starts: U32Array) -> None:
    """Computes prefix sums in place."""
    total = int64(0)
    for place in range(len(starts)):
        total += int64(starts[place])
        starts[place] = total


@part
def smallest(forest: U32Array, stack: U32Array, number: int, linked: int) -> Any:
    """Returns the least semidominator on the path from an object up to `linked`, exclusive; compresses the path.

    forest  uint32[m+1, 2]: ancestor, and the least semidominator between here and there
    """
    depth = 0
    at = number
    above = int64(forest[at, 0])
    while above > linked:
        stack[depth] = at
        depth += 1
        at = above
        above = int64(forest[at, 0])
    least = forest[at, 1]
    while depth > 0:
        depth -= 1
        below = int64(stack[depth])
        if forest[below, 1] < least:
            least = forest[below, 1]
        else:
            forest[below, 1] = least
        forest[below, 0] = above
    return least


@kernel
def dominate(
    parents: U32Array, starts: U32Array, sources: U32Array, forest: U32Array, stack: U32Array, above: U32Array,
    total: int,
) -> None:  # fmt: skip
    """Fills `above`: by number the number of the dominator.

    parents  uint32[m+1]
    starts   uint32[m+3], sources uint32: non-tree references by target
    forest   uint32[m+1, 2], stack uint32[m+1]: scratch, any content
    above    uint32[m+1]
    """
    for number in range(total + 1):
        forest[number, 0] = parents[number]
        forest[number, 1] = number
    for number in range(total, 0, -1):
        semi = parents[number]
        for place in range(starts[number], starts[number + 1]):
            source = sources[place]
            if source > number:
                source = smallest(forest, stack, int64(source), number)
            if source < semi:
                semi = source
        forest[number, 1] = semi
        above[number] = semi
    # Up to here `above` contains semidominators.
    for number in range(1, total + 1):
        semi = above[number]
        nearest = parents[number]
        while nearest > semi:
            nearest = above[int64(nearest)]
        above[number] = nearest


@kernel
def retain(visited: U32Array, above: U32Array, sizes: U32Array, sums: I64Array, total: int) -> None:
    """Computes retained sizes by number. sizes uint32[n] by object; sums int64[m+1], filled"""
    sums[0] = 0
    for number in range(1, total + 1):
        sums[number] = int64(sizes[visited[number]])
    for number in range(total, 0, -1):
        sums[int64(above[number])] += sums[number]


@kernel
def store_by_object(
    visited: U32Array, above: U32Array, sums: I64Array, dominators: U32Array, retained: I64Array, total: int, unit: int
) -> None:
    """Fills dominators (uint32[n], all NONE) and retained sizes in bytes (int64[n], zeros) by object."""
    for number in range(1, total + 1):
        object = visited[number]
        dominator = above[number]
        dominators[object] = FROM_ROOTS if dominator == 0 else visited[dominator]
        retained[object] = sums[number] * unit
