"""Reachability from the roots of a heap, and the last step of the shortest path to each object.

Steps are references. Instances lead to their class only if no reference does: a path by field names is more useful.
Unreachable objects were garbage when the dump was made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.kernels.compiled import compiled
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.model.arrays import AnyArray, I32Array, Numbers, U8Array, U32Array

MakeBuffer = Callable[[str, int], "U32Array"]
"""Returns a uint32 array for a table of a name and length."""
NO_ROW = 0xFFFF_FFFF
NOT_REACHED = 0xFFFF_FFFF
"""As a path: unreachable; the object was garbage when the dump was made."""
FROM_ROOT = 0xFFFF_FFFE
"""As a path: a root leads to it directly."""

NO_STEP, FROM_ROOT_STEP, FIRST_STEP = range(3)
"""Path steps in a heap's tables, a column of small numbers: `NO_STEP` for NOT_REACHED, `FROM_ROOT_STEP`, else
`FIRST_STEP` plus the index among the object's referrers …"""
BY_CLASS = 0x8000_0000
"""… or plus this number the object whose class it is."""


def find_shortest_paths(
    firsts: Numbers,
    targets: Numbers,
    weak: Numbers,
    types: Numbers,
    class_rows: Numbers,
    roots: Numbers,
    reached_by: Numbers,
    queue: Numbers,
    filled: int,
) -> int:
    """Searches from roots; returns the number of objects reached.

    firsts      uint32[objects + 1]  first reference of each object
    targets     uint32[references]   their targets, NO_ROW for none
    weak        uint8                a bit for each reference, lowest first: 1 for those not followed; or empty
    types       uint32[objects]      class of each object; for a class object the class that it represents
    class_rows  uint32[types]        the class object of each class, NO_ROW for none
    roots       uint32[roots]        targets of roots, NO_ROW for none
    reached_by  uint32[objects]      all NOT_REACHED; filled: site that leads to an object, or FROM_ROOT
    queue       uint32[objects]      filled: reachable objects, nearest first
    filled      number of objects reached by an earlier search with fewer references, whose paths are known
    """
    references = len(targets)
    takes_all = len(weak) == 0
    for root in roots:
        if root != NO_ROW and reached_by[root] == NOT_REACHED:
            reached_by[root] = FROM_ROOT
            queue[filled] = root
            filled += 1
    done = with_class = 0
    while with_class < filled:
        while done < filled:
            object = queue[done]
            done += 1
            for reference in range(firsts[object], firsts[object + 1]):
                target = targets[reference]
                if (
                    target != NO_ROW
                    and reached_by[target] == NOT_REACHED
                    and (takes_all or not weak[reference >> 3] >> (reference & 7) & 1)
                ):
                    reached_by[target] = reference
                    queue[filled] = target
                    filled += 1
        while with_class < done:
            object = queue[with_class]
            with_class += 1
            target = class_rows[types[object]]
            if target != NO_ROW and reached_by[target] == NOT_REACHED:
                reached_by[target] = references + object
                queue[filled] = target
                filled += 1
    return filled


def compute_reached_by(
    firsts: U32Array,
    targets: U32Array,
    types: U32Array,
    classes: Sequence[U32Array],
    roots: Sequence[U32Array],
    weak: AnyArray | tuple[()] = (),
    make_buffer: MakeBuffer | None = None,
) -> U32Array:
    """Returns `reached_by` as uint32[objects].

    classes, roots  pairs of each dump of the file: its `class_rows` and its `roots`
    weak            references to be followed only where there is no other path
    make_buffer     returns the tables
    """
    objects, passes = len(types), [np.empty(0, np.uint8)]
    if len(weak):
        passes.insert(0, _bits(np.asarray(weak), len(targets)))
    make = make_buffer or (lambda name, count: np.empty(count, np.uint32))
    found, reached = make("reached_by", objects), make("reached", objects)
    found[:] = NOT_REACHED
    begin, lead, of = (np.ascontiguousarray(each, np.uint32) for each in (firsts, targets, types))
    for class_rows, dump_roots in zip(classes, roots, strict=True):
        filled = 0
        for left_out in passes:
            roots_of_dump = np.ascontiguousarray(dump_roots, np.uint32)
            filled = compiled(find_shortest_paths)(
                begin, lead, left_out, of, class_rows, roots_of_dump, found, reached, filled
            )
    return found


