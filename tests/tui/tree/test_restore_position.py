"""A report that is read again while it grows: what is open and where the cursor stands is found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import pytest
from made_report import MadeReport, made

from parsers.model.view import View
from parsers.views.list_view import ListRow, ListView
from tui.tree.restore_position import SavedPosition
from tui.tree.tree_cursor import TreeCursor

BEFORE = """
    a
      b
        c
      d
    e
      f
        g
"""
GROWN = """
    a
      b
        c
      d
    e
      f
        g
        h
    i
      j
"""
OTHERS_BEFORE = """
    x
      y
    a
      z
      b
        c
      d
    e
      f
        g
"""


def cursor_in(report: MadeReport) -> TreeCursor:
    cursor = TreeCursor(report, report.views[0])
    cursor.viewport.resize(20)
    cursor.show(report, report.views[0])
    return cursor


def carried(cursor: TreeCursor, drawing: str) -> str:
    """Returns the rows of another drawing, in which equal names are the same node; the cursor's name in brackets."""
    report, view = made(drawing), cursor.view
    after = report.views[0]

    def places(node: int) -> int | None:
        return after.find_key(view.key(node))

    cursor.restore_position(report, after, places)
    nodes = cursor.outline.nodes(0, 100)
    return "".join(f"[{label}]" if node == cursor.cursor_node else label for node, label in labels(cursor, nodes))


def labels(cursor: TreeCursor, nodes: Sequence[int]) -> list[tuple[int, str]]:
    return [(node, cursor.row(node).label) for node in nodes]


def go(cursor: TreeCursor, label: str) -> None:
    node = cursor.view.find_key(label)
    assert node is not None
    cursor.jump(node)


CHANGES: list[tuple[Callable[[TreeCursor], object], str, str]] = [
    (lambda tree: tree.fold_to(0), "a[e]i", "xa[e]"),
    (lambda tree: tree.open_all(), "abcd[e]fghij", "xyazbcd[e]fg"),
    (lambda tree: tree.fold_to(1), "abd[e]fij", "xyazbd[e]f"),
    (lambda tree: (tree.fold_to(0), tree.toggle()), "a[e]fi", "xa[e]f"),
    (lambda tree: (tree.fold_to(0), tree.open_below()), "abcd[e]fghij", "xyazbcd[e]fg"),
    (lambda tree: (tree.fold_to(0), go(tree, "f")), "ae[f]i", "xae[f]"),
    (lambda tree: (tree.fold_to(0), go(tree, "c")), "ab[c]dei", "xazb[c]de"),
]


@pytest.mark.parametrize(("change", "grown", "others_before"), CHANGES)
def test_the_same_rows_are_open_and_the_cursor_is_on_the_same_one(
    change: Callable[[TreeCursor], object], grown: str, others_before: str
) -> None:
    for drawing, expected in ((GROWN, grown), (OTHERS_BEFORE, others_before)):
        cursor = cursor_in(made(BEFORE))
        go(cursor, "e")
        change(cursor)
        assert carried(cursor, drawing) == expected


def test_inserted_rows_leave_closed_nodes_closed() -> None:
    cursor = cursor_in(made("a\n  b\n  c\nd\n  e\n  f\n"))
    cursor.fold_to(0)
    go(cursor, "d")
    assert carried(cursor, "a\n  b\n  x\n  c\nd\n  e\n  f\n") == "a[d]"
    assert cursor.row_count == 2


def test_a_cursor_whose_row_is_gone_is_on_the_one_above() -> None:
    cursor = cursor_in(made(GROWN))
    cursor.open_all()
    go(cursor, "h")
    assert carried(cursor, BEFORE) == "abcde[f]g"


class Listed(ListView):
    """A view of some entries: depth and label."""

    name = "Listed"

    def __init__(self, *entries: tuple[int, str]) -> None:
        super().__init__()
        self._given = [ListRow("row", label, depth) for depth, label in entries]

    def make(self) -> Sequence[ListRow]:
        return self._given


def places(before: Listed, after: Listed) -> list[int | None]:
    """Returns the position of each row of one view in the other."""
    carried = SavedPosition(cast(View, before), cast(View, after))
    return [carried(node) for node in range(len(before.entries))]


def test_rows_are_the_same_by_their_labels_from_the_top_down() -> None:
    before = Listed((0, "main"), (1, "run"), (0, "other"), (1, "run"))
    after = Listed((0, "new"), (0, "other"), (1, "run"), (0, "main"), (1, "first"), (1, "run"))

    assert places(before, after) == [3, 5, 1, 2]


def test_a_removed_node_is_removed_with_its_descendants() -> None:
    assert places(Listed((0, "main"), (1, "run")), Listed((0, "other"), (1, "run"))) == [None, None]


def test_of_rows_that_are_alike_each_is_the_one_with_its_number() -> None:
    assert places(Listed((0, "a"), (0, "a")), Listed((0, "a"), (0, "a"), (0, "a"))) == [0, 1]
