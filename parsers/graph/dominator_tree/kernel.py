"""Dominators and retained sizes of tens of millions of objects: depth first, semi-NCA, sums.

Objects are numbered as they are met, depth first; number 0 stands for all roots together. Only references that the walk
did not follow are kept: every object has the one it was met by, most have no other.

Source: Georgiadis, "Linear-time algorithms for dominators and related problems", 2005, section 2.3. No recursion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.kernels.decorators import int64, kernel, part, uint32, uint64

NONE = np.uint32(0xFFFF_FFFF)
"""No object. In place of a dominator: no root reaches the object."""
FROM_ROOTS = np.uint32(0xFFFF_FFFE)
"""In place of a dominator: all roots together."""
WAITING = uint32(0xFFFF_FFFF)
"""In place of a number: a root that was not met yet; no reference leads there."""
HALF, LOWER = uint64(32), uint64(0xFFFF_FFFF)


@kernel
def walk(
    firsts: Any, targets: Any, classes: Any, types: Any, roots: Any, numbers: Any, met: Any, parents: Any,
    cursors: Any, others: Any, counts: Any,
) -> int:  # fmt: skip
    """Numbers objects depth first; how many are met.

    firsts, targets  references: uint32[n+1], uint32[r]; NONE leads nowhere
    classes          uint32, by type: the object of the class that its objects lead to, NONE for none
    types            uint32[n]
    roots            uint32, objects
    numbers          uint32[n], zeros; filled: by object, 0 where no root reaches it
    met              uint32[n+1], filled: objects by number
    parents          uint32[n+1], filled: by number that of the object it was met by
    cursors          uint32[n+1]: by number the next reference
    others           uint64, filled: references not followed, target in the upper half, both by number
    counts           int64[1], filled: how many of these there are
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
        met[total] = root
        parents[total] = 0
        cursors[total] = firsts[root]
        here = total
        object = int64(root)
        at = int64(firsts[object])
        end = int64(firsts[object + 1])
        while here != 0:
            # Behind the last reference stands the class.
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
                    met[total] = target
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
                    object = int64(met[here])
                    at = int64(cursors[here])
                    end = int64(firsts[object + 1])
    counts[0] = left
    return total


@kernel
def count_others(others: Any, starts: Any) -> None:
    """starts[target + 2] += 1 for each reference. starts uint32[m+3], zeros"""
    for place in range(len(others)):
        starts[int64(others[place] >> HALF) + 2] += 1


@kernel
def place_others(others: Any, starts: Any, sources: Any) -> None:
    """Puts sources by their targets; behind it starts[target] … starts[target + 1] are those of a target.

    starts  as `count_others` left it, added up
    """
    for place in range(len(others)):
        target = int64(others[place] >> HALF) + 1
        sources[starts[target]] = uint32(others[place] & LOWER)
        starts[target] += 1


@kernel
def add_up(starts: Any) -> None:
    """Sums from the first one on, in place."""
    total = int64(0)
    for place in range(len(starts)):
        total += int64(starts[place])
        starts[place] = total


@part
def smallest(forest: Any, stack: Any, number: int, linked: int) -> Any:
    """The least semidominator between an object and the top of its tree among those above `linked`; ways get shorter.

    forest  uint32[m+1, 2]: above, and the least semidominator from here up to there
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
def dominate(parents: Any, starts: Any, sources: Any, forest: Any, stack: Any, above: Any, total: int) -> None:
    """Fills `above`: by number that of the dominator.

    parents  uint32[m+1]
    starts   uint32[m+3], sources uint32: other references by target
    forest   uint32[m+1, 2], stack uint32[m+1]: anything
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
    # What stands in `above` until now are semidominators.
    for number in range(1, total + 1):
        semi = above[number]
        nearest = parents[number]
        while nearest > semi:
            nearest = above[int64(nearest)]
        above[number] = nearest


@kernel
def retain(met: Any, above: Any, sizes: Any, sums: Any, total: int) -> None:
    """Sums by number. sizes uint32[n] by object; sums int64[m+1], filled"""
    sums[0] = 0
    for number in range(1, total + 1):
        sums[number] = int64(sizes[met[number]])
    for number in range(total, 0, -1):
        sums[int64(above[number])] += sums[number]


@kernel
def put_back(met: Any, above: Any, sums: Any, dominators: Any, retained: Any, total: int, unit: int) -> None:
    """Dominators (uint32[n], all NONE) and what is retained in bytes (int64[n], zeros), by object."""
    for number in range(1, total + 1):
        object = met[number]
        dominator = above[number]
        dominators[object] = FROM_ROOTS if dominator == 0 else met[dominator]
        retained[object] = sums[number] * unit