def _bits(chosen: U32Array, count: int) -> U8Array:
    """Returns a bit mask of `count` bits, lowest first: 1 for the chosen ones. uint8."""
    bits = np.zeros(-(-count // 8), np.uint8)
    np.bitwise_or.at(bits, chosen >> 3, np.left_shift(1, chosen & 7).astype(np.uint8))
    return bits


def find_steps(reached_by: Numbers, references: int, firsts: Numbers, referrers: Numbers, steps: Numbers) -> None:
    """Converts paths to steps, as of `find_shortest_paths`.

    references  of the file
    firsts      uint32[objects + 1]  first referrer of each object in `referrers`
    referrers   uint32               references by target, ascending for each
    steps       uint32[objects]      filled
    """
    for object in range(len(steps)):
        incoming = reached_by[object]
        if incoming == NOT_REACHED:
            steps[object] = NO_STEP
        elif incoming == FROM_ROOT:
            steps[object] = FROM_ROOT_STEP
        elif incoming >= references:
            steps[object] = BY_CLASS + (incoming - references)
        else:
            low = first = firsts[object]
            high = firsts[object + 1] - 1
            while low < high:
                middle = (low + high) // 2
                if referrers[middle] < incoming:
                    low = middle + 1
                else:
                    high = middle
            steps[object] = FIRST_STEP + (low - first)


def steps_of(
    reached_by: U32Array, references: int, firsts: U32Array, referrers: U32Array, make_buffer: MakeBuffer | None = None
) -> U32Array:
    """Returns `steps` as uint32[objects]."""
    found = make_buffer("steps", len(reached_by)) if make_buffer else np.empty(len(reached_by), np.uint32)
    firsts, referrers = (np.ascontiguousarray(each, np.uint32) for each in (firsts, referrers))
    compiled(find_steps)(reached_by, references, firsts, referrers, found)
    return found


def decode_step(step: int, references: int, first: int, referrers: Sequence[int]) -> int:
    """Converts a step to a path.

    first  first referrer of the object in `referrers`
    """
    if step == NO_STEP:
        return NOT_REACHED
    if step == FROM_ROOT_STEP:
        return FROM_ROOT
    return references + step - BY_CLASS if step >= BY_CLASS else int(referrers[first + step - FIRST_STEP])


def find_distances(firsts: Numbers, targets: Numbers, paths: Numbers, distances: Numbers) -> None:
    """Counts the references on the path to each object.

    firsts     uint32[objects + 1]  first reference of each object
    targets    uint32[references]   their targets, NO_ROW for none
    paths      uint32[objects]      as `reached_by`; afterwards the owners of these references
    distances  int32[objects]       zeros; filled: 0 for objects with a root, and unreachable ones
    """
    references = len(targets)
    for owner in range(len(paths)):
        for reference in range(firsts[owner], firsts[owner + 1]):
            target = targets[reference]
            if target != NO_ROW and distances[target] == 0 and paths[target] == reference:
                paths[target] = owner
                distances[target] = -1
    for object in range(len(paths)):
        if distances[object] == 0 and references <= paths[object] < FROM_ROOT:
            paths[object] = paths[object] - references
            distances[object] = -1
    for object in range(len(paths)):
        steps, place = 0, object
        while distances[place] < 0:
            steps += 1
            place = paths[place]
        steps += distances[place]
        place = object
        while distances[place] < 0:
            distances[place] = steps
            steps -= 1
            place = paths[place]


def distances_of(firsts: U32Array, targets: U32Array, reached_by: U32Array) -> I32Array:
    """Returns `distances` as int32[objects], for numpy arrays; changes `reached_by`."""
    distances = np.zeros(len(reached_by), np.int32)
    firsts, targets = (np.ascontiguousarray(each, np.uint32) for each in (firsts, targets))
    compiled(find_distances)(firsts, targets, reached_by, distances)
    return distances
