"""The one place that touches private names of Textual (8.2.8, pinned).

Everything that is not public API is used here and nowhere else, behind names of our own. For each there is a test in
`tests/terminal/test_private.py` that fails when Textual changes it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from typing import Any, TypeAlias

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen

from tui.terminal.canvas import Piece
from tui.terminal.tty import Terminal

SYNC_START = "\x1b[?2026h"
SYNC_END = "\x1b[?2026l"

KeyParser: TypeAlias = XTermParser
"""Turns text from the terminal into events: `feed(text)` and `tick()` give them."""


def pieces_of(update: ChopsUpdate | LayoutUpdate) -> Iterator[Piece]:
    """The strips that an update paints, each with its place, as the `render_segments` of both kinds would do it."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield Piece(y, x, strip)
                x += strip.cell_length
        return
    for y, first, last in update.spans:
        for end, (x, chop) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            # Textual's own loop lets a piece through that begins where the span ends, and cuts it to nothing.
            if chop is None or x >= last or end <= first:
                continue
            is_inside = first <= x and end <= last
            yield Piece(y, x, chop if is_inside else chop.crop(0, min(end, last) - x))


class PrivateApp(App[int]):
    """An app whose frames go through `show_frame`, and which tells of its crash by `crashed` instead of printing it."""

    def show_frame(self, pieces: Iterator[Piece], cursor: tuple[int, int]) -> None:
        """Show pieces on the terminal and leave its cursor there."""
        raise NotImplementedError

    def frame_held(self) -> None:
        """A frame could not be shown because repaints are held back."""

    def other_output(self) -> None:
        """Textual itself is about to write something else than a frame."""

    def crashed(self, error: BaseException) -> None:
        """An exception nobody caught ends the app."""

    def hold_frames(self) -> None:
        """Hold repaints back; what gets dirty stays so."""
        self._begin_batch()

    def release_frames(self) -> None:
        """Let repaints through again, the next one at once."""
        self._end_batch()
        if not self._batch_count and self._running and self._screen_stack:
            self.screen._update_timer.resume()

    @property
    def has_synchronised_frames(self) -> bool:
        """Whether the terminal said that it shows a frame as a whole."""
        return self._sync_available

    @property
    def terminal_driver(self) -> PrivateDriver | None:
        """The driver, if it is ours."""
        return self._driver if isinstance(self._driver, PrivateDriver) else None

    @property
    def event_loop(self) -> AbstractEventLoop | None:
        """The loop the app runs in, while it runs."""
        return self._loop

    def mark_colourless(self, is_colourless: bool) -> None:
        """What the pseudo class `:nocolor` of CSS goes by."""
        self.no_color = is_colourless

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if renderable is None or self.terminal_driver is None:
            super()._display(screen, renderable)
            return
        if self._batch_count:
            self.frame_held()
        elif isinstance(renderable, (ChopsUpdate, LayoutUpdate)) and self._running and not self._closed:
            cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
            try:
                self.show_frame(pieces_of(renderable), (cursor.x, cursor.y))
            except Exception as error:
                self._handle_exception(error)
        else:
            self.other_output()
            super()._display(screen, renderable)
            return
        self.post_display_hook()

    def _set_pointer_shape(self, shape: str) -> None:
        """No terminal is told how its pointer looks: few know the sequence, some show it."""

    def _handle_exception(self, error: Exception) -> None:
        self.crashed(error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        self._exit_renderables.clear()


class PrivateDriver(LinuxDriver):
    """A driver on a terminal of our own, that can be stopped and started at any time."""

    terminal: Terminal

    def __init__(self, app: App[Any], *, debug: bool, mouse: bool, size: tuple[int, int] | None) -> None:
        with standard_input():
            super().__init__(app, debug=debug, mouse=mouse, size=size)

    def use(self, terminal: Terminal) -> None:
        """Read keys from and write to this terminal."""
        self.terminal = terminal
        self.fileno = terminal.descriptor
        self.input_tty = True
        self._file = terminal  # type: ignore[assignment]  # has what the writer thread calls: write and flush

    @property
    def is_started(self) -> bool:
        """Whether the terminal is in application mode."""
        return self._writer_thread is not None

    @property
    def is_given_away(self) -> bool:
        """Whether somebody else has the terminal and will give it back himself (`App.suspend`)."""
        return not self._auto_restart

    @property
    def takes_mouse(self) -> bool:
        """Whether the terminal reports the mouse to us."""
        return self._mouse

    def take_mouse(self, takes: bool) -> None:
        """Ask the terminal for the mouse, or leave it to its own selection."""
        if takes and not self._mouse:
            self._mouse = True
            self._enable_mouse_support()
        elif not takes and self._mouse:
            self._disable_mouse_support()
            self._mouse = False

    def write(self, data: str) -> None:
        """Hand text to the writer thread; in vain where nothing is started."""
        if self._writer_thread is not None:
            self.terminal.queued(len(data))
            self._writer_thread.write(data)

    def start_application_mode(self) -> None:
        """Take the screen."""
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Wait until all is written."""
        super().close()
        self._writer_thread = None

    def end_threads(self) -> None:
        """Have both threads end, whatever state they are in, and wait for it."""
        self.exit_event.set()
        if self._key_thread is not None:
            self._key_thread.join()
            self._key_thread = None
        if self._writer_thread is not None:
            self._writer_thread.stop()
            self._writer_thread = None

    def _get_terminal_size(self) -> tuple[int, int]:
        return self.terminal.size

    def _enable_mouse_support(self) -> None:
        if self._mouse:
            self.write("\x1b[?1000h\x1b[?1002h\x1b[?1006h")

    def _disable_mouse_support(self) -> None:
        if self._mouse:
            self.write("\x1b[?1006l\x1b[?1002l\x1b[?1000l")

    def _enable_mouse_pixels(self) -> None:
        """Nothing here needs places in pixels."""


@contextlib.contextmanager
def standard_input() -> Iterator[None]:
    """Something to read from for code that takes `sys.__stdin__` for granted, where it is closed."""
    before = sys.__stdin__
    if before is not None and not before.closed:
        yield
        return
    with open(os.devnull) as nothing:
        sys.__stdin__ = nothing  # type: ignore[misc]  # put back below
        try:
            yield
        finally:
            sys.__stdin__ = before  # type: ignore[misc]


def screen_text(app: App[Any]) -> str:
    """What the screen shows, as text without trailing blanks: for tests."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())
