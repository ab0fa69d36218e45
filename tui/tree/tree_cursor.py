"""Where somebody stands in a tree and what of it is open. No screen: all of it works, and is tested, without one.

A `TreeCursor` joins an outline (which rows are shown) and a viewport (which of them are on the screen, and which has
the cursor). Every method leaves the cursor on a shown row. What must be drawn again is told by `moved` and `redraw`,
which a widget overrides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from parsers.report import Report, Row, View
from tui.tree import tree_move
from tui.tree.depth_count import PLAIN_AT_FIRST, has_numpy
from tui.tree.outline import Outline
from tui.tree.preorder_outline import PreorderOutline
from tui.tree.viewport import Place, Viewport

if TYPE_CHECKING:
    from parsers.selection.selection import Selection as WholeSelection
    from tui.tree.selected_outline import Selection

MOST_STICKY = 5
"""Ancestors that stay on top when they have scrolled out."""

Places = Callable[[int], int | None]
"""Where a node from before is now; None: nowhere."""

MOST_CARRIED = 10_000
"""Rows whose open ones stay open when other rows take the place of all."""

KEPT_ROWS = 1024
"""Rows that are kept."""

LEAST_FIRST = 50
"""Rows that are shown as they are at the start, also on a lower screen."""

MOST_UNDO = 200
"""Folds that can be undone."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A state that undo goes back to."""

    outline: object
    cursor: int | None


@dataclass(frozen=True, slots=True)
class Stand:
    """All of where somebody stands: what is shown, what of it is open, and the place on the screen."""

    view: View | None
    selection: Selection | None
    order: str | None
    outline: Outline
    fold: Fold
    undo: tuple[Fold, ...]
    redo: tuple[Fold, ...]
    top: int


