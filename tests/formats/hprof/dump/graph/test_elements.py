"""Elements of arrays and what collections hold, one by one and many at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.heapdump.collections.contents import LOST, Entries, Step, Walk, part, pieces, walked
from parsers.heapdump.collections.walk import pair_entries
from parsers.heapdump.graph.elements import NULL, Elements

SLICES = st.tuples(st.integers(0, 300), st.integers(0, 300))


def elements(taken: list[bool]) -> Elements:
    """An array whose element of index i is the object 1000 + i, or null."""
    places = [index for index, is_there in enumerate(taken) if is_there]
    objects = np.array([1000 + index for index in places], np.int64)
    has_nulls = len(places) < len(taken)
    target = lambda site: int(objects[site - 5])  # noqa: E731
    targets = lambda sites: objects[sites.start - 5 : sites.stop - 5]  # noqa: E731
    return Elements(len(taken), 5, places if has_nulls else None, target, targets)


@given(st.lists(st.booleans(), max_size=300), SLICES)
def test_many_elements_are_what_they_are_one_by_one(taken: list[bool], bounds: tuple[int, int]) -> None:
    array = elements(taken)
    expected = [1000 + index if is_there else NULL for index, is_there in enumerate(taken)]
    assert array[slice(*bounds)] == expected[slice(*bounds)]
    assert [array[index] for index in range(len(array))] == expected


@given(st.lists(st.booleans(), max_size=300))
def test_pairs_of_elements_are_entries_where_one_of_them_is_there(taken: list[bool]) -> None:
    every = [1000 + index if is_there else NULL for index, is_there in enumerate(taken)]
    pairs = [(every[at], every[at + 1] if at + 1 < len(every) else NULL) for at in range(0, len(every), 2)]
    assert list(pair_entries(elements(taken))) == [pair for pair in pairs if pair != (NULL, NULL)]


def test_distant_pairs_are_found_without_reading_bytes_between() -> None:
    array = Elements(1 << 40, 0, [2, (1 << 40) - 1], lambda site: 7 + site)
    assert list(pair_entries(array)) == [(7, NULL), (NULL, 8)]


def steps(walk: Walk) -> Iterator[Step]:
    """Entries one by one, and some together."""
    yield 1, 11
    yield Entries(np.array([2, 3], np.int64), np.array([12, 13], np.int64))
    yield 4, 14


def test_entries_read_together_keep_their_order_among_single_ones() -> None:
    found = walked("map", steps, 4, 100)
    assert found.keys is not None
    assert list(found.keys[0:4]) == [found.keys[place] for place in range(4)] == [1, 2, 3, 4]
    assert list(found.values[1:3]) == [12, 13]
    assert not found.damage


def test_entries_that_are_not_there_are_lost_one_by_one_and_together() -> None:
    found = walked("map", steps, 1000, 1000)
    assert list(found.values[2:6]) == [13, 14]
    assert len(found) == 4
    many = part(6, lambda places: range(6)[places][:1])
    assert many[2:5] == [2, LOST, LOST]


def test_many_values_are_read_piece_by_piece() -> None:
    values = part(100_000, lambda places: range(0, 200_000, 2)[places])
    found = list(pieces(values, 70_000))
    assert sum(len(each) for _, each in found) == 70_000
    assert all(list(each) == list(range(2 * start, 2 * (start + len(each)), 2)) for start, each in found)
