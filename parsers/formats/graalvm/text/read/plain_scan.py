"""Reads the rows of a text tree line by line in plain Python: the readable twin of the kernels.

It takes successive bytes and fills compact arrays of all rows, vertices and names of the index. It alone reads small
files and the head of large ones; for the kernels it is the oracle.

Classes of lines (see the format's section on lines): the first line is the header unless it is a row; an empty line is
skipped; a line that begins with `at ` directly below a row that `continues`, or below another such line, belongs to
that row; a line with a branch is a row; any other line is a stray line.

Vertices and names are numbered in order of appearance. Each id is one vertex. A row of a known kind with a name but no
id shows the one vertex of that name without id. The name of a vertex is that of its first row of a known kind. If a
later row of the same vertex has another name, the vertex is listed under that name too. Such names are numbered last.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Union

from parsers.formats.graalvm.text.read.line import CONTINUATION, LONGEST, split_line, without_line_end
from parsers.io.charset import UTF8_BOM, Boxes
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.index.row import CallRow
    from parsers.formats.graalvm.objects.index.row import ObjectRow


class OverlongRow(NamedTuple):
    """A row too long to be parsed."""

    kind: int
    id: int | None = None
    is_ref: bool = False
    name: bytes = b""
    has_vertex: bool = False
    continues: bool = False


ParsedRow = Union["CallRow", "ObjectRow", OverlongRow]

ParseRow = Callable[[bytes, bool], ParsedRow]
"""Parses a body (joined with its continuation lines); True as second argument: the file ends without line end."""

Observer = Callable[["PlainTextScan", int, ParsedRow, bytes], None]
"""Called with each complete row: its number, content and text. For totals of one format."""


class PlainTextScan:
    """All data of the rows read so far. Arrays are read-only for callers."""

    def __init__(self, parse_row: ParseRow, unknown: int, boxes: Boxes, observe: Observer | None = None) -> None:
        self.boxes = boxes
        self.offsets = array("Q")
        self.lines = array("I")
        self.depths = array("H")
        self.kinds = array("B")
        self.ends = array("I")
        """First row after the subtree; `NONE` while it is open."""
        self.parents = array("I")
        self.vertices = array("I")
        self.declares = bytearray()
        """By row: 1 if it has `id=`."""
        self.owners = array("I")
        """By row: the vertex of the nearest ancestor that declares an id."""
        self.continued: dict[int, int] = {}
        """Rows with continuation lines, and the number of these."""
        self.continuing: list[int] = []
        """Rows that lines may continue, with or without such lines."""
        self.names: list[bytes] = []
        self.name_numbers: dict[bytes, int] = {}
        self.vertex_names = array("I")
        self.vertex_ids = array("q")
        """By vertex: its id, -1 without one."""
        self.declarations = array("I")
        """By vertex: the first row that declares it."""
        self.vertex_of_id: dict[int, int] = {}
        self.aliases: list[tuple[int, int]] = []
        """(name, vertex) for rows that name a vertex differently from its first row; complete at the end only."""
        self.line_count = 0
        self.blank_lines = 0
        self.continuation_lines = 0
        self.longest_line = 0
        self.size = 0
        self.crlf_lines = 0
        self.stray_lines = array("I")
        self.strays = array("Q")
        """Offset of each stray line."""
        self.jumps = array("I")
        """Rows deeper than their predecessor by more than one."""
        self.duplicates = array("I")
        """Rows that declare an id which was declared before."""
        self.max_children = 0
        self.last_line: tuple[int, int, bool] | None = None
        """Number and offset of the last line; True if it is empty and has its line end."""
        self._parse = parse_row
        self.unknown = unknown
        self._observe = observe
        self._rest = b""
        self._dropped = 0
        self._ended = True
        self._joins = True
        self._pending: tuple[int, int, int, list[bytes]] | None = None
        self._stack: list[int] = []
        self._children: list[int] = []
        self._targets: dict[int, int] = {}
        self._otherwise: dict[tuple[bytes, int], None] = {}

    @property
    def open_rows(self) -> list[int]:
        """Rows whose subtree is open, outermost first."""
        return list(self._stack)

    def feed(self, data: bytes) -> None:
        """Reads all complete lines of the bytes so far; the rest waits for more bytes."""
        if self._rest:
            data = self._rest + data
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._line(data[start : end + 1])
            start = end + 1
        self._rest = data[start:]
        if len(self._rest) > 2 * LONGEST:
            # Only the start and the length of an unbounded line matter.
            self._dropped += len(self._rest) - 2 * LONGEST
            self._rest = self._rest[: 2 * LONGEST - 1] + self._rest[-1:]

    def finish(self) -> None:
        """Reads a last line without line end, and closes all subtrees."""
        if self._rest:
            self._line(self._rest)
            self._rest = b""
        if self._pending is not None:
            self._complete(is_cut=not self._ended)
        for row in self._stack:
            self.ends[row] = len(self.offsets)
        self.aliases = [(self.note_name(name), vertex) for name, vertex in self._otherwise]
        self._close_counts(0)

    def _line(self, line: bytes) -> None:
        dropped, self._dropped = self._dropped, 0
        offset, self.size = self.size, self.size + len(line) + dropped
        self._ended = line.endswith(b"\n")
        self.line_count += 1
        text = without_line_end(line)
        line_end = line[len(text) :]
        if line.endswith(b"\r\n"):
            self.crlf_lines += 1
        if len(text) + dropped > self.longest_line:
            self.longest_line = len(text) + dropped
        self.last_line = (self.line_count, offset, self._ended and not text)
        if self._pending is not None:
            if text.startswith(CONTINUATION):
                self.continuation_lines += 1
                self._join(line, offset)
                return
            self._complete(is_cut=False)
        if not text:
            self.blank_lines += 1
            return
        if self.line_count == 1:
            text = text.removeprefix(UTF8_BOM)
        found = split_line(text[:LONGEST], self.boxes)
        if found is None:
            if self.line_count > 1:
                self.stray_lines.append(self.line_count)
                self.strays.append(offset)
            return
        depth, at = found
        if len(text) > LONGEST:
            self.add_row(offset, self.line_count, depth, OverlongRow(self.unknown), b"")
            return
        body = text[at:]
        row = self._parse(body, not self._ended)
        if row.continues and self._ended:
            self._pending = (offset, self.line_count, depth, [body + line_end])
            self._joins = True
            return
        self.add_row(offset, self.line_count, depth, row, body)

    def _join(self, line: bytes, offset: int) -> None:
        """Joins a continuation line to the row above, unless the row's text gets too long."""
        assert self._pending is not None
        number = len(self.offsets)
        self.continued[number] = self.continued.get(number, 0) + 1
        self._joins = self._joins and offset + len(without_line_end(line)) - self._pending[0] <= LONGEST
        if self._joins:
            self._pending[3].append(line)

    def _complete(self, is_cut: bool) -> None:
        """Completes the row that could continue."""
        assert self._pending is not None
        offset, line, depth, lines = self._pending
        self._pending = None
        self.continuing.append(len(self.offsets))
        text = without_line_end(b"".join(lines))
        self.add_row(offset, line, depth, self._parse(text, is_cut), text)

    def add_row(self, offset: int, line: int, depth: int, row: ParsedRow, text: bytes) -> None:
        """Adds a row that was read, or built from another source than lines."""
        number = len(self.offsets)
        stack = self._stack
        before = self.depths[-1] if number else -1
        if depth > before + 1:
            self.jumps.append(number)
        depths, ends = self.depths, self.ends
        while stack and depths[stack[-1]] >= depth:
            ends[stack.pop()] = number
        self._close_counts(len(stack))
        owner = NONE
        if stack:
            parent = stack[-1]
            self._children[-1] += 1
            owner = self.vertices[parent] if self.declares[parent] else self.owners[parent]
        stack.append(number)
        self._children.append(0)
        self.offsets.append(offset)
        self.lines.append(line)
        depths.append(depth)
        self.kinds.append(row.kind)
        ends.append(NONE)
        self.parents.append(stack[-2] if len(stack) > 1 else NONE)
        self.owners.append(owner)
        self.vertices.append(self._vertex(number, row))
        self.declares.append(row.id is not None and not row.is_ref)
        if self._observe is not None:
            self._observe(self, number, row, text)

    def _close_counts(self, depth: int) -> None:
        """Removes the counts of children of closed rows, keeping the largest."""
        while len(self._children) > depth:
            self.max_children = max(self.max_children, self._children.pop())

    def _vertex(self, number: int, row: ParsedRow) -> int:
        """Returns the vertex of a row; a new vertex gets the next number."""
        if not row.has_vertex:
            return NONE
        is_known = row.kind != self.unknown and bool(row.name)
        if row.id is None:
            name = self.note_name(row.name)
            vertex = self._targets.get(name, NONE)
            if vertex == NONE:
                vertex = self._targets[name] = self._new_vertex(-1, name)
            return vertex
        vertex = self.vertex_of_id.get(row.id, NONE)
        if vertex == NONE:
            vertex = self.vertex_of_id[row.id] = self._new_vertex(
                row.id, self.note_name(row.name) if is_known else NONE
            )
        elif is_known:
            known = self.vertex_names[vertex]
            if known == NONE:
                self.vertex_names[vertex] = self.note_name(row.name)
            elif self.names[known] != row.name:
                self._otherwise.setdefault((row.name, vertex))
        if not row.is_ref:
            if self.declarations[vertex] == NONE:
                self.declarations[vertex] = number
            else:
                self.duplicates.append(number)
        return vertex

    def note_vertex(self, id: int | None, name: bytes) -> None:
        """Numbers a vertex before any row refers to it."""
        number = self.note_name(name)
        if id is None:
            self._targets[number] = self._new_vertex(-1, number)
        else:
            self.vertex_of_id[id] = self._new_vertex(id, number)

    def _new_vertex(self, id: int, name: int) -> int:
        self.vertex_names.append(name)
        self.vertex_ids.append(id)
        self.declarations.append(NONE)
        return len(self.vertex_ids) - 1

    def note_name(self, name: bytes) -> int:
        """Returns the number of a name; a new name gets the next number."""
        number = self.name_numbers.get(name)
        if number is None:
            number = self.name_numbers[name] = len(self.names)
            self.names.append(name)
        return number
