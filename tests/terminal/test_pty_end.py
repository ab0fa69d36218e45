"""Ends and stops of all kinds: the terminal is restored, no process is left, the exit status is right."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from .pseudo import SMALL_APP, Pseudo, Start, is_running


def is_stopped(program: Pseudo) -> bool:
    """Returns True if the program is stopped, as by Ctrl+Z."""
    stat_line = Path(f"/proc/{program.process.pid}/stat").read_text()
    return stat_line.rpartition(")")[2].split()[0] == "T"


def test_quitting(start: Start) -> None:
    program = start()
    program.press("q")
    assert program.status() == 0
    assert program.is_restored()
    program.wait_for("after the end")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_signals_end_it_in_order(start: Start, number: int) -> None:
    program = start()
    program.signal(number)
    assert program.status() == 128 + number
    assert program.is_restored()


def test_a_signal_before_the_first_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Pseudo(SMALL_APP) as program:
        program.wait_for(lambda: b"\x1b[?1049h" in program.sent)
        program.signal(signal.SIGTERM)
        assert program.status() == 128 + signal.SIGTERM
        assert program.is_restored()


def test_a_terminal_that_hangs_up_ends_it(start: Start) -> None:
    program = start()
    process = program.process.pid
    program.hang_up()
    assert program.status() == 128 + signal.SIGHUP
    assert not is_running(process)


def test_a_terminal_that_takes_nothing_can_not_keep_it(start: Start) -> None:
    program = start(columns=200, rows=60)
    for _ in range(40):
        program.press("f\x1b[1;1R")
    program.signal(signal.SIGTERM)
    assert program.process.wait(timeout=8) == 128 + signal.SIGTERM


def test_a_loop_that_is_stuck_is_ended_hard(start: Start) -> None:
    program = start()
    program.press("b")
    program.settle(most=1.0)
    program.signal(signal.SIGTERM)
    assert program.status() == 128 + signal.SIGTERM
    assert program.is_restored()


def test_stop_and_continue(start: Start) -> None:
    program = start()
    before = program.text
    program.press("\x1a")
    program.wait_for(lambda: is_stopped(program))
    program.settle()
    assert program.is_restored()
    program.screen.reset()
    program.signal(signal.SIGCONT)
    program.wait_for(lambda: program.text == before)
    program.press("q")
    assert program.status() == 0
    assert program.is_restored()


def test_stopped_from_outside_and_continue(start: Start) -> None:
    program = start()
    before = program.text
    for number in (signal.SIGTSTP, signal.SIGSTOP):
        program.signal(number)
        program.wait_for(lambda: is_stopped(program))
        program.settle()
        program.screen.reset()
        program.signal(signal.SIGCONT)
        program.wait_for(lambda: program.text == before)
    program.press("\x1b[B")
    program.wait_for(lambda: "nothing" in program.screen.display[1])
    program.press("q")
    assert program.status() == 0


def test_ended_while_stopped(start: Start) -> None:
    program = start()
    program.press("\x1a")
    program.wait_for(lambda: is_stopped(program))
    program.signal(signal.SIGTERM)
    program.signal(signal.SIGCONT)
    assert program.status() == 128 + signal.SIGTERM
    assert program.is_restored()


def test_a_crash_shows_one_line_and_keeps_the_traceback(start: Start, tmp_path: Path) -> None:
    program = start()
    program.press("x")
    assert program.status() == 70
    assert program.is_restored()
    program.wait_for("ended by an error of its own: LookupError")
    log = tmp_path / "coffeetree" / "errors.log"
    text = log.read_text()
    assert "LookupError: broken ␛[31m on purpose" in text
    assert "do not show me" not in text.replace('secret = "do not show me"', "")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "Traceback" not in program.text


FAILS_WITH_ITS_THREADS_RUNNING = """
import threading
from tests.terminal.small_app import SmallApp, palette
from tui.terminal.driver import TerminalDriver
from tui.terminal.run import Session

def start(driver):
    begin(driver)
    raise LookupError("the screen is taken and both threads run")

begin, TerminalDriver.start_application_mode = TerminalDriver.start_application_mode, start
with Session() as session:
    session.run(SmallApp(palette))
print("status", session.status, "threads", threading.enumerate() == [threading.main_thread()])
"""


def test_no_thread_outlives_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Pseudo([sys.executable, "-c", FAILS_WITH_ITS_THREADS_RUNNING]) as program:
        program.wait_for("status 70 threads True")
        program.status()
        assert program.is_restored()


def test_descriptors_above_those_of_select(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    many = "import os, resource, runpy, sys\n"
    many += "resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))\n"
    many += "held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]\n"
    many += "runpy.run_module('tests.terminal.small_app', run_name='__main__')"
    with Pseudo([sys.executable, "-c", many]) as program:
        program.wait_for("Map3")
        program.press("p")
        program.wait_for("Enter returns")
        program.press("\r")
        program.wait_for("Map3")
        program.press("q")
        assert program.status() == 0


def test_without_an_error_no_log_is_left(start: Start, tmp_path: Path) -> None:
    program = start()
    program.press("q")
    program.status()
    assert not (tmp_path / "coffeetree" / "errors.log").exists()


def test_printing_on_the_normal_screen(start: Start) -> None:
    program = start()
    before = program.text
    program.press("p")
    program.wait_for("Enter returns")
    assert program.is_restored()
    assert b"java.util.Map.get\r\nsecond line\r\n" in program.sent
    program.screen.reset()
    program.press("\r")
    program.wait_for(lambda: program.text == before)


def test_ended_while_it_waits_for_enter(start: Start) -> None:
    program = start()
    program.press("p")
    program.wait_for("Enter returns")
    program.signal(signal.SIGTERM)
    assert program.status() == 128 + signal.SIGTERM
    assert program.is_restored()


def test_late_words_do_not_spoil_the_screen(start: Start, tmp_path: Path) -> None:
    program = start()
    before = program.text
    program.press("o")
    program.settle()
    assert program.text == before
    program.press("q")
    program.status()
    log = (tmp_path / "coffeetree" / "errors.log").read_text()
    assert log == "a late word of a library\nanother late word\n"


def test_a_pipe_on_standard_input_stays_one(start: Start) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(b"first line of a report\n")
    program = start(stdin=reading)
    program.press("r")
    program.wait_for("read first line of a report")
    program.press("q")
    assert program.status() == 0
    os.close(reading)


def test_standard_error_in_a_file(start: Start, tmp_path: Path) -> None:
    with open(tmp_path / "err.log", "wb") as log:
        program = start(stderr=log)
        program.press("j")
        program.settle()
        program.press("q")
        assert program.status() == 0
    assert (tmp_path / "err.log").read_text() == "after the end\n"


def test_standard_input_at_its_end_burns_no_processor(start: Start) -> None:
    program = start(stdin=subprocess.DEVNULL)
    used = processor_time(program.process.pid)
    program.settle(0.5)
    assert processor_time(program.process.pid) - used < 0.25
    program.press("q")
    assert program.status() == 0


def processor_time(process: int) -> float:
    """Seconds of processor time a process has used."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def test_closed_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Pseudo(["sh", "-c", 'exec "$0" "$1" <&-', *SMALL_APP]) as program:
        program.wait_for("Map3")
        program.press("q")
        assert program.status() == 0
