"""The call graph of the tables of a CSV set, in plain Python: methods, calls, roots.

An id in an edge that no table of methods has becomes a method named by its id only, so that rows below it are kept.
Twin of the graph that `csv.build` builds with kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from parsers.formats.graalvm.calls.index.row import method_parts
from parsers.formats.graalvm.csv.format import fits
from parsers.formats.graalvm.csv.read import table as csv_table
from parsers.formats.graalvm.csv.read.table import CsvRow, MethodRow, lines_of
from parsers.formats.graalvm.csv.set import layout_of
from parsers.formats.graalvm.csv.summary import CsvProblem, CsvProblemKind
from parsers.formats.graalvm.folder.format import header_of

SAMPLE, SAMPLED = 20_000, 32
"""The printer's order of calls is concluded from methods with ids below the first number or multiples of the second."""
HIGHEST_BCI = 10**18

Parsed = TypeVar("Parsed")
"""Contents of a row of a table."""


class CsvCall(NamedTuple):
    """One call that a method makes."""

    number: int
    """Id of the call, else its place among the rows of its kind."""
    is_direct: bool
    target: bytes
    """The named method, as text."""
    bci: bytes
    callees: list[int]
    """Ids of the possible targets, in printed order."""


@dataclass
class CsvGraph:
    """The graph of a set."""

    tables: Mapping[str, bytes]
    methods: dict[int, MethodRow] = field(default_factory=dict)
    """Methods by id, in the order of the table."""
    targets: dict[int, MethodRow] = field(default_factory=dict)
    """Virtual methods of the layout of seven tables."""
    roots: list[int] = field(default_factory=list)
    calls: dict[int, list[CsvCall]] = field(default_factory=dict)
    """Calls by id of the calling method, in printed order."""
    lost: set[int] = field(default_factory=set)
    """Ids that edges refer to and no table has."""
    lost_targets: set[int] = field(default_factory=set)
    """The same for virtual methods."""
    only_called: set[int] = field(default_factory=set)
    """Ids of methods that calls name but never reach, in tables of 24.1 and newer."""
    totals: dict[str, Any] = field(default_factory=dict)
    problems: list[CsvProblem] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Number of rows in which its calls are printed."""
        return sum(len(call.callees) + (not call.is_direct) for calls in self.calls.values() for call in calls)

    def text(self, id: int) -> bytes:
        """Returns a method as printed."""
        row = self.methods.get(id)
        return LOST_METHOD % id if row is None else row.text


LOST_METHOD = b"method %d"
"""Text of a method that no table has, by its id."""


def sort_key(method: bytes) -> tuple[bytes, bytes]:
    """Key by which `CallTreePrinter` sorts methods: `%H.%n(%p)`, which has types of parameters without their packages.

    Until 20.3 and after; measured on files of 23.0. The whole text follows, so that the order is deterministic.
    """
    parts = method_parts(method)
    types = method[slice(*parts.parameters)].split(b", ")
    return method[: parts.parameters[0]] + b", ".join(type.rpartition(b".")[2] for type in types), method


def read_graph(tables: Mapping[str, bytes]) -> CsvGraph:
    """Reads the graph of a set from the bytes of each table."""
    layout = layout_of(list(tables))
    own = {table: data for table, data in tables.items() if table in layout}
    graph = _ThreeTables(own).graph if "invokes" in layout else _SevenTables(own).graph
    graph.problems += [CsvProblem(table, 0, CsvProblemKind.OTHER_LAYOUT, 0) for table in tables if table not in own]
    return graph


class _Reading:
    """Base of the readers of both layouts."""

    def __init__(self, tables: Mapping[str, bytes]) -> None:
        self.graph = CsvGraph(tables)
        self.tables = tables
        self.rows = dict.fromkeys(sorted(tables), 0)
        self.repaired = self.negative = self.chained = 0
        self.more = csv_table.more_columns_of({table: header_of(data) for table, data in tables.items()})
        for table in layout_of(list(tables)):
            if table not in tables:
                self.graph.problems.append(CsvProblem(table, 0, CsvProblemKind.MISSING_TABLE, 0))
        for table, data in tables.items():
            if data and not data.endswith(b"\n"):
                start = data.rfind(b"\n") + 1
                self.found(table, CsvRow(data.count(b"\n") + 1, start, b""), CsvProblemKind.CUT)

    def found(self, table: str, line: CsvRow, kind: CsvProblemKind, id: int = -1) -> None:
        """Notes a problem."""
        self.graph.problems.append(CsvProblem(table, line.number, kind, line.offset, id))

    def parsed(self, table: str, parse: Callable[[bytes], Parsed | None]) -> Iterator[tuple[CsvRow, Parsed]]:
        """Yields the rows of a table that fit its form, and their contents; counts all, and notes the others."""
        for line in lines_of(self.tables.get(table, b"")):
            self.rows[table] += 1
            row = parse(line.text)
            if row is None:
                self.found(table, line, CsvProblemKind.UNKNOWN_ROW)
            else:
                yield line, row

    def read_methods(self, table: str, known: dict[int, MethodRow]) -> None:
        """Reads a table of methods; the first row of an id is used."""
        for line, row in self.parsed(table, partial(csv_table.method_of, more=self.more)):
            self.repaired += row.is_repaired
            if row.id in known:
                self.found(table, line, CsvProblemKind.DUPLICATE_ID, row.id)
            known.setdefault(row.id, row)

    def count_bci(self, bci: bytes) -> None:
        """Counts special forms of bytecode indexes."""
        self.negative += bci.startswith(b"-") or b">-" in bci
        self.chained += b"->" in bci

    def known(self, table: str, line: CsvRow, id: int) -> int:
        """Checks an id of a row; adds a problem if no table has it."""
        if id not in self.graph.methods:
            self.found(table, line, CsvProblemKind.DANGLING_REFERENCE, id)
            self.graph.lost.add(id)
        return id

    def finish(self, totals: dict[str, Any]) -> None:
        """Stores the totals, unless a table is missing."""
        graph = self.graph
        if all(table in self.tables for table in layout_of(list(self.tables))):
            ids = graph.methods
            max_id = max(ids, default=-1)
            graph.totals = {
                "bytes": sum(map(len, self.tables.values())),
                "rows": self.rows,
                "methods": len(ids),
                "max_id": max_id,
                "id_gaps": max_id + 1 - len(ids),
                "entries": len(graph.roots),
                **totals,
                "repaired_rows": self.repaired,
                "negative_bci": self.negative,
                "chained_bci": self.chained,
            }
        graph.problems.sort()


class _SevenTables(_Reading):
    """21.3 to 24.0. Rows come in any order, and the possible targets of a virtual call are all overriding methods."""

    def __init__(self, tables: Mapping[str, bytes]) -> None:
        super().__init__(tables)
        graph = self.graph
        self.read_methods("methods", graph.methods)
        self.read_methods("virtual_methods", graph.targets)
        for _ in lines_of(tables.get("vm", b"")):
            self.rows["vm"] += 1
        entries = self.parsed("entry_points", partial(csv_table.numbers_of, count=1))
        graph.roots = sorted({self.known("entry_points", line, id) for line, (id,) in entries})
        overrides = self._overrides()
        self._calls("direct_edges", {})
        self._calls("virtual_edges", overrides)
        by_bci = is_by_bci(graph, {id for callees in overrides.values() for id in callees})
        for calls in graph.calls.values():
            calls.sort(key=bci_order if by_bci else name_order)
        self.finish(
            {
                "virtual_methods": len(graph.targets),
                "direct_edges": self.rows.get("direct_edges", 0),
                "virtual_edges": self.rows.get("virtual_edges", 0),
                "override_edges": self.rows.get("override_by_edges", 0),
                "virtual_without_callees": sum(id not in overrides for id in graph.targets),
            }
        )

    def _overrides(self) -> dict[int, list[int]]:
        """By virtual method: the methods overriding it, sorted."""
        overrides: dict[int, list[int]] = {}
        for line, (target, method) in self.parsed("override_by_edges", partial(csv_table.numbers_of, count=2)):
            self._target("override_by_edges", line, target)
            overrides.setdefault(target, []).append(self.known("override_by_edges", line, method))
        for callees in overrides.values():
            callees.sort(key=lambda id: (*sort_key(self.graph.text(id)), id))
        return overrides

    def _calls(self, table: str, overrides: Mapping[int, list[int]]) -> None:
        graph, is_direct = self.graph, table == "direct_edges"
        for line, edge in self.parsed(table, csv_table.edge_of):
            number = self.rows[table]
            self.count_bci(edge.bci)
            calls = graph.calls.setdefault(self.known(table, line, edge.start), [])
            if is_direct:
                callee = self.known(table, line, edge.end)
                calls.append(CsvCall(number, True, graph.text(callee), edge.bci, [callee]))
            else:
                target = self._target(table, line, edge.end)
                calls.append(CsvCall(number, False, target, edge.bci, overrides.get(edge.end, [])))

    def _target(self, table: str, line: CsvRow, id: int) -> bytes:
        row = self.graph.targets.get(id)
        if row is None:
            self.found(table, line, CsvProblemKind.DANGLING_REFERENCE, id)
            self.graph.lost_targets.add(id)
            return LOST_METHOD % id
        return row.text


def first_bci(call: CsvCall) -> int:
    """The bytecode index that calls are sorted by: of the innermost method. Beyond HIGHEST_BCI all are equal."""
    return max(-HIGHEST_BCI, min(int(call.bci.partition(b"->")[0]), HIGHEST_BCI))


def bci_order(call: CsvCall) -> tuple[Any, ...]:
    """Sort key of the calls of a method since 23.1."""
    return (first_bci(call), *sort_key(call.target), call.bci, not call.is_direct, call.number)


def name_order(call: CsvCall) -> tuple[Any, ...]:
    """Sort key of the calls of a method until 23.0; calls of one target are unordered there."""
    return (*sort_key(call.target), first_bci(call), call.bci, not call.is_direct, call.number)


def is_by_bci(graph: CsvGraph, overriding: set[int]) -> bool:
    """Returns True if the printer sorted calls by bytecode index, as shown by its ids.

    Methods are numbered as calls reach them, so the first of two direct calls to new methods has the lower number. A
    method that overrides none is new to the caller with the lowest id of all that call it.
    """
    first_caller: dict[int, int] = {}
    for caller, calls in graph.calls.items():
        for call in calls:
            if call.is_direct:
                first_caller[call.callees[0]] = min(caller, first_caller.get(call.callees[0], caller))
    others, broken = overriding.union(graph.roots), [0, 0]
    for caller, calls in graph.calls.items():
        if caller >= SAMPLE and caller % SAMPLED:
            continue
        new = [
            call
            for call in calls
            if call.is_direct and first_caller[call.callees[0]] == caller and call.callees[0] not in others
        ]
        for index, order in enumerate((name_order, bci_order)):
            ids = [call.callees[0] for call in sorted(new, key=order)]
            broken[index] += sum(second < first for first, second in pairwise(ids))
    return broken[1] < broken[0]


class _ThreeTables(_Reading):
    """24.1 and newer: calls have ids in printed order, and their possible targets are exact."""

    def __init__(self, tables: Mapping[str, bytes]) -> None:
        super().__init__(tables)
        graph = self.graph
        self.read_methods("methods", graph.methods)
        invokes = self._invokes()
        callees = self._targets(invokes)
        direct = without = 0
        for id, invoke in sorted(invokes.items()):
            meant = callees.get(id, [])
            direct += invoke.is_direct
            without += not meant
            call = CsvCall(id, invoke.is_direct, graph.text(invoke.target), invoke.bci, meant)
            graph.calls.setdefault(invoke.method, []).append(call)
        highest = max(invokes, default=-1)
        gaps = highest + 1 - len(invokes)
        flagged = {row.id for row in graph.methods.values() if row.is_entry}
        graph.roots = sorted(self._roots(flagged, gaps, without))
        reached = {*graph.roots, *(id for ids in callees.values() for id in ids)}
        if all(table in tables for table in layout_of(list(tables))):
            graph.only_called = graph.methods.keys() - reached - graph.calls.keys()
        self.finish(
            {
                "flagged_entry_points": len(flagged),
                "reachable_methods": len(reached & graph.methods.keys()),
                "call_only_targets": len(graph.methods.keys() - reached),
                "invokes": self.rows.get("invokes", 0),
                "direct_invokes": direct,
                "virtual_invokes": len(invokes) - direct,
                "invokes_without_targets": without,
                "max_invoke_id": highest,
                "invoke_id_gaps": gaps,
                "targets": self.rows.get("targets", 0),
            }
        )

    def _invokes(self) -> dict[int, csv_table.Invoke]:
        invokes: dict[int, csv_table.Invoke] = {}
        for line, invoke in self.parsed("invokes", csv_table.invoke_of):
            self.count_bci(invoke.bci)
            self.known("invokes", line, invoke.method)
            self.known("invokes", line, invoke.target)
            if invoke.id in invokes:
                self.found("invokes", line, CsvProblemKind.DUPLICATE_ID, invoke.id)
            invokes.setdefault(invoke.id, invoke)
        return invokes

    def _targets(self, invokes: Mapping[int, Any]) -> dict[int, list[int]]:
        """Possible targets by invoke: in table order if that is the printer's, else sorted like the printer."""
        callees: dict[int, list[int]] = {}
        order: list[int] = []
        for line, (call, method) in self.parsed("targets", partial(csv_table.numbers_of, count=2)):
            callee = self.known("targets", line, method)
            if call not in invokes:
                self.found("targets", line, CsvProblemKind.UNKNOWN_CALL, call)
                continue
            order.append(call)
            callees.setdefault(call, []).append(callee)
        if any(second < first for first, second in pairwise(order)):
            for meant in callees.values():
                meant.sort(key=lambda id: (*sort_key(self.graph.text(id)), id))
        self._in_order = [id for invoke in sorted(callees) for id in callees[invoke]]
        return callees

    def _roots(self, flagged: set[int], gaps: int, without: int) -> set[int]:
        """Returns the root methods of the analysis.

        25 marks them. Before 25, they are those with ids below the ones assigned while calls were followed, which are
        first in `targets` in their order. Source: `CallTreePrinter` of oracle/graal.
        """
        if version_of_three(gaps, without, min(self.graph.methods, default=-1) in flagged) == "25":
            return flagged
        first: dict[int, int] = {}
        for place, id in enumerate(self._in_order):
            if id in self.graph.methods:
                first.setdefault(id, place)
        if not first:
            return flagged
        lowest = max(first)
        while lowest - 1 in first and first[lowest - 1] < first[lowest]:
            lowest -= 1
        return flagged | {id for id in self.graph.methods if id < lowest}


