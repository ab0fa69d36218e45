"""What the screen of a report asks of the app around it, which `tui.app.app` is."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tui.terminal.application import TerminalApp

if TYPE_CHECKING:
    from tui.interaction.screen_interaction import Setup


class Host(TerminalApp):
    """An app that opens reports: what all of its screens share."""

    is_configured = False
    """Whether options and keys may be other than ours."""
    patterns: dict[str, str]
    """Suppress and expand patterns of the command line."""

    @cached_property
    def setup(self) -> Setup:
        """Commands, keys, options and kept state; not needed for the first screen unless there is a configuration."""
        from tui.interaction.screen_interaction import set_up

        return set_up()

    def count_all(self, browser: Any) -> None:
        """Count the rows of a browser's view behind the first ones, beside what goes on."""
        raise NotImplementedError

    def reload(self) -> None:
        """Open the same files anew."""
        raise NotImplementedError

    def show_run(self, path: str, ref: str = "") -> None:
        """Show another run of the file, or another report; the cursor on the row of a REF of it."""
        raise NotImplementedError

    def compare(self, old: str) -> None:
        """Show what the report has that an older one had not."""
        raise NotImplementedError

    def show_newer(self) -> None:
        """Show the newer one of two reports that are compared by itself."""
        raise NotImplementedError

    def close_report(self) -> None:
        """Go back to where the report was chosen."""
        raise NotImplementedError

    def quit(self) -> None:
        """End the program, unless somebody has to be asked first."""
        raise NotImplementedError
