"""A text tree whose rows are those of the file's head first, and those of the index as soon as it has more.

Callers do not notice the exchange: rows keep their numbers, and both trees give the same answers.
"""

from __future__ import annotations

from typing import Any, cast

from parsers.formats.graalvm.text.tree import ExchangedTree, TextTree


class CurrentTree:
    """A tree that delegates what it doesn't define to another one, which can be exchanged for one with more rows."""

    def __init__(self, behind: TextTree) -> None:
        self.behind = behind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)

    def vertex(self, row: int) -> int:
        """Returns the vertex that the row shows or refers to; -1: none, or not indexed yet."""
        vertex = self.behind.vertex(row)
        return vertex if vertex < self.behind.vertices else -1


def current_tree(behind: TextTree) -> ExchangedTree:
    """Returns a tree that delegates to another one."""
    return cast(ExchangedTree, CurrentTree(behind))
