"""Roots and fields of an object tree that match patterns: referrers of an object, as `Class.field`.

A static field is a root, which the tree prints with the field's type: `java.util.Locale.cache:…`; a pattern may omit
the type. A field of an object is matched by the type of the object and the name of the field; the tree doesn't show the
declaring class. Names of fields have no dots, so the last dot of a pattern precedes the field.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.graalvm.objects.index.row import FIELD_VALUE, ROOT_REFERENCE
from parsers.formats.graalvm.objects.source import FIELD_NAME, SOURCE, SOURCE_OF_REFERENCE, LinesOfRows, matching_lines
from parsers.model.names.patterns import PatternSet

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.graph.adjacency import Edges
    from parsers.model.arrays import BoolArray, I64Array, U16Array, U32Array
    from parsers.query.selection.texts_met import MatchedTexts


class FieldPattern(NamedTuple):
    """A parsed pattern."""

    types: PatternSet
    names: PatternSet


def field_pattern(pattern: str) -> FieldPattern:
    """Splits a pattern into type of an object and name of its field."""
    begins, ends = pattern.startswith("*"), pattern.endswith("*") and len(pattern) > 1
    type, dot, name = pattern[begins : len(pattern) - ends].rpartition(".")
    before, behind = "*" if begins else "", "*" if ends else ""
    if not dot:
        # No type ends there, so only a pattern with an open start can match the end of a text.
        return FieldPattern(PatternSet(("*",) if begins else ()), PatternSet((f"*{name}{behind}",)))
    return FieldPattern(PatternSet((f"{before}{type}",)), PatternSet((f"{name}{behind}",)))


def root_patterns(patterns: PatternSet, has_loaders: bool) -> PatternSet:
    """Returns the patterns that also match static fields without their types, and roots with loaders without those."""
    more = [f"{each}:*" for each in patterns.exact] + [f"*{each}:*" for each in patterns.ends]
    if has_loaders:
        more += [f"*:{each}" if "(" in each else f"*:{each}:*" for each in patterns.exact]
    return PatternSet((*patterns.patterns, *more))


class Pointed:
    """Roots and fields of one report, by their edges."""

    def __init__(self, report: ObjectReport, edges: Edges) -> None:
        self._report = report
        self._tree = report.indexed
        self._edges = edges

    @cached_property
    def _depths(self) -> U16Array:
        return self._tree.array("depth")

    @cached_property
    def _lines(self) -> LinesOfRows:
        return LinesOfRows(self._report, 0, self._tree.rows)

    def matching_roots(self, patterns: PatternSet) -> U32Array:
        """Returns the places of roots whose sources match: uint32."""
        tops = np.flatnonzero(self._depths == 0)
        tops, place = np.unique(tops[np.searchsorted(tops, self._edges.root_rows, "right") - 1], return_inverse=True)
        widened = root_patterns(patterns, self._report.has_loaders)
        is_reference = self._tree.kinds(0, self._tree.rows)[tops] == ROOT_REFERENCE
        matching = np.zeros(len(tops), bool)
        for which, part in ((is_reference, SOURCE_OF_REFERENCE), (~is_reference, SOURCE)):
            lines = self._lines.of(tops[which])
            matching[which] = matching_lines(
                self._report, lines, part, lambda texts: texts.of(widened), widened.__contains__
            )
        return np.flatnonzero(matching[place]).astype(np.uint32)

    @cached_property
    def _field_edges(self) -> I64Array:
        """Edges whose values are below fields: int64."""
        above = self._edges.rows.astype(np.int64) - 1
        is_field = self._tree.kinds(0, self._tree.rows)[above] == FIELD_VALUE
        return np.flatnonzero(is_field & (self._depths[above] < self._depths[above + 1]) & (above >= 0))

    def matching_fields(self, patterns: PatternSet, types: U32Array, names: MatchedTexts) -> U32Array:
        """Edges that are fields whose type and name match: uint32.

        types  uint32 by object: the name of its type, NONE without one
        names  all names
        """
        edges = self._field_edges
        owners = np.searchsorted(self._edges.starts, edges, "right") - 1
        types = np.minimum(types, len(names))[owners]
        matching = np.zeros(len(edges), bool)
        for type, name in map(field_pattern, patterns.patterns):
            which = np.flatnonzero(np.append(names.of(type), False)[types] & ~matching)
            matching[which] = self._named(edges[which], name)
        return edges[matching].astype(np.uint32)

    def _named(self, edges: I64Array, patterns: PatternSet) -> BoolArray:
        """Returns True for edges whose field name matches: bool."""
        rows, back = np.unique(self._edges.rows[edges].astype(np.int64) - 1, return_inverse=True)
        if not len(rows):
            return np.zeros(0, bool)
        lines = self._lines.of(rows)
        matching = matching_lines(
            self._report, lines, FIELD_NAME, lambda texts: texts.of(patterns), patterns.__contains__
        )
        return np.asarray(matching[back])
