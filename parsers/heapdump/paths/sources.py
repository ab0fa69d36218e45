"""Where a graph without roots can be entered, so that all of it is reached: what nothing leads to, and cycles.

For lists or arrays; `sources_kernel` is this function compiled.
"""

from __future__ import annotations

from typing import Any

UNSEEN, SEEN, REACHED = range(3)
"""Marks of objects: none yet; met from some object; reached from what is found."""


def find_sources(firsts: Any, targets: Any, leading: Any, marks: Any, stack: Any, tops: Any, found: Any) -> int:
    """How many objects are needed to reach all. What nothing leads to comes first, then one object of each cycle (or
    knot of cycles) that nothing outside leads to.

    firsts   uint32[n+1]: where the references of each object begin
    targets  uint32: objects they lead to
    leading  uint32[n]: how many references lead to each object from another one
    marks    uint8[n], zeros; used
    stack    uint32[n], used
    tops     uint32[n], used
    found    uint32[n], filled
    """
    count = len(leading)
    filled = held = 0
    for step in range(3):
        # Objects that walks of the second step began with are taken in reverse: a later one may lead to an earlier one,
        # but never the other way round, or it would have been met.
        before = SEEN if step == 2 else UNSEEN
        after = SEEN if step == 1 else REACHED
        for place in range(held if step == 2 else count):
            start = tops[held - 1 - place] if step == 2 else place
            if marks[start] != before or (step == 0 and leading[start] != 0):
                continue
            if step == 1:
                tops[held] = start
                held += 1
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
