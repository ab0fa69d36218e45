"""The mouse on a terminal: dragging the edge of the side pane, selecting rows, clicking keys and links."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .pseudo import COFFEETREE, Pseudo
from .test_pty_browser import write_call_tree

LEFT, DRAG = 0, 32
"""Codes of the SGR mouse protocol: the left button, and its movement while it is held."""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A call tree of 50 entries, and private folders for state and cache."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return write_call_tree(tmp_path / "call_tree_small_20260101_000000.txt", 50)


def browser(tree: Path, columns: int = 120, rows: int = 30, **environ: str) -> Pseudo:
    return Pseudo([COFFEETREE, str(tree)], columns=columns, rows=rows, environ=environ)


def drag(program: Pseudo, *places: tuple[int, int]) -> None:
    """Presses the left button at the first place (column, line, from 0), moves to the others, and releases it."""
    for number, (x, y) in enumerate(places):
        program.press(f"\x1b[<{DRAG if number else LEFT};{x + 1};{y + 1}M")
        program.settle()
    x, y = places[-1]
    program.press(f"\x1b[<{LEFT};{x + 1};{y + 1}m")


def ready(program: Pseudo) -> None:
    """Waits for the tree with its side pane and the keys."""
    program.wait_for("│ Main0.main")
    program.wait_for("? help")


def edge_of(program: Pseudo) -> int:
    """Column of the edge between tree and side pane."""
    return program.screen.display[10].rindex("│")


def line_of(program: Pseudo, text: str) -> int:
    """The first line of the screen with a text."""
    return next(y for y, line in enumerate(program.screen.display) if text in line)


def copied(program: Pseudo) -> list[str]:
    """Texts that were sent to the clipboard of the terminal."""
    return [base64.b64decode(data).decode() for data in re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", program.sent)]


def test_the_edge_of_the_side_pane_is_dragged_and_stays_there(tree: Path) -> None:
    with browser(tree) as program:
        ready(program)
        edge = edge_of(program)
        drag(program, (edge, 10), (edge - 10, 10), (60, 12))
        program.wait_for(lambda: edge_of(program) == 60)
        program.press("Q")
        assert program.status() == 0
    with browser(tree) as program:
        ready(program)
        assert edge_of(program) == 60
        program.press("Q")


def test_the_edge_of_a_pane_below_is_dragged_too(tree: Path) -> None:
    with browser(tree, 80, 30) as program:
        program.wait_for("? help")
        program.wait_for("────")
        before = next(y for y, line in enumerate(program.screen.display) if line.startswith("────"))
        drag(program, (5, before), (5, 12))
        program.wait_for(lambda: program.screen.display[12].startswith("────"))


def test_dragging_over_rows_copies_them_whole(tree: Path) -> None:
    with browser(tree, 80, 20) as program:
        program.wait_for("? help")
        first = line_of(program, "method0")
        drag(program, (30, first), (30, first + 1), (30, first + 2))
        program.wait_for("3 lines")
        assert len(copied(program)) == 1
        lines = copied(program)[0].split("\n")
        # The window is too narrow for arguments and packages.
        assert [line.partition("(")[0].split(".")[-1] for line in lines] == ["method0", "method1", "method2"]
        assert all("com.example.lib.Thing0" in line and "(int, String):Object" in line for line in lines)
        assert "p prints" in program.text


def test_off_leaves_the_mouse_to_the_terminal(tree: Path) -> None:
    with browser(tree) as program:
        ready(program)
        assert program.modes()["1002"]
        program.press(":mouse off\r")
        program.wait_for("mouse off: ")
        assert not program.modes()["1002"]
        program.press(":mouse on\r")
        program.wait_for(lambda: program.modes()["1002"])
        program.press(":mouse maybe\r")
        program.wait_for("the mouse is on or off, not maybe")


def test_a_click_on_a_key_of_the_footer_is_that_key(tree: Path) -> None:
    with browser(tree) as program:
        ready(program)
        drag(program, (program.screen.display[-1].index("search"), 29))
        program.wait_for(lambda: program.screen.display[-1].startswith("/"))


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_inside_tmux_its_own_command_copies(tree: Path, tmp_path: Path) -> None:
    socket = ["tmux", "-S", str(tmp_path / "tmux")]
    environ = {**os.environ, "TERM": "xterm"}
    subprocess.run([*socket, "-f", "/dev/null", "new-session", "-d", "cat"], check=True, env=environ)
    try:
        with browser(tree, TMUX=f"{tmp_path / 'tmux'},1,0") as program:
            ready(program)
            first = line_of(program, "method0")
            drag(program, (30, first), (30, first + 1))
            program.wait_for("sent to tmux (p prints instead): 2 lines")

            def buffer() -> str:
                return subprocess.run([*socket, "show-buffer"], check=False, capture_output=True, text=True).stdout

            program.wait_for(lambda: "method1" in buffer())
            assert ["method0" in buffer(), "method2" in buffer()] == [True, False]
            assert copied(program) == []
    finally:
        subprocess.run([*socket, "kill-server"], check=False)
