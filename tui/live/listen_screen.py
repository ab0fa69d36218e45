"""The screen that waits for JVMs: connected ones, one a row; Enter opens the data received from one so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.runtime.live.client import Listening, LiveEvent
from tui.list.list_pane import FixedList, ListColumn, PaneRow
from tui.list.list_screen import ListScreen
from tui.live.words import (
    OPTIONS,
    command_line,
    event_text,
    heap_text,
    last_text,
    name_text,
    options_text,
    started_text,
    state_text,
)
from tui.screen.frame import size_text
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.runtime.live.stream.live_stream import LiveStream
    from tui.interaction.setup import Setup

COLUMNS = (
    ListColumn("JVM", 26),
    ListColumn("from", 22, least=150),
    ListColumn("since", 9, least=90),
    ListColumn("sends", 7, least=100),
    ListColumn("options", 18, least=110),
    ListColumn("bytes", 8, is_right=True),
    ListColumn("live heap", 9, is_right=True, least=50),
    ListColumn("state"),
    ListColumn("last answer", 18, least=90),
)


class ListenScreen(ListScreen):
    """The JVMs that have connected to one port."""

    keys = (("follow-link", "open"), ("ask-list", "ask"), ("copy-command", "copy"))

    def __init__(self, listening: Listening, setup: Setup, open_stream: Callable[[LiveStream], object]) -> None:
        """
        open_stream  opens and shows the data received from a JVM; raises `ReportError`
        """
        self.listening = listening
        self._open_stream = open_stream
        super().__init__(self._source(), setup, "listening")
        self.list_pane.when_moved = self._show_lines

    @property
    def writer(self) -> LiveStream | None:
        """The JVM under the cursor: the target of requests."""
        index = self.list_pane.cursor_index
        return None if index is None else self._stream_at(index)

    def _stream_at(self, index: int) -> LiveStream | None:
        streams = self.listening.streams
        return streams[index] if streams else None

    # -- what is shown ------------------------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        """Refreshes the rows after a report was closed."""
        self.show_streams()

    def show_events(self, events: Sequence[LiveEvent]) -> None:
        """Handles events of JVMs."""
        self.show_streams()
        for event in events:
            text = event_text(event)
            if text:
                self.show_message(text, "problem" if event.kind in ("trouble", "refused", "gone") else "information")

    def show_streams(self) -> None:
        """Shows the present rows; the cursor stays on its JVM."""
        if not self.is_attached:
            return
        self.list_pane.refill(self._source())
        self._show_lines()

    def _show_lines(self) -> None:
        """Shows status and keys of the JVM under the cursor."""
        if not self._message:
            self.status_line.set_pieces(self.status())
        self.update_lines()

    def status(self) -> list[Piece]:
        """The folder of stored streams; errors."""
        if self.listening.says:
            return [Piece(f" {safe(self.listening.says)}", "problem")]
        stream = self.writer
        where = self.listening.folder if stream is None else stream.path
        return [Piece(f" stored in {safe(where)}", "status-dim")]

    def _source(self) -> FixedList:
        streams = self.listening.streams
        count = len(self.listening.open_streams)
        state = "waiting for JVMs on" if self.listening.is_alive else "no longer waiting on"
        title = f"{state} {safe(str(self.listening.address))}"
        if not streams:
            return FixedList(title, (ListColumn(""),), self._welcome(), keys=())
        note = f"{count:,} of {len(streams):,} connected"
        return FixedList(title, COLUMNS, [stream_row(each) for each in streams], self._choose, keys=(), note=note)

    def _welcome(self) -> list[PaneRow]:
        """The command that starts a connecting JVM; shown until one has connected."""
        lines = ["", "Start a JVM of JDK 5 to 8 with its HPROF agent; it connects when it starts:", ""]
        rows = [PaneRow((line,), "quiet", is_heading=True) for line in lines]
        for options, what in OPTIONS:
            words = [Piece(command_line(self.listening.address, options)), Piece(f"   {what}", "quiet")]
            rows.append(PaneRow((words,), is_heading=True))
        more = ("", "yy copies the first line. A JVM does not wait: if this port is closed, it does not start.")
        return [*rows, *(PaneRow((line,), "quiet", is_heading=True) for line in more)]

    def _choose(self, index: int) -> None:
        stream = self._stream_at(index)
        if stream is not None:
            self._open_stream(stream)

    # -- interface of commands ----------------------------------------------------------------------------------------

    def copy_command(self) -> None:
        """Copies the options with which a JVM connects."""
        text = command_line(self.listening.address).removesuffix(" …")
        self.show_message(f"copied: {text}: {self.app.copy(text)}")

    def print_command(self) -> None:
        """Prints the options with which a JVM connects."""
        self.app.print_and_wait("\n".join(command_line(self.listening.address, options) for options, _ in OPTIONS))


def stream_row(stream: LiveStream) -> PaneRow:
    """Row of a JVM; dim when it has ended."""
    state = [Piece(safe(state_text(stream)), "problem" if stream.trouble else "text" if stream.is_open else "quiet")]
    cells = (
        safe(name_text(stream)),
        [Piece(safe(stream.peer), "quiet")],
        started_text(stream),
        stream.layout,
        options_text(stream),
        size_text(stream.bytes),
        heap_text(stream),
        state,
        last_text(stream),
    )
    return PaneRow(cells, "text" if stream.is_open else "quiet")
