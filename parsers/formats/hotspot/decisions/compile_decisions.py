"""Reading the second pass: its tables, and the texts of methods and words that they refer to."""

from __future__ import annotations

import html
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from parsers.formats.hotspot.grouped import Grouped
from parsers.formats.hotspot.names import Method, is_doubtful, method_of, value
from parsers.formats.hotspot.tasks.rows.row import task_method
from parsers.index.texts import Texts
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.decisions.published_tables import DecisionTables
    from parsers.formats.hotspot.log.log import Log

UNKNOWN = Method("", "?")


class CompileDecisions:
    """The decisions in an index: of all tasks or of those read so far."""

    def __init__(self, log: Log, tables: DecisionTables) -> None:
        self.log = log
        self.tables = tables
        self.method = lru_cache(maxsize=4096)(self._method)
        self.word = lru_cache(maxsize=1024)(self._word)
        self._grouped = defaultdict[str, Grouped](Grouped)

    def column(self, name: str) -> memoryview:
        """Returns a table, or a column of the log. Raises `KeyError`."""
        found = self.tables.columns.get(name)
        return self.log.column(name) if found is None else found

    def rows_of(self, name: str, number: int) -> Sequence[int]:
        """Returns the rows that have a number in a column, ascending."""
        return self._grouped[name].of(self.column(name), number)

    @cached_property
    def _words(self) -> Sequence[bytes]:
        return Texts(self.column("decision_word_starts"), self.column("decision_word_bytes"))

    @cached_property
    def _methods(self) -> Sequence[bytes]:
        return Texts(self.column("decision_method_starts"), self.column("decision_method_bytes"))

    @property
    def methods(self) -> int:
        """Number of methods."""
        return len(self.log.methods) + len(self._methods)

    def _word(self, number: int) -> str:
        """Returns a reason, action or name."""
        return value(self._words[number])

    def text(self, number: int) -> bytes:
        """Returns a method as the log writes it; empty for NONE."""
        known = len(self.log.methods)
        if number == NONE:
            return b""
        return self.log.methods[number] if number < known else self._methods[number - known]

    def _method(self, number: int) -> Method:
        """Returns a method; UNKNOWN for NONE."""
        if number == NONE:
            return UNKNOWN
        raw = self.text(number)
        text, length = value(raw), self.column("decision_holder_bytes")[number]
        if length != NONE and is_doubtful(text):
            holder = value(raw[:length])
            return method_of(text, lambda name: name == holder)
        method, compiled = method_of(text), self.compilations(number)
        if len(compiled) and (is_doubtful(text) or method.parameters is None):
            return task_method(self.log, compiled[0])
        return method

    def code_bytes(self, number: int) -> int | None:
        """Returns the size of a method's bytecode in bytes, if a task contains it."""
        if number == NONE:
            return None
        found = self.column("decision_code_bytes")[number]
        return None if found == NONE else found

    def find(self, label: str) -> list[int]:
        """Returns the methods of a label `holder.name(types):type`, or without its types."""
        name = label.partition("(")[0].rpartition(".")[2]
        wanted = b" " + as_written(name) + b" ("
        found = []
        for front, before in (("", 0), ("decision_", len(self.log.methods))):
            starts, texts = self.column(f"{front}method_starts"), bytes(self.column(f"{front}method_bytes"))
            at = texts.find(wanted)
            while at >= 0:
                number = before + bisect_right(starts, at) - 1
                method = self.method(number)
                if label in (method.label, f"{method.holder}.{method.name}"):
                    found.append(number)
                at = texts.find(wanted, at + 1)
        return found

    def compilations(self, method: int, run: int | None = None) -> list[int]:
        """Returns the tasks of a method, in order of time; of one run or of all."""
        return [task for place in self.places_of_method(method, run) for task in self.tasks_at(place)]

    def tasks_at(self, place: int) -> list[int]:
        """Returns the tasks of the method at an index of "class_method"."""
        first = self.column("class_method_first")
        return [item >> 1 for item in self.column("class_item")[first[place] : first[place + 1]] if item & 1]

    def places_of_method(self, method: int, run: int | None = None) -> Sequence[int]:
        """Returns the indexes of a method in "class_method": one for each run that has it."""
        places = self.rows_of("class_method", method)
        return places if run is None else [place for place in places if self.run_at(place) == run]

    def run_at(self, place: int) -> int:
        """Returns the run of the method at an index."""
        return self.column("class_run")[bisect_right(self.column("class_first"), place) - 1]


def as_written(name: str) -> bytes:
    """Returns a method's name as the log writes it: entities, and `\\u00fc` for what is beyond ASCII."""
    text = html.escape(name).replace("&#x27;", "&apos;")
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return b"".join(bytes((unit,)) if 0x20 <= unit < 0x7F else b"\\u%04x" % unit for unit in units)
