"""Labels and REFs of the threads, classes, methods and objects of a recording.

The same id can denote different elements at different times and in different sessions. `thread:8` is the first thread
with that id in the first session; a later one is `thread:8@OFFSET` (offset of its defining element), one of another
session `run:2/thread:8`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import CLASS_ENTITY, ENTITY_BITS, NEVER, NOWHERE, THREAD_ENTITY, UNKNOWN_ENTITY
from parsers.model.distinct import distinct
from parsers.model.late import numpy as np
from parsers.model.late.cached import forget
from parsers.model.lookup import numbered
from parsers.model.names.java_method import Method, decode, signature_types
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, I64Array

REF = re.compile(r"(?:run:(?P<session>\d{1,9})/)?(?P<kind>[a-z]+):(?P<id>.*?)(?:@(?P<offset>\d{1,19}|undefined))?")
OFFSETS = frozenset(("state", "call", "collection"))
"""Tables whose rows are named by the offset of their element."""
ROW = (1 << ENTITY_BITS) - 1
"""Mask of the row in an entity."""
NO_ID = "?"
"""Text shown for the id of a defining element that has none."""


class TraceNames:
    """Names of one recording, each computed on first use."""

    def __init__(self, recording: TraceRecording) -> None:
        self._recording = recording

    def forget(self) -> None:
        """Discards all computed names: the recording has grown."""
        forget(self)
        self._ascending.clear()

    # -- labels -------------------------------------------------------------------------------------------------------

    def word(self, number: int) -> str:
        """Returns a word as text; empty for NONE."""
        return "" if number == NONE else decode(bytes(self._recording.word(number)))

    def id_text(self, id: int) -> str:
        """Returns an id as the file writes it; NO_ID for none."""
        return str(id) if id >= 0 else self.word(-1 - id) if id != NEVER else NO_ID

    def session_label(self, session: int) -> str:
        """Returns the label of a session by its row: its number, and its archive member if it has one."""
        member = self.word(self._recording.column("session_member")[session])
        return f"session {session + 1}" + (f": {member}" if member else "")

    def thread_label(self, row: int) -> str:
        """Returns the name of a thread, or its id if it has no name."""
        column = self._recording.column
        return self.word(column("thread_name")[row]) or f"thread #{self.id_text(column('thread_id')[row])}"

    def class_label(self, row: int) -> str:
        """Returns the name of a class, or its id if it was not defined."""
        if row == NONE:
            return "(class not recorded)"
        column = self._recording.column
        name = self.word(column("class_name")[row])
        return name or f"class #{self.id_text(column('class_id')[row])} (not defined)"

    def labels(self, table: str, rows: slice | AnyArray = slice(None)) -> list[str]:
        """Returns names, or ids of what has none, of a slice or an array of rows of threads, classes or methods."""
        names, ids = (self._recording.numbers(f"{table}_{part}", rows).tolist() for part in ("name", "id"))
        word, id_text, after = self.word, self.id_text, "" if table == "thread" else " (not defined)"
        return [
            (name != NONE and word(name)) or f"{table} #{id if id >= 0 else id_text(id)}{after}"
            for name, id in zip(names, ids, strict=True)
        ]

    @cached_property
    def calling_threads(self) -> Mapping[str, int]:
        """Rows of the threads with calls, by unique label."""
        rows = self._recording.numbers("thread_calls").nonzero()[0]
        ids = self._recording.numbers("thread_id", rows).tolist()
        sessions = self._recording.sessions_of("thread", rows)
        several, found = self._recording.sessions > 1, dict[str, int]()
        for row, label, id, session in zip(
            rows.tolist(), self.labels("thread", rows), ids, sessions.tolist(), strict=True
        ):
            name = f"{label} {self.id_text(id)}" + (f" of session {session + 1}" if several else "")
            found[f"{name} @{row}" if name in found else name] = row
        return found

    def _holder(self, row: int) -> str:
        """Returns the class of a method, by its row; empty if it was not defined."""
        is_known = row != NONE and self._recording.column("class_name")[row] != NONE
        return self.class_label(row) if is_known else ""

    def _types(self, signature: int) -> tuple[tuple[str, ...], str] | tuple[()]:
        """Returns types and result of a signature, by its word; nothing if it is none."""
        return signature_types(self.word(signature)) or ()

    @cached_property
    def methods(self) -> Sequence[str]:
        """Labels of methods, by row of methods: `holder.name(types):type`."""
        columns = (self._recording.numbers(f"method_{part}").tolist() for part in ("class", "signature"))
        holder, types = cache(self._holder), cache(self._types)
        names = (self.word(name) for name in self._recording.numbers("method_name").tolist())
        named = zip(self.labels("method"), names, *columns, strict=True)
        return [
            Method(holder(row), name, *types(signature)).label if name else label
            for label, name, row, signature in named
        ]

    def method_label(self, row: int) -> str:
        """Returns the label of a method."""
        return self.methods[row]

    @cached_property
    def method_groups(self) -> tuple[Sequence[str], I64Array]:
        """Unique labels of methods, and the number of each method's label by row of methods."""
        return numbered(self.methods)

    @cached_property
    def monitors(self) -> frozenset[int]:
        """Objects that threads waited for, encoded as in `columns.OBJECT_ENTITY`."""
        return frozenset(distinct(self._recording.numbers("state_monitor")).tolist())

    @cached_property
    def classes_of_monitors(self) -> frozenset[int]:
        """Rows of the classes of `monitors`."""
        return frozenset(distinct(self._recording.numbers("state_class")).tolist())

    @cached_property
    def classes_with_methods(self) -> frozenset[int]:
        """Rows of the classes with recorded methods."""
        return frozenset(distinct(self._recording.numbers("method_class")).tolist())

    def has_objects(self, row: int) -> bool:
        """True if a class, by its row, is listed in "Classes". Classes found through references only are not."""
        if not self._recording.rows("object"):
            return False
        bounds = self._recording.column("class_objects_first")[row : row + 2]
        return len(bounds) == 2 and bool(bounds[0] < bounds[1])

    # -- entities -----------------------------------------------------------------------------------------------------

    def entity_id(self, entity: int, offset: int) -> str:
        """Returns the id of an entity (see `columns.ENTITY_BITS`), as the file had it at an offset; empty for NONE."""
        if entity == NONE:
            return ""
        row, column = entity & ROW, self._recording.column
        if entity < CLASS_ENTITY:
            return self.id_text(self._recording.object_id(row, offset))
        table = {CLASS_ENTITY: "class", THREAD_ENTITY: "thread", UNKNOWN_ENTITY: "unknown"}[entity - row]
        return self.id_text(int(column(f"{table}_id")[row]))

    def entity_class(self, entity: int) -> str:
        """Returns the class of an object; the kind and name of other entities; empty for NONE."""
        row = entity & ROW
        if entity == NONE:
            return ""
        if entity < CLASS_ENTITY:
            return self.class_label(int(self._recording.column("object_class")[row]))
        if entity < THREAD_ENTITY:
            return f"class {self.class_label(row)}"
        return f"thread {self.thread_label(row)}" if entity < UNKNOWN_ENTITY else "object (not defined)"

    def entity_text(self, entity: int, offset: int) -> str:
        """Returns the class of an entity, with its id at an offset; empty for NONE."""
        return "" if entity == NONE else f"{self.entity_class(entity)} #{self.entity_id(entity, offset)}"

    def offset(self, table: str, row: int) -> int:
        """Returns the offset of the element that defines a row of threads, classes, methods …

        NOWHERE if the row is undefined or does not exist.
        """
        offsets = self._recording.column(f"{table}_offset")
        return int(offsets[row]) if row < len(offsets) else NOWHERE

    # -- REFs ---------------------------------------------------------------------------------------------------------

    def ref(self, table: str, row: int) -> str:
        """Returns the REF of a row of threads, classes, methods, objects, dumps, or of a table in `OFFSETS`."""
        column = self._recording.column
        if table in OFFSETS:
            return f"{table}:{column(f'{table}_offset')[row]}"
        session = self._recording.session_of(table, row)
        before = f"run:{session + 1}/" if session else ""
        id = column(f"{table}_id")[row]
        ref = f"{before}{table}:{self.id_text(id)}"
        if self._first(table, session, id) == row:
            return ref
        offset = column(f"{table}_offset")[row]
        return f"{ref}@{'undefined' if offset == NOWHERE else offset}"

    def find(self, ref: str) -> tuple[str, int] | None:
        """Returns the table and row that a REF names; None if there is no such row, or the REF names no table row."""
        found = REF.fullmatch(ref)
        recording = self._recording
        if found is None or found["kind"] not in (*OFFSETS, "thread", "class", "method", "object", "dump"):
            return None
        table, text = found["kind"], found["id"]
        if table in OFFSETS:
            is_offset = text.isascii() and text.isdigit() and len(text) <= 18
            row = next(iter(self._recording.rows_with(f"{table}_offset", int(text)) if is_offset else ()), None)
            return None if row is None else (table, row)
        session = int(found["session"] or 1) - 1
        if session >= recording.rows("session"):
            return None
        id = self.id_of(text)
        if id is None:
            return None
        offset = found["offset"]
        wanted = None if offset is None else NOWHERE if offset == "undefined" else int(offset)
        row = self._first(table, session, id, wanted)
        return None if row is None else (table, row)

    def id_of(self, text: str) -> int | None:
        """Returns an id as tables encode it."""
        if text.isascii() and text.isdigit() and len(text) <= 18:
            return int(text)
        word = self._words.get(text)
        return -1 - word if word is not None else NEVER if text == NO_ID else None

    @cached_property
    def _words(self) -> Mapping[str, int]:
        """Words that may be ids: those of threads, classes, methods and objects."""
        column = self._recording.column
        ids = [np.asarray(column(f"{table}_id")) for table in ("thread", "class", "method", "object", "dump")]
        used = distinct(np.concatenate([each[(each < 0) & (each > -(1 << 62))] for each in ids]))
        return {self.word(-1 - id): -1 - id for id in used.tolist()}

    def _first(self, table: str, session: int, id: int, offset: int | None = None) -> int | None:
        """Returns the first row of an id in a session, or the one defined at an offset."""
        rows, ids = self._recording.session_rows(session, table), self._recording.column(f"{table}_id")
        if self._ascends(table, session):
            place = bisect_left(ids, id, rows.start, rows.stop)
            places = [place] if place < rows.stop and ids[place] == id else []
        else:
            own = self._recording.numbers(f"{table}_id", rows)
            places = ((own == id).nonzero()[0] + rows.start).tolist()
        offsets = self._recording.column(f"{table}_offset")
        return next((row for row in places if offset is None or offsets[row] == offset), None)

    @cached_property
    def _ascending(self) -> dict[tuple[str, int], bool]:
        """Cached results of `_ascends`, by table and session."""
        return {}

    def _ascends(self, table: str, session: int) -> bool:
        """True if each id of a session is larger than all before it, as with counters. Then no id occurs twice."""
        found = self._ascending.get((table, session))
        if found is None:
            rows = self._recording.session_rows(session, table)
            ids = self._recording.numbers(f"{table}_id", rows)
            found = self._ascending[table, session] = bool((ids[1:] > ids[:-1]).all())
        return found
