"""Each private name of Textual that is used, so that an upgrade which takes one away is seen here first."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import textual
from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import CursorPosition, Key
from textual.geometry import Region
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui.terminal import private
from tui.terminal.application import TerminalApp
from tui.terminal.private import pieces_of, screen_text

SOURCES = Path(inspect.getfile(private)).parents[1]


def parameters(function: object) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_the_pinned_version_is_there() -> None:
    assert textual.__version__ == "8.2.8"


def test_methods_of_the_app_that_are_replaced_or_called() -> None:
    assert parameters(App._display) == ["self", "screen", "renderable"]
    assert parameters(App._handle_exception) == ["self", "error"]
    assert parameters(App._set_pointer_shape) == ["self", "shape"]
    for name in ("_fatal_error", "_print_error_renderables", "_begin_batch", "_end_batch", "_close_messages_no_wait"):
        assert parameters(getattr(App, name)) == ["self"]


def test_fields_of_the_app() -> None:
    app = App()
    for name in ("_batch_count", "_driver", "_loop", "_running", "_closed", "_sync_available", "_exit_renderables"):
        assert hasattr(app, name), name
    assert isinstance(app._screen_stack, list)
    assert app.no_color is False


def test_the_app_still_asks_if_frames_are_batched() -> None:
    assert "_batch_count" in inspect.getsource(App._display)
    assert "_batch_count" in inspect.getsource(Screen._on_timer_update)
    assert isinstance(inspect.getattr_static(Screen, "_update_timer"), property)


def test_methods_of_the_driver_that_are_replaced_or_called() -> None:
    own = ("_get_terminal_size", "_enable_mouse_support", "_disable_mouse_support", "_enable_mouse_pixels")
    for name in (*own, "run_input_thread", "start_application_mode", "stop_application_mode", "disable_input", "close"):
        assert parameters(getattr(LinuxDriver, name)) == ["self"], name
    source = inspect.getsource(LinuxDriver)
    for name in ("self._file", "self.fileno", "self.input_tty", "self._writer_thread", "self.exit_event"):
        assert name in source, name
    assert "self._mouse" in inspect.getsource(Driver)
    assert "_auto_restart" in inspect.getsource(Driver)


def test_the_writer_thread_asks_of_its_file_only_what_a_terminal_has() -> None:
    from textual.drivers import _writer_thread

    asked = set(re.findall(r"self\._file\.(\w+)", inspect.getsource(_writer_thread)))
    assert asked <= {"write", "flush", "fileno"}


def test_the_parser_distinguishes_keys_and_cursor_positions() -> None:
    events = list(XTermParser().feed("j\x1b[12;34R"))
    assert [type(event) for event in events] == [Key, CursorPosition]
    assert (events[1].x, events[1].y) == (33, 11)


def test_pieces_of_a_layout_are_side_by_side() -> None:
    left, right = Strip([Segment("ab")]), Strip([Segment("cde")])
    update = LayoutUpdate([[left, right], [right, left]], Region(4, 2, 5, 2))
    assert list(pieces_of(update)) == [(2, 4, left), (2, 6, right), (3, 4, right), (3, 7, left)]


def test_pieces_of_chops_are_cut_where_the_span_ends() -> None:
    first, second = Strip([Segment("abcd")]), Strip([Segment("efgh")])
    update = ChopsUpdate([{0: first, 4: second, 8: None}], [(0, 0, 6)], [[4, 8, 12]])
    assert [(piece.y, piece.x, piece.strip.text) for piece in pieces_of(update)] == [(0, 0, "abcd"), (0, 4, "ef")]


def test_a_piece_that_begins_where_the_span_ends_is_left_out() -> None:
    update = ChopsUpdate([{0: Strip([Segment("abcd")]), 4: Strip([Segment("efgh")])}], [(0, 0, 4)], [[4, 8]])
    assert [(piece.x, piece.strip.text) for piece in pieces_of(update)] == [(0, "abcd")]


async def test_the_text_of_a_screen() -> None:
    from textual.widgets import Static

    class Hello(TerminalApp):
        def compose(self):
            yield Static("hello", markup=False)

    app = Hello()
    async with app.run_test(size=(20, 2)):
        assert screen_text(app) == "hello\n"


def names_in(text: str, pattern: str) -> set[str]:
    return set(re.findall(rf"{pattern}\.(_[a-z]\w+)", text))


WIDGETS = (Screen, ScrollView, Widget, DOMNode, MessagePump, Compositor)
APPS = (App, LinuxDriver, Driver)


def test_private_names_are_used_in_one_file_only() -> None:
    """Neither used nor, by accident, given a second meaning in a class derived from Textual's."""
    widgets = set().union(*[names_in(inspect.getsource(owner), "self") for owner in WIDGETS])
    apps = set().union(*[names_in(inspect.getsource(owner), "self") for owner in APPS])
    found = set()
    for path in SOURCES.rglob("*.py"):
        text = path.read_text("utf-8")
        if path.name != "private.py" and "textual" in text:
            taken = widgets | apps if "App(" in text else widgets
            found |= {(path.name, name) for name in names_in(text, "") & (taken | {"_compositor"})}
    assert found == set()
