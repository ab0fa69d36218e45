"""What is reached only through each thing, or through the things of each group: dominators as a tree in rows.

A thing dominates another one if every way from the roots to that one leads through it. With groups each group is one
node, and what one of its things leads to is what the group leads to; what a group holds is counted with the ways of its
things, though, and so is exactly what would not be reached without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from parsers.graph import graph_algorithms as loops
from parsers.graph.adjacency import Edges, loops_for
from parsers.graph.graph_algorithms import NONE, ROOT

MOST_STEPS = 400_000_000
"""Edges that are looked at to count what groups hold; a second."""


class Weights(NamedTuple):
    """A tree in rows, those that hold most first."""

    number: Any
    """uint32 by row: of which thing or group it is. With entries: behind the things, entries in the order of rows."""
    depth: Any
    """uint16 by row: not more than 65,535."""
    end: Any
    """uint32 by row: the first row behind those below it."""
    parent: Any
    """uint32 by row: the row above, NONE at the top."""
    held: Any
    """uint32 by row: how many things are reached through it only, its own included."""
    own: Any
    """uint32 by row: how many things it is itself."""
    row: Any
    """uint32 by number: its row; NONE where no root leads."""
    at_least: Any
    """uint8 by row: 1 where it may hold more than `held` says."""


def weigh(edges: Edges, by: str, groups: Mapping[str, Any], run: Any = None) -> Weights:
    """By "thing", by "root", or by the name of a grouping. run: the loops, by default as it takes least time"""
    run = run or loops_for(len(edges.targets))
    if by == "thing":
        return _weigh_things(edges, run)
    return _weigh_roots(edges, run) if by == "root" else _weigh_groups(edges, groups[by], run)


def _weigh_things(edges: Edges, run: Any) -> Weights:
    """Each thing by itself."""
    sizes = np.ones(edges.size, np.uint32)
    above, held = _dominate(run, edges.starts, edges.targets, edges.roots, sizes)
    return in_rows(run, above, held, sizes)


def _weigh_roots(edges: Edges, run: Any) -> Weights:
    """Each row that is reached from outside, as if it were a thing that leads to the one it shows."""
    count, entries = edges.size, len(edges.roots)
    starts = np.append(edges.starts, edges.starts[-1] + np.arange(1, entries + 1, dtype=np.uint32))
    targets = np.append(edges.targets, edges.roots)
    roots = np.arange(count, count + entries, dtype=np.uint32)
    sizes = np.append(np.ones(count, np.uint32), np.zeros(entries, np.uint32))
    above, held = _dominate(run, starts.astype(np.uint32), targets.astype(np.uint32), roots, sizes)
    # What no single entry holds is no row.
    above[:count][above[:count] == ROOT] = NONE
    return in_rows(run, above, held, sizes)


def _weigh_groups(edges: Edges, group_of: Any, run: Any) -> Weights:
    """All things of a group together. group_of: uint32 by thing, NONE for those in none, which are one group more."""
    groups = int((group_of + np.uint32(1)).max(initial=0))  # NONE and one are zero
    group_of = np.where(group_of == NONE, groups, group_of).astype(np.uint32)
    groups += 1
    members = np.argsort(group_of, kind="stable").astype(np.uint32)
    group_starts = np.searchsorted(group_of[members], np.arange(groups + 1)).astype(np.uint32)
    parents, queue = np.full(edges.size, NONE, np.uint32), np.empty(edges.size, np.uint32)
    run.search(edges.starts, edges.targets, edges.roots, parents, queue)
    merged_starts, merged = np.empty(groups + 1, np.uint32), np.empty(len(edges.targets), np.uint32)
    marks = np.full(groups, NONE, np.uint32)
    filled = run.merge(edges.starts, edges.targets, group_of, group_starts, members, marks, merged_starts, merged)
    sizes = np.bincount(group_of[parents != NONE], minlength=groups).astype(np.uint32)
    above, least = _dominate(run, merged_starts, merged[:filled], np.unique(group_of[edges.roots]), sizes)
    # A group may be reached where none of its things is: a way through groups needs no way through things.
    above[sizes == 0] = NONE
    held, at_least = _held_by_groups(run, edges, parents, group_starts, members)
    weights = in_rows(run, above, np.where(at_least, least, held).astype(np.uint32), sizes)
    return weights._replace(at_least=at_least[weights.number])


def _held_by_groups(run: Any, edges: Edges, parents: Any, group_starts: Any, members: Any) -> tuple[Any, Any]:
    """By group what it holds, and whether that was not counted to its end."""
    count, groups = edges.size, len(group_starts) - 1
    in_starts = np.zeros(count + 2, np.uint32)
    sources, places = (np.empty(len(edges.targets), np.uint32) for _ in range(2))
    run.turn(edges.starts, edges.targets, in_starts, sources, places)
    below_starts, below = _children(parents, np.zeros(count, np.uint32))
    marks, held = np.zeros(count, np.int64), np.zeros(groups, np.uint32)
    met, free = np.empty(count, np.uint32), np.empty(count, np.uint32)
    done = run.hold_groups(
        edges.starts, edges.targets, in_starts[:-1], sources, below_starts, below, parents, group_starts, members,
        marks, met, free, held, MOST_STEPS,
    )  # fmt: skip
    return held, (np.arange(groups) >= done).astype(np.uint8)


def _dominate(run: Any, starts: Any, targets: Any, roots: Any, sizes: Any) -> tuple[Any, Any]:
    """By number what dominates it, ROOT or NONE; and the sizes of all that it dominates, its own included."""
    count = len(sizes)
    if run is loops:
        from parsers.graph.dominator_tree.plain import dominators, retained_sizes

        successors = [targets[start:stop].tolist() for start, stop in pairwise(starts)]
        found = dominators(successors, roots.tolist())
        held = retained_sizes(found, sizes.tolist())
        return np.array(found, np.uint32), np.array(held, np.uint32)
    from parsers.graph.dominator_tree.build import find_dominators

    kinds, none = np.zeros(count, np.uint32), np.full(1, NONE, np.uint32)
    by_kernels = find_dominators(starts, targets, none, kinds, roots, sizes, 1)
    return by_kernels.dominators.copy(), by_kernels.retained.astype(np.uint32)


def _children(above: Any, held: Any) -> tuple[Any, Any]:
    """What lies directly below each number, those that hold most first; at the end what is at the top."""
    count = len(above)
    known = np.flatnonzero(above != NONE).astype(np.uint32)
    parents = np.where(above[known] == ROOT, count, above[known]).astype(np.uint32)
    # Equal ones in the order of the report.
    order = np.argsort(
        parents.astype(np.uint64) << np.uint64(32) | (NONE - held[known]).astype(np.uint64), kind="stable"
    )
    starts = np.zeros(count + 2, np.uint32)
    starts[1:] = np.cumsum(np.bincount(parents, minlength=count + 1))
    return starts, known[order]


def in_rows(run: Any, above: Any, held: Any, own: Any) -> Weights:
    """A tree in rows. above: by number what is above it, ROOT or NONE; held, own: as `Weights` has them."""
    count = len(above)
    starts, below = _children(above, held)
    number = np.empty(count, np.uint32)
    rows = run.place_rows(starts, below, count, np.empty(count + 1, np.uint32), number)
    number = number[:rows]
    row = np.full(count + 1, NONE, np.uint32)
    row[number] = np.arange(rows, dtype=np.uint32)
    parents = above[number]
    parent = row[np.minimum(parents, count)].astype(np.uint32)
    depth, end = np.empty(rows, np.uint16), np.empty(rows, np.uint32)
    run.find_depths(parent, depth, end)
    return Weights(number, depth, end, parent, held[number], own[number], row[:-1], np.zeros(rows, np.uint8))
