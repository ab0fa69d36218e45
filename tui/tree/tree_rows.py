"""The rows of one view and the part on the screen. Independent of a screen, and tested without one.

`TreeRows` joins an outline (which rows are shown) and a viewport (which of them are on the screen, and which has the
cursor). `moved` and `redraw`, which a widget overrides, report what must be drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from parsers.model.report import Report
from parsers.model.row import Row
from parsers.model.view import View
from tui.tree import tree_move
from tui.tree.outlines.depth_count import PLAIN_AT_FIRST, has_numpy
from tui.tree.outlines.outline import Outline
from tui.tree.outlines.preorder_outline import PreorderOutline
from tui.tree.viewport import Scrolled, Viewport

if TYPE_CHECKING:
    from parsers.query.selection.selection import Selection

MOST_STICKY = 5
"""Maximum ancestors that stay at the top after scrolling out."""

Places = Callable[[int], int | None]
"""Maps an earlier node to its current one; None: it is gone."""

MAX_RESTORED = 10_000
"""Maximum rows for which folds are kept when all rows are replaced."""

MOST_CUTS, MOST_LOOKED_AT = 200, 500
"""Maximum open nodes restored in another opening of a report, and rows searched for them where a search is needed:
a key may have to wait for it."""

KEPT_ROWS = 1024
"""Maximum number of cached rows."""

LEAST_FIRST = 50
"""Minimum rows that are shown unfolded at the start, also on a lower screen."""


class NoRows:
    """The preorder of a tree before its first `show`."""

    rows, is_complete = 0, True

    def depth(self, node: int) -> int:
        """Never called, as there is no node."""
        raise IndexError(node)

    def depths(self, start: int, stop: int) -> memoryview:
        """No depths."""
        return memoryview(b"").cast("H")

    end = parent = depth


class TreeRows(Scrolled):
    """The shown rows of one view of a report."""

    def __init__(self, report: Report, view: View) -> None:
        self.report = report
        self.view = view
        self.selection: Selection | None = None
        self.outline: Outline = PreorderOutline(NoRows())
        self._is_shown = False
        self.order: str | None = None
        self._waits = False
        """True if the view was not ready when it was shown."""
        self.viewport = Viewport(covered=lambda top: len(self._sticky_at(top)))
        self._wanted_depth: int | None = None
        self._counted: tuple[View | None, str | None, Outline | None] = (None, None, None)
        """A view whose rows were counted before it is shown, its order, and its outline."""
        self._rows: dict[int, Row] = {}
        self._stage = ""
        """Stage of the index when rows were requested: rows have more details in the next stage."""
        self._shown: list[int] | None = None
        self._sticky: list[int] | None = None

    # -- overridden by widgets --------------------------------------------------------------------------------------

    def moved(self, old_cursor: int, old_top: int) -> None:
        """Called when only the cursor or the top row has changed."""

    def redraw(self) -> None:
        """Called when everything may look different."""

    def reshow(self) -> None:
        """Called when other rows are on the screen; each looks as before."""
        self.redraw()

    def cursor_changed(self) -> None:
        """Called when the cursor is on another node, or its node has new details."""

    # -- what is shown ------------------------------------------------------------------------------------------------

    def show(
        self, report: Report, view: View, selection: Selection | None = None, order: str | None = None,
        keeps_folds: bool = False,
    ) -> None:  # fmt: skip
        """Shows a view from its start: all rows or a selection.

        keeps_folds  True leaves open what is open: the same view is shown already
        """
        before = self.outline if keeps_folds else None
        self.report, self.view, self.selection, self.order = report, view, selection, order
        view.renew()  # Whatever it was before: this is a new start.
        self._waits, self._is_shown = not view.is_ready, True
        self.outline = self._new_outline(view, selection, order)
        if before is not None:
            hides = selection.hides if selection is not None else lambda node: False
            restore_folds(before, self.outline, lambda node: None if hides(node) else node)
        self._reset_screen()
        self.viewport.top = self.viewport.cursor = 0
        self.viewport.set_rows(len(self.outline))
        self.redraw()
        self.cursor_changed()

    def _reset_screen(self) -> None:
        """Discards everything that belonged to the earlier rows."""
        self._wanted_depth = None
        self._rows.clear()
        self._forget_screen()

    def _new_outline(self, view: View, selection: Selection | None, order: str | None) -> Outline:
        first = 0 if view.starts_closed else max(self.viewport.height, LEAST_FIRST)
        if selection is not None and order is not None:
            from parsers.views.selected_view import SelectedView
            from tui.tree.outlines.lazy_outline import LazyOutline

            return LazyOutline(SelectedView(view, selection).tree, order)
        if selection is not None:
            from tui.tree.outlines.selected_outline import SelectedOutline

            inner = PreorderOutline(selection)
            inner.open_all()
            return SelectedOutline(selection, inner)
        preorder = view.tree.preorder
        if preorder is None or order is not None:
            from tui.tree.outlines.lazy_outline import LazyOutline

            return LazyOutline(view.tree, order)
        limit = None if has_numpy() else PLAIN_AT_FIRST
        first_depth = view.first_depth
        outline = PreorderOutline(preorder, first_rows=first if first_depth is None else 0, limit=limit)
        if first_depth is not None:
            outline.fold_to(first_depth)
        return outline

    @property
    def is_limited(self) -> bool:
        """True if rows after the first ones are not counted until numpy is loaded."""
        return isinstance(self.outline, PreorderOutline) and self.outline.is_limited

    def preparation(self) -> Callable[[], None] | None:
        """Work that makes counting rows fast and may run in a thread; None if it is useless or too early."""
        outline = self.outline
        if isinstance(outline, PreorderOutline) and outline.preorder.is_complete and not outline.is_prepared:
            return outline.prepare
        return None

    def lift_limit(self) -> None:
        """Counts the rows after the first ones; called when numpy has been loaded after the first screen."""
        if isinstance(self.outline, PreorderOutline):
            node = self.cursor_node
            if self.outline.lift():
                self._stay(node)

    def progressed(self) -> Places | None:
        """Handles progress of the index: rows may be added, and numbers may change.

        Returns the mapping of earlier nodes if the view's nodes have changed.
        """
        if not self._is_shown:
            return None
        view = self.view
        if not self.viewport.rows and self._waits and view.is_ready:
            # A view that was not ready has another tree than its empty placeholder.
            self.show(self.report, view, self.selection, self.order)
            return None
        places = view.renew()
        if places is not None:
            self.renewed(places)
            return places
        node = self.cursor_node
        self.outline.grow()
        before, self._stage = self._stage, self.report.progress.stage
        is_other = self.report.is_complete or before != self._stage
        self._rows = {} if is_other else {node: row for node, row in self._rows.items() if is_final(row)}
        self._stay(node)
        return None

    def renewed(self, places: Places) -> None:
        """Handles a rebuilt view; `places` maps its earlier nodes to the new ones."""
        if self.viewport.rows:
            self._show_renewed(self.view, places)
        else:
            self.show(self.report, self.view, None, self.order)

    def _show_renewed(self, view: View, places: Places) -> None:
        """Shows rows that replace others: the same rows open, the cursor on the same one.

        The outline still has the earlier nodes, as both trees exist side by side.
        """
        before, node, top = self.outline, self.cursor_node, self.viewport.top
        are_open = filter(before.is_open, before.nodes(0, MAX_RESTORED))
        is_whole = isinstance(before, PreorderOutline) and len(before) == before.preorder.rows
        # A list without open nodes has no folds to restore.
        is_all_open = is_whole and next(are_open, None) is not None
        opened = [] if is_all_open else [places(node) for node in are_open]
        while node is not None and places(node) is None:
            node = before.parent(node)
        self.selection = None
        self.outline = self._new_outline(view, None, self.order)
        # If nothing could be closed, the initial folds stay, if the view defines them.
        if view.first_depth is None or any(map(before.has_children, before.nodes(0, MAX_RESTORED))):
            self.outline.close_all()
        if is_all_open:
            self.outline.open_all()
        for each in opened:
            if each is not None:
                self.outline.open(each)
        self._reset_screen()
        self._stay(None if node is None else places(node))
        if not top and self.viewport.cursor < self.viewport.height:
            # A user who looks at the beginning stays there.
            self._move(lambda viewport: viewport.scroll_by(-viewport.top))

    def count_ahead(self, view: View) -> None:
        """Counts the rows of a view that `restore_position` will show soon. May run in a thread."""
        outline = self._new_outline(view, None, self.order)
        if isinstance(outline, PreorderOutline):
            outline.prepare()
        self._counted = view, self.order, outline

    def restore_position(self, report: Report, view: View, places: Places) -> None:
        """Shows another opening of the report: the same rows open, the cursor on the same one.

        places  maps nodes of the earlier view to the new one; the earlier report must still be open
        """
        if not self.viewport.rows:
            self.show(report, view, None, self.order)
            return
        view.renew()
        before, node = self.outline, self.cursor_node
        self.report, self.view = report, view
        self._waits = not view.is_ready
        while node is not None and places(node) is None:
            node = before.parent(node)
        self.selection = None
        counted, order, outline = self._counted
        is_counted = counted is view and order == self.order
        self.outline = outline if outline is not None and is_counted else self._new_outline(view, None, self.order)
        self._counted = None, None, None
        restore_folds(before, self.outline, places)
        self._reset_screen()
        self._stay(None if node is None else places(node))

    # -- rows ---------------------------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """The row of a node; cached."""
        kept = self._rows.get(node)
        if kept is None:
            drop_oldest(self._rows, KEPT_ROWS)
            kept = self._rows[node] = self._make_row(self.view, node)
        return kept

    def _make_row(self, view: View, node: int) -> Row:
        """Makes a row as shown: in a selection with the number of selected rows below it."""
        row = view.tree.row(node)
        if self.selection is None:
            return row
        from parsers.views.selected_view import SelectedView

        selected = SelectedView(view, self.selection).tree.row(node)
        # Rows that a pattern hides below another can still be opened by hand.
        is_closed = "suppressed" in selected.flags and row.has_children
        return replace(selected, has_children=True) if is_closed else selected

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        return self.outline.depth(node)

    @property
    def cursor_node(self) -> int | None:
        """The node on the cursor row; None if there are no rows."""
        return self.nodes_shown()[self.viewport.screen_row] if self.viewport.rows else None

    def place(self) -> tuple[View, int] | None:
        """View and node under the cursor."""
        node = self.cursor_node
        return None if node is None else (self.view, node)

    def row_at_cursor(self) -> Row | None:
        """The row under the cursor."""
        node = self.cursor_node
        return None if node is None else self.row(node)

    # -- the screen ---------------------------------------------------------------------------------------------------

    def nodes_shown(self) -> list[int]:
        """The nodes on the screen, including those under sticky lines."""
        top, height = self.viewport.top, self.viewport.height
        if self._shown is None:
            self._shown = list(self.outline.nodes(top, height)) if self.viewport.rows else []
        return self._shown

    def sticky_nodes(self) -> list[int]:
        """The ancestors that are drawn over the first lines of the screen, topmost first."""
        if self._sticky is None:
            self._sticky = self._sticky_at(self.viewport.top)
        return self._sticky

    def _sticky_at(self, top: int) -> list[int]:
        most = min(MOST_STICKY, self.viewport.height // 5)
        if not most or not top:
            return []
        for index, node in enumerate(self.outline.nodes(top, most + 1)):
            above = tree_move.ancestors(self.outline, node, most)
            if len(above) <= index:
                return above[::-1]
        return []

    def _forget_screen(self) -> None:
        """Forgets cached positions when other rows are on the screen."""
        self._shown = self._sticky = None

    def _stay(self, node: int | None) -> None:
        """Handles changed rows: the node, or its nearest shown ancestor, stays on its line of the screen."""
        screen_row = self.viewport.screen_row
        row = None
        while node is not None:
            row = self.outline.row_of(node)
            if row is not None:
                break
            node = self.outline.parent(node)
        self._forget_screen()
        self.viewport.rows = len(self.outline)
        if row is not None:
            self.viewport.cursor = row
            self.viewport.top = row - screen_row
        self.viewport.clamp()
        self._wanted_depth = None
        self.reshow()
        self.cursor_changed()

    def _move(self, change: Callable[[Viewport], object], direction: int = 1) -> None:
        """Moves cursor and top."""
        if not self.viewport.rows:
            return
        old_cursor, old_top = self.viewport.cursor, self.viewport.top
        change(self.viewport)
        if self.viewport.cursor != old_cursor:
            self._wanted_depth = None
        if (self.viewport.cursor, self.viewport.top) != (old_cursor, old_top):
            if self.viewport.top != old_top:
                self._forget_screen()
            self.moved(old_cursor, old_top)
            self.cursor_changed()


def restore_folds(before: Outline, after: Outline, places: Places) -> None:
    """Opens in one outline the nodes that are open in another; `places` maps its nodes."""
    from tui.tree.outlines.lazy_outline import LazyOutline

    if isinstance(before, PreorderOutline) and isinstance(after, PreorderOutline):
        starts = before.cuts()
        kept = [*starts, before.known - 1] if before.known else starts
        if len(starts) <= MOST_CUTS and all(places(node) == node for node in kept):
            # Only rows at the end are new: none was inserted between the earlier ones.
            after.restore(before.snapshot_to_grow())
            return
    opened: Iterable[tuple[int, bool]]
    if not isinstance(before, LazyOutline) and not isinstance(after, LazyOutline):
        after.fold_to(before.least_depth)
        opened = islice(before.opened(), MOST_CUTS)
    else:
        after.close_all()
        opened = ((node, False) for node in filter(before.is_open, before.nodes(0, MOST_LOOKED_AT)))
    for node, with_all in opened:
        place = places(node)
        if place is not None and with_all:
            after.open_all(place)
        elif place is not None:
            after.open(place)


def drop_oldest(kept: dict[Any, Any], most: int) -> None:
    """Removes the older half of a cache that exceeds its limit."""
    if len(kept) > most:
        for key in list(islice(kept, most // 2)):
            del kept[key]


def is_final(row: Row) -> bool:
    """True if a row will not change while its index grows."""
    return not row.is_growing and row.rows_below is not None and (row.link is not None or "id_ref" not in row.badges)
