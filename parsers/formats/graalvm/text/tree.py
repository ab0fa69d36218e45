"""What the two text reports of native-image have in common: rows by depth, ids that are declared once and referred to.

`TextTree` is the reading side that the reports of both formats are written over. There are two of it: `PlainTree`, made
in memory by the plain line parsers (the first screen, small files, tests: no numpy, no numba), and `IndexedTree`, over
the arrays on disk. Both answer the same; which one is behind a report can't be seen.

Words: a *row* is a line with a branch, numbered from 0 in document order. A *thing* is what a row shows or refers to: a
method of a call tree, an object of an object tree, numbered from 0; what has an id is one thing however often it is
referred to. A *name* is a unique text: of a method (without loader) or of a type; several things may share a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from parsers.model.report import Preorder, Problem


class TextTree(Preorder, Protocol):
    """The rows of a text tree and what they refer to. Row numbers are the positions of the preorder."""

    # -- rows ---------------------------------------------------------------------------------------------------------

    def offset(self, row: int) -> int:
        """Byte offset of the row's line in the plain file."""
        ...

    def line(self, row: int) -> int:
        """Number of the row's line, from 1."""
        ...

    def row_at(self, offset: int) -> int | None:
        """The last row whose line begins at or before this byte; None before the first row."""
        ...

    def row_of_line(self, line: int) -> int | None:
        """The row printed on this line; a continuation line names its row. None: the line is no row."""
        ...

    def kind(self, row: int) -> int:
        """Number of the row's kind in the format's `KINDS`."""
        ...

    def thing(self, row: int) -> int:
        """The thing that the row shows or refers to; -1 if it has none (a row that fits no form, a null …)."""
        ...

    def is_declaration(self, row: int) -> bool:
        """Whether the row says `id=N`, be it for the first time or again; False for references and rows without id."""
        ...

    # -- things (complete only with the finished index) ---------------------------------------------------------------

    @property
    def things(self) -> int:
        """How many there are."""
        ...

    def declaration(self, thing: int) -> int:
        """The row that declares the thing's id (`id=N`); -1: none (no id, or only references to it)."""
        ...

    def thing_rows(self, thing: int) -> Sequence[int]:
        """All rows that show or refer to the thing, in document order, the declaration among them."""
        ...

    def thing_of_id(self, id: int) -> int | None:
        """The thing with that id."""
        ...

    def thing_id(self, thing: int) -> int | None:
        """Its id; None for a target without one."""
        ...

    def distance(self, thing: int) -> int | None:
        """Calls on a shortest way from an entry; None: no way leads there. Call trees only."""
        ...

    # -- names --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names as bytes of the file."""
        ...

    def name(self, thing: int) -> int:
        """Number of the thing's name."""
        ...

    def name_things(self, name: int) -> Sequence[int]:
        """The things of that name, in order of their first row."""
        ...

    def find_name(self, name: bytes) -> int | None:
        """Number of exactly this name; without looking through all of them where there are many."""
        ...

    # -- the whole (complete only with the finished index) -------------------------------------------------------------

    @property
    def totals(self) -> Mapping[str, Any]:
        """Every count of the format page; empty until finished."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """`format_version` and what else was concluded from the lines."""
        ...

    @property
    def problems(self) -> Sequence[Problem]:
        """What was not as it should be, in file order; the first some thousand."""
        ...

    @property
    def problem_count(self) -> int:
        """How many there are in all."""
        ...


@runtime_checkable
class TreeArrays(Protocol):
    """A tree over the arrays of a finished index."""

    def array(self, name: str) -> Any:
        """A whole array of the index."""
        ...

    def kinds(self, start: int, stop: int) -> Any:
        """Kinds of a range of rows, as uint8[n]."""
        ...

    def ids(self) -> Any:
        """Ids by thing, as they are stored."""
        ...

    def ends_of(self, rows: Any) -> Any:
        """First row after the subtree of each of some rows, as int64[n]."""
        ...


@runtime_checkable
class StandsForTree(Protocol):
    """A tree that another one answers for."""

    behind: TextTree


def arrays_of(tree: TextTree) -> TreeArrays | None:
    """The index behind a tree; None if plain code made the tree."""
    behind = tree.behind if isinstance(tree, StandsForTree) else tree
    return behind if isinstance(behind, TreeArrays) else None


def column(tree: TextTree, name: str) -> Any:
    """A whole array of the finished index behind a tree, with numpy; None if plain code made the tree."""
    arrays = arrays_of(tree)
    return None if arrays is None else arrays.array(name)
