"""Searches many objects for a pattern: in their class names, values, ids.

Names are tested once per class. Texts of Strings are read many at a time and searched as lines, and so are numeric
values. Other values are read one by one, which takes some microseconds each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.heapdump.graph.columns import PLAIN_OBJECT, STRING
from parsers.heapdump.graph.text_finder import Interpretation, interpretations_of, matching_texts
from parsers.model.distinct import distinct
from parsers.query.search.text_lines import ID_SIGNS, lines_kernels, lines_of, lines_of_ids, may_match

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.query.search.pattern import Pattern

KINDS = 4
"""Number of kinds of objects: `columns.PLAIN_OBJECT` and the following ones."""
UNKNOWN, NO_VALUE, TEXTS, NUMBERS, OTHERS = range(-1, 4)
"""Types of values of the objects of a class."""
MOST_SEARCHED = 10_000
"""Maximum of characters of a text that are searched."""
MANY = 1 << 14
"""Values searched in one batch."""


@dataclass(slots=True)
class _CachedInterpretation(Interpretation):
    """An interpretation of the pattern, with known results."""

    names: AnyArray
    """int8 by class and kind: 1 if the name of such objects matches; or UNKNOWN."""
    may_be_id: bool


class ObjectFinder:
    """Searches objects at the top of "Objects" for one pattern."""

    def __init__(self, objects: HeapObjects, pattern: Pattern, is_patient: bool) -> None:
        """is_patient: True also tries expressions that could take very long"""
        self._objects = objects
        self._graph = objects.graph
        self._pattern = pattern
        self._value_types = np.full(self._graph.types * KINDS, UNKNOWN, np.int8)
        self._interpretations = {
            kind: _CachedInterpretation(
                each.expression,
                each.finder,
                each.most,
                np.full(len(self._value_types), UNKNOWN, np.int8),
                may_match(pattern, each.expression, "", ID_SIGNS),
            )
            for kind, each in interpretations_of(pattern, MOST_SEARCHED, is_patient).items()
        }
        self._kernels = lines_kernels()

    def find(self, objects: I64Array) -> dict[str, BoolArray]:
        """Returns which objects (int64[]) match: bool[] by interpretation of the pattern, "regex", "text" or both."""
        graph = self._graph
        keys = graph.column("type", objects) * KINDS + graph.column("kind", objects)
        self._learn(objects, keys)
        found = {kind: interpretation.names[keys] > 0 for kind, interpretation in self._interpretations.items()}
        value_types = self._value_types[keys]
        for kind, interpretation in self._interpretations.items():
            self._find_ids(interpretation, objects, found[kind])
        if found:
            left = ~np.logical_and.reduce(list(found.values()))
            self._find_values(objects, keys, np.flatnonzero(left & (value_types > NO_VALUE)), found)
        return {kind: ~each if self._pattern.is_negated else each for kind, each in found.items()}

    # -- classes ------------------------------------------------------------------------------------------------------

    def _learn(self, objects: I64Array, keys: I64Array) -> None:
        """Computes properties that all objects of a class share."""
        unknown = np.flatnonzero(self._value_types[keys] == UNKNOWN)
        for place in unknown[np.unique(keys[unknown], return_index=True)[1]].tolist():
            key, label = int(keys[place]), self._objects.label(int(objects[place]))
            self._value_types[key] = self._value_type(key)
            for interpretation in self._interpretations.values():
                interpretation.names[key] = interpretation.matches(label)

    def _value_type(self, key: int) -> int:
        """Returns the type of values of the objects of a class."""
        type, kind = divmod(key, KINDS)
        if kind != PLAIN_OBJECT or not self._objects.may_have_value(type):
            return NO_VALUE
        if self._graph.type_name(type) == STRING:
            return TEXTS if self._objects.text_reader(type) is not None else OTHERS
        numbers = self._objects.number_format(type)
        if numbers is None:
            return OTHERS
        name = f"{self._graph.type_name(type)} "
        is_possible = any(
            may_match(self._pattern, interpretation.expression, name, numbers[0].signs)
            for interpretation in self._interpretations.values()
        )
        return NUMBERS if is_possible else NO_VALUE

    # -- objects ------------------------------------------------------------------------------------------------------

    def _find_ids(self, interpretation: _CachedInterpretation, objects: I64Array, found: BoolArray) -> None:
        if not interpretation.may_be_id:
            return
        kernels, left = self._kernels, np.flatnonzero(~found)
        for start in range(0, len(left), MANY):
            part = left[start : start + MANY]
            lines = lines_of_ids(self._graph.ids(objects[part]), kernels and kernels[1])
            found[part[lines.found(interpretation.finder)]] = True

    def _find_values(self, objects: I64Array, keys: I64Array, left: I64Array, found: dict[str, BoolArray]) -> None:
        """Searches names with values, for objects whose values are read in batches. left: int64[], their places"""
        for key in distinct(keys[left]).tolist():
            rows, value_type = left[keys[left] == key], self._value_types[key]
            if value_type == TEXTS:
                self._find_texts(key // KINDS, objects, rows, found)
            elif value_type == NUMBERS:
                self._find_numbers(key // KINDS, objects, rows, found)
            else:
                self._find_others(objects, rows, found)

    def _find_numbers(self, type: int, objects: I64Array, rows: I64Array, found: dict[str, BoolArray]) -> None:
        known_format = self._objects.number_format(type)
        assert known_format is not None
        name, (numbers, known) = self._graph.type_name(type), known_format
        for start in range(0, len(rows), MANY):
            part = rows[start : start + MANY]
            which, texts = numbers.texts(self._graph, objects[part], known)
            lines = lines_of([f"{name} {text}" for text in texts])
            for kind, interpretation in self._interpretations.items():
                found[kind][part[which[lines.found(interpretation.finder)]]] = True

    def _find_texts(self, type: int, objects: I64Array, rows: I64Array, found: dict[str, BoolArray]) -> None:
        reader = self._objects.text_reader(type)
        assert reader is not None
        for which, kind, is_match in matching_texts(reader, objects[rows], self._interpretations, f'{STRING} "', '"'):
            found[kind][rows[which[is_match]]] = True

    def _find_others(self, objects: I64Array, rows: I64Array, found: dict[str, BoolArray]) -> None:
        """Searches values that are read one by one."""
        for row in rows.tolist():
            object = int(objects[row])
            text = f"{self._objects.label(object)} {self._objects.value(object, MOST_SEARCHED)}"
            for kind, interpretation in self._interpretations.items():
                found[kind][row] |= interpretation.matches(text)
