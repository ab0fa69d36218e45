"""Suppress and expand patterns for methods and their classes; see `parsers.model.names.patterns`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from parsers.model.names.patterns import Patterns

if TYPE_CHECKING:
    from parsers.formats.hotspot.names import Method


class Suppression:
    """The suppressed methods: by the options for methods, or by those for types applied to their class."""

    def __init__(self, options: Mapping[str, str] | None = None, opened: Collection[int] = ()) -> None:
        self._patterns = Patterns.from_options(options or {})
        self._opened = frozenset(opened)
        self._known: dict[Method, bool] = {}

    def __bool__(self) -> bool:
        return self._patterns.suppresses("methods") or self._patterns.suppresses("types")

    def matches(self, node: int, method: Method) -> bool:
        """True if a row of a method is suppressed and was not opened by the user."""
        if node in self._opened:
            return False
        is_match = self._known.get(method)
        if is_match is None:
            patterns = self._patterns
            is_match = patterns.is_suppressed_method(method.label) or patterns.is_suppressed_type(method.holder)
            self._known[method] = is_match
        return is_match
