"""Binary files of the agent without heap dumps: every number of the samples' `truth.json`; what is cut and unknown."""

from __future__ import annotations

import json
import struct
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from conftest import TESTS, Answer, plain_bytes

from parsers.formats.hprof.agent_binary.records import Read, date_of
from parsers.formats.hprof.data.columns import CPU_SAMPLES, SITES_KIND
from parsers.formats.hprof.data.names import decode
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.data.tables import PENDING_ROWS, ProfileTables
from parsers.formats.hprof.dump.index.heap_engine import PlainSteps
from parsers.formats.hprof.dump.read.file import DumpFile

CORPUS = TESTS / "corpus" / "hprof"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
NAMES = [name for name in TRUTH if name.startswith("binary/")]

Run = Callable[..., Answer]


def read_file(data: bytes) -> DumpFile:
    read: Read = lambda count, offset: data[offset : offset + count]  # noqa: E731
    file = DumpFile(read, len(data), PlainSteps(read))
    file.read()
    return file


def read(data: bytes) -> ProfileRecording:
    profile = read_file(data).profile
    recording = ProfileRecording(None)  # type: ignore[arg-type]  # nothing is read from the file itself
    recording.take_plain(profile.tables, {})
    return recording


def sample(name: str) -> bytes:
    return plain_bytes(CORPUS / f"{name}.xz")


def stack(recording: ProfileRecording, trace: int) -> list[str]:
    methods = recording.column("frame_method")
    return [decode(recording.method(methods[frame])) for frame in recording.stack(trace)]


@pytest.mark.parametrize("name", NAMES)
def test_info_tells_format_and_totals(name: str, coffeetree: Run) -> None:
    answer = coffeetree("info", "--json", CORPUS / f"{name}.xz")
    info, truth = answer.json, TRUTH[name]
    assert answer.status == 0
    assert info["format"] == "hprof-binary"
    assert f"JAVA PROFILE {info['format_version']}" == truth["format"]
    assert {key: value for key, value in info["totals"].items() if value} == {
        key: value for key, value in truth["totals"].items() if value
    }
    assert info["problems"] == []


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_those_of_the_truth(name: str) -> None:
    recording, found = read(sample(name)), []
    serials = recording.column("trace_serial")
    for section in recording.sections(CPU_SAMPLES):
        rows = recording.section_range(section)
        counts = list(recording.column("rank_count")[rows.start : rows.stop])
        traces = [serials[trace] for trace in recording.column("rank_trace")[rows.start : rows.stop]]
        found.append(
            {
                "total": recording.column("section_total")[section],
                "rows": len(rows),
                "sum": sum(counts),
                "first": [list(pair) for pair in zip(counts, traces, strict=True)][:5],
            }
        )
    assert found == TRUTH[name]["cpu_samples"]


@pytest.mark.parametrize("name", NAMES)
def test_sites_are_those_of_the_truth(name: str) -> None:
    recording = read(sample(name))
    serials = recording.column("trace_serial")
    sums = ("live_bytes", "live_objects", "allocated_bytes", "allocated_objects")
    for section, truth in zip(recording.sections(SITES_KIND), TRUTH[name]["alloc_sites"], strict=True):
        rows = recording.section_range(section)
        assert recording.column("section_total")[section] == truth["live_bytes"]
        assert len(rows) == truth["sites"]
        first = [
            [serials[recording.column("site_trace")[row]], *(recording.column(f"site_{each}")[row] for each in sums)]
            for row in rows[:3]
        ]
        keys = ("trace", "live_bytes", "live_instances", "allocated_bytes", "allocated_instances")
        assert first == [[site[key] for key in keys] for site in truth["first"]]


@pytest.mark.parametrize("name", NAMES)
def test_traces_threads_and_methods_are_those_of_the_truth(name: str) -> None:
    recording, truth = read(sample(name)), TRUTH[name]
    for serial, frames in truth["first_traces"].items():
        trace = recording.trace_row(int(serial))
        assert trace is not None
        assert stack(recording, trace)[: max(len(frames), 1)] == frames
    names = sorted(decode(recording.word(word)) for word in recording.column("thread_name") if word != 0xFFFF_FFFF)
    assert names[: len(truth["thread_names"])] == truth["thread_names"]
    own: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for trace, count in zip(recording.column("rank_trace"), recording.column("rank_count"), strict=True):
        methods = stack(recording, trace) or ["<empty>"]
        own[methods[0]] += count
        total.update(dict.fromkeys(methods, count))
    assert most(own) == truth.get("methods_self", [])
    assert most(total) == truth.get("methods_total", [])


def most(counts: Counter[str]) -> list[dict[str, Any]]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))
    return [{"method": method, "count": count} for method, count in ranked[:10]]


HEADER = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 4, 1_700_000_000_000)


def record(tag: int, body: bytes) -> bytes:
    return struct.pack(">BII", tag, 0, len(body)) + body


def test_a_cut_record_ends_reading_and_is_reported() -> None:
    data = HEADER + record(0x0D, struct.pack(">IIII", 3, 1, 3, 300_000))[:-2]
    file = read_file(data)
    assert [each.offset for each in file.problems] == [31]
    assert file.counts["truncated"] == 1
    assert read(data).rows("rank") == 0


def test_an_unknown_record_is_passed_by() -> None:
    data = HEADER + record(0x77, b"abc") + record(0x0D, struct.pack(">IIII", 3, 1, 3, 300_000))
    assert read_file(data).counts["unknown_records"] == 1
    assert list(read(data).column("rank_count")) == [3]


def test_a_row_names_a_trace_that_is_missing() -> None:
    recording = read(HEADER + record(0x0D, struct.pack(">IIII", 3, 1, 3, 300_007)))
    assert recording.column("trace_serial")[recording.column("rank_trace")[0]] == 300_007


@pytest.mark.parametrize("length", [0, 5, 19, 30])
def test_a_header_alone_or_less_is_no_error(length: int) -> None:
    assert read_file(HEADER[:length]).counts["truncated"]


def test_a_sample_cut_anywhere_is_read_up_to_there() -> None:
    data = sample("binary/agent-quit-samples.hprof")
    for length in range(0, len(data), 997):
        assert read(data[:length]).is_complete


@pytest.mark.parametrize("millis", [0, 86_399_999, 951_782_400_000, 1_700_000_000_000, 99_999_999_999_000])
def test_dates_are_those_of_the_calendar(millis: int) -> None:
    assert date_of(millis) == time.strftime("%a %b %d %H:%M:%S %Y UTC", time.gmtime(millis // 1000))


def test_rows_added_together_equal_rows_added_one_by_one() -> None:
    rows = [(number, 3, -number, 1 << 70, 5, 6, 7, number << 6) for number in range(2 * PENDING_ROWS)]
    together, alone = ProfileTables(), ProfileTables()
    together.add_rows("rank", rows)
    assert together.length("rank") == len(rows)
    for row in rows:
        alone.add("rank", *row)
    for tables in (together, alone):
        tables.end()
    assert together.columns == alone.columns
