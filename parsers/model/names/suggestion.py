"""Suggestions for mistyped names, for messages."""

from __future__ import annotations

from collections.abc import Iterable

ALIKE = 0.7
"""Least likeness of a suggestion: more than half of the letters of a short word."""


def closest(word: str, known: Iterable[str]) -> str:
    """Returns the known name that is most like a word, in any case; empty if none is."""
    # Imported here: it costs a millisecond, and most words are right.
    from difflib import get_close_matches

    names = {name.casefold(): name for name in known}
    return next((names[each] for each in get_close_matches(word.casefold(), names, 1, ALIKE)), "")


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns "did you mean NAME?" for a mistyped word, else the known names."""
    names = list(known)
    close = closest(word, names)
    if close:
        return f"did you mean {close}?"
    return f"there {'is only' if len(names) == 1 else 'are'} {', '.join(names) or 'none'}"
