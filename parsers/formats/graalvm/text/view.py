"""View of the file's rows in file order. Base of "Call tree" and "Heap roots"."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Generic

from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.row_reader import Parsed
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Column, Row, SortKey, counted
from parsers.model.trees.preorder import PreorderTree
from parsers.model.view import StrangeReference, UnknownReference, View

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.report import TextReport
    from parsers.formats.graalvm.text.tree import TextTree


KEPT_ROWS = 256
"""Capacity of the cache of rows."""


def name_keys(tree: TextTree, rows: Sequence[int]) -> Sequence[bytes]:
    """Returns the sort keys: names of rows from the table of names, without reading the file."""
    numbers = [tree.name(vertex) if vertex >= 0 else -1 for vertex in map(tree.vertex, rows)]
    names = tree.names
    return [bytes(names[number]) if number >= 0 else b"" for number in numbers]


class RowsView(View, Generic[Parsed]):
    """Rows as nodes. A derived class provides kinds, badges and sections."""

    name: str
    columns: tuple[Column, ...]
    orders: tuple[str, ...] = ("rows_below",)

    def __init__(self, report: TextReport[Parsed]) -> None:
        self.report = report
        self._rows = report.tree
        self._tree = PreorderTree(report.tree, self.row, self.sort_keys)
        self._final_row = lru_cache(KEPT_ROWS)(self._row)

    def kind(self, text: Parsed) -> str:
        """Returns the word for the kind of a row."""
        raise NotImplementedError

    def own_flags(self, text: Parsed, is_leaf: bool) -> list[str]:
        """Returns the flags that only this tree has. is_leaf: the row has no children and will get none."""
        raise NotImplementedError

    def row(self, node: int) -> Row:
        """Returns the row of this node; with the finished index the last ones are kept, which paths share."""
        return self._final_row(node) if self._rows.is_complete else self._row(node)

    def _row(self, node: int) -> Row:
        tree, text = self._rows, self.report.parsed(node)
        below, is_growing = self.rows_below(node)
        flags = self.own_flags(text, not below and not is_growing) + self._flags(node, text)
        return Row(
            node=node,
            kind=self.kind(text),
            label=text.label,
            depth=tree.depth(node),
            badges=text.badges,
            flags=tuple(dict.fromkeys(flags)),
            ref=self.ref(node),
            line=tree.line(node),
            offset=self.report.offset_of(node),
            rows_below=below,
            is_growing=is_growing,
            has_children=below > 0,
            link=self.link(node),
            spans=text.spans,
        )

    def _flags(self, node: int, text: Parsed) -> list[str]:
        """Returns the flags for problems of a row: in its text, its depth, its id."""
        tree = self._rows
        flags = []
        if text.is_damaged:
            flags.append("damaged")
        if text.is_long:
            flags.append("truncated")
        depth = tree.depth(node)
        is_too_deep = depth == DEEPEST and self.report.offset_of(node) is not None
        if depth > (tree.depth(node - 1) if node else -1) + 1 or is_too_deep:
            flags.append("repaired")
        vertex = tree.vertex(node)
        if vertex >= 0 and text.id is not None:
            declaration = tree.declaration(vertex)
            if text.is_ref:
                if declaration < 0 and tree.is_complete:
                    flags.append("dangling")
            elif declaration != node:
                flags.append("repaired")
        return flags

    def link(self, node: int) -> str | None:
        """REF of the declaration that a reference leads to; None if the row is no reference or the id undeclared."""
        tree, text = self._rows, self.report.parsed(node)
        if text.id is None or not text.is_ref:
            return None
        vertex = tree.vertex(node)
        declaration = tree.declaration(vertex) if vertex >= 0 else -1
        if declaration >= 0:
            return f"line:{tree.line(declaration)}"
        return None if tree.is_complete else f"id:{text.id}"

    def row_of(self, node: int) -> int:
        """Returns the row of a node: the node itself."""
        return node

    @property
    def tree(self) -> PreorderTree:
        """The rows as a tree."""
        return self._tree

    @property
    def row_count(self) -> int | None:
        """All rows; None while they are being read."""
        return self._rows.rows if self._rows.is_complete else None

    @property
    def root_count(self) -> int | None:
        """Rows without parent; None while they are being read."""
        tree = self._rows
        if not tree.is_complete:
            return None
        by_depth = tree.summary.facts.get("depth_rows")
        # If the first row has no depth, neither has any other root.
        return by_depth[0] if by_depth and not tree.depth(0) else len(self._tree.roots())

    def rows_below(self, node: int) -> tuple[int, bool]:
        """Returns the number of rows in the subtree as known now; True if there may be more."""
        tree = self._rows
        end = tree.end(node)
        return end - node - 1, not tree.is_complete and end >= tree.rows

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order: numbers of descendants, or names."""
        tree = self._rows
        if order == "name":
            return name_keys(tree, nodes)
        return [tree.end(node) - node for node in nodes]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all nodes of a REF, at least one; several for a name only. Raises `UnknownReference`."""
        kind, colon, value = ref.partition(":")
        if kind == "name":
            return self._named(ref, value)
        if not colon or kind not in ("line", "id", "node"):
            raise StrangeReference(f"{ref}: this view has no such REFs; it has line:N, id:N, node:N and name:TEXT")
        number = ref_number(value)
        if number is None:
            raise UnknownReference(f"{ref}: {value!r} is no number")
        return [self._numbered(ref, kind, number)]

    def _numbered(self, ref: str, kind: str, number: int) -> int:
        tree, so_far = self._rows, "" if self._rows.is_complete else " among the rows read so far"
        if kind == "node":
            if number < tree.rows:
                return number
            raise UnknownReference(f"{ref}: there are {counted(tree.rows, 'row')}{so_far}, counted from 0")
        if kind == "line":
            row = tree.row_of_line(number)
            if row is not None:
                return row
            raise UnknownReference(f"{ref}: no row is printed on line {number:,}{so_far}")
        vertex = tree.vertex_of_id(number)
        declaration = -1 if vertex is None else tree.declaration(vertex)
        if declaration >= 0:
            return declaration
        raise UnknownReference(f"{ref}: no row declares id {number:,}{so_far}")

    def _named(self, ref: str, text: str) -> Sequence[int]:
        name = self.report.find_name(text)
        nodes = self.report.name_nodes(name) if name is not None else ()
        if not nodes:
            so_far = "" if self._rows.is_complete else " among the rows read so far"
            raise UnknownReference(f"{ref}: nothing has exactly this name{so_far}")
        # Declared vertices before those that are only referred to.
        return sorted(nodes, key=lambda node: not self._rows.is_declaration(node))

    def ref(self, node: int) -> str:
        """Returns the REF that finds the node again."""
        return f"line:{self._rows.line(node)}"

    def key(self, node: int) -> Hashable | None:
        """Returns the id of the row's vertex, or its name if it has no id; for other rows the line number."""
        tree = self._rows
        vertex = tree.vertex(node)
        if vertex < 0:
            return ("line", tree.line(node))
        id = tree.vertex_id(vertex)
        return ("name", bytes(tree.names[tree.name(vertex)])) if id is None else ("id", id)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row that represents a vertex: its declaration, else the first that refers to it."""
        match key:
            case ("line", int(line)):
                return self._rows.row_of_line(line)
            case ("id", int(id)):
                vertex = self._rows.vertex_of_id(id)
            case ("name", bytes(name)):
                vertex = self.report.vertex_named(name)
            case _:
                return None
        return None if vertex is None else self.report.row_of_vertex(vertex)


class DocumentView(RowsView[Parsed]):
    """Rows that are lines of the file."""

    def node_at(self, offset: int) -> int | None:
        """Row whose line, or continuation line, contains this byte; None before the first row."""
        return self._rows.row_at(offset)
