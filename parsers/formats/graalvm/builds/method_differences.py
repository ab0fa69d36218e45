"""Rows of the differences of two call trees: packages with their classes and methods, and entry points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.builds.compared_methods import BuildGroups, ComparedMethods
from parsers.formats.graalvm.builds.method_lines import MethodLines, first_place
from parsers.formats.graalvm.builds.normalised import normalised_text
from parsers.formats.graalvm.calls.kind import METHODS
from parsers.model.distinct import begins, distinct
from parsers.model.names.java_name import class_spans
from parsers.model.row import Badge, Column, Section, SectionRow
from parsers.reporting.comparison.lines import (
    ADDED,
    CHANGED,
    OLDER,
    REMOVED,
    Change,
    ComparedLine,
    Differences,
    largest_first,
)

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

PACKAGE, CLASS, METHOD = range(3)
KINDS = ("package", "class", "method")


class PackageDifferences(Differences):
    """Packages with the largest change first; in a class the added, then the removed, then the moved methods."""

    columns: tuple[Column, ...] = (METHODS,)

    def __init__(self, both: ComparedMethods, shows_whole_paths: bool) -> None:
        """shows_whole_paths: True also shows methods whose path changed only farther up"""
        self.both = both
        self.summary, self.notes = both.summary, both.notes
        self.lines = MethodLines(both)
        is_moved = both.is_moved | (both.rerouted_along > 0) if shows_whole_paths else both.is_moved
        self._is_moved = is_moved
        growth = both.new_counts - both.old_counts
        names = np.flatnonzero((growth != 0) | is_moved)
        classes = both.class_of_names(names)
        packages = both.package_of_class[classes]
        self._moved = {
            PACKAGE: np.bincount(packages, both.new_counts[names] * is_moved[names], len(both.packages.names)),
            CLASS: np.bincount(classes, both.new_counts[names] * is_moved[names], len(both.classes.names)),
        }
        order = np.lexsort(
            (
                _text_ranks([both.label(name) for name in names.tolist()]),
                *reversed(largest_first(growth[names])),
                _group_ranks(both.classes, classes),
                _group_ranks(both.packages, packages),
            )
        )
        self._arrange(names[order], classes[order], packages[order])
        shown = distinct(packages)
        self.largest = int(np.abs(both.packages.new - both.packages.old)[shown].max(initial=0))

    def _arrange(self, names: I64Array, classes: I64Array, packages: I64Array) -> None:
        """Numbers the rows: each package above its classes, each class above its methods."""
        is_first_of_package = begins(packages)
        is_first_of_class = begins(classes, packages)
        rows = np.arange(len(names)) + np.cumsum(is_first_of_class) + np.cumsum(is_first_of_package)
        count = len(names) + int(is_first_of_class.sum()) + int(is_first_of_package.sum())
        self.depths = np.full(count, METHOD, np.uint16)
        self._what = np.empty(count, np.int64)
        """By row the number of its package, class or name."""
        self._what[rows] = names
        self.depths[rows[is_first_of_class] - 1] = CLASS
        self._what[rows[is_first_of_class] - 1] = classes[is_first_of_class]
        self.depths[rows[is_first_of_package] - 2] = PACKAGE
        self._what[rows[is_first_of_package] - 2] = packages[is_first_of_package]

    def change(self, row: int) -> Change:
        """Returns the content of a row."""
        level, what = int(self.depths[row]), int(self._what[row])
        return self._method(what) if level == METHOD else self._group(level, what)

    def _groups(self, level: int) -> BuildGroups:
        return self.both.packages if level == PACKAGE else self.both.classes

    def _group(self, level: int, what: int) -> Change:
        groups, kind = self._groups(level), KINDS[level]
        label, moved = groups.names[what], int(self._moved[level][what])
        # Equal classes of two builds have a name of their own in each report.
        if level == PACKAGE:
            printed = [label if counts[what] else None for counts in (groups.old, groups.new)]
        else:
            printed = [self.both.printed_class(what, is_new) for is_new in (False, True)]
        old_ref, ref = ("" if each is None else f"{kind}:{each}" for each in printed)
        line = ComparedLine(
            label,
            kind,
            label,
            {},
            ref=ref or f"{OLDER}{old_ref}",
            old_ref=old_ref,
            spans=tuple(class_spans(label)) if level == CLASS else (),
            badges={"moved": moved} if moved else {},
        )
        return _change(line, METHODS.name, int(groups.old[what]), int(groups.new[what]))

    def _method(self, name: int) -> Change:
        both = self.both
        badges: dict[str, Badge] = {"moved": int(both.new_counts[name])} if self._is_moved[name] else {}
        line = self.lines.line(name, badges=badges)
        return _change(line, METHODS.name, int(both.old_counts[name]), int(both.new_counts[name]))

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of rows."""
        levels, what = self.depths[start:stop].tolist(), self._what[start:stop].tolist()
        return [
            self.both.label(each) if level == METHOD else self._groups(level).names[each]
            for level, each in zip(levels, what, strict=True)
        ]

    def find(self, ref: str) -> int | None:
        """Returns the row of a REF."""
        kind, _, text = ref.removeprefix(OLDER).partition(":")
        if kind in ("package", "class"):
            level = KINDS.index(kind)
            names = self._groups(level).names
            text = text if self.both.new.is_as_printed else normalised_text(text)
            return self._row(level, names.index(text)) if text in names else None
        name = self.lines.find(ref)
        return None if name is None else self._row(METHOD, name)

    def sections(self, row: int) -> Sequence[Section]:
        """Sections: for a method the paths to it; for others the number of moved methods."""
        level, what = int(self.depths[row]), int(self._what[row])
        notes = tuple(Section("Of these tables", (SectionRow("", note),)) for note in self.notes)
        if level == METHOD:
            return (*self.lines.sections(what), *notes)
        moved = int(self._moved[level][what])
        moved_sections = (
            (Section("Rerouted", (SectionRow("methods", f"{moved:,} have another shortest path"),)),) if moved else ()
        )
        return (*moved_sections, *notes)

    def _row(self, level: int, what: int) -> int | None:
        return first_place((self.depths == level) & (self._what == what))


