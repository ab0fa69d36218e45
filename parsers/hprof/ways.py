"""Which objects the roots of a heap reach, and the last step of the shortest way to each.

Steps are references. A class is reached from its instances, too, but only where no reference leads to it: a way by the
names of fields says more. What is not reached was garbage when the dump was made.
"""

from __future__ import annotations

from typing import Any

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
    firsts: Any, targets: Any, types: Any, class_rows: Any, roots: Any, ways: Any, queue: Any, filled: int
) -> int:
    """How many objects are reached. Lists or arrays in, so that `ways_kernel` can be this function compiled.

    firsts      uint32[objects + 1]  where the references of each object begin
    targets     uint32[references]   objects they lead to, NO_ROW for none
    types       uint32[objects]      the class of each object; of a class object the class that it is
    class_rows  uint32[types]        the class object of each class, NO_ROW for none
    roots       uint32[roots]        objects that roots lead to, NO_ROW for none
    ways        uint32[objects]      all NOT_REACHED; filled: site by which an object is reached, or FROM_ROOT
    queue       uint32[objects]      filled: the objects reached, nearest first
    filled      how many of these were reached before, by fewer references; they have their ways
    """
    references = len(targets)
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
                if target != NO_ROW and ways[target] == NOT_REACHED:
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


def ways_of(firsts: Any, targets: Any, types: Any, classes: Any, roots: Any, strong: Any = None) -> Any:
    """`ways` as uint32[objects], for numpy arrays: by plain code for a small heap, else compiled.

    classes, roots  pairs of each dump of the file: its `class_rows` and its `roots`
    strong          `targets` without those that shall be taken only where there is no other way
    """
    import numpy as np

    objects, passes = len(types), [targets] if strong is None else [strong, targets]
    if objects + len(targets) <= FEW:
        ways, queue = [NOT_REACHED] * objects, [0] * objects
        lists = [firsts.tolist(), types.tolist(), *(each.tolist() for each in passes)]
        for class_rows, held in zip(classes, roots, strict=True):
            filled = 0
            for led in lists[2:]:
                filled = find_ways(
                    lists[0], led, lists[1], class_rows.tolist(), held.tolist(), ways, queue, filled
                )  # fmt: skip
        return np.array(ways, np.uint32)
    from parsers.hprof.ways_kernel import find_ways as compiled

    found, room = np.full(objects, NOT_REACHED, np.uint32), np.empty(objects, np.uint32)
    arrays = [np.ascontiguousarray(each, np.uint32) for each in (firsts, types, *passes)]
    for class_rows, held in zip(classes, roots, strict=True):
        filled = 0
        for led in arrays[2:]:
            roots_of_dump = np.ascontiguousarray(held, np.uint32)
            filled = compiled(arrays[0], led, arrays[1], class_rows, roots_of_dump, found, room, filled)
    return found


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


def steps_of(ways: Any, references: int, firsts: Any, referrers: Any) -> Any:
    """`steps` as uint32[objects], for numpy arrays: by plain code for a small heap, else compiled."""
    import numpy as np

    if len(ways) + references <= FEW:
        steps = [NO_STEP] * len(ways)
        find_steps(ways.tolist(), references, firsts.tolist(), referrers.tolist(), steps)
        return np.array(steps, np.uint32)
    from parsers.hprof.ways_kernel import find_steps as compiled

    found = np.empty(len(ways), np.uint32)
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
