"""The cursor and the folds of a tree. Independent of a screen, and tested without one.

Every method of a `TreeCursor` leaves the cursor on a shown row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.model.capabilities import SortsInThread
from parsers.model.report import Report
from parsers.model.value import value_class
from parsers.model.view import View
from tui.tree import tree_move
from tui.tree.outlines.outline import Outline
from tui.tree.tree_rows import TreeRows
from tui.tree.viewport import Place

if TYPE_CHECKING:
    from parsers.query.selection.selection import Selection

MOST_UNDO = 200
"""Maximum folds that can be undone."""


@value_class
class Fold:
    """A state that undo restores."""

    outline: object
    cursor: int | None


@value_class
class CursorState:
    """The full position of a user: contents shown, open nodes, and place on the screen."""

    view: View
    selection: Selection | None
    order: str | None
    outline: Outline
    fold: Fold
    undo: tuple[Fold, ...]
    redo: tuple[Fold, ...]
    top: int


class TreeCursor(TreeRows):
    """Cursor and folds in one view of a report."""

    def __init__(self, report: Report, view: View) -> None:
        super().__init__(report, view)
        self._undo: list[Fold] = []
        self._redo: list[Fold] = []

    def _reset_screen(self) -> None:
        super()._reset_screen()
        self._undo.clear()
        self._redo.clear()

    # -- moving -------------------------------------------------------------------------------------------------------

    def jump(self, node: int, place: Place | None = None) -> bool:
        """Puts the cursor on a node; opens its ancestors. False: the node is not in the shown rows."""
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

    def arrive(self, node: int) -> None:
        """`jump` among newly built rows: opened ancestors are not undoable folds."""
        self.jump(node)
        self._undo.clear()

    def to_parent(self, count: int = 1) -> None:
        """Goes `count` levels up."""
        for _ in range(count):
            self._go(lambda outline, node: outline.parent(node))

    def to_sibling(self, step: int) -> None:
        """Goes to the next or previous sibling; past the end to the parents' level. Remembers the wanted depth."""
        node = self.cursor_node
        if node is None:
            return
        depth = self._wanted_depth if self._wanted_depth is not None else self.outline.depth(node)
        for _ in range(abs(step)):
            node = tree_move.sibling(self.outline, node, 1 if step > 0 else -1, depth)
        self.go_to(node)
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
        """Goes to N percent of the document and opens ancestors; of the shown rows if there is no document."""
        preorder = self.selection or self.view.tree.preorder
        if preorder is None or self.order is not None:
            self.move_to_row(int(max(0, self.row_count - 1) * min(percent, 100) / 100))
        elif preorder.rows:
            position = min(preorder.rows - 1, int(preorder.rows * max(0.0, percent) / 100))
            self.jump(position if self.selection is None else self.selection.node_at(position))

    def _go(self, where: Callable[[Outline, int], int | None]) -> None:
        node = self.cursor_node
        if node is not None:
            target = where(self.outline, node)
            if target is not None:
                self.go_to(target)

    def go_to(self, node: int) -> None:
        """Puts the cursor on a node, if it is shown."""
        row = self.outline.row_of(node)
        if row is not None:
            self._move(lambda viewport: viewport.move_to(row))

    def _repeat(self, step: int, move: Callable[[Outline, int, int], int]) -> None:
        node = self.cursor_node
        if node is None:
            return
        for _ in range(abs(step)):
            target = move(self.outline, node, 1 if step > 0 else -1)
            if target == node:
                break
            node = target
        self.go_to(node)

    # -- folding ------------------------------------------------------------------------------------------------------

    def opening(self) -> Callable[[], object] | None:
        """Work, perhaps for a thread, that must precede opening the node at the cursor; None if there is none.

        Only children in a sorted order may need it.
        """
        node, order, tree = self.cursor_node, self.order, self.view.tree
        if node is None or order is None or self.selection is not None:
            return None
        return tree.sorting(order, node) if isinstance(tree, SortsInThread) and not self.outline.is_open(node) else None

    def toggle(self) -> None:
        """Opens a closed node, closes an open one."""
        node = self.cursor_node
        if node is not None:
            self._fold(self.outline.close if self.outline.is_open(node) else self.outline.open, node)

    def enter(self) -> None:
        """Handles Enter on a row without a link."""
        self.toggle()

    def open_or_child(self) -> bool:
        """Opens a closed node, else goes to the first child. False: no children."""
        node = self.cursor_node
        if node is None or not self.outline.has_children(node):
            return False
        if self.outline.is_open(node):
            self.move_by(1)
        else:
            self._fold(self.outline.open, node)
        return True

    def fold_or_parent(self) -> bool:
        """Closes an open node, else goes to the parent. False: no parent."""
        node = self.cursor_node
        if node is None:
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
        """Opens the siblings with everything below. Returns the limit if it was reached."""
        return self._fold_cursor(lambda outline, node: outline.open_all(outline.parent(node)))

    def fold_below(self) -> None:
        """Closes the siblings and forgets their open nodes."""

        def fold(outline: Outline, node: int) -> None:
            above = outline.parent(node)
            outline.close_all(above)
            if above is not None:
                outline.open(above)

        self._fold_cursor(fold)

    def fold_to(self, depth: int) -> int | None:
        """Shows only nodes of at most this depth. Returns the limit if it was reached."""
        return self._fold_cursor(lambda outline, node: outline.fold_to(depth))

    def open_all(self) -> int | None:
        """Shows all rows. Returns the limit if it was reached."""
        return self._fold_cursor(lambda outline, node: outline.open_all())

    def open_chain(self) -> None:
        """Opens the node, its only child and so on; goes to the first one with several children, or none."""
        before = self._fold_now()
        node = self.cursor_node
        if node is None:
            return
        end = tree_move.chain_end(self.outline, node)
        self._remember(before)
        self._stay(node)
        self.go_to(end)

    def undo(self) -> bool:
        """Undoes the last fold. False: there is none."""
        return self._swap(self._undo, self._redo)

    def redo(self) -> bool:
        """Repeats the last undone fold. False: there is none."""
        return self._swap(self._redo, self._undo)

    def save_state(self) -> CursorState:
        """Returns the current position, for `restore_state`."""
        undo, redo = tuple(self._undo), tuple(self._redo)
        return CursorState(
            self.view, self.selection, self.order, self.outline, self._fold_now(), undo, redo, self.viewport.top
        )

    def restore_state(self, state: CursorState | None) -> None:
        """Restores a screen exactly: open rows, rows on the screen, and the cursor's node."""
        if state is None:
            return
        self.view, self.selection, self.order = state.view, state.selection, state.order
        self.outline = state.outline
        self.outline.grow()
        self.outline.restore(state.fold.outline)
        self._undo[:], self._redo[:] = state.undo, state.redo
        self._wanted_depth = None
        self._rows.clear()
        self._forget_screen()
        row = None if state.fold.cursor is None else self.outline.row_of(state.fold.cursor)
        self.viewport.top, self.viewport.cursor = state.top, row or 0
        self.viewport.set_rows(len(self.outline))
        self.redraw()
        self.cursor_changed()

    def _swap(self, source: list[Fold], target: list[Fold]) -> bool:
        if not source:
            return False
        fold, now = source.pop(), self._fold_now()
        target.append(now)
        self.outline.restore(fold.outline)
        self._stay(now.cursor)
        if fold.cursor is not None:
            self.go_to(fold.cursor)
        return True

    def _fold_cursor(self, change: Callable[[Outline, int], int | None]) -> int | None:
        node = self.cursor_node
        return None if node is None else self._fold(lambda node: change(self.outline, node), node)

    def _fold(self, change: Callable[[int], int | None], node: int) -> int | None:
        """Changes folds; the cursor keeps its line on the screen, on its node or the ancestor that hides it now."""
        before = self._fold_now()
        limit = change(node)
        self._remember(before)
        self._stay(node)
        return limit

    def _fold_now(self) -> Fold:
        return Fold(self.outline.snapshot(), self.cursor_node)

    def _remember(self, fold: Fold) -> None:
        self._undo.append(fold)
        self._redo.clear()
        if len(self._undo) > MOST_UNDO:
            del self._undo[0]
