"""Rows and side panes of objects of a binary dump, with text or value, and all fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.names import frame_label
from parsers.formats.hprof.dump.graph.graph import DumpGraph
from parsers.heapdump.graph import virtual_nodes as slots
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT, STRING
from parsers.heapdump.graph.dominated_object import DominatedObjects
from parsers.heapdump.graph.heap_object import BOOT_LOADER
from parsers.heapdump.graph.labels import NO_OBJECT, Root
from parsers.model.late import numpy as np
from parsers.model.names.java_name import is_jdk
from parsers.model.none import NONE
from parsers.model.row import Section, SectionRow, counted

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.formats.hprof.dump.graph.members import ObjectMembers
    from parsers.formats.hprof.dump.graph.text_reader import TextReader
    from parsers.formats.hprof.dump.graph.value_formatter import NumberFormat, ObjectFormatter
    from parsers.heapdump.collections.contents import Contents
    from parsers.heapdump.graph.labels import ObjectMember

BOXES = frozenset(
    f"java.lang.{name}" for name in ("Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double")
)
SHOWN_TEXT = 80
"""Most characters of a text in a row."""


class DumpObjects(DominatedObjects):
    """Formats objects of one file as text."""

    graph: DumpGraph
    _recording: ProfileRecording

    @cached_property
    def formatter(self) -> ObjectFormatter:
        """Formatter of values of objects."""
        from parsers.formats.hprof.dump.graph.value_formatter import ObjectFormatter

        return ObjectFormatter(self.graph)

    @cached_property
    def members(self) -> ObjectMembers:
        """Members of objects."""
        from parsers.formats.hprof.dump.graph.members import ObjectMembers

        return ObjectMembers(self.graph)

    def value(self, object: int, most: int = SHOWN_TEXT) -> str:
        """Returns the text of a String in quotes, the value of a box, the name of an enum constant …; else empty."""
        return self.formatter.value(object, most)

    def text_reader(self, type: int) -> TextReader | None:
        """Returns a bulk reader for texts of Strings of a class; None if their layout is not a JVM's."""
        from parsers.formats.hprof.dump.graph.text_reader import TextReader
        from parsers.formats.hprof.dump.index.strings import string_layout

        fields = self.graph.layout(type).fields
        layout, before = string_layout((field.name, field.type, field.offset) for field in fields)
        return TextReader(self.graph, layout) if layout.value >= 0 and not before else None

    def number_format(self, type: int) -> tuple[NumberFormat, str] | None:
        """Returns the number format for objects of a class, and the superclass it belongs to; None if there is none."""
        return self.formatter.number_format(type)

    def may_have_value(self, type: int) -> bool:
        """True if objects of a class may have a value."""
        return self.formatter.formatter_of(type) is not None

    def is_fully_shown_text(self, object: int) -> bool:
        """True if it is a text that fits into its row."""
        return self.type_name(object) == STRING and not self.value(object).endswith('…"')

    def is_box(self, object: int) -> bool:
        """True if it is a box: a primitive value and nothing else."""
        return self.graph.kind(object) == PLAIN_OBJECT and self.type_name(object) in BOXES

    def below(self, object: int) -> Sequence[int]:
        """Returns references of an array; fields of an instance, statics of a class, elements, each with its value."""
        if self.graph.kind(object) == OBJECT_ARRAY:
            return self.graph.sites(object)
        return slots.numbers(slots.MEMBERS, object, self.members.count(object))

    def has_below(self, object: int) -> bool:
        """True if there are any; mostly decided without reading them."""
        graph = self.graph
        if graph.kind(object) == PLAIN_OBJECT:
            return bool(graph.layout(graph.type(object)).fields) or len(graph.sites(object)) > 0
        return len(graph.sites(object)) > 0 or len(self.below(object)) > 0

    def place_below(self, object: int, site: int) -> int:
        """Returns the index of a reference among these."""
        if self.graph.kind(object) == OBJECT_ARRAY:
            return super().place_below(object, site)
        return self.members.place_of_site(object, site) or 0

    def own_members(self, object: int, known: str) -> Sequence[int]:
        """Returns fields that subclasses add to the known class of a collection."""
        if is_jdk(self.type_name(object)):
            return ()
        return slots.numbers(slots.MEMBERS, object, self.graph.fields_below(self.graph.type(object), known))

    def member(self, object: int, place: int) -> ObjectMember:
        """Returns a field, a static or an element."""
        return self.members.at(object, place)

    @cached_property
    def _stacks(self) -> dict[int, int]:
        """Row of its trace by serial of a thread; empty for files of the agent, where that trace is no stack."""
        from parsers.formats.hprof.dump.graph.thread_stacks import THREAD

        starts, kinds, threads, traces, offsets = (
            np.asarray(self._recording.column(name))
            for name in ("thread_start", "root_kind", "root_thread", "root_trace", "root_offset")
        )
        # Threads in dumps of a JVM appear as roots only; the agent has records of them.
        threads_at = np.flatnonzero(kinds == THREAD)
        ordered = np.sort(offsets[threads_at])
        if (np.searchsorted(ordered, starts) == np.searchsorted(ordered, starts, "right")).any():
            return {}
        with_trace = threads_at[traces[threads_at] != NONE]
        return dict(zip(threads[with_trace].tolist(), traces[with_trace].tolist(), strict=True))

    def frame_text(self, root: Root) -> str:
        """Returns the frame of a root."""
        trace = None if root.thread is None else self._stacks.get(root.thread)
        frames = () if trace is None else self._recording.stack(trace)
        is_there = root.frame is not None and root.frame < len(frames)
        return frame_label(self._recording.frame(frames[root.frame])) if is_there and root.frame is not None else ""

    def _loader_name(self, loader: int) -> str:
        """Returns the field `name` of a loader, since JDK 9."""
        return self.graph.text_of(self.graph.instance(loader).reference("name"), SHOWN_TEXT) or ""

    def sections(self, object: int) -> Sequence[Section]:
        """Returns sections, beginning with text and fields."""
        from parsers.formats.hprof.dump.graph.members import LONGEST_TEXT, field_sections, numbers_text

        value = self.value(object, LONGEST_TEXT) or numbers_text(self.graph, self.members, object)
        first, *more = super().sections(object)
        contents_sections = more[: len(self._contents_sections(object))]
        return [
            first,
            *([Section("Value", (SectionRow("", value),))] if value else []),
            *contents_sections,
            *field_sections(self.graph, self.target_row, object),
            *more[len(contents_sections) :],
        ]

    def _path_section(self, object: int) -> Section:
        """Returns the path section. A path with references that keep nothing alive has a note: there is no other."""
        found, graph = super()._path_section(object), self.graph
        if not any(site < graph.references and graph.is_weak(site) for site in self._steps_to_root(object)[0]):
            return found
        row = SectionRow("", "only through soft, weak, phantom or final references")
        return replace(found, rows=(row, *found.rows))

    def _facts(self, object: int) -> Section:
        """Returns the facts of an object; for a class, also its loader."""
        found, graph = super()._facts(object), self.graph
        rows = list(found.rows)
        if graph.kind(object) == CLASS_OBJECT:
            loader = graph.loader(graph.type(object), graph.dump_of(object))
            rows.append(SectionRow("loader", BOOT_LOADER) if loader == NO_OBJECT else self.target_row("loader", loader))
        return replace(found, rows=tuple(rows))

    def elements_text(self, object: int) -> str:
        """Returns the number of elements of an array, and of null ones."""
        elements = self.graph.array(object)
        nulls = len(elements) - len(elements.places)
        return f"{len(elements):,}" + (f", {nulls:,} of them null" if nulls else "")

    def capacity_text(self, contents: Contents) -> str:
        """Returns the capacity of a collection, with its unused bytes."""
        text = super().capacity_text(contents)
        unused = (contents.capacity or 0) - contents.size
        width = self._recording.facts.get("layout", {}).get("reference", 0)
        return (
            f"{text}, {counted(unused * width, 'byte')}" if contents.kind == "list" and unused > 0 and width else text
        )
