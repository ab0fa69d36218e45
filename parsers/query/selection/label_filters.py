"""Filters of a view whose rows are known only by their labels: heaps by class, roots, traces, threads.

A row is found if its label matches. It is suppressed, with its descendants, if its label is a matching type or method.
Each label is tested once; a heap has millions of rows and some thousand labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from parsers.model.names.java_name import is_jdk, is_synthetic
from parsers.model.names.patterns import Patterns
from parsers.model.trees.column_preorder import ends_of

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, U32Array
    from parsers.model.names.patterns import Subject
    from parsers.model.trees.tree import Tree
    from parsers.query.search.pattern import Pattern

MASKS: Mapping[str, Callable[[str], bool]] = {"jdk": is_jdk, "synthetic": is_synthetic}

STEP = 1 << 16
"""Labels tested together."""

Texts = Callable[[int, int], Sequence[str]]
"""Gives a text for each of a range of rows."""

CLASS = "class "
"""Prefix of the label of an object that is a class."""


class HasRows(Protocol):
    """A view with positions."""

    @property
    def tree(self) -> Tree: ...


class LabelledRows(HasRows, Protocol):
    """A view with positions and labels that patterns match."""

    @property
    def pattern_subject(self) -> Subject: ...
    def labels(self, start: int, stop: int) -> Sequence[str]: ...


class NamedRows(LabelledRows, Protocol):
    """A view whose rows have names beside their labels. Patterns match the names, masks hide them."""

    def filtered_names(self, start: int, stop: int) -> Sequence[str]: ...


class ViewFilters:
    """Base class of `RowFilters` over the rows of a view, none of which is a line of the file."""

    def __init__(self, view: HasRows) -> None:
        preorder = view.tree.preorder
        assert preorder is not None
        self._preorder, self.rows = preorder, preorder.rows

    @cached_property
    def _ends(self) -> U32Array:
        return ends_of(np.frombuffer(self._preorder.depths(0, self.rows), np.uint16))

    def ends(self, start: int, stop: int) -> U32Array:
        """First row after each subtree."""
        return self._ends[start:stop]

    def rows_at(self, offsets: AnyArray) -> AnyArray:
        """Always -1."""
        return np.full(len(offsets), -1, np.int64)


class LabelFilters(ViewFilters):
    """A `RowFilters` over the nodes of a view by their labels."""

    def __init__(self, view: LabelledRows, names: Texts | None = None) -> None:
        """names: gives what decides whether a row of a range is hidden or suppressed; None: the labels"""
        super().__init__(view)
        self._view = view
        self._names = names
        self._matching: dict[object, BoolArray] = {}

    def mask(self, name: str, start: int, stop: int) -> BoolArray:
        """Rows that a filter hides by their label; none is a mere reference. Raises `KeyError` for an unknown name."""
        if name == "references":
            return np.zeros(stop - start, np.bool_)
        decide = MASKS[name]
        return self._matching_rows(name, lambda label: decide(label.removeprefix(CLASS)), self._names)[start:stop]

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Inner rows whose label is suppressed."""
        return self.matches(options, start, stop) & (self.ends(start, stop) > np.arange(start, stop) + 1)

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Rows whose label is suppressed."""
        patterns = Patterns.from_options(options)
        subject = self._view.pattern_subject
        if not patterns.suppresses(subject):
            return np.zeros(stop - start, np.bool_)
        decide = patterns.is_suppressed_type if subject == "types" else patterns.is_suppressed_method
        return self._matching_rows(patterns, decide, self._names)[start:stop]

    def matching(self, pattern: Pattern) -> BoolArray:
        """For each row, True if its label matches."""
        return self._matching_rows(pattern, pattern.matches)

    def _matching_rows(self, key: object, decide: Callable[[str], bool], names: Texts | None = None) -> BoolArray:
        """For each row, the decision for its name; without names for its label. Computed once per key."""
        if key not in self._matching:
            self._matching[key] = self._decided(decide, names)
        return self._matching[key]

    def _decided(self, decide: Callable[[str], bool], names: Texts | None) -> BoolArray:
        decided = np.zeros(self.rows, np.bool_)
        known: dict[str, bool] = {}
        texts = names or self._view.labels
        for start in range(0, self.rows, STEP):
            labels = texts(start, min(start + STEP, self.rows))
            for label in set(labels) - known.keys():
                known[label] = decide(label)
            decided[start : start + STEP] = list(map(known.__getitem__, labels))
        return decided
