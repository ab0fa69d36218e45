"""Places of an array sorted by what they contain, by counting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.compiled import compiled
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array


def sort_places(keys: U32Array, starts: U32Array, places: U32Array) -> None:
    """Sorts places by their key, stably: those of a key are at starts[key] … starts[key + 1] of the result.

    keys    uint32 by place; those without an entry in `starts`, such as NONE, are left out
    starts  uint32, two more than there are keys, zeros; filled
    places  uint32, filled
    """
    count = len(starts) - 2
    for place in range(len(keys)):
        if keys[place] < count:
            starts[keys[place] + 2] += 1
    for key in range(1, len(starts)):
        starts[key] += starts[key - 1]
    for place in range(len(keys)):
        if keys[place] < count:
            places[starts[keys[place] + 1]] = place
            starts[keys[place] + 1] += 1


def sorted_places(keys: U32Array, count: int, buffer: U32Array | None = None) -> tuple[U32Array, U32Array]:
    """Returns the first place of each of `count` keys in the second result, with one entry more: places sorted by key.

    Places of other keys are left out. All uint32. buffer: for the places, as long as `keys`
    """
    from parsers.kernels.large_pages import large

    starts, places = np.zeros(count + 2, np.uint32), large("u4", len(keys)) if buffer is None else buffer
    compiled(sort_places)(keys, starts, places)
    return starts[:-1], places[: int(starts[count])]
