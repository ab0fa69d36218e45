"""Dominators and retained sizes: against taking objects out and searching again, and kernels against plain code."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.heap.dominator_build import find_dominators
from parsers.heap.dominators import NOT_REACHED, ROOTS, dominators, retained_sizes

NONE = 0xFFFF_FFFF
Graph = tuple[list[list[int]], list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """References of each object, with loops and repetitions, and roots."""
    count = draw(st.integers(1, 12))
    number = st.integers(0, count - 1)
    return (
        draw(st.lists(st.lists(number, max_size=4), min_size=count, max_size=count)),
        draw(st.lists(number, max_size=4)),
    )


def reached(graph: Graph, without: int = -1) -> set[int]:
    successors, roots = graph
    found: set[int] = set()
    left = [root for root in roots if root != without]
    while left:
        object = left.pop()
        if object not in found:
            found.add(object)
            left += [target for target in successors[object] if target != without]
    return found


def by_kernels(graph: Graph, types: list[int], classes: list[int], sizes: list[int]) -> tuple[list[int], list[int]]:
    successors, roots = graph
    firsts = np.cumsum([0, *(len(each) for each in successors)]).astype(np.uint32)
    targets = np.array([target for each in successors for target in each], np.uint32)
    above, retained = np.zeros(len(sizes), np.uint32), np.zeros(len(sizes), np.int64)
    arrays = (np.array(each, np.uint32) for each in (classes, types, roots, sizes))
    find_dominators(firsts, targets, *arrays, 1, above, retained)
    return above.tolist(), retained.tolist()


@given(graphs())
def test_what_an_object_retains_is_what_is_lost_without_it(graph: Graph) -> None:
    retained = retained_sizes(dominators(*graph), [1] * len(graph[0]))
    whole = reached(graph)
    assert retained == [
        len(whole - reached(graph, without=object)) if object in whole else 0 for object in range(len(graph[0]))
    ]


@settings(deadline=None)
@given(graphs(), st.data())
def test_kernels_find_the_same_dominators(graph: Graph, data: st.DataObject) -> None:
    successors, roots = graph
    number = st.integers(0, len(successors) - 1)
    types = data.draw(st.lists(st.integers(0, 2), min_size=len(successors), max_size=len(successors)))
    classes = data.draw(st.lists(st.one_of(st.just(NONE), number), min_size=3, max_size=3))
    sizes = data.draw(st.lists(st.integers(0, 99), min_size=len(successors), max_size=len(successors)))
    with_classes = [
        [*each, *([classes[type]] if classes[type] != NONE else [])]
        for each, type in zip(successors, types, strict=True)
    ]
    expected = dominators(with_classes, roots)
    assert by_kernels(graph, types, classes, sizes) == (expected, retained_sizes(expected, sizes))


def test_a_reference_to_what_is_not_there_leads_nowhere() -> None:
    assert by_kernels(([[NONE, 1], [NONE]], [0, 0]), [0, 0], [NONE], [5, 7]) == ([ROOTS, 0], [12, 7])


def test_nothing_is_reached_without_roots() -> None:
    assert by_kernels(([[1], [0]], []), [0, 0], [NONE], [5, 7]) == ([NOT_REACHED] * 2, [0, 0])


def test_a_list_of_a_million_objects_is_no_recursion() -> None:
    count = 1_000_000
    firsts = np.minimum(np.arange(count + 1), count - 1).astype(np.uint32)
    targets = np.arange(1, count, dtype=np.uint32)
    above, retained = np.zeros(count, np.uint32), np.zeros(count, np.int64)
    none, zero = np.array([NONE], np.uint32), np.zeros(1, np.uint32)
    sizes = np.ones(count, np.uint32)
    find_dominators(firsts, targets, none, np.zeros(count, np.uint32), zero, sizes, 1, above, retained)
    assert above[:3].tolist() == [ROOTS, 0, 1]
    assert retained[0] == count and retained[-1] == 1
