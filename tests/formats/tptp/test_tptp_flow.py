"""Calls in their order as a tree, equal ones in a row folded: small ones read off, plain loops and kernels agreeing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from engines import without_kernels
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.tptp.calls import flow as calls_flow
from parsers.formats.tptp.calls.build import FLOW, flow_of
from parsers.formats.tptp.schema.columns import IS_RUNNING, NEVER
from parsers.model.none import NONE

METHODS = "abcdefgh"


class Calls:
    """Columns of the calls of one thread, as a fake recording."""

    def __init__(self, entries: list[tuple[str, int, int]]) -> None:
        """entries: the method of each call, its caller (-1: none), its duration (-1: it runs)"""
        count = len(entries)
        took = np.array([each[2] for each in entries], np.int64)
        self.columns: dict[str, Any] = {
            "call_of_thread": np.arange(count, dtype=np.uint32),
            "thread_first_call": np.array([0, count], np.uint32),
            "call_parent": np.array([NONE if above < 0 else above for _, above, _ in entries], np.uint32),
            "call_method": np.array([METHODS.index(name) for name, _, _ in entries], np.uint32),
            "call_flags": np.where(took < 0, IS_RUNNING, 0).astype(np.uint8),
            "call_start": np.zeros(count, np.int64),
            "call_end": np.where(took < 0, NEVER, took),
            "call_base": np.zeros(count, np.int64),
            "node_parent": np.array([NONE if above < 0 else above for _, above, _ in entries], np.uint32),
            "node_method": np.array([METHODS.index(name) for name, _, _ in entries], np.uint32),
        }

    def column(self, name: str) -> Any:
        """One of them."""
        return self.columns[name]

    def rows(self, table: str) -> int:
        """Of methods: all there may be."""
        return len(METHODS)


def drawn(calls: Calls) -> list[str]:
    """The rows that are left, indented, with how often they are there and how long that took."""
    flow = dict(flow_of(calls))
    rows = []
    for row, place in enumerate(flow["flow_kept"].tolist()):
        name = METHODS[calls.columns["call_method"][place]]
        times, took = int(flow["flow_kept_times"][row]), int(flow["flow_kept_took"][row])
        rows.append("  " * int(flow["flow_depth"][place]) + name + (f" x{times} {took}" if times > 1 else ""))
    return rows


def test_calls_are_listed_below_their_caller() -> None:
    calls = Calls([("a", -1, 9), ("b", 0, 4), ("c", 1, 1), ("d", 0, 2), ("a", -1, 3)])
    assert drawn(calls) == ["a", "  b", "    c", "  d", "a"]


def test_equal_calls_in_a_row_are_one_row_with_all_their_time() -> None:
    calls = Calls([("a", -1, 9), ("b", 0, 4), ("c", 1, 1), ("b", 0, 3), ("c", 3, 1), ("b", 0, 2), ("c", 5, 1)])
    assert drawn(calls) == ["a", "  b x3 9", "    c"]


def test_calls_that_called_something_else_are_not_equal() -> None:
    calls = Calls([("b", -1, 4), ("c", 0, 1), ("b", -1, 3), ("d", 2, 1), ("b", -1, 3), ("d", 4, 1)])
    assert drawn(calls) == ["b", "  c", "b x2 6", "  d"]


def test_a_call_that_still_runs_is_not_equal_to_one_that_returned() -> None:
    assert drawn(Calls([("b", -1, 4), ("b", -1, -1)])) == ["b", "b"]


def test_equal_calls_are_folded_in_those_that_are_folded_themselves() -> None:
    calls = Calls([("a", -1, 9), ("b", 0, 1), ("b", 0, 1), ("a", -1, 9), ("b", 3, 1), ("b", 3, 1)])
    assert drawn(calls) == ["a x2 18", "  b x2 2"]


@pytest.mark.parametrize(
    ("methods", "parents", "outermost"),
    [("aab", [-1, 0, 1], [1, 0, 1]), ("aba", [-1, 0, 1], [1, 1, 0]), ("abba", [-1, 0, 0, 2], [1, 1, 1, 0])],
)
def test_paths_of_a_method_that_is_open_already_are_not_outermost(
    methods: str, parents: list[int], outermost: list[int]
) -> None:
    above = np.array([NONE if parent < 0 else parent for parent in parents], np.uint32)
    called = np.frombuffer(methods.encode(), np.uint8).astype(np.uint32)
    for loops in (calls_flow, calls_flow.COMPILED):
        found, links = np.zeros(len(above), np.uint8), np.zeros((2, len(above) + 1), np.uint32)
        loops.find_outermost(above, called, found, *links, np.zeros(256, np.uint32))
        assert found.tolist() == outermost


PATHS = st.lists(st.tuples(st.integers(-1, 50), st.integers(-9, 9), st.booleans(), st.integers(-9, 99)), max_size=30)
"""Call paths: parent, own time, True if a call did not return, measured time."""


@given(PATHS)
def test_unreturned_calls_have_own_time_and_time_of_callees(paths: list[tuple[int, int, bool, int]]) -> None:
    above = [min(parent, path - 1) for path, (parent, *_) in enumerate(paths)]
    expected = [took for *_, took in paths]
    for path in reversed(range(len(paths))):
        below = sum(expected[other] for other in range(len(paths)) if above[other] == path)
        if paths[path][2]:
            expected[path] = paths[path][1] + below
    parents = np.array([NONE if parent < 0 else parent for parent in above], np.uint32)
    own, is_open = np.array([each[1] for each in paths], np.int64), np.array([each[2] for each in paths], np.uint8)
    for loops in (calls_flow, calls_flow.COMPILED):
        took = np.array([each[3] for each in paths], np.int64)
        loops.measure(parents, own, is_open, took, np.zeros(len(paths), np.int64))
        assert took.tolist() == expected


@st.composite
def random_calls(draw: st.DrawFn) -> Calls:
    """Draws calls, each within an open one."""
    open, entries = list[int](), list[tuple[str, int, int]]()
    for number in range(draw(st.integers(0, 60))):
        del open[draw(st.integers(0, len(open))) :]
        entries.append((draw(st.sampled_from("ab")), open[-1] if open else -1, draw(st.integers(-1, 3))))
        open.append(number)
    return Calls(entries)


@given(random_calls())
def test_kernels_of_the_flow_give_what_plain_loops_give(calls: Calls) -> None:
    compiled = dict(flow_of(calls))
    with without_kernels():
        plain = dict(flow_of(calls))
    assert {name: plain[name].tolist() for name in FLOW} == {name: compiled[name].tolist() for name in FLOW}


@given(random_calls())
def test_each_call_is_a_row_or_a_repetition_of_one(calls: Calls) -> None:
    flow = dict(flow_of(calls))
    ends, kept = flow["flow_end"].tolist(), flow["flow_kept"].tolist()
    above: list[tuple[int, int]] = []
    counted = 0
    for row, place in enumerate(kept):
        while above and place >= above[-1][0]:
            above.pop()
        times = int(flow["flow_kept_times"][row]) * (above[-1][1] if above else 1)
        counted += times
        above.append((ends[place], times))
    assert counted == len(ends)
