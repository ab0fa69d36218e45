"""The receiver under failures: no browser is left, it is killed, the disk is full, many JVMs connect at once."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_jvm import HEADER, PATIENCE, FakeJvm, Recorded, receiver, record, settings, stream_of, summary, until

from parsers.model.capabilities import HasActions
from parsers.model.report import ReportError
from parsers.runtime.live.address import Address
from parsers.runtime.live.client import Listening
from parsers.runtime.live.command import COMMANDS, END, HEAP_OPTIONS
from parsers.runtime.live.connection import BLOCK, Connection
from parsers.runtime.live.opening import open_stream
from parsers.runtime.live.process.peer import Peer
from parsers.runtime.live.stream import text_reading
from parsers.runtime.live.stream.rate_limit import RateLimit
from parsers.runtime.live.stream.reading import StreamParser
from parsers.runtime.live.stream.stored_stream import StoredStream, make_folder

CPU_OPTIONS = 2
BEGIN = HEADER + settings(HEAP_OPTIONS)


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listening]:
    with receiver(tmp_path / "live") as listening:
        yield listening


def ended(process: int) -> None:
    """Waits until a process is gone that is a child of this one, or an orphan."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        news = select.poll()
        news.register(descriptor, select.POLLIN)
        assert news.poll(PATIENCE)
    finally:
        os.close(descriptor)


def stored_in(listening: Listening) -> list[bytes]:
    return [path.read_bytes() for path in sorted(Path(listening.folder).glob("*.hprof"))]


def samples(total: int) -> bytes:
    return record(0x0D, struct.pack(">II", total, 0))


# -- leaving ----------------------------------------------------------------------------------------------------------


def test_the_browser_may_end_and_the_rest_is_stored_in_the_background(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN)
    until(listening, lambda: stream_of(listening, jvm).bytes)
    assert listening.parting_words().startswith("1 JVM is connected")
    listening.close()
    jvm.wait_for(END)
    jvm.send(summary(1) * 1000).end()
    ended(listening.process)
    assert stored_in(listening) == [BEGIN + summary(1) * 1000]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_commands_and_nothing_else(number: signal.Signals, listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN)
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.bytes)
    os.kill(listening.process, number)
    jvm.wait_for(END)
    until(listening, lambda: stream.state == "left")
    assert stream.actions == ()
    jvm.send(summary(1)).end()
    until(listening, lambda: not listening.is_alive)
    assert stored_in(listening) == [BEGIN + summary(1)] and listening.says == "the receiver has ended"


def test_after_the_end_of_commands_nothing_more_is_asked_and_no_other_jvm_taken(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN)
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.layout)
    listening.leave()
    until(listening, lambda: stream.state == "left")
    with pytest.raises(ReportError, match="its commands were ended"):
        stream.act("gc")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", listening.address.port))
    jvm.end()
    until(listening, lambda: not listening.is_alive)
    assert jvm.commands() == END


def test_a_jvm_alone_may_be_left(listening: Listening) -> None:
    one, other = (FakeJvm(listening.address.port).send(BEGIN) for _ in range(2))
    streams = stream_of(listening, one), stream_of(listening, other)
    until(listening, lambda: all(stream.layout for stream in streams))
    streams[0].act("leave", confirmed=True)
    one.wait_for(END)
    streams[1].act("gc")
    other.wait_for(COMMANDS["gc"].bytes(0))
    one.end()
    other.end()
    until(listening, lambda: not listening.open_streams)
    assert other.commands() == b"\1" + bytes(4)


LOOKER = """
import os, signal, sys
from parsers.runtime.live.address import Address
from parsers.runtime.live.client import Listening
listening = Listening.start(Address("127.0.0.1", 0), sys.argv[1], "--heartbeat", "0")
print(listening.process, listening.address.port, flush=True)
signal.pause()
"""


