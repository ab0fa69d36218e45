"""What commands act on: the screen of a report with all that they act through."""

from __future__ import annotations

from typing import Protocol

from tui.interaction.interaction import Interaction
from tui.interaction.report_screen import ReportScreen


class Screen(ReportScreen, Protocol):
    """The screen that a command is given. For annotations only: nothing of this is loaded to run a command."""

    @property
    def interaction(self) -> Interaction: ...
