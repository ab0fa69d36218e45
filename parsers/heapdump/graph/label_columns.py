"""Kinds and names of many references as columns: numbers of labels, each of which is made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.heapdump.graph.labels import ReferenceLabel
from parsers.model.distinct import distinct
from parsers.model.tables.column_values import Named, joined, numbered, text_arrays

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

KINDS = ("field", "element", "static", "constant", "super", "loader", "signers", "domain", "class", "")
"""As in `ReferenceLabel`."""


class ReferenceLabels(NamedTuple):
    """The labels of some references."""

    numbers: I64Array
    """int64: place in `labels`; -1 - index for an element of an array."""
    labels: Sequence[ReferenceLabel]

    def kinds(self) -> Named:
        """Returns the kinds."""
        kinds = np.array([*(KINDS.index(label.kind) for label in self.labels), KINDS.index("element")], np.int64)
        return Named(kinds[np.maximum(self.numbers, -1)], text_arrays(KINDS))

    def texts(self) -> Named:
        """Returns the names; `[17]` for an element."""
        names = text_arrays(label.text for label in self.labels)
        is_element = self.numbers < 0
        if not is_element.any():
            return Named(self.numbers, names)
        indexes = distinct(-1 - self.numbers[is_element])
        places = self.numbers.copy()
        places[is_element] = len(self.labels) + np.searchsorted(indexes, -1 - self.numbers[is_element])
        return Named(places, joined(names, numbered("[", indexes, suffix="]")))


class LabelNumbers(dict[ReferenceLabel, int]):
    """Numbers labels by first use."""

    def __missing__(self, label: ReferenceLabel) -> int:
        self[label] = len(self)
        return self[label]
