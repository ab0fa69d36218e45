"""The rows that are on the terminal before Textual is imported: nothing that happens meanwhile is lost."""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .pseudo import Pseudo, python
from .test_pty_browser import small
from .test_pty_end import is_stopped

__all__ = ["small"]

WAITS_BEFORE_TEXTUAL = """
import os, sys

class Gate:
    def find_spec(self, name, *_):
        if name == "textual":
            sys.meta_path.remove(self)
            open(os.environ["GATE"]).close()

sys.meta_path.insert(0, Gate())
from tui.app.main import main
sys.exit(main())
"""
"""The program, which waits for a writer of the pipe GATE before it imports Textual."""


class Held(Pseudo):
    """The program while it shows its early frame."""

    gate: Path

    def let_go(self) -> None:
        """Ends its wait before the import of Textual."""
        os.close(os.open(self.gate, os.O_WRONLY))


@contextmanager
def held(report: Path, tmp_path: Path, **options: object) -> Iterator[Held]:
    """Starts the program and waits until its early frame is shown."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    command = [*python("-c", WAITS_BEFORE_TEXTUAL), str(report)]
    with Held(command, environ={"GATE": str(gate)}, **options) as program:  # type: ignore[arg-type]
        program.gate = gate
        program.wait_for("row 1 of")
        yield program


def rows_of(program: Pseudo) -> list[str]:
    """The lines of the tree on an 80 by 24 terminal, without the detail pane."""
    return [line.rstrip() for line in program.screen.display[3:18]]


def test_rows_are_shown_before_textual_is_imported_and_stay_while_it_takes_over(small: Path, tmp_path: Path) -> None:
    with held(small, tmp_path) as program:
        early = rows_of(program)
        assert "Main0.main" in early[0]
        assert len(program.sent) < 6_000
        program.let_go()
        begun = len(program.sent)
        while "quit" not in program.screen.display[-1]:
            assert program.read(10)
            assert rows_of(program) == early
        assert len(program.sent) - begun < 2_500
        program.press("Q")
        assert program.status() == 0
        assert program.is_restored()


def test_keys_typed_meanwhile_are_not_echoed_and_not_lost(small: Path, tmp_path: Path) -> None:
    with held(small, tmp_path) as program:
        early = program.text
        program.press("jj")
        program.settle()
        assert program.text == early
        program.let_go()
        program.wait_for("row 3 of")
        program.press("Q")
        assert program.status() == 0
        assert program.is_restored()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_meanwhile_ends_the_program_in_order(small: Path, tmp_path: Path, number: signal.Signals) -> None:
    with held(small, tmp_path) as program:
        program.signal(number)
        program.let_go()
        assert program.status() == 128 + number
        assert program.is_restored()


def test_ctrl_c_meanwhile_ends_the_program(small: Path, tmp_path: Path) -> None:
    with held(small, tmp_path) as program:
        program.press("\x03")
        program.let_go()
        assert program.status() == 130
        assert program.is_restored()


def test_ctrl_z_meanwhile_stops_the_program_when_it_can_give_the_terminal_back(small: Path, tmp_path: Path) -> None:
    with held(small, tmp_path) as program:
        program.press("\x1a")
        program.let_go()
        program.wait_for(lambda: is_stopped(program))
        assert termios.tcgetattr(program.slave)[:4] == program.before[:4]
        program.signal(signal.SIGCONT)
        program.wait_for("quit")
        program.press("Q")
        assert program.status() == 0


def test_a_resize_meanwhile_is_followed(small: Path, tmp_path: Path) -> None:
    with held(small, tmp_path) as program:
        program.resize(60, 12)
        program.let_go()
        program.wait_for("quit")
        program.settle()
        shown = program.text
        program.paint_anew()
        assert program.text == shown
        assert "Main0.main" in program.screen.display[3]
        program.press("Q")
        assert program.status() == 0


def test_a_program_of_the_user_gets_the_terminal_as_it_was(small: Path, tmp_path: Path) -> None:
    with held(small, tmp_path) as program:
        assert not termios.tcgetattr(program.slave)[3] & termios.ECHO
        program.let_go()
        program.wait_for("quit")
        program.press("pp")
        program.wait_for("Enter returns")
        assert termios.tcgetattr(program.slave)[:4] == program.before[:4]
        program.press("\r")
        program.wait_for("quit")
        program.press("Q")
        assert program.status() == 0


def test_without_colours_and_with_ascii_only(small: Path, tmp_path: Path) -> None:
    for number, environ in enumerate(({"NO_COLOR": "1"}, {"TERM": "xterm"}, {"LANG": "C", "LC_ALL": "C"})):
        folder = tmp_path / str(number)
        folder.mkdir()
        os.mkfifo(folder / "gate")
        command = [*python("-c", WAITS_BEFORE_TEXTUAL), str(small)]
        with Pseudo(command, environ={"GATE": str(folder / "gate"), **environ}) as program:
            program.wait_for("row 1 of")
            early, sent = rows_of(program), program.sent
            assert (b"38;5" not in sent and b"48;5" not in sent) or "LANG" in environ
            assert sent.isascii() or "LANG" not in environ
            os.close(os.open(folder / "gate", os.O_WRONLY))
            program.wait_for("quit")
            program.settle()
            assert rows_of(program) == early
            program.press("Q")
            assert program.status() == 0
