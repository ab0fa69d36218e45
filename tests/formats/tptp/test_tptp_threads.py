"""Threads of recordings, what they waited for, and their lanes, against the truth files."""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TESTS
from hypothesis import given
from hypothesis import strategies as st
from tptp_events import open_recording

from parsers.formats.tptp.calls.call_stacks import calls_at
from parsers.formats.tptp.schema.columns import NEVER
from parsers.formats.tptp.store.names import TraceNames
from parsers.formats.tptp.threads.monitors_view import TraceMonitorsView
from parsers.formats.tptp.threads.state_kinds import LANE_STATES
from parsers.formats.tptp.threads.state_rows import StateRowsView
from parsers.formats.tptp.threads.threads_view import TraceThreadsView
from parsers.formats.tptp.threads.timeline import TraceTimelineView
from parsers.model.views import Views
from parsers.views.timelines.lane_pieces import cut_into_pieces
from parsers.views.timelines.timeline_view import SECOND

CORPUS = TESTS / "corpus" / "tptp"
THREADS = [
    "agent_thread.trcxml",
    "agent_thread_big.trcxml",
    "gen_thread.trcxml",
    "gen_thread_fragment.trcxml",
    "gen_thread_jvmpi.trcxml",
    "gen_all_two_members_zip.trcxml",
    "gen_all_truncated.trcxml",
    "gen_heap_recycled_ids.trcxml",
]
TIMES = ("blocked_ns", "waited_ns", "slept_ns", "blocks", "waits", "sleeps")


class Read:
    """Fake report with the members that views need."""

    def __init__(self, path: str) -> None:
        self.recording = open_recording(path)
        self.names_of, self.is_complete = TraceNames(self.recording), self.recording.is_complete
        kinds = (TraceThreadsView, TraceTimelineView, TraceMonitorsView)
        self.views = Views({kind.name: partial(kind, self) for kind in kinds})

    @property
    def threads(self) -> TraceThreadsView:
        view = self.views[0]
        assert isinstance(view, TraceThreadsView)
        return view

    @property
    def line(self) -> TraceTimelineView:
        view = self.views[1]
        assert isinstance(view, TraceTimelineView)
        return view

    @property
    def monitors(self) -> TraceMonitorsView:
        view = self.views[2]
        assert isinstance(view, TraceMonitorsView)
        return view


@cache
def read(name: str) -> Read:
    return Read(str(CORPUS / name))


def truth(name: str) -> list[dict[str, Any]]:
    sessions: list[dict[str, Any]] = json.loads((CORPUS / f"{name.partition('.')[0]}.truth.json").read_text())[
        "sessions"
    ]
    return sessions


def labels(view: StateRowsView, depth: int) -> list[str]:
    """Labels of the rows of a depth."""
    return [view.row(node).label for node in range(view.rows.rows) if view.rows.depth(node) == depth]


@pytest.mark.parametrize("name", THREADS)
def test_threads_have_the_times_of_the_truth(name: str) -> None:
    view, sessions = read(name).threads, truth(name)
    depth = int(len(sessions) > 1)
    rows = [
        view.row(node)
        for node in range(view.rows.rows)
        if view.rows.depth(node) == depth and view.rows.place(node)[1] < 0
    ]
    told = [row for row in rows if row.kind == "thread" and row.offset is not None]

    wanted = [thread for session in sessions for thread in session["threads"]]
    assert [(row.label, row.badges["id"]) for row in told] == [(each["name"], each["id"]) for each in wanted]
    for row, each in zip(told, wanted, strict=True):
        assert {name: row.badges[name] for name in TIMES} == {name: each[name] for name in TIMES}


@pytest.mark.parametrize("name", THREADS)
def test_deadlocks_and_victims_are_those_of_the_truth(name: str) -> None:
    report = read(name)
    names, column = report.threads.facts.names, report.recording.column
    for number, session in enumerate(truth(name)):
        waiting = report.threads.facts.still_waiting(number)
        ids = [{names.id_text(column("thread_id")[each]) for each in ring.threads} for ring in waiting.graph.rings]
        victims = [names.id_text(column("thread_id")[each]) for ring in waiting.graph.rings for each in ring.victims]
        assert ids == [set(each["ids"]) for each in session["deadlocks"]]
        assert sorted(victims) == sorted(each["id"] for each in session["deadlock_victims"])
        assert len(waiting.by_thread) == len(session["still_blocked"])


