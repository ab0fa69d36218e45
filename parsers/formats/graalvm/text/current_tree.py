"""A text tree whose rows are those of the file's head first, and those of the index as soon as it has more.

Callers do not notice the exchange: rows keep their numbers, and both trees give the same answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from parsers.formats.graalvm.text.tree import TextTree
from parsers.model.report import Problem


class CurrentTree:
    """A `TextTree` that delegates to another tree, which can be exchanged for one that has more rows."""

    def __init__(self, behind: TextTree) -> None:
        self.behind = behind
        """The tree delegated to."""

    @property
    def rows(self) -> int:
        """Number of rows known now."""
        return self.behind.rows

    @property
    def is_complete(self) -> bool:
        """True if `rows` is final."""
        return self.behind.is_complete

    def depth(self, node: int) -> int:
        """Returns the depth of a row."""
        return self.behind.depth(node)

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range."""
        return self.behind.depths(start, stop)

    def end(self, node: int) -> int:
        """Returns the first row after the subtree."""
        return self.behind.end(node)

    def parent(self, node: int) -> int | None:
        """Returns the parent of the row."""
        return self.behind.parent(node)

    def offset(self, row: int) -> int:
        """Returns the byte offset of the row's line."""
        return self.behind.offset(row)

    def line(self, row: int) -> int:
        """Returns the number of the row's line, from 1."""
        return self.behind.line(row)

    def row_at(self, offset: int) -> int | None:
        """Returns the last row whose line begins at or before this byte."""
        return self.behind.row_at(offset)

    def row_of_line(self, line: int) -> int | None:
        """Returns the row printed on this line."""
        return self.behind.row_of_line(line)

    def kind(self, row: int) -> int:
        """Returns the number of the row's kind."""
        return self.behind.kind(row)

    def vertex(self, row: int) -> int:
        """Returns the vertex that the row shows or refers to; -1: none, or not indexed yet."""
        behind = self.behind
        vertex = behind.vertex(row)
        return vertex if vertex < behind.vertices else -1

    def is_declaration(self, row: int) -> bool:
        """Returns True if the row has `id=N`."""
        return self.behind.is_declaration(row)

    @property
    def vertices(self) -> int:
        """Number of vertices."""
        return self.behind.vertices

    def declaration(self, vertex: int) -> int:
        """Returns the row that declares the vertex; -1: none."""
        return self.behind.declaration(vertex)

    def vertex_rows(self, vertex: int) -> Sequence[int]:
        """Returns all rows that show or refer to the vertex."""
        return self.behind.vertex_rows(vertex)

    def vertex_of_id(self, id: int) -> int | None:
        """Returns the vertex with that id."""
        return self.behind.vertex_of_id(id)

    def vertex_id(self, vertex: int) -> int | None:
        """Returns the id of the vertex."""
        return self.behind.vertex_id(vertex)

    def distance(self, vertex: int) -> int | None:
        """Returns the number of calls on a shortest path from an entry."""
        return self.behind.distance(vertex)

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names."""
        return self.behind.names

    def name(self, vertex: int) -> int:
        """Returns the number of the vertex's name."""
        return self.behind.name(vertex)

    def name_vertices(self, name: int) -> Sequence[int]:
        """Returns the vertices of that name."""
        return self.behind.name_vertices(name)

    def find_name(self, name: bytes) -> int | None:
        """Returns the number of exactly this name."""
        return self.behind.find_name(name)

    @property
    def totals(self) -> Mapping[str, Any]:
        """Every count of the format page."""
        return self.behind.totals

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts concluded from the lines."""
        return self.behind.facts

    @property
    def problems(self) -> Sequence[Problem]:
        """Damage in the file."""
        return self.behind.problems

    @property
    def problem_count(self) -> int:
        """Total number of problems."""
        return self.behind.problem_count
