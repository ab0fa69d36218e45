"""Navigation to places: rows by number, REFs, links; back and forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.model.capabilities import OfMember
from parsers.model.row import Link
from parsers.model.view import UnknownReference, View
from parsers.views.collection import family_of
from tui.input.keys.keyboard import CommandError
from tui.interaction.navigation.history import CursorPosition, Jumps
from tui.interaction.target import close_lists

if TYPE_CHECKING:
    from tui.interaction.filters.filter_set import FilterSet
    from tui.interaction.report_screen import ReportScreen


class Navigation:
    """History and targets of the cursor of one browser."""

    def __init__(self, browser: ReportScreen, filters: FilterSet) -> None:
        self.browser = browser
        self.filters = filters
        self.jumps = Jumps()

    def here(self) -> CursorPosition | None:
        """The place of the tree's cursor."""
        return self._place(self.browser.tree_view.cursor_node)

    def _place(self, node: int | None) -> CursorPosition | None:
        if node is None:
            return None
        return CursorPosition(self.browser.view.name, node, self.browser.tree_view.row(node).ref)

    def remember_place(self) -> None:
        """Remembers the place before a jump."""
        self.remember_node(self.browser.tree_view.cursor_node)

    def remember_node(self, node: int | None) -> None:
        """Remembers a node of the present view that the cursor has jumped from."""
        place = self._place(node)
        if place is not None:
            self.jumps.add(place)

    def jump(self, view: View, node: int) -> bool:
        """Goes to a node and closes lists; False (with a message) if a filter hides it."""
        self.remember_place()
        return self._go(view, node)

    def _go(self, view: View, node: int) -> bool:
        browser = self.browser
        close_lists(self.browser)
        if view is not browser.view:
            browser.show_view(view.name, node)
            self.filters.shown.show_again()
        if not self.filters.is_shown(node):
            browser.show_message("A filter hides that row. ff turns filters off.", "problem")
            return False
        browser.tree_view.focus()
        return browser.tree_view.jump(node)

    def go_to_place(self, place: CursorPosition | None, where: str) -> None:
        """Goes to a place of the history, by its REF if the node is gone."""
        if place is None:
            raise CommandError(f"No position {where}.")
        view = self.browser.report.view(place.view)
        if self.browser.preparing.begin(view, lambda: self.go_to_place(place, where)):
            return
        node, preorder = place.node, view.tree.preorder
        is_gone = preorder is not None and preorder.rows <= node
        if place.ref and (is_gone or view.tree.row(node).ref != place.ref):
            node = view.resolve(place.ref)
        self._go(view, node)

    def back(self, count: int) -> None:
        """Goes back in the history (`<`)."""
        self._walk(self.jumps.back, "to go back to", count)

    def forward(self, count: int) -> None:
        """Goes forward in the history (`>`)."""
        self._walk(self.jumps.forward, "to go forward to", count)

    def swap_places(self) -> None:
        """Goes to the place before the last jump (`''`)."""
        self._walk(self.jumps.swap, "before this one")

    def _walk(self, step: Callable[[CursorPosition], CursorPosition | None], where: str, count: int = 1) -> None:
        for _ in range(min(count, 1000)):
            here = self.here()
            self.go_to_place(step(here) if here else None, where)

    def locate(self, text: str) -> tuple[View, int]:
        """View and node of a typed REF: `id:85`, `id 85`, `123` (a row). Raises `UnknownReference`."""
        words = text.strip()
        if words.replace(",", "").isascii() and words.replace(",", "").isdecimal():
            return self.document_row(int(words.replace(",", "")[:18]))
        ref = ref_of(words)
        report = self.browser.report
        try:
            return report.locate(ref, self.browser.view.name)
        except UnknownReference:
            return report.locate(ref)

    def document_row(self, number: int) -> tuple[View, int]:
        """The row with that number, from 1, in the shown view if it has positions, else in the file."""
        views = [self.browser.view, family_of(self.browser.report, self.browser.view)[0]]
        view = next((view for view in views if view.tree.preorder is not None), None)
        if view is None or view.tree.preorder is None:
            raise UnknownReference("this view has no numbered rows")
        rows = view.tree.preorder.rows
        if not 1 <= number <= rows:
            more = "" if view.tree.preorder.is_complete else " so far"
            raise UnknownReference(f"row {number:,}: there are rows 1 to {rows:,}{more}")
        return view, number - 1

    def activate(self, node: int) -> None:
        """Handles Enter on a row of the tree: follows its link, else folds or opens."""
        tree = self.browser.tree_view
        link = tree.row(node).link
        if link is not None:
            links = self.browser.view.links(node)
            self.follow(next((each for each in links if each.ref == link), Link("", link)))
        elif not self.filters.shown.open_by_hand(tree):
            tree.enter()

    def follow(self, link: Link) -> None:
        """Goes to the target of a row's link, perhaps in another report."""
        if link.report:
            close_lists(self.browser)
            self.browser.app.show_run(link.report, link.ref)
        else:
            self.follow_ref(link.ref, link.view)

    def follow_ref(self, ref: str, view: str | None) -> None:
        """Goes to the target of a link in a list or the detail pane."""
        report = self.browser.report
        if view is not None:
            self.filters.of(view).choose_for(ref)
            if self.browser.preparing.begin(report.view(view), lambda: self.follow_ref(ref, view)):
                return
        elif isinstance(self.browser.view, OfMember):
            # A REF without a view belongs to the report of the present view.
            self.jump(*self.browser.view.locate(ref))
            return
        self.jump(*report.locate(ref, view))


def ref_of(words: str) -> str:
    """Converts a typed REF: `id 85` becomes `id:85`."""
    kind, blank, value = words.partition(" ")
    return words if ":" in kind or not blank else f"{kind}:{value.strip()}"
