"""The view "Threads": lifetime, running and waiting time of each, and its waits below it."""

from __future__ import annotations

from parsers.formats.tptp.threads import state_view
from parsers.formats.tptp.threads.state_rows import StateRowsView
from parsers.model.report import Column, Shape

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
    shape: Shape = "tree"

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]  # they depend on what was recorded
        """Columns; without monitor events, states of threads are unknown."""
        if not self.recording.rows("state"):
            return WITHOUT_STATES
        has_negative = self.is_ready and self.facts.negative_of_thread
        return (*ALL, state_view.NEGATIVE) if has_negative else ALL

    @property
    def orders(self) -> tuple[str, ...]:  # type: ignore[override]  # they depend on what was recorded
        """Orders: all numbers."""
        return (*(column.name for column in self.columns if column.unit != "text"), "name")
