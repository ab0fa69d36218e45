"""Dominators and retained sizes of tens of millions of objects: depth-first numbering, semi-NCA, sums.

An object dominates another one if every path from the roots to that one passes through it. The nearest such object
is its dominator. The retained size is the size of all that an object dominates: what would be freed without it.

Objects are numbered in depth-first order; number 0 is the virtual root. Only non-tree references are stored:
each object has one tree reference, and most have no other. The functions take lists or arrays, so that they can be
compiled as they are.

Source: Georgiadis, "Linear-time algorithms for dominators and related problems", 2005, section 2.3. No recursion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers

NOT_REACHED = 0xFFFF_FFFF
"""No object. As a dominator: the object is unreachable."""
ROOTS = 0xFFFF_FFFE
"""As a dominator: no single object dominates it, only all roots together."""
WAITING = 0xFFFF_FFFF
"""As a number: a root that is not visited yet and that no reference leads to."""


def walk(
    firsts: Numbers, targets: Numbers, classes: Numbers, types: Numbers, roots: Numbers, numbers: Numbers,
    visited: Numbers, parents: Numbers, cursors: Numbers, other_targets: Numbers, other_sources: Numbers,
    counts: Numbers,
) -> int:  # fmt: skip
    """Numbers objects depth first; returns how many are reached.

    firsts, targets  references: uint32[n+1], uint32[r]; NOT_REACHED leads nowhere
    classes          uint32, by type: the class object that its instances refer to, NOT_REACHED for none
    types            uint32[n]
    roots            uint32, objects
    numbers          uint32[n], zeros; filled: by object, 0 for unreachable ones
    visited          uint32[n+1], filled: objects by number
    parents          uint32[n+1], filled: by number the number of the parent in the depth-first tree
    cursors          uint32[n+1]: by number the next reference to follow
    other_targets, other_sources  uint32, filled: non-tree references, both as numbers
    counts           int64[1], filled: number of non-tree references
    """
    for root in roots:
        numbers[root] = WAITING
    total = 0
    left = 0
    for root in roots:
        if numbers[root] != WAITING:
            continue
        total += 1
        numbers[root] = total
        visited[total] = root
        parents[total] = 0
        cursors[total] = firsts[root]
        here = total
        object = int(root)
        at = int(firsts[object])
        end = int(firsts[object + 1])
        while here != 0:
            # The class follows the last reference.
            if at <= end:
                target = targets[at] if at < end else classes[types[object]]
                at += 1
                if target == NOT_REACHED:
                    continue
                number = int(numbers[target])
                if number == 0:
                    cursors[here] = at
                    total += 1
                    numbers[target] = total
                    visited[total] = target
                    parents[total] = here
                    here = total
                    object = int(target)
                    at = int(firsts[object])
                    end = int(firsts[object + 1])
                elif number != WAITING and parents[number] != 0 and number != here:
                    other_targets[left] = number
                    other_sources[left] = here
                    left += 1
            else:
                here = int(parents[here])
                if here != 0:
                    object = int(visited[here])
                    at = int(cursors[here])
                    end = int(firsts[object + 1])
    counts[0] = left
    return total


def count_others(targets: Numbers, count: int, starts: Numbers) -> None:
    """Counts references: starts[target + 2] += 1 for each of the first ones. starts uint32[m+3], zeros"""
    for place in range(count):
        starts[int(targets[place]) + 2] += 1


def add_up(starts: Numbers) -> None:
    """Computes prefix sums in place."""
    total = 0
    for place in range(len(starts)):
        total += int(starts[place])
        starts[place] = total


def place_others(targets: Numbers, sources: Numbers, count: int, starts: Numbers, grouped: Numbers) -> None:
    """Groups sources by target; afterwards the sources of a target are at starts[target] … starts[target + 1].

    starts  prefix sums of the counts from `count_others`
    """
    for place in range(count):
        target = int(targets[place]) + 1
        grouped[starts[target]] = sources[place]
        starts[target] += 1


def smallest(forest: Numbers, stack: Numbers, number: int, linked: int) -> int:
    """Returns the least semidominator on the path from an object up to `linked`, exclusive; compresses the path.

    forest  uint32[2 * (m+1)]: ancestor, and the least semidominator between here and there
    """
    depth = 0
    at = number
    above = int(forest[2 * at])
    while above > linked:
        stack[depth] = at
        depth += 1
        at = above
        above = int(forest[2 * at])
    least = forest[2 * at + 1]
    while depth > 0:
        depth -= 1
        below = int(stack[depth])
        if forest[2 * below + 1] < least:
            least = forest[2 * below + 1]
        else:
            forest[2 * below + 1] = least
        forest[2 * below] = above
    return least


def dominate(
    parents: Numbers, starts: Numbers, sources: Numbers, forest: Numbers, stack: Numbers, above: Numbers, total: int
) -> None:
    """Fills `above`: by number the number of the dominator.

    parents  uint32[m+1]
    starts   uint32[m+3], sources uint32: non-tree references by target
    forest   uint32[2 * (m+1)], stack uint32[m+1]: scratch, any content
    above    uint32[m+1]
    """
    for number in range(total + 1):
        forest[2 * number] = parents[number]
        forest[2 * number + 1] = number
    for number in range(total, 0, -1):
        semi = parents[number]
        for place in range(starts[number], starts[number + 1]):
            source = sources[place]
            if source > number:
                source = smallest(forest, stack, int(source), number)
            if source < semi:
                semi = source
        forest[2 * number + 1] = semi
        above[number] = semi
    # Up to here `above` contains semidominators.
    for number in range(1, total + 1):
        semi = above[number]
        nearest = parents[number]
        while nearest > semi:
            nearest = above[nearest]
        above[number] = nearest


def retain(visited: Numbers, above: Numbers, sizes: Numbers, sums: Numbers, total: int) -> None:
    """Computes retained sizes by number. sizes uint32[n] by object; sums int64[m+1], filled"""
    sums[0] = 0
    for number in range(1, total + 1):
        sums[number] = int(sizes[visited[number]])
    for number in range(total, 0, -1):
        sums[above[number]] += sums[number]


def store_by_object(
    visited: Numbers, above: Numbers, sums: Numbers, dominators: Numbers, retained: Numbers, total: int
) -> None:
    """Fills dominators (uint32[n]) and retained sizes (int64[n]) by object; of unreachable ones 0."""
    for object in range(len(dominators)):
        dominators[object] = NOT_REACHED
        retained[object] = 0
    for number in range(1, total + 1):
        object = int(visited[number])
        dominator = above[number]
        dominators[object] = ROOTS if dominator == 0 else int(visited[dominator])
        retained[object] = sums[number]
