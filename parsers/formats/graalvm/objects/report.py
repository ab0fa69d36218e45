"""GraalVM object tree, every version from 19 to 25: one opened file.

Source: `ObjectTreePrinter` of oracle/graal. Objects are printed depth first below the root that reaches them first;
each is declared once, with all its fields or elements, and referred to by its id everywhere else.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.index.plain import loader_length, object_tree
from parsers.formats.graalvm.objects.index.row import ROOT, ROOT_OPEN, UNKNOWN, ObjectRow, parse_object_row
from parsers.formats.graalvm.objects.kind import KIND_MARKS
from parsers.formats.graalvm.objects.label import POSITION, ObjectText
from parsers.formats.graalvm.text.read.line import LONGEST
from parsers.formats.graalvm.text.report import TextReport
from parsers.formats.graalvm.text.tree import arrays_of, column
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.formats.graalvm.objects.index.types import TypeTable
    from parsers.formats.graalvm.text.read.plain_tree import PlainTree


class ObjectReport(TextReport[ObjectText]):
    """One opened object tree: the data of its views."""

    format = "graalvm-object-tree"
    format_title = "GraalVM object tree"
    kinds: Mapping[str, Kind] = KIND_MARKS
    masks: Mapping[str, tuple[str, str]] = {"n": ("nulls", "nulls")}
    """Filters in addition to those of every text tree: the letter after `f`, the name in `row_filters`, the words."""

    def plain_tree(self, head: bytes) -> PlainTree:
        """Parses the rows of the head, with its counts."""
        return object_tree(head, self.is_small)

    def parse(self, row: int) -> ObjectText:
        """Parses the text of a row."""
        line, start = self.split(row)
        if start is None:
            return ObjectText(UNKNOWN, self.text(line), is_damaged=True)
        body = line[start:]
        parsed = parse_object_row(body, self.reader.is_cut(row))
        if parsed.continues:
            lines = self.reader.continued(row)
            body += lines[len(self.reader.line(row)) :]
            parsed = parse_object_row(body)
        if self.tree.kind(row) == UNKNOWN != parsed.kind:
            # Too long to be parsed, or changed since it was indexed.
            parsed = ObjectRow(UNKNOWN, 0, len(body), b"")
        return self._decoded(body, parsed)

    def _decoded(self, body: bytes, parsed: ObjectRow) -> ObjectText:
        label = self.text(body[parsed.start : parsed.end])
        text = None if parsed.text is None else self.text(body[slice(*parsed.text)])
        return ObjectText(
            parsed.kind,
            label,
            self.text(parsed.name),
            parsed.id,
            parsed.is_ref,
            text,
            self._source(body, parsed) if parsed.kind <= ROOT_OPEN else "",
            len(body) >= LONGEST,
        )

    def _source(self, body: bytes, parsed: ObjectRow) -> str:
        """Returns the source of a root: the text between `root ` and its ending, over all its lines."""
        if b"\n" not in body:
            return self.text(body[parsed.start : parsed.end])
        lines: list[bytes] = []
        for line in body.removeprefix(ROOT).replace(b"\r\n", b"\n").split(b"\n"):
            row = parse_object_row(ROOT + line)
            if row.kind <= ROOT_OPEN:
                lines.append(line[: row.end - len(ROOT)])
                break
            lines.append(line)
        return self.text(b"\n".join(lines))

    def version_of_head(self) -> str | None:
        """Version that the rows of the head prove; None if several are possible."""
        tree = self.tree
        for row in range(min(tree.rows, 1000)):
            if tree.kind(row) > ROOT_OPEN:
                continue
            label = self.parsed(row).label
            if label.startswith(POSITION):
                return "24.0-24.1"
            if loader_length(label.encode()):
                return "24.2+"
        return None

    @cached_property
    def has_loaders(self) -> bool:
        """True if roots and texts have their class loader before them."""
        return self.version_of_head() == "24.2+"

    def title_of(self, vertex: int, row: int) -> str:
        """Returns the title of an object: its type and text; without an object the label of the row."""
        if vertex < 0:
            return self.parsed(row).label
        text = self.parsed(self.row_of_vertex(vertex))
        type = text.type or text.label
        return f"{type} {text.text}" if text.text else type

    def type_table(self) -> TypeTable:
        """Objects by type, from the finished index."""
        from parsers.formats.graalvm.objects.index.types import TypeTable

        return TypeTable(**{field: self.indexed.array(f"types.{field}") for field in TypeTable.__annotations__})

    def objects(self) -> Sequence[int]:
        """Returns the declared objects, in the order of their first rows."""
        tree = self.tree
        declarations = column(tree, "declaration")
        if declarations is None:
            return [vertex for vertex in range(tree.vertices) if tree.declaration(vertex) >= 0]
        return array("q", np.flatnonzero(declarations != NONE).astype(np.int64).tobytes())

    def row_counts(self, vertices: Sequence[int]) -> Sequence[int]:
        """Returns the number of rows that declare or refer to each of some objects."""
        starts = column(self.tree, "vertex_start")
        if starts is None:
            return [len(self.tree.vertex_rows(vertex)) if vertex >= 0 else 0 for vertex in vertices]
        numbers = np.asarray(vertices, np.int64)
        return np.where(numbers < 0, 0, np.diff(starts.astype(np.int64))[numbers])  # type: ignore[return-value]

    def ids(self, vertices: Sequence[int]) -> Sequence[int]:
        """Returns the ids of some objects; -1 if none."""
        arrays = arrays_of(self.tree)
        if arrays is None:
            found = [self.tree.vertex_id(vertex) if vertex >= 0 else None for vertex in vertices]
            return [-1 if id is None else id for id in found]
        numbers = np.asarray(vertices, np.int64)
        return np.where(numbers < 0, -1, arrays.ids()[numbers])  # type: ignore[return-value]
