"""The objects of classes of a recording at a moment: listed, and counted by age and allocator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.tptp.objects.class_moments import Moment, alive, born
from parsers.formats.tptp.objects.class_sums import by_class
from parsers.formats.tptp.schema.columns import IS_DEFINED_ONLY
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import I64Array, U32Array

MOST_COUNTED = 1 << 20
"""Most objects of a class that are counted by allocator: the first ones."""


class LiveCounts(NamedTuple):
    """Counts of the live objects of a class."""

    ages: list[tuple[int, int, int]]
    """Collections outlived, objects, bytes; the oldest first."""
    threads: list[tuple[int, int]]
    """Rows of threads that allocated them, and their counts, largest first …"""
    methods: list[tuple[int, int]]
    """… and of methods, where calls were recorded."""


class ClassObjects:
    """Objects at one moment (by session)."""

    def __init__(self, recording: TraceRecording, moments: Mapping[int, Moment], listed: str) -> None:
        """listed: "live", "collected" or "all" """
        self._recording = recording
        self._moments = moments
        self._listed = listed
        self._by_class = by_class(recording)

    def of(self, classes: Sequence[int], session: int) -> U32Array:
        """Returns rows of the listed objects of some classes, the largest first: uint32."""
        objects = self._chosen(classes, session, self._listed)
        return objects[np.argsort(-self.sizes(objects), kind="stable")]

    def _chosen(self, classes: Sequence[int], session: int, listed: str) -> U32Array:
        objects, moment = np.concatenate([self._by_class.of(row) for row in classes]), self._moments[session]
        objects = objects[born(self._recording, moment, objects)]
        is_alive = alive(self._recording, moment, objects)
        is_defined = self._recording.numbers("object_flags", objects) & IS_DEFINED_ONLY != 0
        chosen = {"live": is_alive, "collected": ~is_alive & ~is_defined, "all": is_alive | ~is_defined}
        found: U32Array = objects[chosen[listed]]
        return found

    def sizes(self, objects: U32Array) -> I64Array:
        """Returns the bytes of each: int64."""
        return self._recording.numbers("object_size", objects).astype(np.int64)

    def ages(self, objects: U32Array, collections: int) -> I64Array:
        """Returns the number of collections that each has outlived, out of a number of them in the session: int64."""
        births = self._recording.numbers("object_collection", objects).astype(np.int64)
        freed = self._recording.numbers("object_freed_collection", objects).astype(np.int64)
        return np.maximum(np.minimum(freed, collections) - births, 0)

    def counted(self, classes: Sequence[int], session: int, collections: int) -> LiveCounts:
        """Counts the live objects of some classes whose allocation was recorded."""
        objects = self._chosen(classes, session, "live")
        flags = self._recording.numbers("object_flags", objects)
        objects = objects[flags & IS_DEFINED_ONLY == 0]
        ages, places = np.unique(self.ages(objects, collections), return_inverse=True)
        counts, sums = np.bincount(places, minlength=len(ages)), np.bincount(places, self.sizes(objects), len(ages))
        rows = zip(ages.tolist(), counts.tolist(), sums.astype(np.int64).tolist(), strict=True)
        few = objects[:MOST_COUNTED]
        threads = self._recording.numbers("object_thread", few)
        calls = self._recording.numbers("object_call", few)
        methods = self._recording.numbers("call_method", calls[calls != NONE])
        return LiveCounts(sorted(rows, reverse=True), _most(threads), _most(methods))


def _most(rows: U32Array) -> list[tuple[int, int]]:
    """Returns the frequency of each row, the most frequent one first."""
    found, counts = np.unique(rows[rows != NONE], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return list(zip(found[order].tolist(), counts[order].tolist(), strict=True))
