"""The view "Classes": allocated and live objects, by package and class, at the end or at a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from parsers.formats.tptp.heap.views import OBJECTS_VIEW
from parsers.formats.tptp.objects.allocated import age_text, allocation_section
from parsers.formats.tptp.objects.class_rows import ClassRows
from parsers.formats.tptp.objects.class_sums import ACTIVE_SIZE, DEFINED, LIVE, OLDEST, TOTAL, TOTAL_SIZE
from parsers.formats.tptp.views.links import element_link
from parsers.model.names.patterns import Subject, type_pattern
from parsers.model.row import Link, Section, SectionRow, counted
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.heapdump.views.objects_view import ObjectsView
    from parsers.heapdump.views.referrers_view import HeapReferrersView

DUMPS_VIEW, REFERRERS_VIEW, METHODS_VIEW, MONITORS_VIEW = "Dumps", "Referrers", "Methods", "Monitors"
SHOWN_AGES = 12
"""Most ages in the side pane, the oldest first."""
NOT_COUNTED = "what was allocated before, or was filtered out, is in no number"
SHOWN_SITES = 8
"""Most threads and methods in the side pane."""


class TraceClassesView(ClassRows):
    """The view, with side panes and links of its rows."""

    name = "Classes"
    sorted_by = "active_size"
    description = "Classes: objects allocated and collected"

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns an object's allocation and heap dump facts; for a class its sums, ages and allocators."""
        if leaf >= 0:
            return self._object_sections(self.object_at(group, leaf))
        each = self.groups[group]
        if each.kind == "finding":
            return (Section("Since monitoring began", (SectionRow("", NOT_COUNTED),)),)
        sums = each.sums
        freed = sums[TOTAL_SIZE] - sums[ACTIVE_SIZE]
        rows = [
            SectionRow("moment", self.moment_words),
            SectionRow("live", f"{counted(sums[LIVE], 'object')}, {counted(sums[ACTIVE_SIZE], 'byte')}"),
            SectionRow("total", f"{counted(sums[TOTAL], 'object')}, {counted(sums[TOTAL_SIZE], 'byte')}"),
            SectionRow("collected", f"{counted(sums[TOTAL] - sums[LIVE], 'object')}, {counted(freed, 'byte')}"),
        ]
        if sums[LIVE]:
            rows.append(SectionRow("oldest", age_text(sums[OLDEST])))
        if sums[DEFINED]:
            rows.append(
                SectionRow("defined only", f"{counted(sums[DEFINED], 'object')} that no allocation was seen of")
            )
        if len(each.classes) > 1:
            rows.append(
                SectionRow(
                    "classes",
                    f"{len(each.classes):,} of this name: " + ", ".join(map(self.class_id, each.classes[:8])),
                )
            )
        found = [Section(each.label, tuple(rows))]
        return [*found, *self._allocations(group)] if each.kind == "class" else found

    def _allocations(self, group: int) -> list[Section]:
        """Returns ages of the live objects of a class, and the threads and methods that allocated them."""
        each = self.groups[group]
        moment = self.moment_in(each.session)
        live = self.objects.counted(each.classes, each.session, moment.collections)
        ages = tuple(
            SectionRow(f"age {old:,}", f"{counted(count, 'object')}, {counted(size, 'byte')}")
            for old, count, size in live.ages[:SHOWN_AGES]
        )
        found = (
            [Section("Live objects by collections outlived", ages, max(len(live.ages) - SHOWN_AGES, 0))] if ages else []
        )
        threads = [
            (self.names.thread_label(row), count, self.names.ref("thread", row))
            for row, count in live.threads[:SHOWN_SITES]
        ]
        methods = [
            (self.names.method_label(row), count, self.names.ref("method", row))
            for row, count in live.methods[:SHOWN_SITES]
        ]
        for title, view, named, all in (
            ("Allocated by thread", "Threads", threads, live.threads),
            ("Allocated in", "Methods", methods, live.methods),
        ):
            rows = tuple(SectionRow(label, f"{count:,}", ref, view) for label, count, ref in named)
            if rows:
                found.append(Section(title, rows, len(all) - len(rows)))
        return found

    def _object_sections(self, row: int) -> list[Section]:
        object = self.in_heap(row)
        if object is not None and self.heap is not None:
            return list(self.heap.sections(object))
        column = self.recording.column
        facts = (
            SectionRow("class", self.names.class_label(int(column("object_class")[row]))),
            SectionRow("id", self.names.id_text(int(column("object_id")[row]))),
            SectionRow("bytes", f"{int(column('object_size')[row]):,}"),
        )
        return [Section("Object", facts), allocation_section(self.recording, self.names, row)]

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links from a class to its largest object, to dumps, calls and monitors, and to its definition."""
        if leaf >= 0:
            return self.object_links(self.object_at(group, leaf))
        each = self.groups[group]
        if each.kind != "class":
            return ()
        links, run = [], f"run:{each.session + 1}/" if each.session else ""
        if self.leaves(each):
            links.append(Link("largest object", self.names.ref("object", self.object_at(group, 0)), self.name))
        if self.in_dumps(each.classes):
            links.append(Link("in heap dumps", f"{run}class:{each.label}", DUMPS_VIEW))
        if not self.names.classes_with_methods.isdisjoint(each.classes):
            links.append(Link("its methods", f"{run}class:{each.label}", METHODS_VIEW))
        if not self.names.classes_of_monitors.isdisjoint(each.classes):
            links.append(Link("who waited for its objects", f"{run}class:{each.label}", MONITORS_VIEW))
        return [*links, *element_link(self.names.offset("class", each.classes[0]))]

    def references(self, node: int) -> References:
        """Returns the references to an object in the last dump that has it."""
        object = self._object_of(node)
        if object is None:
            return super().references(node)
        return cast("HeapReferrersView", self.report.view(REFERRERS_VIEW)).referrers_of(object)

    def why(self, node: int) -> References:
        """Returns the shortest path from a root to an object, in the last dump that has it."""
        object = self._object_of(node)
        if object is None:
            return super().why(node)
        return cast("ObjectsView", self.report.view(OBJECTS_VIEW)).path_from_root(object)

    def _object_of(self, node: int) -> int | None:
        group, leaf = self.rows.place(node)
        return None if leaf < 0 else self.in_heap(self.object_at(group, leaf))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches the class, if it has rows of objects."""
        group, _ = self.rows.place(node)
        each = self.groups[group]
        return type_pattern(each.label) if each.kind == "class" and self.leaves(each) else {}
