"""Hash tables of ids against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.kernels.id_table import IdTable, fill_slots, larger_ids, new_ids, number_ids, with_capacity

WORD = (1 << 64) - 1
ids_of_any_kind = st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 3).map(lambda id: id << 12))


def first_slot(id: int, slots: int) -> int:
    mixed = (id & WORD) * 0x9E3779B97F4A7C15 & WORD
    return (mixed ^ mixed >> 32) & slots - 1


def number_in(table: IdTable, id: int) -> int:
    slot = first_slot(id, len(table.ids))
    while table.numbers[slot] and table.ids[slot] != id:
        slot = slot + 1 & len(table.ids) - 1
    return int(table.numbers[slot]) - 1


@given(ids_of_any_kind, st.booleans())
def test_each_id_has_the_number_it_was_given_last(ids: list[int], is_moved: bool) -> None:
    table = new_ids(capacity=len(ids))
    number_ids(table, np.array(ids, np.int64), 7)
    if is_moved:
        table = larger_ids(table, 2 * len(table.ids))
    known = {id: 7 + place for place, id in enumerate(ids)}
    assert {id: number_in(table, id) for id in known} == known
    assert number_in(table, 5) == known.get(5, -1)
    assert table.used.tolist() == [len(known)]


@pytest.mark.parametrize("id", [0, 1 << 63, WORD])
def test_no_id_means_a_free_slot(id: int) -> None:
    table = new_ids(np.uint64)
    assert number_in(table, id) == -1
    number_ids(table, np.array([id], np.uint64), 0)
    assert number_in(table, id) == 0


def test_a_table_grows_when_more_than_half_of_its_slots_would_be_used() -> None:
    table = new_ids()
    number_ids(table, np.arange(500), 0)
    assert with_capacity(table, len(table.ids) // 2 - 500) is table
    larger = with_capacity(table, len(table.ids) // 2 - 499)
    assert len(larger.ids) > len(table.ids)
    assert [number_in(larger, id) for id in range(500)] == [*range(500)]


@given(st.sets(st.integers(0, WORD), max_size=60))
def test_slots_of_keys_lead_to_each_key(found: set[int]) -> None:
    keys, slots = np.array([*found], np.uint64), np.zeros(128, np.uint32)
    fill_slots(slots, keys, len(keys))
    assert sorted(slots.tolist()) == [0] * (128 - len(keys)) + [*range(1, len(keys) + 1)]
    for number, key in enumerate(keys.tolist()):
        slot = first_slot(key, 128)
        while slots[slot] != number + 1:
            assert slots[slot]
            slot = slot + 1 & 127
