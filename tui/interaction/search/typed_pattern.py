"""Patterns as they are typed into prompts and after commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.query.search.pattern import Kind, Pattern, PatternError, compile_pattern
from tui.input.keys.keyboard import CommandError

if TYPE_CHECKING:
    from tui.settings.options import Options


def typed_pattern(options: Options, text: str, kind: Kind = "auto") -> Pattern:
    """Compiles a typed pattern, whose case the options may ignore. Raises `CommandError`."""
    try:
        return compile_pattern(text, kind, options.ignorecase or None)
    except PatternError as error:
        raise CommandError(str(error)) from None
