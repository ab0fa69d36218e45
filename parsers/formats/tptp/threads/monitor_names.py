"""Names of monitors: objects, classes and threads, which the file refers to by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import CLASS_THING, NONE, THING_BITS, THREAD_THING, UNKNOWN_THING
from parsers.formats.tptp.store.names import Names

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import Recording

ROW = (1 << THING_BITS) - 1
"""Mask of the row in a thing."""


class ThingNames:
    """Names of one recording."""

    def __init__(self, recording: Recording, names: Names) -> None:
        self._recording, self._names = recording, names

    def id_text(self, thing: int, offset: int) -> str:
        """Returns the id of a thing, as the file had it at an offset; empty for NONE."""
        if thing == NONE:
            return ""
        row, column = thing & ROW, self._recording.column
        if thing < CLASS_THING:
            return self._names.id_text(self._recording.object_id(row, offset))
        table = {CLASS_THING: "class", THREAD_THING: "thread", UNKNOWN_THING: "unknown"}[thing - row]
        return self._names.id_text(int(column(f"{table}_id")[row]))

    def class_text(self, thing: int) -> str:
        """Returns the class of an object; the kind of other things."""
        row = thing & ROW
        if thing == NONE:
            return ""
        if thing < CLASS_THING:
            return self._names.class_label(int(self._recording.column("object_class")[row]))
        if thing < THREAD_THING:
            return f"class {self._names.class_label(row)}"
        return f"thread {self._names.thread_label(row)}" if thing < UNKNOWN_THING else "object (not defined)"

    def text(self, thing: int, offset: int) -> str:
        """Returns the name of a thing, with its id."""
        return "" if thing == NONE else f"{self.class_text(thing)} #{self.id_text(thing, offset)}"

    def ref(self, thing: int, offset: int) -> str | None:
        """Returns the REF of an object that was defined."""
        if thing == NONE or thing >= CLASS_THING:
            return None
        return self._names.ref("object", thing & ROW)
