"""The printer's order of calls and their possible targets: by names, by bytecode indexes. Plain twin: `graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.kernel import COMMA, DOT
from parsers.formats.graalvm.csv.read.graph import SAMPLED
from parsers.formats.graalvm.csv.read.kernel import STRANGE_BCI
from parsers.formats.graalvm.csv.read.name_kernel import NONE
from parsers.kernels.decorators import apart, int64, kernel, part
from parsers.kernels.vector import differ64, lowest_bit, prefetch

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.names import CallTable, CsvNameTable
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

AHEAD = 12
FEW = 24
"""Up to this many calls of a method are sorted by insertion."""
RIGHT, COLON, BLANK = ord(")"), ord(":"), ord(" ")


@part
def write_key(starts: U64Array, blob: U8Array, openings: U32Array, name: int, key: U8Array) -> int:
    """Writes a method up to the end of its parameters, types without packages; returns the length. Twin: `sort_key`."""
    start, stop = int64(starts[name]), int64(starts[name + 1])
    opening = start + int64(openings[name])
    length = 0
    for at in range(start, min(opening + 1, stop)):
        key[length] = blob[at]
        length += 1
    if opening == stop:
        return length
    close = stop - 2
    while not (blob[close] == RIGHT and blob[close + 1] == COLON):
        close -= 1
    type = length
    for at in range(opening + 1, close):
        sign = blob[at]
        if sign == BLANK and at > opening + 1 and blob[at - 1] == COMMA:
            key[length] = sign
            length += 1
            type = length
        elif sign == DOT:
            length = type
        else:
            key[length] = sign
            length += 1
    return length


@part
def compare_texts(first: U8Array, start: int, length: int, second: U8Array, other: int, size: int) -> int:
    """Negative, 0 or positive if the first of two texts sorts before, with or after the second."""
    done = 0
    least = min(length, size)
    while done < least:
        mask = differ64(first, start + done, second, other + done)
        if mask:
            at = done + lowest_bit(mask)
            if at < least:
                sign: int = int64(first[start + at]) - int64(second[other + at])
                return sign
        done += 64
    return length - size


@apart
def compare_keys(starts: U64Array, blob: U8Array, openings: U32Array, first: int, second: int, keys: U8Array) -> int:
    """Compares two methods by their keys and, if these are equal, by whole names. keys: uint8[2, n], work array."""
    start, other = int64(starts[first]), int64(starts[second])
    length, size = int64(starts[first + 1]) - start, int64(starts[second + 1]) - other
    written = write_key(starts, blob, openings, first, keys[0])
    found = compare_texts(keys[0], 0, written, keys[1], 0, write_key(starts, blob, openings, second, keys[1]))
    return found if found else compare_texts(blob, start, length, blob, other, size)


@part
def compare_names(names: CsvNameTable, first: int, second: int, keys: U8Array) -> int:
    """Negative, 0 or positive if a method is printed before, with or after another one, by their names. Most differ
    before the parenthesis."""
    if first == second:
        return 0
    start, other = int64(names.starts[first]), int64(names.starts[second])
    least = min(int64(names.opening[first]), int64(names.opening[second]))
    found = compare_texts(names.blob, start, least, names.blob, other, least)
    return found if found else compare_keys(names.starts, names.blob, names.opening, first, second, keys)


@part
def bci_sign(calls: CallTable, code: int, place: int) -> int:
    """Returns a byte of bytecode indexes as written; -1 after the last one."""
    if code >= STRANGE_BCI:
        text = code - STRANGE_BCI
        start = int64(calls.strange_start[text])
        return int64(calls.strange[start + place]) if start + place < calls.strange_start[text + 1] else -1
    digits = 1
    power = 10
    while code >= power:
        power *= 10
        digits += 1
    if place >= digits:
        return -1
    for _ in range(place + 1):
        power //= 10
    return 0x30 + code // power % 10


@part
def first_bci(calls: CallTable, code: int) -> int:
    """Returns the first of the bytecode indexes of a call."""
    value: int = calls.strange_first[code - STRANGE_BCI] if code >= STRANGE_BCI else int64(code)
    return value


@apart
def compare_calls(
    calls: CallTable, names: CsvNameTable, name_of: U32Array, first: int, second: int, by_bci: bool, keys: U8Array
) -> int:
    """Negative if the first of two calls of a method is printed before the second, else positive. Twins: `bci_order`,
    `name_order`."""
    code, other = int64(calls.bci[first]), int64(calls.bci[second])
    place, there = first_bci(calls, code), first_bci(calls, other)
    if by_bci and place != there:
        return -1 if place < there else 1
    name = int64(calls.to[first] if calls.list[first] != NONE else name_of[calls.to[first]])
    named = int64(calls.to[second] if calls.list[second] != NONE else name_of[calls.to[second]])
    found = compare_names(names, name, named, keys)
    if found:
        return found
    if place != there:
        return -1 if place < there else 1
    if code != other:
        at = 0
        while True:
            sign, signed = bci_sign(calls, code, at), bci_sign(calls, other, at)
            if sign != signed:
                return sign - signed
            if sign < 0:
                break
            at += 1
    return first - second


@part
def comes_before(
    calls: CallTable, names: CsvNameTable, name_of: U32Array, first: int, second: int, by_bci: bool, keys: U8Array
) -> bool:
    """Returns True if the first of two calls of a method is printed before the second."""
    return compare_calls(calls, names, name_of, first, second, by_bci, keys) < 0


@part
def sort_few(bcis: U32Array, order: U32Array, begin: int, stop: int) -> bool:
    """Sorts a few calls by their bytecode indexes; False if these don't decide, and the calls are in any order."""
    if stop - begin > FEW:
        return False
    for place in range(begin, stop):
        call = order[place]
        code = bcis[call]
        if code >= STRANGE_BCI:
            return False
        at = place
        while at > begin and bcis[order[at - 1]] >= code:
            if bcis[order[at - 1]] == code:
                # Each call must be kept.
                order[at] = call
                return False
            order[at] = order[at - 1]
            at -= 1
        order[at] = call
    return True


