"""Base class of the views that need all of a recording: a call may end, or an object be freed, anywhere in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.model.view import View
from parsers.views.base import OfWholeReport
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport


class RecordedView(OfWholeReport, SwitchableView, View):
    """A view that needs all of a recording, and may have switches."""

    def __init__(self, report: TraceReport) -> None:
        self.report = report
        self.recording = report.recording
        self.names = report.names_of

    def column(self, name: str) -> Sequence[int]:
        """Returns a column of the recording."""
        return self.recording.column(name)
