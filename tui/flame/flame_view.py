"""The widget of trees that draws a view of shape "flame" as boxes: the same cursor, search, marks and jumps.

All nodes count as shown, so that everything that goes to a node finds it; which of them are drawn is a matter of the
node that the picture stands on, and follows the cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from rich.segment import Segment
from textual import events
from textual.strip import Strip

from parsers.report import Report, View
from tui.flame.icicle import REST, Box, Icicle
from tui.flame.look import box_style, box_text, rest_text
from tui.sanitise import safe
from tui.tree.row_text import column_text
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from tui.tree.selected_outline import Selection

ENOUGH = 6
"""Cells that the cursor's box gets when the picture moves to show it."""


class FlameWidths:
    """The widths of a view's nodes; of a selection only the nodes that are left."""

    def __init__(self, view: Any, tree: Any) -> None:
        self._view = view
        self._tree = tree

    def roots(self) -> Iterable[int]:
        """The nodes at the top."""
        roots: Iterable[int] = self._tree.roots()
        return roots if self._view.is_widest_first else sorted(roots, key=self.width, reverse=True)

    def children(self, node: int) -> Iterable[int]:
        """The nodes below one."""
        children: Iterable[int] = self._tree.children(node)
        return children if self._view.is_widest_first else sorted(children, key=self.width, reverse=True)

    def parent(self, node: int) -> int | None:
        """The node above."""
        above: int | None = self._tree.parent(node)
        return above

    def width(self, node: int) -> float:
        """What the view says."""
        return float(self._view.width(node))

    def below(self, node: int) -> float:
        """What the view says; of a selection the sum of those that are left."""
        if self._tree is self._view.tree:
            return float(self._view.width(node) - self._view.own_width(node))
        return sum(map(self.width, self._tree.children(node)))

    def whole(self) -> float:
        """All roots together."""
        return float(self._view.whole)


