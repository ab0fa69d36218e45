"""An app that behaves on any terminal: paced frames, palettes, copying, printing, suspending, an orderly end.

Independent of the contents of screens; the browser's app derives from it. Without a terminal of its own (in tests, or
served to a web page) it shows frames as Textual does, and the other functions do what is possible.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from rich.segment import Segment
from textual import events
from textual.app import SuspendNotSupported
from textual.geometry import Size
from textual.screen import Screen

from tui.screen.palettes import PALETTES, choose
from tui.screen.theme import Palette
from tui.terminal.ascii import is_ascii
from tui.terminal.canvas import Canvas, PlacedStrip
from tui.terminal.clipboard import LARGEST, load_tmux_buffer, osc52
from tui.terminal.crash import CrashLog
from tui.terminal.pace import Pace
from tui.terminal.private import SYNC_END, SYNC_START, PrivateApp, PrivateDriver
from tui.terminal.sgr import pen_for
from tui.terminal.signals import Signals
from tui.terminal.textual_theme import textual_theme
from tui.terminal.tty import Streams, Terminal

DRAIN = 0.02
"""Seconds between two checks whether a mute terminal has received the last frame."""

SENT = "sent to the terminal (p prints instead)"
"""Message about a copy: terminals do not answer if they took it."""

SENT_TO_TMUX = "sent to tmux (p prints instead)"
"""Message about a copy inside tmux, which runs a command of its own."""

HANG_UP = 129
"""Exit status after the terminal has hung up: 128 + SIGHUP."""


Result = TypeVar("Result")


class SteadyScreen(Screen[Result]):
    """A screen that accepts only the present size of the terminal.

    Textual sends each layout's size to a screen as an event. If two sizes are pending at once, each event makes a
    layout that sends the other one again, endlessly.
    """

    def on_resize(self, event: events.Resize) -> None:
        """Drops an outdated size."""
        if event.size != self.app.size:
            event.stop()
            event.prevent_default()


class TerminalApp(PrivateApp):
    """Base of the browser's app. `tui.terminal.run` gives it its terminal, log and signals."""

    ENABLE_COMMAND_PALETTE = False

    is_ascii = False
    """True if only ASCII signs are drawn."""

    def __init__(self, palette: Palette | None = None) -> None:
        self.is_ascii = is_ascii(os.environ)
        self.palette = palette or choose(os.environ)
        """The looks of everything; changed by `set_palette`."""
        self.terminal: Terminal | None = None
        self.streams: Streams | None = None
        self.log_of_errors: CrashLog | None = None
        self.signals: Signals | None = None
        self.early_frame: list[list[Segment]] | None = None
        """The frame that is shown until the app has one."""
        self._pace = Pace()
        self._canvas = Canvas(pen_for(self.palette, os.environ))
        self._is_paused = self._has_missed = False
        self._shown_at = 0.0
        self._cursor: tuple[int, int] | None = None
        self._tmux = asyncio.Lock()
        """Held while tmux copies a text."""
        super().__init__(ansi_color=self.palette.is_native)
        for each in PALETTES.values():
            self.register_theme(textual_theme(each))
        self.theme = f"coffeetree-{self.palette.name}"
        self.mark_colourless(self.palette.is_mono)
        self.animation_level = "none"

    def get_default_screen(self) -> Screen[Any]:
        """The screen at the start."""
        return SteadyScreen(id="_default")

    # Looks

    def set_palette(self, name: str) -> None:
        """Changes all colours at once: a name of a palette, or "auto"."""
        self.palette = choose(os.environ, name)
        self._canvas = Canvas(pen_for(self.palette, os.environ))
        self.mark_colourless(self.palette.is_mono)
        self.ansi_color = self.palette.is_native
        self.theme = f"coffeetree-{self.palette.name}"
        self.redraw()

    # Frames

    def show_frame(self, pieces: Iterator[PlacedStrip], cursor: tuple[int, int]) -> None:
        """Sends the changes of the terminal's screen, and waits for it to show them before the next frame."""
        driver = self.terminal_driver
        if driver is None:
            return
        self._shown_at = time.monotonic()
        if self.early_frame is not None:
            if self.is_filled:
                self._replace_early_frame(self.early_frame)
            return
        text = self._canvas.paint(pieces, self.screen.outer_size.width)
        if driver.terminal.size != self.screen.outer_size:
            # A frame for an earlier size: parts outside of the terminal appear at its edges.
            self._canvas.forget()
            self._report_size(Size(*driver.terminal.size))
        if not text and cursor == self._cursor:
            return
        self._cursor = cursor
        text += "\x1b[H" if cursor == (0, 0) else f"\x1b[{cursor[1] + 1};{cursor[0] + 1}H"
        if self.has_synchronised_frames:
            text = f"{SYNC_START}{text}{SYNC_END}"
        is_behind = driver.terminal.backlog > 0
        driver.write(text + self._pace.ask())
        if self._pace.is_holding:
            self._pause(self._pace.patience)
        elif is_behind:
            self._pause(DRAIN)

    @property
    def is_filled(self) -> bool:
        """True if the contents of the screen know their sizes: until then an early frame stays."""
        return True

    def _replace_early_frame(self, early: list[list[Segment]]) -> None:
        self.early_frame = None
        if self.terminal is not None and self.terminal.is_early_frame_whole:
            self._canvas.adopt(early)
        self._repaint()

    @property
    def rest(self) -> float:
        """Seconds since the last frame."""
        return time.monotonic() - self._shown_at

    def frame_skipped(self) -> None:
        """Records a lost frame; everything is painted once the terminal has caught up."""
        self._has_missed = self._has_missed or self._is_paused

    def other_output(self) -> None:
        """Forgets the known state of the terminal's screen."""
        self._canvas.forget()

    def on_cursor_position(self, event: events.CursorPosition) -> None:
        """Handles the terminal's answer: it has shown the last frame."""
        event.stop()
        self._pace.answered()
        self._release()

    def redraw(self) -> None:
        """Paints everything again, on an empty screen."""
        self._canvas.forget()
        if self.terminal_driver is not None:
            self.terminal_driver.write("\x1b[m\x1b[2J")
        self._repaint()

    def on_resize(self, _event: events.Resize) -> None:
        """Forgets the terminal's screen, as it may have moved or cut its contents."""
        self._canvas.forget()
        self._repaint()

    def _report_size(self, size: Size) -> None:
        """Reports the terminal's size again if a change was lost, which happens in the first moments."""
        target = self if self.size != size else self.screen
        target.post_message(events.Resize(size, size))

    def _pause(self, seconds: float) -> None:
        if not self._is_paused:
            self._is_paused = True
            self.pause_frames()
        asyncio.get_running_loop().call_later(seconds, self._stop_waiting)

    def _stop_waiting(self) -> None:
        """Stops waiting for a terminal that is late or mute."""
        if not self._is_paused:
            return
        if self._pace.is_holding:
            if self._pace.give_up_if_late():
                self._release()
        elif self.terminal is not None and self.terminal.backlog:
            self._pause(DRAIN)
        else:
            self._release()

    def _release(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self.release_frames()
        if self._has_missed:
            self._has_missed = False
            self._repaint()

    def _repaint(self) -> None:
        if self.is_running and self.screen_stack:
            self.screen.refresh()

    # Suspending

    def on_mount(self) -> None:
        """Subscribes to suspend and resume; ends the app if that was requested before the loop ran."""
        if self.signals is not None and self.signals.status is not None:
            self.exit(return_code=self.signals.status)
        self.app_suspend_signal.subscribe(self, lambda _: self._on_suspend())
        self.app_resume_signal.subscribe(self, lambda _: self._back())

    def _on_suspend(self) -> None:
        self._pace.release()
        self._release()

    def _back(self) -> None:
        self._on_suspend()
        self._canvas.forget()
        self._repaint()

    @contextlib.contextmanager
    def suspended_terminal(self) -> Iterator[bool]:
        """Puts the terminal into its normal state for a while; yields False if that is impossible."""
        with contextlib.ExitStack() as stack:
            try:
                if self.streams is not None:
                    stack.enter_context(self.streams.restored())
                stack.enter_context(self.suspend())
            except SuspendNotSupported:
                yield False
                return
            yield True

    def print_and_wait(self, text: str) -> bool:
        """Prints a text on the normal screen, where the terminal's own selection works, and waits for Enter.

        The text must be safe already. Returns False if there is no normal screen.
        """
        terminal = self.terminal
        if terminal is None:
            return False
        with self.suspended_terminal() as is_given:
            if is_given:
                terminal.take_time()
                terminal.write(text.rstrip("\n") + "\n\n[Enter returns to Coffeetree] ")
                wait_for_enter(terminal, self.is_ending)
            return is_given

    # Clipboard and mouse

    def copy(self, text: str) -> str:
        """Sends a text to the clipboard of tmux or of the terminal; returns a message for the user."""
        driver = self.terminal_driver
        if driver is None:
            self.copy_to_clipboard(text)
            return SENT
        if os.environ.get("TMUX"):
            self.run_worker(self._copy_by_tmux(text))
            return SENT_TO_TMUX
        return self._copy_by_terminal(driver, text)

    async def _copy_by_tmux(self, text: str) -> None:
        """Copies by tmux in a thread, one text after the other; if tmux refuses, sends the text to the terminal."""
        async with self._tmux:
            is_copied = await asyncio.to_thread(load_tmux_buffer, text)
        driver = self.terminal_driver
        if not is_copied and driver is not None:
            self.show_message(self._copy_by_terminal(driver, text, is_in_tmux=True))

    def show_message(self, text: str, kind: str = "information") -> None:
        """Shows a message for the user, if the screen has a line for it. kind: "problem" for errors"""

    def _copy_by_terminal(self, driver: PrivateDriver, text: str, is_in_tmux: bool = False) -> str:
        """Sends a text to the clipboard of the terminal; returns a message for the user."""
        if self._pace.is_mute:
            return "this terminal answers nothing, so it was not sent: print it with p instead"
        sequence = osc52(text, is_in_tmux)
        if sequence is None:
            return f"more than {LARGEST:,} bytes, not sent: print it with p or write it with :w"
        driver.write(sequence)
        return SENT

    def take_mouse(self, takes: bool) -> None:
        """Takes the mouse or leaves it to the terminal."""
        if self.terminal_driver is not None:
            self.terminal_driver.take_mouse(takes)

    # The end

    def crashed(self, error: BaseException) -> None:
        """Stores the traceback of an unhandled exception."""
        if self.log_of_errors is not None:
            self.log_of_errors.note(error)

    def is_ending(self) -> bool:
        """True if a signal has requested the end."""
        return self.signals is not None and self.signals.status is not None

    def leave(self, status: int) -> None:
        """Ends with this status, from any place in the main thread."""
        loop = self.event_loop
        if loop is not None:
            loop.call_soon_threadsafe(lambda: self.exit(return_code=status))

    def hung_up(self) -> None:
        """Handles a hang-up of the terminal. Called by the thread that reads keys."""
        self.leave(HANG_UP)


def wait_for_enter(terminal: Terminal, is_ending: Callable[[], bool]) -> None:
    """Waits for a whole line from a terminal in its normal state, for Ctrl+C, or for its end."""
    keys = select.poll()
    keys.register(terminal.descriptor, select.POLLIN)
    interrupts: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        while not interrupts and not is_ending():
            with contextlib.suppress(InterruptedError, BlockingIOError):
                if keys.poll(100):
                    os.read(terminal.descriptor, 4096)
                    return
    finally:
        signal.signal(signal.SIGINT, before)
