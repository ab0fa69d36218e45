"""The classes of a heap as lines that can be compared with those of another dump of the same program.

Objects have no stable names: an id is an address, which a garbage collection changes. So a comparison shows the
change in objects and bytes by class name, not which objects were added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.heapdump.tables.class_groups import ClassGroups
from parsers.heapdump.views.kinds import OBJECTS, RETAINED, SIZE
from parsers.reporting.comparison.lines import ComparableSubject, ComparedLine, comparable_lines
from parsers.reporting.comparison.volatile_names import normal_name

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects

DEPTHS = {"package": 0, "class": 1}


def comparable_classes(objects: Callable[[], HeapObjects], has_retained_sizes: bool) -> ComparableSubject:
    """Returns packages and their classes: bytes, retained bytes if known, objects.

    objects  returns the heap, once it is complete
    """
    columns = (SIZE, *((RETAINED,) if has_retained_sizes else ()), OBJECTS)
    return comparable_lines(columns, lambda: _lines(objects()))


def _lines(objects: HeapObjects) -> Sequence[ComparedLine]:
    """Returns the lines of the last dump."""
    graph, found = objects.graph, []
    for group in ClassGroups(objects, only=graph.dumps[-1]) if graph.dumps else ():
        label = normal_name(group.label)
        numbers = {"bytes": group.bytes, "objects": group.objects}
        retained = graph.retained_by("type" if group.kind == "class" else "package", group.member, group.dump)
        if retained is not None:
            numbers["retained"] = retained
        spans = objects.spans(label) if group.kind == "class" else ()
        ref = f"{group.kind}:{group.label}"
        found.append(ComparedLine(label, group.kind, label, numbers, DEPTHS[group.kind], ref, spans))
    return found