def test_the_browser_may_be_killed(tmp_path: Path) -> None:
    looker = subprocess.Popen([sys.executable, "-c", LOOKER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert looker.stdout is not None
    process, port = map(int, looker.stdout.readline().split())
    jvm = FakeJvm(port).send(BEGIN)
    looker.kill()
    looker.wait()
    looker.stdout.close()
    jvm.wait_for(END)
    jvm.send(summary(1)).end()
    ended(process)
    assert [path.read_bytes() for path in tmp_path.glob("*.hprof")] == [BEGIN + summary(1)]


# -- ends -------------------------------------------------------------------------------------------------------------


def test_a_receiver_that_is_killed_leaves_files_and_is_reported_as_gone(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN + summary(1))
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.bytes == len(BEGIN + summary(1)))
    os.kill(listening.process, signal.SIGKILL)
    until_gone = [event.kind for event in _to_the_end(listening)]
    assert until_gone[-2:] == ["ended", "gone"]
    assert "SIGKILL" in listening.says and stream.ending == "the receiver ended before it"
    assert stream.actions == () and stored_in(listening) == [BEGIN + summary(1)]
    report = open_stream(stream)
    report.wait()
    assert report.totals["heap_summary"] == 1
    report.close()
    jvm.socket.close()


def _to_the_end(listening: Listening) -> list[Any]:
    events = []
    while (descriptor := listening.fileno()) is not None:
        news = select.poll()
        news.register(descriptor, select.POLLIN | select.POLLHUP)
        assert news.poll(PATIENCE)
        events += listening.follow()
    return events


def test_a_jvm_that_is_killed_leaves_a_stream_that_is_cut(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN + summary(1)[:-3])
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.bytes == len(BEGIN) + len(summary(1)) - 3)
    jvm.abort()
    until(listening, lambda: not stream.is_open)
    assert stream.half == "heap_summary" and stream.whole == len(BEGIN)


def test_a_taken_port_is_reported(listening: Listening, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=f"127.0.0.1:{listening.address.port}: address already in use"):
        Listening.start(listening.address, str(tmp_path))


def test_a_folder_that_can_t_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="file"):
        Listening.start(Address("127.0.0.1", 0), str(tmp_path / "file" / "live"))


def test_a_full_disk_never_stops_reading(tmp_path: Path) -> None:
    with receiver(tmp_path, "--heartbeat", "0", "--room-left", str(1 << 60)) as listening:
        jvm = FakeJvm(listening.address.port)
        stream = stream_of(listening, jvm)
        for _ in range(20):
            jvm.send(BEGIN + bytes(1 << 20))
        jvm.end()
        until(listening, lambda: not stream.is_open)
        assert stream.bytes == 20 * ((1 << 20) + len(BEGIN)) and stream.ending == "closed by the JVM"
        assert "nothing is stored from byte 0 on" in stream.trouble
        assert stored_in(listening) == [b""] and stream.whole == 0


def test_the_receiver_is_light() -> None:
    heavy = "numpy", "numba", "lxml", "stringzilla", "asyncio"
    code = f"import sys, parsers.runtime.live.receiver; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_fifty_jvms_may_connect_at_once(listening: Listening) -> None:
    jvms = [FakeJvm(listening.address.port) for _ in range(50)]
    for number, jvm in enumerate(jvms):
        jvm.send(BEGIN + summary(number))
    for jvm in jvms:
        jvm.end()
    until(listening, lambda: len(listening.streams) == 50 and not listening.open_streams)
    found = sorted(Path(stream.path).read_bytes() for stream in listening.streams)
    assert found == sorted(BEGIN + summary(number) for number in range(50))
    assert len({stream.path for stream in listening.streams}) == 50


def test_a_stream_of_no_jvm_is_stored_and_gets_no_requests(tmp_path: Path) -> None:
    with receiver(tmp_path, "--heartbeat", "0.01") as listening:
        jvm = FakeJvm(listening.address.port).send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stream = stream_of(listening, jvm)
        until(listening, lambda: stream.layout == "unknown")
        assert stream.actions == ()
        with pytest.raises(ReportError):
            stream.act("exit", confirmed=True)
        jvm.end()
        until(listening, lambda: not stream.is_open)
        # Only what makes a JVM show itself may have been there before it spoke.
        assert jvm.commands() in (b"", b"\4" + bytes(4))


# -- requests ---------------------------------------------------------------------------------------------------------


def test_of_two_commands_with_the_same_answer_one_waits(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN)
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.layout)
    for name, text in (("samples", "0"), ("samples", "0.5"), ("gc", "")):
        stream.act(name, text)
    first, second = COMMANDS["samples"].bytes(0), COMMANDS["samples"].bytes(0, "0.5")
    jvm.wait_for(first)
    until(listening, lambda: list(stream.waiting) == ["samples", "samples", "gc"])
    assert jvm.commands() == first[:1] + first[5:]
    jvm.send(samples(1))
    jvm.wait_for(first, second, COMMANDS["gc"].bytes(0))
    jvm.send(samples(2)).end()
    until(listening, lambda: not stream.is_open)
    assert [(each.command, each.facts["total"]) for each in stream.answers if each.record == "cpu_samples"] == [
        ("samples", 1),
        ("samples", 2),
    ]


