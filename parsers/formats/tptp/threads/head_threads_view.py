"""The view "Threads" while a recording is being read: the threads in its first bytes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import NEVER, NONE
from parsers.formats.tptp.threads.threads_view import WITHOUT_STATES
from parsers.model.report import Badge, Column, Section, SectionRow
from parsers.views.list_view import ListRow
from parsers.views.preview_switch import PreviewView

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport


class HeadThreadsView(PreviewView):
    """Threads of the head in order. Their times are shown once all is known."""

    name = "Threads"
    description = "Threads at the start of the file"
    columns: tuple[Column, ...] = WITHOUT_STATES

    def __init__(self, report: TraceReport) -> None:
        super().__init__(report)
        self._report = report

    @property
    def partial(self) -> str:
        """The part of the file that is shown."""
        return "the beginning of the file"

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
