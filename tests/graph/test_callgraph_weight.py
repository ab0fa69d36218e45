"""What is reached only through a thing, a group, a root: against leaving it out and searching again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.graph import graph_algorithms as loops
from parsers.graph import graph_algorithms_kernel as loops_kernel
from parsers.graph.adjacency import Edges
from parsers.graph.dominators import Weights, weigh
from parsers.graph.graph_algorithms import NONE

LOOPS = pytest.mark.parametrize("run", [loops, loops_kernel], ids=["plain", "kernels"])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Edges, Any]:
    """Edges with loops and repetitions, roots that may come twice, and a group of each thing or none."""
    count = draw(st.integers(1, 10))
    thing = st.integers(0, count - 1)
    successors = draw(st.lists(st.lists(thing, max_size=4), min_size=count, max_size=count))
    roots = np.array(draw(st.lists(thing, max_size=4)), np.uint32)
    groups = draw(st.lists(st.sampled_from([0, 1, 2, 3, NONE]), min_size=count, max_size=count))
    starts = np.cumsum([0, *map(len, successors)]).astype(np.uint32)
    targets = np.array([target for each in successors for target in each], np.uint32)
    rows = np.arange(len(targets), dtype=np.uint32)
    return Edges(starts, targets, rows, roots, np.arange(len(roots), dtype=np.uint32)), np.array(groups, np.uint32)


def reached(edges: Edges, without: set[int] = frozenset(), root: int = -1) -> set[int]:  # type: ignore[assignment]
    """What is reached when some things are not there, and the root of that place is none."""
    found: set[int] = set()
    left = [int(thing) for place, thing in enumerate(edges.roots) if place != root]
    while left:
        thing = left.pop()
        if thing not in found and thing not in without:
            found.add(thing)
            left += edges.targets[edges.starts[thing] : edges.starts[thing + 1]].tolist()
    return found


def held(weights: Weights) -> dict[int, int]:
    return dict(zip(weights.number.tolist(), weights.held.tolist(), strict=True))


@LOOPS
@given(graph=graphs())
def test_a_thing_holds_what_is_not_reached_without_it(run: Any, graph: tuple[Edges, Any]) -> None:
    edges, _ = graph
    whole = reached(edges)
    expected = {thing: len(whole - reached(edges, {thing})) for thing in whole}
    assert held(weigh(edges, "thing", {}, run)) == expected


@LOOPS
@given(graph=graphs())
def test_a_root_holds_what_is_not_reached_when_it_is_none(run: Any, graph: tuple[Edges, Any]) -> None:
    edges, _ = graph
    whole = reached(edges)
    expected = {place: len(whole - reached(edges, root=place)) for place in range(len(edges.roots))}
    found = {number - edges.size: count for number, count in held(weigh(edges, "root", {}, run)).items()}
    assert {place: count for place, count in found.items() if place >= 0} == expected


@LOOPS
@given(graph=graphs())
def test_a_group_holds_what_is_not_reached_without_all_of_it(run: Any, graph: tuple[Edges, Any]) -> None:
    edges, groups = graph
    whole, nobody = reached(edges), int((groups + np.uint32(1)).max(initial=0))
    members: dict[int, set[int]] = {}
    for thing in whole:
        members.setdefault(nobody if groups[thing] == NONE else int(groups[thing]), set()).add(thing)
    expected = {group: len(whole - reached(edges, things)) for group, things in members.items()}
    assert held(weigh(edges, "group", {"group": groups}, run)) == expected


@LOOPS
@given(graph=graphs(), by=st.sampled_from(["thing", "root", "group"]))
def test_rows_are_a_tree_that_gets_lighter_downwards(run: Any, graph: tuple[Edges, Any], by: str) -> None:
    edges, groups = graph
    weights = weigh(edges, by, {"group": groups}, run)
    for row in range(len(weights.number)):
        above = int(weights.parent[row])
        assert int(weights.row[weights.number[row]]) == row
        if above == NONE:
            assert weights.depth[row] == 0
        else:
            assert above < row < weights.end[above]
            assert weights.depth[row] == weights.depth[above] + 1
            assert weights.held[row] <= weights.held[above]
        before = [each for each in range(row) if weights.parent[each] == weights.parent[row]]
        assert all(weights.held[each] >= weights.held[row] for each in before)
