"""The protocol of the screen that commands receive: a report's screen with its interaction."""

from __future__ import annotations

from typing import Protocol

from tui.interaction.interaction import Interaction
from tui.interaction.report_screen import ReportScreen


class Screen(ReportScreen, Protocol):
    """The screen that is passed to a command. For annotations only: nothing of this is loaded to run a command."""

    @property
    def interaction(self) -> Interaction: ...
