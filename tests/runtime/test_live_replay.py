"""Recorded streams, sent again: what is stored, what is counted, and which answer belongs to which command.

The truth was computed by programs that share nothing with this project (see the corpus' README).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from conftest import Answer
from fake_jvm import TRUTH, FakeJvm, Recorded, receiver, record, stream_of, until, without_serial
from hypothesis import given

from parsers.runtime.live.client import Listening, LiveEvent
from parsers.runtime.live.command import COMMANDS
from parsers.runtime.live.opening import open_stream
from parsers.runtime.live.stream.live_stream import LiveStream
from parsers.runtime.live.stream.reading import StreamParser

SAMPLES = list(TRUTH)
LARGE = 600_000
"""Bytes from which on a stream isn't fed byte by byte."""
SITES = {"0": "sites", "1": "sites-changed", "2": "sites-allocated", "4": "sites-collected"}
WORDS = {
    "heap": "heap-dump",
    "cpu": "samples",
    "eof": "leave",
    "cpu_on": "sampling-on",
    "cpu_off": "sampling-off",
    "cpu_clear": "clear-samples",
    "sites_clear": "clear-sites",
    "alloc_on": "allocation-on",
    "alloc_off": "allocation-off",
}
"""Our names of what the recordings call otherwise."""
ANSWERS = ("control_settings", "heap_summary", "cpu_samples", "alloc_sites")
"""Records whose numbers are in the truth."""


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listening]:
    with receiver(tmp_path / "live") as listening:
        yield listening


def ours(command: str) -> tuple[str, str]:
    """Name and argument of a command as the recordings have it."""
    word, _, value = command.partition("=")
    if word == "sites":
        flags, _, cutoff = (value or "0,0").partition(",")
        return SITES[flags], cutoff
    return WORDS.get(word, word), value


def stored(stream: LiveStream) -> bytes:
    return Path(stream.path).read_bytes()


def sent_steps(name: str) -> list[dict[str, Any]]:
    return [event for event in Recorded(name).events if event["event"] == "sent" and "raw" not in event["command"]]


@pytest.mark.parametrize("command", sorted({each["command"]: each for n in SAMPLES for each in sent_steps(n)}))
def test_a_command_is_sent_with_the_bytes_that_worked(command: str) -> None:
    recorded = next(each for name in SAMPLES for each in sent_steps(name) if each["command"] == command)
    name, text = ours(command)
    assert without_serial(COMMANDS[name].bytes(7, text)) == without_serial(bytes.fromhex(recorded["hex"]))


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
@pytest.mark.parametrize("name", SAMPLES)
def test_records_are_the_same_however_a_stream_is_cut(name: str, size: int) -> None:
    data, truth, reading = Recorded(name).bytes, TRUTH[name]["stream"], StreamParser()
    if size == 1:
        data = data[:LARGE]
    records, wholes = [], []
    for at in range(0, len(data), size):
        records += reading.feed(data[at : at + size])
        wholes.append(reading.content.whole)
    assert wholes == sorted(wholes) and wholes[-1] <= len(data)
    if len(data) < truth["bytes"]:
        return
    expected: Counter[str] = Counter()
    for step in truth["steps"]:
        expected.update({record: count for record, count in step["records"].items() if not record.endswith("(cut)")})
    assert dict(reading.content.counts) == dict(expected)
    found = [{"record": record.name, **record.facts} for record in records if record.name in ANSWERS]
    assert found == [answer for step in truth["steps"] for answer in step["answers"]]


@pytest.mark.parametrize(
    ("whole", "more"),
    [
        (b"THREAD END (id = 1)\n", b""),
        (b"THREAD END (id = 1)\n", b"THREAD ST"),
        (b"", b"TRACE 1:\n\ta.b(c)\n"),
        (b"TRACE 1:\n\ta.b(c)\n", b"TRACE 2:\n"),
        (b"TRACE 1:\n\ta.b(c)\nSITES BEGIN (ordered by live bytes)\nSITES END\n", b""),
        (b"TRACE 1:\n\ta.b(c)\n", b"HEAP DUMP BEGIN (1 objects, 8 bytes)\nOBJ 1 HEAP DUMP END\n"),
        (b"HEAP DUMP BEGIN (1 objects, 8 bytes)\nOBJ 1\nHEAP DUMP END\n", b"CPU SAMPLES BEGIN (total = 1)\n"),
    ],
)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_text_is_complete_up_to_a_record_that_may_continue(whole: bytes, more: bytes, size: int) -> None:
    begin, reading = b"JAVA PROFILE 1.0.1, created Sat Nov 21 2026\n", StreamParser()
    data = begin + whole + more
    for at in range(0, len(data), size):
        reading.feed(data[at : at + size])
    assert data[: reading.content.whole] == begin + whole


