"""GraalVM call tree as text, every version from 19 to 25: one opened file.

Source: `CallTreePrinter` of oracle/graal. The tree is a breadth-first reduction of the call graph, printed depth first:
each method has one row with its id and its calls below it, and any number of references without children. So the path
to a method's declaration is a shortest one, and references often precede the declaration.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import (
    ENTRY,
    IMPLEMENTED,
    INTERFACE,
    UNCALLED,
    UNKNOWN,
    CallRow,
    parse_call_row,
)
from parsers.formats.graalvm.calls.kind import KIND_MARKS
from parsers.formats.graalvm.calls.label import CallText
from parsers.formats.graalvm.calls.sites import call_sites, declares_once, owner_row
from parsers.formats.graalvm.text.read.line import LONGEST
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.formats.graalvm.text.report import TextReport
from parsers.formats.graalvm.text.tree import arrays_of
from parsers.model.late import numpy as np
from parsers.model.row import Kind, Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.formats.graalvm.calls.index.package_table import PackageTable
    from parsers.io.cache import Cache
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source
    from parsers.model.arrays import I64Array

FEWEST_CALLS = 1024
"""Call sites of a method without declaration that are compared to find the one nearest to an entry."""

MOST_KEPT = 64
"""Capacity of the cache of call sites, in methods."""


class CallReport(TextReport[CallText]):
    """One opened call tree: the data of its views."""

    format = "graalvm-call-tree"
    format_title = "GraalVM call tree"
    kinds: Mapping[str, Kind] = KIND_MARKS
    compared_as = "graalvm-call-tree"
    """Reports of other formats with the same content can be compared with it."""

    def __init__(self, source: Source | SourceGroup, cache: Cache) -> None:
        super().__init__(source, cache)
        self._call_sites = lru_cache(MOST_KEPT)(partial(call_sites, self.tree))

    def plain_tree(self, head: bytes) -> PlainTree:
        """Parses the rows of the head; of a small file also its counts."""
        if not self.is_small:
            return PlainTree(head, parse_call_row, False, unknown=UNKNOWN)
        from parsers.formats.graalvm.calls.index.plain import call_tree

        return call_tree(head)

    def parse(self, row: int) -> CallText:
        """Parses the text of a row."""
        line, start = self.split(row)
        if start is None:
            return CallText(UNKNOWN, self.text(line), self.text(line), is_damaged=True)
        body = line[start:]
        if len(line) > LONGEST:
            return CallText(UNKNOWN, self.text(body), self.text(body), is_long=True)
        parsed = parse_call_row(body, self.reader.is_cut(row))
        if parsed.continues:
            body = self.reader.continued(row).removeprefix(line[:start])
            parsed = parse_call_row(body)
        return self._decoded(body, parsed)

    def _decoded(self, body: bytes, parsed: CallRow) -> CallText:
        label = self.text(body[parsed.start : parsed.end])
        method = self.text(parsed.name)
        bci = parsed.bci and body[slice(*parsed.bci)].decode("ascii")
        reason = parsed.reason and self.text(body[slice(*parsed.reason)])
        return CallText(parsed.kind, label, method, parsed.id, parsed.is_ref, bci, reason)

    def version_of_head(self) -> str | None:
        """Version that the rows of the head prove; None if several are possible."""
        kinds = self._kinds_of_head()
        if INTERFACE in kinds or IMPLEMENTED in kinds:
            return "19-20.0"
        if ENTRY in kinds and self.parsed(kinds.index(ENTRY)).loader is not None:
            return "24.2+"
        return "24.1" if self.has_reasons else None

    @property
    def has_reasons(self) -> bool:
        """True if the first entry has a reason."""
        kinds = self._kinds_of_head()
        return ENTRY in kinds and self.parsed(kinds.index(ENTRY)).reason is not None

    def _kinds_of_head(self) -> list[int]:
        return [self.tree.kind(row) for row in range(min(self.tree.rows, 1000))]

    def notes(self, row: int) -> Sequence[Section]:
        """Returns the additional sections of the side pane for a row."""
        return ()

    def nearest_row(self, vertex: int, row: int) -> int:
        """Returns the row of a method with the shortest path: its declaration, else its call nearest to an entry."""
        tree = self.tree
        declaration = tree.declaration(vertex)
        if declaration >= 0:
            return declaration
        rows = tree.vertex_rows(vertex)[:FEWEST_CALLS]

        def calls(row: int) -> tuple[int, int]:
            owner = owner_row(tree, int(row))
            distance = None if owner is None else tree.distance(tree.vertex(owner))
            return (1 << 32 if distance is None else distance), int(row)

        return int(min(rows, key=calls))

    def call_sites(self, vertex: int) -> Sequence[int]:
        """Returns the rows that call a method, in document order."""
        return self._call_sites(vertex) if self.is_complete else call_sites(self.tree, vertex)

    def call_site_count(self, vertex: int) -> int:
        """Returns the number of call sites of a method, without scanning them if ids are declared once."""
        tree = self.tree
        if not declares_once(tree):
            return len(self.call_sites(vertex))
        declaration = tree.declaration(vertex)
        is_uncalled = declaration >= 0 and tree.kind(declaration) in UNCALLED
        return len(tree.vertex_rows(vertex)) - is_uncalled

    def call_site_counts(self) -> I64Array:
        """Returns the numbers of call sites of all methods: int64 by method."""
        # All rows of targets without id are calls; the index counts those of methods only.
        starts, counts = self.indexed.array("vertex_start").astype(np.int64), self.indexed.array("call_sites")
        return np.where(self.ids() >= 0, counts, starts[1:] - starts[:-1])

    def ids(self) -> I64Array:
        """Returns the ids of all methods: int64 by method, -1 if none."""
        return self.indexed.ids()

    def nearest(self, vertices: Sequence[int]) -> int:
        """Returns the declaration of the method with the fewest calls from an entry, among several declared methods."""
        if len(vertices) <= FEWEST_CALLS or self.is_small:
            return min(map(self._nearness, vertices))[1]
        numbers = np.asarray(vertices)
        distances = self.indexed.array("distance")[numbers]
        nearest = numbers[distances == distances.min()]
        return int(self.indexed.array("declaration")[nearest].min())

    def _nearness(self, vertex: int) -> tuple[int, int]:
        distance = self.tree.distance(vertex)
        return (1 << 32 if distance is None else distance), self.tree.declaration(vertex)

    def rows_of_kind(self, kind: int) -> Sequence[int]:
        """Returns all rows of a kind that are known now: from an index with numpy, from the head one by one."""
        tree, arrays = self.tree, arrays_of(self.tree)
        if arrays is None:
            return [row for row in range(tree.rows) if tree.kind(row) == kind]
        return np.flatnonzero(arrays.kinds(0, tree.rows) == kind)  # type: ignore[return-value]

    @property
    def is_inexact(self) -> bool:
        """True if the report lists more calls than the image has."""
        return False

    def package_table(self) -> PackageTable:
        """Packages, classes and methods, from the finished index."""
        from parsers.formats.graalvm.calls.index.package_table import PackageTable

        return PackageTable(self.indexed.array)
