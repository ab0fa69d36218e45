"""Calls of a CSV set by calling method, and their possible targets, as arrays. Plain twin: `graph`.

A call with several possible targets has the number of a list of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.csv.read.name_kernel import NONE
from parsers.kernels.decorators import int64, kernel

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.names import CallTable
    from parsers.model.arrays import U8Array, U32Array


@kernel
def find_first(members: U32Array, place: U32Array) -> None:
    """Finds the first place of each method as a member. place: uint32 by method, NONE; filled"""
    for at in range(len(members)):
        if place[members[at]] == NONE:
            place[members[at]] = at


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
