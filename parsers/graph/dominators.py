"""Dominator tree of a graph, by vertex or by group of vertices, as rows.

A vertex dominates another one if every path from the roots to that one passes through it. By groups, each group is
one node with the edges of all its vertices. Sizes of groups are computed on paths of vertices, though. So they are
exact: the number of vertices that would be unreachable without the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.graph.adjacency import ALGORITHMS, Edges
from parsers.graph.graph_algorithms import ROOT
from parsers.graph.reachability import parents_of, reach
from parsers.kernels.places import sorted_places
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array, U16Array, U32Array

MOST_STEPS = 400_000_000
"""Maximum of edges examined to compute sizes of groups; takes a second."""


class DominatorRows(NamedTuple):
    """A dominator tree in rows, largest first."""

    number: U32Array
    """uint32 by row: its vertex or group. By roots: vertices first, then roots in the order of rows."""
    depth: U16Array
    """uint16 by row: capped at 65,535."""
    end: U32Array
    """uint32 by row: the first row after its descendants."""
    parent: U32Array
    """uint32 by row: the parent row, NONE at the top."""
    retained: U32Array
    """uint32 by row: number of vertices that it dominates, its own included."""
    own: U32Array
    """uint32 by row: number of its own vertices."""
    row: U32Array
    """uint32 by number: its row; NONE if unreachable."""
    at_least: U8Array
    """uint8 by row: 1 if `retained` is a lower bound."""


def compute_dominators(edges: Edges, by: str, groups: Mapping[str, U32Array]) -> DominatorRows:
    """Builds the tree. by: "vertex", "root" or the name of a grouping"""
    if by == "vertex":
        return _vertex_dominators(edges)
    return _root_dominators(edges) if by == "root" else _group_dominators(edges, groups[by])


def _vertex_dominators(edges: Edges) -> DominatorRows:
    """Builds the tree of single vertices."""
    sizes = np.ones(edges.size, np.uint32)
    parent_of, retained = _dominate(edges.starts, edges.targets, edges.roots, sizes)
    return tree_rows(parent_of, retained, sizes)


def _root_dominators(edges: Edges) -> DominatorRows:
    """Builds the tree with each row of an entry point as a vertex of its own that leads to its target."""
    count, entries = edges.size, len(edges.roots)
    starts = np.append(edges.starts, edges.starts[-1] + np.arange(1, entries + 1, dtype=np.uint32))
    targets = np.append(edges.targets, edges.roots)
    roots = np.arange(count, count + entries, dtype=np.uint32)
    sizes = np.append(np.ones(count, np.uint32), np.zeros(entries, np.uint32))
    parent_of, retained = _dominate(starts.astype(np.uint32), targets.astype(np.uint32), roots, sizes)
    # Vertices that no single root dominates are no rows.
    parent_of[:count][parent_of[:count] == ROOT] = NONE
    return tree_rows(parent_of, retained, sizes)


def _group_dominators(edges: Edges, group_of: U32Array) -> DominatorRows:
    """Builds the tree of groups. group_of: uint32 by vertex; vertices with NONE form one more group."""
    groups = int((group_of + np.uint32(1)).max(initial=0))  # NONE plus one wraps to zero
    group_of = np.where(group_of == NONE, groups, group_of).astype(np.uint32)
    groups += 1
    members = np.argsort(group_of, kind="stable").astype(np.uint32)
    group_starts = np.searchsorted(group_of[members], np.arange(groups + 1)).astype(np.uint32)
    sources = edges.sources
    parents = parents_of(sources, reach(edges.starts, edges.targets, edges.roots))
    merged_starts, merged = np.empty(groups + 1, np.uint32), np.empty(len(edges.targets), np.uint32)
    marks = np.full(groups, NONE, np.uint32)
    filled = ALGORITHMS.merge(
        edges.starts, edges.targets, group_of, group_starts, members, marks, merged_starts, merged
    )
    sizes = np.bincount(group_of[parents != NONE], minlength=groups).astype(np.uint32)
    parent_of, least = _dominate(merged_starts, merged[:filled], np.unique(group_of[edges.roots]), sizes)
    # A group may be reachable by a path of groups while none of its vertices is.
    parent_of[sizes == 0] = NONE
    retained, at_least = _retained_by_groups(edges, sources, parents, group_starts, members)
    rows_of_tree = tree_rows(parent_of, np.where(at_least, least, retained).astype(np.uint32), sizes)
    return rows_of_tree._replace(at_least=at_least[rows_of_tree.number])


def _retained_by_groups(
    edges: Edges, sources: U32Array, parents: U32Array, group_starts: U32Array, members: U32Array
) -> tuple[U32Array, U8Array]:
    """Returns the retained count of each group, and True for groups whose count is a lower bound."""
    count, groups = edges.size, len(group_starts) - 1
    in_starts, places = sorted_places(edges.targets, count)
    child_starts, children = _children(parents, np.zeros(count, np.uint32))
    marks, retained = np.zeros(count, np.int64), np.zeros(groups, np.uint32)
    visited, free = np.empty(count, np.uint32), np.empty(count, np.uint32)
    done = ALGORITHMS.count_retained_by_groups(
        edges.starts, edges.targets, in_starts, sources[places], child_starts, children, parents, group_starts,
        members, marks, visited, free, retained, MOST_STEPS,
    )  # fmt: skip
    return retained, (np.arange(groups) >= done).astype(np.uint8)


def _dominate(
    starts: U32Array, targets: U32Array, roots: U32Array, sizes: U32Array,
) -> tuple[U32Array, U32Array]:  # fmt: skip
    """Returns by number its dominator, ROOT or NONE; and the retained size, its own included."""
    count = len(sizes)
    from parsers.graph.dominator_tree.build import find_dominators

    kinds, none = np.zeros(count, np.uint32), np.full(1, NONE, np.uint32)
    found = find_dominators(starts, targets, none, kinds, roots, sizes)
    return found.dominators.copy(), found.retained.astype(np.uint32)


def _children(parent_of: U32Array, retained: U32Array) -> tuple[U32Array, U32Array]:
    """Returns the children of each number, largest first; after them the children of the root."""
    count = len(parent_of)
    known = np.flatnonzero(parent_of != NONE).astype(np.uint32)
    parents = np.where(parent_of[known] == ROOT, count, parent_of[known]).astype(np.uint32)
    # Ties stay in the order of the report.
    order = np.argsort(
        parents.astype(np.uint64) << np.uint64(32) | (NONE - retained[known]).astype(np.uint64), kind="stable"
    )
    starts = np.zeros(count + 2, np.uint32)
    starts[1:] = np.cumsum(np.bincount(parents, minlength=count + 1))
    return starts, known[order]


def tree_rows(parent_of: U32Array, retained: U32Array, own: U32Array) -> DominatorRows:
    """Builds the rows. parent_of: by number its parent, ROOT or NONE; retained, own: as in `DominatorRows`"""
    count = len(parent_of)
    starts, children = _children(parent_of, retained)
    number = np.empty(count, np.uint32)
    rows = ALGORITHMS.place_rows(starts, children, count, np.empty(count + 1, np.uint32), number)
    number = number[:rows]
    row = np.full(count + 1, NONE, np.uint32)
    row[number] = np.arange(rows, dtype=np.uint32)
    parents = parent_of[number]
    parent = row[np.minimum(parents, count)].astype(np.uint32)
    depth, end = np.empty(rows, np.uint16), np.empty(rows, np.uint32)
    ALGORITHMS.find_depths(parent, depth, end)
    return DominatorRows(number, depth, end, parent, retained[number], own[number], row[:-1], np.zeros(rows, np.uint8))
