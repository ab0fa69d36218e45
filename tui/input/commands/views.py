"""Views of the report and panes of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("Views and panes")


def view_names(browser: Screen, text: str) -> list[str]:
    """Names of views that begin with the typed text; those of views that are not listed only if there is one."""
    views = browser.report.views
    names = [*views.names, *(views.hidden_names() if text else ())]
    return [name for name in names if name.lower().startswith(text.lower())]


@GROUP.command("view", "v", "choose a view", argument="[NAME]", complete=view_names)
def view(browser: Screen, call: CommandCall) -> None:
    """Choose a view of this report; the cursor stays on the same node if it exists there."""
    name = call.text.strip()
    if not name:
        browser.interaction.lists.views()
        return
    fitting = view_names(browser, name)
    found = [each for each in fitting if each.lower() == name.lower()] or fitting
    if not found:
        names = ", ".join(browser.report.views.names)
        raise CommandError(f"No view {name}. Views: {names}")
    browser.interaction.viewing.show_view(found[0])


@GROUP.command("previous-view", "V", "the view before")
def previous_view(browser: Screen, call: CommandCall) -> None:
    """The view before this one."""
    browser.interaction.viewing.previous_view()


@GROUP.command("next-pane", "Tab", "next pane")
def next_pane(browser: Screen, call: CommandCall) -> None:
    """The next pane."""
    browser.next_pane(1)


@GROUP.command("previous-pane", "Shift+Tab", "previous pane")
def previous_pane(browser: Screen, call: CommandCall) -> None:
    """The previous pane."""
    browser.next_pane(-1)


@GROUP.command("detail", "i", "detail pane")
def detail(browser: Screen, call: CommandCall) -> None:
    """Detail pane on and off; its rows are links."""
    browser.toggle_detail()


@GROUP.command("show", "", "show a node", argument="REF")
def show(browser: Screen, call: CommandCall) -> None:
    """Go to a REF and show its detail pane."""
    if call.text.strip():
        browser.interaction.go_to(call.text)
    browser.show_detail()


@GROUP.command("alone", "O", "this pane alone")
def alone(browser: Screen, call: CommandCall) -> None:
    """Show this pane alone, and all again."""
    browser.toggle_alone()


@GROUP.command("larger", "+", "pane larger")
def larger(browser: Screen, call: CommandCall) -> None:
    """Enlarge this pane; zoom into a chart, time line or flame."""
    if browser.pane is not browser.tree_view or not browser.tree_view.zoom_in():
        browser.resize_pane(call.times)


@GROUP.command("smaller", "-", "pane smaller")
def smaller(browser: Screen, call: CommandCall) -> None:
    """Shrink this pane; zoom out of a chart, time line or flame."""
    if browser.pane is not browser.tree_view or not browser.tree_view.zoom_out():
        browser.resize_pane(-call.times)


@GROUP.command("turn-detail", "|", "detail below or beside")
def rotate_detail(browser: Screen, call: CommandCall) -> None:
    """Detail pane below or beside the tree."""
    browser.rotate_detail()


@GROUP.command("crumbs", "`", "crumb bar")
def crumbs(browser: Screen, call: CommandCall) -> None:
    """Move along the path above: Left, Right; Down lists siblings, letters search, Enter goes there."""
    from tui.interaction.navigation.crumbs import CrumbBar

    CrumbBar(browser.interaction).open()


@GROUP.command("facts", "=", "facts")
def facts(browser: Screen, call: CommandCall) -> None:
    """Facts of the report: format, files, totals, problems."""
    browser.interaction.lists.facts()


@GROUP.command("problems", "!", "problems")
def problems(browser: Screen, call: CommandCall) -> None:
    """Problems of the file, each with its byte offset; Enter goes there."""
    browser.interaction.lists.problems()
