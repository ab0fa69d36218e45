"""Merges the paths from roots to many objects by step.

Each reachable object has a *holder*, its predecessor on its shortest path. Its *key* is a number for class and field
of that step (such as `HashMap$Node` and `value`), or for the kind of its root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.graph.dominator_tree.semi_nca import NOT_REACHED

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, Numbers, U32Array

FROM_ROOT = 0xFFFF_FFFE
"""As a holder: a root leads to the object directly."""
LONGEST_ROUND = 4
"""Maximum length of repeated steps that are merged: `next` of a list, or `children`, `elementData`, `[]` of a tree."""


def read_path_steps(
    data: Numbers | bytes, offsets: Numbers, owner: int, kinds: Numbers, types: Numbers, id_size: int, firsts: Numbers,
    targets: Numbers, reached_by: Numbers, fields: Numbers, places: Numbers, bases: Numbers, holders: Numbers,
    keys: Numbers,
) -> None:  # fmt: skip
    """Fills holders and keys of referenced objects of a binary heap dump, where the reference is the last path step.

    data            uint8: a piece of the file
    offsets         int64: start of the sub-record of each object in it
    owner           the first of the objects
    kinds, types    uint8, uint32, of each: 0 instance, 1 array of objects, 2 of primitives, 3 class
    firsts          uint32, one more: first reference of each
    targets         uint32, by reference: an object, or NOT_REACHED for none
    reached_by      uint32, by object: the reference that is the last step of its path, or an impossible number
    fields, places  uint32: by type its first entry in `places`: positions of references in an instance's values
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
                if target != NOT_REACHED and reached_by[target] == each:
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
                if target != NOT_REACHED and reached_by[target] == reference:
                    holders[target] = owner + number
                    keys[target] = key
                reference += 1
            key += 1


def group_by_next_step(
    at: Numbers, weights: Numbers, holders: Numbers, keys: Numbers, steps_taken: Numbers, jumps: Numbers,
    table: Numbers, groups: Numbers, next_objects: Numbers, group_keys: Numbers, counts: Numbers, sums: Numbers,
) -> int:  # fmt: skip
    """Groups objects by the next steps of their paths; returns the number of groups.

    Repetitions of the last steps taken, up to LONGEST_ROUND of them, are skipped.

    at        uint32[m]: current object of each path
    weights   int64[m]
    holders, keys  uint32, by object
    steps_taken     uint32: the keys of the steps taken, in order
    jumps     uint32 by object, zeros: 1 + the object where skipping ends, so that no path is followed twice
    table     uint32 by key, zeros: 1 + the group
    groups    uint32[m], filled
    next_objects     uint32[m], filled: the holder after the step; if a root is next, the object it leads to
    group_keys       uint32 by group, filled: the key
    counts, sums  int64 by group, zeros; filled: paths, and their weights
    """
    found, count = 0, len(steps_taken)
    for path in range(len(at)):
        end = at[path]
        for phase in range(2):
            object = at[path]
            while phase == 0 or object != end:
                following = object
                if jumps[object] != 0:
                    following = jumps[object] - 1
                for length in range(1, min(count, LONGEST_ROUND) + 1):
                    if following != object:
                        break
                    place, step = object, count - length
                    while step < count and holders[place] != FROM_ROOT and keys[place] == steps_taken[step]:
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
            group_keys[group - 1] = key
        groups[path] = group - 1
        next_objects[path] = end if holders[end] == FROM_ROOT else holders[end]
        counts[group - 1] += 1
        sums[group - 1] += weights[path]
    return found


def sort_by_group(
    groups: U32Array,
    starts: I64Array,
    at: U32Array,
    weights: I64Array,
    next_objects: U32Array,
    sorted_weights: I64Array,
) -> None:
    """Sorts paths by group.

    starts  int64 by group: its start; updated to its end
    at, weights    by path; sorted into `next_objects` and `sorted_weights`: uint32 and int64
    """
    for path in range(len(groups)):
        place = starts[groups[path]]
        next_objects[place] = at[path]
        sorted_weights[place] = weights[path]
        starts[groups[path]] = place + 1
