"""A view that shows what is known so far, and then all of it."""

from __future__ import annotations

import pytest
from made_report import MadeReport, MadeTree

from parsers.views.preview_switch import PreviewSwitch
from tui.tree.tree_cursor import TreeCursor

SO_FAR = ["a.A", "b.B", "a.C"]
ALL = ["a", "  a.A", "  a.C", "b", "  b.B"]


@pytest.mark.parametrize(("row", "label"), [(0, "a"), (1, "b"), (2, "a")])
def test_the_cursor_goes_to_what_holds_its_row_then_and_who_has_not_moved_stays(row: int, label: str) -> None:
    first, second = MadeReport(MadeTree(SO_FAR)), MadeReport(MadeTree(ALL))
    first.views[0].ref = lambda node: f"name:{first.tree.texts[node]}"
    second.views[0].resolve = lambda ref: second.tree.texts.index(ref.partition(":")[2])
    view = PreviewSwitch(first.views[0], second.views[0])
    cursor = TreeCursor(first, view)
    cursor.viewport.height = 10
    cursor.show(first, view)
    assert cursor.row_count == 3
    cursor.move_to_row(row)
    first.views[0].is_ready = False
    cursor.progressed()
    assert view.tree.row(cursor.cursor_node).label == label
    assert [view.tree.row(node).label for node in cursor.nodes_shown()] == ["a", "b"]
