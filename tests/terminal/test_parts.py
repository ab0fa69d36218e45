"""The parts of the terminal layer that need no terminal."""

from __future__ import annotations

import base64
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tui.app.main import has_terminal
from tui.terminal import application
from tui.terminal.application import SENT_TO_TMUX, TerminalApp
from tui.terminal.clipboard import LARGEST, osc52
from tui.terminal.crash import CrashLog
from tui.terminal.environment import prepare


def test_a_text_goes_to_the_clipboard_in_base64() -> None:
    assert osc52("é", is_in_tmux=False) == f"\x1b]52;c;{base64.b64encode('é'.encode()).decode()}\x07"


def test_text_that_would_end_the_sequence_can_not() -> None:
    sequence = osc52("\x07\x1b\\\x1b[31m", is_in_tmux=True)
    plain, wrapped = sequence[: sequence.index("\x1bP")], sequence[sequence.index("\x1bP") :]
    assert plain.count("\x1b") == 1
    assert wrapped.startswith("\x1bPtmux;\x1b\x1b]52;c;")
    assert wrapped.endswith("\x07\x1b\\")


def test_the_largest_text_and_one_byte_more() -> None:
    assert len(base64.b64decode(osc52("x" * LARGEST, False)[7:-1])) == LARGEST
    assert osc52("x" * (LARGEST + 1), False) is None


def test_textual_is_configured_before_it_is_imported() -> None:
    environ = {"SSH_CONNECTION": "a b c d", "NO_COLOR": "1"}
    prepare(environ)
    assert environ["ESCDELAY"] == "250"
    assert environ["TEXTUAL_DISABLE_KITTY_KEY"] == "1"
    assert "NO_COLOR" not in environ


def test_settings_of_the_user_are_kept() -> None:
    environ = {"SSH_TTY": "/dev/pts/1", "ESCDELAY": "50", "TEXTUAL_FPS": "10"}
    prepare(environ)
    assert (environ["ESCDELAY"], environ["TEXTUAL_FPS"]) == ("50", "10")


def test_at_home_escape_is_not_delayed() -> None:
    environ: dict[str, str] = {}
    prepare(environ)
    assert "ESCDELAY" not in environ


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": ""}, {}])
def test_no_browsing_on_a_terminal_that_can_not_move_its_cursor(environ: dict[str, str]) -> None:
    assert not has_terminal(environ)


def test_a_served_browser_needs_no_terminal() -> None:
    assert has_terminal({"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"})


def test_asking_for_a_terminal_imports_neither_textual_nor_rich() -> None:
    modules = "tui.app.main, tui.terminal.tty, tui.terminal.environment"
    code = f"import sys, {modules}; print({{'textual', 'rich'}} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_a_log_is_private_and_has_no_control_characters(tmp_path: Path) -> None:
    log = CrashLog({"XDG_STATE_HOME": str(tmp_path)})
    log.note(ValueError("bad \x1b]0;name\x07"))
    log.close()
    path = tmp_path / "coffeetree" / "errors.log"
    assert "ValueError: bad ␛]0;name␇" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert log.message.startswith("coffeetree: ended by an error of its own: ValueError: bad ␛]0;name␇ (traceback in /")


def test_a_log_that_can_not_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "coffeetree").write_text("a file in the way")
    log = CrashLog({"XDG_STATE_HOME": str(tmp_path)})
    log.note(ValueError("bad"))
    log.close()


def test_a_log_is_never_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "coffeetree").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "coffeetree" / "errors.log")
    log = CrashLog({"XDG_STATE_HOME": str(tmp_path)})
    log.note(ValueError("bad"))
    log.close()
    assert not (tmp_path / "elsewhere").exists()


class Copying(TerminalApp):
    """An app whose terminal takes copies."""

    has_terminal = False

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.ended: list[str] = []

    @property
    def terminal_driver(self) -> Any:
        return self if self.has_terminal else None

    def show_frame(self, pieces: Any, cursor: tuple[int, int]) -> None:
        """Draws nothing."""

    def _copy_by_terminal(self, driver: Any, text: str, is_in_tmux: bool = False) -> str:
        assert is_in_tmux
        self.sent.append(text)
        return "sent to the terminal"

    def show_message(self, message: str, kind: str = "information") -> None:
        self.ended.append(message)


async def test_tmux_is_waited_for_in_a_thread_and_texts_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    may_end = threading.Event()

    def load(text: str) -> bool:
        may_end.wait(20)
        order.append(text)
        return text != "refused"

    monkeypatch.setenv("TMUX", "/tmp/tmux-1000/default,1,0")
    monkeypatch.setattr(application, "load_tmux_buffer", load)
    app = Copying()
    async with app.run_test():
        app.has_terminal = True
        assert {app.copy(text) for text in ("one", "refused", "two")} == {SENT_TO_TMUX}
        assert (order, app.sent) == ([], [])
        may_end.set()
        await app.workers.wait_for_complete()
        app.has_terminal = False
    assert order == ["one", "refused", "two"]
    assert (app.sent, app.ended) == (["refused"], ["sent to the terminal"])
