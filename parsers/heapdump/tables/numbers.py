"""Lookup of objects by id: a bit table where ids are as dense as in a heap, else a sorted list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.heapdump.tables.numbers_kernel import (
    PAGE_BITS,
    PAGE_WORDS,
    Numbered,
    count_slots,
    find_numbers,
    keep_rest,
    mark_pages,
    mark_slots,
    note_runs,
    put_in_order,
)
from parsers.index.scratch import Scratch, anonymous
from parsers.io.background_task import in_halves

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array, U64Array

ADDRESS = 3
"""Low bits that are 0 in every id that is an address."""
SPARSE_PAGES, SPARSE_WORDS = 4, 4
"""Maximum of pages and of stored words per object; sparser ids use a sorted list."""
FEW = 1 << 16
"""Limit that is allowed in any case."""


class ObjectNumbers:
    """Maps ids to the numbers of objects, 0, 1, 2 … in the order given; of equal ids the last one wins.

    ids   uint64[n]
    make  allocates large tables: returns an array of zeros for a name, a type and a length
    """

    order: Any
    """Numbers in the order of ids: uint32. May be set to None when it is no longer needed."""

    def __init__(self, ids: U64Array, make: Scratch = anonymous) -> None:
        none, self.count = np.empty(0, np.uint32), len(ids)
        lowest, highest = (int(ids.min()), int(ids.max())) if len(ids) else (0, 0)
        shift = 0 if len(ids) == 0 or int(np.bitwise_or.reduce(ids)) & ((1 << ADDRESS) - 1) else ADDRESS
        unit = np.array([lowest, shift], np.uint64)
        span = ((highest - lowest) >> (shift + int(PAGE_BITS))) + 1
        words_of_page = 1 << int(PAGE_WORDS)
        if span <= SPARSE_PAGES * len(ids) + FEW:
            pages = np.zeros(span, np.uint32)
            mark_pages(ids, unit, pages)
            kept = np.cumsum(pages, dtype=np.uint32)
            count = int(kept[-1])
            if count * words_of_page <= SPARSE_WORDS * len(ids) + FEW:
                kept *= pages
                words = make("words", "u8", 2 * (count + 1) * words_of_page)
                mark_slots(ids, unit, kept, words)
                self.count = count_slots(words)
                order = make("order", "u4", self.count)

                def put(low: int, high: int) -> None:
                    put_in_order(ids[low:high], low, unit, kept, words, order)

                # Of equal ids the last one wins, so these are stored in one piece.
                in_halves(len(ids), put) if self.count == len(ids) else put(0, len(ids))
                counts = list[int]()
                in_halves(len(words) // 2, lambda low, high: counts.append(note_runs(words, order, low, high)))
                rest = make("rest", "u4", sum(counts))
                keep_rest(words, order, rest)
                self.order = order
                self.numbered = Numbered(unit, kept, words, np.empty(0, np.uint64), rest)
                return
        places = np.argsort(ids, kind="stable").astype(np.uint32)
        ordered = ids[places]
        is_last = np.append(ordered[1:] != ordered[:-1], True) if len(ids) else np.empty(0, bool)
        ordered, order = ordered[is_last], places[is_last]
        self.count = len(order)
        self.order = order
        self.numbered = Numbered(unit, none, np.empty(0, np.uint64), ordered, order)

    def find(self, ids: U64Array) -> U32Array:
        """Returns the number of each id: uint32, NONE where there is none."""
        found = np.empty(len(ids), np.uint32)
        find_numbers(np.ascontiguousarray(ids, np.uint64), self.numbered, found)
        return found
