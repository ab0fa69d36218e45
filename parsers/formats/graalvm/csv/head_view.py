"""Preview from the heads of the tables, shown while these are indexed: entry points and their calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.graalvm.calls.index.row import DIRECT, ENTRY, KINDS, VIRTUAL, method_parts
from parsers.formats.graalvm.calls.kind import BCI, ID, ROWS_BELOW
from parsers.formats.graalvm.calls.label import method_spans
from parsers.formats.graalvm.csv.method_row import ascending_place, facts_of, method_at
from parsers.formats.graalvm.csv.read.table import (
    MethodRow,
    edge_of,
    invoke_of,
    lines_of,
    method_of,
    more_columns_of,
    number_of,
)
from parsers.formats.graalvm.csv.set import table_of
from parsers.formats.graalvm.folder.format import header_of
from parsers.model.row import Badge, Column, Row, Section, SectionRow, capitalized
from parsers.model.view import References
from parsers.views.list_view import ListRow
from parsers.views.preview_switch import PreviewView

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.io.source import Source

READ = 1 << 14
"""Bytes read of each table: some hundred rows."""
LATER = "known when the index is finished"
MOST_SEARCHED = 100
"""Most methods that are looked up after the heads of their tables."""


class HeadCall(NamedTuple):
    """A call in the head of a table."""

    target: int
    is_direct: bool
    bci: bytes


class CsvHeadView(PreviewView):
    """Entry points of the heads, with their calls listed in the heads."""

    name = "Call tree"
    description = "First rows of the files while they are indexed"
    columns: tuple[Column, ...] = (BCI, ID, ROWS_BELOW)

    def __init__(self, report: CallReport, sources: Sequence[Source]) -> None:
        super().__init__(report)
        self._sources = {table_of(source): source for source in sources}

    @property
    def partial(self) -> str:
        """Description of the data that the preview shows."""
        return "what the tables begin with"

    def row(self, node: int) -> Row:
        """Returns an entry point or call; the rows below are not known yet."""
        row = super().row(node)
        return replace(row, rows_below=None, is_growing=True) if not row.depth else row

    def references(self, node: int) -> References:
        """Empty: not known yet."""
        return References(f"references, {LATER}", self.name, ())

    def why(self, node: int) -> References:
        """Empty: not known yet."""
        return References("the shortest path from a root", self.name, ())

    def make(self) -> Sequence[ListRow]:
        """Builds the rows."""
        heads = Heads(self._sources)
        entries: list[ListRow] = []
        refs: list[str] = []
        kind = KINDS[ENTRY] if heads.are_entries else "method"
        for id in heads.shown:
            found = [_entry(heads.methods[id], heads.more, kind, 0, {"id": id}, f"id:{id}")]
            for call in heads.calls.get(id, ()):
                method = heads.target(call)
                if method is not None:
                    badges: dict[str, Badge] = {"bci": call.bci.decode("ascii")}
                    if call.is_direct:
                        badges["id_ref"] = call.target
                    word = KINDS[DIRECT if call.is_direct else VIRTUAL]
                    found.append(_entry(method, heads.more, word, 1, badges, ""))
            entries += found
            # Each row belongs to the entry above it.
            refs += [f"id:{id}"] * len(found)
        self._refs = refs
        return entries


class Heads:
    """Content of the first bytes of the tables."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self.more = more_columns_of({table: header_of(source.head) for table, source in sources.items()})
        """Columns after `Display`."""
        self.methods = {row.id: row for row in self._methods("methods")}
        self._targets = {row.id: row for row in self._methods("virtual_methods")}
        self._searched = 0
        self.shown = self._entries()
        """Ids of entries whose methods are known, ascending; ids of methods if entries aren't known."""
        self.calls: dict[int, list[HeadCall]] = {}
        """Calls by id of the calling method."""
        self._read_calls()

    def _lines(self, table: str) -> Iterator[bytes]:
        """Returns the rows of a table that are complete in its head."""
        if table in self._sources:
            head = self._sources[table].head[:READ]
            for line in lines_of(head[: head.rfind(b"\n") + 1]):
                yield line.text

    def _methods(self, table: str) -> Iterator[MethodRow]:
        rows = (method_of(text, self.more) for text in self._lines(table))
        return (row for row in rows if row is not None)

    @property
    def are_entries(self) -> bool:
        """True if the entries are known. Tables of 24.1 and 24.2 flag only those that C code calls."""
        first = min(self.methods, default=None)
        return "entry_points" in self._sources or (first is not None and self.methods[first].is_entry)

    def _entries(self) -> list[int]:
        if not self.are_entries:
            return sorted(self.methods)
        if "entry_points" not in self._sources:
            return sorted(id for id, row in self.methods.items() if row.is_entry)
        return sorted(self.methods.keys() & {number_of(text) for text in self._lines("entry_points")})

    def _read_calls(self) -> None:
        wanted = set(self.shown)
        for table, is_direct in (("direct_edges", True), ("virtual_edges", False)):
            for edge in map(edge_of, self._lines(table)):
                if edge is not None and edge.start in wanted:
                    self.calls.setdefault(edge.start, []).append(HeadCall(edge.end, is_direct, edge.bci))
        for invoke in map(invoke_of, self._lines("invokes")):
            if invoke is not None and invoke.method in wanted:
                call = HeadCall(invoke.target, invoke.is_direct, invoke.bci)
                self.calls.setdefault(invoke.method, []).append(call)

    def target(self, call: HeadCall) -> MethodRow | None:
        """Returns the method that a call names; None if it is not known yet."""
        is_other = "virtual_methods" in self._sources and not call.is_direct
        table, known = ("virtual_methods", self._targets) if is_other else ("methods", self.methods)
        if call.target not in known and table in self._sources and self._searched < MOST_SEARCHED:
            self._searched += 1
            source = self._sources[table]
            place = ascending_place(source, call.target) if source.is_whole else None
            method = None if place is None else method_at(source, place, self.more)
            if method is not None:
                known[call.target] = method
        return known.get(call.target)


def _entry(method: MethodRow, more: int, kind: str, depth: int, badges: Mapping[str, Badge], ref: str) -> ListRow:
    text = method.text.decode("utf-8", "replace")
    holder = text[slice(*method_parts(text).holder)]
    rest = SectionRow("", f"all else is {LATER}")
    rows = (SectionRow("class", holder), *facts_of(method, more), rest)
    return ListRow(
        kind,
        text,
        depth,
        badges,
        ref,
        sections=(Section(capitalized(kind), rows),),
        key=("id", badges["id"]) if "id" in badges else None,
        spans=method_spans(text),
    )