def test_unrequested_records_are_reported(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN + samples(3)).send(summary(4))
    jvm.end()
    stream = stream_of(listening, jvm)
    until(listening, lambda: not stream.is_open)
    assert [(each.command, each.record) for each in stream.answers] == [
        ("", "control_settings"),
        ("", "cpu_samples"),
        ("", "heap_summary"),
    ]
    assert [each.live_bytes for each in stream.summaries] == [4]


def test_dangerous_commands_need_a_yes_and_wrong_ones_are_refused(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN)
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.layout)
    for name in ("exit", "heap-dump", "leave", "watch"):
        with pytest.raises(ReportError, match="not requested"):
            stream.act(name)
    for name, text in (("depth", "-1"), ("depth", "many"), ("samples", "2"), ("gc", "now"), ("shutdown", "")):
        with pytest.raises(ReportError):
            stream.act(name, text)
    assert jvm.commands() == b""
    stream.act("exit", confirmed=True)
    jvm.wait_for(COMMANDS["exit"].bytes(0))
    jvm.end()


def test_steps_are_kept_beside_the_stream(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN)
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.layout)
    stream.act("samples")
    jvm.wait_for(COMMANDS["samples"].bytes(0))
    jvm.send(samples(1)).end()
    until(listening, lambda: not stream.is_open)
    steps = [json.loads(line) for line in Path(f"{stream.path}.steps").read_text("utf-8").splitlines()]
    assert [(step["event"], step["offset"]) for step in steps] == [
        ("accepted", 0),
        ("sent", len(BEGIN)),
        ("answered", len(BEGIN + samples(1))),
        ("closed by the JVM", len(BEGIN + samples(1))),
    ]
    assert bytes.fromhex(steps[1]["hex"])[5:] == COMMANDS["samples"].bytes(0)[5:]


# -- the heartbeat ----------------------------------------------------------------------------------------------------


def test_a_jvm_that_samples_is_asked_for_summaries_one_at_a_time(tmp_path: Path) -> None:
    with receiver(tmp_path, "--heartbeat", "0.01") as listening:
        jvm = FakeJvm(listening.address.port)
        ask = COMMANDS["summary"].bytes(0)
        jvm.wait_for(ask)
        jvm.send(HEADER + settings(CPU_OPTIONS) + summary(1))
        jvm.wait_for(ask, ask)
        jvm.send(summary(2))
        jvm.wait_for(ask, ask, ask)
        stream = stream_of(listening, jvm)
        jvm.end()
        until(listening, lambda: not stream.is_open)
        assert jvm.commands() == 3 * (b"\4" + bytes(4))
        assert [each.live_bytes for each in stream.summaries] == [1, 2]
        assert [each.record for each in stream.answers] == ["control_settings"]


def test_a_jvm_that_may_dump_its_heap_at_its_end_is_asked_carefully(tmp_path: Path) -> None:
    with receiver(tmp_path, "--heartbeat", "0.01") as listening:
        jvm = FakeJvm(listening.address.port)
        ask, flush = COMMANDS["summary"].bytes(0), COMMANDS["depth"].bytes(0, "4")
        jvm.wait_for(ask)
        jvm.send(BEGIN + summary(1))
        jvm.wait_for(ask, flush)
        # It has sent its buffer, so it was idle just now.
        jvm.send(record(0x0B, bytes(4)))
        jvm.wait_for(ask, flush, ask)
        jvm.send(summary(2))
        jvm.wait_for(ask, flush, ask, flush)
        # A full buffer proves nothing.
        jvm.send(record(0x01, bytes(1 << 16)))
        jvm.wait_for(ask, flush, ask, flush, flush)
        jvm.end()


def test_a_depth_of_nothing_is_a_depth(tmp_path: Path) -> None:
    with receiver(tmp_path, "--heartbeat", "0.01") as listening:
        jvm = FakeJvm(listening.address.port)
        jvm.wait_for(COMMANDS["summary"].bytes(0))
        jvm.send(HEADER + record(0x0E, struct.pack(">IH", HEAP_OPTIONS, 0)) + summary(1))
        jvm.wait_for(COMMANDS["summary"].bytes(0), COMMANDS["depth"].bytes(0, "0"))
        jvm.end()


def test_watching_asks_it_in_any_case(tmp_path: Path) -> None:
    with receiver(tmp_path, "--heartbeat", "0.01", "--watch") as listening:
        jvm = FakeJvm(listening.address.port)
        ask = COMMANDS["summary"].bytes(0)
        jvm.wait_for(ask)
        jvm.send(BEGIN + summary(1))
        jvm.wait_for(ask, ask)
        stream = stream_of(listening, jvm)
        until(listening, lambda: stream.layout)
        assert stream.is_watched and "watch-off" in [action.name for action in stream.actions]
        jvm.end()


