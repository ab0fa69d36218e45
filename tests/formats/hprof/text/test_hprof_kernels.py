"""Kernels that read HPROF text are what plain code is: on samples, on what is cut and changed, whatever the chunks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random
from typing import Any

import numba
import numpy as np
import pytest
from conftest import TESTS, plain_bytes
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st
from text_samples import sample_of

from parsers.formats.hprof.data.columns import COLUMNS, KEPT_PROBLEMS, MANY_DUMPS, REPEATED_TRACE, TEXT_TABLES
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.text.build import KernelText
from parsers.formats.hprof.text.kernel import NO_NUMBER, eight_digits
from parsers.formats.hprof.text.plain_text import PlainText
from parsers.formats.hprof.text.runs import MOST_HEAP_DUMPS
from parsers.heapdump.graph.columns import HEAP_DUMP
from parsers.index.bitpacked.columns import numbers
from parsers.index.writer import Writer
from parsers.io.source import Identity
from parsers.kernels.jit import compiled_part

CORPUS = TESTS / "corpus" / "hprof" / "text"
NAMES = sorted(path.name for path in CORPUS.glob("*.xz"))
SMALL = [name for name in NAMES if (CORPUS / name).stat().st_size < 30_000]
LINES = [
    b"JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026",
    b"--------",
    b"",
    b"TRACE 300001:",
    b"TRACE 300001: (thread=200001)",
    b"TRACE 4294967299: (from live phase of JVM)",
    b"\ta.B.m(B.java:1)",
    b"\ta.B.<init>(<Unknown Source>:Unknown line)",
    b"\t<empty>",
    b"\t(.m()",
    b"\ta b.c(d e",
    b"HEAP DUMP BEGIN (1 objects, 8 bytes) Sat Nov 21 02:26:20 2026",
    b"HEAP DUMP END",
    b"OBJ 50000001 (sz=16, trace=300001, class=a.B@50000009)",
    b"OBJ 50000001 (sz=16, trace=300002, class=a.B@50000009)HEAP DUMP END",
    b"OBJ ffffffffffffffff (sz=99999999999, trace=300001, class=)",
    b"ARR 50000002 (sz=24, trace=300001, nelems=2, elem type=a.B[]@5000000a)",
    b"ARR 50000003 (sz=24, trace=7, nelems=4, elem type=char[])",
    b"ARR 50000003 (sz=24, trace=7, nelems=4, elem type=@12345678901234567)",
    b"CLS 50000009 (name=a.B, trace=300000)",
    b"ROOT 50000001 (kind=<thread>, id=200001, trace=300001)",
    b"ROOT 0 (kind=<system class>, name=a.B)",
    b"\tsuper\t\t50000009",
    b"\tloader\t\t50000001",
    b"\tstatic one\t50000002",
    b"\tconstant pool entry 7\t50000003",
    b"\tconstant[7]\t50000003",
    b"\t[0]\t\t50000001",
    b"\t[123456789012]\t50000001",
    b"\tname\t\t50000002",
    b"\t\t\t50000002",
    b"\ta\tb\t50000002",
    b"\tname\t\t1234567890123456",
    b'THREAD START (obj=50000001, id = 200001, name="main", group="main")',
    b'THREAD START (obj=50000001, id = 200002, name="ma',
    b'in", group="a")',
    b"THREAD END (id = 200001)",
    b"CPU SAMPLES BEGIN (total = 5) Sat Nov 21 02:26:20 2026",
    b"rank   self  accum   count trace method",
    b"   1 20.00% 20.00%       1 300001 a.B.m",
    b"CPU SAMPLES END",
    b"CPU SAMPLES BEGIN (1703 samples, 1712 ticks, depth 1) Sat Nov 21 02:26:20 2026",
    b"rank   self  accum   method",
    b"   1 14.84% 14.84%   java/lang/String.getChars (II[CI)V",
    b"TRACE 300001:   1 14.84% 14.84%   a/B.m ()V",
    b"\t" + 300 * b"abcdefg " + b".m(B.java:1)",
    b"OBJ 50000004 (sz=16, trace=300001, class=" + 1100 * b"x" + b"@50000009)",
    b"   1 20.00% 20.00%       1 300001 " + 1100 * b"y",
    b"CPU SAMPLES BEGIN (total = 99999999999999999999999) Sat",
    b"   1 20.00% 20.00% " + 5000 * b"9" + b" 300001 a.B.m",
    b"   1 20.00% 20.00%       99999999999999999999 99999999999999999999 a.B.m",
    b"MONITOR DUMP BEGIN",
    b"    THREAD 200001, trace 300001, status: MW",
    b"    MONITOR La/B;",
    b"\towner: thread 99999999999999, entry count: 99999999999999999999",
    b"\twaiting to enter:" + 200 * b" thread 200001,",
    b"WAIT: MONITOR La/B;, timeout=50, thread 200001",
    b"SITES BEGIN (ordered by live bytes) Sat Nov 21 02:26:20 2026",
    b"    1  9.73%  9.73%   1200000 50000   1200000 50000 300001 java.lang.Long",
    b"\xff\xfe \x00",
]


def plain(data: bytes) -> PlainText:
    text = PlainText(ProfileTables())
    text.read(lambda count, offset: data[offset : offset + count], len(data))
    return text


def compiled(data: bytes, writer: Writer, folder: Path, chunk: int) -> KernelText:
    path = folder / "file"
    path.write_bytes(data)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        reading = KernelText(writer, descriptor, len(data), chunk)
        reading.read()
    finally:
        os.close(descriptor)
    return reading


def differences(data: bytes, folder: Path, chunk: int = 65_536, text: PlainText | None = None) -> list[Any]:
    """Names of the columns and texts in which both differ. text: what plain code has read, if it has"""
    writer = Writer(str(folder), "x", Identity(0, 0, 0, 0, ""))
    try:
        return _differences(text or plain(data), compiled(data, writer, folder, chunk))
    finally:
        writer.abandon()


def _differences(text: PlainText, reading: KernelText) -> list[Any]:
    tables = reading.tables
    found: list[Any] = [
        name
        for name in COLUMNS
        if not np.array_equal(numbers(tables.column(name)), np.array(text.tables.columns[name]))
    ]
    found += [table for table in TEXT_TABLES if list(tables.texts[table].texts) != text.tables.texts[table].texts]
    if reading.text.facts != text.facts:
        found.append((reading.text.facts, text.facts))
    return found if reading.text.lines == text.lines else [*found, "lines"]


def unpacked(name: str) -> bytes:
    return plain_bytes(CORPUS / name)


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_read_alike(name: str, tmp_path: Path) -> None:
    _, text = sample_of(f"text/{name.removesuffix('.xz')}")
    assert differences(unpacked(name), tmp_path, 2 << 20, text) == []


@pytest.mark.parametrize("seed", range(30))
def test_cut_and_changed_samples_are_read_alike(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    data = bytearray(unpacked(random.choice(NAMES)))
    start = random.randrange(max(len(data) - 400_000, 1))
    piece = data[start : start + random.randrange(1, 400_000)] if seed % 2 else data[:400_000]
    for _ in range(random.randrange(200)):
        place = random.randrange(len(piece))
        piece[place] = random.choice(b"\n\t (),.:@[]0aOAT\xff") if seed % 3 else random.randrange(256)
    if seed % 5 == 0:
        del piece[random.randrange(len(piece)) :]
    assert differences(bytes(piece), tmp_path) == []


@given(st.lists(st.sampled_from(LINES), max_size=40), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
@more_examples(3)
def test_lines_in_any_order_are_read_alike(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bytes, is_whole: bool
) -> None:
    data = LINES[0] + end + end + LINES[1] + end + b"".join(line + end for line in lines)
    assert differences(data if is_whole else data[:-3], tmp_path_factory.mktemp("any")) == []


def test_a_list_of_waiting_threads_may_be_longer_than_any_window(tmp_path: Path) -> None:
    waiters = b" thread 200001," * 30_000
    data = LINES[0] + b"\n\n--------\n\nMONITOR DUMP BEGIN\n    MONITOR La/B;\n\twaiting to enter:" + waiters + b"\n"
    assert differences(data + b"MONITOR DUMP END\n", tmp_path) == []
    assert plain(data).tables.length("waiter") == 30_000


def test_ibms_samples_between_records_that_kernels_read_are_read_alike(tmp_path: Path) -> None:
    begin, title, row = LINES[LINES.index(b"CPU SAMPLES END") + 1 :][:3]
    trace = b"TRACE %d:\n\ta.B.m%d(B.java:1)\n"
    traces = b"".join(trace % (number, number) for number in range(1, 4000))
    data = b"\n".join([LINES[0], b"", LINES[1], b"", traces, begin, title, *200 * [row], b"CPU SAMPLES END", traces])
    assert differences(data, tmp_path) == []
    text = plain(data)
    assert (text.tables.length("rank"), set(text.tables.columns["rank_count"])) == (200, {254})


def test_runs_of_sections_and_threads_may_cross_chunks(tmp_path: Path) -> None:
    begin, title, row, end = LINES[LINES.index(b"CPU SAMPLES BEGIN (total = 5) Sat Nov 21 02:26:20 2026") :][:4]
    thread = b'THREAD START (obj=5, id = %d, name="t%d", group="main")'
    monitor = b"MONITOR DUMP BEGIN\n    MONITOR La/B%d;\n\twaiting to enter: thread %d\nMONITOR DUMP END"
    lines = [LINES[0], LINES[1]]
    for number in range(1500):
        lines += [begin, title, row, row, end] * 3 if number % 3 else [thread % (number, number)] * 5
        lines += [monitor % (number % 99, number)] * (number % 7)
    assert differences(b"\n".join(lines) + b"\n", tmp_path) == []


def test_dumps_behind_the_most_are_added_to_the_last_of_them_by_both(tmp_path: Path) -> None:
    section = b"HEAP DUMP BEGIN (1 objects, 8 bytes) x\nROOT %x (kind=<Unknown>)\nOBJ %x (sz=8, trace=1, class=A@1)\n%s"
    sites = b"SITES BEGIN (ordered by live bytes) x\nSITES END\n"
    count = MOST_HEAP_DUMPS + 3
    dumps = b"".join(section % (id, id, sites if id % 2 else b"HEAP DUMP END\n") for id in range(1, count + 1))
    data = b"\n".join([LINES[0], b"", LINES[1], b"", dumps])
    assert differences(data, tmp_path) == []
    tables = plain(data).tables
    shown = [row for row, kind in enumerate(tables.columns["section_kind"]) if kind == HEAP_DUMP]
    for column in ("section_rows", "section_more_rows"):
        assert [tables.columns[column][row] for row in shown] == [1] * (MOST_HEAP_DUMPS - 1) + [4]
    assert list(tables.columns["root_object"]) == list(range(count))
    assert tables.problem_counts[MANY_DUMPS] == 3


def test_repeated_traces_behind_those_that_are_recorded_are_read_alike(tmp_path: Path) -> None:
    traces = b"".join(b"TRACE %d:\n\ta.B.m(B.java:1)\n" % (number % 7) for number in range(KEPT_PROBLEMS + 500))
    second = b"\n".join([LINES[0], b"", LINES[1], b"", traces])
    assert differences(second + second, tmp_path) == []
    assert plain(second + second).tables.problem_counts[REPEATED_TRACE] == 2 * (KEPT_PROBLEMS + 500 - 7)


def callable_of(function: Any) -> Any:
    """A function that Python can call: those of kernels can only be called by compiled ones."""
    part = compiled_part(function)
    return numba.njit(lambda word: part(word))


def test_eight_digits_at_once_are_those_that_python_takes_for_a_number() -> None:
    digits = callable_of(eight_digits)
    for place in range(8):
        for byte in range(256):
            text = bytearray(b"5028fAb5")
            text[place] = byte
            is_number = re.fullmatch(rb"[0-9a-fA-F]{8}", text, re.DOTALL) is not None
            found = int(digits(np.uint64(int.from_bytes(text, "little"))))
            assert found == (int(text, 16) if is_number else NO_NUMBER), text


def test_rows_of_plain_code_leave_room_for_those_of_kernels(tmp_path: Path) -> None:
    by_plain_code = b"".join(b"TRACE %d: (from live phase of JVM)\n" % number for number in range(12_000))
    by_kernels = b"".join(b"TRACE %d:\n" % number for number in range(12_000, 24_000))
    assert differences(b"\n".join(LINES[:2]) + b"\n" + by_plain_code + by_kernels, tmp_path, 2 << 20) == []


def test_classes_of_plain_code_have_room_in_what_is_known_of_classes(tmp_path: Path) -> None:
    start = b"HEAP DUMP BEGIN (17000 objects, 408000 bytes) Mon Jan  1 00:00:00 2024\n"
    row = b"ARR %x (sz=24, trace=4294967297, nelems=2, elem type=a.C%d[]@5000000a)\n"
    by_plain_code = b"".join(row % (0x1000 + number, number) for number in range(17_000))
    assert differences(b"\n".join(LINES[:2]) + b"\n" + start + by_plain_code, tmp_path, 2 << 20) == []
