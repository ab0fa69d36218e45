"""The view "Threads": lifetime, running and waiting time of each, and its waits below it; and its preview."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import NEVER
from parsers.formats.tptp.threads import state_view
from parsers.formats.tptp.threads.state_rows import StateRowsView
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Section, SectionRow
from parsers.views.list_view import ListRow
from parsers.views.preview_switch import PreviewView

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport

WITHOUT_STATES = (state_view.START, state_view.TIME, state_view.GROUP, state_view.ID)
ALL = (
    state_view.START,
    state_view.TIME,
    state_view.RUNNING,
    state_view.BLOCKED,
    state_view.WAITED,
    state_view.SLEPT,
    state_view.BLOCKS,
    state_view.WAITS,
    state_view.SLEEPS,
    state_view.GROUP,
    state_view.ID,
    state_view.MONITOR,
    state_view.OWNER,
    state_view.CLASS,
    state_view.ENDS,
)


class TraceThreadsView(StateRowsView):
    """A row for each thread; times of states include only those that had ended."""

    name = "Threads"
    description = "Threads with their states and times"

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns; without monitor events, states of threads are unknown."""
        if not self.recording.rows("state"):
            return WITHOUT_STATES
        has_negative = self.is_ready and self.facts.negative_of_thread
        return (*ALL, state_view.NEGATIVE) if has_negative else ALL

    @property
    def orders(self) -> tuple[str, ...]:
        """Orders: all numbers."""
        return (*(column.name for column in self.columns if column.unit != "text"), "name")


class HeadThreadsView(PreviewView):
    """Threads of the head in order. Their times are shown once all is known."""

    name = "Threads"
    description = "Threads at the start of the file"
    columns: tuple[Column, ...] = WITHOUT_STATES

    def __init__(self, report: TraceReport) -> None:
        super().__init__(report)
        self._report = report

    @property
    def state(self) -> Hashable:
        """Value that changes with the known threads."""
        return self._report.recording.rows("thread")

    def make(self) -> Sequence[ListRow]:
        """Returns a row for each thread."""
        recording, names = self._report.recording, self._report.names_of
        column, began = recording.column, self._began()
        found = []
        for row in range(recording.rows("thread")):
            badges: dict[str, Badge] = {"id": names.id_text(column("thread_id")[row])}
            if column("thread_group")[row] != NONE:
                badges["group"] = names.word(column("thread_group")[row])
            if column("thread_start")[row] != NEVER:
                badges["start_ns"] = column("thread_start")[row] - began
            rows = (SectionRow("activity", "shown when the file has been read"),)
            label = names.thread_label(row)
            ref, sections = f"thread:{badges['id']}", (Section(label, rows),)
            found.append(ListRow("thread", label, badges=badges, ref=ref, sections=sections, key=("thread", row)))
        self._refs = [entry.ref for entry in found]
        return found

    def _began(self) -> int:
        earliest = self._report.recording.column("session_earliest")
        return int(earliest[0]) if len(earliest) and earliest[0] != NEVER else 0
