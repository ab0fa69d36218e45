"""The elements of an array of objects by their index; nothing is made per element."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import overload

from parsers.hprof.object_graph import NO_OBJECT

NULL = -2
"""In place of an object: null."""


class Elements(Sequence[int]):
    """Objects, `NULL` or `NO_OBJECT` by index. The graph has references for those that are not null only."""

    def __init__(self, length: int, first: int, places: Sequence[int] | None, target: Callable[[int], int]) -> None:
        """first: number of the first reference. places: index of each reference, None if no element is null."""
        self._length, self.first, self._target = length, first, target
        self.places: Sequence[int] = range(length) if places is None else places

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._length))]
        site = self.site(range(self._length)[index])
        return NULL if site is None else self._target(site)

    def site(self, index: int) -> int | None:
        """The reference at an index; None for null."""
        place = bisect_left(self.places, index)
        return self.first + place if place < len(self.places) and self.places[place] == index else None

    def index(self, site: int, start: int = 0, stop: int = 0) -> int:
        """The index of a reference."""
        return self.places[site - self.first]

    def present(self) -> Iterator[int]:
        """The objects that there are, in their order."""
        return (self._target(self.first + place) for place in range(len(self.places)))


NO_ELEMENTS = Elements(0, 0, None, lambda site: NO_OBJECT)