# -- growing ----------------------------------------------------------------------------------------------------------


def test_a_stream_opens_where_it_is_whole_and_shows_when_there_is_more(
    listening: Listening, cache_folder: Path
) -> None:
    data = Recorded("all-binary-heap.raw").bytes
    jvm = FakeJvm(listening.address.port)
    stream = stream_of(listening, jvm)
    with pytest.raises(ReportError, match="no data received yet"):
        open_stream(stream)
    jvm.send(data[:300_000])
    until(listening, lambda: stream.bytes == 300_000)
    report = open_stream(stream)
    report.wait()
    source: Any = report
    assert report.size == stream.whole and report.totals["heap_dump_segment"] == 0 and not report.problems
    assert source.source.change() == "same"
    assert isinstance(report, HasActions) and report.actions == stream.actions != ()
    assert report.act("gc").startswith("asked 127.0.0.1")
    jvm.wait_for(COMMANDS["gc"].bytes(0))
    jvm.send(data[300_000:]).end()
    until(listening, lambda: not stream.is_open)
    assert source.source.change() == "grown" and report.actions == ()
    report.close()
    report = open_stream(stream)
    report.wait()
    assert report.totals["objects"] > 0 and report.size == len(data)
    report.close()


def test_nothing_is_kept_of_what_a_stream_was_before_its_end(listening: Listening, cache_folder: Path) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN + summary(1))
    stream = stream_of(listening, jvm)
    until(listening, lambda: stream.whole == len(BEGIN + summary(1)))
    report = open_stream(stream)
    report.wait()
    folder = Path(report.index_folder)  # type: ignore[attr-defined]  # of indexed reports
    assert folder.is_dir()
    report.close()
    assert not folder.exists() and not list(cache_folder.glob("index/*"))
    jvm.end()


def test_a_file_is_named_by_time_program_and_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.strftime", lambda form: "now")
    place = Address("::1", 7777)
    streams = [
        StoredStream(str(tmp_path), place, program) for program in ("/opt/my app.jar", "", "", "com.A$B", "../é")
    ]
    assert [Path(stream.path).name for stream in streams] == [
        "now-my-app.jar-1--7777.hprof",
        "now-1--7777.hprof",
        "now-1--7777-2.hprof",
        "now-com.A$B-1--7777.hprof",
        "now-1--7777-3.hprof",
    ]
    for stream in streams:
        stream.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("7777", "127.0.0.1:7777"),
        (":7777", "127.0.0.1:7777"),
        ("0.0.0.0:1", "0.0.0.0:1"),
        ("[::1]:7777", "[::1]:7777"),
        ("host.example:0", "host.example:0"),
    ],
)
def test_an_address_without_a_host_is_of_this_machine(text: str, address: str) -> None:
    assert str(Address.parse(text)) == address


@pytest.mark.parametrize("text", ["", "host", "host:", "70000", "::1:7777", "host:1:2", "-1", "٣"])
def test_an_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ReportError):
        Address.parse(text)


@pytest.mark.skipif(not socket.has_ipv6, reason="there is no IPv6")
def test_ipv6_is_listened_at(tmp_path: Path) -> None:
    try:
        listening = Listening.start(Address.parse("[::1]:0"), str(tmp_path), "--heartbeat", "0")
    except ReportError as error:
        pytest.skip(str(error))
    end = socket.create_connection(("::1", listening.address.port))
    until(listening, lambda: listening.streams)
    assert listening.streams[0].peer.startswith("[::1]:") and "--1-" not in Path(listening.streams[0].path).name
    end.close()
    listening.close()
    ended(listening.process)


def test_a_stopped_looker_finds_the_newest_state(listening: Listening) -> None:
    jvm = FakeJvm(listening.address.port).send(BEGIN)
    stream = stream_of(listening, jvm)
    began = time.time()
    for number in range(5000):
        jvm.send(summary(number))
    jvm.end()
    until(listening, lambda: not stream.is_open)
    assert stream.counts["heap_summary"] == 5000
    assert stream.summaries[-1].live_bytes == 4999 and stream.summaries[-1].t >= began


# -- floods -----------------------------------------------------------------------------------------------------------


TEXT = b"JAVA PROFILE 1.0.1, created Thu Jan  1 00:00:00 2026\n"
DUMP = TEXT + b"HEAP DUMP BEGIN (1 objects, 2 bytes) Thu Jan  1 00:00:00 2026\n"


