"""Entry points of a graph without roots, from which all of it is reachable: vertices without referrers, and cycles.

For lists or arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers

UNSEEN, SEEN, REACHED = range(3)
"""Marks of objects: not seen; seen from some object; reached from the result."""


def find_sources(
    firsts: Numbers, targets: Numbers, leading: Numbers, marks: Numbers, stack: Numbers, tops: Numbers, found: Numbers
) -> int:
    """Finds the fewest objects that reach all; returns their number. Objects without referrers first, then one object
    of each strongly connected component that no other one leads to.

    firsts   uint32[n+1]: first reference of each object
    targets  uint32: their targets
    leading  uint32[n]: number of references to each object from other objects
    marks    uint8[n], zeros; scratch
    stack    uint32[n]: scratch
    tops     uint32[n]: scratch
    found    uint32[n], filled
    """
    count = len(leading)
    filled = top_count = 0
    for step in range(3):
        # Starting points of the second step are processed in reverse: a later one may lead to an earlier one, but never
        # the reverse, or it would have been seen.
        before = SEEN if step == 2 else UNSEEN
        after = SEEN if step == 1 else REACHED
        for place in range(top_count if step == 2 else count):
            start = tops[top_count - 1 - place] if step == 2 else place
            if marks[start] != before or (step == 0 and leading[start] != 0):
                continue
            if step == 1:
                tops[top_count] = start
                top_count += 1
            else:
                found[filled] = start
                filled += 1
            marks[start] = after
            stack[0] = start
            depth = 1
            while depth > 0:
                depth -= 1
                object = stack[depth]
                for reference in range(firsts[object], firsts[object + 1]):
                    target = targets[reference]
                    if marks[target] == before:
                        marks[target] = after
                        stack[depth] = target
                        depth += 1
    return filled