class TreeCursor:
    """Position and folds in one view of a report."""

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
        self._undo: list[Fold] = []
        self._redo: list[Fold] = []
        self._rows: dict[int, Row] = {}
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
        self._undo.clear()
        self._redo.clear()
        self._wanted_depth = None
        self._rows.clear()
        self._forget_screen()
        self.viewport.top = self.viewport.cursor = 0
        self.viewport.set_rows(len(self.outline))
        self.redraw()
        self.followed()

    def _new_outline(self, view: View, selection: Selection | None, order: str | None) -> Outline:
        first = 0 if getattr(view, "starts_closed", False) else max(self.viewport.height, LEAST_FIRST)
        if selection is not None and order is not None:
            from parsers.selection.selected_view import SelectedView
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
        return PreorderOutline(preorder, first_rows=first, limit=limit)

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
                if self.viewport.rows:
                    self._show_renewed(view, places)
                else:
                    self.show(self.report, view, None, self.order)
                return places
            node = self.cursor_node
            self.outline.grow()
            is_complete = self.report.is_complete
            self._rows = {} if is_complete else {node: row for node, row in self._rows.items() if is_final(row)}
            self._stay(node)
        return None

    def _show_renewed(self, view: View, places: Places) -> None:
        """Shows rows that take the place of others: the same ones open, the cursor on the same one.

        The outline still is that of the nodes from before, as the trees of both times stand side by side.
        """
        assert self.outline is not None
        before, node, top = self.outline, self.cursor_node, self.viewport.top
        shown = before.nodes(0, MOST_CARRIED)
        opened = [places(node) for node in shown if before.is_open(node)]
        # Of a list, of which nothing can be opened, nothing is open.
        is_all_open = bool(opened) and isinstance(before, PreorderOutline) and len(before) == before.preorder.rows
        while node is not None and places(node) is None:
            node = before.parent(node)
        self.selection = None
        self.outline = self._new_outline(view, None, self.order)
        self.outline.close_all()
        if is_all_open:
            self.outline.open_all()
        for each in opened if not is_all_open else ():
            if each is not None:
                self.outline.open(each)
        self._undo.clear()
        self._redo.clear()
        self._rows.clear()
        self._stay(None if node is None else places(node))
        if not top and self.viewport.cursor < self.viewport.height:
            # Somebody who looks at the beginning goes on doing so.
            self._move(lambda viewport: viewport.scroll_by(-viewport.top))

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
        from parsers.selection.selected_view import SelectedView

        selected = SelectedView(view, cast("WholeSelection", self.selection)).tree.row(node)
        # What a pattern hides below a row can still be opened by hand.
        is_closed = "suppressed" in selected.flags and row.has_children
        return replace(selected, has_children=True) if is_closed else selected

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

    # -- moving -------------------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        """Moves the cursor down (negative: up)."""
        self._move(lambda viewport: viewport.move_by(rows))

    def move_to_row(self, row: int) -> None:
        """Puts the cursor on a shown row, from 0; -1 is the last."""
        self._move(lambda viewport: viewport.move_to(row if row >= 0 else viewport.rows + row))

    def page(self, count: int) -> None:
        """Moves by screens."""
        self._move(lambda viewport: viewport.page(count))

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Moves by half screens, or by `rows` from then on."""
        self._move(lambda viewport: viewport.half_page(direction, rows))

    def scroll_by(self, rows: int) -> None:
        """Scrolls; the cursor stays on its row while it can."""
        self._move(lambda viewport: viewport.scroll_by(rows))

    def place_cursor(self, place: Place) -> None:
        """Scrolls so that the cursor row is at the top, in the middle or at the bottom."""
        self._move(lambda viewport: viewport.place(place))

    def move_to_node(self, node: int) -> None:
        """Puts the cursor on a node, opening what is above it."""
        self.jump(node)

    def jump(self, node: int, place: Place | None = None) -> bool:
        """Puts the cursor on a node, opening what is above it. False: the node is not among what is shown."""
        if self.outline is None:
            return False
        row = self.outline.row_of(node)
        if row is None:
            before = self._fold_now()
            self.outline.reveal(node)
            row = self.outline.row_of(node)
            if row is None:
                return False
            self._remember(before)
            self._stay(before.cursor)
        self._move(lambda viewport: viewport.jump_to(row))
        if place is not None:
            self.place_cursor(place)
        return True

    def to_parent(self, count: int = 1) -> None:
        """Goes to the node above, so many levels up."""
        for _ in range(count):
            self._go(lambda outline, node: outline.parent(node))

    def to_sibling(self, step: int) -> None:
        """Goes to the next or previous sibling; past the end to the parents' level, the wanted depth is remembered."""
        node = self.cursor_node
        if node is None or self.outline is None:
            return
        depth = self._wanted_depth if self._wanted_depth is not None else self.outline.depth(node)
        for _ in range(abs(step)):
            node = tree_move.sibling(self.outline, node, 1 if step > 0 else -1, depth)
        self._go_to(node)
        self._wanted_depth = depth

    def to_first_sibling(self) -> None:
        """Goes to the first child of the same parent."""
        self._go(lambda outline, node: outline.first_sibling(node))

    def to_last_sibling(self) -> None:
        """Goes to the last child of the same parent."""
        self._go(lambda outline, node: outline.last_sibling(node))

    def depth_change(self, step: int) -> None:
        """Goes to the next or previous row of another depth."""
        self._repeat(step, tree_move.depth_change)

    def block(self, step: int) -> None:
        """Goes to the next or previous root."""
        self._repeat(step, tree_move.block)

    def percent(self, percent: float) -> None:
        """Goes N percent into the document, opening what is above; into the shown rows where there is no document."""
        if self.outline is None or self.view is None:
            return
        preorder = self.selection or self.view.tree.preorder
        if preorder is None or self.order is not None:
            self.move_to_row(int(max(0, self.row_count - 1) * min(percent, 100) / 100))
        elif preorder.rows:
            position = min(preorder.rows - 1, int(preorder.rows * max(0.0, percent) / 100))
            self.jump(position if self.selection is None else self.selection.node_at(position))

    # -- folding ------------------------------------------------------------------------------------------------------

    def opening(self) -> Callable[[], object] | None:
        """What has to be done, perhaps in a thread, before the node at the cursor is opened; None where it can be now.

        Only children that are shown in a sorted order may need it.
        """
        node, order, view = self.cursor_node, self.order, self.view
        if node is None or order is None or self.selection is not None or self.outline is None or view is None:
            return None
        sorting = getattr(view.tree, "sorting", None)
        work: Callable[[], object] | None = None
        if sorting is not None and not self.outline.is_open(node):
            work = sorting(order, node)
        return work

    def toggle(self) -> None:
        """Opens a closed node, closes an open one."""
        node = self.cursor_node
        if node is not None and self.outline is not None:
            self._fold(self.outline.close if self.outline.is_open(node) else self.outline.open, node)

    def open_or_child(self) -> bool:
        """Opens a closed node, else goes to the first child. False: there is nothing below."""
        node = self.cursor_node
        if node is None or self.outline is None or not self.outline.has_children(node):
            return False
        if self.outline.is_open(node):
            self.move_by(1)
        else:
            self._fold(self.outline.open, node)
        return True

    def fold_or_parent(self) -> bool:
        """Closes an open node, else goes to the parent. False: there is nothing above."""
        node = self.cursor_node
        if node is None or self.outline is None:
            return False
        if self.outline.is_open(node):
            self._fold(self.outline.close, node)
            return True
        self.to_parent()
        return self.outline.parent(node) is not None

    def open_siblings(self) -> None:
        """Opens the node and its siblings."""
        self._fold_cursor(lambda outline, node: outline.open_siblings(node))

    def fold_siblings(self) -> None:
        """Closes the node and its siblings."""
        self._fold_cursor(lambda outline, node: outline.close_siblings(node))

    def open_below(self) -> int | None:
        """Opens the siblings with everything below. Returns the limit if it had to stop at one."""
        return self._fold_cursor(lambda outline, node: outline.open_all(outline.parent(node)))

    def fold_below(self) -> None:
        """Closes the siblings and forgets what was open below."""

        def fold(outline: Outline, node: int) -> None:
            above = outline.parent(node)
            outline.close_all(above)
            if above is not None:
                outline.open(above)

        self._fold_cursor(fold)

    def fold_to(self, depth: int) -> int | None:
        """Shows just the nodes of at most this depth. Returns the limit if it had to stop at one."""
        return self._fold_cursor(lambda outline, node: outline.fold_to(depth))

    def open_all(self) -> int | None:
        """Shows all rows. Returns the limit if it had to stop at one."""
        return self._fold_cursor(lambda outline, node: outline.open_all())

    def open_chain(self) -> None:
        """Opens the node and its only child and so on, and goes to the first one with several children, or none."""
        before = self._fold_now()
        node = self.cursor_node
        if node is None or self.outline is None:
            return
        end = tree_move.chain_end(self.outline, node)
        self._remember(before)
        self._stay(node)
        self._go_to(end)

    def undo(self) -> bool:
        """Takes the last fold back. False: there is none."""
        return self._swap(self._undo, self._redo)

    def redo(self) -> bool:
        """Does again what was taken back. False: there is nothing."""
        return self._swap(self._redo, self._undo)

    def keep(self) -> Stand | None:
        """Where somebody stands now, for `back_to`."""
        if self.outline is None:
            return None
        undo, redo = tuple(self._undo), tuple(self._redo)
        return Stand(
            self.view, self.selection, self.order, self.outline, self._fold_now(), undo, redo, self.viewport.top
        )

    def back_to(self, stand: Stand | None) -> None:
        """Exactly the screen from before: the same rows open, the same ones on the screen, the cursor on its node."""
        if stand is None or stand.view is None:
            return
        self.view, self.selection, self.order = stand.view, stand.selection, stand.order
        self.outline = stand.outline
        self.outline.grow()
        self.outline.restore(stand.fold.outline)
        self._undo[:], self._redo[:] = stand.undo, stand.redo
        self._wanted_depth = None
        self._rows.clear()
        self._forget_screen()
        row = None if stand.fold.cursor is None else self.outline.row_of(stand.fold.cursor)
        self.viewport.top, self.viewport.cursor = stand.top, row or 0
        self.viewport.set_rows(len(self.outline))
        self.redraw()
        self.followed()

    @property
    def fold_count(self) -> int:
        """How many folds can be undone."""
        return len(self._undo)

    def _swap(self, source: list[Fold], target: list[Fold]) -> bool:
        if self.outline is None or not source:
            return False
        fold, now = source.pop(), self._fold_now()
        target.append(now)
        self.outline.restore(fold.outline)
        self._stay(now.cursor)
        if fold.cursor is not None:
            self._go_to(fold.cursor)
        return True

    def _fold_cursor(self, change: Callable[[Outline, int], int | None]) -> int | None:
        node = self.cursor_node
        if node is None or self.outline is None:
            return None
        outline = self.outline
        return self._fold(lambda node: change(outline, node), node)

    def _fold(self, change: Callable[[int], int | None], node: int) -> int | None:
        """Changes what is open; the cursor stays on its line of the screen, with its node or what hides it now."""
        before = self._fold_now()
        limit = change(node)
        self._remember(before)
        self._stay(node)
        return limit

    def _fold_now(self) -> Fold:
        assert self.outline is not None
        return Fold(self.outline.snapshot(), self.cursor_node)

    def _remember(self, fold: Fold) -> None:
        self._undo.append(fold)
        self._redo.clear()
        if len(self._undo) > MOST_UNDO:
            del self._undo[0]

    # -- changes ------------------------------------------------------------------------------------------------------

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

    def _forget_screen(self) -> None:
        """Other rows are on the screen now."""
        self._shown = self._sticky = None

    def _go(self, where: Callable[[Outline, int], int | None]) -> None:
        node = self.cursor_node
        if node is not None and self.outline is not None:
            target = where(self.outline, node)
            if target is not None:
                self._go_to(target)

    def _go_to(self, node: int) -> None:
        row = self.outline.row_of(node) if self.outline is not None else None
        if row is not None:
            self._move(lambda viewport: viewport.move_to(row))

    def _repeat(self, step: int, move: Callable[[Outline, int, int], int]) -> None:
        node = self.cursor_node
        if node is None or self.outline is None:
            return
        for _ in range(abs(step)):
            target = move(self.outline, node, 1 if step > 0 else -1)
            if target == node:
                break
            node = target
        self._go_to(node)

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

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        assert self.outline is not None
        return self.outline.depth(node)


def renewed_places(view: View) -> Places | None:
    """Has a view take what is known now; where its nodes from before are, if it has others since. None: it hasn't."""
    renew = getattr(view, "renew", None)
    places: Places | None = None if renew is None else renew()
    return places


def drop_oldest(kept: dict[Any, Any], most: int) -> None:
    """Make room in what is kept: half of it, when it is more than that."""
    if len(kept) > most:
        for key in list(islice(kept, most // 2)):
            del kept[key]


def is_final(row: Row) -> bool:
    """Whether a row will look the same while its index goes on growing."""
    return not row.is_growing and row.rows_below is not None and (row.link is not None or "id_ref" not in row.badges)
