"""Facts that are settings: keys that may repeat, each with its value."""

from __future__ import annotations

from typing import Any


def is_pairs(value: Any) -> bool:
    """True if a fact is a list of pairs of texts."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, (list, tuple)) and len(each) == 2 for each in value)
        and all(isinstance(text, str) for each in value for text in each)
    )
