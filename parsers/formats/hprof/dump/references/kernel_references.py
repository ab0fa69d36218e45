"""References of a heap by kernels: two pieces of the file at once, written in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.read.kernel import WEAK, refer, refer_elements
from parsers.formats.hprof.dump.references.reference_layouts import LARGEST_BODY, reference_layouts
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT
from parsers.heapdump.tables.numbers import ObjectNumbers
from parsers.index.writer import Writer
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.io.plain import PlainBytes

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U32Array

PIECE = 4 << 20
"""Bytes of a piece."""
LARGE = LARGEST_BODY
"""Minimum bytes of values of an array that is read in pieces of its own, or skipped."""
MOST = 0xFFFF_FFF0
"""Maximum references: 32 bits number them."""


class TooManyReferences(Exception):
    """The dump has more references than 32 bits can number."""


Piece = tuple[int, int, int, int]
"""First and end of objects; of elements, if the piece is in one large array of objects."""


class KernelReferences:
    """Reader of references into `referred_first` and `referred_target`."""

    def __init__(
        self, plain: PlainBytes, heap: ParsedHeap, numbers: ObjectNumbers, arrays: Writer,
        report_progress: Callable[[int], object] = lambda done: None,
    ) -> None:  # fmt: skip
        self._plain = plain
        self._heap = heap
        self._numbers = numbers
        self._arrays = arrays
        self._report_progress = report_progress
        self.counts = np.zeros(5, np.int64)
        """Number of references by kind of object; of weak ones."""
        self._weak: list[U32Array] = []
        self.total = 0

    def read(self) -> None:
        """Reads all references. Raises `TooManyReferences`."""
        self._layouts = reference_layouts(self._heap, self._plain.pread)
        self._pieces = self._make_pieces()
        self._pipeline = OrderedPipeline()
        self._pipeline.run(len(self._pieces), self._worker)
        self._arrays.put("referred_first", self._heap.objects, np.array([self.total], np.uint32))

    @property
    def weak(self) -> U32Array:
        """Weak references: uint32, ascending."""
        return np.sort(np.concatenate([np.empty(0, np.uint32), *self._weak]))

    def _make_pieces(self) -> list[Piece]:
        """Groups objects into pieces. Large arrays of objects are split; of other large arrays only heads are read."""
        heap, pieces = self._heap, list[Piece]()
        offsets = heap.offsets
        large = self._large_arrays().tolist()
        at = 0
        for stop in (*large, heap.objects):
            while at < stop:
                end = int(np.searchsorted(offsets[at:stop], offsets[at] + np.uint64(PIECE))) + at
                pieces.append((at, end, 0, 0))
                at = end
            if stop < heap.objects:
                elements = int(heap.lengths[stop]) if heap.kinds[stop] == OBJECT_ARRAY else 0
                step = PIECE // heap.id_size
                pieces += [(stop, stop + 1, first, min(first + step, elements)) for first in range(0, elements, step)]
                if not elements:
                    pieces.append((stop, stop + 1, 0, 0))
                at = stop + 1
        return pieces

    def _large_arrays(self) -> I64Array:
        """Returns objects whose values may be longer than LARGE."""
        heap = self._heap
        found = [np.empty(0, np.int64)]
        for start in range(0, heap.objects, 1 << 22):
            part = slice(start, start + (1 << 22))
            is_large = heap.lengths[part] > LARGE // 8
            is_large &= (heap.kinds[part] != PLAIN_OBJECT) | (heap.lengths[part] > LARGE)
            found.append(np.flatnonzero(is_large) + start)
        return np.concatenate(found)

    def _worker(self) -> Callable[[int], None]:
        heap, size = self._heap, self._heap.id_size
        buffer_size = PIECE + (LARGE + 64) * 2
        buffer = np.zeros(buffer_size + 64, np.uint8)
        class_capacity = len(self._layouts.class_ids)
        targets = np.empty(buffer_size // size + class_capacity + 64, np.uint32)
        ids = np.empty(len(targets) + 1, np.uint64)
        firsts = np.empty(PIECE // 14 + 64, np.uint32)
        counts, weak = np.zeros(5, np.int64), np.empty(len(targets), np.uint32)

        def take(piece: int) -> None:
            start, stop, first, last = self._pieces[piece]
            counts[:] = 0
            if last:
                values = int(heap.offsets[start]) + 9 + 2 * size + first * size
                self._plain.read_into(buffer.data[: (last - first) * size], values)
                found = refer_elements(buffer, size, last - first, self._numbers.numbered, ids, targets)
                counts[OBJECT_ARRAY] = found
                firsts[0] = 0
            else:
                base = int(heap.offsets[start])
                # Only the head of the last object may reach beyond the end of the file.
                self._plain.read_into(buffer.data[: min(self._end(stop - 1) - base, buffer_size)], base)
                part = slice(start, stop)
                found = refer(
                    buffer, base, size, heap.offsets[part], heap.kinds[part], heap.types[part], heap.lengths[part],
                    self._layouts, LARGEST_BODY, self._numbers.numbered, ids, firsts, targets, weak, counts,
                )  # fmt: skip
            self._pipeline.wait(piece)
            before, self.total = self.total, self.total + found
            self.counts += counts
            if self.total > MOST:
                raise TooManyReferences
            self._pipeline.done(piece)
            if counts[WEAK]:
                self._weak.append(weak[: int(counts[WEAK])] + np.uint32(before))
            firsts[: stop - start] += np.uint32(before)
            if not first:
                self._arrays.put("referred_first", start, firsts[: stop - start])
            self._arrays.put("referred_target", before, targets[:found])
            self._report_progress(self._end(stop - 1))

        return take

    def _end(self, number: int) -> int:
        """Returns the end of an object; for a class or an array of primitives an offset after its head."""
        heap, size = self._heap, self._heap.id_size
        offset, kind, length = int(heap.offsets[number]), heap.kinds[number], int(heap.lengths[number])
        if kind == CLASS_OBJECT or kind not in (PLAIN_OBJECT, OBJECT_ARRAY):
            return offset + 10 + 2 * size
        return offset + 9 + 2 * size + length * (1 if kind == PLAIN_OBJECT else size)
