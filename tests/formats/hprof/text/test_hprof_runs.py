"""Runs of records of HPROF text are read at once, with the result of reading them line by line."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from counted_work import Work
from examples import more_examples
from hypothesis import example, given
from hypothesis import strategies as st

from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.text.plain_text import PlainText
from parsers.formats.hprof.text.runs import Runs

HEADER = b"JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\n--------\n"
RANK_TITLE = b"rank   self  accum   count trace method"
SITE_TITLES = (
    b"          percent          live          alloc'ed  stack class",
    b" rank   self  accum     bytes objs     bytes  objs trace name",
)
NAMES = [b"a.B.m", b"La/B; (Java)", b"a b (c)", b"", b"x" * 500, b"\xff\r", b"_ unowned"]
NUMBERS = [b"1", b"300001", b"4294967299", b"99999999999999999999"]
COUNTS = [*NUMBERS, b"-7", b"99999999999999999999999"]
SHARES = [b"20.00%", b"-1.50%", b"20%"]
name, number, count, share = (st.sampled_from(each) for each in (NAMES, NUMBERS, COUNTS, SHARES))
rank_row = st.builds(b"   %b %b %b    %b %b %b".__mod__, st.tuples(number, share, share, count, number, name))
site_row = st.builds(
    b" %b %b  %b %b %b %b %b %b %b".__mod__,
    st.tuples(number, share, share, count, count, count, count, number, name),
)
monitor_line = st.one_of(
    st.builds(b"    THREAD %b, trace %b, status: %b".__mod__, st.tuples(number, number, name)),
    st.builds(b"    %bMONITOR %b%b".__mod__, st.tuples(st.sampled_from([b"", b"RAW "]), name, name)),
    st.builds(b"\towner: thread %b, entry count: %b".__mod__, st.tuples(number, count)),
    st.builds(b"\twaiting to %b: thread %b".__mod__, st.tuples(st.sampled_from([b"enter", b"be notified"]), number)),
    st.sampled_from([b"    MONITOR  unowned", b"\towner: <unknown thread>, entry count: 1", b"\twaiting to enter:"]),
)
object_line = st.one_of(
    st.builds(b"OBJ %b (sz=%b, trace=%b, class=%b)".__mod__, st.tuples(number, number, number, name)),
    st.sampled_from([b"\tfield\t1", b"ROOT 1 (kind=<unknown>)"]),
)
thread = st.one_of(
    st.builds(b'THREAD START (obj=5000%b, id = %b, name="%b", group="m")'.__mod__, st.tuples(number, number, name)),
    st.builds(b"THREAD END (id = %b)".__mod__, st.tuples(number)),
)
printed = st.sampled_from(
    [b"", b" (total = 5)", b" (total = -9) Sat Nov 21", b" Sat", b" (3 samples, 4 ticks, x) S", b" (("]
)


def section(
    begin: bytes, title: list[bytes], row: st.SearchStrategy[bytes], end: bytes
) -> st.SearchStrategy[list[bytes]]:
    """Sections with and without titles, rows, ends and foreign lines."""
    parts = (
        printed.map(lambda text: [begin + text]),
        st.sampled_from([title, [], title[:1]]),
        st.lists(row, max_size=5),
        st.sampled_from([[end], [end], [], [b"foreign", end]]),
    )
    return st.tuples(*parts).map(lambda found: [line for part in found for line in part])


PARTS = st.one_of(
    section(b"CPU SAMPLES BEGIN", [RANK_TITLE], rank_row, b"CPU SAMPLES END"),
    section(b"CPU TIME (ms) BEGIN", [RANK_TITLE], rank_row, b"CPU TIMES (ms) END"),
    section(b"MONITOR TIME BEGIN", [b"rank   self  accum   count trace monitor"], rank_row, b"MONITOR TIME END"),
    section(b"SITES BEGIN", list(SITE_TITLES), site_row, b"SITES END"),
    section(b"MONITOR DUMP BEGIN", [], monitor_line, b"MONITOR DUMP END"),
    section(b"HEAP DUMP BEGIN", [], object_line, b"HEAP DUMP END"),
    st.lists(thread, min_size=1, max_size=5),
    st.sampled_from([[b""], [b"TRACE 300001:", b"\ta.B.m(B.java:1)"], [b"HEAP DUMP BEGIN (", b"HEAP DUMP END"]]),
)


def read(data: bytes) -> dict[str, Any]:
    """Everything that is read of a file by plain code."""
    text = PlainText(ProfileTables())
    text.read(lambda count, offset: data[offset : offset + count], len(data))
    tables = text.tables
    texts = {name: table.texts for name, table in tables.texts.items()}
    columns = {name: list(column) for name, column in tables.columns.items()}
    problems = sorted(zip(*(columns.pop(f"problem_{part}") for part in ("kind", "offset", "value")), strict=True))
    return {**columns, "problems": problems, **texts, **text.facts}


def read_line_by_line(data: bytes) -> dict[str, Any]:
    nothing = mock.patch.multiple(
        Runs,
        read_rows=lambda self, kind, data, at, base: at,
        read_sections=lambda self, data, at, base: at,
        read_threads=lambda self, data, at, base: at,
    )
    with nothing:
        return read(data)


@given(st.lists(PARTS, max_size=12), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
@example([[b"CPU SAMPLES BEGIN", b"   1 20.00% 20.00%       1 300001 a.B.m", b"CPU SAMPLES END"]] * 3, b"\n", True)
@example([[b"HEAP DUMP BEGIN", b"OBJ 1 (sz=8, trace=1, class=A@1)"], [b"SITES BEGIN", b"SITES END"]] * 3, b"\n", True)
@more_examples(3)
def test_runs_are_read_as_line_by_line(parts: list[list[bytes]], end: bytes, is_whole: bool) -> None:
    data = HEADER + b"".join(line + end for part in parts for line in part)
    data = data if is_whole else data[:-3]
    with mock.patch("parsers.formats.hprof.text.runs.MOST_HEAP_DUMPS", 1):
        assert read(data) == read_line_by_line(data)


ROW = "   1 20.00% 20.00%       1 300001 a.B.m\n"
RUNS = {
    "rows": ["CPU SAMPLES BEGIN (total = 5) x\n", ROW],
    "sections of samples": ["", f"CPU SAMPLES BEGIN (total = 5) x\n{RANK_TITLE.decode()}\n{ROW}CPU SAMPLES END\n"],
    "sections of times": ["", f"CPU TIME (ms) BEGIN (total = 5) x\n{RANK_TITLE.decode()}\n{ROW}CPU TIME (ms) END\n"],
    "sections of sites": [
        "",
        "SITES BEGIN (x) y\n" + "".join(f"{title.decode()}\n" for title in SITE_TITLES) + "SITES END\n",
    ],
    "monitor dumps": [
        "",
        "MONITOR DUMP BEGIN\n    MONITOR La/B;\n\towner: thread 1, entry count: 1\nMONITOR DUMP END\n",
    ],
    "heap dumps": [
        "HEAP DUMP BEGIN\nHEAP DUMP END\n" * 100,
        "HEAP DUMP BEGIN (1 objects) x\nOBJ 1 (sz=8, trace=1, class=A@1)\nHEAP DUMP END\n",
    ],
    "heap dumps and sites": [
        "HEAP DUMP BEGIN\nHEAP DUMP END\n" * 100,
        "HEAP DUMP BEGIN (1 objects) x\nOBJ 1 (sz=8, trace=1, class=A@1)\nSITES BEGIN (x) y\nSITES END\n",
    ],
    "threads": ["", 'THREAD START (obj=5, id = 1, name="a", group="m")\nTHREAD END (id = 1)\n'],
}


@pytest.mark.parametrize("kind", RUNS)
def test_runs_are_less_than_half_the_work_of_their_lines(kind: str) -> None:
    before, line = (text.encode() for text in RUNS[kind])
    data = HEADER + before + line * 1000
    done = []
    for reading in (read, read_line_by_line):
        with Work() as work:
            reading(data)
        done.append(work.done)
    assert done[0] < done[1] / 2
