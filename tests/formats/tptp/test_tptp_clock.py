"""Recordings whose clock steps back: times are summed with their signs, and each number shows its negative part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Answer
from hypothesis import given
from hypothesis import strategies as st
from test_tptp_join import joined_by_kernels, joined_plainly
from test_tptp_threads import Read
from tptp_events import whole

from parsers.formats.tptp.schema.columns import IS_NEGATIVE, IS_NEGATIVE_BASE, NEVER
from parsers.formats.tptp.views.negative_times import differences
from parsers.model.none import NONE
from tui.pictures.flame.icicle import Icicle

Run = Callable[..., Answer]
SECOND = 1_000_000_000
HALF = -500_000_000
METHODS = "".join(f'<methodDef name="{name}" signature="()V" methodId="{id}"/>' for id, name in ((1, "a"), (2, "b")))
THREAD = '<threadStart threadId="8" time="100.0" threadName="main"/>'


def entered(method: int, ticket: int, seconds: float) -> str:
    return f'<methodEntry threadIdRef="8" time="{100 + seconds:.3f}" methodIdRef="{method}" ticket="{ticket}"/>'


def left(method: int, ticket: int, seconds: float) -> str:
    return f'<methodExit threadIdRef="8" methodIdRef="{method}" ticket="{ticket}" time="{100 + seconds:.3f}"/>'


def waited(start: float, end: float) -> str:
    return (
        f'<monContendedEnter threadIdRef="8" objIdRef="5" time="{100 + start:.3f}"/>'
        f'<monContendedEntered threadIdRef="8" objIdRef="5" time="{100 + end:.3f}"/>'
    )


CALLS = (
    entered(1, 1, 0)
    + entered(2, 2, 2) + left(2, 2, 1)
    + entered(2, 3, 5) + left(2, 3, 5.5)
    + left(1, 1, 6)
)  # fmt: skip
"""a takes 6 s; of two calls of b in it one takes -1 s, the other one 0.5 s."""
WAITS = waited(10, 12) + waited(13, 12.5) + waited(14, 15)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "log.trcxml"
    found.write_text(f"<TRACE>{THREAD}{METHODS}{CALLS}{WAITS}</TRACE>", "utf-8")
    return found


@st.composite
def nested_calls(draw: st.DrawFn) -> str:
    """Calls of one thread, each entered and left, at any times."""
    moments, open, found = st.integers(0, 40), list[tuple[int, int]](), [THREAD, METHODS]
    for ticket in range(draw(st.integers(1, 25))):
        while draw(st.booleans()) and open:
            found.append(left(*open.pop(), draw(moments)))
        open.append((draw(st.sampled_from((1, 2))), ticket))
        found.append(entered(*open[-1], draw(moments)))
    return "".join([*found, *(left(*call, draw(moments)) for call in reversed(open))])


@given(text=nested_calls())
def test_own_times_add_up_to_what_outermost_calls_took_however_the_clock_steps(text: str, index_folder: Path) -> None:
    data = f"<TRACE>{text}".encode()
    for columns, _ in (
        joined_plainly(data, whole(data)),
        joined_by_kernels(data, whole(data), index_folder),
    ):
        took = np.array(columns["call_end"]) - np.array(columns["call_start"])
        outermost = took[np.array(columns["call_parent"]) == NONE].sum()
        assert sum(columns["call_base"]) == sum(columns["node_base"]) == sum(columns["method_base"]) == outermost
        flags = np.array(columns["call_flags"])
        assert ((flags & IS_NEGATIVE != 0) == (took < 0)).all()
        assert ((flags & IS_NEGATIVE_BASE != 0) == (np.array(columns["call_base"]) < 0)).all()


def test_methods_show_signed_sums_and_what_of_them_is_negative(path: Path, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", path).rows
    names = ("base", "negative", "cumulative", "negative_cumulative")
    assert [[row["badges"].get(name, 0) for name in names] for row in rows] == [
        [6_500_000_000, 0, 6_000_000_000, 0],
        [-500_000_000, -1_000_000_000, -500_000_000, -1_000_000_000],
    ]
    assert "negative" in coffeetree("tree", "--view", "Methods", path).out


def test_the_call_tree_has_a_column_of_negative_times_only_where_there_are_any(
    path: Path, tmp_path: Path, coffeetree: Run
) -> None:
    rows = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "all", path).rows
    found = [[row["badges"].get(name) for name in ("self", "total", "negative")] for row in rows]
    assert found == [[6_500_000_000, 6_000_000_000, 0], [-500_000_000, -500_000_000, -1_000_000_000]]
    steady = tmp_path / "steady.trcxml"
    steady.write_text(f"<TRACE>{THREAD}{METHODS}{entered(1, 1, 0)}{left(1, 1, 1)}", "utf-8")
    rows = coffeetree("tree", "--json", "--view", "Call tree", steady).rows
    assert ["negative" in row["badges"] for row in rows] == [False]


def test_callers_show_how_much_of_cumulative_time_is_negative(path: Path, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Callers", "--depth", "0", path).rows
    found = {row["label"]: [row["badges"].get(name) for name in ("total", "negative")] for row in rows}
    assert list(found.values()) == [[6_000_000_000, 0], [-500_000_000, -1_000_000_000]]


def test_the_flow_shows_which_calls_end_before_they_begin(path: Path, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Flow", "--depth", "all", path).rows
    assert [row["badges"].get("took") for row in rows] == [None, 6_000_000_000, -500_000_000]
    assert [row["badges"].get("negative") for row in rows] == [None, None, -SECOND]
    assert "1 of 2 end before they begin" in coffeetree("show", path, "node:2", "--view", "Flow").out
    each = ("--switch", "repetitions=each", "--depth", "all", path)
    rows = coffeetree("tree", "--json", "--view", "Flow", *each).rows
    assert [row["badges"].get("negative") for row in rows] == [None, None, -SECOND, None]


def test_waits_are_summed_with_their_signs_by_thread_and_by_monitor(path: Path, coffeetree: Run) -> None:
    threads = coffeetree("tree", "--json", "--view", "Threads", "--depth", "all", path).rows
    assert [row["badges"].get("blocked_ns") for row in threads[:1]] == [2_500_000_000]
    assert [row["badges"]["time_ns"] for row in threads[1:]] == [2_000_000_000, -500_000_000, 1_000_000_000]
    monitor = coffeetree("tree", "--json", "--view", "Monitors", "--depth", "0", path).rows[0]
    assert [monitor["badges"][name] for name in ("blocked_ns", "longest_ns")] == [2_500_000_000, 2_000_000_000]
    assert [row["badges"].get("negative_ns") for row in (*threads, monitor)] == [HALF, None, None, None, HALF]
    assert "-500.000 ms in 1 wait that ends before it begins" in coffeetree("show", path, "thread:8").out
    read = Read(str(path))
    for view in (read.threads, read.monitors):
        assert "negative_ns" in [column.name for column in view.columns]


def test_info_shows_how_much_of_all_times_is_negative(path: Path, coffeetree: Run) -> None:
    answer = coffeetree("info", "--json", path).json
    (session,) = [run["totals"] for run in answer["runs"]]
    assert session["time"]["negative"] == {"block": 1, "call": 1}
    assert session["time"]["negative_ns"] == {"block": -500_000_000, "call": -SECOND, "base": -SECOND}
    assert [thread.get("negative_ns") for thread in session["threads"]] == [-500_000_000]
    assert [monitor.get("negative_ns") for monitor in session["monitors"]] == [-500_000_000]
    assert [method.get("negative_base_ns") for method in session["calls"]["methods"]] == [None, -SECOND]
    assert answer["facts"]["clock_steps_back"] == (
        "1 call ended before beginning, -1.000 s in all; 1 wait ended before beginning, -500.000 ms in all: "
        "times are summed as recorded, with their signs"
    )


def test_a_difference_of_moments_that_exceeds_64_bits_is_the_smallest_number() -> None:
    starts, ends = (np.array(values, np.int64) for values in ([5, 7, NEVER, 1 << 62], [3, 9, 4, -(1 << 62) - 1]))
    assert differences(starts, ends).tolist() == [-2, 2, 0, NEVER]


class Tree:
    """Boxes whose children are wider than they are together: as (width, children)."""

    nodes: tuple[tuple[int, tuple[int, ...]], ...] = ((10, (2, 3)), (10, ()), (8, ()), (8, ()))

    def roots(self) -> tuple[int, ...]:
        return (0, 1)

    def children(self, node: int) -> tuple[int, ...]:
        return self.nodes[node][1]

    def parent(self, node: int) -> int | None:
        return 0 if node > 1 else None

    def width(self, node: int) -> float:
        return self.nodes[node][0]

    def below(self, node: int) -> float:
        return sum(map(self.width, self.children(node)))

    def whole(self) -> float:
        return 20


def test_boxes_of_a_flame_stay_below_the_one_that_called_them_though_they_took_longer() -> None:
    tree: Any = Tree()
    boxes = Icicle(tree, None, 40).level(1)
    assert [(box.node, box.start, box.stop) for box in boxes] == [(2, 0, 10), (3, 10, 20)]


@pytest.mark.parametrize("form", ["collapsed", "speedscope"])
def test_an_export_says_how_many_stacks_with_negative_times_it_lacks(form: str, path: Path, coffeetree: Run) -> None:
    answer = coffeetree("export", "--to", form, "--view", "Call tree", path, "-")
    assert answer.status == 0
    assert "1 stack with negative" in answer.err and "left out: the format has none" in answer.err


@pytest.mark.parametrize(
    ("ends", "shares"),
    [((3.0, 2.0, 6.0), [116.67, -16.67]), ((2.0, 1.0, -2.0), [-50.0, -50.0]), ((2.0, 1.0, 0.0), [0.0, 0.0])],
)
def test_shares_are_of_the_sum_without_its_sign(
    ends: tuple[float, float, float], shares: list[float], tmp_path: Path, coffeetree: Run
) -> None:
    start, end, last = ends
    calls = entered(1, 1, 0) + entered(2, 2, start) + left(2, 2, end) + left(1, 1, last)
    path = tmp_path / "log.trcxml"
    path.write_text(f"<TRACE>{THREAD}{METHODS}{calls}</TRACE>", "utf-8")
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", path).rows
    assert [row["badges"]["base_percent"] for row in sorted(rows, key=lambda row: str(row["label"]))] == shares
