"""Walks the records of a large binary file by a kernel: as `DumpRecords` does, record by record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, Read, body_shapes
from parsers.formats.hprof.dump.read.kernel import STATE
from parsers.formats.hprof.dump.records import walk_kernel as kernel
from parsers.formats.hprof.dump.records.records import (
    INSIDE,
    MOST_DOUBTED,
    NO_LENGTH,
    NO_NEXT,
    Damage,
    DumpRecords,
    Record,
    missing,
    unknown_record,
    wrapped,
)
from parsers.formats.hprof.dump.records.tags import BEGINS_AGAIN, SUB_RECORDS
from parsers.formats.hprof.dump.records.walk_kernel import LIKELY, NO_RECORD, UNLIKELY, WALK_STATE, WalkRows, walk

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

RECORD_CAPACITY, PROBLEM_CAPACITY = 1 << 14, 1 << 14
LARGEST_WINDOW = 32 << 20
"""Bytes that are read at once to repair lengths: whatever is farther away than this must be read apart."""
DAMAGE = (unknown_record, missing, lambda _: NO_LENGTH, wrapped, lambda _: NO_NEXT, lambda _: INSIDE)
"""By kind of damage in kernels."""


def damage(kind: int, number: int) -> Damage:
    """Returns the words for damage that the kernel found."""
    return DAMAGE[kind](number)


class KernelRecords(DumpRecords):
    """One walk. `repairs`: heap records end where records begin inside them; else lengths are believed."""

    def __init__(self, read: Read, size: int, id_size: int, repairs: bool) -> None:
        super().__init__(read, size, id_size)
        self.repairs = repairs
        if repairs:
            self._least = self._most = LARGEST_WINDOW

    def walk(self) -> Iterator[Record]:
        """All records but those of heaps, which are added to `segments`."""
        state, inner = np.zeros(WALK_STATE, np.int64), np.zeros(STATE, np.int64)
        state[kernel.AT] = HEADER_SIZE
        state[[kernel.ASKED, kernel.WRAPS, kernel.CHECKED, kernel.FOUND]] = -1
        is_known, may_begin = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
        is_known[list(NAMES)] = may_begin[list(BEGINS_AGAIN)] = True
        shapes = np.array([(-1, 0, -1, tag in SUB_RECORDS) for tag in range(256)])
        for tag, shape in body_shapes(self._id_size).items():
            shapes[tag, : kernel.IS_SUB_RECORD] = shape
        many = RECORD_CAPACITY
        rows = WalkRows(
            np.empty(many, np.int64), np.empty(many, np.uint8), np.empty(many, np.int64), np.empty(many, np.int64),
            np.empty(many, np.int64), np.empty(many, np.int64), np.empty(many, np.int64),
            np.empty((PROBLEM_CAPACITY, 5), np.int64), np.zeros(256, np.int64),
        )  # fmt: skip
        while True:
            data = np.frombuffer(self._window, np.uint8)
            status = walk(
                data, self._base, len(data), self.size, self._id_size, is_known, shapes, may_begin, self.repairs, inner,
                state, rows,
            )  # fmt: skip
            asked = int(state[kernel.ASKED])
            if status == kernel.ASKS:
                state[kernel.ANSWER] = UNLIKELY if self.search.is_known(asked) else NO_RECORD
                if self.is_believable(asked):
                    state[kernel.ANSWER] = LIKELY
            elif status == kernel.ASKS_WRAPS:
                state[kernel.WRAPS] = self.wraps_behind(asked)
            elif status in (kernel.ASKS_END, kernel.ASKS_INSIDE):
                if state[kernel.PROBLEMS]:
                    yield from self._taken(state, rows)
                self._repair(status, state)
            else:
                yield from self._taken(state, rows)
                if status == kernel.MORE:
                    self._show(int(state[kernel.NEEDED]))
                elif status != kernel.FULL:
                    break
        for tag, name in NAMES.items():
            self.counts[name] += int(rows.counts[tag])
        self.counts["unknown_records"] += int(rows.counts.sum() - rows.counts[list(NAMES)].sum())
        self.dumps, self._is_open = int(state[kernel.DUMPS]), bool(state[kernel.IS_OPEN])
        if status == kernel.LAST:
            self._take_last(int(state[kernel.AT]))
        self._end_of_walk()

    def _repair(self, status: int, state: I64Array) -> None:
        """Decides where a record ends whose length the kernel can't verify."""
        at = int(state[kernel.AT])
        if status == kernel.ASKS_END:
            state[kernel.CHECKED], state[kernel.CHECKED_END] = at, self.checked_end(at)
        else:
            state[kernel.END] = self.end_inside(at, int(state[kernel.BODY_AT]), int(state[kernel.END]))
            state[kernel.BODY_AT] = state[kernel.END]
        state[kernel.BEGUN], state[kernel.FOUND] = self.search.begun, self.search.found
        state[kernel.TRUSTS] = self.doubted > MOST_DOUBTED

    def _taken(self, state: I64Array, rows: WalkRows) -> Iterator[Record]:
        """Empties the tables: keeps heap records and damage, yields all other records."""
        records, segments, problems = (int(state[each]) for each in (kernel.RECORDS, kernel.SEGMENTS, kernel.PROBLEMS))
        state[kernel.RECORDS] = state[kernel.SEGMENTS] = state[kernel.PROBLEMS] = 0
        found = self.segments
        columns = (rows.segment_offsets, rows.segment_ends, rows.segment_dumps)
        for column, values in zip((found.offsets, found.ends, found.dumps), columns, strict=True):
            column.frombytes(values[:segments].tobytes())
        self.problems.add_all(rows.problems[:problems], damage)
        return zip(
            *(each[:records].tolist() for each in (rows.offsets, rows.tags, rows.micros, rows.ends)), strict=True
        )
