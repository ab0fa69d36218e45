"""Calls of a CSV set by calling method, and their possible targets, as arrays. Plain twin: `graph`.

A call with several possible targets has the number of a list of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.csv.read.name_kernel import NONE
from parsers.kernels.decorators import int64, kernel, uint32

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.names import CallTable
    from parsers.model.arrays import I64Array, U8Array, U32Array


@kernel
def count_groups(keys: U32Array, first: U32Array) -> None:
    """Finds the starts of groups, if their members are sorted by group.

    keys  uint32: the group of each; first uint32[m+1], zero: filled
    """
    for key in keys:
        first[key + uint32(1)] += uint32(1)
    for group in range(1, len(first)):
        first[group] += first[group - 1]


@kernel
def find_first(members: U32Array, place: U32Array) -> None:
    """Finds the first place of each method as a member. place: uint32 by method, NONE; filled"""
    for at in range(len(members)):
        if place[members[at]] == NONE:
            place[members[at]] = at


@kernel
def find_numbers(numbers: U32Array, ids: I64Array, found: U32Array) -> int:
    """Looks up some ids, int64: found uint32, NONE if missing; returns the number of missing ones."""
    unknown = 0
    for row in range(len(ids)):
        number = numbers[ids[row]] if ids[row] < len(numbers) else NONE
        found[row] = number
        unknown += number == NONE
    return unknown


@kernel
def count_expanded(flag: U8Array, list_first: U32Array) -> int:
    """Returns the number of printed calls: a direct call counts for each of its targets."""
    total: int = int64(0)
    for call in range(len(flag)):
        total += int64(list_first[call + 1]) - int64(list_first[call]) if flag[call] else 1
    return total


@kernel
def expand_calls(
    caller: U32Array, target: U32Array, bci: U32Array, flag: U8Array, list_first: U32Array, members: U32Array,
    name_of: U32Array, callers: U32Array, to: U32Array, list: U32Array, code: U32Array,
) -> None:  # fmt: skip
    """Expands each invoke to its printed calls. callers, to, list, code: uint32, filled as `CallTable`"""
    at = 0
    for call in range(len(flag)):
        if not flag[call]:
            callers[at], to[at], list[at], code[at] = caller[call], name_of[target[call]], call, bci[call]
            at += 1
            continue
        for place in range(int64(list_first[call]), int64(list_first[call + 1])):
            callers[at], to[at], list[at], code[at] = caller[call], members[place], NONE, bci[call]
            at += 1


@kernel
def take_calls(
    calls: CallTable, order: U32Array, to: U32Array, list: U32Array, bci: U32Array, begin: int, end: int,
) -> None:  # fmt: skip
    """Fills the calls begin … end of new columns in the order of `order`."""
    for place in range(begin, end):
        call = order[place]
        to[place] = calls.to[call]
        list[place] = calls.list[call]
        bci[place] = calls.bci[call]
