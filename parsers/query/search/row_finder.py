"""Views that search many of their rows for a pattern at once, faster than label by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from parsers.model.capability import Capability

if TYPE_CHECKING:
    from parsers.query.search.pattern import Pattern


class RowFinder(Protocol):
    """Searches for one pattern. For any thread, one at a time."""

    def find(self, nodes: Any) -> Mapping[str, Any]:
        """Those of some nodes (int64[], ascending) that match, bool[]: as a "regex", as a "text", by interpretation."""
        ...


@runtime_checkable
class HasFinder(Protocol, metaclass=Capability):
    """A view whose first nodes can be searched: the roots of an unbounded graph; or all rows."""

    @property
    def vertices(self) -> int:
        """Number of these nodes."""
        ...

    def finder(self, pattern: Pattern, is_patient: bool = False) -> RowFinder:
        """is_patient: True if expressions may be tried that could take very long"""
        ...
