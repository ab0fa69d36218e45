"""The elements of an array of objects by index, without memory per element."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.lookup import place_in

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

NULL = -2
"""As an object: null."""
LOST = -3
"""As an object: an element counted by a collection's size, but not found."""
MANY = 64
"""Number of elements from which they are read together instead of one by one."""


class Elements(LazySequence[int]):
    """Objects, `NULL` or `NO_OBJECT` by index. The graph has references only for non-null elements."""

    def __init__(
        self, length: int, first: int, places: Sequence[int] | None, target: Callable[[int], int],
        targets: Callable[[range], I64Array] | None = None,
    ) -> None:  # fmt: skip
        """first: number of the first reference. places: index of each reference, None if no element is null.

        target, targets  return the object of a reference; those of many, as numpy array
        """
        self._length, self.first, self._target, self._targets = length, first, target, targets
        self.places: Sequence[int] = range(length) if places is None else places

    def __len__(self) -> int:
        return self._length

    def item(self, index: int) -> int:
        """Returns the object at an index."""
        site = self.site(index)
        return NULL if site is None else self._target(site)

    def items(self, indexes: range) -> Sequence[int]:
        """Returns the objects at some indexes, read together if there are many."""
        if self._targets is None or indexes.step != 1 or len(indexes) < MANY:
            return [self.item(each) for each in indexes]
        first, end = (bisect_left(self.places, each) for each in (indexes.start, indexes.stop))
        found: list[int] = self._targets(range(self.first + first, self.first + end)).tolist()
        if len(found) == len(indexes):
            return found
        every = [NULL] * len(indexes)
        for place, object in zip(self.places[first:end], found, strict=True):
            every[place - indexes.start] = object
        return every

    def site(self, index: int) -> int | None:
        """Returns the reference at an index; None for null."""
        place = place_in(self.places, index)
        return None if place is None else self.first + place

    def index_of(self, site: int) -> int | None:
        """Returns the index of a reference; None if the file was cut or replaced after it was indexed."""
        place = site - self.first
        return self.places[place] if place < len(self.places) else None

    def present(self) -> Iterator[int]:
        """Yields the non-null objects in order."""
        return (self._target(self.first + place) for place in range(len(self.places)))


NO_ELEMENTS = Elements(0, 0, None, lambda site: NO_OBJECT)
