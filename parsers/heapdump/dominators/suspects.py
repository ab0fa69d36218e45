"""Leak suspects: the few objects that retain most of a heap, where large retained sizes split into many small ones.

Objects that retain much are few, and each is dominated by another one of them or by the roots alone: they form a
small tree. An object is a suspect if it retains much without its children in that tree. So the last object of a
chain of owners (a class, its map, the map's table) is found. Two caches in one object are both found.

Recursive structures count as one: the nodes of a linked list or search tree dominate each other. The size of the
first node is not reduced by that of the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.graph.dominator_tree.semi_nca import ROOTS
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, Numbers


class Suspects(NamedTuple):
    """Result of `find_suspects`, largest first."""

    objects: I64Array
    retained_bytes: I64Array
    """Retained bytes, without those of large objects it dominates."""


def find_suspects(objects: I64Array, dominators: AnyArray, retained: I64Array, types: I64Array, least: int) -> Suspects:
    """Finds the suspects among objects that retain at least `least` bytes.

    objects     int64, ascending
    dominators  immediate dominator of each: ROOTS, or another one of them
    retained    int64, bytes
    types       type of each
    """
    count = len(objects)
    own, is_top = np.arange(count), dominators >= ROOTS
    above = np.where(is_top, own, np.searchsorted(objects, dominators))
    higher = above[above]
    # Node dominated by a node: of one class, or of two alternating classes.
    is_more = (types == types[above]) | ((types == types[higher]) & (higher != above))
    heads = np.where(is_more & ~is_top, above, own)
    while True:
        further = heads[heads]
        if np.array_equal(further, heads):
            break
        heads = further
    retained_bytes = np.zeros(count, np.int64)
    is_head = heads == own
    retained_bytes[is_head] = retained[is_head]
    below = is_head & ~is_top
    np.subtract.at(retained_bytes, heads[above[below]], retained[below])
    chosen = np.flatnonzero(is_head & (retained_bytes >= least))
    chosen = chosen[np.argsort(-retained_bytes[chosen], kind="stable")]
    return Suspects(objects[chosen], retained_bytes[chosen])


NOWHERE = 0xFF
"""As the number of a suspect: the object is unreachable, or no suspect dominates it."""


def mark_dominated(dominators: Numbers, marks: Numbers) -> None:
    """Marks objects by their nearest dominating suspect.

    dominators  uint32[n]
    marks       uint8[n]: 0; 1, 2, 3 … for the suspects; filled: NOWHERE where there is none
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
