"""The only module that uses private names of Textual (8.2.8, pinned).

Everything that is not public API is used only here, under names of this project. For each there is a test in
`tests/terminal/test_private.py` that fails when Textual changes it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from types import FrameType
from typing import Any, TypeAlias

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen

from tui.terminal.canvas import PlacedStrip
from tui.terminal.tty import ALTERNATE_SCREEN, Terminal

SYNC_START = "\x1b[?2026h"
SYNC_END = "\x1b[?2026l"

KeyParser: TypeAlias = XTermParser
"""Converts text from the terminal to events, returned by `feed(text)` and `tick()`."""


def pieces_of(update: ChopsUpdate | LayoutUpdate) -> Iterator[PlacedStrip]:
    """Yields the strips that an update paints with their places, like `render_segments` of both kinds."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield PlacedStrip(y, x, strip)
                x += strip.cell_length
        return
    for y, first, last in update.spans:
        for end, (x, chop) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            # Textual's own loop accepts a piece that begins where the span ends, and cuts it to nothing.
            if chop is None or x >= last or end <= first:
                continue
            is_inside = first <= x and end <= last
            yield PlacedStrip(y, x, chop if is_inside else chop.crop(0, min(end, last) - x))


class PrivateApp(App[int]):
    """An app that shows frames by `show_frame`, and reports its crash to `crashed` instead of printing it."""

    def show_frame(self, pieces: Iterator[PlacedStrip], cursor: tuple[int, int]) -> None:
        """Shows pieces on the terminal and leaves its cursor there."""
        raise NotImplementedError

    def frame_skipped(self) -> None:
        """Called when a frame is not shown because repaints are held back."""

    def other_output(self) -> None:
        """Called before Textual itself writes something other than a frame."""

    def crashed(self, error: BaseException) -> None:
        """Called when an unhandled exception ends the app."""

    def pause_frames(self) -> None:
        """Holds repaints back; changed regions stay marked."""
        self._begin_batch()

    def release_frames(self) -> None:
        """Allows repaints again; the next one is immediate."""
        self._end_batch()
        if not self._batch_count and self._running and self._screen_stack:
            self.screen._update_timer.resume()

    @property
    def has_synchronised_frames(self) -> bool:
        """True if the terminal has reported support for synchronised frames."""
        return self._sync_available

    @property
    def terminal_driver(self) -> PrivateDriver | None:
        """The driver, if it is a `PrivateDriver`."""
        return self._driver if isinstance(self._driver, PrivateDriver) else None

    @property
    def event_loop(self) -> AbstractEventLoop | None:
        """The event loop of the app, while it runs."""
        return self._loop

    def mark_colourless(self, is_colourless: bool) -> None:
        """Sets the pseudo class `:nocolor` of CSS."""
        self.no_color = is_colourless

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if renderable is None or self.terminal_driver is None:
            super()._display(screen, renderable)
            return
        if self._batch_count:
            self.frame_skipped()
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
        """Does nothing: few terminals support the sequence for pointer shapes, some print it."""

    def _handle_exception(self, error: Exception) -> None:
        self.crashed(error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        self._exit_renderables.clear()


class PrivateDriver(LinuxDriver):
    """A driver on its own terminal, which can be stopped and started at any time."""

    terminal: Terminal

    def __init__(self, app: App[Any], *, debug: bool, mouse: bool, size: tuple[int, int] | None) -> None:
        with standard_input():
            super().__init__(app, debug=debug, mouse=mouse, size=size)

    def use(self, terminal: Terminal) -> None:
        """Reads keys from and writes frames to this terminal."""
        self.terminal = terminal
        self.fileno = terminal.descriptor
        self.input_tty = True
        self._file = terminal  # type: ignore[assignment]  # has what the writer thread calls: write and flush

    @property
    def is_started(self) -> bool:
        """True if the terminal is in application mode."""
        return self._writer_thread is not None

    @property
    def is_suspended(self) -> bool:
        """True if other code has the terminal and will return it (`App.suspend`)."""
        return not self._auto_restart

    @property
    def takes_mouse(self) -> bool:
        """True if the terminal reports the mouse to the app."""
        return self._mouse

    def take_mouse(self, takes: bool) -> None:
        """Requests the mouse, or leaves it to the terminal's selection."""
        if takes and not self._mouse:
            self._mouse = True
            self._enable_mouse_support()
        elif not takes and self._mouse:
            self._disable_mouse_support()
            self._mouse = False

    def write(self, data: str) -> None:
        """Passes text to the writer thread; ignored if nothing is started."""
        if data == ALTERNATE_SCREEN and self.terminal.has_early_frame:
            # Many terminals would clear the screen, which shows the rows of the report already.
            self.terminal.has_early_frame = False
            return
        if self._writer_thread is not None:
            self.terminal.queued(len(data))
            self._writer_thread.write(data)

    def start_application_mode(self) -> None:
        """Takes the screen."""
        is_early = self.terminal.has_early_frame
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if is_early:
            # The attributes that it has found are those of the early frame.
            self.attrs_before = self.terminal.attributes
            handle: Any = signal.getsignal(signal.SIGWINCH)

            def resized(number: int, frame: FrameType | None) -> None:
                self.terminal.resized(number, frame)
                handle(number, frame)

            signal.signal(signal.SIGWINCH, resized)

    def close(self) -> None:
        """Waits until everything is written."""
        super().close()
        self._writer_thread = None

    def end(self) -> None:
        """Ends both threads, whatever their state, and waits for them."""
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
        """Does nothing: positions in pixels are not needed."""


@contextlib.contextmanager
def standard_input() -> Iterator[None]:
    """Provides an input for code that requires `sys.__stdin__`, if it is closed."""
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
    """The screen as text without trailing blanks: for tests."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())
