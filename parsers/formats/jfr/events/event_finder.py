"""Searches many events for a pattern: in their threads, and in each field by itself, as `name=value`.

Each different value is searched once, so that millions of events take about a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.recorded_data import number_of
from parsers.formats.jfr.events.event_rows import COMMAND_LINES, HIDDEN, EventRows
from parsers.formats.jfr.events.value_text import grouping, value_text
from parsers.formats.jfr.read.program import STRING_TYPE
from parsers.formats.jfr.read.values import Key, narrowed
from parsers.formats.jfr.tables.field_values import THREAD, values_of
from parsers.formats.jfr.tables.string_codes import StringCodes
from parsers.heapdump.graph.text_finder import interpretations_of
from parsers.model.distinct import distinct_places
from parsers.query.search.text_lines import may_match

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import ChunkData, FieldColumn, RecordedData
    from parsers.formats.jfr.read.metadata import Field, Metadata
    from parsers.model.arrays import BoolArray, I64Array
    from parsers.query.search.pattern import Pattern

INTEGERS = ("byte", "short", "int", "long")
UNITS = tuple(
    f"jdk.jfr.{name}"
    for name in ("Timespan", "Timestamp", "MemoryAddress", "Unsigned", "DataAmount", "Frequency", "Percentage")
)
"""Annotations of numbers with a unit."""
DIGITS = frozenset("0123456789,-")
MOST_SEARCHED = 10_000
"""Characters of a value that are searched."""

Part = tuple[slice, "str | I64Array"]
"""Some consecutive nodes: a row with a label, or events of one type by their rows, ascending."""


class EventFinder:
    """A `RowFinder` over events."""

    def __init__(
        self, data: RecordedData, events: EventRows, parts: Callable[[I64Array], Iterator[Part]], pattern: Pattern,
        is_patient: bool,
    ) -> None:  # fmt: skip
        """parts: splits nodes, ascending"""
        self._data, self._events, self._parts, self._pattern = data, events, parts, pattern
        self._interpretations = interpretations_of(pattern, MOST_SEARCHED, is_patient)

    def find(self, nodes: I64Array) -> dict[str, BoolArray]:
        """Returns which nodes match: bool[] by interpretation of the pattern."""
        found = {kind: np.zeros(len(nodes), np.bool_) for kind in self._interpretations}
        for part, content in self._parts(nodes):
            texts = iter([(None, [content])]) if isinstance(content, str) else self._texts(content)
            for numbers, labels in texts:
                for kind, each in self._interpretations.items():
                    is_match = np.fromiter(map(each.matches, labels), np.bool_, len(labels))
                    if is_match.any():
                        found[kind][part] |= is_match if numbers is None else is_match[numbers]
        return {kind: ~each if self._pattern.is_negated else each for kind, each in found.items()}

    def _texts(self, rows: I64Array) -> Iterator[tuple[I64Array | None, Sequence[str]]]:
        """Yields texts of events of one type, and by event the number of its text; None: the texts are by event."""
        data = self._data
        declared = data.declared(data.type_names[data.event("type", int(rows[0]))])
        if declared is None or any(not _is_simple(declared[0], field) for field in declared[1].fields):
            yield None, [self._events.searched(row) for row in rows.tolist()]
            return
        metadata, type = declared
        threads = values_of(data, "", THREAD, rows)
        names = threads.labels or ()
        # Events without a thread are labelled with their type.
        yield np.where(threads.is_known, threads.numbers, len(names)), [*names, type.name]
        fields = [field for field in type.fields if field.name not in HIDDEN and self._may_match(metadata, field)]
        columns = data.columns(type.name, [(field.name,) for field in fields], rows)
        for field, column in zip(fields, columns, strict=True):
            numbers, values = self._numbered(metadata, field, column)
            yield np.where(column.is_known, numbers, len(values)), [*(f"{field.name}={value}" for value in values), ""]

    def _may_match(self, metadata: Metadata, field: Field) -> bool:
        """False for a field of numbers if none can match."""
        return not _is_plain(metadata, field) or any(
            may_match(self._pattern, each.expression, f"{field.name}=", DIGITS)
            for each in self._interpretations.values()
        )

    def _numbered(self, metadata: Metadata, field: Field, column: FieldColumn) -> tuple[I64Array, Sequence[str]]:
        """Returns by event the number of its value, and the values as texts."""
        type = metadata.types[field.type].name
        if type == STRING_TYPE and not field.is_constant:
            strings = StringCodes(self._data)
            codes = strings.add(column.numbers, column.chunks)
            return codes, ["null" if text is None else text for text in strings.texts]
        if _is_plain(metadata, field):
            used, numbers = distinct_places(column.numbers)
            return numbers, [f"{narrowed(number, type):{grouping(field.name)}}" for number in used.tolist()]
        # Equal numbers in one chunk are equal values.
        texts, numbers = self._data.different(column, _text)
        return numbers, texts


def _is_simple(metadata: Metadata, field: Field) -> bool:
    """True for a field whose text depends on a number, constant or string alone."""
    type = metadata.types.get(field.type)
    if field.name in HIDDEN:
        return True
    is_struct = type is None or (not field.is_constant and bool(type.fields) and type.name != STRING_TYPE)
    return not (field.is_array or is_struct or field.name in COMMAND_LINES)


def _is_plain(metadata: Metadata, field: Field) -> bool:
    """True for integers without a unit."""
    is_integer = not field.is_constant and metadata.types[field.type].name in INTEGERS
    return is_integer and all(metadata.annotation(field, name) is None for name in UNITS)


def _text(values: ChunkData, field: Field | None, number: int) -> str:
    if field is None:
        return ""
    type = values.metadata.types[field.type]
    return value_text(values, field, Key(type.id, number) if field.is_constant else number_of(number, type.name))
