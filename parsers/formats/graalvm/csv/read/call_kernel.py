"""Calls of a CSV set by the method that makes them, and what they may mean, as arrays. Plain twin: `graph`.

A call that may mean several methods has the number of a list of them.
"""

from __future__ import annotations

from typing import Any

from parsers.formats.graalvm.csv.read.name_kernel import NONE
from parsers.kernels.decorators import int64, kernel, uint32


@kernel
def group_calls(caller: Any, first: Any, cursor: Any, order: Any) -> None:
    """Sorts calls by the method that makes them, those of one in the order they come in.

    caller  uint32[n]; order uint32[n], filled: the calls by caller
    first   uint32[m+1], zero: filled with where those of each begin; cursor uint32[m]: used up
    """
    for call in range(len(caller)):
        first[caller[call] + uint32(1)] += uint32(1)
    for method in range(1, len(first)):
        first[method] += first[method - 1]
    for method in range(len(cursor)):
        cursor[method] = first[method]
    for call in range(len(caller)):
        place = cursor[caller[call]]
        order[place] = call
        cursor[caller[call]] = place + uint32(1)


@kernel
def count_groups(keys: Any, first: Any) -> None:
    """Where the members of each group begin, if they come in the order of their groups.

    keys  uint32: the group of each; first uint32[m+1], zero: filled
    """
    for key in keys:
        first[key + uint32(1)] += uint32(1)
    for group in range(1, len(first)):
        first[group] += first[group - 1]


@kernel
def find_first(members: Any, place: Any) -> None:
    """Where each method is a member first. place: uint32 by method, NONE; filled"""
    for at in range(len(members)):
        if place[members[at]] == NONE:
            place[members[at]] = at


@kernel
def find_numbers(numbers: Any, ids: Any, found: Any) -> int:
    """What is kept under some ids, int64: found uint32, NONE where nothing is; gives how many these are."""
    unknown = 0
    for row in range(len(ids)):
        number = numbers[ids[row]] if ids[row] < len(numbers) else NONE
        found[row] = number
        unknown += number == NONE
    return unknown


@kernel
def count_expanded(flag: Any, list_first: Any) -> int:
    """How many calls are printed: a direct one for each method that it means."""
    total: int = int64(0)
    for call in range(len(flag)):
        total += int64(list_first[call + 1]) - int64(list_first[call]) if flag[call] else 1
    return total


@kernel
def expand_calls(
    caller: Any, target: Any, bci: Any, flag: Any, list_first: Any, members: Any, name_of: Any, callers: Any, to: Any,
    list: Any, code: Any,
) -> None:  # fmt: skip
    """Makes of each invoke the calls that are printed of it. callers, to, list, code: uint32, filled as `CallTable`"""
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
def take_calls(calls: Any, order: Any, to: Any, list: Any, bci: Any, begin: int, end: int) -> None:
    """Fills the calls begin … end of new columns with those that `order` says."""
    for place in range(begin, end):
        call = order[place]
        to[place] = calls.to[call]
        list[place] = calls.list[call]
        bci[place] = calls.bci[call]
