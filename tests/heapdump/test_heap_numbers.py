"""Objects by their ids, in heaps of every density."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.heapdump.tables.numbers import ObjectNumbers

NONE = 0xFFFF_FFFF
addresses = st.lists(st.integers(0, 5000).map(lambda place: 0xE000_0000 + 8 * place), min_size=1, max_size=200)
anything = st.lists(st.integers(1, (1 << 64) - 1), max_size=50)


@given(st.one_of(addresses, anything), anything)
def test_ids_are_found_and_others_are_not(ids: list[int], others: list[int]) -> None:
    expected = {id: number for number, id in enumerate(ids)}
    numbers = ObjectNumbers(np.array(ids, np.uint64))
    asked = [*ids, *others, *(id + 1 for id in ids if id < (1 << 64) - 1)]
    assert numbers.find(np.array(asked, np.uint64)).tolist() == [expected.get(id, NONE) for id in asked]
    assert numbers.count == len(expected)
    assert numbers.order.tolist() == [expected[id] for id in sorted(expected)]


def test_a_heap_of_many_pages_in_two_halves() -> None:
    ids = 0x7_0000_0000 + 16 * np.random.default_rng(1).permutation(200_000).astype(np.uint64)
    numbers = ObjectNumbers(ids)
    assert (numbers.find(ids) == np.arange(len(ids))).all()
    assert (numbers.find(ids + np.uint64(8)) == NONE).all()