@part
def sort_some(
    calls: CallTable, names: CsvNameTable, name_of: U32Array, order: U32Array, begin: int, stop: int, by_bci: bool,
    merged: U32Array, keys: U8Array,
) -> None:  # fmt: skip
    """Sorts the calls order[begin:stop]: a few at a time by insertion, then by merging. merged: work array"""
    for first in range(begin, stop, FEW):
        for place in range(first + 1, min(first + FEW, stop)):
            call = int64(order[place])
            at = place
            while at > first and comes_before(calls, names, name_of, call, int64(order[at - 1]), by_bci, keys):
                order[at] = order[at - 1]
                at -= 1
            order[at] = call
    width = FEW
    while width < stop - begin:
        for first in range(begin, stop, 2 * width):
            middle, end = min(first + width, stop), min(first + 2 * width, stop)
            left, right = first, middle
            for place in range(first - begin, end - begin):
                takes_left = left < middle and (
                    right == end
                    or comes_before(calls, names, name_of, int64(order[left]), int64(order[right]), by_bci, keys)
                )
                merged[place] = order[left if takes_left else right]
                left += takes_left
                right += not takes_left
        for place in range(stop - begin):
            order[begin + place] = merged[place]
        width *= 2


@kernel
def sort_calls(
    calls: CallTable, names: CsvNameTable, name_of: U32Array, first: U32Array, order: U32Array, begin: int, end: int,
    by_bci: bool, merged: U32Array, keys: U8Array,
) -> None:  # fmt: skip
    """Sorts the calls of each of the methods begin … end as the printer does.

    calls    `names.CallTable`; name_of uint32 by method
    first    uint32[m+1], order uint32[n]: the calls by method, sorted in place
    merged   uint32, work array with a place for each call of a method; keys uint8[2, n]: one for two names
    """
    bcis = calls.bci
    for method in range(begin, end):
        start, stop = int64(first[method]), int64(first[method + 1])
        if stop - start < 2 or (by_bci and sort_few(bcis, order, start, stop)):
            continue
        sort_some(calls, names, name_of, order, start, stop, by_bci, merged, keys)


@part
def is_before(
    names: CsvNameTable, name_of: U32Array, id_of: I64Array, members: U32Array, first: int, second: int, keys: U8Array
) -> bool:
    """Returns True if one member of a list is printed before another one."""
    left, right = members[first], members[second]
    found = compare_names(names, int64(name_of[left]), int64(name_of[right]), keys)
    return found < 0 if found else id_of[left] < id_of[right]


