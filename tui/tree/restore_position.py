"""Mapping of rows from one opening of a report to the next, after the file has grown and was read again."""

from __future__ import annotations

from parsers.model.row import Row
from parsers.model.view import UnknownReference, View

MAX_SIBLINGS = 500
"""Maximum siblings that are searched by label; a key may have to wait for the search."""


class SavedPosition:
    """Maps a node to the corresponding one: by a REF that is more than a number, else by labels.

    Rows correspond if the kinds and labels of their paths are equal. Both reports must still be open.
    """

    def __init__(self, before: View, after: View) -> None:
        self._before, self._after = before, after
        self._found: dict[int, int | None] = {}
        self._below: dict[int | None, dict[tuple[str, str], int]] = {}

    def __call__(self, node: int) -> int | None:
        """Returns the node of the new view; None: there is none."""
        path = [node]
        while path[-1] not in self._found:
            above = self._before.tree.parent(path[-1])
            if above is None:
                break
            path.append(above)
        for each in reversed(path):
            if each not in self._found:
                self._found[each] = self._find(each)
        return self._found[node]

    def _find(self, node: int) -> int | None:
        row = self._before.tree.row(node)
        if row.ref and not row.ref.startswith("node:"):
            try:
                return self._after.resolve(row.ref)
            except UnknownReference:
                return None
        above = self._before.tree.parent(node)
        parent = None if above is None else self._found[above]
        if above is not None and parent is None:
            return None
        if above == parent and self._is_there(node, row):
            return node
        return self._children(parent).get((row.kind, row.label))

    def _is_there(self, node: int, row: Row) -> bool:
        """True if the new view has the same row under the same number, at the same place."""
        preorder = self._after.tree.preorder
        if preorder is None or node >= preorder.rows:
            return False
        other = self._after.tree.row(node)
        return (other.kind, other.label, other.depth) == (row.kind, row.label, row.depth)

    def _children(self, parent: int | None) -> dict[tuple[str, str], int]:
        """Children of a node by kind and label; the first of several equal ones."""
        found = self._below.get(parent)
        if found is None:
            found = self._below[parent] = {}
            tree = self._after.tree
            nodes = tree.roots() if parent is None else tree.children(parent)
            for node in nodes[:MAX_SIBLINGS]:
                row = tree.row(node)
                found.setdefault((row.kind, row.label), node)
        return found
