"""What rows and side panes say of an object of a binary dump: its text or value too, and all of its fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.heap.dominators import NOT_REACHED
from parsers.hprof.columns import PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.hprof.dump_graph import DumpGraph
from parsers.hprof.dump_values import Field
from parsers.hprof.dump_words import CHAR, OBJECT
from parsers.hprof.heap_object import MOST_STEPS, OBJECTS_VIEW, HeapObjects
from parsers.hprof.object_graph import NO_OBJECT
from parsers.hprof.ways import FROM_ROOT
from parsers.hprof.ways import NOT_REACHED as NOT_REACHED_WAY
from parsers.java_method import decode
from parsers.report import Badge, Column, Link, Section, SectionRow

if TYPE_CHECKING:
    from parsers.hprof.recording import Recording

BOXES = frozenset(
    f"java.lang.{name}" for name in ("Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double")
)
DOMINATORS_VIEW = "Dominators"
RETAINED = Column("retained", "Retained", "bytes", badges=(("retained", ""),), width=20, priority=6, bar=8)
SHOWN_TEXT = 80
"""Characters of a text that a row shows."""
SHOWN_FIELDS = 40
"""Fields that a side pane shows at first."""
LONGEST_TEXT = 2000
"""Characters of a text that a side pane shows."""


class DumpObjects(HeapObjects):
    """Objects of one file as text."""

    graph: DumpGraph

    def __init__(self, graph: DumpGraph, recording: Recording, thread_name: Callable[[int], str]) -> None:
        super().__init__(graph, recording, thread_name)

    def remark(self, object: int) -> str:
        """Its value, where it is one; its id; whether no root reaches it."""
        value = self.value(object, SHOWN_TEXT)
        return f"{value}  {super().remark(object)}" if value else super().remark(object)

    def value(self, object: int, most: int) -> str:
        """The text of a String in quotes, the value of a box, the name of a constant of an enum; else nothing."""
        graph = self.graph
        text = graph.text(object, most + 1)
        if text is not None:
            return f'"{text[:most]}…"' if len(text) > most else f'"{text}"'
        if graph.kind(object) == PLAIN_OBJECT and self.type_name(object) in BOXES:
            fields = [field for field in graph.fields(object) if field.name == b"value"]
            return self._value(fields[0]) if fields else ""
        return ""

    def _loader_name(self, loader: int) -> str:
        """The field `name` of a loader of JDK 9 and later."""
        return next((self._text_of(field) for field in self.graph.fields(loader) if field.name == b"name"), "")

    def _text_of(self, field: Field) -> str:
        target = self.graph.find(int(field.value), self.graph.dumps[0]) if field.value else NO_OBJECT
        return "" if target == NO_OBJECT else self.graph.text(target, SHOWN_TEXT) or ""

    def badges(self, object: int) -> dict[str, Badge]:
        """Its numbers, by column."""
        badges = super().badges(object)
        return {**badges, "retained": self.graph.retained(object)} if self.graph.has("dominators") else badges

    def sections(self, object: int) -> Sequence[Section]:
        """Before all else its text and its fields."""
        first, *more = super().sections(object)
        return [first, *self._text(object), *self._fields(object), *more]

    def links(self, object: int) -> list[Link]:
        """Its row among dominators, too."""
        found = super().links(object)
        if self.graph.has("dominators") and self.graph.dominator(object) != NOT_REACHED:
            found.append(Link("what it retains", self.ref(object), DOMINATORS_VIEW))
        return found

    def _way(self, object: int) -> Section:
        """A way through references that keep nothing alive says so: there is no other one."""
        found, graph, at = super()._way(object), self.graph, object
        for _ in range(MOST_STEPS):
            way = graph.way(at)
            if way in (FROM_ROOT, NOT_REACHED_WAY):
                break
            if way < graph.references and graph.is_weak(way):
                row = SectionRow("", "only through soft, weak, phantom or final references")
                return replace(found, rows=(row, *found.rows))
            at = graph.owner(way)
        return found

    def _text(self, object: int) -> list[Section]:
        value = self.value(object, LONGEST_TEXT)
        return [Section("Value", (SectionRow("", value),))] if value else []

    def _fields(self, object: int) -> list[Section]:
        graph = self.graph
        if graph.kind(object) == PRIMITIVE_ARRAY or graph.kind(object) != PLAIN_OBJECT:
            return []
        fields = graph.fields(object)
        rows = tuple(self._field(field) for field in fields[:SHOWN_FIELDS])
        return [Section(f"Fields ({len(fields):,})", rows, len(fields) - len(rows))] if rows else []

    def _field(self, field: Field) -> SectionRow:
        name = decode(field.name)
        if field.type != OBJECT:
            return SectionRow(name, self._value(field))
        if not field.value:
            return SectionRow(name, "null")
        target = self.graph.find(int(field.value), self.graph.dumps[0])
        if target == NO_OBJECT:
            return SectionRow(name, f"0x{int(field.value):x}: not in the file")
        value = self.value(target, SHOWN_TEXT)
        return SectionRow(name, value or self.label(target), self.ref(target), OBJECTS_VIEW)

    @staticmethod
    def _value(field: Field) -> str:
        """A primitive value as Java writes it."""
        if isinstance(field.value, bool):
            return "true" if field.value else "false"
        if field.type == CHAR:
            return f"'{chr(int(field.value))}'"
        return str(field.value)
