"""Protocols of the screens that commands receive. For annotations only: nothing of this is loaded to run a command."""

from __future__ import annotations

from typing import Protocol

from tui.interaction.interaction import Interaction
from tui.interaction.report_screen import ReportScreen, ShownScreen
from tui.interaction.screen_interaction import ScreenInteraction


class AnyScreen(ShownScreen, Protocol):
    """The screen that is passed to a command that works everywhere."""

    @property
    def interaction(self) -> ScreenInteraction: ...


class Screen(ReportScreen, Protocol):
    """The screen of a report, which is passed to the other commands."""

    @property
    def interaction(self) -> Interaction: ...
