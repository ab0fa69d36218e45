"""Ways from roots to many objects, merged step by step: the loops, for lists or arrays; `merged_kernel` compiles them.

Each object that roots reach has a *holder*, the object that is the step before it on its shortest way, and a *key*: a
number for what of which class that step is, such as the field `value` of a `HashMap$Node`, or for the kind of its root.
"""

from __future__ import annotations

from typing import Any

from parsers.graph.dominator_tree.plain import NOT_REACHED

FROM_ROOT = 0xFFFF_FFFE
"""In place of a holder: a root leads to the object directly."""
LONGEST_ROUND = 4
"""Steps that may come again as one: `next` of a list, or `children`, `elementData`, `[]` of a tree."""
FEW = 300_000
"""Objects that are walked through by plain code before a kernel is worth its loading."""


def hold(
    data: Any, offsets: Any, owner: int, kinds: Any, types: Any, id_size: int, firsts: Any, targets: Any, ways: Any,
    fields: Any, places: Any, bases: Any, holders: Any, keys: Any,
) -> None:  # fmt: skip
    """Holders and keys of what some objects of a binary heap dump refer to, where such a reference is the last step.

    data            uint8: a piece of the file
    offsets         int64: where in it the sub-record of each object begins
    owner           the first of the objects
    kinds, types    uint8, uint32, of each: 0 instance, 1 array of objects, 2 of primitives, 3 class
    firsts          uint32, one more: where the references of each begin
    targets         uint32, by reference: an object, or NOT_REACHED for none
    ways            uint32, by object: the reference that is the last step of its way, or a number that none has
    fields, places  uint32: where those of a type begin in `places`: where in an instance's values references stand
    bases           uint32: by 2 * type the first key of instances or arrays, by 2 * type + 1 that of the class
    holders, keys   uint32, by object, filled
    """
    for number in range(len(kinds)):
        kind, type = kinds[number], types[number]
        reference, end = firsts[number], firsts[number + 1]
        if reference == end:
            continue
        if kind != 0:
            key = bases[2 * type + (kind == 3)]
            for each in range(reference, end):
                target = targets[each]
                if target != NOT_REACHED and ways[target] == each:
                    holders[target] = owner + number
                    keys[target] = key
                if kind == 3:
                    key += 1
            continue
        key = bases[2 * type]
        body = offsets[number] + 2 * id_size + 9
        length = 0
        if body <= len(data):
            for at in range(body - 4, body):
                length = length * 256 + data[at]
        length = min(length, len(data) - body)
        for field in range(fields[type], fields[type + 1]):
            place = places[field]
            if reference == end or place + id_size > length:
                break
            is_null = True
            for at in range(body + place, body + place + id_size):
                is_null = is_null and data[at] == 0
            if not is_null:
                target = targets[reference]
                if target != NOT_REACHED and ways[target] == reference:
                    holders[target] = owner + number
                    keys[target] = key
                reference += 1
            key += 1


def climb(
    at: Any, weights: Any, holders: Any, keys: Any, taken: Any, jumps: Any, table: Any, groups: Any, above: Any,
    met: Any, counts: Any, sums: Any,
) -> int:  # fmt: skip
    """Groups objects by the next steps of their ways; how many groups there are.

    The last steps taken, up to LONGEST_ROUND of them, are passed by as often as they come again.

    at        uint32[m]: where each of the ways has come to
    weights   int64[m]
    holders, keys  uint32, by object
    taken     uint32: the keys of the steps taken, the last one last
    jumps     uint32 by object, zeros: 1 + where one comes to from there, so that no way is gone twice
    table     uint32 by key, zeros: 1 + the group
    groups    uint32[m], filled
    above     uint32[m], filled: the holder behind the step; where a root is what comes next the object it leads to
    met       uint32 by group, filled: the key
    counts, sums  int64 by group, zeros; filled: ways, and their weights
    """
    found, count = 0, len(taken)
    for way in range(len(at)):
        end = at[way]
        for phase in range(2):
            object = at[way]
            while phase == 0 or object != end:
                following = object
                if jumps[object] != 0:
                    following = jumps[object] - 1
                for length in range(1, min(count, LONGEST_ROUND) + 1):
                    if following != object:
                        break
                    place, step = object, count - length
                    while step < count and holders[place] != FROM_ROOT and keys[place] == taken[step]:
                        place = holders[place]
                        step += 1
                    if step == count:
                        following = place
                if following == object:
                    break
                if phase == 1:
                    jumps[object] = end + 1
                object = following
            end = object
        key = keys[end]
        group = table[key]
        if group == 0:
            found += 1
            group = found
            table[key] = group
            met[group - 1] = key
        groups[way] = group - 1
        above[way] = end if holders[end] == FROM_ROOT else holders[end]
        counts[group - 1] += 1
        sums[group - 1] += weights[way]
    return found


def part_ways(groups: Any, starts: Any, at: Any, weights: Any, above: Any, parted: Any) -> None:
    """Ways by their groups.

    starts  int64 by group: where each begins; moved to where it ends
    at, weights    by way, of which `above` and `parted` are filled: uint32 and int64
    """
    for way in range(len(groups)):
        place = starts[groups[way]]
        above[place] = at[way]
        parted[place] = weights[way]
        starts[groups[way]] = place + 1