HEADERS = st.sampled_from([b"JAVA PROFILE 1.0.2\0" + bytes(12), b"JAVA PROFILE 1.0.1, created now\n", b""])
RECORDS = st.builds(record, st.sampled_from([1, 5, 6, 7, 0x0C, 0x0D, 0x0E, 0x1C, 0x2C, 0x63]), st.binary(max_size=40))
LINES = st.sampled_from(
    [
        b"TRACE 1:\n",
        b"\ta.b(c)\n",
        b"HEAP DUMP BEGIN (1 objects, 8 bytes)\n",
        b"HEAP DUMP END\n",
        b"SITES BEGIN\n",
        b"\n",
    ]
)
PARTS = st.lists(st.one_of(RECORDS, LINES, st.binary(max_size=40)), max_size=20)


@given(HEADERS, PARTS, st.lists(st.integers(1, 50), max_size=20))
def test_no_bytes_stop_the_reading_and_no_cut_changes_it(header: bytes, parts: list[bytes], cuts: list[int]) -> None:
    data, at_once, in_pieces = header + b"".join(parts), StreamParser(), StreamParser()
    records = at_once.feed(data)
    found, at = [], 0
    for cut in [*cuts, len(data)]:
        before = in_pieces.content.whole
        found += in_pieces.feed(data[at : at + cut])
        at += cut
        assert before <= in_pieces.content.whole <= len(data)
    known, expected = in_pieces.content, at_once.content
    assert (found, known.counts, known.whole) == (records, expected.counts, expected.whole)
    assert (known.half, known.options) == (expected.half, expected.options)


def replay(listening: Listening, name: str) -> tuple[LiveStream, list[LiveEvent]]:
    """Plays a recording. Each command is sent after as many bytes as in the recording; later bytes wait for it."""
    jvm, pieces, events = FakeJvm(listening.address.port), Recorded(name).pieces(), []
    stream, received = stream_of(listening, jvm), 0
    for event in Recorded(name).events:
        if event["event"] == "received":
            received += event["bytes"]
            jvm.send(next(pieces))
        elif event["event"] == "sent" and "raw" not in event["command"]:
            events += until(listening, lambda: stream.bytes == received)  # noqa: B023  # called at once
            command, text = ours(event["command"])
            # Before the first bytes nothing is known of it, and in text a heap summary is nothing.
            if command in [action.name for action in stream.actions]:
                stream.act(command, text, confirmed=True)
                jvm.wait_for(bytes.fromhex(event["hex"]))
    jvm.end()
    return stream, events + until(listening, lambda: not stream.is_open)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_replayed_stream_is_stored_byte_for_byte_and_each_answer_is_at_its_step(
    name: str, listening: Listening
) -> None:
    stream, events = replay(listening, name)
    assert stored(stream) == Recorded(name).bytes
    assert os.stat(stream.path).st_mode & 0o777 == 0o600 and os.stat(listening.folder).st_mode & 0o777 == 0o700
    steps = TRUTH[name]["stream"]["steps"]
    found: list[list[dict[str, Any]]] = [[] for _ in steps]
    for event in events:
        if event.kind == "record" and event.facts["record"] in ANSWERS:
            step = max(number for number, each in enumerate(steps) if each["offset"] <= event.facts["offset"])
            found[step].append({"record": event.facts["record"], **event.facts["facts"]})
    assert found == [step["answers"] for step in steps]
    asked = [event.facts["command"] for event in events if event.kind == "sent"]
    answered = [event.facts["command"] for event in events if event.kind == "record" and event.facts["command"]]
    with_answer = [each for each in asked if COMMANDS[each].answer(stream.layout)]
    # A JVM that was ended by a command doesn't answer it.
    assert answered == (with_answer[:-1] if name.startswith("aborted-by-heap") else with_answer)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_kept_stream_opens_as_any_other_file_with_all_totals(
    name: str, listening: Listening, coffeetree: Callable[..., Answer], cache_folder: Path
) -> None:
    jvm = FakeJvm(listening.address.port)
    stream = stream_of(listening, jvm)
    jvm.play(Recorded(name).pieces()).end()
    until(listening, lambda: not stream.is_open)
    answer = coffeetree("info", "--json", stream.path)
    info, truth = answer.json, TRUTH[name]
    assert {key: count for key, count in info["totals"].items() if count} == {
        key: count for key, count in truth["totals"].items() if count
    }
    assert [problem["offset"] for problem in info["problems"]] == [problem["offset"] for problem in truth["problems"]]
    assert answer.status == (3 if truth["problems"] else 0)


