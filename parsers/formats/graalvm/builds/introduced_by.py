"""Added methods below the method that introduced them, which is the nearest old one on their shortest path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.builds.compared_methods import ComparedMethods
from parsers.formats.graalvm.builds.method_lines import MethodLines, first_place
from parsers.formats.graalvm.builds.methods import NO_METHOD, nearest_ancestors
from parsers.model.distinct import begins
from parsers.model.row import Column, Section
from parsers.model.trees.column_preorder import preorder_of
from parsers.reporting.comparison.lines import ADDED, CHANGED, Change, ComparedLine, Differences

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

NO_INTRODUCER = "(added entry points)"
"""Label shown instead of the introducing method for added entry points and methods reached from them."""


class IntroducedBy(Differences):
    """Introducing methods, those with most added ones first. Added methods are in file order, each below its caller."""

    columns: tuple[Column, ...] = ()
    largest = 0

    def __init__(self, both: ComparedMethods) -> None:
        self.both = both
        self.notes = both.notes
        self.lines = MethodLines(both)
        added = np.flatnonzero(both.added)
        added = added[np.argsort(both.new.rows[added])]
        by = both.introduced_by[added]
        # Methods of one name are one introducing method; the last number is for no method.
        names = np.where(by != NO_METHOD, both.new_names[by], both.count)
        through = np.bincount(names, minlength=both.count + 1)
        levels = np.minimum(nearest_ancestors(both.new.owners, both.added)[1][added], np.iinfo(np.uint16).max)
        # An entry has no parent: an added entry is one step below the row for no method.
        levels = np.where(by != NO_METHOD, levels, levels + 1)
        order = np.lexsort((np.arange(len(added)), names, -through[names]))
        self._arrange(added[order], names[order], levels[order])
        self._through = through
        self._rows = preorder_of(self.depths.tolist())

    def _arrange(self, added: I64Array, names: I64Array, levels: I64Array) -> None:
        is_first = begins(names)
        rows = np.arange(len(added)) + np.cumsum(is_first)
        count = len(added) + int(is_first.sum())
        self.depths: AnyArray = np.zeros(count, np.uint16)
        self.depths[rows] = levels
        self._what = np.empty(count, np.int64)
        """By row the name of the introducing method, or the added method."""
        self._what[rows] = added
        self._what[rows[is_first] - 1] = names[is_first]
        self._is_top = np.zeros(count, bool)
        self._is_top[rows[is_first] - 1] = True

    def change(self, row: int) -> Change:
        """Returns the content of a row."""
        what = int(self._what[row])
        if not self._is_top[row]:
            below = self._rows.end(row) - row - 1
            badges = {"let_in": below} if below else {}
            return Change(ADDED, self.lines.method(what, badges), None, {})
        badges = {"let_in": int(self._through[what])}
        if what == self.both.count:
            return Change(
                CHANGED, ComparedLine(NO_INTRODUCER, "group", NO_INTRODUCER, {}, badges=badges, look="group"), {}, {}
            )
        return Change(CHANGED, self.lines.line(what, badges=badges, look="method"), {}, {})

    def sections(self, row: int) -> Sequence[Section]:
        """Sections with the paths to a method."""
        what = int(self._what[row])
        if not self._is_top[row]:
            return self.lines.sections_of_method(what)
        return () if what == self.both.count else tuple(self.lines.sections(what))

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of rows."""
        return [
            self.lines.label(what)
            if not is_top
            else NO_INTRODUCER
            if what == self.both.count
            else self.both.label(what)
            for what, is_top in zip(self._what[start:stop].tolist(), self._is_top[start:stop].tolist(), strict=True)
        ]

    def find(self, ref: str) -> int | None:
        """Returns the row of a REF: of an added method, else of an introducing one."""
        method = self.lines.method_at(ref)
        row = None if method is None else first_place(~self._is_top & (self._what == method))
        name = self.lines.find(ref) if row is None else None
        return row if name is None else first_place(self._is_top & (self._what == name))
