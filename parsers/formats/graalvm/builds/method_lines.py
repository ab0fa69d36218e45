"""Methods of two builds as lines of a comparison: their labels, REFs, and the paths to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.builds.compared_methods import ComparedMethods
from parsers.formats.graalvm.builds.methods import NO_METHOD
from parsers.formats.graalvm.calls.label import method_spans, short_method
from parsers.model.none import NONE
from parsers.model.row import Badge, Section, SectionRow
from parsers.model.view import UnknownReference
from parsers.reporting.comparison.lines import OLDER, ComparedLine

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray

PATH_TITLE = "Shortest path"
MOST_STEPS = 60
"""Maximum steps of a path that a side pane shows."""


class MethodLines:
    """Makes the lines of a comparison for the methods of `ComparedMethods`, by name."""

    def __init__(self, both: ComparedMethods, has_all: bool = True) -> None:
        """has_all: True if all added methods have rows"""
        self.both = both
        self._has_all = has_all

    def line(self, name: int, *, badges: Mapping[str, Badge] | None = None, look: str = "") -> ComparedLine:
        """Returns the line of a name, with the last steps to its methods, now and before."""
        line = _line(self.both.label(name), self.ref(name), self.via(name), badges or {})
        return replace(line, old_ref=self._old_ref(name), look=look)

    def ref(self, name: int) -> str:
        """Returns the REF of a method of the name: in the new report, or in the old one if only that has it."""
        both = self.both
        method = both.example(name, True)
        if method != NO_METHOD:
            return f"line:{both.new.line(method)}"
        return f"{OLDER}line:{both.old.line(both.example(name, False))}"

    def _old_ref(self, name: int) -> str:
        method = self.both.example(name, False)
        return "" if method == NO_METHOD else f"line:{self.both.old.line(method)}"

    def via(self, name: int) -> str | None:
        """Returns the nearest old method on the shortest path to an added or rerouted method of a name; else None."""
        both = self.both
        method = both.example(name, True)
        is_shown = method != NO_METHOD and (both.added[method] or both.is_moved[name])
        return self._introducer(method) if is_shown else None

    def _introducer(self, method: int) -> str | None:
        """Returns the name of the old method that introduced a new one; None without one."""
        by = int(self.both.introduced_by[method])
        return None if by == NO_METHOD else self.both.label(int(self.both.new_names[by]))

    def method(self, method: int, badges: Mapping[str, Badge]) -> ComparedLine:
        """Returns the line of an added method."""
        return _line(self.label(method), f"line:{self.both.new.line(method)}", self._introducer(method), badges)

    def label(self, method: int) -> str:
        """Returns the name of a method of the new build."""
        build = self.both.new
        return build.texts.text(int(build.names[method]))

    def find(self, ref: str) -> int | None:
        """Returns the name of the method that a REF of the new report, or of the old one, leads to."""
        method = self.method_at(ref)
        names = self.both.old_names if ref.startswith(OLDER) else self.both.new_names
        return None if method is None else int(names[method])

    def method_at(self, ref: str) -> int | None:
        """Returns the method that a REF leads to."""
        build = self.both.old if ref.startswith(OLDER) else self.both.new
        ref = ref.removeprefix(OLDER)
        if ref.partition(":")[0] not in ("line", "id"):
            return None
        try:
            vertex = build.report.tree.vertex(build.report.views[0].resolve(ref))
        except UnknownReference:
            return None
        node = build.table.node_of_vertex[vertex] if vertex >= 0 else NONE
        return None if node == NONE else build.table.place(node).method

    def sections_of_method(self, method: int) -> Sequence[Section]:
        """Sections with the path to an added method."""
        return (*self._introduced_by(method), _path_section(PATH_TITLE, self.path_rows(method, True)))

    def _introduced_by(self, method: int) -> Sequence[Section]:
        by = int(self.both.introduced_by[method])
        return () if by == NO_METHOD else (Section("Introduced by", (SectionRow("", self.label(by)),)),)

    def sections(self, name: int) -> Iterator[Section]:
        """Sections with the paths to methods of a name, now and before."""
        both = self.both
        added = both.example(name, True)
        if added != NO_METHOD and both.added[added]:
            yield from self._introduced_by(added)
        for is_new, title in ((True, PATH_TITLE), (False, f"{PATH_TITLE} before")):
            method = both.example(name, is_new)
            if method == NO_METHOD or (not is_new and both.new_counts[name] and not both.is_moved[name]):
                continue
            yield _path_section(title, self.path_rows(method, is_new))

    def path_rows(self, method: int, is_new: bool) -> Sequence[SectionRow]:
        """Returns the path to a method, from an entry down; in the new build added methods are marked."""
        both = self.both
        build = both.new if is_new else both.old
        rows = []
        for step in both.path(method, is_new):
            is_added = is_new and bool(both.added[step])
            label = short_method(build.texts.text(int(build.names[step])))
            ref = f"line:{build.line(step)}" if is_added and self._has_all else None
            rows.append(SectionRow("", f"{'+ ' if is_added else '  '}{label}", ref))
        return rows


def _line(label: str, ref: str, via: str | None, badges: Mapping[str, Badge]) -> ComparedLine:
    return ComparedLine(label, "method", label, {}, ref=ref, spans=method_spans(label), via=via, badges=badges)


def first_place(is_wanted: BoolArray) -> int | None:
    """Returns the first place of a True; None if there is none."""
    places = np.flatnonzero(is_wanted)
    return int(places[0]) if len(places) else None


def _path_section(title: str, rows: Sequence[SectionRow]) -> Section:
    """Returns the section of a path: of more than MOST_STEPS the last ones, which are nearest to the method."""
    return Section(title, tuple(rows[-MOST_STEPS:]), max(0, len(rows) - MOST_STEPS))
