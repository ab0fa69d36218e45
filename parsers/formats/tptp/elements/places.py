"""Positions of elements in bytes, and in the head of a file before there is an index."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from parsers.formats.tptp.read.scanner import ELEMENT, OPEN_ELEMENT, Constructs, local, next_start

ROOT = "TRACE"
"""Name of the root element, which is not counted."""


class ElementPosition(NamedTuple):
    """Position of one element."""

    start: int
    end: int
    """Offset after its `>`."""
    name: str


def places_in(data: bytes, base: int, stop: int) -> Iterator[ElementPosition]:
    """Yields the elements that begin before `stop`; base: the offset of the bytes in the file."""
    at, constructs = data.find(b"<"), Constructs()
    while 0 <= at < stop:
        found = constructs.at(data, at, base)
        if found is None:
            at = next_start(data, at + 1, stop)
            continue
        if found.kind in (ELEMENT, OPEN_ELEMENT):
            name = local(found.name.decode("utf-8", "replace"))
            if name != ROOT:
                yield ElementPosition(base + found.start, base + found.end, name)
        at = data.find(b"<", found.end)


class HeadElements:
    """Elements of the first bytes, with the interface of `ElementBlocks`."""

    def __init__(self, head: bytes) -> None:
        self._places = list(places_in(head, 0, len(head)))
        self._of_name: dict[str, list[ElementPosition]] = {}
        for place in self._places:
            self._of_name.setdefault(place.name, []).append(place)
        self.names = list(self._of_name)
        self.counts = [len(places) for places in self._of_name.values()]
        self.total = len(self._places)

    def nth(self, number: int) -> ElementPosition | None:
        """Returns an element by its number."""
        return self._places[number] if number < self.total else None

    def nth_of_name(self, name: int, number: int) -> ElementPosition | None:
        """Returns an element by its number among those of its name."""
        return self._of_name[self.names[name]][number]

    def number_at(self, offset: int) -> int | None:
        """Returns the number of the element that a byte belongs to; None before the first one."""
        found = bisect_right([place.start for place in self._places], offset) - 1
        return found if found >= 0 else None
