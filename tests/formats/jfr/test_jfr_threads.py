"""Threads of a recording: the time line, waits, monitors, thread dumps; the time range that all views share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from conftest import TESTS, Answer, plain_bytes

from parsers.formats.jfr.thread_states.kinds import LANE_STATES
from parsers.formats.jfr.thread_states.threads import RecordedThreads
from parsers.formats.jfr.thread_states.threads_view import ThreadsView
from parsers.formats.jfr.thread_states.timeline_view import RecordingTimelineView
from parsers.model.names.java_method import class_name
from parsers.runtime.opening import open_report
from parsers.views.timelines.timeline_view import SECOND

CORPUS = TESTS / "corpus" / "jfr"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))

Run = Callable[..., Answer]
Rows = list[dict[str, Any]]


@pytest.fixture
def rows(coffeetree: Run) -> Callable[..., Rows]:
    """Returns the first rows of a view of a sample, with some switches."""

    def ask(sample: str, view: str, depth: int | str = 0, **switches: str) -> Rows:
        words = [word for name, choice in switches.items() for word in ("--switch", f"{name}={choice}")]
        return coffeetree("tree", "--json", "--view", view, "--depth", depth, *words, CORPUS / f"{sample}.jfr.xz").rows

    return ask


@pytest.fixture(scope="module")
def opened() -> Iterator[Callable[[str], Any]]:
    """Opens samples in this process."""
    reports = {}

    def open_sample(sample: str) -> Any:
        if sample not in reports:
            reports[sample] = open_report([str(CORPUS / f"{sample}.jfr.xz")])
            reports[sample].wait()
        return reports[sample]

    yield open_sample
    for report in reports.values():
        report.close()


def java_name(name: str) -> str:
    """Returns a class of the truth as views show it."""
    return "N/A" if name == "null" else class_name(name)


# -- monitors and allocation ------------------------------------------------------------------------------------------

WAITS = {
    "jdk.JavaMonitorEnter": "contention by class",
    "jdk.JavaMonitorWait": "waits by class",
    "jdk.ThreadPark": "parks by blocker",
}
LOCKS = [(sample, type) for sample, truth in TRUTH.items() for type in truth.get("locks", {}) if type in WAITS]


@pytest.mark.parametrize(("sample", "type"), LOCKS)
def test_waits_by_class_are_those_of_the_jdk(sample: str, type: str, rows: Callable[..., Rows]) -> None:
    found = rows(sample.removesuffix(".jfr"), "Monitors", table=WAITS[type])
    sums = {row["label"]: [row["badges"][name] for name in ("count", "total", "longest")] for row in found}
    truth = TRUTH[sample]["locks"][type]
    assert sums == {
        java_name(name): [each[key] for key in ("count", "sum_ns", "max_ns")] for name, each in truth.items()
    }


@pytest.mark.parametrize("sample", [sample for sample, type in LOCKS if type == "jdk.JavaMonitorEnter"])
def test_contention_by_owner_adds_up_to_the_previous_owners_of_the_jdk(sample: str, rows: Callable[..., Rows]) -> None:
    counts = Counter[str]()
    for row in rows(sample.removesuffix(".jfr"), "Monitors", table="contention by previous owner"):
        counts[row["label"]] += row["badges"]["count"]
    truth = Counter[str]()
    for each in TRUTH[sample]["locks"]["jdk.JavaMonitorEnter"].values():
        for owner, count in each["previous_owner"].items():
            truth["N/A" if owner == "null" else owner.rpartition("#")[0]] += count
    assert counts == truth


@pytest.mark.parametrize("table", ["contention by thread", "contention by site", "contention by monitor"])
def test_each_table_of_contention_has_all_waits(table: str, rows: Callable[..., Rows]) -> None:
    found = rows("jdk25-stuck", "Monitors", table=table)
    assert sum(row["badges"]["count"] for row in found) == 65
    assert sum(row["badges"]["total"] for row in found) == 5_986_568_046 + 33_845_051


ALLOCATIONS = [
    (sample, "by class" if "jdk.ObjectAllocationSample" in kinds else "TLABs by class", kinds)
    for sample, kinds in ((sample, truth.get("allocation", {})) for sample, truth in TRUTH.items())
    if any("TLAB" in kind or "Sample" in kind for kind in kinds)
]


@pytest.mark.parametrize(("sample", "table", "kinds"), ALLOCATIONS)
def test_allocation_by_class_is_weighted_as_by_the_jdk(
    sample: str, table: str, kinds: dict[str, Any], rows: Callable[..., Rows]
) -> None:
    used = [kind for kind in kinds if ("TLAB" in kind) == table.startswith("TLAB") and "Live" not in kind]
    truth, counts = Counter[str](), Counter[str]()
    for kind in used:
        for name, each in kinds[kind].items():
            truth[java_name(name)] += each["weight"]
            counts[java_name(name)] += each["count"]
    found = rows(sample.removesuffix(".jfr"), "Allocation", table=table)
    assert {row["label"]: row["badges"]["allocated"] for row in found} == truth
    assert {row["label"]: row["badges"]["count"] for row in found} == counts


def test_deadlocks_of_thread_dumps_are_the_first_table_of_monitors(rows: Callable[..., Rows]) -> None:
    found = rows("jdk25-stuck", "Monitors", depth="all")
    assert [(row["kind"], row["label"].partition(" waits")[0]) for row in found] == [
        ("deadlock", "deadlock of left-right, right-left"),
        ("thread", "left-right"),
        ("thread", "right-left"),
        ("victim", "behind"),
        ("deadlock", "deadlock of first-second, second-first"),
        ("thread", "first-second"),
        ("thread", "second-first"),
    ]
    assert [row["badges"]["dumps"] for row in found if row["kind"] == "deadlock"] == [3, 3]


def test_each_thread_dump_has_its_threads_and_their_text(rows: Callable[..., Rows], coffeetree: Run) -> None:
    found = rows("jdk25-stuck", "Thread dumps", depth="all")
    assert [row["badges"]["threads"] for row in found if row["kind"] == "dump"] == [30, 30, 26]
    main = next(at for at, row in enumerate(found) if row["label"] == "main")
    assert found[main]["badges"] == {"state": "TIMED_WAITING", "id": 3}
    assert [row["label"] for row in found[main + 1 : main + 3]] == [
        "java.lang.Thread.State: TIMED_WAITING (sleeping)",
        "at java.lang.Thread.sleepNanos0(java.base@25.0.3/Native Method)",
    ]
    path = CORPUS / "jdk25-stuck.jfr.xz"
    shown = coffeetree("show", "--json", "--view", "Thread dumps", path, "event:jdk.ThreadDump#2").json
    assert [section["title"] for section in shown["sections"]][1:] == ["Deadlock of 2 threads"] * 2


# -- threads ----------------------------------------------------------------------------------------------------------


def test_threads_have_the_times_of_their_waits(rows: Callable[..., Rows]) -> None:
    found = rows("jdk25-stuck", "Threads", depth="all")
    threads = {row["ref"]: row for row in found}
    assert threads["thread:29"]["label"] == "crowd-3"
    groups = [row for row in found if row["kind"] == "group" and row["depth"] == 0]
    assert sum(row["badges"].get("lock_ns", 0) for row in groups) == 5_986_568_046 + 33_845_051
    assert sum(row["badges"]["events"] for row in groups) == 240


def test_threads_of_two_jvms_with_one_id_have_refs_of_their_own(tmp_path: Any, coffeetree: Run) -> None:
    path = tmp_path / "joined.jfr"
    path.write_bytes(b"".join(plain_bytes(CORPUS / f"{name}.jfr.xz") for name in ("jdk25-stuck", "jdk25-custom")))
    refs = [row["ref"] for row in coffeetree("tree", "--json", "--view", "Threads", "--depth", "all", path).rows]
    assert len(refs) == len(set(refs))
    shown = [coffeetree("show", "--json", "--view", "Threads", path, ref).json for ref in ("thread:3", "thread:3/2")]
    assert [each["row"]["label"] for each in shown] == ["main", "main"]


class TwoGroups(RecordedThreads):
    """The same threads, every other one in another group."""

    @property
    def groups(self) -> list[str]:  # type: ignore[override]
        return ["odd" if thread % 2 else "even" for thread in range(len(self))]


def test_threads_without_names_in_two_groups_stay_in_their_groups(opened: Callable[[str], Any]) -> None:
    report = opened("jdk25-light")
    view = ThreadsView(report)
    view._threads = TwoGroups(report.data)
    threads = TwoGroups(report.data)
    group, seen = "", Counter[str]()
    for entry in view.entries:
        group = entry.label if not entry.depth else group
        if entry.kind == "thread":
            assert threads.groups[entry.key[1]] == group  # type: ignore[index]
            seen[group] += entry.depth == 2
    unnamed = [at for at in range(len(threads)) if threads.is_virtual(at) and not threads.names[at]]
    assert seen == Counter(threads.groups[at] for at in unnamed)
    assert sum(seen.values()) == 810


# -- the time line ----------------------------------------------------------------------------------------------------


def lane_labels(view: RecordingTimelineView) -> list[str]:
    return [view.row(view.rows.node(lane)).label for lane in range(len(view.table))]


def test_lanes_are_pauses_then_threads_and_unnamed_virtual_threads_together(opened: Callable[[str], Any]) -> None:
    labels = lane_labels(opened("jdk25-light").view("Time line"))
    assert labels[:2] == ["GC pauses", "Safepoints"] if "GC pauses" in labels else labels[0] == "Safepoints"
    assert labels[-1] == "810 virtual threads without names"
    assert len(labels) == len(set(range(len(labels))))


def test_states_of_a_lane_are_its_waits_and_marks_its_samples(opened: Callable[[str], Any]) -> None:
    view = opened("jdk25-stuck").view("Time line")
    line, lane = view.time_line(0), view.lane_of(view.resolve("thread:3"))
    pieces = line.pieces(lane)
    names = [LANE_STATES[state].name for state in sorted(set(pieces.states.tolist()))]
    assert names == ["alive", "sleeping"]
    assert len(line.marks(lane)) == 3
    assert pieces.end == 3_587_238_785


@pytest.mark.parametrize("sample", ["jdk25-stuck", "jdk25-all", "jdk8-profile", "ap4-wall-live", "jdk25-light"])
def test_lanes_have_every_event_once_and_their_pieces_follow_each_other(
    sample: str, opened: Callable[[str], Any]
) -> None:
    view = opened(sample).view("Time line")
    line, data = view.time_line(0), opened(sample).data
    with_thread = data.events("thread", view.table.rows) != 0xFFFF_FFFF
    pauses = sum(view.table.counts[lane] for lane in range(len(view.table.pauses)))
    assert sum(view.table.counts[lane] for lane in range(len(view.table))) == with_thread.sum() + pauses
    for lane in range(len(view.table)):
        pieces = line.pieces(lane)
        assert (np.diff(pieces.starts) > 0).all()
        assert not len(pieces) or pieces.starts[-1] < pieces.end <= line.length
        events = view.table.events(lane)
        assert (np.diff(events.starts) >= 0).all()


def test_a_moment_shows_what_every_thread_did(coffeetree: Run) -> None:
    path = CORPUS / "jdk25-stuck.jfr.xz"
    shown = coffeetree("show", "--json", "--view", "Time line", path, "moment:1.5/thread:27").json
    sections = {section["title"]: section["rows"] for section in shown["sections"]}
    assert sections["At 1.500000 s"][0]["text"] == "waiting for lock for 75.658 ms, in Stuck.contend"
    assert [(row["label"], row["text"].partition(" for ")[0]) for row in sections["All threads then"]] == [
        ("second-first", "deadlocked: waits"),
        ("first-second", "deadlocked: waits"),
        ("right-left", "deadlocked: waits"),
        ("left-right", "deadlocked: waits"),
        ("crowd-3", "waiting"),
        ("crowd-2", "waiting"),
        ("crowd-1", "waiting"),
        ("crowd-0", "sleeping"),
        ("main", "sleeping"),
        ("", "nothing was recorded of 15 other threads then"),
    ]


def test_threads_are_deadlocked_between_the_dumps_that_show_it(opened: Callable[[str], Any]) -> None:
    view = opened("jdk25-stuck").view("Time line")
    line, lane = view.time_line(0), view.lane_of(view.resolve("thread:30"))
    pieces = line.pieces(lane)
    (place,) = [at for at, state in enumerate(pieces.states.tolist()) if LANE_STATES[state].name == "deadlocked"]
    dumps = opened("jdk25-stuck").data.rows_of("jdk.ThreadDump")
    starts = opened("jdk25-stuck").data.events("start", dumps) - line.first
    assert (pieces.starts[place], pieces.stop(place)) == (starts[0], starts[-1] + 1)

    view.set_moment(int(starts[1]), view.rows.node(lane))
    (row, _) = view.sections(view.rows.node(lane))[0].rows
    assert row.text == "deadlocked: waits for demo.Stuck$Right <0x000000069ed90db0>, which right-left owns"


@pytest.mark.parametrize("ref", ["moment:99", "moment:x", "thread:99999", "moment:1/thread:99999"])
def test_a_moment_or_thread_that_is_not_there_is_refused(ref: str, coffeetree: Run) -> None:
    answer = coffeetree("show", "--view", "Time line", CORPUS / "jdk25-stuck.jfr.xz", ref)
    assert answer.status != 0
    assert answer.err.startswith("coffeetree: ")


# -- the time range ---------------------------------------------------------------------------------------------------


def test_two_ranges_have_all_events_and_those_at_the_border_twice(opened: Callable[[str], Any]) -> None:
    data = opened("jdk25-stuck").data
    first, last = data.column("span").tolist()
    middle = first + SECOND
    counts = [data.counts(span) for span in ((first, middle), (middle, last + 1))]
    starts, ends = data.events("start"), data.events("start") + data.durations(slice(None))
    over = np.bincount(data.events("type")[(starts < middle) & (ends >= middle)], minlength=len(counts[0]))
    assert (sum(counts) == data.counts() + over).all()


SWITCHED: dict[str, tuple[str, str, dict[str, str]]] = {
    "Events": ("jdk25-all", "events", {}),
    "Methods": ("jdk25-all", "self", {}),
    "Call tree": ("jdk25-all", "total", {}),
    "Callers": ("jdk25-all", "total", {"weight": "allocated bytes"}),
    "Threads": ("jdk25-all", "events", {}),
    "Monitors": ("jdk25-all", "count", {"table": "parks by blocker"}),
    "Allocation": ("jdk25-all", "allocated", {}),
    "Latencies": ("jdk25-all", "count", {}),
}


@pytest.mark.parametrize("view", SWITCHED)
def test_a_time_range_filters_each_view(view: str, rows: Callable[..., Rows]) -> None:
    sample, badge, switches = SWITCHED[view]
    ask = partial(rows, sample, view, **switches)
    whole, early, late, empty = (
        sum(row["badges"].get(badge) or 0 for row in found)
        for found in (ask(), ask(range="-1.1"), ask(range="1.1-"), ask(range="99-100"))
    )
    assert 0 < early < whole
    assert 0 < late < whole
    assert whole <= early + late < whole * 1.2
    assert empty == 0


def test_a_chart_of_a_range_has_the_points_in_it(opened: Callable[[str], Any]) -> None:
    view = opened("jdk25-all").view("CPU and memory")
    counts = []
    for chosen in ({}, {"range": "-1.2"}, {}):
        view.choose_all(chosen)
        nodes = list(view.tree.roots())
        assert [view.tree.row(node).node for node in nodes] == nodes
        counts.append(len(nodes))
    assert counts == [2, 1, 2]


def test_a_range_that_is_none_is_refused(coffeetree: Run) -> None:
    answer = coffeetree("tree", "--view", "Events", "--switch", "range=soon", CORPUS / "jdk25-stuck.jfr.xz")
    assert answer.status != 0
    assert "FROM-TO in seconds since the start" in answer.err


def test_an_event_outside_of_the_range_is_found_by_its_ref(coffeetree: Run) -> None:
    words = ("--view", "Events", "--switch", "range=3-4", CORPUS / "jdk25-stuck.jfr.xz", "event:jdk.JavaMonitorEnter#1")
    assert coffeetree("show", "--json", *words).json["row"]["ref"] == "event:jdk.JavaMonitorEnter#1"
