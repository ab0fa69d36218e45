"""Targets of commands: the report and view on the screen, the tree and the row under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.views.collection import family_of, own_view, owner_of
from tui.input.keys.keyboard import CommandError
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.view import View
    from tui.interaction.report_screen import ReportScreen
    from tui.screen.line_widget import Pane


def tree_of(browser: ReportScreen) -> TreeView:
    """The pane with the cursor, which must show a tree. Raises `CommandError`."""
    pane = browser.pane
    if not isinstance(pane, TreeView):
        raise CommandError("This pane is not a tree  (Tab goes to the tree, q closes a list).")
    return pane


def row_pane(browser: ReportScreen) -> Pane:
    """The pane with the target row: the tree if the cursor is in the detail pane."""
    return browser.tree_view if browser.pane is browser.detail else browser.pane


def place_of(browser: ReportScreen) -> tuple[View, int]:
    """View and node of the row under the cursor, in a tree or a list. Raises `CommandError`."""
    place = row_pane(browser).place()
    if place is None:
        raise CommandError("No row of the report is under the cursor.")
    return place


def report_of(browser: ReportScreen) -> Report:
    """The report of the view; in a combined report the member with the view."""
    return owner_of(browser.report, browser.view)


def shown_view(browser: ReportScreen, view: View) -> View:
    """The view on the screen that shows the content of a view of its report."""
    return next((each for each in family_of(browser.report, browser.view) if own_view(each) is view), view)


def close_lists(browser: ReportScreen) -> None:
    """Closes lists to return to the tree."""
    while browser.has_list:
        browser.close_pane()
