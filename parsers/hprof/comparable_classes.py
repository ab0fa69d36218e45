"""The classes of a heap as lines that can be held against those of another dump of the same program.

Objects have no names that last: an id is an address, which a garbage collection changes. So what can be told is how
many objects each class has more, by name, and what they take; not which ones these are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.compare.lines import Comparable, Line
from parsers.hprof.class_groups import BY_PACKAGE, groups_of
from parsers.hprof.heap_words import OBJECTS, RETAINED, SIZE

if TYPE_CHECKING:
    from parsers.hprof.heap_object import HeapObjects

MADE_UP = (
    (re.compile(r"(\$\$Lambda)\$\d+"), r"\1"),
    (re.compile(r"[+/]0x[0-9a-f]+"), ""),
    (re.compile(r"(\$Proxy)\d+"), r"\1"),
    (re.compile(r"(Generated\w*Accessor)\d+"), r"\1"),
    (re.compile(r"(\$\$(?:EnhancerBy|FastClassBy)\w+\$\$)[0-9a-f]+"), r"\1"),
)
"""What JVM and libraries number anew each time: lambdas and hidden classes, proxies, accessors, generated classes."""
DEPTHS = {"package": 0, "class": 1}


def normal_name(name: str) -> str:
    """A class without what is made up anew each time the program runs."""
    for made_up, kept in MADE_UP:
        name = made_up.sub(kept, name)
    return name


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