def version_of_three(gaps: int, without: int, is_lowest_flagged: bool) -> str:
    """Returns the versions that write three tables like these."""
    if gaps:
        return "24.1-24.2"
    return "25" if without or is_lowest_flagged else "24.1+"


def format_version(graph: CsvGraph, first_name: str) -> str | None:
    """Returns the versions that write such tables; None if the table that would show it is missing."""
    tables = graph.tables
    if "invokes" in layout_of(list(tables)):
        totals = graph.totals
        if not totals:
            return "24.1+"
        is_flagged = bool(graph.methods) and graph.methods[min(graph.methods)].is_entry
        return version_of_three(totals["invoke_id_gaps"], totals["invokes_without_targets"], is_flagged)
    return version_of_seven({name: header_of(data) for name, data in tables.items()}, first_name)


def version_of_seven(headers: Mapping[str, bytes], first_name: str) -> str | None:
    """Returns the versions that write seven such tables, by their headers and the name of a file."""
    if first_name.startswith("csv_"):
        return "21.3.0-21.3.1"
    methods = headers.get("methods")
    if methods is None or not fits("methods", methods):
        return None
    if not csv_table.more_columns(methods):
        return "21.3.2-22.0"
    virtual = headers.get("virtual_methods")
    if virtual is None:
        return None
    return "22.3-24.0" if csv_table.more_columns(virtual) else "22.1-22.2"
