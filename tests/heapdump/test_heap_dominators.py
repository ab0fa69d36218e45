"""Dominators and retained sizes: against taking objects out and searching again, and kernels against plain code."""

from __future__ import annotations

import numpy as np
from engines import engine
from hypothesis import given
from hypothesis import strategies as st
from plain_dominators import dominators, retained_sizes

from parsers.graph.dominator_tree.build import find_dominators
from parsers.graph.dominator_tree.semi_nca import NOT_REACHED, ROOTS
from parsers.heapdump.dominators import dominated
from parsers.heapdump.dominators.dominated import find_dominated
from parsers.kernels.compiled import compiled as compiled_kernel

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


def found_in(graph: Graph, types: list[int], classes: list[int], sizes: list[int]) -> tuple[list[int], list[int]]:
    successors, roots = graph
    firsts = np.cumsum([0, *(len(each) for each in successors)]).astype(np.uint32)
    targets = np.array([target for each in successors for target in each], np.uint32)
    arrays = (np.array(each, np.uint32) for each in (classes, types, roots, sizes))
    found = find_dominators(firsts, targets, *arrays)
    return found.dominators.tolist(), found.retained.tolist()


@given(graphs())
def test_the_retained_size_is_what_is_lost_without_the_object(graph: Graph) -> None:
    retained = retained_sizes(dominators(*graph), [1] * len(graph[0]))
    whole = reached(graph)
    assert retained == [
        len(whole - reached(graph, without=object)) if object in whole else 0 for object in range(len(graph[0]))
    ]


@given(graphs(), st.data())
def test_plain_code_and_kernels_find_the_dominators_of_another_algorithm(graph: Graph, data: st.DataObject) -> None:
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
    for has_kernels in (True, False):
        with engine(has_kernels):
            found = found_in(graph, types, classes, sizes)
        assert found == (expected, retained_sizes(expected, sizes))


def test_a_reference_to_a_missing_object_has_no_target() -> None:
    assert found_in(([[NONE, 1], [NONE]], [0, 0]), [0, 0], [NONE], [5, 7]) == ([ROOTS, 0], [12, 7])


def test_nothing_is_reached_without_roots() -> None:
    assert found_in(([[1], [0]], []), [0, 0], [NONE], [5, 7]) == ([NOT_REACHED] * 2, [0, 0])


def test_a_list_of_a_million_objects_is_no_recursion() -> None:
    count = 1_000_000
    firsts = np.minimum(np.arange(count + 1), count - 1).astype(np.uint32)
    targets = np.arange(1, count, dtype=np.uint32)
    none, zero = np.array([NONE], np.uint32), np.zeros(1, np.uint32)
    sizes = np.ones(count, np.uint32)
    found = find_dominators(firsts, targets, none, np.zeros(count, np.uint32), zero, sizes)
    assert found.dominators[:3].tolist() == [ROOTS, 0, 1]
    assert found.retained[0] == count and found.retained[-1] == 1


# -- what each object dominates, and what groups retain ---------------------------------------------------------------


def dominated_by(above: list[int], object: int) -> set[int]:
    """An object and all below it."""
    found = {object}
    while more := {each for each, over in enumerate(above) if over in found} - found:
        found |= more
    return found


@given(graphs(), st.data())
def test_a_group_retains_each_byte_below_its_objects_once(graph: Graph, data: st.DataObject) -> None:
    count = len(graph[0])
    above = dominators(*graph)
    sizes = data.draw(st.lists(st.integers(0, 99), min_size=count, max_size=count))
    types = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    groups = np.array([[0, 1, 2, 3], [0, 0, 1, 1]], np.uint32)
    retained = np.array(retained_sizes(above, sizes), np.int64)

    found = find_dominated(np.array(above, np.uint32), retained, np.array(types, np.uint32), groups)

    for grouping, of_type in enumerate(groups.tolist()):
        for group in set(of_type):
            members = [each for each in range(count) if of_type[types[each]] == group and above[each] != NOT_REACHED]
            below = set[int]().union(*(dominated_by(above, each) for each in members))
            assert found.sums[grouping, group] == sum(sizes[each] for each in below)


@given(graphs())
def test_objects_are_listed_below_their_dominators(graph: Graph) -> None:
    above = dominators(*graph)
    nothing, types = np.zeros(len(above), np.int64), np.zeros(len(above), np.uint32)
    found = find_dominated(np.array(above, np.uint32), nothing, types, np.zeros((1, 1), np.uint32))
    reached = [each for each in range(len(above)) if above[each] != NOT_REACHED]
    assert found.dominated.tolist() == sorted(reached, key=lambda each: (above[each], each))


@given(graphs(), st.data())
def test_kernels_give_the_same_for_groups(graph: Graph, data: st.DataObject) -> None:
    count = len(graph[0])
    above = dominators(*graph)
    retained = retained_sizes(above, data.draw(st.lists(st.integers(0, 99), min_size=count, max_size=count)))
    types = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    groups = data.draw(st.lists(st.integers(0, 3), min_size=8, max_size=8))
    plain = [[0] * (count + 3), [0] * count, [0] * 8]
    dominated.sort_by_dominator(above, plain[0], plain[1])
    dominated.add_groups(
        plain[0], plain[1], retained, types, groups, 2, [0] * 8, plain[2], [0] * (count + 1), [0] * (count + 1)
    )

    u4 = lambda values: np.array(values, np.uint32)  # noqa: E731
    starts, below, sums = np.zeros(count + 3, np.uint32), np.zeros(count, np.uint32), np.zeros(8, np.int64)
    compiled_kernel(dominated.sort_by_dominator)(u4(above), starts, below)
    room = [np.zeros(count + 1, np.uint32) for _ in range(2)]
    compiled_kernel(dominated.add_groups)(
        starts, below, np.array(retained), u4(types), u4(groups), 2, np.zeros(8, np.uint32), sums, *room
    )  # fmt: skip

    assert (below.tolist(), sums.tolist()) == (plain[1], plain[2])
