"""Base class of the views of calls, classes and methods of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.model.view import View
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport


class RecordedView(SwitchableView, View):
    """A view that needs all of a recording, and may have switches."""

    def __init__(self, report: TraceReport) -> None:
        self.report = report
        self.recording = report.recording
        self.names = report.names_of

    @property
    def is_ready(self) -> bool:
        """True once all is known: a call may end, or an object be freed, anywhere in the rest of the file."""
        return bool(self.recording.is_complete)

    def column(self, name: str) -> Sequence[int]:
        """Returns a column of the recording."""
        return self.recording.column(name)
