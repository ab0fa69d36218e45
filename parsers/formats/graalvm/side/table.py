"""The view of a side report: its lines as a table. A line is read and parsed when its row is shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.side.layout import LineCells, TableLayout
from parsers.formats.graalvm.side.lines import BLOCK, LONGEST, SideLines
from parsers.model.lookup import place_in
from parsers.model.names.ref_number import numbered_node, ref_number
from parsers.model.row import Column, Link, Row, Section, SectionRow, SortKey, capitalized
from parsers.model.trees.column_preorder import preorder_of
from parsers.model.trees.preorder import FlatPreorder, PreorderTree
from parsers.model.view import References, Shape, StrangeReference, UnknownReference, View

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.report import SideReport
    from parsers.query.selection.array_filters import ArrayFilters

TOGETHER = 1 << 14
"""Rows read together."""

INVALID = "\ufffd"
"""Replacement for bytes that are invalid in the charset: they can't be searched for."""

MOST_LINKS = 50
"""Most links of one kind that the side pane shows."""


class SideTable(View):
    """A `View`, and a `Document`: nodes are rows, in the order of the file."""

    description = "Rows of the file"

    def __init__(self, report: SideReport) -> None:
        self.report = report
        self.layout: TableLayout = report.layout
        self.name = report.layout.view
        self.columns: tuple[Column, ...] = report.layout.columns
        self.orders: tuple[str, ...] = report.layout.orders
        self._of: SideLines | None = None
        self._levels = self._table
        self.shape: Shape = "table" if self.layout.depth is None else "tree"

    @property
    def lines(self) -> SideLines:
        """Places of the rows."""
        return self.report.recording

    @cached_property
    def _table(self) -> PreorderTree:
        flat = FlatPreorder(lambda: len(self.lines), lambda: self.report.is_complete)
        return PreorderTree(flat, self.row, self.sort_keys)

    @property
    def tree(self) -> PreorderTree:
        """The rows."""
        if self.layout.depth is None:
            return self._table
        if self._of is not self.lines:
            self._of = self.lines
            preorder = preorder_of(self.lines.depths, self.report.is_complete)
            self._levels = PreorderTree(preorder, self.row, self.sort_keys)
        return self._levels

    @property
    def row_count(self) -> int | None:
        """Number of rows."""
        return len(self.lines)

    @property
    def root_count(self) -> int | None:
        """Number of rows without parent."""
        return len(self.lines) if self.layout.depth is None else sum(not depth for depth in self.lines.depths)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def cells(self, node: int) -> LineCells:
        """Returns a parsed row."""
        return self._parsed(self._raw(node))

    def all_cells(self, start: int = 0, stop: int | None = None) -> Iterator[LineCells]:
        """Returns the parsed rows of a range, read together."""
        return map(self._parsed, self._raws(start, len(self.lines) if stop is None else stop))

    def row(self, node: int) -> Row:
        """Returns the row of a line."""
        cells, lines = self.cells(node), self.lines
        is_cut = lines.is_cut and node == len(lines) - 1
        flags = (("unknown",) if cells.kind == "unknown" else ()) + (("truncated",) if is_cut else ())
        number, preorder = lines.numbers[node], self.tree.preorder
        below = preorder.end(node) - node - 1
        top = self.report.highest
        count = cells.badges.get(self.columns[0].name) if self.columns and self.columns[0].bar else None
        bars = {self.columns[0].name: count / top} if isinstance(count, int) and top else {}
        return Row(
            node=node,
            kind=cells.kind,
            label=cells.label,
            badges=cells.badges,
            flags=flags,
            ref=f"line:{number}",
            line=number,
            offset=lines.starts[node],
            depth=preorder.depth(node),
            rows_below=below,
            has_children=below > 0,
            spans=self.layout.spans(cells) if cells.kind != "unknown" else (),
            bars=bars,
        )

    def remark(self, row: Row) -> str:
        """Returns the text after the label."""
        return self.cells(row.node).remark

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of nodes."""
        return [cells.label for cells in self.all_cells(start, stop)]

    def _raw(self, node: int) -> bytes:
        lines = self.lines
        start = lines.starts[node]
        stop = lines.starts[node + 1] if node + 1 < len(lines) else lines.stop
        return self._line(self.report.source.pread(min(stop - start, LONGEST), start))

    def raw_lines(self, start: int, stop: int) -> bytes | None:
        """Returns the unchanged lines of some rows, each ended by LF; None if other lines are between them."""
        lines = self.lines
        if start >= stop or lines.numbers[stop - 1] - lines.numbers[start] != stop - 1 - start:
            return None if start < stop else b""
        first, end = lines.starts[start], lines.starts[stop] if stop < len(lines) else lines.stop
        data = self.report.source.pread(end - first, first)
        if not data.endswith(b"\n"):
            data = data.removesuffix(b"\r")
        data = data.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
        return data if data.count(b"\n") == stop - start else None

    def _raws(self, start: int, stop: int) -> Iterator[bytes]:
        lines = self.lines
        while start < stop:
            last = min(stop, start + TOGETHER)
            while last > start + 1 and lines.starts[last - 1] - lines.starts[start] > BLOCK:
                last = start + (last - start) // 2
            if last == start + 1:
                yield self._raw(start)
            else:
                first = lines.starts[start]
                data = self.report.source.pread(lines.starts[last - 1] - first, first)
                for node in range(start, last - 1):
                    begin = lines.starts[node] - first
                    yield self._line(data[begin : min(lines.starts[node + 1] - first, begin + LONGEST)])
                yield self._raw(last - 1)
            start = last

    @staticmethod
    def _line(data: bytes) -> bytes:
        return data.partition(b"\n")[0].removesuffix(b"\r")

    def _parsed(self, raw: bytes) -> LineCells:
        text = self.report.text(raw)
        return self.layout.parse(text) or LineCells("unknown", text)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order: labels, texts, or numbers, -1 if none."""
        is_all = len(nodes) == len(self.lines)
        cells = self.all_cells() if is_all else map(self.cells, map(int, nodes))
        if order == "name":
            return [each.label for each in cells]
        column = next(column for column in self.columns if column.name == order)
        if column.unit == "text":
            return [str(each.badges.get(order, "")) for each in cells]
        values = [each.badges.get(order) for each in cells]
        return [value if isinstance(value, int) else -1 for value in values]

    # -- places and names ---------------------------------------------------------------------------------------------

    def node_at(self, offset: int) -> int | None:
        """Row whose line contains this byte; None before the first row."""
        node = bisect_right(self.lines.starts, offset) - 1
        return node if node >= 0 else None

    def find(self, name: str) -> Iterator[int]:
        """Returns the rows with exactly this name, without loaders; searched for in the file itself."""
        if self.layout.depth is not None or INVALID in name:
            yield from (node for node, cells in enumerate(self.all_cells()) if name and cells.name == name)
            return
        try:
            wanted = name.encode(self.report.encoding)
        except UnicodeEncodeError:
            return
        last_shown = -1
        for offset in self._occurrences(wanted):
            node = self.node_at(offset)
            if node is not None and node != last_shown and self.cells(node).name == name:
                last_shown = node
                yield node
        last = len(self.lines) - 1
        if last >= 0 and last_shown != last and self.cells(last).name == name:
            yield last

    def _occurrences(self, wanted: bytes) -> Iterator[int]:
        """Offsets of some bytes at places where a name may begin and end; may repeat an offset."""
        if not wanted or not len(self.lines):
            return
        pread, start, stop = self.report.source.pread, self.lines.starts[0], self.lines.stop
        after = {self.layout.after}
        if self.layout.after.isspace():
            # Editors cut trailing blanks, and may change line ends.
            after |= {b"\n", b"\r\n"}
        is_first, overlap = True, len(wanted) + max(map(len, after)) + 1
        while start < stop:
            # From one byte before, as the byte before a name matters.
            block = (b"\n" if is_first else b"") + pread(BLOCK, start)
            found = []
            for end in after:
                at = block.find(wanted + end, 1)
                while at >= 0:
                    if block[at - 1] in self.layout.before:
                        found.append(start + at - is_first)
                    at = block.find(wanted + end, at + 1)
            yield from sorted(found)
            if len(block) <= overlap or start + len(block) - is_first >= stop:
                return
            start += len(block) - is_first - overlap + 1
            is_first = False

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of `line:`, `node:`, `name:`, or the kind of the rows and a name. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        lines = self.lines
        if (numbered := numbered_node(ref, len(lines))) is not None:
            return [numbered]
        if kind == "line" and (line := ref_number(value)) is not None:
            node = place_in(lines.numbers, line)
            if node is None:
                raise UnknownReference(f"{ref}: no row is on this line")
            return [node]
        found = list(self.find(value)) if kind in ("name", self.layout.kind) else []
        if not found:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return found

    def key(self, node: int) -> Hashable | None:
        """Returns the kind and name, as in all views of such rows."""
        name = self.cells(node).name
        return (self.layout.kind, name) if name else None

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row with that key."""
        match key:
            case (str(kind), str(name)) if kind == self.layout.kind:
                return next(self.find(name), None)
        return None

    # -- content of a row ---------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Sections with the whole content of the line; other names in it are links."""
        cells = self.cells(node)
        titles = {column.name: column.title.lower() for column in self.columns} | dict(self.layout.sections)
        rows = [SectionRow("", cells.name or cells.label)]
        if cells.name and len(cells.name) < len(cells.label):
            rows.append(SectionRow("loader", cells.label[: -len(cells.name) - 1]))
        rows += [
            SectionRow(titles.get(name, name), f"{value:,}" if isinstance(value, int) else str(value))
            for name, value in cells.badges.items()
        ]
        found = [Section(capitalized(cells.kind), tuple(rows))]
        if cells.links:
            shown = [SectionRow("", name, self._ref(name)) for _, name in cells.links[:MOST_LINKS]]
            more = len(cells.links) - len(shown)
            found.append(Section(f"{capitalized(cells.links[0][0])} ({len(cells.links):,})", tuple(shown), more))
        return found

    def _ref(self, name: str) -> str | None:
        """Returns the REF of a row of the same kind; None if there is none of that name."""
        node = next(self.find(name), None)
        return None if node is None else f"line:{self.lines.numbers[node]}"

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links to other names in the line."""
        named = ((what, name, self._ref(name)) for what, name in self.cells(node).links[:MOST_LINKS])
        return [Link(f"{what} {name}", ref, self.name) for what, name, ref in named if ref is not None]

    def references(self, node: int) -> References:
        """Returns the rows that name this one."""
        name = self.cells(node).name
        nodes = [
            other
            for other, cells in enumerate(self.all_cells() if self.layout.has_links else ())
            if any(each == name for _, each in cells.links)
        ]
        return References(f"references to {name or self.cells(node).label}", self.name, nodes, have_labels=True)

    # -- filters ------------------------------------------------------------------------------------------------------

    def offset_of(self, node: int) -> int:
        """Returns the byte offset of the line of a node."""
        return self.lines.starts[node]

    def subject_of(self, node: int) -> tuple[str, str]:
        """Method and class of a row; empty if it has none."""
        cells = self.cells(node)
        if self.layout.kind == "method":
            return cells.name, ""
        return "", cells.name.partition("#")[0] if self.layout.kind == "class" else ""

    def row_filters(self) -> ArrayFilters:
        """Returns the columns of all rows that filters use."""
        from parsers.query.selection.array_filters import ArrayFilters

        return ArrayFilters(self)
