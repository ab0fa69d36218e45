"""Names of monitors: objects, classes and threads, which the file refers to by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import CLASS_ENTITY, ENTITY_BITS, NONE, THREAD_ENTITY, UNKNOWN_ENTITY
from parsers.formats.tptp.store.names import TraceNames

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

ROW = (1 << ENTITY_BITS) - 1
"""Mask of the row in an entity."""


class EntityNames:
    """Names of one recording."""

    def __init__(self, recording: TraceRecording, names: TraceNames) -> None:
        self._recording, self._names = recording, names

    def id_text(self, entity: int, offset: int) -> str:
        """Returns the id of an entity, as the file had it at an offset; empty for NONE."""
        if entity == NONE:
            return ""
        row, column = entity & ROW, self._recording.column
        if entity < CLASS_ENTITY:
            return self._names.id_text(self._recording.object_id(row, offset))
        table = {CLASS_ENTITY: "class", THREAD_ENTITY: "thread", UNKNOWN_ENTITY: "unknown"}[entity - row]
        return self._names.id_text(int(column(f"{table}_id")[row]))

    def class_text(self, entity: int) -> str:
        """Returns the class of an object; the kind of other entities."""
        row = entity & ROW
        if entity == NONE:
            return ""
        if entity < CLASS_ENTITY:
            return self._names.class_label(int(self._recording.column("object_class")[row]))
        if entity < THREAD_ENTITY:
            return f"class {self._names.class_label(row)}"
        return f"thread {self._names.thread_label(row)}" if entity < UNKNOWN_ENTITY else "object (not defined)"

    def text(self, entity: int, offset: int) -> str:
        """Returns the name of an entity, with its id."""
        return "" if entity == NONE else f"{self.class_text(entity)} #{self.id_text(entity, offset)}"

    def ref(self, entity: int, offset: int) -> str | None:
        """Returns the REF of an object that was defined."""
        if entity == NONE or entity >= CLASS_ENTITY:
            return None
        return self._names.ref("object", entity & ROW)
