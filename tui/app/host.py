"""The interface of the app that the screen of a report uses, implemented by `tui.app.app`."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from tui.app.report_work import ReportWork
from tui.settings.state_folder import StateFolder, state_path
from tui.terminal.application import TerminalApp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.interaction.setup import Setup
    from tui.tree.tree_view import TreeView


class Host(TerminalApp):
    """An app that opens reports: the part shared by all of its screens."""

    is_configured = False
    """True if options and keys may differ from the defaults."""
    patterns: dict[str, str]
    """Suppress and expand patterns of the command line."""

    @cached_property
    def work(self) -> ReportWork:
        """Work in threads on the open reports."""
        return ReportWork()

    @cached_property
    def setup(self) -> Setup:
        """Commands, keys, options and stored state; needed for the first screen only if there is a configuration."""
        from tui.interaction.setup import set_up

        return set_up(self.state)

    @cached_property
    def state(self) -> StateFolder:
        """Stored data of the user, such as sizes of panes; needed for the first screen."""
        return StateFolder(state_path(os.environ))

    def count_all(self, tree: TreeView) -> None:
        """Counts the rows after the first ones in the background."""
        raise NotImplementedError

    def show_run(self, path: str, ref: str = "") -> None:
        """Shows another run of the file, or another report, instead of this one; the cursor on a REF of it."""
        raise NotImplementedError

    def compare(self, old: Sequence[str], name: str = "") -> None:
        """Shows the comparison with an older report instead of this one.

        old   files of the older report
        name  its name in the list where it was selected
        """
        raise NotImplementedError

    def show_newer(self) -> None:
        """Shows the newer of two compared reports instead of the comparison."""
        raise NotImplementedError

    def show_tour(self) -> None:
        """Shows the guided tour over the present screen, which is shown again when the tour is left."""
        raise NotImplementedError

    def set_ascii(self, is_ascii: bool) -> None:
        """Draws ASCII signs only, or all."""
        raise NotImplementedError

    def reload(self) -> None:
        """Opens the same files again."""
        raise NotImplementedError

    @property
    def is_last_screen(self) -> bool:
        """True if closing the report ends the program."""
        return True

    def close_report(self) -> None:
        """Returns to the list of reports."""
        raise NotImplementedError

    def quit(self) -> None:
        """Ends the program, unless the user must confirm first."""
        raise NotImplementedError
