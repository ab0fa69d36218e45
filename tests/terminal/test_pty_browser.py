"""The whole browser on a terminal: what it starts ends with it, and it works on terminals of all sorts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tui.settings.state_folder import StateFolder

from .pseudo import COFFEETREE, ENDINGS, Pseudo, children_of, is_running


def write_call_tree(path: Path, entries: int) -> Path:
    """A call tree of ten lines an entry, about 700 bytes."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("VM Entry Points\n")
        for number in range(entries):
            file.write(f"├── entry com.example.app.Main{number}.main(java.lang.String[]):void id={9 * number} \n")
            for call in range(8):
                called = f"com.example.lib.Thing{number}.method{call}(int, java.lang.String):java.lang.Object"
                file.write(f"│   ├── directly calls {called} id={9 * number + call + 1} @bci={call} \n")
            file.write("│   └── directly calls java.lang.Object.<init>():void id-ref=1 @bci=99 \n")
    return path


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A call tree of 50 entries, and private folders for state and cache."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # It is not the first start, whose screen has a hint more.
    assert StateFolder(tmp_path / "state" / "coffeetree").is_first_start()
    return write_call_tree(tmp_path / "call_tree_small_20260101_000000.txt", 50)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A call tree that takes some time to index."""
    return write_call_tree(tmp_path_factory.mktemp("large") / "call_tree_large_20260101_000000.txt", 40_000)


def all_below(process: int) -> list[int]:
    """Processes that a process has started, and those that they have started."""
    found, waiting = [], [process]
    while waiting:
        below = children_of(waiting.pop())
        found += below
        waiting += below
    return found


def command_of(process: int) -> str:
    """The command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", [*ENDINGS, "Q"])
def test_no_process_is_left(large: Path, ending: str) -> None:
    end, status = ENDINGS.get(ending, (lambda program: program.press("Q"), 0))
    with Pseudo([COFFEETREE, "--no-cache", str(large)]) as program:
        program.wait_for("line:2")
        program.press("/Thing7\r")
        program.wait_for(lambda: all_below(program.process.pid))
        started = all_below(program.process.pid)
        end(program)
        assert program.status() == status
        assert started
        Pseudo.until(lambda: not any(map(is_running, started)))
        assert [command_of(process) for process in started if is_running(process)] == []


def test_terminals_with_few_colours_and_small_ones(small: Path) -> None:
    for environ, columns, rows in [
        ({"TERM": "xterm"}, 80, 24),
        ({"TERM": "linux", "NO_COLOR": "1"}, 40, 10),
        ({"TERM": "vt100"}, 78, 12),
    ]:
        with Pseudo([COFFEETREE, str(small)], environ=environ, columns=columns, rows=rows) as program:
            program.wait_for("Main0")
            program.press("jj\x06zR")
            program.settle()
            assert not re.search(rb"[34]8;[25];", program.sent)
            program.press("Q")
            assert program.status() == 0
            assert program.is_restored()


def test_a_dumb_terminal_gets_plain_rows(small: Path) -> None:
    with Pseudo([COFFEETREE, str(small)], environ={"TERM": "dumb"}, columns=120) as program:
        assert program.status() == 0
        assert b"\x1b" not in program.sent
        assert b"Main0.main" in program.sent


def test_a_report_from_a_pipe_and_keys_from_the_terminal(small: Path) -> None:
    with (
        subprocess.Popen(["cat", str(small)], stdout=subprocess.PIPE) as cat,
        Pseudo([COFFEETREE, "-"], stdin=cat.stdout) as program,
    ):
        program.wait_for("Main0")
        program.press("j")
        program.wait_for("line:3")
        program.press("Q")
        assert program.status() == 0


def test_a_storm_of_resizes(small: Path) -> None:
    with Pseudo([COFFEETREE, str(small)], columns=100, rows=30) as program:
        program.wait_for("line:2")
        for columns, rows in [(1, 1), (20, 5), (2, 2), (300, 90), (5, 1), (40, 10), (110, 20), (10, 3), (100, 30)]:
            program.resize(columns, rows)
            program.press("j")
            program.read(0.01)
        program.wait_for(lambda: "line:11" in program.text and "? help" in program.text)
        program.settle()
        picture = program.text
        program.paint_anew()
        assert program.text == picture
        program.press("Q")
        assert program.status() == 0


def test_a_torn_arrow_key_does_no_harm(small: Path) -> None:
    with Pseudo([COFFEETREE, str(small)]) as program:
        program.wait_for("line:2")
        program.press("\x1b")
        program.settle(0.3)
        program.press("[B")
        # One key if its rest arrived in time, else an Escape and unbound keys.
        program.wait_for(lambda: "line:3" in program.text or "is not bound in this view" in program.text)
        program.press("\x1b")
        program.settle(0.3)
        program.press("[1;5C")
        program.settle(0.2)
        assert program.process.poll() is None
        before = program.text
        program.press("j")
        program.wait_for(lambda: program.text != before)


def test_few_bytes_a_move_and_a_page(small: Path) -> None:
    environ = {"COLORTERM": "truecolor"}
    with Pseudo([COFFEETREE, str(small)], columns=120, rows=40, environ=environ) as program:
        program.wait_for("line:2")
        program.settle(0.3)
        assert len(program.sent) < 30_000
        program.press("i")
        assert program.bytes_of("j") <= 1_000
        assert program.bytes_of("\x06") <= 20_000


def test_suspending_and_continuing(small: Path) -> None:
    with Pseudo([COFFEETREE, str(small)]) as program:
        program.wait_for("line:2")
        program.settle(0.3)
        picture = program.text
        program.press("\x1a")
        program.wait_for(lambda: Path(f"/proc/{program.process.pid}/stat").read_text().split()[2] == "T")
        program.settle()
        assert program.is_restored()
        program.screen.reset()
        program.signal(signal.SIGCONT)
        program.wait_for(lambda: program.text == picture)
        program.press("Q")
        assert program.status() == 0


@pytest.mark.parametrize("key", ["\r", "\x03"])
def test_printing_a_row_on_the_normal_screen(small: Path, key: str) -> None:
    with Pseudo([COFFEETREE, str(small)]) as program:
        program.wait_for("line:2")
        program.press("pp")
        program.wait_for("Enter returns")
        assert program.is_restored()
        assert "Main0.main" in program.text
        program.press(key)
        program.wait_for("line:2")
        program.press("Q")
        assert program.status() == 0


def test_nothing_but_status_when_the_terminal_is_gone_at_once(small: Path) -> None:
    with Pseudo([COFFEETREE, str(small)]) as program:
        process = program.process.pid
        program.hang_up()
        assert program.status() in (129, -signal.SIGHUP, 2, 1)
        assert not is_running(process)
        assert not os.path.exists(f"/proc/{process}/fd")


def test_a_file_that_can_not_be_opened_yet_can_be_quit(tmp_path: Path, small: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with Pseudo([COFFEETREE, str(tmp_path / "pipe")], columns=80, rows=24) as program:
        program.wait_for("opening: ")
        program.press("q")
        assert program.status() == 0
        assert program.is_restored()
