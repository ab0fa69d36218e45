"""The tree that `CallTreePrinter` would have printed for a call graph, in plain Python.

Methods are reached breadth first; each is printed in full at its first call, depth first; all other calls of it are
references. Unreachable methods follow as rows of their own kind, so that nothing is lost if a table is missing.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.graalvm.calls.index.plain import CallCounts
from parsers.formats.graalvm.calls.index.row import (
    CONTINUED,
    DIRECT,
    ENTRY,
    OVERRIDDEN,
    UNKNOWN,
    UNREACHED,
    VIRTUAL,
    CallRow,
    parse_call_row,
)
from parsers.formats.graalvm.csv.read.graph import LOST_METHOD, CsvCall, CsvGraph, format_version, read_graph
from parsers.formats.graalvm.csv.set import layout_of, table_of
from parsers.formats.graalvm.csv.summary import CsvProblem, CsvProblemKind, kept
from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.read.plain_counts import LINE_ENDS, depth_rows, ordered, totals_of_scan
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.formats.graalvm.text.summary import TextSummary

if TYPE_CHECKING:
    from parsers.io.source import Source


class Printed(NamedTuple):
    """A row of the tree."""

    depth: int
    kind: int
    method: bytes
    id: int | None = None
    is_ref: bool = False
    bci: bytes | None = None


Place = tuple[int, int, int]
"""A call of a method: id of the method, number of the call, number of the callee."""


class Order(NamedTuple):
    """Order in which methods are reached."""

    roots: list[int]
    methods: list[int]
    """All methods."""
    declared: dict[int, Place]
    """First call of each method that is no root."""
    continued: set[int]
    """Roots that are too deep to be shown below the call that reaches them first."""


def order_of(graph: CsvGraph) -> Order:
    """Computes the roots of the tree, and the first call of all other methods."""
    roots, declared, continued = list(graph.roots), dict[int, Place](), set[int]()
    seen = dict.fromkeys(roots, 0)
    """Methods in the order in which they are reached, with the depth of their row."""
    unreached = iter(sorted({*graph.methods, *graph.lost} - graph.only_called))
    queue = deque(roots)
    while True:
        while queue:
            caller = queue.popleft()
            for number, call in enumerate(graph.calls.get(caller, ())):
                for place, callee in enumerate(call.callees):
                    if callee in seen:
                        continue
                    depth = seen[caller] + (1 if call.is_direct else 2)
                    queue.append(callee)
                    # Below the row of a method there are two more levels: calls, and targets of virtual ones.
                    if depth <= DEEPEST - 2:
                        seen[callee] = depth
                        declared[callee] = (caller, number, place)
                    else:
                        seen[callee] = 0
                        continued.add(callee)
                        roots.append(callee)
        root = next((id for id in unreached if id not in seen), None)
        if root is None:
            return Order(roots, list(seen), declared, continued)
        seen[root] = 0
        roots.append(root)
        queue.append(root)


def printed_rows(graph: CsvGraph, order: Order) -> Iterator[Printed]:
    """Returns the rows of the tree, from the first to the last."""
    roots, _, declared, continued = order
    for number, root in enumerate(roots):
        kind = CONTINUED if root in continued else ENTRY if number < len(graph.roots) else UNREACHED
        yield Printed(0, kind, graph.text(root), root)
        stack = [_below(graph, declared, root, 1)]
        while stack:
            row = next(stack[-1], None)
            if row is None:
                stack.pop()
                continue
            yield row
            if row.id is not None and not row.is_ref:
                stack.append(_below(graph, declared, row.id, row.depth + 1))


def _below(graph: CsvGraph, declared: dict[int, Place], method: int, depth: int) -> Iterator[Printed]:
    """Returns the rows of the calls of a method, without their subtrees."""

    def callee_row(call: CsvCall, number: int, place: int, depth: int, kind: int, bci: bytes | None) -> Printed:
        callee = call.callees[place]
        is_ref = declared.get(callee) != (method, number, place)
        return Printed(depth, kind, graph.text(callee), callee, is_ref, bci)

    for number, call in enumerate(graph.calls.get(method, ())):
        if call.is_direct:
            for place in range(len(call.callees)):
                yield callee_row(call, number, place, depth, DIRECT, call.bci)
        else:
            yield Printed(depth, VIRTUAL, call.target, bci=call.bci)
            for place in range(len(call.callees)):
                yield callee_row(call, number, place, depth + 1, OVERRIDDEN, None)


MOST_PLAIN = 300_000
"""Most rows that plain code builds; it takes a second and a half."""


class TooManyRowsError(Exception):
    """The tree is so large that kernels must build it, although its tables are small."""


def tree_of(sources: Sequence[Source], most: int | None = None) -> CsvTree:
    """Builds the tree of the files of a set. Raises `TooManyRowsError` if its calls are more than `most` rows."""
    tables, names = {}, {}
    for source in sources:
        source.unpack()
        table = table_of(source)
        tables[table] = source.pread(source.size, 0)
        names[table] = os.path.basename(source.path)
    graph = read_graph(tables)
    if most is not None and graph.rows > most:
        raise TooManyRowsError
    return CsvTree(graph, names, format_version(graph, min(names.values())))


_NO_NAMES: Mapping[str, str] = {}


class CsvTree(PlainTree):
    """`TextTree` of a graph in memory. Row N is printed on line N + 2, after the header."""

    def __init__(
        self, graph: CsvGraph | None, names: Mapping[str, str] = _NO_NAMES, version: str | None = None
    ) -> None:
        """
        graph    None: not known yet
        names    by table the name of its file
        version  versions of GraalVM that write such tables
        """
        counts = CallCounts()
        super().__init__(b"", parse_call_row, False, unknown=UNKNOWN, encoding="utf-8", counts=counts)
        self.bcis: list[bytes | None] = []
        """By row: position of the call in the calling method."""
        if graph is not None:
            order = order_of(graph)
            self._note_names(graph, order)
            for number, row in enumerate(printed_rows(graph, order)):
                self.bcis.append(row.bci)
                self.scan.add_row(0, number + 2, row.depth, _parsed(row), row.bci or b"")
            self.finish()
            self.summary = summary_of(self, counts, graph, names, version)

    def _note_names(self, graph: CsvGraph, order: Order) -> None:
        """Numbers names in table order, and vertices as they are reached, followed by targets named by calls."""
        scan = self.scan
        for row in (*graph.methods.values(), *graph.targets.values()):
            scan.note_name(row.text)
        for lost in (*sorted(graph.lost), *sorted(graph.lost_targets)):
            scan.note_name(LOST_METHOD % lost)
        for id in order.methods:
            scan.note_vertex(id, graph.text(id))
        named = {call.target for calls in graph.calls.values() for call in calls if not call.is_direct}
        for target in sorted(named, key=scan.note_name):
            scan.note_vertex(None, target)

    def bci(self, row: int) -> bytes | None:
        """Returns the position of a row's call in the calling method."""
        return self.bcis[row]


