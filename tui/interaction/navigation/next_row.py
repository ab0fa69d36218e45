"""Movements from row to row of a kind: occurrences, problems, flagged rows, rows of the same kind."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.model.row import Row
from parsers.model.view import View
from parsers.views.collection import problem_finder
from tui.input.keys.keyboard import CommandError
from tui.interaction.target import report_of, row_pane

if TYPE_CHECKING:
    from tui.interaction.navigation.places import Navigation
    from tui.interaction.report_screen import ReportScreen


SLICE_SECONDS = 0.006
"""Maximum seconds for which a search for a row blocks the event loop at a time."""


class Movement:
    """The movements of one browser."""

    def __init__(self, browser: ReportScreen, navigation: Navigation) -> None:
        self.browser = browser
        self.navigation = navigation
        self._occurrence: tuple[object, Sequence[int]] | None = None
        self._looking: asyncio.Task[None] | None = None

    def forget(self) -> None:
        """Resets the state when the report was read again."""
        self.stop_looking()
        self._occurrence = None

    def walk_nodes(self, nodes: Sequence[int], count: int, what: str) -> None:
        """Goes to the next of some ascending nodes of the present view; wraps around with a message."""
        if not nodes:
            raise CommandError(f"no {what}")
        cursor = self.browser.tree_view.cursor_node or 0
        index = bisect_right(nodes, cursor) + count - 1 if count > 0 else bisect_left(nodes, cursor) + count
        if not 0 <= index < len(nodes):
            self.browser.show_message(f"{what}: continued from the other end")
        index %= len(nodes)
        self.navigation.jump(self.browser.view, nodes[index])
        self.browser.set_search_text(None)

    def walk_occurrences(self, count: int) -> None:
        """Goes to the next or previous occurrence (`]r`, `[r`)."""
        node = self.browser.tree_view.cursor_node
        if node is None:
            raise CommandError("No row under the cursor.")
        view = self.browser.view
        key = view.key(node)
        if self._occurrence is None or self._occurrence[0] != (view.name, key):
            self._occurrence = ((view.name, key), self._occurrences(view, node))
        nodes = self._occurrence[1]
        if len(nodes) < 2:
            raise CommandError("This is the only occurrence.")
        self.walk_nodes(nodes, count, "occurrence")

    def _occurrences(self, view: View, node: int) -> Sequence[int]:
        """All rows of the present view that show or refer to the same object, ascending."""
        references = view.references(node)
        nodes = set(references.nodes) if references.view == view.name else set()
        key = view.key(node)
        declaration = view.find_key(key) if key is not None else None
        return sorted(nodes | {node} | ({declaration} if declaration is not None else set()))

    def walk_problems(self, count: int) -> None:
        """Goes to the next or previous problem (`]p`, `[p`)."""
        finder = problem_finder(self.browser.report, self.browser.view)
        if finder is None:
            raise CommandError("Problems have no rows in this report.")
        view, find = finder
        nodes = sorted({node for each in report_of(self.browser).problems if (node := find(each)) is not None})
        if self.browser.view is not view and nodes:
            raise CommandError(f"Problems are in the view {view.name}  (v).")
        self.walk_nodes(nodes, count, "problem with a row")

    def walk_kind(self, count: int) -> None:
        """Goes to the next or previous row of the same kind (`]k`, `[k`)."""
        row = row_pane(self.browser).row_at_cursor()
        if row is None:
            raise CommandError("No row under the cursor.")
        kind = row.kind
        self.walk_rows(count, f"row of the kind {kind}", lambda each: each.kind == kind)

    def walk_rows(self, count: int, what: str, is_wanted: Callable[[Row], bool]) -> None:
        """Goes to the next row of a kind, searching in slices between frames; the next key or Esc stops it."""
        tree = self.browser.tree_view
        start = tree.cursor_node
        if start is None:
            raise CommandError("No row under the cursor.")
        self.stop_looking()
        preorder = self.browser.view.tree.preorder
        step = 1 if count > 0 else -1
        if preorder is not None and tree.order is None:
            selection = tree.selection
            if selection is None:
                numbers = range(start + step, preorder.rows if step > 0 else -1, step)
                nodes: Callable[[int], int] = int
            else:
                here = selection.position_near(start)
                numbers = range(here + step, selection.rows if step > 0 else -1, step)
                nodes = selection.node_at
        else:
            numbers = range(tree.cursor_row + step, len(tree.outline) if step > 0 else -1, step)
            nodes = tree.outline.node_at
        loop = asyncio.get_running_loop()
        self._looking = loop.create_task(self._look(numbers, nodes, abs(count), what, is_wanted))

    async def _look(
        self, numbers: range, nodes: Callable[[int], int], count: int, what: str, is_wanted: Callable[[Row], bool]
    ) -> None:
        view = self.browser.view
        found: int | None = None
        until = time.monotonic() + SLICE_SECONDS
        for number in numbers:
            node = nodes(number)
            if is_wanted(view.tree.row(node)):
                found, count = node, count - 1
                if not count:
                    break
            if time.monotonic() > until:
                self.browser.show_message(f"searching for a {what} … {number:,}")
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE_SECONDS
        self._looking = None
        if self.browser.view is not view:
            return
        if found is None:
            self.browser.show_message(f"no further {what}")
        else:
            self.browser.show_message("")
            self.navigation.jump(view, found)

    def stop_looking(self) -> bool:
        """Stops the search for a row; False if there is none."""
        if self._looking is None:
            return False
        self._looking.cancel()
        self._looking = None
        return True