def test_a_thread_that_waits_when_the_data_end_shows_it() -> None:
    view = read("agent_thread.trcxml").threads
    remarks = {row.label: view.remark(row) for row in map(view.row, range(view.rows.rows)) if row.kind == "thread"}

    assert remarks["main"] == ""
    assert remarks["Common-Cleaner"] == "still waiting when the data end, for 707.045 ms"
    assert remarks["transfer 1->2"] == "deadlocked, for 545.983 ms"
    assert remarks["victim of deadlock"] == "blocked by a deadlock, for 245.815 ms"


def test_a_state_shows_its_monitor_and_the_owner() -> None:
    view = read("agent_thread.trcxml").threads
    node = view.resolve("thread:38") + 1

    row = view.row(node)
    assert (row.kind, row.label) == (
        "waiting for lock",
        "waiting for lock Deadlock$Account #34, which transfer 1->2 has",
    )
    assert [(link.label, link.view) for link in view.links(node)] == [
        ("the time line", "Time line"),
        ("its thread", "Threads"),
        ("the monitor", "Monitors"),
        ("its owner then", "Threads"),
        ("the element in the file", "Elements"),
    ]
    told = {fact.label: fact.text for fact in view.sections(node)[0].rows}
    assert told["owner"] == "transfer 1->2, then waiting for lock Deadlock$Account #36, which transfer 2->1 has"
    assert told["to"] == "blocked by a deadlock, for 245.815 ms"


def test_the_chain_of_a_deadlock_is_spelled_out() -> None:
    view = read("agent_thread.trcxml").threads
    section = view.sections(view.resolve("thread:31"))[-1]

    assert section.title == "When the data end"
    assert [row.text for row in section.rows][1:] == [
        "transfer 1->2 waits for Deadlock$Account #36, which transfer 2->1 has",
        "transfer 2->1 waits for Deadlock$Account #34, which transfer 1->2 has",
    ]


def test_waiting_threads_are_references_to_the_owner() -> None:
    view = read("agent_thread.trcxml").threads
    found = view.references(view.resolve("thread:31"))

    assert [view.row(view.path(node)[0]).label for node in found.nodes] == ["transfer 2->1", "victim of deadlock"]


