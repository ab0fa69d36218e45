"""Side pane sections of objects that only binary dumps have: values, fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.formats.hprof.dump.graph.value_formatter import primitive, quoted
from parsers.formats.hprof.dump.read.values import FieldValue, text_of
from parsers.formats.hprof.dump.records.tags import BYTE, CHAR, OBJECT
from parsers.heapdump.graph.columns import PLAIN_OBJECT
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.model.names.java_method import decode
from parsers.model.report import Section, SectionRow

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.formats.hprof.dump.graph.members import ObjectMembers

TargetRow = Callable[[str, int], SectionRow]
"""Returns a pane row with a name and a link to an object."""

SHOWN_FIELDS = 40
"""Fields shown at first in a side pane."""
SHOWN_NUMBERS = 64
"""Most numbers of an array in a side pane."""
LONGEST_TEXT = 2000
"""Most characters of a text in a side pane."""


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
