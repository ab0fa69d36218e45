"""An object of a text dump, as references by name: the file has no null or primitive fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.heapdump.graph.elements import NO_ELEMENTS, NULL, Elements
from parsers.heapdump.graph.labels import NO_OBJECT

if TYPE_CHECKING:
    from parsers.heapdump.graph.object_graph import ObjectGraph

MOST_SUPERS = 256
"""Maximum of superclasses that are followed."""
MOST_FIELDS = 1000
"""Maximum of references examined, of an object that is not an array."""


class RecordedInstance:
    """An `Instance`: see `heapdump/collections/contents.py`."""

    __slots__ = ("_graph", "_sites")

    def __init__(self, graph: ObjectGraph, object: int) -> None:
        self._graph = graph
        self._sites: dict[str, int] = {}
        for site in graph.sites(object)[:MOST_FIELDS] if object >= 0 else ():
            label = graph.label(site)
            if label.kind == "field":
                self._sites.setdefault(label.text, site)

    def has(self, name: str) -> bool:
        """True if it is known to have a non-null field of that name."""
        return name in self._sites

    def reference(self, name: str) -> int:
        """Returns the object that a field refers to."""
        site = self._sites.get(name)
        return NULL if site is None else self._graph.target(site)

    def number(self, name: str) -> int | None:
        """Returns None: the file has no numbers."""
        return None


def recorded_elements(graph: ObjectGraph, object: int, first: int, indexes: Sequence[int]) -> Elements:
    """Returns the elements of an array. first: its first reference. indexes: array index of each reference"""
    if not indexes:
        return NO_ELEMENTS
    return Elements(max(graph.elements(object), indexes[-1] + 1), first, indexes, graph.target)


def recorded_supers(graph: ObjectGraph, type: int, dump_number: int) -> list[str]:
    """Returns the names of a class and its superclasses."""
    dump, found = graph.dumps[dump_number], {type: graph.type_name(type)}
    while len(found) < MOST_SUPERS:
        of = graph.class_object(type, dump)
        sites = graph.sites(of)[:MOST_FIELDS] if of != NO_OBJECT else ()
        above = next((graph.target(site) for site in sites if graph.label(site).kind == "super"), NO_OBJECT)
        if above == NO_OBJECT or graph.type(above) in found:
            break
        type = graph.type(above)
        found[type] = graph.type_name(type)
    return list(found.values())
