"""Patterns as they are typed, read according to the options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.query.search.pattern import Kind, Pattern, compile_pattern

if TYPE_CHECKING:
    from tui.settings.options import Options


def typed_pattern(text: str, kind: Kind, options: Options) -> Pattern:
    """Compiles typed text to a pattern. Raises `PatternError`."""
    if options.ignorecase:
        # A typed flag follows this one and has priority.
        text = rf"!\c{text[1:]}" if text.startswith("!") else rf"\c{text}"
    return compile_pattern(text, kind)
