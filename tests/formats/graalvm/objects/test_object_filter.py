"""Filters and patterns applied to an object tree: what goes, and what a suppressed row hides."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import truth_of
from hypothesis import given
from hypothesis import strategies as st
from test_object_tree import DEMO, SAMPLES, report_of, sample

from parsers.formats.graalvm.objects.holder import value_row
from parsers.formats.graalvm.objects.tree_report import ObjectTreeReport
from parsers.model.names.patterns import BUILT_IN_TYPES, Patterns


def suppressed(report: ObjectTreeReport, step: int = 1000, **options: str) -> list[int]:
    """Returns rows suppressed by the options, computed in ranges of `step` rows."""
    filters = report.row_filters()
    parts = [filters.suppressed(options, at, min(at + step, filters.rows)) for at in range(0, filters.rows, step)]
    return np.flatnonzero(np.concatenate([np.zeros(0, bool), *parts])).tolist()


def hidden(report: ObjectTreeReport, name: str, step: int = 1000) -> list[int]:
    """Rows that a mask hides."""
    filters = report.row_filters()
    parts = [filters.mask(name, at, min(at + step, filters.rows)) for at in range(0, filters.rows, step)]
    return np.flatnonzero(np.concatenate([np.zeros(0, bool), *parts])).tolist()


def test_a_type_is_suppressed_at_its_objects_and_references() -> None:
    report = report_of(DEMO)
    assert suppressed(report, suppress_types="java.util.HashMap") == [1, 8]
    assert suppressed(report, suppress_types="java.util.HashMap$Node") == [2, 5]


def test_a_root_is_suppressed_by_its_source_but_not_where_it_only_refers() -> None:
    report = report_of(DEMO)
    assert suppressed(report, suppress_roots="a.Config.MAP:java.util.Map") == [0]
    assert suppressed(report, suppress_roots="*") == [0, 12]
    assert suppressed(report, suppress_roots="*", expand_roots="*TABLE*") == [0]
    assert suppressed(report, suppress_roots="a.Config.MAP") == []


def test_expanding_wins_over_suppressing() -> None:
    assert suppressed(report_of(DEMO), suppress_types="java.*", expand_types="*HashMap") == [2, 5]


def test_rows_suppressed_by_the_printer_are_unchanged() -> None:
    assert suppressed(report_of(DEMO), suppress_types="int,java.lang.Object") == []


def test_no_options_suppress_nothing() -> None:
    assert suppressed(report_of(DEMO)) == []
    assert suppressed(report_of(DEMO), suppress_methods="*") == []


def test_a_root_of_several_lines_is_matched_by_all_of_them() -> None:
    report = report_of(
        "├── root at a.B.c(B.java:1)\nat a.D.e(D.java:3) value:\n│   └── a.B id=0 toString=B@1 (no fields)\n"
        "└── root a.F.g:a.B value:\n    └── a.B id=1 toString=B@2 (no fields)"
    )
    assert suppressed(report, suppress_roots="*D.java:3)") == [0]
    assert suppressed(report, suppress_roots="at a.B*") == [0]
    assert suppressed(report, suppress_roots="a.F.g:a.B") == [2]


def test_the_roots_of_a_report_with_other_line_ends_match() -> None:
    text = ("Heap roots\n" + DEMO.strip("\n") + "\n\n").replace("\n", "\r\n").encode()
    assert suppressed(report_of(text), suppress_roots="a.Config.MAP:java.util.Map") == [0]


def test_masks_hide_rows_of_a_sort() -> None:
    report = report_of(DEMO)
    assert hidden(report, "nulls") == [4, 6, 10]
    assert hidden(report, "references") == [8, 9, 11]
    assert hidden(report, "jdk") == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    with pytest.raises(KeyError):
        report.row_filters().mask("colours", 0, 1)


def test_fields_without_an_object_are_suppressed_with_their_owner() -> None:
    report = report_of(
        "└── root a.B.c:a.B value:\n    └── a.B id=0 toString=B fields:\n        ├── d:java.util.Map value=null\n"
        "        ├── e:java.util.Map value:\n        │   └── java.util.HashMap id=1 toString=M fields:\n"
        "        │       ├── f:a.B value=null\n"
        '        │       └── g:java.lang.Object toString="x" (expansion suppressed)\n'
        '        └── h:java.lang.String toString="y" (expansion suppressed)'
    )
    assert hidden(report, "jdk") == [3, 4, 5, 6]
    assert hidden(report, "jdk", step=1) == [3, 4, 5, 6]
    assert hidden(report, "synthetic") == []


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_types_never_expanded_by_the_printer_are_expanded_in_no_sample(case: str, name: str) -> None:
    report = sample(case, name)
    assert truth_of(case)[name]["totals"]["objects"]
    assert suppressed(report, suppress_types=",".join(BUILT_IN_TYPES)) == []


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_ranges_and_the_whole_give_the_same_rows_of_a_sample(case: str, name: str) -> None:
    report = sample(case, name)
    options = {"suppress_types": "java.util.*", "suppress_roots": "java.lang.*", "expand_types": "*Map"}
    assert (
        suppressed(report, step=997, **options)
        == suppressed(report, step=1 << 20, **options)
        == plainly(report, **options)
    )
    assert hidden(report, "jdk", step=997) == hidden(report, "jdk", step=1 << 20)


def type_of(report: ObjectTreeReport, row: int) -> str:
    """The type of a row's object: where rows of one id disagree, that of the first."""
    tree = report.tree
    return report.text(bytes(tree.names[tree.name(tree.vertex(row))]))


