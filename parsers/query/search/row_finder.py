"""Views that search many of their rows for a pattern at once, faster than label by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array


class RowFinder(Protocol):
    """Searches for one pattern. For any thread, one at a time."""

    def find(self, nodes: I64Array) -> Mapping[str, BoolArray]:
        """Those of some nodes (int64[], ascending) that match, bool[]: as a "regex", as a "text", by interpretation."""
        ...
