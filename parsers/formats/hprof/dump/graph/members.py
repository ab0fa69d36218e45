"""Rows below an object of a binary dump: fields with their values, statics, elements of arrays."""

from __future__ import annotations

from functools import lru_cache

from parsers.formats.hprof.dump.graph.graph import DumpGraph
from parsers.formats.hprof.dump.graph.value_formatter import primitive
from parsers.formats.hprof.dump.read.values import value_of
from parsers.formats.hprof.dump.records.tags import OBJECT, WIDTHS
from parsers.heapdump.graph.columns import CLASS_OBJECT, PLAIN_OBJECT
from parsers.heapdump.graph.labels import ObjectMember, ReferenceLabel
from parsers.model.names.java_method import decode

KEPT = 256
"""Most objects whose members are cached."""
MOST_MEMBERS = 1 << 16
"""Most fields, or statics, of an object: the limit of class files."""


class ObjectMembers:
    """Members of the objects of a graph."""

    def __init__(self, graph: DumpGraph) -> None:
        self._graph = graph
        self._of = lru_cache(KEPT)(self._make)

    def count(self, object: int) -> int:
        """Returns the number of members of an object."""
        place = self._graph.numbers_of(object)
        return len(self._of(object)) if place is None else place.length

    def at(self, object: int, index: int) -> ObjectMember:
        """Returns one of them."""
        place = self._graph.numbers_of(object)
        if place is None:
            return self._of(object)[index]
        width = WIDTHS[place.of]
        data = self._graph.read(width, place.offset + index * width)
        value = primitive(place.of, value_of(data, place.of)) if len(data) == width else "?"
        return ObjectMember(ReferenceLabel("element", f"[{index}]"), value, None)

    def place_of_site(self, object: int, site: int) -> int | None:
        """Returns the member index of a reference of an object."""
        return next((place for place, member in enumerate(self._of(object)) if member.site == site), None)

    def _make(self, object: int) -> list[ObjectMember]:
        graph = self._graph
        found: list[ObjectMember] = []
        if graph.kind(object) == PLAIN_OBJECT:
            for field in graph.fields(object)[:MOST_MEMBERS]:
                is_null = field.type == OBJECT and field.site is None
                value = "null" if is_null else "" if field.type == OBJECT else primitive(field.type, field.value)
                found.append(ObjectMember(ReferenceLabel("field", decode(field.name)), value, field.site))
        elif graph.kind(object) == CLASS_OBJECT:
            found = self._of_class(object)
        known = {member.site for member in found}
        return [
            *found,
            *(ObjectMember(graph.label(site), "", site) for site in graph.sites(object) if site not in known),
        ]

    def _of_class(self, object: int) -> list[ObjectMember]:
        """Returns the references in order, each static with its value."""
        graph = self._graph
        declared = graph.class_of(object)
        if declared is None:
            return []
        sites = iter(graph.sites(object))
        found = [
            ObjectMember(graph.class_label(kind, name), "", next(sites, None))
            for kind, name, _ in declared.references()
            if kind != "static"
        ]
        for name, type, value in declared.statics:
            label = graph.class_label("static", name)
            if type != OBJECT:
                data = value.to_bytes(WIDTHS[type], "big")
                found.append(ObjectMember(label, primitive(type, value_of(data, type)), None))
            else:
                found.append(ObjectMember(label, "" if value else "null", next(sites, None) if value else None))
        return found