def plainly(report: ObjectTreeReport, **options: str) -> list[int]:
    """Same as `suppressed`, row by row by the rules of `ObjectTreePrinter` of GraalVM."""
    patterns = Patterns.from_options(options)
    found = []
    for row in range(report.tree.rows):
        text = report.parsed(row)
        value = value_row(report.tree, row)
        above = report.tree.parent(row)
        if text.is_root:
            is_met = text.tag in ("value", "open") and patterns.is_suppressed_root(text.source)
        elif text.is_field:
            held = report.parsed(value) if value is not None else None
            is_met = held is not None and bool(held.type) and held.id is not None
            is_met = is_met and patterns.is_suppressed_type(type_of(report, value or 0))
        elif text.id is not None and text.type:
            below_field = above is not None and value_row(report.tree, above) == row and report.parsed(above).is_field
            is_met = not below_field and patterns.is_suppressed_type(type_of(report, row))
        else:
            is_met = False
        if is_met:
            found.append(row)
    return found


bodies = st.sampled_from(
    [
        *("root a.B:c value:", "root d.E(int) value:", "root r id-ref=1 toString=x"),
        *("root at a.B(C)", "root at a.B(C)\nat d value:"),
        *("x:y value:", "x:y value=null", "int toString=1 (expansion suppressed)", " null", "odd id=7"),
        *("a.B id=1 toString= fields:", "[0] a.B[][] id=2 toString= (no elements)"),
        *("c.D id-ref=1 toString=", "[1] c.D id-ref=2 toString="),
    ]
)


@given(st.lists(st.tuples(st.integers(0, 4), bodies), max_size=25), st.integers(1, 7))
def test_patterns_act_as_row_by_row_on_any_tree(rows: list[tuple[int, str]], step: int) -> None:
    report = report_of("\n".join("│   " * depth + "├── " + body for depth, body in rows))
    for options in (
        {"suppress_types": "a.B"},
        {"suppress_types": "*D", "suppress_roots": "a*,*)"},
        {"suppress_roots": "at *"},
    ):
        assert suppressed(report, step, **options) == plainly(report, **options)
    for name in ("jdk", "nulls", "references", "synthetic"):
        assert hidden(report, name, step) == hidden(report, name)
