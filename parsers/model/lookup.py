"""Places of values in sequences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any


def place_in(values: Sequence[Any], value: Any, key: Callable[[Any], Any] | None = None) -> int | None:
    """Returns the first place of a value in an ascending sequence; None if it is not there. key: as for sorting"""
    place = bisect_left(values, value, key=key)
    is_there = place < len(values) and (values[place] if key is None else key(values[place])) == value
    return place if is_there else None
