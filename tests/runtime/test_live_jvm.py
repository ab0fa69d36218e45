"""Listening to a real JVM of JDK 5 to 8, where `COFFEETREE_JDK8` names its `java`; no machine needs to have one.

The program waits for its standard input to end, so that a test says when the JVM ends. No JVM may end with another
status than its own, whatever is done to the other side.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Answer
from fake_jvm import receiver, until

from parsers.runtime.live.client import Listening
from parsers.runtime.live.stream.live_stream import LiveStream

JAVA = os.environ.get("COFFEETREE_JDK8", "")
pytestmark = pytest.mark.skipif(not JAVA, reason="COFFEETREE_JDK8 names no java")
PROGRAM = "var n = 0; while (java.lang.System.in.read() >= 0) { n++; new java.lang.Thread(function() {}).start(); }"
"""Waits for bytes, and for each starts a thread, which the agent has something to send about."""
OPTIONS = ["format=b,cpu=samples", "format=b,heap=sites", "format=b,heap=dump", "format=a,heap=all,cpu=samples"]

Start = Callable[[Listening, str], subprocess.Popen[bytes]]


@pytest.fixture
def jvm(tmp_path: Path) -> Iterator[Start]:
    begun: list[subprocess.Popen[bytes]] = []
    script = tmp_path / "program.js"
    script.write_text(PROGRAM)

    def start(listening: Listening, options: str) -> subprocess.Popen[bytes]:
        agent = f"-agentlib:hprof=net=127.0.0.1:{listening.address.port},{options}"
        begun.append(
            subprocess.Popen(
                [JAVA, agent, "-Xmx64m", "jdk.nashorn.tools.Shell", str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # The agent keeps a file there while it dumps.
                cwd=tmp_path,
            )
        )
        return begun[-1]

    yield start
    for each in begun:
        each.kill()
        each.communicate()


def connected(listening: Listening) -> LiveStream:
    """The stream of the only JVM, once its header is there."""
    until(listening, lambda: listening.streams and listening.streams[0].layout)
    return listening.streams[0]


def status_at_the_end(jvm: subprocess.Popen[bytes], listening: Listening) -> int:
    """Lets the program end; the exit status, once all is stored."""
    assert jvm.stdin is not None
    jvm.stdin.close()
    until(listening, lambda: not listening.open_streams)
    return jvm.wait()


@pytest.mark.parametrize("options", OPTIONS)
def test_a_jvm_that_is_only_looked_at_ends_as_it_would(
    options: str, jvm: Start, tmp_path: Path, coffeetree: Callable[..., Answer], cache_folder: Path
) -> None:
    with receiver(tmp_path / "live", "--heartbeat", "0.1") as listening:
        process = jvm(listening, options)
        stream = connected(listening)
        assert status_at_the_end(process, listening) == 0
        info = coffeetree("info", "--json", stream.path)
        assert info.status == 0 and stream.half == ""
        has_dump = "heap=dump" in options or "heap=all" in options
        totals = info.json["totals"]
        assert bool(totals.get("dumps") or totals.get("heap_dump_sections")) == has_dump


def test_commands_are_answered(jvm: Start, tmp_path: Path) -> None:
    with receiver(tmp_path / "live", "--heartbeat", "0.1") as listening:
        process = jvm(listening, "format=b,cpu=samples")
        stream = connected(listening)
        for name, text in (
            ("gc", ""),
            ("depth", "7"),
            ("traces", ""),
            ("samples", "0"),
            ("sites", "0.5"),
            ("samples", ""),
        ):
            stream.act(name, text)
        for name in ("clear-samples", "clear-sites", "allocation-off", "sampling-on", "sampling-off"):
            stream.act(name)
        until(listening, lambda: [each.command for each in stream.answers][1:] == ["samples", "sites", "samples"])
        until(listening, lambda: not stream.waiting)
        assert status_at_the_end(process, listening) == 0


def test_allocations_are_counted_where_there_is_a_heap_option(jvm: Start, tmp_path: Path) -> None:
    with receiver(tmp_path / "live") as listening:
        process = jvm(listening, "format=b,heap=sites")
        stream = connected(listening)
        for name in ("allocation-off", "allocation-on", "sites"):
            stream.act(name)
        until(listening, lambda: [each.command for each in stream.answers][1:] == ["sites"])
        assert status_at_the_end(process, listening) == 0


def test_a_heap_is_dumped_when_asked(jvm: Start, tmp_path: Path) -> None:
    with receiver(tmp_path / "live") as listening:
        process = jvm(listening, "format=a,heap=dump")
        stream = connected(listening)
        assert (stream.program, stream.process) == ("jdk.nashorn.tools.Shell", process.pid)
        assert "-jdk.nashorn.tools.Shell-127.0.0.1-" in stream.path
        for _ in range(2):
            # It is known to have been started with heap=dump.
            stream.act("heap-dump")
        until(listening, lambda: stream.counts.get("HEAP DUMP BEGIN") == 2 and not stream.waiting)
        assert status_at_the_end(process, listening) == 0


@pytest.mark.parametrize("options", OPTIONS)
def test_leaving_harms_no_jvm(options: str, jvm: Start, tmp_path: Path) -> None:
    with receiver(tmp_path / "live") as listening:
        process = jvm(listening, options)
        stream = connected(listening)
        listening.leave()
        until(listening, lambda: stream.state == "left")
        assert status_at_the_end(process, listening) == 0
        assert stream.half == "" and stream.bytes == os.path.getsize(stream.path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_receiver_harms_no_jvm(number: signal.Signals, jvm: Start, tmp_path: Path) -> None:
    with receiver(tmp_path / "live") as listening:
        process = jvm(listening, "format=b,heap=dump")
        connected(listening)
        os.kill(listening.process, number)
        assert status_at_the_end(process, listening) == 0


def test_the_browser_may_end_while_a_jvm_begins(jvm: Start, tmp_path: Path) -> None:
    with receiver(tmp_path / "live") as listening:
        process = jvm(listening, "format=b,heap=dump")
        until(listening, lambda: listening.streams)
        listening.close()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0
