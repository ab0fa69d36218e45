"""Objects of a recording by class: counted at a moment, and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.formats.tptp.join.row_order import rows_by
from parsers.formats.tptp.join.saving import save_array
from parsers.formats.tptp.objects.class_moments import Moment, alive, born, end_of
from parsers.formats.tptp.schema.columns import IS_DEFINED_ONLY, NONE
from parsers.formats.tptp.store.names import TraceNames
from parsers.index.bitpacked.columns import numbers
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recorded import RecordedTrace
    from parsers.index.writer import Writer
    from parsers.model.arrays import I64Array, U32Array

SUMS = range(9)
TOTAL, LIVE, TOTAL_SIZE, ACTIVE_SIZE, DEFINED, DEFINED_SIZE, OLDEST, GENERATIONS, EVER_DEFINED = SUMS
"""Sums of a class: objects with a recorded allocation, the live ones, their bytes; live objects known by definition
alone, and their bytes; the age of the oldest live one in collections, and the number of different ages; objects known
by definition alone, freed or not.
"""
ARRAYS = {"class_objects": "u4", "class_objects_first": "u4", "class_counted": "i8"}
"""Arrays of an index: rows of objects by class, then in file order; the first one of each class, one entry more than
classes; sums at the end, SUMS after SUMS. After the classes there is an entry per session for objects without a class.
"""
PIECE = 1 << 18
"""Objects processed at a time."""


class ByClass(NamedTuple):
    """Objects by class."""

    objects: Any
    firsts: Any

    def of(self, row: int) -> U32Array:
        """Returns the objects of a class, by its row."""
        return np.asarray(self.objects[int(self.firsts[row]) : int(self.firsts[row + 1])])


def save_classes(writer: Writer, recording: RecordedTrace) -> Any:
    """Writes the arrays. Returns the sums at the end: int64[SUMS, places]"""
    counted = count_at_end(recording)
    if not recording.rows("object"):
        return counted
    names, classes = TraceNames(recording), places(recording)
    parts = []
    for session in range(names.sessions):
        rows = names.rows_of("object", session)
        parts.append(place_of(recording, slice(rows.start, rows.stop), session))
    firsts, objects = rows_by(np.concatenate(parts), classes)
    save_array(writer, "class_objects", objects)
    writer.save("class_objects_first", firsts)
    writer.save("class_counted", counted.reshape(-1))
    return counted


def count_at_end(recording: RecordedTrace) -> Any:
    """Returns the sums of all sessions at their ends."""
    names, counted = TraceNames(recording), np.zeros((len(SUMS), places(recording)), np.int64)
    for session in range(names.sessions if recording.rows("object") else 0):
        add_sums(counted, recording, end_of(recording, names, session))
    return counted


def places(recording: RecordedTrace) -> int:
    """Returns the number of classes plus sessions."""
    return recording.rows("class") + recording.rows("session")


def place_of(recording: RecordedTrace, part: slice, session: int) -> Any:
    """Returns the classes of some objects of a session: uint32."""
    return np.minimum(numbers(recording.column("object_class"), part), np.uint32(recording.rows("class") + session))


def sums_at(recording: RecordedTrace, moment: Moment) -> I64Array:
    """Returns int64[SUMS, places]: sums of objects by row of CLASSES; see ARRAYS for the further entries."""
    sums = np.zeros((len(SUMS), places(recording)), np.int64)
    add_sums(sums, recording, moment)
    return sums


def add_sums(total: I64Array, recording: RecordedTrace, moment: Moment) -> None:
    """Adds the sums of a session's objects to those of all sessions, in time that depends on the session only."""
    first, end = (int(recording.column("session_first_class")[moment.session + each]) for each in range(2))
    classes = end - first + 1
    sums, ages = np.zeros((len(SUMS), classes), np.int64), [np.empty(0, np.int64)]
    for start in range(moment.rows.start, moment.rows.stop, PIECE):
        part = slice(start, min(start + PIECE, moment.rows.stop))
        which = np.minimum(numbers(recording.column("object_class"), part).astype(np.int64), end) - first
        sizes = numbers(recording.column("object_size"), part)
        is_defined = numbers(recording.column("object_flags"), part) & IS_DEFINED_ONLY != 0
        is_born = born(recording, moment, part)
        is_alive = is_born & alive(recording, moment, part)
        chosen = {
            (TOTAL, TOTAL_SIZE): is_born & ~is_defined,
            (LIVE, ACTIVE_SIZE): is_alive & ~is_defined,
            (DEFINED, DEFINED_SIZE): is_alive & is_defined,
        }
        for (count, size), mask in chosen.items():
            sums[count] += np.bincount(which[mask], minlength=classes)
            sums[size] += np.bincount(which[mask], sizes[mask], classes).astype(np.int64)
        sums[EVER_DEFINED] += np.bincount(which[is_born & is_defined], minlength=classes)
        live = is_alive & ~is_defined
        births = numbers(recording.column("object_collection"), part)[live].astype(np.int64)
        ages.append(distinct(which[live] << 32 | births))
    pairs = distinct(np.concatenate(ages))
    pair_classes, births = pairs >> 32, pairs & NONE
    sums[GENERATIONS] = np.bincount(pair_classes, minlength=classes)
    np.maximum.at(sums[OLDEST], pair_classes, np.maximum(moment.collections - births, 0))
    total[:, first:end] += sums[:, :-1]
    total[:, recording.rows("class") + moment.session] += sums[:, -1]


def sums_at_end(recording: RecordedTrace) -> I64Array:
    """Returns the sums of all sessions at their ends, from the index."""
    return np.asarray(recording.column("class_counted")).reshape(len(SUMS), -1)


def by_class(recording: RecordedTrace) -> ByClass:
    """Returns the objects by class, from the index."""
    return ByClass(recording.column("class_objects"), recording.column("class_objects_first"))
