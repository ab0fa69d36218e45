"""Places of values in sequences, and numbers of different values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

Key = TypeVar("Key", bound=Hashable)


def place_in(values: Sequence[Any] | AnyArray, value: Any, key: Callable[[Any], Any] | None = None) -> int | None:
    """Returns the first place of a value in an ascending sequence; None if it is not there. key: as for sorting"""
    place = bisect_left(values, value, key=key)
    is_there = place < len(values) and (values[place] if key is None else key(values[place])) == value
    return place if is_there else None


def places_by(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """Returns the places of each key, ascending."""
    found: dict[Key, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found


def numbered(keys: Iterable[Key]) -> tuple[list[Key], I64Array]:
    """Returns the different keys in the order in which they first occur, and by place the number of the key: int64."""
    numbers: dict[Key, int] = {}
    found = [numbers.setdefault(key, len(numbers)) for key in keys]
    return list(numbers), np.array(found, np.int64)


def first_places(numbers: AnyArray, count: int) -> I64Array:
    """Returns the first place of each number below `count` in an array: int64, -1 for those that are not there."""
    found = np.full(count, -1, np.int64)
    # With several places for one number, the last one written remains.
    found[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return found
