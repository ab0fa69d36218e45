"""Builds the index of a CSV set with kernels: tables, calls, the tree printed from them, and its lookup arrays.

Twin: `csv.tree` with `csv.build`; both save the same arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.packages import build_packages
from parsers.formats.graalvm.calls.index.row import DIRECT, ENTRY, OVERRIDDEN, VIRTUAL
from parsers.formats.graalvm.csv.read.calls import CsvCalls, calls_of, listed_methods
from parsers.formats.graalvm.csv.read.kernel import STRANGE_BCI
from parsers.formats.graalvm.csv.read.name_kernel import NONE
from parsers.formats.graalvm.csv.read.names import CallArrays, ReachedMethods, UnfoldedRows
from parsers.formats.graalvm.csv.read.tables import CsvKernelTables
from parsers.formats.graalvm.csv.read.unfold_kernel import (
    CHILDREN,
    EDGES,
    EMPTY,
    LARGE,
    LISTED,
    NO_BCI,
    STRANGES,
    examine_calls,
    measure,
    place_rows,
    print_rows,
    reach,
)
from parsers.formats.graalvm.csv.set import most_rows
from parsers.formats.graalvm.text.columns import id_columns, lowest_depths, small_numbers
from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.index.writer import GrowingArray, Writer
from parsers.io.ordered_pipeline import in_parallel
from parsers.kernels.large_pages import large
from parsers.kernels.places import sorted_places
from parsers.kernels.text_table import larger_slots
from parsers.model.lookup import first_places
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

COLUMNS = {"depth": "u2", "kind": "u1", "below": "u1", "vertex": "u4", "bci": "u2"}
REACHED = {"depth": "u2", "kind": "u1"} | dict.fromkeys(
    ("method", "parent", "local", "call", "place", "distance", "below", "row"), "u4"
)
"""Types of the arrays of `ReachedMethods`."""
THREADS = 2
PARTS = 8
"""Number of parts into which printing is divided for threads."""


class CsvKernelIndex:
    """The build of one set's index, once its tables are read."""

    def __init__(self, writer: Writer, tables: CsvKernelTables, is_whole: bool) -> None:
        """is_whole: True if the set has all its tables"""
        self._writer = writer
        self._tables = tables
        self._is_whole = is_whole
        self._methods = tables.methods["methods"]
        self._bytes = sum(file.size for file in tables.files.values())
        self._growing: dict[str, GrowingArray] = {}
        self.calls: CsvCalls = calls_of(tables, is_whole)
        self.sums = np.zeros(8, np.int64)
        self.kinds = np.zeros(16, np.int64)
        self.depths = np.zeros(DEEPEST + 1, np.int64)

    def run(self) -> None:
        """Builds and saves everything except the header."""
        self._begin()
        in_parallel([self._reach, self._examine_calls, self._save_slots])
        self._print()
        in_parallel([self._sorting(), self._save_packages, self._save_vertices, self._save_names, self._save_rows])

    # -- the tree -----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        calls, count = self.calls, self._methods.count
        self._graph = CallArrays(
            calls.first,
            calls.list_first,
            calls.members,
            np.zeros(len(calls.list_first), np.uint8),
            large("u1", len(calls.table.to) + 1),
            np.full(count + 1, NONE, np.uint32),
        )
        columns = REACHED.items()
        self._reached = ReachedMethods(**{name: large(type, count + 1) for name, type in columns})

    def _reach(self) -> None:
        calls, graph, tree = self.calls, self._graph, self._reached
        count = self._methods.count
        most = most_rows(self._bytes)
        vertices = reach(calls.table, graph, tree, calls.roots, True, 0, most, DEEPEST)
        unreached = np.flatnonzero(calls.shown & (graph.vertex[:count] == NONE))
        rest = unreached[np.argsort(self._methods.of("id")[unreached], kind="stable")].astype(np.uint32)
        self.vertices = (
            reach(calls.table, graph, tree, rest, False, vertices, most, DEEPEST)
            if len(rest) and vertices >= 0
            else vertices
        )
        self._own = np.cumsum(tree.below[: max(self.vertices, 0)], dtype=np.int64)
        if self.vertices < 0 or self.vertices + int(self._own[-1:].sum()) > most:
            raise ReportError(f"the tree of these tables would have more than {most:,} rows")
        self.rows = measure(tree, self.vertices)

    def _examine_calls(self) -> None:
        calls = self.calls
        is_target = np.zeros(self._tables.names.count("names") + 1, np.uint8)
        rows, self._many, self._strange_calls = examine_calls(calls.table, calls.list_first, is_target)
        self._target_names = np.flatnonzero(is_target).astype(np.uint32)
        rows += self._methods.count
        if rows <= self._bytes:
            self._make_columns(rows)

    def _make_columns(self, rows: int) -> None:
        """Creates the columns of at most so many rows, filled with the most frequent value; for `below` that is the 0
        of a new file."""
        self._growing = {name: self._writer.grow(name, type, rows + 1) for name, type in COLUMNS.items()}
        self._growing["kind"].array.fill(OVERRIDDEN)
        self._growing["bci"].array.fill(NO_BCI)

    def _print(self) -> None:
        """Fills the columns of rows."""
        calls, tree, vertices = self.calls, self._reached, self.vertices
        if not self._growing:
            self._make_columns(self.rows)
        for growing in self._growing.values():
            growing.length = self.rows
        self._columns = {name: growing.array[: self.rows] for name, growing in self._growing.items()}
        named = self._target_names
        total = vertices + len(named)
        targets = np.zeros(self._tables.names.count("names") + 1, np.uint32)
        targets[named] = np.arange(vertices, total, dtype=np.uint32)
        many = self._many + int((tree.below[:vertices] >= LARGE).sum()) + int(self._graph.declares.sum())
        graph = self._graph._replace(members=self._graph.vertex[calls.members])
        parts: list[tuple[UnfoldedRows, I64Array, I64Array, I64Array]] = []
        seen = [large("u4", 2 * total + 2) for _ in range(THREADS)]
        free = list(seen)

        def job(begin: int, end: int) -> None:
            rows = UnfoldedRows(
                **self._columns,
                large_row=np.empty(many + 1, np.uint32),
                large_end=np.empty(many + 1, np.uint32),
                strange_row=np.empty(self._strange_calls + 1, np.uint32),
                strange_code=np.empty(self._strange_calls + 1, np.int64),
            )
            sums, kinds, depths = np.zeros(8, np.int64), np.zeros(16, np.int64), np.zeros(DEEPEST + 1, np.int64)
            parts.append((rows, sums, kinds, depths))
            mine = free.pop()
            print_rows(calls.table, graph, tree, rows, begin, end, targets, mine, depths, kinds, sums)
            free.append(mine)

        in_parallel([partial(job, begin, end) for begin, end in pairwise(self._parts())])
        self._counts = seen[0][1 : 2 * total : 2] + seen[1][1 : 2 * total : 2]
        for _, sums, kinds, depths in parts:
            children = max(self.sums[CHILDREN], sums[CHILDREN])
            self.sums += sums
            self.sums[CHILDREN] = children
            self.kinds += kinds
            self.depths += depths
        self._large = _joined([(rows.large_row[: s[LISTED]], rows.large_end[: s[LISTED]]) for rows, s, *_ in parts])
        self._strange = _joined(
            [(rows.strange_row[: s[STRANGES]], rows.strange_code[: s[STRANGES]]) for rows, s, *_ in parts]
        )

    def _parts(self) -> list[int]:
        """First vertices of parts with about equally many rows, and the end of the last part."""
        own, vertices = self._own, self.vertices
        if not vertices:
            return [0, 0]
        bounds = np.searchsorted(own, np.arange(1, PARTS) * (int(own[-1]) // PARTS))
        return [0, *bounds.tolist(), vertices]

    def _sorting(self) -> Callable[[], None]:
        """Job that groups all rows by vertex."""
        self.starts = np.cumulative_sum(self._counts, dtype=np.uint32, include_initial=True)
        growing = self._writer.grow("vertex_row", "u4", self.rows + 1)
        growing.length = self.rows
        cursors = self.starts[:-1].copy()
        self.sites = self._counts
        is_root = self._reached.parent[: self.vertices] == NONE
        self.sites[: self.vertices][is_root] -= np.uint32(1)
        self.sites[self.vertices :] = 0
        return lambda: place_rows(self._columns["vertex"], cursors, growing.array)

    # -- saving -------------------------------------------------------------------------------------------------------

    def _save_rows(self) -> None:
        save = self._writer.save
        save("gap_row", np.zeros(min(self.rows, 1), np.uint32))
        save("gap_lines", np.ones(min(self.rows, 1), np.uint64))
        save("continued_row", np.zeros(0, np.uint32))
        save("continued_lines", np.zeros(0, np.uint32))
        save("large_row", self._large[0])
        save("large_end", self._large[1])
        save("low_depth", lowest_depths(self._columns["depth"]))
        rows, codes = self._strange
        strange = self._tables.strange
        texts = [strange[code - STRANGE_BCI] if code >= STRANGE_BCI else b"%d" % code for code in codes.tolist()]
        save("bci_row", rows)
        save("bci_start", np.cumsum([0, *map(len, texts)]).astype(np.uint32))
        save("bci_bytes", np.frombuffer(b"".join(texts), np.uint8))

    def _save_vertices(self) -> None:
        save, tree, vertices = self._writer.save, self._reached, self.vertices
        named = self._target_names
        none = np.full(len(named), NONE, np.uint32)
        self._ids = np.concatenate((self._methods.of("id")[tree.method[:vertices]], np.full(len(named), -1)))
        save("declaration", np.concatenate((tree.row[:vertices], none)))
        save("distance", small_numbers(np.concatenate((tree.distance[:vertices], none))))
        save("vertex_start", self.starts)
        save("call_sites", self.sites)
        for name, values in id_columns(self._ids).items():
            save(name, values)

    def _vertex_names(self) -> U32Array:
        return np.concatenate((self._methods.of("name")[self._reached.method[: self.vertices]], self._target_names))

    def _save_slots(self) -> None:
        table, count = self._tables.names.table, self._tables.names.count("names")
        slots = table.slots
        if len(slots) > 8 * count:
            slots = larger_slots(slots, count, table.starts, table.blob)
        self._tables.names.save(slots)

    def _save_names(self) -> None:
        save = self._writer.save
        names, count = self._vertex_names().astype(np.uint32), self._tables.names.count("names")
        save("vertex_name", names)
        starts, members = sorted_places(names, count)
        save("name_vertex_start", starts)
        save("name_vertex", members)

    def _save_packages(self) -> None:
        buffers, tree, vertices = self._tables.names, self._reached, self.vertices
        table, total = buffers.table, vertices + len(self._target_names)
        # Classes and packages are numbered by the first of the rows that declare their methods.
        declared = np.argsort(tree.row[:vertices]).astype(np.uint32)
        old = table.name_class[self._vertex_names()[:vertices]]
        classes, numbers = _in_order_of_use(old[declared], buffers.count("classes"))
        packages, package_numbers = _in_order_of_use(table.class_package[classes], buffers.count("packages"))
        self.classes, self.packages = len(classes), len(packages)
        found = np.full(total, NONE, np.uint32)
        found[:vertices] = numbers[old]
        package_of = package_numbers[table.class_package[classes]]
        starts = table.package_starts
        texts = [table.package_bytes[int(starts[each]) : int(starts[each + 1])].tobytes() for each in packages]
        declaration = np.full(total, NONE, np.uint32)
        declaration[:vertices] = tree.row[:vertices]
        ends = tree.row[declared].astype(np.int64) + 1 + tree.below[declared]
        save = self._writer.save
        save("class", found)
        save("class_package", package_of)
        arrays = build_packages(found, package_of, declaration, self.sites, texts, declared, ends)
        for name, values in arrays.items():
            save(f"packages.{name}", values)

    # -- results ------------------------------------------------------------------------------------------------------

    def totals(self) -> dict[str, object]:
        """Every count of the tables; empty if one is missing."""
        if not self._is_whole:
            return {}
        tables, methods = self._tables, self._methods
        is_method = listed_methods(tables, "methods")
        count, ids = int(is_method.sum()), methods.of("id")
        max_id = int(ids[is_method].max()) if count else -1
        distances = self._reached.distance[: self.vertices]
        is_reached = np.zeros(methods.count, np.bool_)
        is_reached[self._reached.method[: self.vertices][distances != NONE]] = True
        return {
            "bytes": self._bytes,
            "rows": tables.sums.rows,
            "methods": count,
            "max_id": max_id,
            "id_gaps": max_id + 1 - count,
            "entries": len(self.calls.roots),
            **self.calls.totals,
            "repaired_rows": tables.sums.repaired,
            "negative_bci": tables.sums.negative,
            "chained_bci": tables.sums.chained,
            "max_distance": self._farthest(),
            "unreached_methods": int((is_method & ~is_reached).sum()),
            "edges": int(self.sums[EDGES]),
        }

    def _farthest(self) -> int:
        distances = self._reached.distance[: self.vertices]
        known = distances[distances != NONE]
        return int(known.max()) if len(known) else -1

    def tree_totals(self) -> dict[str, int]:
        """Returns the counts of the tree."""
        kinds, deep = self.kinds, np.flatnonzero(self.depths)
        mentions = int(kinds[DIRECT] + kinds[OVERRIDDEN])
        roots = int((self._reached.parent[: self.vertices] == NONE).sum())
        return {
            "rows": self.rows,
            "entries": int(kinds[ENTRY]),
            "direct_calls": int(kinds[DIRECT]),
            "virtual_calls": int(kinds[VIRTUAL]),
            "overridden_by": int(kinds[OVERRIDDEN]),
            "ids": self.vertices,
            "max_id": int(self._ids.max(initial=-1)),
            "duplicate_ids": 0,
            "id_refs": mentions - (self.vertices - roots),
            "call_sites": mentions,
            "edges": int(self.sums[EDGES]),
            "max_depth": int(deep[-1]) if len(deep) else -1,
            "max_distance": self._farthest(),
            "max_children": int(self.sums[CHILDREN]),
            "virtual_without_callees": int(self.sums[EMPTY]),
            "unique_names": self._tables.names.count("names"),
            "classes": self.classes,
            "packages": self.packages,
        }

    def depth_rows(self) -> list[int]:
        """Rows at depth 0, 1, 2 …"""
        deep = np.flatnonzero(self.depths)
        return self.depths[: int(deep[-1]) + 1].tolist() if len(deep) else []


def _in_order_of_use(numbers: AnyArray, count: int) -> tuple[I64Array, U32Array]:
    """Returns the numbers, below `count`, in the order of their first use, and by number its place among them."""
    firsts = first_places(numbers, count)
    used = np.flatnonzero(firsts >= 0)
    order = used[np.argsort(firsts[used])]
    places = np.zeros(count, np.uint32)
    places[order] = np.arange(len(order))
    return order, places


def _joined(parts: list[tuple[U32Array, AnyArray]]) -> tuple[U32Array, AnyArray]:
    """Rows and their values, of all parts, by row."""
    rows, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return rows[order], values[order]
