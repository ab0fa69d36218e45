"""The few objects that hold most of a heap: where much hangs together, and then falls apart into many small things.

Objects that retain much are few, and each is dominated by another one of them or by the roots alone: they form a small
tree. An object of it that holds much beside what its children in that tree hold is a suspect. So of a chain of owners
(a class, its map, the map's table) the last one is found, and where two caches hang on one object both are.

Structures of one kind are one thing: the nodes of a linked list or a search tree retain each other, and what the first
of them holds is not less because the second one holds nearly as much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from parsers.graph.dominator_tree.plain import ROOTS


class Suspects(NamedTuple):
    """What `find_suspects` gives, by suspect, the one that holds most first."""

    objects: Any
    """int64"""
    held: Any
    """int64: bytes that it retains, less what is retained by objects below it that retain much themselves."""


def find_suspects(objects: Any, dominators: Any, retained: Any, types: Any, least: int) -> Suspects:
    """Of the objects that retain at least so many bytes those that hold as much themselves.

    objects     int64, ascending
    dominators  of each: ROOTS, or another one of them
    retained    int64, bytes
    types       of each
    """
    import numpy as np

    count = len(objects)
    own, is_top = np.arange(count), dominators >= ROOTS
    above = np.where(is_top, own, np.searchsorted(objects, dominators))
    higher = above[above]
    # A node of a node: of one class, or two classes in turn.
    is_more = (types == types[above]) | ((types == types[higher]) & (higher != above))
    heads = np.where(is_more & ~is_top, above, own)
    while True:
        further = heads[heads]
        if np.array_equal(further, heads):
            break
        heads = further
    held = np.zeros(count, np.int64)
    is_head = heads == own
    held[is_head] = retained[is_head]
    below = is_head & ~is_top
    np.subtract.at(held, heads[above[below]], retained[below])
    chosen = np.flatnonzero(is_head & (held >= least))
    chosen = chosen[np.argsort(-held[chosen], kind="stable")]
    return Suspects(objects[chosen], held[chosen])


NOWHERE = 0xFF
"""In place of the number of a suspect: no suspect dominates an object, or no root reaches it."""


def mark_held(dominators: Any, marks: Any) -> None:
    """Marks objects by the nearest of the suspects that dominate them.

    dominators  uint32[n]
    marks       uint8[n]: 0, of the suspects themselves 1, 2, 3 …; filled: NOWHERE where there is none
    """
    for object in range(len(dominators)):
        at = object
        while marks[at] == 0 and dominators[at] < ROOTS:
            at = dominators[at]
        mark = marks[at]
        if mark == 0:
            mark = NOWHERE
        at = object
        while marks[at] == 0:
            marks[at] = mark
            if dominators[at] < ROOTS:
                at = dominators[at]
