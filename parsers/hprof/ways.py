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


def find_ways(firsts: Any, targets: Any, classes: Any, roots: Any, ways: Any, queue: Any) -> int:
    """How many objects are reached. Lists or arrays in, so that `ways_kernel` can be this function compiled.

    firsts   uint32[objects + 1]  where the references of each object begin
    targets  uint32[references]   objects they lead to, NO_ROW for none
    classes  uint32[objects]      the class object of each object, NO_ROW for none
    roots    uint32[roots]        objects that roots lead to, NO_ROW for none
    ways     uint32[objects]      all NOT_REACHED; filled: site by which an object is reached, or FROM_ROOT
    queue    uint32[objects]      filled: the objects reached, nearest first
    """
    references = len(targets)
    filled = 0
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
            target = classes[object]
            if target != NO_ROW and ways[target] == NOT_REACHED:
                ways[target] = references + object
                queue[filled] = target
                filled += 1
    return filled


def ways_of(firsts: Any, targets: Any, classes: Any, roots: Any) -> Any:
    """`ways` as uint32[objects], for numpy arrays: by plain code for a small heap, else compiled."""
    import numpy as np

    objects = len(classes)
    if objects + len(targets) <= FEW:
        ways, queue = [NOT_REACHED] * objects, [0] * objects
        find_ways(firsts.tolist(), targets.tolist(), classes.tolist(), roots.tolist(), ways, queue)
        return np.array(ways, np.uint32)
    from parsers.hprof.ways_kernel import find_ways as compiled

    found = np.full(objects, NOT_REACHED, np.uint32)
    firsts, targets, classes, roots = (
        np.ascontiguousarray(each, np.uint32) for each in (firsts, targets, classes, roots)
    )
    compiled(firsts, targets, classes, roots, found, np.empty(objects, np.uint32))
    return found
