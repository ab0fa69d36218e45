"""The rows of one view and which of them are on the screen. No screen: all of it works, and is tested, without one.

`TreeRows` joins an outline (which rows are shown) and a viewport (which of them are on the screen, and which has the
cursor). What must be drawn again is told by `moved` and `redraw`, which a widget overrides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from parsers.model.report import Report, Row, View
from tui.tree import tree_move
from tui.tree.depth_count import PLAIN_AT_FIRST, has_numpy
from tui.tree.outline import Outline
from tui.tree.preorder_outline import PreorderOutline
from tui.tree.viewport import Viewport

if TYPE_CHECKING:
    from parsers.query.selection.selection import Selection as WholeSelection
    from tui.tree.selected_outline import Selection

MOST_STICKY = 5
"""Ancestors that stay on top when they have scrolled out."""

Places = Callable[[int], int | None]
"""Where a node from before is now; None: nowhere."""

MOST_CARRIED = 10_000
"""Rows whose open ones stay open when other rows take the place of all."""

MOST_CUTS, MOST_LOOKED_AT = 200, 500
"""Open nodes that are found again in another opening of a report, and rows among which they are looked for where that
takes looking: a key may have to wait for it."""

KEPT_ROWS = 1024
"""Rows that are kept."""

LEAST_FIRST = 50
"""Rows that are shown as they are at the start, also on a lower screen."""


class TreeRows:
    """What is shown of one view of a report."""

    def __init__(self) -> None:
        self.report: Report | None = None
        self.view: View | None = None
        self.selection: Selection | None = None
        self.outline: Outline | None = None
        self.order: str | None = None
        self._waits = False
        """Whether the view wasn't ready when it was shown."""
        self.viewport = Viewport(covered=self._covered)
        self._wanted_depth: int | None = None
        self._counted: tuple[View | None, str | None, Outline | None] = (None, None, None)
        """A view whose rows were counted before it is shown, in which order, and they."""
        self._rows: dict[int, Row] = {}
        self._stage = ""
        """Of the index when rows were asked for: with the next one they tell more."""
        self._shown: list[int] | None = None
        self._sticky: list[int] | None = None

    # -- what a widget does about it ----------------------------------------------------------------------------------

    def moved(self, old_cursor: int, old_top: int) -> None:
        """The cursor or the top row is another one; nothing else has changed."""

    def redraw(self) -> None:
        """Everything may look different."""

    def reshow(self) -> None:
        """Other rows are on the screen; each looks as it did."""
        self.redraw()

    def followed(self) -> None:
        """The cursor is on another node, or the same node is told anew."""

    # -- what is shown ------------------------------------------------------------------------------------------------

    def show(self, report: Report, view: View, selection: Selection | None = None, order: str | None = None) -> None:
        """Shows a view from its start, all of it or a selection of its rows."""
        self.report, self.view, self.selection, self.order = report, view, selection, order
        renewed_places(view)  # Whatever it was before: this is a new start.
        self._waits = not view.is_ready
        self.outline = self._new_outline(view, selection, order)
        self._begin_anew()
        self.viewport.top = self.viewport.cursor = 0
        self.viewport.set_rows(len(self.outline))
        self.redraw()
        self.followed()

    def _begin_anew(self) -> None:
        """Nothing that belonged to the rows before holds any more."""
        self._wanted_depth = None
        self._rows.clear()
        self._forget_screen()

    def _new_outline(self, view: View, selection: Selection | None, order: str | None) -> Outline:
        first = 0 if view.starts_closed else max(self.viewport.height, LEAST_FIRST)
        if selection is not None and order is not None:
            from parsers.views.selected_view import SelectedView
            from tui.tree.lazy_outline import LazyOutline

            return LazyOutline(SelectedView(view, cast("WholeSelection", selection)).tree, order)
        if selection is not None:
            from tui.tree.selected_outline import SelectedOutline

            inner = PreorderOutline(selection)
            inner.open_all()
            return SelectedOutline(selection, inner)
        preorder = view.tree.preorder
        if preorder is None or order is not None:
            from tui.tree.lazy_outline import LazyOutline

            return LazyOutline(view.tree, order)
        limit = None if has_numpy() else PLAIN_AT_FIRST
        first_depth = view.first_depth
        outline = PreorderOutline(preorder, first_rows=first if first_depth is None else 0, limit=limit)
        if first_depth is not None:
            outline.fold_to(first_depth)
        return outline

    @property
    def is_limited(self) -> bool:
        """Whether rows behind the first ones wait for numpy, which counts them."""
        return isinstance(self.outline, PreorderOutline) and self.outline.is_limited

    def preparation(self) -> Callable[[], None] | None:
        """What makes counting rows fast, and may run in a thread; None where there is nothing to win, or not yet."""
        outline = self.outline
        if isinstance(outline, PreorderOutline) and outline.preorder.is_complete and not outline.is_prepared:
            return outline.prepare
        return None

    def lift_limit(self) -> None:
        """Counts the rows behind the first ones; called when numpy has been loaded beside the first screen."""
        if isinstance(self.outline, PreorderOutline):
            node = self.cursor_node
            if self.outline.lift():
                self._stay(node)

    def progressed(self) -> Places | None:
        """The report has followed its index: rows may have come, and numbers may have changed.

        Gives where the nodes from before are, where the view has others now.
        """
        view = self.view
        if view is not None and self.report is not None and not self.viewport.rows and self._waits and view.is_ready:
            # A view that had to wait has another tree than the empty one that stood for it.
            self.show(self.report, view, self.selection, self.order)
        elif view is not None and self.report is not None and self.outline is not None:
            places = renewed_places(view)
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
        """The view has other nodes and says where those from before are."""
        assert self.report is not None and self.view is not None
        if self.viewport.rows:
            self._show_renewed(self.view, places)
        else:
            self.show(self.report, self.view, None, self.order)

    def _show_renewed(self, view: View, places: Places) -> None:
        """Shows rows that take the place of others: the same ones open, the cursor on the same one.

        The outline still is that of the nodes from before, as the trees of both times stand side by side.
        """
        assert self.outline is not None
        before, node, top = self.outline, self.cursor_node, self.viewport.top
        are_open = filter(before.is_open, before.nodes(0, MOST_CARRIED))
        is_whole = isinstance(before, PreorderOutline) and len(before) == before.preorder.rows
        # Of a list, of which nothing can be opened, nothing is open.
        is_all_open = is_whole and next(are_open, None) is not None
        opened = [] if is_all_open else [places(node) for node in are_open]
        while node is not None and places(node) is None:
            node = before.parent(node)
        self.selection = None
        self.outline = self._new_outline(view, None, self.order)
        # Where nothing could be closed, what is open at first stays so, if the view says what that is.
        if view.first_depth is None or any(map(before.has_children, before.nodes(0, MOST_CARRIED))):
            self.outline.close_all()
        if is_all_open:
            self.outline.open_all()
        for each in opened:
            if each is not None:
                self.outline.open(each)
        self._begin_anew()
        self._stay(None if node is None else places(node))
        if not top and self.viewport.cursor < self.viewport.height:
            # Somebody who looks at the beginning goes on doing so.
            self._move(lambda viewport: viewport.scroll_by(-viewport.top))

    def count_ahead(self, view: View) -> None:
        """Counts the rows of a view that is soon shown by `carry`. May run in a thread."""
        outline = self._new_outline(view, None, self.order)
        if isinstance(outline, PreorderOutline):
            outline.prepare()
        self._counted = view, self.order, outline

    def carry(self, report: Report, view: View, places: Places) -> None:
        """Shows another opening of the report: the same rows open, the cursor on the same one.

        places  where the nodes of the view from before are in the new one; that report must still be open
        """
        if self.outline is None or not self.viewport.rows:
            self.show(report, view, None, self.order)
            return
        renewed_places(view)
        before, node = self.outline, self.cursor_node
        self.report, self.view = report, view
        self._waits = not view.is_ready
        while node is not None and places(node) is None:
            node = before.parent(node)
        self.selection = None
        counted, order, outline = self._counted
        is_counted = counted is view and order == self.order and outline is not None
        self.outline = outline if is_counted else self._new_outline(view, None, self.order)
        self._counted = None, None, None
        assert self.outline is not None
        carry_folds(before, self.outline, places)
        self._begin_anew()
        self._stay(None if node is None else places(node))

    # -- rows ---------------------------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """What the line of a node shows; kept for a while."""
        kept = self._rows.get(node)
        if kept is None:
            assert self.view is not None
            drop_oldest(self._rows, KEPT_ROWS)
            kept = self._rows[node] = self._make_row(self.view, node)
        return kept

    def _make_row(self, view: View, node: int) -> Row:
        """A row as it is in what is shown: of a selection with the rows that are left below it."""
        row = view.tree.row(node)
        if self.selection is None:
            return row
        from parsers.views.selected_view import SelectedView

        selected = SelectedView(view, cast("WholeSelection", self.selection)).tree.row(node)
        # What a pattern hides below a row can still be opened by hand.
        is_closed = "suppressed" in selected.flags and row.has_children
        return replace(selected, has_children=True) if is_closed else selected

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        assert self.outline is not None
        return self.outline.depth(node)

    @property
    def cursor_node(self) -> int | None:
        """The node on the cursor row; None if there are no rows."""
        if self.outline is None or not self.viewport.rows:
            return None
        return self.nodes_shown()[self.viewport.screen_row]

    def place(self) -> tuple[View, int] | None:
        """View and node under the cursor."""
        node = self.cursor_node
        return None if node is None or self.view is None else (self.view, node)

    def row_at_cursor(self) -> Row | None:
        """The row under the cursor."""
        node = self.cursor_node
        return None if node is None else self.row(node)

    @property
    def cursor_row(self) -> int:
        """The cursor's place among the shown rows."""
        return self.viewport.cursor

    @property
    def row_count(self) -> int:
        """How many rows are shown."""
        return self.viewport.rows

    # -- the screen ---------------------------------------------------------------------------------------------------

    def nodes_shown(self) -> list[int]:
        """The nodes on the screen, those under sticky lines too."""
        top, height = self.viewport.top, self.viewport.height
        if self._shown is None:
            self._shown = list(self.outline.nodes(top, height)) if self.outline is not None else []
        return self._shown

    def sticky_nodes(self) -> list[int]:
        """The ancestors that are drawn over the first lines of the screen, topmost first."""
        if self._sticky is None:
            self._sticky = self._sticky_at(self.viewport.top)
        return self._sticky

    def _sticky_at(self, top: int) -> list[int]:
        outline = self.outline
        most = min(MOST_STICKY, self.viewport.height // 5)
        if outline is None or not most or not top:
            return []
        for index, node in enumerate(outline.nodes(top, most + 1)):
            above = tree_move.ancestors(outline, node, most)
            if len(above) <= index:
                return above[::-1]
        return []

    def _covered(self, top: int) -> int:
        return len(self._sticky_at(top))

    def _forget_screen(self) -> None:
        """Other rows are on the screen now."""
        self._shown = self._sticky = None

    def _stay(self, node: int | None) -> None:
        """Rows have changed: the node, or the nearest shown one above it, stays on its line of the screen."""
        assert self.outline is not None
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
        self.viewport.settle()
        self._wanted_depth = None
        self.reshow()
        self.followed()

    def _move(self, change: Callable[[Viewport], None]) -> None:
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
            self.followed()


def carry_folds(before: Outline, after: Outline, places: Places) -> None:
    """Opens in one outline what is open in another one; `places` says where its nodes are."""
    if isinstance(before, PreorderOutline) and isinstance(after, PreorderOutline):
        starts = before.cuts()
        kept = [*starts, before.known - 1] if before.known else starts
        if len(starts) <= MOST_CUTS and all(places(node) == node for node in kept):
            # Nothing but the end is another one: nothing came between the rows from before.
            after.restore(before.snapshot_to_grow())
            return
        after.fold_to(before.least_depth)
        opened: Iterable[tuple[int, bool]] = islice(before.opened(), MOST_CUTS)
    else:
        after.close_all()
        opened = ((node, False) for node in filter(before.is_open, before.nodes(0, MOST_LOOKED_AT)))
    for node, with_all in opened:
        place = places(node)
        if place is not None and with_all:
            after.open_all(place)
        elif place is not None:
            after.open(place)


def renewed_places(view: View) -> Places | None:
    """Has a view take what is known now; where its nodes from before are, if it has others since. None: it hasn't."""
    return view.renew()


def drop_oldest(kept: dict[Any, Any], most: int) -> None:
    """Make room in what is kept: half of it, when it is more than that."""
    if len(kept) > most:
        for key in list(islice(kept, most // 2)):
            del kept[key]


def is_final(row: Row) -> bool:
    """Whether a row will look the same while its index goes on growing."""
    return not row.is_growing and row.rows_below is not None and (row.link is not None or "id_ref" not in row.badges)