@pytest.mark.parametrize("name", THREADS)
def test_every_row_is_found_again_by_its_ref_and_key(name: str) -> None:
    report = read(name)
    for view in (report.threads, report.line, report.monitors):
        # Of the large recording every sixth row.
        for node in range(0, view.rows.rows, 1 + view.rows.rows // 400):
            row = view.row(node)
            assert node in view.resolve_all(row.ref), row
            key = view.key(node)
            found = None if key is None else view.find_key(key)
            assert key is None or (found is not None and view.key(found) == key)


def test_sessions_contain_their_threads() -> None:
    view = read("gen_all_two_members_zip.trcxml").threads
    first = view.row(0)

    assert view.root_count == 2
    assert first.kind == "session" and first.ref == "session:1"
    assert view.row(view.resolve("session:2")).label.startswith("session 2")
    assert labels(view, 1)[0] == truth("gen_all_two_members_zip.trcxml")[0]["threads"][0]["name"]


# -- monitors ---------------------------------------------------------------------------------------------------------

NUMBERS = ("contended", "blocked_ns", "longest_ns", "still_blocked", "waits", "waited_ns")


@pytest.mark.parametrize("name", THREADS)
def test_monitors_have_the_numbers_of_the_truth(name: str) -> None:
    view = read(name).monitors
    found = {}
    for node in range(view.rows.rows):
        group, leaf = view.rows.place(node)
        each = view.groups[group]
        if each.kind == "monitor" and leaf < 0:
            found[each.session, each.monitor] = {number: view.row(node).badges[number] for number in NUMBERS}

    for session, told in enumerate(truth(name)):
        assert sum(each[0] == session for each in found) == told["monitors_total"]
        for each in told["monitors"]:
            assert found[session, each["id"]] == {number: each[number] for number in NUMBERS}, each["id"]


def test_deadlocks_are_first_then_other_threads_waiting_when_the_data_end() -> None:
    view = read("agent_thread.trcxml").monitors
    rows = [view.row(node) for node in range(7)]

    assert [(row.depth, row.kind, row.label) for row in rows] == [
        (0, "deadlock", "deadlock of 2 threads: transfer 1->2 → transfer 2->1 → transfer 1->2"),
        (1, "waiting for lock", "transfer 1->2: waiting for lock Deadlock$Account #36, which transfer 2->1 has"),
        (1, "waiting for lock", "transfer 2->1: waiting for lock Deadlock$Account #34, which transfer 1->2 has"),
        (1, "group", "1 thread also blocked"),
        (2, "waiting for lock", "victim of deadlock: waiting for lock Deadlock$Account #34, which transfer 1->2 has"),
        (0, "group", "1 thread waits for an object when the data end"),
        (
            1,
            "waiting for object",
            "Common-Cleaner: waiting for object java.lang.ref.ReferenceQueue$Lock #7, for at most 60,000 ms",
        ),
    ]
    assert [row.text for row in view.sections(0)[0].rows] == [
        "transfer 1->2 waits for Deadlock$Account #36, which transfer 2->1 has",
        "transfer 2->1 waits for Deadlock$Account #34, which transfer 1->2 has",
        "victim of deadlock waits for Deadlock$Account #34, which transfer 1->2 has",
    ]


def test_by_class_monitors_are_listed_below_their_classes() -> None:
    view = Read(str(CORPUS / "agent_thread.trcxml")).monitors
    view.choose("by", "class")
    row = view.row(view.resolve("class:Deadlock$Account"))

    assert (row.kind, row.badges["monitors"], row.badges["still_blocked"], row.badges["threads"]) == ("class", 2, 3, 3)
    below = [view.row(node).label for node in view.tree.children(row.node)]
    assert below == ["Deadlock$Account #34", "Deadlock$Account #36"]


def test_a_monitor_shows_owners_and_waiting_threads() -> None:
    view = read("agent_thread.trcxml").monitors
    sections = {section.title: section.rows for section in view.sections(view.resolve("monitor:28"))}

    assert (sections["Owned while others waited"][0].label, sections["Owned while others waited"][0].text) == (
        "hot-lock worker 4",
        "8.330 ms, 3 ×",
    )
    assert sections["Longest"][0].text == "6.052 ms"


BLOCKED = """<threadStart threadId="1" time="1.000000000" threadName="a" groupName="g" parentName="" objIdRef="0"/>
<threadStart threadId="2" time="1.000000000" threadName="b" groupName="g" parentName="" objIdRef="0"/>
<monContendedEnter threadIdRef="1" objIdRef="10" time="2.000000000"{}/>
<monContendedEnter threadIdRef="2" objIdRef="11" time="3.000000000"{}/>
"""


@pytest.mark.parametrize(
    ("owners", "labels_at_top"),
    [
        (('threadOwner="2"', 'threadOwner="1"'), ["deadlock of 2 threads: a → b → a"]),
        (('threadOwner="2"', ""), [
            "1 thread waits for a lock when the data end, in no ring",
            "1 thread waits for a lock when the data end, whose owner is not recorded: no conclusion is possible",
        ]),
        (('threadOwner="1"', 'threadOwner="7"'), ["2 threads wait for a lock when the data end, in no ring"]),
    ],
)  # fmt: skip
def test_only_a_ring_is_called_a_deadlock(tmp_path: Path, owners: tuple[str, str], labels_at_top: list[str]) -> None:
    path = tmp_path / "a.trcxml"
    path.write_text("<TRACE>\n" + BLOCKED.format(*(f" {owner}" if owner else "" for owner in owners)))
    view = Read(str(path)).monitors

    assert [view.row(node).label for node in view.tree.roots() if view.row(node).kind != "monitor"] == labels_at_top


# -- lanes ------------------------------------------------------------------------------------------------------------


def drawn(view: TraceTimelineView, node: int, cells: int) -> str:
    """The state of a lane at moments an equal time apart: its letter, `-` for running."""
    line = view.time_line(node)
    pieces = line.pieces(view.lane_of(node))
    found = ""
    for moment in np.linspace(0, line.length - 1, cells).astype(np.int64).tolist():
        piece = pieces.at(moment)
        state = LANE_STATES[0 if piece < 0 else int(pieces.states[piece])]
        found += " " if state.tone == "none" else state.letter or "-"
    return found


def test_lanes_show_what_threads_are_in() -> None:
    view = read("agent_thread.trcxml").line
    lanes = {
        name: drawn(view, view.resolve(f"name:{name}"), 40) for name in ("main", "Common-Cleaner", "transfer 1->2")
    }

    assert lanes == {
        "main": "    --WWWWWWW-------------------------- ",
        "Common-Cleaner": "     " + "W" * 35,
        "transfer 1->2": " " * 13 + "D" * 27,
    }


def test_collections_have_a_lane_of_their_own() -> None:
    view = read("gen_all_aliases.trcxml").line

    assert view.row(0).label == "Collections"
    count = len(truth("gen_all_aliases.trcxml")[0]["heap"]["collections"])
    assert view.rows.leaves(0) == count
    pieces = view.time_line(0).pieces(0)
    assert [LANE_STATES[state].name for state in sorted(set(pieces.states.tolist()))] == ["nothing", "collection"]


def test_a_pause_of_the_recording_is_a_gap() -> None:
    view = read("gen_all_unknown_undefined.trcxml").line
    line = view.time_line(0)
    assert line.pauses is not None
    start, *_ = line.pauses.starts[line.pauses.states > 0].tolist()

    node = view.resolve(f"moment:{line.first // SECOND}.{(line.first + start) % SECOND:09}")
    assert view.sections(node)[0].rows[0].text == "the recording was paused: nothing is known of what happened"


def test_allocations_of_a_thread_are_counted_by_class() -> None:
    report = read("gen_heap_dump.trcxml")
    view, column = report.threads, report.recording.column
    thread = next(row for row in range(report.recording.rows("thread")) if column("thread_allocations")[row])
    told = view.facts.allocated(thread)
    assert sum(each.objects for each in told) == column("thread_allocations")[thread]
    assert [each.bytes for each in told] == sorted((each.bytes for each in told), reverse=True)


def test_why_of_a_waiting_thread_shows_the_chain_of_owners() -> None:
    view = read("agent_thread.trcxml").threads
    way = view.why(view.resolve("thread:38"))
    assert way.title == "who keeps victim of deadlock waiting"
    assert [view.row(node).label for node in way.nodes] == [
        "transfer 2->1",
        "waiting for lock Deadlock$Account #34, which transfer 1->2 has",
        "transfer 1->2",
        "waiting for lock Deadlock$Account #36, which transfer 2->1 has",
        "victim of deadlock",
        "waiting for lock Deadlock$Account #34, which transfer 1->2 has",
    ]
    # One that waits for nothing has no such chain.
    ended = view.resolve("thread:2")
    assert list(view.why(ended).nodes) == [ended]


def test_why_a_lane_waits_is_about_the_moment() -> None:
    view = read("agent_thread.trcxml").line
    before = view.resolve("moment:0.2495/thread:31")
    assert [view.row(node).label for node in view.why(before).nodes][-2:] == [
        "transfer 1->2",
        "waiting for lock Deadlock$Account #36, which transfer 2->1 has",
    ]
    running = view.resolve("moment:0.249/thread:31")
    assert list(view.why(running).nodes) == [running]


def test_a_moment_is_a_ref() -> None:
    view = read("agent_thread.trcxml").line
    node = view.resolve("moment:1795233140.700000/thread:38")

    assert view.row(node).label == "victim of deadlock"
    assert view.moment == 265_785_000
    assert view.sections(node)[0].title == "At 0.265785 s"


def test_the_side_pane_shows_what_every_thread_does_at_a_moment() -> None:
    view = read("agent_thread.trcxml").line
    node = view.resolve("moment:1795233141.1/thread:31")
    sections = {section.title: section for section in view.sections(node)}

    rows = [(row.label, row.text) for row in sections["All threads then"].rows]
    assert rows[:3] == [
        ("transfer 1->2", "deadlocked: lock Deadlock$Account #36: transfer 2->1 has it"),
        ("transfer 2->1", "deadlocked: lock Deadlock$Account #34: transfer 1->2 has it"),
        ("victim of deadlock", "lock Deadlock$Account #34: transfer 1->2 has it"),
    ]
    assert rows[-1] == ("", "9 others have not started or have ended")


def test_a_thread_of_which_only_calls_were_recorded_is_in_one_or_in_none() -> None:
    view = read("gen_exec.trcxml").line

    def does(moment: str) -> str:
        return view.sections(view.resolve(f"moment:{moment}/thread:103"))[0].rows[0].text

    assert does("0.06") == "in Rules.eval"
    assert does("0.02045") == "in no recorded call"


def test_calls_at_a_moment_are_shown_if_they_were_recorded() -> None:
    report = read("gen_all_two_members_zip.trcxml")
    column = report.recording.column
    call = next(
        row
        for row in range(report.recording.rows("call"))
        if column("call_depth")[row] > 2 and column("call_end")[row] > 0
    )
    stack = calls_at(report.recording, int(column("call_thread")[call]), int(column("call_start")[call]))

    assert call in stack
    parents = [int(column("call_parent")[each]) for each in stack[:-1]]
    assert parents == stack[1:]


REACHES = st.lists(st.tuples(st.integers(-2, 22), st.integers(-2, 22), st.integers(2, 4)), max_size=8)


@given(REACHES, st.integers(0, 10), st.integers(0, 20))
def test_lanes_are_in_the_state_that_began_last_as_long_as_that_lasts(
    reaches: list[tuple[int, int, int]], begin: int, length: int
) -> None:
    end = begin + length
    starts, ends, states = (np.array([each[place] for each in reaches], np.int64) for place in range(3))
    pieces = cut_into_pieces(starts, ends, states, np.arange(len(reaches)) + 1, begin, (1, 0), end)

    assert (np.diff(pieces.starts) > 0).all()
    latest, told = begin, []
    for start, stop, state in reaches:
        latest = min(max(latest, start), end)
        told.append((latest, stop, state))
    for moment in range(begin, end):
        found = int(pieces.states[pieces.at(moment)])
        begun = [each for each in told if each[0] <= moment]
        # Of the begun calls the last two count: their callees are not searched.
        going = [state for start, stop, state in reversed(begun[-2:]) if moment < stop and start <= moment]
        assert found == (going[0] if going else 1)


THREE = (
    "<TRACE>"
    + "".join(
        f'<threadStart threadId="{id}" time="1.000000000" threadName="{name}" groupName="g" parentName=""/>'
        for id, name in enumerate("abcde", 1)
    )
    + "".join(
        f'<monContendedEnter threadIdRef="{thread}" objIdRef="{owner}" time="{at}.000000000" threadOwner="{owner}"/>'
        for at, (thread, owner) in enumerate(((1, 2), (4, 1), (2, 3), (5, 4), (3, 1)), 2)
    )
    + '<threadEnd threadIdRef="9" time="20.000000000"/>'
)
"""a waits for b, b for c, c for a; d waits for a, and e for d."""


def test_a_ring_may_have_three_members_and_victims_may_wait_for_victims(tmp_path: Path) -> None:
    path = tmp_path / "a.trcxml"
    path.write_text(THREE)
    report = Read(str(path))
    labels = [report.monitors.row(node).label for node in range(7)]

    assert labels[0] == "deadlock of 3 threads: a → b → c → a"
    assert [label.partition(":")[0] for label in labels[1:4]] == ["a", "b", "c"]
    assert labels[4] == "2 threads also blocked"
    assert [label.partition(":")[0] for label in labels[5:7]] == ["d", "e"]


def test_threads_of_a_ring_are_deadlocked_from_the_moment_on_at_which_it_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.trcxml"
    path.write_text(THREE)
    view = Read(str(path)).line

    assert drawn(view, view.resolve("name:a"), 20) == "-LLLLDDDDDDDDDDDDDDD"
    assert drawn(view, view.resolve("name:c"), 20) == "-----DDDDDDDDDDDDDDD"
    assert drawn(view, view.resolve("name:d"), 20) == "--LLLLLLLLLLLLLLLLLL"


def test_states_below_a_thread_are_sorted_by_how_long_they_lasted() -> None:
    view = read("agent_thread.trcxml").threads
    times = [view.row(node).badges["time_ns"] for node in view.tree.children(view.resolve("thread:16"), "time_ns")]

    assert times == [6_052_000, 149_000, 138_000, 1_000]
    for order in view.orders:
        assert sorted(view.tree.children(view.resolve("thread:16"), order)) == list(
            view.tree.children(view.resolve("thread:16"))
        )


@pytest.mark.parametrize("name", ["gen_exec_jvmpi_as_recorded.trcxml", "gen_all_two_members_zip.trcxml"])
def test_stacks_are_those_of_looking_at_every_call(name: str) -> None:
    report = read(name)
    column = report.recording.column
    for thread in range(report.recording.rows("thread")):
        first = column("thread_first_call")
        calls = list(column("call_of_thread")[first[thread] : first[thread + 1]])
        for moment in sorted({column("call_start")[call] for call in calls[::7]}):
            ends = {call: column("call_end")[call] for call in calls}
            begun = [call for call in calls if column("call_start")[call] <= moment]
            running = [call for call in begun if ends[call] == NEVER or moment < ends[call]]
            stack = calls_at(report.recording, thread, moment)
            assert all(ends[call] == NEVER or moment < ends[call] for call in stack)
            assert not running or running[-1] in stack, (thread, moment)


def test_many_monitors_are_ranked_before_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.formats.tptp.threads.monitors_view.MANY", 1)
    view = Read(str(CORPUS / "agent_thread.trcxml")).monitors

    preparation = view.preparation()
    assert preparation is not None
    assert (view.is_ready, view.waits_for) == (False, "grouping what was waited for")
    preparation.run()
    assert preparation.finish()
    assert view.is_ready and view.preparation() is None
    assert view.row(0).kind == "deadlock"
