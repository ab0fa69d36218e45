"""The view "Monitors": dumps and their deadlocks, contention, waits."""

from __future__ import annotations

import lzma
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from conftest import TESTS
from hypothesis import given
from hypothesis import strategies as st
from text_samples import read_plainly

from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.monitors.view import HprofMonitorsView
from parsers.formats.hprof.monitors.waits import NO_END, pair_waits
from parsers.model.none import NONE
from parsers.model.trees.tree import walk

HEAD = "JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\n--------\n\n"
SAMPLES = TESTS / "corpus" / "hprof" / "text"


class Text:
    """A file in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def pread(self, count: int, offset: int) -> bytes:
        return self.data[offset : offset + count]


def recorded(data: bytes) -> ProfileRecording:
    recording = ProfileRecording(Text(data))
    read_plainly(recording, len(data))
    return recording


def view_of(text: str | bytes) -> Any:
    data = text if isinstance(text, bytes) else (HEAD + text).encode()
    report: Any = SimpleNamespace(recording=recorded(data))
    return HprofMonitorsView(report)


def sample(name: str) -> bytes:
    return lzma.decompress((SAMPLES / f"{name}.txt.xz").read_bytes())


def drawn(view: Any) -> list[str]:
    lines = []
    for node, level in walk(view.tree):
        row = view.tree.row(node)
        remark = view.remark(row)
        lines.append("  " * level + row.label + (f" ({remark})" if remark else ""))
    return lines


def test_a_deadlock_lists_its_chain_and_its_victims_separately():
    view = view_of(sample("deadlock-quit"))
    assert drawn(view)[:6] == [
        "deadlock: left → right → left (in dump 1 and 2)",
        "  left: waits for int[], which right owns",
        "  right: waits for java.lang.StringBuilder, which left owns",
        "  victims: 1 thread behind it",
        "    bystander: waits for java.lang.StringBuilder, which left owns",
        "monitor dump 1 of 2 (1 deadlock, 2 monitors, 6 threads)",
    ]
    chain, left, right, victims = view.sections(0)
    assert [row.text for row in chain.rows][:2] == [
        "waits for int[], which right owns", "waits for java.lang.StringBuilder, which left owns"
    ]  # fmt: skip
    assert left.title == "Stack of left"
    assert [row.text for row in left.rows][:2] == ["300092", "DeadlockedThreads.both(DeadlockedThreads.java:12)"]
    assert [row.text for row in victims.rows] == ["bystander"]
    assert right.title == "Stack of right"


def test_equal_blocks_are_one_monitor():
    block = (
        "    MONITOR [I\n\towner: thread 1, entry count: 2\n\twaiting to enter: thread 2\n\twaiting to be notified: \n"
    )
    view = view_of("MONITOR DUMP BEGIN\n" + block + block + "MONITOR DUMP END\n")
    assert drawn(view) == [
        "monitor dump 1 (1 monitor, 0 threads)",
        "  monitors",
        "    int[] (owned by thread 1)",
        "      thread 1: owns it, entered 2 times",
        "      thread 2: waits to enter",
    ]


def test_times_of_contention_are_what_the_file_means_and_not_what_it_prints():
    view = view_of(
        "TRACE 300001:\n\ta.A.lock(A.java:1)\n"
        "MONITOR TIME BEGIN (total = 2 ms) Sat Nov 21 04:12:11 2026\n"
        "rank   self  accum   count trace monitor\n"
        "   1 75.00% 75.00%     343 300001 java.lang.Object (Java)\n"
        "   2 25.00% 100.00%     171 300001 int[] (Java)\n"
        "MONITOR TIME END\n"
    )
    assert drawn(view) == [
        "contention, Sat Nov 21 04:12:11 2026 (ms are estimated: the file rounds to millions)",
        "  java.lang.Object",
        "    a.A.lock",
        "  int[]",
        "    a.A.lock",
    ]
    assert view.tree.row(1).badges == {"share": 75.0, "times": 343, "ms": 1_500_000}
    (meaning,) = view.sections(0)
    assert [row.text for row in meaning.rows][:2] == ["total = 2 ms", "2,000,000 to 3,000,000 ms"]


def test_totals_of_the_agent_before_jdk_5_are_right_as_they_are():
    view = view_of(
        "TRACE 7:\n\ta.A.lock(A.java:1)\n"
        "MONITOR TIME BEGIN (total = 200 ms) Sat Nov 21 04:12:11 2026\n"
        "rank   self  accum   count trace monitor\n"
        "   1 75.00% 75.00%     343     7 java.lang.Object (Java)\n"
        "MONITOR TIME END\n"
    )
    assert view.tree.row(1).badges["ms"] == 150


def test_waits_are_listed_by_monitor_and_thread():
    view = view_of(
        "WAIT: MONITOR Ljava/util/LinkedList;, timeout=50, thread 7\n"
        "WAIT: MONITOR [I, timeout=0, thread 8\n"
        "WAITED: MONITOR Ljava/util/LinkedList;, time_waited=6, thread 7\n"
    )
    assert drawn(view) == [
        "waits (1 wait without an end in the file)",
        "  java.util.LinkedList",
        "    thread 7",
        "      asked for at most 50 ms",
        "  int[]",
        "    thread 8",
        "      asked for ever; no end in the file",
    ]
    assert view.tree.row(view.resolve("thread:7")).badges == {"ms": 6, "times": 1, "thread": "7"}


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["WAIT", "WAITED"]), st.sampled_from(["[I", "La/B;"]), st.integers(1, 3), st.integers(0, 9)
    )
)


@given(EVENTS)
def test_a_wait_ends_with_the_next_line_of_its_thread_and_monitor(events: list[tuple[str, str, int, int]]) -> None:
    lines = [
        f"{kind}: MONITOR {monitor}, {'timeout' if kind == 'WAIT' else 'time_waited'}={ms}, thread {thread}\n"
        for kind, monitor, thread, ms in events
    ]
    waits = pair_waits(recorded((HEAD + "".join(lines)).encode()))
    open_waits: dict[int, tuple[int, str]] = {}
    expected = []
    for row, (kind, monitor, thread, ms) in enumerate(events):
        before = open_waits.pop(thread, None)
        if kind == "WAIT":
            if before is not None:
                expected.append((before[0], before[0], NO_END))
            open_waits[thread] = row, monitor
        elif before is not None and before[1] == monitor:
            expected.append((row, before[0], ms))
        else:
            if before is not None:
                expected.append((before[0], before[0], NO_END))
            expected.append((row, NONE, ms))
    expected += [(row, row, NO_END) for row, _ in open_waits.values()]
    found = zip(waits.row.tolist(), waits.start.tolist(), waits.millis.tolist(), strict=True)
    assert sorted(found) == sorted(expected)
    assert waits.sums.sum() == sum(max(ms, 0) for _, _, ms in expected)
    assert waits.first[-1] == len(expected)


def test_every_row_of_a_sample_is_found_again():
    view = view_of(sample("quit-monitors"))
    for node in range(0, view.row_count, 7):
        row = view.tree.row(node)
        assert view.resolve(row.ref) == node
        assert view.sections(node)
        key = view.key(node)
        assert key is None or view.find_key(key) is not None


ids = st.integers(1, 3)
a_monitor = st.builds(
    "    MONITOR {}\n\towner: thread {}, entry count: 1\n{}".format,
    st.sampled_from(["La/A;", "La/B;", "La/A; unowned"]),
    ids,
    st.sampled_from(["", "\twaiting to enter: thread 1\n", "\twaiting to be notified: thread 2, thread 3\n"]),
)
a_thread = st.builds("    THREAD {}, trace 1, status: {}\n".format, ids, st.sampled_from(["R", "S|MW", "CW", "X", "Y"]))
a_dump = st.tuples(st.lists(a_thread, max_size=4), st.lists(a_monitor, max_size=4)).map(
    lambda parts: "MONITOR DUMP BEGIN\n" + "".join(line for part in parts for line in part) + "MONITOR DUMP END\n"
)


@given(st.lists(a_dump, max_size=4))
def test_rows_that_are_counted_by_columns_are_those_that_are_made(dumps: list[str]) -> None:
    groups = view_of("".join(dumps)).groups
    made = [*groups]
    assert groups.depths == [group.depth for group in made]
    assert groups.leaves == [len(group.leaves) for group in made]
    for number, group in enumerate(made):
        assert group.block < 0 or groups.of_block(group.dump.number, group.block) == number


def test_counting_the_rows_of_dumps_makes_none_of_them() -> None:
    view = view_of("MONITOR DUMP BEGIN\n    MONITOR La/A;\n    THREAD 1, trace 1, status: R\nMONITOR DUMP END\n" * 9)
    with patch("parsers.formats.hprof.monitors.dumps.MonitorDump", side_effect=AssertionError):
        assert view.row_count == 9 * 6
    assert [row.split(":")[0] for row in drawn(view)[:2]] == ["monitor dump 1 of 9 (1 monitor, 1 thread)", "  monitors"]
