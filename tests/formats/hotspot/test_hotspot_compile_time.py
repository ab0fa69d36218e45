"""Compile time: sums add up, and queues equal counts moment by moment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import TESTS
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hotspot.aggregates.compile_time import longest_queue, time_until
from parsers.formats.hotspot.aggregates.compile_time_view import CompileTimeView
from parsers.formats.hotspot.report import HotSpotReport
from parsers.io.cache import Cache
from parsers.model.row import Row
from parsers.runtime.opening import open_report

SAMPLE = TESTS / "corpus" / "hotspot" / "work_tiered_17.log.xz"


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), max_size=40),
    st.sampled_from([1.0, 2.5, 7.0, 10.0]),
)
def test_lengths_of_queues_equal_counting_every_millisecond(tasks: list[tuple[int, int]], step: float) -> None:
    queued = np.array([queued for queued, _ in tasks], np.int64)
    begun = np.array([queued + wait for queued, wait in tasks], np.int64)
    steps = int(91 / step) + 1
    expected = [0] * steps
    for moment in range(91):
        length = sum(start <= moment < end for start, end in zip(queued.tolist(), begun.tolist(), strict=True))
        expected[int(moment / step)] = max(expected[int(moment / step)], length)
    found = longest_queue(queued, begun, step, steps).tolist()
    # An interval that begins between two milliseconds still has the queue of the one before.
    assert all(value >= least for value, least in zip(found, expected, strict=True))
    if step in (1.0, 7.0, 10.0):
        before = [0, *expected[:-1]]
        assert all(value <= max(each, last) for value, each, last in zip(found, expected, before, strict=True))


@pytest.fixture(scope="module")
def view(shared_cache: Path) -> CompileTimeView:
    report = open_report([str(SAMPLE)], cache=Cache(str(shared_cache / "coffeetree")))
    assert isinstance(report, HotSpotReport)
    report.wait()
    found = report.view("Compile time")
    assert isinstance(found, CompileTimeView)
    return found


def rows_below(view: CompileTimeView, group: str) -> list[Row]:
    node = view.resolve(f"name:{group}")
    return [view.tree.row(child) for child in view.tree.children(node)]


def number(row: Row, badge: str) -> int:
    value = row.badges[badge]
    assert isinstance(value, int)
    return value


def test_tiers_add_up_to_all_tasks_and_all_time(view: CompileTimeView) -> None:
    whole = view.tree.row(view.resolve("name:By tier"))
    tiers = rows_below(view, "By tier")
    assert [row.badges["level"] for row in tiers] == [1, 2, 3, 4]
    for badge in ("tasks", "compile_ms", "nmsize"):
        assert sum(number(row, badge) for row in tiers) == whole.badges[badge]
    assert view.sections(tiers[0].node)[0].title == "Tier 1: C1, no profile"


def test_intervals_add_up_to_the_same(view: CompileTimeView) -> None:
    whole = view.tree.row(view.resolve("name:By tier"))
    intervals = rows_below(view, "Over time")
    for badge in ("tasks", "compile_ms"):
        assert sum(number(row, badge) for row in intervals) == whole.badges[badge]


def test_phases_are_within_the_phase_around_them(view: CompileTimeView) -> None:
    tree = view.tree
    tiers = rows_below(view, "By phase")
    assert [row.badges["level"] for row in tiers] == [1, 2, 3]
    seen = 0
    for tier in tiers:
        for phase in tree.children(tier.node):
            inner = [tree.row(child) for child in tree.children(phase)]
            assert sum(number(row, "compile_ms") for row in inner) <= number(tree.row(phase), "compile_ms")
            seen += len(inner)
    assert seen


def test_of_the_phases_in_one_the_dearest_is_first(view: CompileTimeView) -> None:
    tree = view.tree
    parents = [tier.node for tier in rows_below(view, "By phase")]
    parents += [phase for tier in parents for phase in tree.children(tier)]
    for parent in parents:
        times = [number(tree.row(phase), "compile_ms") for phase in tree.children(parent)]
        assert times == sorted(times, reverse=True)


def test_the_longest_tasks_are_first_and_lead_to_themselves(view: CompileTimeView) -> None:
    tasks = rows_below(view, "Longest tasks")
    times = [number(row, "compile_ms") for row in tasks]
    assert times == sorted(times, reverse=True)
    assert tasks[0].bars == {"compile_ms": 1.0}
    assert tasks[0].link == tasks[0].ref == "task:733%"


def test_a_run_over_time_is_drawn(view: CompileTimeView) -> None:
    sections = view.sections(view.resolve("name:Over time"))
    charts = {section.title: section.chart for section in sections if section.chart is not None}
    assert {"Compiling", "Queue of C2", "Longest wait for C2"} <= set(charts)
    waits = [number(row, "wait_ms") for row in rows_below(view, "Longest waits")]
    highest = max(
        max(charts[f"Longest wait for {name}"].values) for name in ("C1", "C2") if f"Longest wait for {name}" in charts
    )
    assert highest == waits[0]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), max_size=40), st.sampled_from([1.0, 2.5, 7.0]))
def test_work_counts_in_the_intervals_in_which_it_is_done(tasks: list[tuple[int, int]], step: float) -> None:
    steps = int(91 / step) + 1
    begun = np.array([begun for begun, _ in tasks], np.int64)
    done = np.array([begun + took for begun, took in tasks], np.int64)
    found = np.diff(time_until(begun, step, steps) - time_until(done, step, steps))
    for place in range(steps):
        start, stop = place * step, (place + 1) * step
        overlaps = [max(0.0, min(stop, begun + took) - max(start, begun)) for begun, took in tasks]
        assert found[place] == pytest.approx(sum(overlaps))


def test_tasks_in_a_stretch_of_the_run_are_listed(view: CompileTimeView) -> None:
    stretches = rows_below(view, "Over time")
    busiest = max(stretches, key=lambda row: number(row, "compile_ms"))
    begin = float(str(busiest.badges["start_s"]))

    found = view.references(busiest.node)

    tasks = [view._report.view("Tasks").tree.row(node) for node in found.nodes]
    starts = [float(str(row.badges["start_s"])) for row in tasks]
    assert found.view == "Tasks"
    assert len(tasks) >= number(busiest, "tasks") > 0
    assert sum(start >= begin for start in starts) >= number(busiest, "tasks")
    assert starts == sorted(starts)


def test_a_tier_lists_its_tasks(view: CompileTimeView) -> None:
    for tier in rows_below(view, "By tier"):
        assert len(view.references(tier.node).nodes) == number(tier, "tasks")
