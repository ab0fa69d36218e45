"""Objects of a recording by class: counted at a moment, and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.formats.tptp.join.saving import save_array
from parsers.formats.tptp.objects.class_moments import Moment, alive, born, end_of
from parsers.formats.tptp.schema.columns import IS_DEFINED_ONLY, NONE
from parsers.formats.tptp.store.names import Names
from parsers.index.bitpacked.columns import numbers
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recorded import Recorded
    from parsers.index.writer import Writer

SUMS = ("total", "live", "total_size", "active_size", "defined_only", "defined_size", "oldest", "generations")
TOTAL, LIVE, TOTAL_SIZE, ACTIVE_SIZE, DEFINED, DEFINED_SIZE, OLDEST, GENERATIONS = range(len(SUMS))
"""What is counted of a class: objects allocated in view and those of them that live, their bytes; those known by their
definition alone; the age of the oldest one that lives, and of how many different ages these are, in collections."""
ARRAYS = {"class_objects": "u4", "class_objects_first": "u4", "class_counted": "i8"}
"""Of an index: rows of objects by class, then in file order; where those of each class begin, one entry more than there
are; sums at the end, SUMS after SUMS. Behind the classes come, by session, those objects whose class isn't told."""
PIECE = 1 << 18
"""Objects that are looked at at a time."""
MANY = 300_000
"""Objects from which on a kernel is worth its loading."""


class ByClass(NamedTuple):
    """Objects by class."""

    objects: Any
    firsts: Any

    def of(self, row: int) -> Any:
        """The objects of a class, by its row."""
        return np.asarray(self.objects[int(self.firsts[row]) : int(self.firsts[row + 1])])


def save_classes(writer: Writer, recording: Recorded) -> None:
    """Writes the arrays."""
    if not recording.rows("object"):
        return
    names, classes = Names(recording), places(recording)
    parts = []
    for session in range(names.sessions):
        rows = names.rows_of("object", session)
        parts.append(place_of(recording, slice(rows.start, rows.stop), session))
    firsts, objects = in_order(np.concatenate(parts), classes)
    save_array(writer, "class_objects", objects)
    writer.save("class_objects_first", firsts)
    counted = sum(sums_at(recording, end_of(recording, names, session)) for session in range(names.sessions))
    writer.save("class_counted", np.ascontiguousarray(counted).reshape(-1))


def in_order(which: Any, classes: int) -> tuple[Any, Any]:
    """Where the objects of each class begin, and the objects. which: by object its class"""
    firsts = np.zeros(classes + 1, np.uint32)
    if len(which) > MANY:
        from parsers.formats.tptp.join.kernels.calls import order_by

        objects = np.empty(len(which), np.uint32)
        order_by(which, firsts, objects)
        return firsts, objects
    np.cumsum(np.bincount(which, minlength=classes), out=firsts[1:])
    return firsts, np.argsort(which, kind="stable").astype(np.uint32)


def places(recording: Recorded) -> int:
    """How many classes there are, and one for each session."""
    return recording.rows("class") + recording.rows("session")


def place_of(recording: Recorded, part: slice, session: int) -> Any:
    """The class of some objects of a session: uint32."""
    return np.minimum(numbers(recording.column("object_class"), part), np.uint32(recording.rows("class") + session))


def sums_at(recording: Recorded, moment: Moment) -> Any:
    """int64[SUMS, places]: by row of CLASSES what is counted of its objects; see ARRAYS for what comes behind."""
    classes = places(recording)
    sums, ages = np.zeros((len(SUMS), classes), np.int64), [np.empty(0, np.int64)]
    for start in range(moment.rows.start, moment.rows.stop, PIECE):
        part = slice(start, min(start + PIECE, moment.rows.stop))
        which = place_of(recording, part, moment.session).astype(np.int64)
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
        live = is_alive & ~is_defined
        births = numbers(recording.column("object_collection"), part)[live].astype(np.int64)
        ages.append(distinct(which[live] << 32 | births))
    met = distinct(np.concatenate(ages))
    classes_met, births = met >> 32, met & NONE
    sums[GENERATIONS] = np.bincount(classes_met, minlength=classes)
    np.maximum.at(sums[OLDEST], classes_met, np.maximum(moment.collections - births, 0))
    return sums


def sums_at_end(recording: Recorded) -> Any:
    """Those of all sessions, from the index."""
    return np.asarray(recording.column("class_counted")).reshape(len(SUMS), -1)


def by_class(recording: Recorded) -> ByClass:
    """Those of the index."""
    return ByClass(recording.column("class_objects"), recording.column("class_objects_first"))
