"""Moments at which the objects of a recording are counted: its end, the end of a collection, a heap dump, any time.

For the end of a collection and for a dump, the order of the file decides which objects were allocated and freed. For
any other moment, the times of these events decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.tptp.schema.columns import NEVER
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.time_text import time_text

if TYPE_CHECKING:
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, BoolArray

END = "at the end"
TIME = "time"


class MomentPosition(NamedTuple):
    """The event of a moment (a row of collections or dumps, or TIME), and nanoseconds since 1970."""

    session: int
    table: str
    row: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in one session."""

    session: int
    rows: range
    """Objects of the session that the file had listed by then."""
    collections: int
    """Number of collections of the session that had ended."""
    dump: int = -1
    """Row of the dump; -1 if it is no dump."""
    time: int = NEVER
    """Nanoseconds since 1970; NEVER: the order of the file decides."""
    is_end: bool = False


def end_of(recording: TraceRecording, session: int) -> Moment:
    """Returns the end of a session."""
    return Moment(session, recording.session_rows(session, "object"), ended(recording, session), is_end=True)


def ended(recording: TraceRecording, session: int, until: int | None = None) -> int:
    """Returns how many collections of a session had ended, up to and including a row."""
    rows, finished = recording.session_rows(session, "collection"), recording.column("collection_finish")
    return sum(finished[row] != NEVER for row in rows if until is None or row <= until)


def moments_of(recording: TraceRecording, names: TraceNames) -> dict[str, MomentPosition]:
    """Returns the moments of events in the file, by label."""
    found: dict[str, MomentPosition] = {}
    finished, ids = recording.column("collection_finish"), recording.column("dump_id")
    for session in range(recording.sessions):
        before, number = session_words(recording, session), 0
        for row in recording.session_rows(session, "collection"):
            if finished[row] != NEVER:
                number += 1
                found[f"{before}collection {number}"] = MomentPosition(session, "collection", row)
        for row in recording.session_rows(session, "dump"):
            label = f"{before}dump {names.id_text(int(ids[row]))}"
            # Of several with one id only the first one is labelled by the id alone.
            found.setdefault(
                label if label not in found else f"{label} at {recording.column('dump_offset')[row]}",
                MomentPosition(session, "dump", row),
            )
    return found


def session_words(recording: TraceRecording, session: int) -> str:
    """Returns the prefix of a moment's label if there are several sessions."""
    return f"session {session + 1} " if recording.sessions > 1 else ""


def moment_text_of(recording: TraceRecording, place: MomentPosition) -> str:
    """Returns the time of a moment as text; empty if unknown."""
    if place.table == TIME:
        return time_text(place.row)
    time = int(recording.column("collection_finish" if place.table == "collection" else "dump_time")[place.row])
    return "" if time == NEVER else time_text(time)


def moment_at(recording: TraceRecording, place: MomentPosition) -> Moment:
    """Returns the moment of a place."""
    session, table, row = place
    rows = recording.session_rows(session, "object")
    if table == TIME:
        finished = recording.column("collection_finish")
        collections = sum(NEVER != finished[each] <= row for each in recording.session_rows(session, "collection"))
        return Moment(session, rows, collections, time=row)
    if table == "collection":
        return Moment(session, rows, ended(recording, session, row))
    offset = int(recording.column("dump_offset")[row])
    offsets = recording.column("collection_offset")
    before = [each for each in recording.session_rows(session, "collection") if int(offsets[each]) < offset]
    collections = ended(recording, session, before[-1]) if before else 0
    return Moment(session, range(rows.start, int(recording.column("dump_objects")[row])), collections, row)


def born(recording: TraceRecording, moment: Moment, chosen: slice | AnyArray) -> BoolArray:
    """Returns which of some objects (a slice or array of rows) had been allocated by then: bool[]."""
    if moment.time != NEVER:
        times = recording.numbers("object_time", chosen)
        # The time of objects that are only defined is unknown; NEVER is before all moments.
        return times <= moment.time
    if moment.is_end or moment.dump >= 0:
        rows = np.arange(chosen.start, chosen.stop) if isinstance(chosen, slice) else chosen
        return (rows >= moment.rows.start) & (rows < moment.rows.stop)
    # An object allocated before the end of the first collection has outlived none.
    return recording.numbers("object_collection", chosen) < moment.collections


def alive(recording: TraceRecording, moment: Moment, chosen: slice | AnyArray) -> BoolArray:
    """Returns which of some allocated objects were not freed by then: bool[]."""
    if moment.dump >= 0:
        is_freed: BoolArray = recording.numbers("object_freed_dump", chosen) <= moment.dump
        return ~is_freed
    by_collection = moment.time == NEVER and not moment.is_end
    is_freed = recording.numbers("object_freed_collection", chosen) < (moment.collections if by_collection else NONE)
    if moment.time != NEVER:
        is_freed &= recording.numbers("object_freed", chosen) <= moment.time
    return ~is_freed
