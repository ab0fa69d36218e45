"""Vertices reached only through a vertex, a group, a root, compared with searches without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from engines import engine
from hypothesis import given
from hypothesis import strategies as st

from parsers.graph.adjacency import Edges
from parsers.graph.dominators import DominatorRows, compute_dominators
from parsers.model.none import NONE

ENGINES = pytest.mark.parametrize("has_kernels", [False, True], ids=["plain", "kernels"])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Edges, Any]:
    """Draws edges with loops and repetitions, roots that may occur twice, and a group or none for each vertex."""
    count = draw(st.integers(1, 10))
    vertex = st.integers(0, count - 1)
    successors = draw(st.lists(st.lists(vertex, max_size=4), min_size=count, max_size=count))
    roots = np.array(draw(st.lists(vertex, max_size=4)), np.uint32)
    groups = draw(st.lists(st.sampled_from([0, 1, 2, 3, NONE]), min_size=count, max_size=count))
    starts = np.cumsum([0, *map(len, successors)]).astype(np.uint32)
    targets = np.array([target for each in successors for target in each], np.uint32)
    rows = np.arange(len(targets), dtype=np.uint32)
    return Edges(starts, targets, rows, roots, np.arange(len(roots), dtype=np.uint32)), np.array(groups, np.uint32)


def reached(edges: Edges, without: set[int] = frozenset(), root: int = -1) -> set[int]:  # type: ignore[assignment]
    """Returns the vertices reached without some vertices, and without the root at index `root`."""
    found: set[int] = set()
    left = [int(vertex) for place, vertex in enumerate(edges.roots) if place != root]
    while left:
        vertex = left.pop()
        if vertex not in found and vertex not in without:
            found.add(vertex)
            left += edges.targets[edges.starts[vertex] : edges.starts[vertex + 1]].tolist()
    return found


def retained(dominator_rows: DominatorRows) -> dict[int, int]:
    return dict(zip(dominator_rows.number.tolist(), dominator_rows.retained.tolist(), strict=True))


@ENGINES
@given(graph=graphs())
def test_a_vertex_dominates_what_is_not_reached_without_it(has_kernels: bool, graph: tuple[Edges, Any]) -> None:
    edges, _ = graph
    whole = reached(edges)
    expected = {vertex: len(whole - reached(edges, {vertex})) for vertex in whole}
    with engine(has_kernels):
        assert retained(compute_dominators(edges, "vertex", {})) == expected


@ENGINES
@given(graph=graphs())
def test_a_root_dominates_what_is_not_reached_without_it(has_kernels: bool, graph: tuple[Edges, Any]) -> None:
    edges, _ = graph
    whole = reached(edges)
    expected = {place: len(whole - reached(edges, root=place)) for place in range(len(edges.roots))}
    with engine(has_kernels):
        dominator_rows = compute_dominators(edges, "root", {})
    found = {number - edges.size: count for number, count in retained(dominator_rows).items()}
    assert {place: count for place, count in found.items() if place >= 0} == expected


@ENGINES
@given(graph=graphs())
def test_a_group_dominates_what_is_not_reached_without_it(has_kernels: bool, graph: tuple[Edges, Any]) -> None:
    edges, groups = graph
    whole, nobody = reached(edges), int((groups + np.uint32(1)).max(initial=0))
    members: dict[int, set[int]] = {}
    for vertex in whole:
        members.setdefault(nobody if groups[vertex] == NONE else int(groups[vertex]), set()).add(vertex)
    expected = {group: len(whole - reached(edges, vertices)) for group, vertices in members.items()}
    with engine(has_kernels):
        assert retained(compute_dominators(edges, "group", {"group": groups})) == expected


@ENGINES
@given(graph=graphs(), by=st.sampled_from(["vertex", "root", "group"]))
def test_rows_are_a_tree_that_gets_lighter_downwards(has_kernels: bool, graph: tuple[Edges, Any], by: str) -> None:
    edges, groups = graph
    with engine(has_kernels):
        dominator_rows = compute_dominators(edges, by, {"group": groups})
    for row in range(len(dominator_rows.number)):
        above = int(dominator_rows.parent[row])
        assert int(dominator_rows.row[dominator_rows.number[row]]) == row
        if above == NONE:
            assert dominator_rows.depth[row] == 0
        else:
            assert above < row < dominator_rows.end[above]
            assert dominator_rows.depth[row] == dominator_rows.depth[above] + 1
            assert dominator_rows.retained[row] <= dominator_rows.retained[above]
        before = [each for each in range(row) if dominator_rows.parent[each] == dominator_rows.parent[row]]
        assert all(dominator_rows.retained[each] >= dominator_rows.retained[row] for each in before)