@part
def ask_for(names: CsvNameTable, name_of: U32Array, members: U32Array, start: int, stop: int) -> None:
    """Prefetches memory that comparing members reads, in steps, each of which needs the one before."""
    for at in range(start, stop):
        prefetch(name_of, int64(members[at]))
    for at in range(start, stop):
        prefetch(names.starts, int64(name_of[members[at]]))
        prefetch(names.opening, int64(name_of[members[at]]))
    for at in range(start, stop):
        place = int64(names.starts[int64(name_of[members[at]])])
        prefetch(names.blob, place)
        prefetch(names.blob, place + 64)


@apart
def sift_member(
    names: CsvNameTable, name_of: U32Array, id_of: I64Array, members: U32Array, start: int, root: int, count: int,
    keys: U8Array,
) -> None:  # fmt: skip
    """Sifts a member down in a heap."""
    while True:
        child = 2 * root + 1
        if child >= count:
            return
        if child + 1 < count and is_before(names, name_of, id_of, members, start + child, start + child + 1, keys):
            child += 1
        if not is_before(names, name_of, id_of, members, start + root, start + child, keys):
            return
        members[start + child], members[start + root] = members[start + root], members[start + child]
        root = child


@kernel
def sort_members(
    names: CsvNameTable, name_of: U32Array, id_of: I64Array, first: U32Array, members: U32Array, begin: int, end: int,
    keys: U8Array,
) -> None:  # fmt: skip
    """Sorts the methods of each of the lists begin … end as the printer does: by name, then by id.

    first uint32[n+1], members uint32: the lists
    """
    for list in range(begin, end):
        start, count = int64(first[list]), int64(first[list + 1]) - int64(first[list])
        if count > 1:
            ask_for(names, name_of, members, start, start + count)
        if count <= FEW:
            for last in range(1, count):
                at = start + last
                while at > start and is_before(names, name_of, id_of, members, at, at - 1, keys):
                    members[at - 1], members[at] = members[at], members[at - 1]
                    at -= 1
            continue
        for root in range(count // 2 - 1, -1, -1):
            sift_member(names, name_of, id_of, members, start, root, count, keys)
        for last in range(count - 1, 0, -1):
            members[start], members[start + last] = members[start + last], members[start]
            sift_member(names, name_of, id_of, members, start, 0, last, keys)


@kernel
def count_broken(
    calls: CallTable, names: CsvNameTable, name_of: U32Array, id_of: I64Array, is_other: U8Array, first: U32Array,
    order: U32Array, lowest: I64Array, most: int, chosen: U32Array, merged: U32Array, keys: U8Array, broken: I64Array,
) -> None:  # fmt: skip
    """Counts decreases in the ids of newly reached methods within a caller, with calls by name, and by bytecode index.

    is_other  uint8 by method: 1 if it may be reached first by another kind of call
    lowest    int64 by method, filled with the highest number: overwritten
    most     callers with ids below this are examined, of others each SAMPLED-th id
    chosen, merged  uint32, work arrays with a place for each call of a method
    broken    int64[2]: filled. Twin: `is_by_bci`
    """
    methods = len(first) - 1
    for method in range(methods):
        for place in range(first[method], first[method + 1]):
            if place + AHEAD < len(order):
                prefetch(lowest, int64(calls.to[order[place + AHEAD]]))
            call = order[place]
            if calls.list[call] == NONE:
                callee = calls.to[call]
                lowest[callee] = min(lowest[callee], id_of[method])
    for method in range(methods):
        if id_of[method] >= most and id_of[method] % SAMPLED:
            continue
        count = 0
        for place in range(first[method], first[method + 1]):
            call = order[place]
            if calls.list[call] == NONE:
                callee = calls.to[call]
                if lowest[callee] == id_of[method] and not is_other[callee]:
                    chosen[count] = call
                    count += 1
        for by_bci in range(2):
            sort_some(calls, names, name_of, chosen, 0, count, by_bci == 1, merged, keys)
            for place in range(1, count):
                broken[by_bci] += id_of[calls.to[chosen[place]]] < id_of[calls.to[chosen[place - 1]]]