class EntryDifferences(Differences):
    """Methods with more or fewer entry points, the largest change first."""

    def __init__(self, both: ComparedMethods, column: Column) -> None:
        self.columns: tuple[Column, ...] = (column,)
        self._column = column.name
        self.both = both
        self.lines = MethodLines(both, has_all=False)
        self._old, self._new = (
            np.bincount(names[build.is_entry], minlength=both.count)
            for build, names in ((both.old, both.old_names), (both.new, both.new_names))
        )
        names = np.flatnonzero(self._old != self._new)
        labels = [both.label(name) for name in names.tolist()]
        order = largest_first((self._new - self._old)[names])
        self._names = names[np.lexsort((_text_ranks(labels), *reversed(order)))]
        self.depths = np.zeros(len(names), np.uint16)
        self.largest = int(np.abs(self._new - self._old)[names].max(initial=0))

    def change(self, row: int) -> Change:
        """Returns the content of a row."""
        name = int(self._names[row])
        change = _change(self.lines.line(name), self._column, int(self._old[name]), int(self._new[name]))
        # The method may have existed, called by others.
        return change if change.change == REMOVED else replace(change, line=replace(change.line, via=None))

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of rows."""
        return [self.both.label(name) for name in self._names[start:stop].tolist()]

    def find(self, ref: str) -> int | None:
        """Returns the row of a REF."""
        name = self.lines.find(ref)
        return None if name is None else first_place(self._names == name)

    def sections(self, row: int) -> Sequence[Section]:
        """Sections with the paths to the method."""
        return tuple(self.lines.sections(int(self._names[row])))


def _change(line: ComparedLine, column: str, old: int, new: int) -> Change:
    before, after = ({column: number} if number else None for number in (old, new))
    return Change(ADDED if not old else REMOVED if not new else CHANGED, line, before, after)


def _text_ranks(texts: list[str]) -> I64Array:
    """Returns the rank of each text."""
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _group_ranks(groups: BuildGroups, members: I64Array) -> I64Array:
    """Returns the rank of the group of each member: the largest change first, then by name."""
    growth, used = groups.new - groups.old, distinct(members).tolist()
    used.sort(key=lambda group: (*largest_first(int(growth[group])), groups.names[group]))
    ranks = np.zeros(len(groups.names), np.int64)
    ranks[used] = np.arange(len(used))
    return ranks[members]