class CountingBytes(bytes):
    """Bytes that count how many of them are searched."""

    searched = 0

    def rfind(self, *of: Any) -> int:
        CountingBytes.searched += len(self)
        return super().rfind(*of)

    def find(self, *of: Any) -> int:
        CountingBytes.searched += len(self)
        return super().find(*of)


def searched_of(size: int, piece: int) -> int:
    """Counts bytes that are searched for line ends in pieces of text without any."""
    reading, CountingBytes.searched = StreamParser(), 0
    reading.feed(DUMP)
    for _ in range(size // piece):
        assert reading.feed(CountingBytes(b"x" * piece)) == []
    return CountingBytes.searched


def test_work_on_a_line_without_end_grows_with_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_reading, "LONGEST_LINE", 1 << 14)
    once, twice = searched_of(1 << 16, 64), searched_of(1 << 17, 64)
    assert once <= 2 << 16 and twice <= 2.5 * once


@pytest.mark.parametrize("piece", [1, 10, 1000, 1 << 20])
def test_the_end_mark_is_found_after_a_line_that_is_too_long(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_reading, "LONGEST_LINE", 100)
    reading, found = StreamParser(), []
    long = b"x" * 500 + b"HEAP DUMP END" + b"TRACE 1:" * 100 + b"\n"
    data = DUMP + long + b"HEAP DUMP END\n" + long + b"SITES BEGIN (1 objects)\nSITES END\n"
    for start in range(0, len(data), piece):
        found += reading.feed(data[start : start + piece])
    dump_end = len(DUMP + long + b"HEAP DUMP END\n")
    assert [(each.name, each.end) for each in found] == [("HEAP DUMP", dump_end), ("SITES", len(data))]
    content = reading.content
    assert (content.whole, dict(content.counts)) == (len(data), {"HEAP DUMP BEGIN": 1, "SITES BEGIN": 1})


def test_a_stream_is_not_whole_inside_a_line_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_reading, "LONGEST_LINE", 100)
    reading = StreamParser()
    reading.feed(TEXT)
    reading.feed(b"x" * 500)
    assert (reading.content.whole, reading.content.is_between) == (len(TEXT), False)
    reading.feed(b"x\n")
    assert (reading.content.whole, reading.content.is_between) == (len(TEXT) + 502, True)


def test_a_turn_takes_a_bounded_share_so_that_other_jvms_have_theirs(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    place = Address("127.0.0.1", 1)
    events: list[Any] = []
    stored = StoredStream(make_folder(str(tmp_path / "live")), place)
    connection = Connection(1, ours, place, Peer(), stored, lambda event, can_be_lost: not events.append(event))
    theirs.setblocking(False)
    sent = theirs.send(HEADER + record(0x2C, b"") * 200_000)
    turns = 0
    while connection.received < sent:
        before, turns = connection.received, turns + 1
        assert connection.receive()
        assert 0 < connection.received - before <= BLOCK
    assert turns >= sent / BLOCK > 1
    theirs.close()
    assert not connection.receive()


def test_of_unrequested_records_the_first_of_a_second_are_listed_and_the_others_counted(
    listening: Listening,
) -> None:
    count = 20_000
    jvm = FakeJvm(listening.address.port).send(BEGIN + record(0x2C, b"") * count)
    jvm.end()
    events = until(listening, lambda: any(each.peer == jvm.peer and not each.is_open for each in listening.streams))
    told, stream = sum(event.kind == "record" for event in events), stream_of(listening, jvm)
    assert stream.counts["heap_dump_end"] == count
    assert 0 < sum(stream.unlisted.values()) < count
    assert told + sum(stream.unlisted.values()) == count + 1


def test_an_answer_is_reported_however_many_records_arrive(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    place, events = Address("127.0.0.1", 1), list[Any]()
    stored = StoredStream(make_folder(str(tmp_path / "live")), place)
    connection = Connection(1, ours, place, Peer(), stored, lambda event, can_be_lost: not events.append(event))
    theirs.sendall(BEGIN + summary(1) * 1000)
    connection.receive()
    connection.ask("summary")
    theirs.sendall(summary(2))
    connection.receive()
    assert connection.unlisted["heap_summary"] > 0
    assert [event["command"] for event in events if event["event"] == "record" and event["command"]] == ["summary"]
    theirs.close()
    assert not connection.receive()


def test_a_limit_per_second_is_reset_with_the_next_second() -> None:
    limit = RateLimit(2)
    assert [limit.allows(now) for now in (5.0, 5.1, 5.9, 6.0, 6.5, 6.9, 9.0)] == [True, True, False] * 2 + [True]
