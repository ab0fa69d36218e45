"""Unreachable objects, and the retained size of each among them.

They form graphs themselves. The interesting ones are the sources: objects without unreachable referrers, or one
object of a cycle. Dominators of the others are computed from these as from roots, and so are retained sizes. Objects
do not retain their class here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.graph.labels import HeapDump
from parsers.heapdump.paths.reachability import NO_STEP
from parsers.heapdump.paths.sources import find_sources
from parsers.index.bitpacked.columns import numbers
from parsers.kernels.compiled import compiled
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.heapdump.graph.object_graph import ObjectGraph
    from parsers.model.arrays import I64Array, U32Array

PIECE = 1 << 20
CLASSES = -1
"""As the type of class objects: all of them are one group."""


class UnreachableGraph(NamedTuple):
    """The unreachable objects, renumbered."""

    firsts: U32Array
    """uint32[n+1]"""
    targets: U32Array
    """uint32"""
    leading: U32Array
    """uint32[n]: number of references to each object from other ones of these."""


@dataclass(frozen=True, slots=True)
class UnreachableClass:
    """Unreachable objects of a class of a dump."""

    dump: HeapDump
    type: int
    """CLASSES for class objects."""
    objects: U32Array
    """uint32, those that retain most first."""
    retained: I64Array
    """int64, retained bytes of each, its own included."""
    bytes: int
    tops: int
    """Number of them that no other unreachable object dominates."""
    retained_by_tops: int


def find_unreachable(graph: ObjectGraph, dump: HeapDump) -> list[UnreachableClass]:
    """Finds those of a dump by class, the class of most bytes first."""
    objects = _unreachable(graph, dump)
    if not len(objects):
        return []
    edges = _edges(graph, objects)
    sizes = graph.column("bytes", objects)
    tops = _sources(edges)
    retained = _retained(edges, tops, sizes)
    is_top = np.zeros(len(objects), np.bool_)
    is_top[tops] = True
    types = graph.column("type", objects).astype(np.int64)
    types[numbers(graph.table("object_kind"), objects) == CLASS_OBJECT] = CLASSES
    order = np.lexsort((-retained, types))
    starts = np.flatnonzero(np.diff(types[order], prepend=CLASSES - 1))
    groups = []
    for mine in np.split(order, starts[1:]):
        tops_here = mine[is_top[mine]]
        groups.append(
            UnreachableClass(
                dump=dump,
                type=int(types[mine[0]]),
                objects=objects[mine].astype(np.uint32),
                retained=retained[mine],
                bytes=int(sizes[mine].sum()),
                tops=len(tops_here),
                retained_by_tops=int(retained[tops_here].sum()),
            )
        )
    return sorted(groups, key=lambda group: -group.bytes)


def _unreachable(graph: ObjectGraph, dump: HeapDump) -> I64Array:
    """Returns the objects, ascending."""
    steps, parts = graph.table("object_step"), [np.empty(0, np.int64)]
    for start in range(dump.objects.start, dump.objects.stop, PIECE):
        piece = numbers(steps, slice(start, min(start + PIECE, dump.objects.stop)))
        parts.append(np.flatnonzero(piece == NO_STEP) + start)
    return graph.of_heap(np.concatenate(parts))


def _edges(graph: ObjectGraph, objects: I64Array) -> UnreachableGraph:
    """Returns the references between them."""
    owners, targets = [np.empty(0, np.uint32)], [np.empty(0, np.uint32)]
    for low in range(0, len(objects), PIECE):
        part = objects[low : low + PIECE]
        begins, counts = graph.column("first", part), graph.column("references", part)
        own = np.repeat(np.arange(len(part)), counts)
        before = np.cumsum(counts) - counts
        found = graph.targets(np.arange(len(own)) + (begins - before)[own])
        places = np.minimum(np.searchsorted(objects, found), len(objects) - 1)
        is_one = objects[places] == found
        owners.append((own[is_one] + low).astype(np.uint32))
        targets.append(places[is_one].astype(np.uint32))
    of, led = np.concatenate(owners), np.concatenate(targets)
    counts = np.bincount(of, minlength=len(objects))
    firsts = np.cumulative_sum(counts, dtype=np.uint32, include_initial=True)
    leading = np.bincount(led[led != of], minlength=len(objects)).astype(np.uint32)
    return UnreachableGraph(firsts, led, leading)


def _sources(edges: UnreachableGraph) -> I64Array:
    """Returns the sources: int64."""
    count = len(edges.leading)
    marks = np.zeros(count, np.uint8)
    stack, tops, places = (np.zeros(count, np.uint32) for _ in range(3))
    filled = compiled(find_sources)(*edges, marks, stack, tops, places)
    return places[:filled].astype(np.int64)


def _retained(edges: UnreachableGraph, tops: I64Array, sizes: I64Array) -> I64Array:
    """Returns retained bytes of each: int64."""
    count = len(sizes)
    from parsers.graph.dominator_tree.build import find_dominators

    no_class, types = np.full(1, NONE, np.uint32), np.zeros(count, np.uint32)
    bytes = np.minimum(sizes, NONE).astype(np.uint32)
    found = find_dominators(edges.firsts, edges.targets, no_class, types, tops.astype(np.uint32), bytes)
    return found.retained
