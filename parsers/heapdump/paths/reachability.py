"""Which objects the roots of a heap reach, and the last step of the shortest way to each.

Steps are references. A class is reached from its instances, too, but only where no reference leads to it: a way by the
names of fields says more. What is not reached was garbage when the dump was made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Room = Callable[[str, int], Any]
"""Gives an array of so many uint32 for a table of a name."""
NO_ROW = 0xFFFF_FFFF
NOT_REACHED = 0xFFFF_FFFF
"""In place of a way: no root reaches the object; it was garbage when the dump was made."""
FROM_ROOT = 0xFFFF_FFFE
"""In place of a way: a root leads to it directly."""
FEW = 300_000
"""Objects and references that are walked through by plain code before a kernel is worth its loading."""


NO_STEP, FROM_ROOT_STEP, FIRST_STEP = range(3)
"""Ways as a heap's tables have them, a column of small numbers: `NO_STEP` for NOT_REACHED, `FROM_ROOT_STEP`, else
`FIRST_STEP` and which of the references that lead to the object it is …"""
BY_CLASS = 0x8000_0000
"""… or from here on the object whose class it is."""


def find_ways(
    firsts: Any, targets: Any, weak: Any, types: Any, class_rows: Any, roots: Any, ways: Any, queue: Any, filled: int
) -> int:
    """How many objects are reached. Lists or arrays in, so that `ways_kernel` can be this function compiled.

    firsts      uint32[objects + 1]  where the references of each object begin
    targets     uint32[references]   objects they lead to, NO_ROW for none
    weak        uint8                a bit for each reference, the first one lowest: 1 for those not taken; or no bits
    types       uint32[objects]      the class of each object; of a class object the class that it is
    class_rows  uint32[types]        the class object of each class, NO_ROW for none
    roots       uint32[roots]        objects that roots lead to, NO_ROW for none
    ways        uint32[objects]      all NOT_REACHED; filled: site by which an object is reached, or FROM_ROOT
    queue       uint32[objects]      filled: the objects reached, nearest first
    filled      how many of these were reached before, by fewer references; they have their ways
    """
    references = len(targets)
    takes_all = len(weak) == 0
    for root in roots:
        if root != NO_ROW and ways[root] == NOT_REACHED:
            ways[root] = FROM_ROOT
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
                    and ways[target] == NOT_REACHED
                    and (takes_all or not weak[reference >> 3] >> (reference & 7) & 1)
                ):
                    ways[target] = reference
                    queue[filled] = target
                    filled += 1
        while with_class < done:
            object = queue[with_class]
            with_class += 1
            target = class_rows[types[object]]
            if target != NO_ROW and ways[target] == NOT_REACHED:
                ways[target] = references + object
                queue[filled] = target
                filled += 1
    return filled


def ways_of(
    firsts: Any, targets: Any, types: Any, classes: Any, roots: Any, weak: Any = (), room: Room | None = None
) -> Any:
    """`ways` as uint32[objects], for numpy arrays: by plain code for a small heap, else compiled.

    classes, roots  pairs of each dump of the file: its `class_rows` and its `roots`
    weak            references that shall be taken only where there is no other way
    room            gives the tables
    """
    import numpy as np

    objects, passes = len(types), [np.empty(0, np.uint8)]
    if len(weak):
        passes.insert(0, _bits(weak, len(targets)))
    if objects + len(targets) <= FEW:
        ways, queue = [NOT_REACHED] * objects, [0] * objects
        begins, led, classed = (each.tolist() for each in (firsts, targets, types))
        for class_rows, held in zip(classes, roots, strict=True):
            filled = 0
            for left_out in passes:
                filled = find_ways(
                    begins, led, left_out.tolist(), classed, class_rows.tolist(), held.tolist(), ways, queue, filled
                )  # fmt: skip
        return np.array(ways, np.uint32)
    from parsers.heapdump.paths.reachability_kernel import find_ways as compiled

    make = room or (lambda name, count: np.empty(count, np.uint32))
    found, reached = make("ways", objects), make("reached", objects)
    found[:] = NOT_REACHED
    begin, lead, of = (np.ascontiguousarray(each, np.uint32) for each in (firsts, targets, types))
    for class_rows, held in zip(classes, roots, strict=True):
        filled = 0
        for left_out in passes:
            roots_of_dump = np.ascontiguousarray(held, np.uint32)
            filled = compiled(begin, lead, left_out, of, class_rows, roots_of_dump, found, reached, filled)
    return found


def _bits(chosen: Any, count: int) -> Any:
    """uint8: a bit for each of so many, the first one lowest, 1 for those that are chosen."""
    import numpy as np

    bits = np.zeros(-(-count // 8), np.uint8)
    np.bitwise_or.at(bits, chosen >> 3, np.left_shift(1, chosen & 7).astype(np.uint8))
    return bits


def find_steps(ways: Any, references: int, firsts: Any, referrers: Any, steps: Any) -> None:
    """Ways as steps. Lists or arrays in, as for `find_ways`.

    references  of the file
    firsts      uint32[objects + 1]  where those that lead to each object begin in `referrers`
    referrers   uint32               references by the objects they lead to, those of each ascending
    steps       uint32[objects]      filled
    """
    for object in range(len(steps)):
        way = ways[object]
        if way == NOT_REACHED:
            steps[object] = NO_STEP
        elif way == FROM_ROOT:
            steps[object] = FROM_ROOT_STEP
        elif way >= references:
            steps[object] = BY_CLASS + (way - references)
        else:
            low = first = firsts[object]
            high = firsts[object + 1] - 1
            while low < high:
                middle = (low + high) // 2
                if referrers[middle] < way:
                    low = middle + 1
                else:
                    high = middle
            steps[object] = FIRST_STEP + (low - first)


def steps_of(ways: Any, references: int, firsts: Any, referrers: Any, room: Room | None = None) -> Any:
    """`steps` as uint32[objects], for numpy arrays: by plain code for a small heap, else compiled."""
    import numpy as np

    if len(ways) + references <= FEW:
        steps = [NO_STEP] * len(ways)
        find_steps(ways.tolist(), references, firsts.tolist(), referrers.tolist(), steps)
        return np.array(steps, np.uint32)
    from parsers.heapdump.paths.reachability_kernel import find_steps as compiled

    found = room("steps", len(ways)) if room else np.empty(len(ways), np.uint32)
    firsts, referrers = (np.ascontiguousarray(each, np.uint32) for each in (firsts, referrers))
    compiled(ways, references, firsts, referrers, found)
    return found


def way_of(step: int, references: int, first: int, referrers: Any) -> int:
    """A step as a way.

    first  where those that lead to the object begin in `referrers`
    """
    if step == NO_STEP:
        return NOT_REACHED
    if step == FROM_ROOT_STEP:
        return FROM_ROOT
    return references + step - BY_CLASS if step >= BY_CLASS else int(referrers[first + step - FIRST_STEP])
