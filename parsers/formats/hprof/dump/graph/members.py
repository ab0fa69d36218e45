"""Members of an object of a binary dump: fields with their values, statics, elements of arrays; rows and sections."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from parsers.formats.hprof.dump.graph.graph import DumpGraph
from parsers.formats.hprof.dump.graph.value_formatter import primitive, quoted
from parsers.formats.hprof.dump.read.values import FieldValue, text_of, value_of
from parsers.formats.hprof.dump.records.tags import BYTE, CHAR, OBJECT, WIDTHS
from parsers.heapdump.graph.columns import CLASS_OBJECT, PLAIN_OBJECT
from parsers.heapdump.graph.labels import NO_OBJECT, ObjectMember, ReferenceLabel
from parsers.model.names.java_method import decode
from parsers.model.row import Section, SectionRow

KEPT = 256
"""Most objects whose members are cached."""
MOST_MEMBERS = 1 << 16
"""Most fields, or statics, of an object: the limit of class files."""
TargetRow = Callable[[str, int], SectionRow]
"""Returns a pane row with a name and a link to an object."""

SHOWN_FIELDS = 40
"""Fields shown at first in a side pane."""
SHOWN_NUMBERS = 64
"""Most numbers of an array in a side pane."""
LONGEST_TEXT = 2000
"""Most characters of a text in a side pane."""


class ObjectMembers:
    """Members of the objects of a graph."""

    def __init__(self, graph: DumpGraph) -> None:
        self._graph = graph
        self._of = lru_cache(KEPT)(self._make)
        self._numbers_of = lru_cache(KEPT)(graph.numbers_of)

    def count(self, object: int) -> int:
        """Returns the number of members of an object."""
        place = self._numbers_of(object)
        return len(self._of(object)) if place is None else place.length

    def at(self, object: int, index: int) -> ObjectMember:
        """Returns one of them."""
        place = self._numbers_of(object)
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


def numbers_text(graph: DumpGraph, members: ObjectMembers, object: int) -> str:
    """Returns the beginning of an array of primitives: as text for characters, else its numbers; empty otherwise."""
    place = graph.numbers_of(object)
    if place is None or not place.length:
        return ""
    if place.of in (CHAR, BYTE):
        text = text_of(graph.read, place, None, False, LONGEST_TEXT + 1) or ""
        if place.of == CHAR or all(sign.isprintable() or sign in "\n\r\t" for sign in text):
            return quoted(text, LONGEST_TEXT)
    shown = min(place.length, SHOWN_NUMBERS)
    numbers = ", ".join(members.at(object, index).value for index in range(shown))
    return numbers + (", …" if shown < place.length else "")


def field_sections(graph: DumpGraph, target_row: TargetRow, object: int) -> list[Section]:
    """Returns the fields of an instance, each with its value."""
    if graph.kind(object) != PLAIN_OBJECT:
        return []
    fields = graph.fields(object)
    rows = tuple(_field(graph, target_row, field) for field in fields[:SHOWN_FIELDS])
    return [Section(f"Fields ({len(fields):,})", rows, len(fields) - len(rows))] if rows else []


def _field(graph: DumpGraph, target_row: TargetRow, field: FieldValue) -> SectionRow:
    name = decode(field.name)
    if field.type != OBJECT:
        return SectionRow(name, primitive(field.type, field.value))
    if field.site is None:
        return SectionRow(name, "null")
    target = graph.target(field.site)
    if target == NO_OBJECT:
        return SectionRow(name, f"0x{int(field.value):x}: not in the file")
    return target_row(name, target)