def test_two_streams_at_once_don_t_mix(listening: Listening) -> None:
    names = "all-binary.raw", "everything-text.raw"
    jvms = [FakeJvm(listening.address.port) for _ in names]
    streams = [stream_of(listening, jvm) for jvm in jvms]
    pieces = [list(Recorded(name).pieces()) for name in names]
    for number in range(max(map(len, pieces))):
        for jvm, each in zip(jvms, pieces, strict=True):
            jvm.play(each[number : number + 1])
    for jvm in jvms:
        jvm.end()
    until(listening, lambda: not listening.open_streams)
    assert [stored(stream) for stream in streams] == [Recorded(name).bytes for name in names]
    assert [stream.layout for stream in streams] == ["binary", "text"]


def test_a_stream_may_come_one_byte_at_a_time(listening: Listening) -> None:
    jvm, data = FakeJvm(listening.address.port), Recorded("detached.raw").bytes
    stream = stream_of(listening, jvm)
    jvm.play(data[at : at + 1] for at in range(len(data))).end()
    until(listening, lambda: not stream.is_open)
    assert stored(stream) == data and stream.half == ""


@pytest.mark.parametrize("name", ["all-binary.raw", "two-heaps-text.raw"])
def test_a_stream_that_stops_for_good_is_read_up_to_its_last_whole_record(
    name: str, listening: Listening, coffeetree: Callable[..., Answer], cache_folder: Path
) -> None:
    jvm, data = FakeJvm(listening.address.port), Recorded(name).bytes
    stream = stream_of(listening, jvm)
    cut = len(data) * 3 // 4
    jvm.send(data[:cut])
    until(listening, lambda: stream.bytes == cut)
    report = open_stream(stream)
    report.wait()
    assert report.size == stream.whole < cut and not report.problems
    report.close()
    jvm.abort()
    until(listening, lambda: not stream.is_open)
    assert stored(stream) == data[:cut] and stream.half
    assert stream.ending.startswith("the connection broke")
    assert coffeetree("info", "--json", stream.path).status == 3


def text_samples(count: int) -> bytes:
    return (
        b"CPU SAMPLES BEGIN (total = %d) Sat Nov 21 02:26:20 2026\nrank   self  accum   count trace method\n"
        b"   1 100.00%% 100.00%% %7d     1 a.B.m\nCPU SAMPLES END\n" % (count, count)
    )


def test_samples_that_were_asked_for_count_once_in_the_stored_stream_and_not_in_a_copy_without_steps(
    listening: Listening, coffeetree: Callable[..., Answer], tmp_path: Path, cache_folder: Path
) -> None:
    jvm = FakeJvm(listening.address.port)
    stream = stream_of(listening, jvm)
    jvm.send(b"JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\n--------\n\nTRACE 1:\n\ta.B.m(B.java:1)\n")
    until(listening, lambda: stream.layout)
    stream.act("samples")
    jvm.wait_for(COMMANDS["samples"].bytes(0, "0"))
    jvm.send(text_samples(3))
    until(listening, lambda: stream.answers)
    jvm.send(text_samples(5)).end()
    until(listening, lambda: not stream.is_open)
    copy = tmp_path / "copy.txt"
    copy.write_bytes(stored(stream))

    def samples(path: Path | str, *words: str) -> int:
        return sum(row["badges"]["self"] for row in coffeetree("tree", "--json", "--depth", "0", *words, path).rows)

    assert (samples(stream.path), samples(copy), samples(copy, "--switch", "dump=cumulative")) == (5, 8, 5)
    facts = [coffeetree("info", "--json", path).json["facts"]["samples"] for path in (stream.path, copy)]
    assert "dump 1 was requested over a socket" in facts[0] and "choose dump=cumulative" in facts[1]
