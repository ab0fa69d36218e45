"""Numbers of ids, for kernels: hash tables of 2^k slots with linear probing. At most half of the slots are used.

An `IdTable` stores any ids with any numbers. Where the ids are in an array by number anyway, `number_of_key` takes that
array and a table of numbers alone: uint32[2^k], 0: free; else a number + 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.kernels.decorators import int64, kernel, part, uint64

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

MIX = uint64(0x9E3779B97F4A7C15)
HALF, LOWER = uint64(32), uint64(0xFFFF_FFFF)
"""Bits of half a number, and those of the lower half."""
FEWEST = 1 << 10
"""Slots of the smallest table."""


class IdTable(NamedTuple):
    """Ids and their numbers, which are below 0xFFFFFFFF."""

    ids: AnyArray
    """int64 or uint64[2^k]"""
    numbers: U32Array
    """uint32[2^k]: number + 1; 0: the slot is free"""
    used: I64Array
    """int64[1]: number of ids"""


def new_ids(dtype: Any = np.int64, capacity: int = 0, used: I64Array | None = None) -> IdTable:
    """Returns an empty table for so many ids. used: the count of another table that is moved to it"""
    slots = max(FEWEST, 1 << (4 * capacity).bit_length())
    return IdTable(np.zeros(slots, dtype), np.zeros(slots, np.uint32), np.zeros(1, np.int64) if used is None else used)


def larger_ids(table: IdTable, capacity: int) -> IdTable:
    """Returns a larger table of the same ids, with capacity for so many."""
    larger = new_ids(table.ids.dtype, capacity, table.used)
    move_ids(table, larger)
    return larger


def with_capacity(table: IdTable, more: int) -> IdTable:
    """Returns a table of the same ids with capacity for more; the same table if it has that."""
    needed = int(table.used[0]) + more
    return table if 2 * needed <= len(table.ids) else larger_ids(table, needed)


@part
def first_slot(id: int, slots: int) -> int:
    """Returns the first slot to probe. id: any number of 64 bits; slots: 2^k"""
    mixed = uint64(id) * MIX
    return int64((mixed ^ (mixed >> HALF)) & uint64(slots - 1))


@part
def free_slot(slots: AnyArray, slot: int) -> int:
    """Returns the first slot with 0 from a slot on."""
    at = int64(slot)
    while slots[at] != 0:
        at = (at + 1) & (len(slots) - 1)
    return at


@part
def slot_of(table: IdTable, id: int) -> int:
    """Returns the slot of an id, or the free slot for it."""
    ids, numbers = table.ids, table.numbers
    slot = first_slot(id, len(ids))
    while numbers[slot] != 0 and ids[slot] != id:
        slot = (slot + 1) & (len(ids) - 1)
    return slot


@part
def number_in(table: IdTable, id: int) -> int:
    """Returns the number of an id; -1 if the table has none."""
    return int64(table.numbers[slot_of(table, id)]) - 1


@part
def put_number(table: IdTable, id: int, number: int) -> None:
    """Sets the number of an id, which may be new."""
    slot = slot_of(table, id)
    if table.numbers[slot] == 0:
        table.ids[slot] = id
        table.used[0] += 1
    table.numbers[slot] = number + 1


@kernel
def number_ids(table: IdTable, ids: AnyArray, first: int) -> None:
    """Numbers ids from `first` on. The table has capacity for them."""
    for place in range(len(ids)):
        put_number(table, ids[place], first + place)


@kernel
def move_ids(table: IdTable, larger: IdTable) -> None:
    """Fills a larger, empty table with the ids of another one, whose count it has already."""
    for old in range(len(table.ids)):
        if table.numbers[old] != 0:
            slot = slot_of(larger, table.ids[old])
            larger.ids[slot] = table.ids[old]
            larger.numbers[slot] = table.numbers[old]


@part
def number_of_key(slots: U32Array, keys: AnyArray, key: int, count: int) -> int:
    """Returns the number of a key. If it is new, that is `count`, and the key is appended to `keys`.

    slots  uint32[2^k]: number + 1; 0: free
    keys   by number
    """
    slot = first_slot(key, len(slots))
    while slots[slot] != 0:
        number = int64(slots[slot]) - 1
        if keys[number] == key:
            return number
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = count + 1
    keys[count] = key
    return int64(count)


@kernel
def fill_slots(slots: U32Array, keys: AnyArray, count: int) -> None:
    """Fills an empty table of `number_of_key`."""
    for number in range(count):
        slots[free_slot(slots, first_slot(keys[number], len(slots)))] = number + 1