class FlameView(TreeView):
    """A `TreeView` that is a picture where its view is a flame."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._base: int | None = None
        """The node that is as wide as the widget; None: all roots together are."""
        self._bases: list[int | None] = []
        """The ones before, for going back."""
        self._top_level = 0
        self._icicle: Icicle | None = None

    @property
    def is_flame(self) -> bool:
        """Whether the view is one."""
        return self.view is not None and self.view.shape == "flame"

    def show(self, report: Report, view: View, selection: Selection | None = None, order: str | None = None) -> None:
        """Shows a view from its start; a flame has no other order."""
        self._base, self._top_level, self._icicle = None, 0, None
        self._bases.clear()
        is_flame = view.shape == "flame"
        super().show(report, view, selection, None if is_flame else order)
        if is_flame and self.outline is not None and selection is None:
            self.outline.open_all()
            self.viewport.set_rows(len(self.outline))
            self.redraw()
            self.followed()

    # -- the picture --------------------------------------------------------------------------------------------------

    @property
    def icicle(self) -> Icicle:
        """The boxes, for the width there is."""
        cells = max(1, self.size.width)
        if self._icicle is None or self._icicle.cells != cells or self._icicle.base != self._base:
            assert self.view is not None
            tree: Any = self.view.tree
            if self.selection is not None:
                from parsers.selection.selected_view import SelectedView

                tree = SelectedView(self.view, cast(Any, self.selection)).tree
            self._icicle = Icicle(FlameWidths(self.view, tree), self._base, cells)
        return self._icicle

    def zoom(self, node: int | None) -> None:
        """Lets a node be as wide as the widget."""
        if node != self._base:
            self._bases.append(self._base)
            self._stand_on(node)

    def zoom_out(self) -> bool:
        """Back to the node before; False: there is none, or this is no flame."""
        if not self.is_flame or not self._bases:
            return False
        self._stand_on(self._bases.pop())
        return True

    def _stand_on(self, node: int | None) -> None:
        self._base, self._top_level = node, 0
        self._settle()
        self.refresh()

    def _level_of(self, node: int) -> int:
        """The level that a node would be on, from the top of the picture; negative: above it."""
        base = 0 if self._base is None else self.depth(self._base) - self.icicle.above
        return self.depth(node) - base

    def _settle(self) -> None:
        """Moves the picture so that the cursor's box is in it and on the screen."""
        node = self.cursor_node
        if node is None or not self.size.width or self.view is None:
            return
        if self._box(node) is None:
            self._base = self._base_for(node)
        level, height = self._level_of(node), max(1, self.size.height)
        if level < self._top_level:
            self._top_level = max(0, level)
        elif level >= self._top_level + height:
            self._top_level = level - height + 1

    def _box(self, node: int) -> Box | None:
        level = self._level_of(node)
        return self.icicle.box_of(node, level) if level >= 0 else None

    def _base_for(self, node: int) -> int | None:
        """The node furthest up on which a picture can stand that shows this one well."""
        widths = FlameWidths(self.view, self.view.tree if self.view is not None else None)
        wanted = widths.width(node) * self.size.width / ENOUGH
        best: int | None = node
        above = widths.parent(node)
        while above is not None and widths.width(above) <= wanted:
            best, above = above, widths.parent(above)
        return None if above is None and widths.whole() <= wanted else best

    def redraw(self) -> None:
        """Draws everything anew."""
        if self.is_flame:
            self._icicle = None
            self._settle()
        super().redraw()

    def moved(self, old_cursor: int, old_top: int) -> None:
        """The cursor is on another node: any line may look different."""
        if self.is_flame:
            self._settle()
            self.refresh()
        else:
            super().moved(old_cursor, old_top)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the boxes of a level."""
        if not self.is_flame or not self.viewport.rows:
            return super().render_line(y)
        width = self.size.width
        blank = self.palette.ground("page")
        line: list[Segment] = []
        at = 0
        level = self._top_level + y
        for place, box in enumerate(self.icicle.level(level)):
            if box.start > at:
                line.append(Segment(" " * (box.start - at), blank))
            if box.stop > max(at, box.start):
                line.append(self._segment(box._replace(start=max(at, box.start)), (place + level) % 2))
                at = box.stop
        line.append(Segment(" " * (width - at), blank))
        return Strip(line).crop(0, width)

    def _segment(self, box: Box, tone: int) -> Segment:
        palette, width = self.palette, box.stop - box.start
        if box.node == REST:
            share: Any = self.view
            number = f"{share.percent(self.icicle.width_of(box)):.1f} %"
            return Segment(rest_text(width, number, palette, self.is_ascii), palette.style("quiet"))
        row = self.row(box.node)
        style = box_style(row, palette, tone)
        if box.node == self.cursor_node:
            style = palette.style("strong", "cursor" if self.has_focus else "idle cursor")
        elif self._pattern is not None and self._pattern.spans(safe(row.label)):
            style = palette.style("current-match" if box.node == self._current_match else "match")
        number = next((column_text(row, column) for column in self.view.columns if column.bar), "") if self.view else ""
        return Segment(box_text(row, width, number, palette, self.is_ascii), style)

    # -- moving -------------------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        """Down to the widest child, up to the parent."""
        if not self.is_flame:
            super().move_by(rows)
            return
        node = self.cursor_node
        for _ in range(min(abs(rows), 10_000)):
            following = self._step_down(node) if rows > 0 and node is not None else self._step_up(node)
            if following is None:
                break
            node = following
        if node is not None:
            self._go_to(node)

    def _step_down(self, node: int | None) -> int | None:
        assert self.view is not None
        return None if node is None else next(iter(FlameWidths(self.view, self.view.tree).children(node)), None)

    def _step_up(self, node: int | None) -> int | None:
        assert self.view is not None
        return None if node is None else self.view.tree.parent(node)

    def _beside(self, step: int) -> bool:
        """Goes to the next box of the level; False: there is none."""
        node = self.cursor_node
        if node is None:
            return False
        boxes = [box for box in self.icicle.level(self._level_of(node)) if box.node != REST]
        at = next((place for place, box in enumerate(boxes) if box.node == node), None)
        if at is None or not 0 <= at + step < len(boxes):
            return False
        self._go_to(boxes[at + step].node)
        return True

    def open_or_child(self) -> bool:
        """To the next box of the level."""
        return self._beside(1) if self.is_flame else super().open_or_child()

    def fold_or_parent(self) -> bool:
        """To the box before."""
        return self._beside(-1) if self.is_flame else super().fold_or_parent()

    def to_sibling(self, step: int) -> None:
        """To another box of the level."""
        if self.is_flame:
            self._beside(step)
        else:
            super().to_sibling(step)

    def page(self, count: int) -> None:
        """As many levels as there are lines."""
        if self.is_flame:
            self.move_by(count * max(1, self.size.height - 1))
        else:
            super().page(count)

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Half as many."""
        if self.is_flame:
            self.move_by(direction * (rows or max(1, self.size.height // 2)))
        else:
            super().half_page(direction, rows)

    def scroll_by(self, rows: int) -> None:
        """The picture has no place of its own: the cursor moves."""
        if self.is_flame:
            self.move_by(rows)
        else:
            super().scroll_by(rows)

    def toggle(self) -> None:
        """Zooms: the box under the cursor gets as wide as the widget, or the picture is as before."""
        if not self.is_flame:
            super().toggle()
        elif self.cursor_node == self._base:
            self.zoom_out()
        else:
            self.zoom(self.cursor_node)

    def _fold(self, change: Callable[[int], int | None], node: int) -> int | None:
        """Nothing is folded in a picture."""
        return None if self.is_flame else super()._fold(change, node)

    def on_click(self, event: events.Click) -> None:
        """Goes to the box; twice zooms."""
        if not self.is_flame:
            # Textual calls the method of each class: that of the tree comes next.
            return
        event.prevent_default()
        self.focus()
        box = self.icicle.at(event.x, self._top_level + event.y)
        if box is not None and box.node != REST:
            self._go_to(box.node)
            if event.chain == 2:
                self.toggle()
