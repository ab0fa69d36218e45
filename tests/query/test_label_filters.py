"""Filters over views whose rows are known by their labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.names.java_name import is_jdk
from parsers.model.names.patterns import Patterns
from parsers.model.row import Row
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.trees.preorder import PreorderTree
from parsers.query.search.pattern import compile_pattern
from parsers.query.selection.label_filters import LabelFilters

LABELS = ["java.util", "java.util.Map", "app", "app.Main", "app.Main[]", "class java.util.Map", "int[]"]


class Labelled:
    """A view of rows with depths and labels."""

    pattern_subject = "types"

    def __init__(self, rows: list[tuple[int, str]]) -> None:
        self.texts = [label for _, label in rows]
        self.tree = PreorderTree(GroupedPreorder([depth for depth, _ in rows], [0] * len(rows)), self.row)

    def row(self, node: int) -> Row:
        return Row(node, "row", self.texts[node])

    def labels(self, start: int, stop: int) -> list[str]:
        return self.texts[start:stop]


def chosen(mask: np.ndarray) -> list[int]:
    return np.flatnonzero(mask).tolist()


HEAP = Labelled([(0, "java.util"), (1, "java.util.Map"), (2, "java.util.Map"), (0, "app"), (1, "app.Main[]"), (2, "x")])


def test_a_type_is_suppressed_where_something_is_below_it() -> None:
    filters = LabelFilters(HEAP)
    assert chosen(filters.suppressed({"suppress_types": "java.*,app.Main"}, 0, 6)) == [0, 1, 4]
    assert chosen(filters.matches({"suppress_types": "java.*,app.Main"}, 0, 6)) == [0, 1, 2, 4]
    assert chosen(filters.suppressed({"suppress_types": "*", "expand_types": "java.*"}, 0, 6)) == [3, 4]
    assert chosen(filters.suppressed({"suppress_methods": "*"}, 0, 6)) == []


def test_rows_are_found_and_hidden_by_their_labels() -> None:
    filters = LabelFilters(HEAP)
    assert chosen(filters.matching(compile_pattern("map"))) == [1, 2]
    assert chosen(filters.mask("jdk", 0, 6)) == [0, 1, 2]
    assert chosen(filters.mask("jdk", 1, 3)) == [0, 1]
    assert chosen(filters.mask("references", 0, 6)) == []
    with pytest.raises(KeyError):
        filters.mask("colours", 0, 6)


@given(st.lists(st.sampled_from(LABELS), max_size=12), st.sampled_from(["java.*", "*Map", "app.Main", "*"]))
def test_each_row_is_decided_by_its_own_label(labels: list[str], pattern: str) -> None:
    filters = LabelFilters(Labelled([(0, label) for label in labels]))
    patterns = Patterns(suppress_types=pattern)
    matching = filters.matches({"suppress_types": pattern}, 0, len(labels))
    assert matching.tolist() == [patterns.is_suppressed_type(label) for label in labels]
    hidden = filters.mask("jdk", 0, len(labels))
    assert hidden.tolist() == [is_jdk(label.removeprefix("class ")) for label in labels]
