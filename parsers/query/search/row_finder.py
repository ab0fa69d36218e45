"""Views that look for a pattern among many of their rows at once, quicker than label by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from parsers.query.search.pattern import Pattern


class RowFinder(Protocol):
    """Looks for one pattern. Any thread may ask, one at a time."""

    def find(self, nodes: Any) -> Mapping[str, Any]:
        """Which of some nodes (int64[], ascending) match, bool[]: as a "regex", as a "text", as what it may be."""
        ...


@runtime_checkable
class HasFinder(Protocol):
    """A view whose first nodes can be looked through: the things at the top of a graph without end; or all rows."""

    @property
    def things(self) -> int:
        """How many there are."""
        ...

    def finder(self, pattern: Pattern, is_patient: bool = False) -> RowFinder:
        """is_patient: whether expressions may be tried that could take very long"""
        ...
