"""Classes of the objects that a thread allocated."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.tptp.schema.columns import NONE
from parsers.index.bitpacked.columns import numbers

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

KEPT = 256
"""Most threads cached: the side pane shows one at each key press."""


class Allocated(NamedTuple):
    """Allocations of a class by a thread."""

    row: int
    """Row of CLASSES."""
    objects: int
    bytes: int


def allocated_by(recording: TraceRecording) -> Callable[[int], list[Allocated]]:
    """Returns a function from a thread to its allocated classes, those with most bytes first."""

    @lru_cache(KEPT)
    def of_thread(thread: int) -> list[Allocated]:
        objects = np.flatnonzero(numbers(recording.column("object_thread")) == thread)
        classes = numbers(recording.column("object_class"), objects)
        objects, classes = objects[classes != NONE], classes[classes != NONE]
        rows, which, counts = np.unique(classes, return_inverse=True, return_counts=True)
        sums = np.bincount(which, numbers(recording.column("object_size"), objects), len(rows)).astype(np.int64)
        order = np.argsort(-sums, kind="stable")
        found = zip(rows[order].tolist(), counts[order].tolist(), sums[order].tolist(), strict=True)
        return [Allocated(*each) for each in found]

    return of_thread
