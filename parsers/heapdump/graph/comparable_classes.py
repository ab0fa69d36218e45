"""The classes of a heap as lines that can be held against those of another dump of the same program.

Objects have no names that last: an id is an address, which a garbage collection changes. So what can be told is how
many objects each class has more, by name, and what they take; not which ones these are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.heapdump.tables.class_groups import BY_PACKAGE, groups_of
from parsers.heapdump.views.kinds import OBJECTS, RETAINED, SIZE
from parsers.reporting.comparison.lines import Comparable, Line
from parsers.reporting.comparison.volatile_names import normal_name

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects

DEPTHS = {"package": 0, "class": 1}


def comparable_classes(objects: Callable[[], HeapObjects], tells_retained: bool) -> Comparable:
    """Packages and their classes: bytes, what is retained where that is told, objects.

    objects  gives the heap, once it is known
    """
    columns = (SIZE, *((RETAINED,) if tells_retained else ()), OBJECTS)
    return Comparable(columns, lambda: _lines(objects()))


def _lines(objects: HeapObjects) -> Sequence[Line]:
    """Of the last dump."""
    graph, found = objects.graph, []
    for group in groups_of(graph, BY_PACKAGE):
        if group.dump.number != graph.dumps[-1].number or group.kind not in DEPTHS:
            continue
        label = normal_name(group.label)
        numbers = {"bytes": group.bytes, "objects": group.objects}
        retained = graph.retained_by("type" if group.kind == "class" else "package", group.member, group.dump)
        if retained is not None:
            numbers["retained"] = retained
        spans = objects.spans(label) if group.kind == "class" else ()
        ref = f"{group.kind}:{group.label}"
        found.append(Line(label, group.kind, label, numbers, DEPTHS[group.kind], ref, spans))
    return found
