"""The methods of one build as arrays for comparison with another: names, classes, shortest paths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.builds.normalised import normalised_names
from parsers.formats.graalvm.calls.index.row import ENTRY, method_parts
from parsers.formats.graalvm.text.graph.rows import owners_of_rows
from parsers.formats.graalvm.text.indexed_tree import KIND
from parsers.graph.reachability import ranges
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.model.arrays import BoolArray, I64Array, U32Array
    from parsers.reporting.comparison.text_numbers import EncodedTexts

NO_METHOD = -1
"""Value for no caller: the method is an entry, or no ancestor declares an id."""


class BuildMethods:
    """Methods that known rows declare, numbered by package, class and row."""

    def __init__(self, report: CallReport, is_as_printed: bool) -> None:
        """is_as_printed: True keeps names as they are in the file"""
        self.report = report
        self.is_as_printed = is_as_printed
        self.table = report.package_table()

    @property
    def is_inexact(self) -> bool:
        """True if the report lists more calls than are real."""
        return self.report.is_inexact

    @property
    def count(self) -> int:
        """Number of methods."""
        return len(self.table.vertices)

    @cached_property
    def texts(self) -> EncodedTexts:
        """Unique names of the tree, including those of methods without id."""
        return normalised_names(self.report.names, self.report.encoding, is_as_printed=self.is_as_printed)

    @cached_property
    def vertices(self) -> I64Array:
        """int64 by method: its vertex in the tree."""
        return np.asarray(self.table.vertices).astype(np.int64)

    @cached_property
    def names(self) -> I64Array:
        """int64 by method: the number of its text."""
        return self.report.indexed.array("vertex_name")[self.vertices].astype(np.int64)

    @cached_property
    def rows(self) -> I64Array:
        """int64 by method: the row that declares it."""
        return self.report.indexed.array("declaration")[self.vertices].astype(np.int64)

    @cached_property
    def is_entry(self) -> BoolArray:
        """bool by method: True if it is a root of the analysis."""
        return np.asarray(self.report.indexed.array("kind")[self.rows] & KIND == ENTRY)

    @cached_property
    def owners(self) -> I64Array:
        """int64 by method: its caller on the shortest path, or `NO_METHOD`.

        The tree is a breadth-first one, so that is the method above the declaration.
        """
        return self._owners_of_rows(self.rows)

    def _owners_of_rows(self, rows: I64Array) -> I64Array:
        """Methods that contain some rows; `NO_METHOD` for entries, and if no ancestor declares a method."""
        vertices = self._row_owners[rows].astype(np.int64)
        return self._method_of_vertex[np.minimum(vertices, len(self._method_of_vertex) - 1)]

    @cached_property
    def _row_owners(self) -> U32Array:
        tree = self.report.indexed
        return owners_of_rows(tree, tree.array("vertex"), ENTRY, NONE)

    @cached_property
    def _method_of_vertex(self) -> I64Array:
        """int64 by vertex: its method, `NO_METHOD` without one and for an extra last element."""
        found = np.full(self.report.tree.vertices + 1, NO_METHOD, np.int64)
        found[self.vertices] = np.arange(self.count)
        return found

    def calls_of(self, methods: I64Array) -> tuple[I64Array, I64Array]:
        """Returns all calls of some methods: callee and caller of each (int64)."""
        tree, vertices = self.report.indexed, self.vertices[methods]
        starts = tree.array("vertex_start").astype(np.int64)
        firsts, ends = starts[vertices], starts[vertices + 1]
        counts, rows = ends - firsts, tree.array("vertex_row")[ranges(firsts, ends)].astype(np.int64)
        called, callers = np.repeat(methods, counts), self._owners_of_rows(rows)
        is_call = callers != NO_METHOD
        return called[is_call], callers[is_call]

    @cached_property
    def distances(self) -> I64Array:
        """int64 by method: number of calls on the shortest path from an entry."""
        return nearest_ancestors(self.owners, np.ones(self.count, bool))[1]

    @cached_property
    def class_of(self) -> I64Array:
        """int64 by method: its class, with the numbers of the table."""
        first = np.asarray(self.table.class_first)
        return np.repeat(np.arange(len(first) - 1), np.diff(first))

    @cached_property
    def class_names(self) -> Sequence[str]:
        """Name of each class."""
        texts, first = self.texts, np.asarray(self.table.class_first)[:-1]
        return [holder_of(texts.text(int(name))) for name in self.names[first]]

    def line(self, method: int) -> int:
        """Returns the line that declares a method."""
        return self.report.tree.line(int(self.rows[method]))


def nearest_ancestors(owners: I64Array, continues: BoolArray) -> tuple[I64Array, I64Array]:
    """By method: the nearest caller that ends its path up, and the number of steps to it.

    owners   int64: the caller of each, or `NO_METHOD`
    continues  bool: True if a path continues above a method
    An unbounded path gives `NO_METHOD`. Step lengths double each time, so deep trees take no longer.
    """
    count = len(owners)
    ancestors, steps = np.append(owners, NO_METHOD), np.append((owners >= 0).astype(np.int64), 0)
    ends = np.append(~continues, True)
    for _ in range(64):
        moving = np.flatnonzero(~ends[ancestors])
        if not len(moving):
            break
        middle = ancestors[moving]
        ancestors[moving], steps[moving] = ancestors[middle], steps[moving] + steps[middle]
    return ancestors[:count], steps[:count]


def holder_of(method: str) -> str:
    """Returns the class of a method."""
    if method.count("(") == method.count(")") == 1:
        # The form of nearly all methods.
        return method[: method.index("(")].rpartition(".")[0]
    return method[slice(*method_parts(method).holder)]
