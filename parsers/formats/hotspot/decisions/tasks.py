"""The tasks of a log from pass 1, and access to their bytes in batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.formats.hotspot.log.read.tags import COMMENT_IN_TAG
from parsers.index.texts import Texts
from parsers.model.distinct import distinct
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

BATCH = 2 << 20
"""Bytes that are read at once, if a task isn't longer."""
MOST_RUNS = 16
"""Maximum JVMs that are distinguished; any more count as one."""
LONGEST_TASK = 16 << 20
"""Maximum bytes of a task; real ones have half a million at most."""
MakeArray = Callable[[int, Any], Any]
"""Makes an array of zeros: length, type. Large tables can be kept outside of the process's memory."""


class TaskBatch(NamedTuple):
    """Tasks whose bytes are read at once."""

    file: int
    run: int
    first: int
    stop: int
    """The number behind the last one."""


@dataclass
class Tasks:
    """Data of all tasks from pass 1, and access to their bytes."""

    starts: U64Array
    """uint64: run offsets, ascending."""
    ends: U64Array
    methods: U32Array
    """uint32: numbers of texts."""
    levels: U8Array
    """uint8"""
    fragments: U8Array
    """uint8: 1 for a task in a fragment."""
    runs: U8Array
    """uint8: number of the JVM, if several wrote one log."""
    files: I64Array
    """int64[files + 1]: the first task of each file, and their number."""
    method_starts: U64Array
    """uint64[methods + 1]: start of each text in `method_blob`."""
    method_blob: U8Array
    """uint8"""
    read_into: Callable[[memoryview, int], None]
    """Fills a buffer with the bytes of the run from an offset on."""
    commented: Collection[int] = ()
    """Numbers of the files that contain comments."""

    @property
    def count(self) -> int:
        """Number of tasks."""
        return len(self.starts)

    @property
    def known(self) -> int:
        """Number of methods that pass 1 knows."""
        return max(len(self.method_starts) - 1, 0)

    @cached_property
    def method_texts(self) -> list[bytes]:
        """Texts of the methods that pass 1 knows."""
        return texts_of(self.method_starts, self.method_blob, 0, self.known)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Returns the start of the bytes of some tasks, and the number of bytes to read."""
        begin = int(self.starts[first])
        end = min(int(self.ends[last - 1]), int(self.starts[last - 1]) + LONGEST_TASK)
        return begin, end - begin

    def text(self, method: int) -> bytes | None:
        """Returns the text of a method; None if there is none."""
        return None if method == NONE else self.method_texts[method]

    def without_comments(self, file: int, text: bytes) -> bytes:
        """Returns the bytes of a task of a file without the comments in them."""
        return COMMENT_IN_TAG.sub(b"", text) if file in self.commented and b"<!--" in text else text

    def batches(self) -> Iterator[TaskBatch]:
        """Returns all tasks in order, in batches of one file and one run."""
        changes = np.flatnonzero(self.runs[1:] != self.runs[:-1]) + 1
        borders = distinct(np.concatenate((self.files, changes))).tolist()
        for first, last in pairwise(borders):
            file = bisect_right(self.files, first) - 1
            run = min(int(self.runs[first]), MOST_RUNS - 1)
            while first < last:
                limit = int(self.starts[first]) + BATCH
                stop = bisect_right(self.ends, limit, first, last)
                stop = max(first + 1, stop)
                yield TaskBatch(file, run, first, stop)
                first = stop


def texts_of(starts: U64Array, blob: U8Array, first: int, last: int) -> list[bytes]:
    """Returns some texts of a table."""
    return list(Texts(np.asarray(starts)[first : last + 1].data, np.asarray(blob).data))
