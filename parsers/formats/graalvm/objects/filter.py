"""Masks of an object tree for filters, in bulk: rows to hide, and rows suppressed by patterns.

Patterns act like the printer's options: a field, an element or the value of a root is suppressed by the type of its
object, a root by its source; a root that refers to an object expanded elsewhere is unchanged. Decisions that depend on
a type are made once for each type and then looked up for ranges of rows. Used in the worker, with numpy, over a
finished index.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.objects.index.row import (
    ELEMENT,
    ELEMENT_REFERENCE,
    FIELD_NULL,
    FIELD_SUPPRESSED,
    FIELD_VALUE,
    FORMS,
    NULL,
    OBJECT_FIELDS,
    REFERENCE,
    ROOT_OPEN,
    ROOT_VALUE,
)
from parsers.formats.graalvm.objects.source import SOURCE, LinesOfRows, matching_lines
from parsers.formats.graalvm.text.filter import TextFilters, suppressed
from parsers.model.names.java_name import JDK_TYPES
from parsers.model.names.patterns import Patterns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.model.arrays import BoolArray
    from parsers.query.selection.texts_met import MatchedTexts


def _forms(*numbers: int) -> NDArray[np.bool_]:
    """Table by form: True for these forms."""
    table = np.zeros(len(FORMS), np.bool_)
    table[list(numbers)] = True
    return table


IS_OBJECT = _forms(*range(OBJECT_FIELDS, REFERENCE + 1), *range(OBJECT_FIELDS + ELEMENT, ELEMENT_REFERENCE + 1))
"""Objects and references, with and without index."""
HAS_VALUE = _forms(ROOT_VALUE, ROOT_OPEN, FIELD_VALUE)
"""Rows whose value is the next row."""
IS_NULL = _forms(FIELD_NULL, NULL)
OF_OWNER = _forms(FIELD_NULL, FIELD_SUPPRESSED, NULL)
"""Rows without an object of their own, treated like the object that contains them."""


class ObjectFilters(TextFilters):
    """Masks and suppressed rows of one object tree."""

    _report: ObjectReport

    def mask(self, name: str, start: int, stop: int) -> BoolArray:
        """Returns True for rows that a filter hides, bool[stop - start]. Raises `KeyError` for an unknown filter.

        `nulls`: fields and elements that are null. `references`: rows that refer to an object, with their fields.
        """
        around = _Around(self, start, stop)
        if name == "nulls":
            return around.cut(IS_NULL[around.kinds])
        if name == "references":
            references = self._bulk.references(around.first, around.last)
            return around.cut(references | (around.has_value & around.next(references)))
        decide = {"jdk": lambda: self.names.of(JDK_TYPES), "synthetic": self.names.synthetic}[name]
        matching_vertices = self.matching_vertices(name, decide)
        own = self.shown(matching_vertices, around.first, around.last)
        matching = own | (around.has_value & around.next(own))
        hidden = around.cut(matching)
        orphans = around.cut(OF_OWNER[around.kinds])
        hidden[orphans] |= self._matching_owners(matching_vertices, around.cut(own), start, np.flatnonzero(orphans))
        return hidden

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """True for rows that a pattern suppresses, bool[stop - start]: fields, elements, values of roots, and roots."""
        patterns = Patterns.from_options(options)
        result = np.zeros(stop - start, np.bool_)
        if patterns.suppresses("types"):
            result |= self._suppressed_by_type(patterns, start, stop)
        if patterns.suppresses("roots"):
            result |= self._suppressed_roots(patterns, start, stop)
        return result

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Returns True for objects, and references to objects, of a suppressed type."""
        patterns = Patterns.from_options(options)
        matching: NDArray[np.bool_] = self.shown(self._matching_types(patterns), start, stop)
        matching &= IS_OBJECT[self._tree.kinds(start, stop)]
        return matching

    def _matching_types(self, patterns: Patterns) -> NDArray[np.bool_]:
        return self.suppressed_vertices(patterns, "types", self.names.of_elements)

    def _suppressed_by_type(self, patterns: Patterns, start: int, stop: int) -> NDArray[np.bool_]:
        around = _Around(self, start, stop)
        values = IS_OBJECT[around.kinds] & self.shown(self._matching_types(patterns), around.first, around.last)
        is_field = around.kinds == FIELD_VALUE
        fields = is_field & around.has_value & around.next(values)
        return around.cut(fields | (values & ~around.previous(is_field & around.has_value)))

    def _suppressed_roots(self, patterns: Patterns, start: int, stop: int) -> NDArray[np.bool_]:
        kinds = self._tree.kinds(start, stop)
        result = np.zeros(stop - start, np.bool_)
        places = np.flatnonzero((kinds == ROOT_VALUE) | (kinds == ROOT_OPEN))
        if len(places):

            def match_texts(sources: MatchedTexts) -> NDArray[np.bool_]:
                return suppressed(patterns, "roots", sources.of)

            lines = LinesOfRows(self._report, start, stop).of(places + start)
            result[places] = matching_lines(self._report, lines, SOURCE, match_texts, patterns.is_suppressed_root)
        return result

    def _matching_owners(
        self, matching_vertices: NDArray[np.bool_], own: NDArray[np.bool_], start: int, places: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Returns True for rows whose parent object has a matching type.

        matching_vertices  bool by object; own: the same by row of the range, which begins at `start`
        places      the rows, counted from `start`

        The parent is the nearest row before that is less deep by one level: the greatest key (depth, row) below
        (depth - 1, row). Parents before the range are read from the tree.
        """
        tree, stop = self._tree, start + len(own)
        above: list[int] = []
        row = tree.parent(start) if start < stop else None
        while row is not None:
            above.append(row)
            row = tree.parent(row)
        above.reverse()
        depths = np.array([*map(tree.depth, above)], np.uint16)
        depths = np.concatenate((depths, np.frombuffer(tree.depths(start, stop), np.uint16)))
        rows = np.concatenate((np.array(above, np.int64), np.arange(start, stop, dtype=np.int64)))
        ends = np.concatenate(
            (np.array([*map(tree.end, above)], np.int64), self._tree.ends(start, stop).astype(np.int64))
        )
        matching = np.concatenate((matching_vertices[[tree.vertex(row) for row in above]], own))
        # Numbers of 16 bits are sorted without comparing, and searching in order stays in the cache.
        order = np.argsort(depths, kind="stable")
        keys = (depths[order].astype(np.int64) << 32) + rows[order]
        places = places + len(above)
        by_depth = np.argsort(depths[places], kind="stable")
        wanted = ((depths[places[by_depth]].astype(np.int64) - 1) << 32) + rows[places[by_depth]]
        found = np.empty(len(places), np.int64)
        found[by_depth] = np.searchsorted(keys, wanted) - 1
        owners = order[found]
        # A row deeper by more than one level has no owner there; the row found may have ended before it.
        owned = (found >= 0) & (depths[owners] == depths[places] - 1) & (ends[owners] > rows[places])
        result: NDArray[np.bool_] = owned & matching[owners]
        return result


class _Around:
    """A range of rows with one more row on each side, if any."""

    def __init__(self, filters: ObjectFilters, start: int, stop: int) -> None:
        tree = filters._tree
        self.first, self.last = max(start - 1, 0), min(stop + 1, tree.rows)
        self._inner = slice(start - self.first, stop - self.first)
        self.kinds = tree.kinds(self.first, self.last)
        depths = np.frombuffer(tree.depths(self.first, self.last), np.uint16)
        self.has_value = HAS_VALUE[self.kinds]
        self.has_value[:-1] &= depths[1:] > depths[:-1]
        self.has_value[-1:] = False

    def cut(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns the part of a mask that belongs to the range."""
        return mask[self._inner].copy()

    def next(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns the value of the next row, by row."""
        return np.append(mask[1:], False)

    def previous(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns the value of the previous row, by row."""
        return np.append(False, mask[:-1])