def _parsed(row: Printed) -> CallRow:
    """Returns a row as if it were parsed from a text that is its bytecode index alone."""
    bci = None if row.bci is None else (0, len(row.bci))
    return CallRow(row.kind, 0, 0, 0, row.method, row.id, row.is_ref, bci, None)


def summary_of(
    tree: CsvTree, counts: CallCounts, graph: CsvGraph, names: Mapping[str, str], version: str | None
) -> TextSummary:
    """Returns the totals, facts and problems of a whole set."""
    scan = tree.scan
    totals_of_tree = totals_of_scan(tree) | counts.totals(tree, "utf-8")
    # Names of the tables are counted as bytes.
    texts = {"unique_names": len(scan.names), "classes": len(counts.classes), "packages": len(counts.packages)}
    sums = ordered(totals_of_tree | texts, TREE_TOTALS)
    totals = dict(graph.totals)
    if totals:
        distances = {
            scan.vertex_ids[vertex]: distance
            for vertex, distance in enumerate(tree.distances)
            if distance is not None and scan.vertex_ids[vertex] >= 0
        }
        totals["max_distance"] = max(distances.values(), default=-1)
        totals["unreached_methods"] = len(graph.methods.keys() - distances.keys())
        totals["edges"] = sums["edges"]
    lines = [data.count(b"\n") + (data[-1:] not in (b"", b"\n")) for data in graph.tables.values()]
    crlf = [data.count(b"\r\n") for data in graph.tables.values()]
    rows_by_depth = depth_rows(scan.depths)
    if CONTINUED in scan.kinds:
        graph.problems.append(CsvProblem("methods", 0, CsvProblemKind.TOO_DEEP, 0))
    facts = {
        "format_version": version,
        "encoding": "utf-8",
        "line_end": LINE_ENDS[2 * sum(crlf) > sum(lines)],
        "missing_tables": [table for table in layout_of(list(graph.tables)) if table not in graph.tables],
        "depth_rows": rows_by_depth,
        "as_tree": sums,
    }
    return TextSummary(totals, facts, kept(graph.problems, names), len(graph.problems))


TREE_TOTALS = (
    "rows",
    "entries",
    "direct_calls",
    "virtual_calls",
    "overridden_by",
    "ids",
    "max_id",
    "duplicate_ids",
    "id_refs",
    "call_sites",
    "edges",
    "max_depth",
    "max_distance",
    "max_children",
    "virtual_without_callees",
    "unique_names",
    "classes",
    "packages",
)
"""Counts of the tree, as for a text tree."""
