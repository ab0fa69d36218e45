"""Suspects of a heap: the objects that retain most, and their contents."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from plain_dominators import retained_sizes

from parsers.graph.dominator_tree.semi_nca import NOT_REACHED, ROOTS
from parsers.heapdump.dominators.suspects import NOWHERE, find_suspects, mark_dominated
from parsers.kernels.compiled import compiled as compiled_kernel

A, B, C, D = range(4)


def suspects(dominators: list[int], sizes: list[int], types: list[int], least: int) -> list[tuple[int, int]]:
    retained = np.array(retained_sizes(dominators, sizes), np.int64)
    large = np.flatnonzero(retained >= least)
    found = find_suspects(
        large, np.array(dominators, np.int64)[large], retained[large], np.array(types, np.int64)[large], least
    )
    return list(zip(found.objects.tolist(), found.retained_bytes.tolist(), strict=True))


def test_of_a_chain_of_owners_the_last_one_is_suspected() -> None:
    # A class, its map, the table of that, ten entries.
    assert suspects([ROOTS, 0, 1, *[2] * 10], [1] * 13, [A, B, C, *[D] * 10], least=5) == [(2, 11)]


def test_two_caches_of_one_owner_are_two_suspects_and_the_owner_is_none() -> None:
    dominators = [ROOTS, 0, 0, *[1] * 6, *[2] * 9]
    assert suspects(dominators, [1] * 18, [A, B, C, *[D] * 15], least=5) == [(2, 10), (1, 7)]


def test_an_owner_that_holds_much_beside_its_largest_part_is_suspected_too() -> None:
    dominators = [ROOTS, 0, *[1] * 6, *[0] * 7]
    assert suspects(dominators, [1] * 15, [A, B, *[D] * 13], least=5) == [(0, 8), (1, 7)]


def test_the_nodes_of_a_list_are_one_suspect() -> None:
    # A list, its twenty nodes one after the other.
    assert suspects([ROOTS, *range(20)], [1] * 21, [A, *[B] * 20], least=5) == [(1, 20)]


def test_nodes_of_two_alternating_classes_are_one_suspect() -> None:
    assert suspects([ROOTS, *range(20)], [1] * 21, [A, *[B, C] * 10], least=5) == [(2, 19)]


def test_the_nodes_of_a_search_tree_are_one_suspect() -> None:
    dominators = [ROOTS, *((node - 1) // 2 for node in range(1, 31))]
    assert suspects(dominators, [1] * 31, [A] * 31, least=4) == [(0, 31)]


def test_small_objects_are_no_suspects() -> None:
    assert suspects([ROOTS] * 9, [1] * 9, [A] * 9, least=2) == []


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    """Draws dominators of objects, each before the object itself; or it is not reached."""
    count = draw(st.integers(1, 30))
    return [draw(st.sampled_from((ROOTS, NOT_REACHED, *range(number)))) if number else ROOTS for number in range(count)]


@given(trees(), st.data())
def test_no_byte_is_retained_by_two_suspects(dominators: list[int], data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=len(dominators), max_size=len(dominators)))
    types = data.draw(st.lists(st.integers(0, 2), min_size=len(dominators), max_size=len(dominators)))
    least = data.draw(st.integers(1, 10))
    retained_bytes = suspects(dominators, sizes, types, least)
    assert all(bytes >= least for _, bytes in retained_bytes)
    reached = sum(size for above, size in zip(dominators, sizes, strict=True) if above != NOT_REACHED)
    assert sum(bytes for _, bytes in retained_bytes) <= reached


@given(trees(), st.data())
def test_an_object_is_marked_by_the_nearest_suspect_above_it(dominators: list[int], data: st.DataObject) -> None:
    suspected = data.draw(st.lists(st.integers(0, len(dominators) - 1), unique=True, max_size=4))
    expected = []
    for object in range(len(dominators)):
        at = object
        while at not in suspected and dominators[at] < ROOTS:
            at = dominators[at]
        expected.append(suspected.index(at) + 1 if at in suspected else NOWHERE)
    plain = [0] * len(dominators)
    for number, object in enumerate(suspected, 1):
        plain[object] = number
    compiled = np.array(plain, np.uint8)
    mark_dominated(dominators, plain)
    above = np.array(dominators, np.uint32)
    compiled_kernel(mark_dominated)(above, compiled)
    assert plain == compiled.tolist() == expected
