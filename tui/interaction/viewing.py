"""The shown view and its presentation: sort order, length of names, columns, the end of a growing file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.model.capabilities import SortsInThread, StopsIndex
from parsers.model.view import UnknownReference, View
from parsers.views.collection import owner_of
from tui.input.keys.keyboard import CommandError
from tui.interaction.target import close_lists, report_of
from tui.screen.frame import order_words, progress_piece
from tui.screen.sanitise import safe
from tui.tree.column_text import column_names, key_named, sort_headings, sort_key

if TYPE_CHECKING:
    from parsers.model.view import Switch
    from tui.interaction.filters.filter_set import FilterSet
    from tui.interaction.navigation.marking import Marking
    from tui.interaction.navigation.places import Navigation
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.search.searching import Search
    from tui.settings.options import Options
    from tui.tree.tree_cursor import TreeCursor


MOST_CHOICES = 2
"""Maximum choices that a key alternates between; more are listed."""


@dataclass(eq=False)
class Viewing:
    """The view of one browser."""

    browser: ReportScreen
    options: Options
    navigation: Navigation
    filters: FilterSet
    search: Search
    marking: Marking
    is_following: bool = False
    """True if the cursor stays at the end of a growing file."""
    _queued: str = ""
    """Name of the view that opens when the index has its rows; empty: none."""

    def show_view(self, name: str) -> None:
        """Shows another view, with the cursor on the same node if it exists there."""
        view = self.browser.report.view(name)
        self._queued = ""
        # The choices that views share are set before the view is made.
        self.filters.of(view.name)
        if view is not self.browser.view and self.browser.preparing.begin(view, lambda: self._show_made(name)):
            close_lists(self.browser)
            self.browser.show_message(f"{view.name}: {view.waits_for or 'preparing'} …")
            return
        if not view.is_ready:
            self._queue(view)
            return
        close_lists(self.browser)
        if view is self.browser.view:
            return
        self.navigation.remember_place()
        node = self._same_node(view)
        self.browser.show_view(name, node)
        note = view.note
        if note:
            self.browser.show_message(note)
        self.filters.shown.show_again()
        self.browser.set_search_text(None)
        self.search.restart()
        self.marking.forget_signs()

    def _show_made(self, name: str) -> None:
        """Shows a view that has become ready."""
        self.browser.show_message("")
        try:
            self.show_view(name)
        except CommandError as error:
            self.browser.show_message(str(error), "problem")

    def _same_node(self, view: View) -> int | None:
        if view.is_ranking and not self.browser.tree_view.viewport.cursor:
            return None
        here = self.browser.tree_view.cursor_node
        return None if here is None else view.find_position(self.browser.view.position(here))

    def _queue(self, view: View) -> None:
        """Opens a view when the index has its rows. Raises `CommandError` if the index is not being built."""
        if not owner_of(self.browser.report, view).progress.is_running:
            raise CommandError(f"{view.name}: {view.waits_for or 'needs the finished index'}  (:indexing continues it)")
        close_lists(self.browser)
        self._queued = view.name
        self.browser.show_message(f"{self.queued_text}. Esc cancels.")

    @property
    def queued_text(self) -> str:
        """The queued view with the progress of what it waits for; empty: no view is queued."""
        return f"{self._queued} opens when ready: {self.waiting_text(self._queued)}" if self._queued else ""

    def waiting_text(self, name: str) -> str:
        """Label of the computation that a view waits for, with its progress."""
        view = self.browser.report.view(name)
        return view.waits_for or progress_piece(owner_of(self.browser.report, view).progress).text

    def open_queued(self) -> None:
        """Opens the queued view if it is ready now; reports it if the index has ended without it."""
        if not self._queued:
            return
        name = self._queued
        try:
            view = self.browser.report.view(name)
            if view.is_ready or not owner_of(self.browser.report, view).progress.is_running:
                self._show_made(name)
        except (KeyError, UnknownReference):
            self._queued = ""

    def forget_queued(self) -> bool:
        """Handles Esc: the queued view is not opened; False if there is none."""
        was_queued, self._queued = bool(self._queued), ""
        if was_queued:
            self.browser.show_message("The view is no longer queued.")
        return was_queued

    def previous_view(self) -> None:
        """Shows the previous view (`V`)."""
        before = self.browser.previous_view
        if before is None:
            raise CommandError("No previous view.")
        self.show_view(before.name)

    def letters(self) -> list[tuple[str, str]]:
        """The letters of `switch`, and those of the format's own filters, with their meanings."""
        switches = self.browser.view.switches
        masks = report_of(self.browser).masks
        ours = [(switch.letter, safe(switch.title)) for switch in switches]
        return [*ours, *((letter, words) for letter, (_, words) in masks.items())]

    def typed_switch(self, letter: str) -> Switch | None:
        """Returns the switch with that letter if its first choice has yet to be typed."""
        switch = next((each for each in self.browser.view.switches if each.letter == letter), None)
        return switch if switch is not None and switch.typed and len(switch.choices) == 1 else None

    def switch(self, letter: str, choice: str = "") -> bool:
        """Selects the other choice of the switch with that letter (`f`), or lists more. False: no such switch."""
        switches = self.browser.view.switches
        switch = next((each for each in switches if each.letter == letter), None)
        if switch is None:
            return False
        if len(switch.choices) > MOST_CHOICES and not choice:
            self._list_choices(switch)
            return True
        close_lists(self.browser)
        self.filters.shown.choose(switch, choice)
        chosen = self.filters.shown.state.chosen.get(switch.name, switch.choices[0])
        typed = f"   (:format-filter {letter} types another)" if switch.typed and chosen != switch.choices[0] else ""
        self.browser.show_message(f"{safe(switch.title)}: {safe(chosen)}{typed}")
        return True

    def _list_choices(self, switch: Switch) -> None:
        """Lists the choices of a switch of the view."""
        from tui.list.list_pane import FixedList, ListColumn, ListPane, PaneRow

        view = self.browser.view
        chosen = view.chosen.get(switch.name, switch.choices[0])
        rows = [PaneRow(("now" if each == chosen else "", safe(each))) for each in switch.choices]
        columns = (ListColumn("", 4), ListColumn(safe(switch.title)))
        typed = f", or :format-filter {switch.letter} and {switch.typed}" if switch.typed else ""
        title = f"{switch.title} of {view.name}{typed}"

        def choose(index: int) -> None:
            self.switch(switch.letter, switch.choices[index])

        self.browser.show_list(ListPane(FixedList(title, columns, rows, choose), switch.choices.index(chosen)))

    def sort(self, name: str) -> None:
        """Sorts by the next key of the view, finally document order; or by the named key or heading (`s`)."""
        orders = [None, *self.browser.view.orders]
        now = self.browser.tree_view.order
        if name:
            wanted = sort_key(self.browser.view, name)
            if wanted is None and name.lower() not in ("document", "none"):
                raise CommandError(f"No sort key {safe(name)}. Keys: {'; '.join(self.sort_headings)}")
        else:
            if len(orders) < 2:
                raise CommandError("This view has document order only.")
            plain = now.removeprefix("-") if now else None
            wanted = orders[(orders.index(plain) + 1) % len(orders)] if plain in orders else orders[0]
        self._sort_by(wanted)

    @property
    def sort_headings(self) -> list[str]:
        """Texts that `:sort` accepts, as on the screen."""
        return [*(heading for _, heading in sort_headings(self.browser.view)), "document"]

    def sort_reverse(self) -> None:
        """Reverses the order (`S`)."""
        now = self.browser.tree_view.order or self.browser.view.sorted_by
        if not now:
            raise CommandError("Rows are in document order. s sorts them.")
        self._sort_by(now.removeprefix("-") if now.startswith("-") else f"-{now}")

    def _sort_by(self, order: str | None) -> None:
        """Sorts rows; many rows in the background, while the old order stays on the screen."""
        browser = self.browser
        tree = browser.view.tree
        work = None
        if order is not None and not self.filters.shown.selection and isinstance(tree, SortsInThread):
            work = tree.sorting(order)
        if work is None:
            self._show_sorted(order)
        else:
            browser.show_message(f"sorting {order_words(browser.view, order or '')} …")
            browser.preparing.sort(browser.view, work, lambda: self._show_sorted(order))

    def sort_below(self, tree: TreeCursor) -> bool:
        """Sorts the children of the node at the cursor in the background, if that takes long, and opens it."""
        work, node = tree.opening(), tree.cursor_node
        if work is None:
            return False

        def opened() -> None:
            if tree.cursor_node == node:
                tree.toggle()

        self.browser.preparing.sort(self.browser.view, work, opened)
        return True

    def _show_sorted(self, order: str | None) -> None:
        browser = self.browser
        # With the cursor at the beginning the user wants to see the new first rows.
        node = browser.tree_view.cursor_node if browser.tree_view.viewport.cursor else None
        browser.tree_view.show(browser.report, browser.view, self.filters.shown.selection, order)
        if node is not None:
            browser.tree_view.jump(node)
        browser.show_message("document order" if order is None else f"sorted {order_words(browser.view, order)}")

    def toggle_short_names(self) -> None:
        """Switches between short and full names (`a`)."""
        tree = self.browser.tree_view
        tree.short_names = not tree.short_names
        tree.redraw()
        self.browser.show_message("class names short" if tree.short_names else "class names in full")

    def choose_columns(self, names: Sequence[str]) -> None:
        """Selects the columns (`:columns`)."""
        columns = self.browser.view.columns
        keys = {name: key_named(name, column_names(columns)) for name in names}
        unknown = [name for name, key in keys.items() if key is None]
        if unknown:
            known = ", ".join(column.name for column in columns) or "none"
            raise CommandError(f"No column {safe(unknown[0])}. Columns: {known}")
        self.browser.tree_view.show_columns(tuple(filter(None, keys.values())) or None)

    def toggle_follow(self) -> None:
        """Starts or stops following (`F`)."""
        self.is_following = not self.is_following
        self.options.follow = self.is_following
        if self.is_following:
            self.browser.tree_view.to_end()
            self.browser.show_message("Following the end of the file. Moving up pauses.")
        else:
            self.browser.show_message("Stopped following.")

    def toggle_indexing(self) -> None:
        """Stops or continues the index build (`:indexing`)."""
        report = self.browser.report
        if not isinstance(report, StopsIndex) or report.is_complete:
            raise CommandError("No index is being built.")
        if report.progress.state in ("stopped", "failed"):
            report.go_on_index()
            self.browser.show_message("Indexing continues.")
        else:
            report.stop_index()
            self.browser.show_message("Indexing stopped. Finished stages are kept; :indexing continues.")

    def pause_following(self) -> None:
        """Stops following after the cursor was moved up."""
        if self.is_following:
            self.is_following = self.options.follow = False
            self.browser.show_message("Paused. F follows again.")
