"""A merged tree as a preorder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.profile.merge import MergedTree


class MergedPreorder:
    """A merged tree as a `Preorder`."""

    is_complete = True

    def __init__(self, merged: MergedTree) -> None:
        self.merged = merged
        self._depth: memoryview = merged.depth.data

    @property
    def rows(self) -> int:
        """Number of nodes."""
        return self.merged.count

    def depth(self, node: int) -> int:
        """Returns the depth of a node."""
        return self._depth[node]

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range of nodes."""
        return self._depth[start:stop]

    def end(self, node: int) -> int:
        """Returns the first node after the subtree."""
        return int(self.merged.end[node])

    def ends(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the subtree ends of a range of nodes."""
        found: NDArray[Any] = self.merged.end[start:stop]
        return found

    def parent(self, node: int) -> int | None:
        """Returns the parent node."""
        parent = int(self.merged.parent[node])
        return None if parent < 0 else parent
