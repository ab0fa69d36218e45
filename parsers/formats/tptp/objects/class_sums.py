"""Objects of a recording by class: counted at a moment, and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.tptp.join.saving import save_array
from parsers.formats.tptp.objects.class_moments import Moment, alive, born, ended
from parsers.formats.tptp.schema.columns import IS_DEFINED_ONLY
from parsers.kernels.places import sorted_places
from parsers.model.distinct import distinct
from parsers.model.none import NONE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.index.writer import Writer
    from parsers.model.arrays import I64Array, U32Array

SUMS = range(9)
TOTAL, LIVE, TOTAL_SIZE, ACTIVE_SIZE, DEFINED, DEFINED_SIZE, OLDEST, GENERATIONS, EVER_DEFINED = SUMS
"""Sums of a class: objects with a recorded allocation, the live ones, their bytes; live objects known by definition
alone, and their bytes; the age of the oldest live one in collections, and the number of different ages; objects known
by definition alone, freed or not.
"""
PIECE = 1 << 18
"""Objects processed at a time."""


class ByClass(NamedTuple):
    """Objects by class."""

    objects: Sequence[int]
    firsts: Sequence[int]

    def of(self, row: int) -> U32Array:
        """Returns the objects of a class, by its row."""
        return np.asarray(self.objects[int(self.firsts[row]) : int(self.firsts[row + 1])])


def save_classes(writer: Writer, recording: TraceRecording) -> I64Array:
    """Writes the arrays of an index. Returns the sums at the end: int64[SUMS, places]

    class_objects        uint32: rows of objects by class, then in file order
    class_objects_first  uint32: the first one of each class, one entry more than classes
    class_counted        int64: sums at the end, SUMS after SUMS
    After the classes there is an entry per session for objects without a class.
    """
    counted = count_at_end(recording)
    if not recording.rows("object"):
        return counted
    everything = slice(0, recording.rows("object"))
    of = place_of(recording, everything, recording.sessions_of("object", range(recording.rows("object"))))
    firsts, objects = sorted_places(of, places(recording))
    save_array(writer, "class_objects", objects)
    writer.save("class_objects_first", firsts)
    writer.save("class_counted", counted.reshape(-1))
    return counted


def count_at_end(recording: TraceRecording) -> I64Array:
    """Returns the sums of all sessions at their ends."""
    if not recording.rows("object"):
        return np.zeros((len(SUMS), places(recording)), np.int64)
    collections = np.array([ended(recording, session) for session in range(recording.sessions)])
    end = Moment(0, range(recording.rows("object")), 0, is_end=True)
    return _sums(
        recording, end, lambda part: recording.sessions_of("object", range(part.start, part.stop)), collections
    )


def places(recording: TraceRecording) -> int:
    """Returns the number of classes plus sessions."""
    return recording.rows("class") + recording.rows("session")


def place_of(recording: TraceRecording, part: slice, sessions: int | I64Array) -> U32Array:
    """Returns the classes of some objects, of which the sessions are given: uint32."""
    without = (recording.rows("class") + np.asarray(sessions)).astype(np.uint32)
    return np.minimum(recording.numbers("object_class", part), without)


def sums_at(recording: TraceRecording, moment: Moment) -> I64Array:
    """Returns int64[SUMS, places]: sums of objects by row of classes; see `save_classes` for the further entries."""
    return _sums(recording, moment, lambda _: moment.session, moment.collections)


def _sums(
    recording: TraceRecording,
    moment: Moment,
    sessions_of: Callable[[slice], int | I64Array],
    collections: int | I64Array,
) -> I64Array:
    """Returns what `sums_at` does. sessions_of: the session of some objects, or of each; collections: of each session
    that had ended by then, or of one
    """
    count = places(recording)
    sums, ages, ended_of = np.zeros((len(SUMS), count), np.int64), [np.empty(0, np.int64)], np.zeros(count, np.int64)
    for start in range(moment.rows.start, moment.rows.stop, PIECE):
        part = slice(start, min(start + PIECE, moment.rows.stop))
        sessions = sessions_of(part)
        which = place_of(recording, part, sessions).astype(np.int64)
        ended_of[which] = collections if isinstance(collections, int) else collections[sessions]
        sizes = recording.numbers("object_size", part)
        is_defined = recording.numbers("object_flags", part) & IS_DEFINED_ONLY != 0
        is_born = born(recording, moment, part)
        is_alive = is_born & alive(recording, moment, part)
        live = is_alive & ~is_defined
        chosen = {
            (TOTAL, TOTAL_SIZE): is_born & ~is_defined,
            (LIVE, ACTIVE_SIZE): live,
            (DEFINED, DEFINED_SIZE): is_alive & is_defined,
        }
        for (number, size), mask in chosen.items():
            sums[number] += np.bincount(which[mask], minlength=count)
            sums[size] += np.bincount(which[mask], sizes[mask], count).astype(np.int64)
        sums[EVER_DEFINED] += np.bincount(which[is_born & is_defined], minlength=count)
        births = recording.numbers("object_collection", part)[live].astype(np.int64)
        ages.append(distinct(which[live] << 32 | births))
    pairs = distinct(np.concatenate(ages))
    pair_places, births = pairs >> 32, pairs & NONE
    sums[GENERATIONS] = np.bincount(pair_places, minlength=count)
    np.maximum.at(sums[OLDEST], pair_places, np.maximum(ended_of[pair_places] - births, 0))
    return sums


def sums_at_end(recording: TraceRecording) -> I64Array:
    """Returns the sums of all sessions at their ends, from the index."""
    return recording.numbers("class_counted").reshape(len(SUMS), -1)


def by_class(recording: TraceRecording) -> ByClass:
    """Returns the objects by class, from the index."""
    return ByClass(recording.column("class_objects"), recording.column("class_objects_first"))
