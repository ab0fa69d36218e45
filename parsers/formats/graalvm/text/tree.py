"""Trees of the two text reports of native-image: rows with depths, ids that are declared once and referred to.

`TextTree` is the read interface that the reports of both formats use. It has two implementations: `PlainTree`, built in
memory by the plain line parsers (the first screen, small files, tests: no numpy, no numba), and `IndexedTree`, over the
arrays on disk. Both give the same answers.

Terms: a *row* is a line with a branch, numbered from 0 in document order. A *vertex* (`vertex` in names) is the method
(call tree) or object (object tree) that a row shows or refers to, numbered from 0. An id is one vertex however often
rows refer to it. A *name* is the unique text of a method (without loader) or type; vertices may share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from parsers.model.report import Preorder

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.indexed_tree import IndexedTree
    from parsers.formats.graalvm.text.summary import TextSummary


class TextTree(Preorder, Protocol):
    """The rows of a text tree and their vertices. Row numbers are the positions of the preorder."""

    # -- rows ---------------------------------------------------------------------------------------------------------

    def offset(self, row: int) -> int:
        """Returns the byte offset of the row's line in the plain file."""
        ...

    def line(self, row: int) -> int:
        """Returns the number of the row's line, from 1."""
        ...

    def row_at(self, offset: int) -> int | None:
        """Returns the last row whose line begins at or before this byte; None before the first row."""
        ...

    def row_of_line(self, line: int) -> int | None:
        """Row printed on this line; for a continuation line its row. None: the line is no row."""
        ...

    def kind(self, row: int) -> int:
        """Returns the number of the row's kind in the format's `KINDS`."""
        ...

    def vertex(self, row: int) -> int:
        """Returns the vertex that the row shows or refers to; -1 if it has none (a row that fits no form, a null …)."""
        ...

    def is_declaration(self, row: int) -> bool:
        """Returns True if the row has `id=N`, even if repeated; False for references and rows without id."""
        ...

    # -- vertices (complete only with the finished index) -------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """Their number."""
        ...

    def declaration(self, vertex: int) -> int:
        """Returns the row that declares the vertex's id (`id=N`); -1: none (no id, or only references to it)."""
        ...

    def vertex_rows(self, vertex: int) -> Sequence[int]:
        """Returns all rows that show or refer to the vertex, in document order, including the declaration."""
        ...

    def vertex_of_id(self, id: int) -> int | None:
        """Returns the vertex with that id."""
        ...

    def vertex_id(self, vertex: int) -> int | None:
        """Returns the id of the vertex; None without one."""
        ...

    def distance(self, vertex: int) -> int | None:
        """Returns the number of calls on a shortest path from an entry; None: unreachable. Call trees only."""
        ...

    # -- names --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names as bytes of the file."""
        ...

    def name(self, vertex: int) -> int:
        """Returns the number of the vertex's name."""
        ...

    def name_vertices(self, name: int) -> Sequence[int]:
        """Returns the vertices of that name, in order of their first row."""
        ...

    def find_name(self, name: bytes) -> int | None:
        """Returns the number of exactly this name, without scanning many names."""
        ...

    # -- the whole (complete only with the finished index) -------------------------------------------------------------

    @property
    def summary(self) -> TextSummary:
        """Counts, facts and problems; empty until finished."""
        ...


class ExchangedTree(TextTree, Protocol):
    """A tree that delegates to another one, which is exchanged as the file is read."""

    behind: TextTree


class CurrentTree:
    """Rows of the file's head first, and those of the index as soon as it has more.

    Callers do not notice the exchange: rows keep their numbers, and both trees give the same answers.
    """

    def __init__(self, behind: TextTree) -> None:
        self.behind = behind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)

    def vertex(self, row: int) -> int:
        """Returns the vertex that the row shows or refers to; -1: none, or not indexed yet."""
        vertex = self.behind.vertex(row)
        return vertex if vertex < self.behind.vertices else -1


def arrays_of(tree: TextTree) -> IndexedTree | None:
    """Returns the arrays of the index of a tree; None if plain code built the tree."""
    from parsers.formats.graalvm.text.indexed_tree import IndexedTree

    behind = tree.behind if isinstance(tree, CurrentTree) else tree
    return behind if isinstance(behind, IndexedTree) else None


def column(tree: TextTree, name: str) -> Any:
    """Returns a whole array of the finished index of a tree, with numpy; None if plain code built the tree."""
    arrays = arrays_of(tree)
    return None if arrays is None else arrays.array(name)
