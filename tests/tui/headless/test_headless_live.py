"""`listen` and `dump` without the browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from fake_jvm import HEADER, FakeJvm, Recorded, record, settings, summary

from parsers.runtime.live.command import END

Run = Callable[..., Answer]
BEGIN = HEADER + settings(2)


class Command:
    """`coffeetree listen` in a process of its own, and the lines it prints."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tui", "listen", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.first = self.line()
        self.port = int(self.first["address"].rpartition(":")[2])

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        fields: dict[str, Any] = json.loads(line)
        return fields

    def lines_until(self, event: str) -> list[dict[str, Any]]:
        lines = [self.line()]
        while lines[-1]["event"] != event:
            lines.append(self.line())
        return lines

    def end(self) -> tuple[int, list[dict[str, Any]], str]:
        out, err = self.process.communicate()
        return self.process.returncode, [json.loads(line) for line in out.splitlines()], err


@pytest.fixture
def listen(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    begun: list[Command] = []

    def begin(*words: str) -> Command:
        begun.append(Command("0", "--json", "--into", str(tmp_path / "live"), *words))
        return begun[-1]

    yield begin
    for command in begun:
        if command.process.poll() is None:
            command.process.kill()
            command.process.communicate()


def test_listen_prints_all_events(listen: Callable[..., Command], tmp_path: Path) -> None:
    command = listen("--jvms", "1")
    jvm = FakeJvm(command.port)
    jvm.send(Recorded("samples-binary.raw").bytes).end()
    status, lines, err = command.end()
    assert (status, err) == (0, "")
    assert command.first["folder"] == str(tmp_path / "live")
    assert [line["event"] for line in lines] == ["connected", *["record"] * (len(lines) - 2), "ended"]
    assert lines[0]["peer"] == jvm.peer and {line["stream"] for line in lines} == {1}
    samples = [line for line in lines if line.get("record") == "cpu_samples"]
    assert [line["total"] for line in samples][:3] == [38, 60, 9]
    assert lines[-1]["bytes"] == 64_141 and lines[-1]["cut"] is None
    assert Path(lines[-1]["file"]).read_bytes() == Recorded("samples-binary.raw").bytes


def test_of_a_flood_of_records_some_are_listed_and_the_others_counted(listen: Callable[..., Command]) -> None:
    count, command = 20_000, listen("--jvms", "1")
    FakeJvm(command.port).send(BEGIN + record(0x2C, b"") * count).end()
    status, lines, _ = command.end()
    listed = sum(line["event"] == "record" for line in lines)
    (not_listed,) = lines[-1]["not_listed"].values()
    assert (status, listed + not_listed, listed < count // 10) == (0, count + 1, True)
    assert [line["most_a_second"] for line in lines if line["event"] == "records not listed"] == [100]


def test_ctrl_c_ends_the_commands_and_waits_for_the_jvms(listen: Callable[..., Command]) -> None:
    command = listen()
    jvm = FakeJvm(command.port).send(BEGIN + summary(1))
    command.lines_until("record")
    command.process.send_signal(signal.SIGINT)
    jvm.wait_for(END)
    jvm.send(summary(2)).end()
    status, lines, err = command.end()
    assert status == 128 + signal.SIGINT
    assert lines[-1]["event"] == "ended" and lines[-1]["bytes"] == len(BEGIN + summary(1) + summary(2))
    assert err.startswith("1 JVM is connected: no more requests")


def test_the_second_ctrl_c_leaves_the_rest_to_the_background(listen: Callable[..., Command]) -> None:
    command = listen()
    jvm = FakeJvm(command.port).send(BEGIN + summary(1))
    connected = command.lines_until("record")[0]
    command.process.send_signal(signal.SIGINT)
    jvm.wait_for(END)
    command.process.send_signal(signal.SIGINT)
    assert command.end()[0] == 128 + signal.SIGINT
    jvm.send(summary(2) * 3).end()
    # The other end was closed, so all bytes were read.
    assert Path(connected["file"]).read_bytes() == BEGIN + summary(1) + summary(2) * 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_leave_all_to_the_background(number: signal.Signals, listen: Callable[..., Command]) -> None:
    command = listen()
    jvm = FakeJvm(command.port).send(BEGIN + summary(1))
    connected = command.lines_until("record")[0]
    command.process.send_signal(number)
    assert command.end()[0] == 128 + number
    jvm.wait_for(END)
    jvm.send(summary(2)).end()
    assert Path(connected["file"]).read_bytes() == BEGIN + summary(1) + summary(2)


def test_a_cut_stream_is_damage(listen: Callable[..., Command]) -> None:
    command = listen("--jvms", "1")
    FakeJvm(command.port).send(BEGIN + summary(1)[:-1]).end()
    status, lines, _ = command.end()
    assert status == 3 and lines[-1]["cut"] == "heap_summary"


def test_listen_prints_plain_text_too(listen: Callable[..., Command], tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tui", "listen", "0", "--jvms", "1", "--into", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("waits for JVMs at 127.0.0.1:") and first.endswith(f", into {tmp_path}\n")
        jvm = FakeJvm(int(first.split(",")[0].rpartition(":")[2]))
        jvm.send(BEGIN + summary(1_234)).end()
        lines = process.stdout.read().splitlines()
    name = next(tmp_path.glob("*.hprof"))
    assert lines == [
        f"{jvm.peer}  connected, stored in {name}",
        f"{jvm.peer}  control settings: CPU samples, depth 4",
        f"{jvm.peer}  heap summary: live bytes 1,234, live instances 1, allocated bytes 1,234, allocated instances 1",
        f"{jvm.peer}  ended, closed by the JVM: {os.path.getsize(name)} bytes",
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["listen"], "listen takes one word: coffeetree listen [HOST:]PORT"),
        (["listen", "1", "2"], "listen takes one word"),
        (["listen", "nowhere"], "nowhere: is no [HOST:]PORT"),
        (["listen", "192.0.2.1:0"], "192.0.2.1:0: cannot assign requested address"),
        (["listen", "0", "--at", "1"], "listen has no option --at"),
    ],
)
def test_an_unusable_address_is_reported(words: list[str], says: str, coffeetree: Run) -> None:
    answer = coffeetree(*words)
    assert answer.status == 2 and answer.out == "" and says in answer.err
