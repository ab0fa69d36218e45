"""Trees of the two text reports of native-image: rows with depths, ids that are declared once and referred to.

A `TextTree` is a `PlainTree`, built in memory by the plain line parsers (the first screen, small files, tests: no
numpy, no numba), or an `IndexedTree`, over the arrays on disk. Both give the same answers.

Terms: a *row* is a line with a branch, numbered from 0 in document order; rows are the positions of the preorder. A
*vertex* is the method (call tree) or object (object tree) that a row shows or refers to, numbered from 0; -1 if it has
none (a row that fits no form, a null …). An id is one vertex however often rows refer to it. A *name* is the unique
text of a method (without loader) or type; vertices may share it. Vertices, names and the summary are complete only with
the finished index.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from collections.abc import Callable

    from parsers.formats.graalvm.text.indexed_tree import IndexedTree
    from parsers.formats.graalvm.text.read.plain_tree import PlainTree

TextTree = Union["PlainTree", "IndexedTree"]


class CurrentTree:
    """Rows of the file's head first, parsed when they are needed, and those of the index as soon as it has more.

    Callers do not notice the exchange: rows keep their numbers, and both trees give the same answers.
    """

    def __init__(self, make_first: Callable[[], TextTree]) -> None:
        """make_first: makes the first tree, unless another one replaces it before it is needed"""
        self._make_first = make_first

    @cached_property
    def behind(self) -> TextTree:
        """The tree that answers now."""
        self.exchange(self._make_first())
        return self.behind

    def exchange(self, behind: TextTree) -> None:
        """Lets another tree answer from now on."""
        # Methods are kept as attributes, because `__getattr__` is several times slower.
        methods = [name for name in dir(type(behind)) if name[0] != "_" and callable(getattr(type(behind), name))]
        self.__dict__ = {"behind": behind, **{name: getattr(behind, name) for name in methods}}

    @property
    def rows(self) -> int:
        """Number of rows known now."""
        return self.behind.rows

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self.behind.is_complete

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def arrays_of(tree: TextTree) -> IndexedTree | None:
    """Returns the arrays of the index of a tree; None if plain code built the tree."""
    from parsers.formats.graalvm.text.indexed_tree import IndexedTree

    behind = tree.behind if isinstance(tree, CurrentTree) else tree
    return behind if isinstance(behind, IndexedTree) else None


def column(tree: TextTree, name: str) -> Any:
    """Returns a whole array of the finished index of a tree, with numpy; None if plain code built the tree."""
    arrays = arrays_of(tree)
    return None if arrays is None else arrays.array(name)
