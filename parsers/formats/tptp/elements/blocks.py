"""Positions of the elements of a recording: counts by block from the index, offsets from the bytes of a block.

An element is identified by its number, in file order or among those of its name. The number determines its block; a
block is read and scanned once, and cached.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.elements.places import ElementPosition, places_in
from parsers.formats.tptp.read.scanner import MOST
from parsers.formats.tptp.schema.columns import BLOCK

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import I64Array, U32Array

KEPT = 32
"""Most blocks, and most names in a block, whose elements are cached."""


class ElementBlocks:
    """Elements of one recording, which must be complete."""

    def __init__(self, recording: TraceRecording, read: Callable[[int, int], bytes]) -> None:
        """read: returns bytes of the decompressed file, by count and offset"""
        self._recording, self._column = recording, recording.numbers
        self._read = read
        self.of_block = lru_cache(KEPT)(self._of_block)
        """Returns the elements that begin in a block."""
        self._named_in_block = lru_cache(KEPT)(
            lambda block, name: [each for each in self.of_block(block) if each.name == name]
        )

    # -- counts -------------------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> list[str]:
        """Names as spelled, in the order of their first occurrences."""
        words = self._recording.column("element_name")
        return [self._recording.text(int(word)) for word in words]

    @cached_property
    def counts(self) -> I64Array:
        """Number of elements by name."""
        _, running, first = self._of_name
        return running[first[1:]] - running[first[:-1]]

    @cached_property
    def _of_name(self) -> tuple[U32Array, I64Array, I64Array]:
        """Blocks and counts before each, grouped by name; and the first entry of each name."""
        elements = self._column("counted_element")
        # Numpy sorts 16-bit numbers by counting.
        small = elements.astype(np.uint16) if len(self.names) < 65_536 else elements
        order = np.argsort(small, kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(small, minlength=len(self.names)))])
        running = np.concatenate([[0], np.cumsum(self._column("counted")[order].astype(np.int64))])
        return self._column("counted_block")[order], running, first

    @cached_property
    def _in_order(self) -> tuple[U32Array, I64Array]:
        """Blocks with elements, and the number of elements before each; one entry more of these."""
        blocks, counts = self._column("counted_block"), self._column("counted")
        if not len(blocks):
            return blocks, np.zeros(1, np.int64)
        begins = np.append(0, np.flatnonzero(np.diff(blocks)) + 1)
        sums = np.add.reduceat(counts.astype(np.int64), begins)
        return blocks[begins], np.concatenate([[0], np.cumsum(sums)])

    @property
    def total(self) -> int:
        """Number of all elements."""
        return int(self._in_order[1][-1])

    # -- elements -----------------------------------------------------------------------------------------------------

    def nth(self, number: int) -> ElementPosition | None:
        """Returns an element by its number in the file; None if the file has changed."""
        blocks, before = self._in_order
        at = int(np.searchsorted(before, number, "right")) - 1
        return _nth(self.of_block(int(blocks[at])), number - int(before[at]))

    def nth_of_name(self, name: int, number: int) -> ElementPosition | None:
        """Returns an element by its number among those of its name."""
        blocks, running, first = self._of_name
        wanted = int(running[first[name]]) + number
        at = int(np.searchsorted(running[: first[name + 1] + 1], wanted, "right")) - 1
        return _nth(self._named_in_block(int(blocks[at]), self.names[name]), wanted - int(running[at]))

    def number_at(self, offset: int) -> int | None:
        """Returns the number of the last element that begins at or before a byte; None if there is none."""
        blocks, before = self._in_order
        at = bisect_right(blocks, offset // BLOCK) - 1
        if at < 0:
            return None
        starts = [each.start for each in self.of_block(int(blocks[at]))]
        within = bisect_right(starts, offset)
        number = int(before[at]) + min(within, int(before[at + 1] - before[at])) - 1
        return number if number >= 0 else None

    @cached_property
    def _places_of_names(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def names_of_block(self, block: int) -> tuple[I64Array, I64Array]:
        """Returns names of the elements that begin in a block, and their numbers among those of that name."""
        names = np.array([self._places_of_names.get(place.name, 0) for place in self.of_block(block)], np.int64)
        own = np.empty(len(names), np.int64)
        blocks, running, first = self._of_name
        for name in np.unique(names).tolist():
            is_it = names == name
            at = int(first[name]) + bisect_left(blocks[first[name] : first[name + 1]], block)
            own[is_it] = int(running[at] - running[first[name]]) + np.arange(int(is_it.sum()))
        return names, own

    def _of_block(self, block: int) -> list[ElementPosition]:
        return list(places_in(self._read(BLOCK + MOST, block * BLOCK), block * BLOCK, BLOCK))


def _nth(places: list[ElementPosition], number: int) -> ElementPosition | None:
    return places[number] if 0 <= number < len(places) else places[-1] if places else None
