"""The reports of a folder: one is chosen, read, and left again by `q`.

Newest first, by the build that wrote them when there are several. What is only recognised is dim, and says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from parsers.folder import FoundReport, Run, find_reports, group_runs
from parsers.report import ReportError
from tui.frame import KeyLine, TextLine, size_text
from tui.interaction.screen_interaction import ScreenInteraction, Setup
from tui.list.list_pane import FixedList, ListColumn, ListPane, ListRow
from tui.sanitise import safe
from tui.terminal.application import SteadyScreen
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.cache import Cache

COLUMNS = (
    ListColumn("image", 16, least=50),
    ListColumn("report"),
    ListColumn("size", 8, is_right=True),
    ListColumn("rows", 12, is_right=True, least=100),
    ListColumn("written", 16, least=70),
    ListColumn("index", 10, least=90),
)

MOST_FOLDER = 30
"""Characters of the folder's path that the title shows: its end tells most."""

KEYS = (("follow-link", "open"), ("find", "narrow"), ("reload", "read again"), ("help", "help"), ("q", "quit"))


class PickerInteraction(ScreenInteraction):
    """What commands need on a picker."""

    context = "picker"


class Picker(SteadyScreen[None], inherit_bindings=False):
    """The reports of one folder as a list."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    Picker { layout: vertical; overflow: hidden; }
    Picker #body { height: 1fr; }
    """

    def __init__(self, folder: str, cache: Cache, setup: Setup, open_report: Callable[[str], object]) -> None:
        """
        open_report  opens a file and shows it; raises `ReportError`
        """
        super().__init__()
        self.folder = folder
        self._cache = cache
        self._open_report = open_report
        self._reports: list[FoundReport | None] = []
        self.list_pane = ListPane(self._source("looking …"))
        self.status_line = TextLine(id="status")
        self.key_line = KeyLine(id="keys")
        self._popups: list[Widget] = []
        self._says = False
        self._reading: asyncio.Task[None] | None = None
        self.interaction = PickerInteraction(self, setup)

    def compose(self) -> ComposeResult:
        """The list, what is said of its row, the keys."""
        with Container(id="body"):
            yield self.list_pane
        yield self.status_line
        yield self.key_line

    def on_mount(self) -> None:
        """Look into the folder."""
        self.list_pane.focus()
        self.show_hints(None)
        if self.interaction.setup.wrong:
            self.say(self.interaction.setup.wrong[0], "problem")

    def on_screen_resume(self) -> None:
        """Shown for the first time, or again after a report: what has changed since."""
        self.reload()

    def on_unmount(self) -> None:
        """Stop looking."""
        if self._reading is not None:
            self._reading.cancel()

    # -- what commands call -------------------------------------------------------------------------------------------

    @property
    def pane(self) -> Any:
        """The pane that keys go to."""
        return self._popups[-1] if self._popups else self.list_pane

    def show_list(self, widget: Widget) -> None:
        """A list or page in place of the reports, until it is closed."""
        for shown in (self.list_pane, *self._popups):
            shown.display = False
        self._popups.append(widget)
        self.query_one("#body").mount(widget)
        self.set_focus(widget)

    def close_pane(self) -> bool:
        """Close what is on top; False: there are only the reports."""
        if not self._popups:
            return False
        self._popups.pop().remove()
        self.pane.display = True
        self.set_focus(self.pane)
        return True

    def say(self, text: str, kind: str = "information") -> None:
        """One line for the user."""
        self._says = bool(text)
        self.status_line.set_pieces([Piece(f" {safe(text)}", "problem" if kind == "problem" else "status")])

    def show_hints(self, hints: list[tuple[str, str]] | None) -> None:
        """Keys that can follow; None: those that make sense here."""
        registry = self.interaction.registry
        words = hints if hints is not None else [(registry[name].keys[0], word) for name, word in KEYS]
        pieces = [piece for key, word in words for piece in (Piece(f" {key}", "key"), Piece(f" {word} ", "key-word"))]
        self.key_line.set_pieces(pieces)

    def reload(self) -> None:
        """Look into the folder again."""
        if self._reading is not None:
            self._reading.cancel()
        self._reading = asyncio.get_running_loop().create_task(self._read())

    def redraw(self) -> None:
        """Draw everything again."""
        app: Any = self.app
        app.redraw()

    def suspend(self) -> None:
        """Give the terminal back to the shell for a while."""
        self.app.action_suspend_process()

    def leave(self) -> None:
        """`q` with nothing on top."""
        self.app.exit(0)

    # -- the reports --------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            found = await asyncio.to_thread(find_reports, self.folder, self._cache)
        except ReportError as error:
            self._fill([])
            self.say(str(error), "problem")
            return
        self._fill(group_runs(found))

    def _fill(self, runs: Sequence[Run]) -> None:
        """Show the reports; the cursor stays on the file that it was on."""
        index = self.list_pane.cursor_index
        before = self._reports[index] if index is not None and index < len(self._reports) else None
        self._reports = []
        for run in runs:
            self._reports += [None, *run.reports] if len(runs) > 1 else run.reports
        self.list_pane.refill(self._source("no report is in this folder", runs))
        paths = [report.path if report is not None else None for report in self._reports]
        if before is not None and before.path in paths:
            self.list_pane.move_to_row(paths.index(before.path))
        else:
            self.list_pane.move_to_row(0)

    def _source(self, empty: str, runs: Sequence[Run] = ()) -> FixedList:
        rows = []
        for run in runs:
            if len(runs) > 1:
                rows.append(ListRow(([Piece(safe(run.image or "no image"), "pane-title")], ""), is_heading=True))
            rows += [report_row(report) for report in run.reports]
        count = sum(len(run.reports) for run in runs)
        images = len({run.image for run in runs})
        folder = f"{self.folder.rstrip('/')}/"
        title = safe(folder if len(folder) <= MOST_FOLDER else f"…{folder[-MOST_FOLDER:]}")
        if count:
            title += f"   {count:,} report{'s' if count > 1 else ''} of {images:,} image{'s' if images > 1 else ''}"
            title += ", newest first"
        newest = max((report.modified for run in runs for report in run.reports), default=None)
        note = "" if newest is None else f"newest written {ago(newest, datetime.now())}"
        return FixedList(title, COLUMNS, rows, self._choose, keys=(), empty=empty, note=note)

    def _choose(self, index: int) -> None:
        report = self._reports[index]
        if report is None:
            return
        if not report.can_be_opened:
            self.say(f"{report.format.title}: recognised, but not read yet")
            return
        try:
            self._open_report(report.path)
        except ReportError as error:
            self.say(str(error), "problem")

    # -- events -------------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """All keys are commands."""
        if self._says:
            self.say("")
        self.interaction.press(event)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is for a prompt."""
        event.stop()
        self.interaction.paste(event.text)


def report_row(report: FoundReport) -> ListRow:
    """A report as a line; dim if it can only be recognised."""
    rows = "" if report.index_rows is None else f"{report.index_rows:,}"
    state = "–" if not report.can_be_opened else "ready" if report.index_rows is not None else "none yet"
    if report.can_be_opened and not report.needs_index:
        state = "not needed"
    written = f"{report.written:%Y-%m-%d %H:%M}"
    cells = (safe(report.named.image), safe(report.format.short_title), size_text(report.bytes), rows, written, state)
    return ListRow(cells, "text" if report.can_be_opened else "quiet")


def ago(then: datetime, now: datetime) -> str:
    """How long ago, in a word or two."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "min")):
        if seconds >= size:
            count = seconds // size
            return f"{count:,} {word}{'s' if count > 1 and word != 'min' else ''} ago"
    return "just now"
