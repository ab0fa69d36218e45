"""Moving and folding in a tree, without a screen: where the cursor and the top row are after each step."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from made_report import MadeReport, MadeTree, made

from tui.tree.tree_cursor import TreeCursor
from tui.tree.viewport import Viewport

DRAWING = """
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
"""Names are in document order, so a node is its letter."""


def cursor_in(report: MadeReport, height: int = 20) -> TreeCursor:
    cursor = TreeCursor(report, report.views[0])
    cursor.viewport.resize(height)
    cursor.show(report, report.views[0])
    return cursor


def at(cursor: TreeCursor) -> str:
    node = cursor.cursor_node
    return "" if node is None else cursor.row(node).label


def shown(cursor: TreeCursor) -> str:
    return "".join(cursor.row(node).label for node in cursor.outline.nodes(0, 1000))


def go(cursor: TreeCursor, label: str) -> None:
    cursor.jump(next(node for node in range(30) if cursor.row(node).label == label))


PERCENTS: list[tuple[str, Callable[[TreeCursor], object], str]] = [
    ("a", lambda tree: tree.percent(50), "f"),
    ("a", lambda tree: tree.percent(100), "j"),
    ("j", lambda tree: tree.percent(0), "a"),
]

MOVES: list[tuple[str, Callable[[TreeCursor], object], str]] = [
    ("a", lambda tree: tree.move_by(1), "b"),
    ("a", lambda tree: tree.move_by(-1), "a"),
    ("c", lambda tree: tree.move_by(100), "j"),
    ("c", lambda tree: tree.move_to_row(-1), "j"),
    ("j", lambda tree: tree.move_to_row(0), "a"),
    ("g", lambda tree: tree.to_parent(), "f"),
    ("g", lambda tree: tree.to_parent(2), "e"),
    ("a", lambda tree: tree.to_parent(), "a"),
    ("b", lambda tree: tree.to_sibling(1), "e"),
    ("e", lambda tree: tree.to_sibling(-1), "b"),
    ("e", lambda tree: tree.to_sibling(1), "h"),
    ("e", lambda tree: tree.to_sibling(2), "i"),
    ("i", lambda tree: tree.to_sibling(-1), "h"),
    ("i", lambda tree: tree.to_sibling(-2), "e"),
    ("c", lambda tree: tree.to_last_sibling(), "d"),
    ("e", lambda tree: tree.to_first_sibling(), "b"),
    ("a", lambda tree: tree.to_last_sibling(), "j"),
    ("j", lambda tree: tree.to_first_sibling(), "a"),
    ("c", lambda tree: tree.depth_change(1), "e"),
    ("d", lambda tree: tree.depth_change(-1), "b"),
    ("c", lambda tree: tree.block(1), "h"),
    ("i", lambda tree: tree.block(-1), "h"),
    ("h", lambda tree: tree.block(-1), "a"),
    ("a", lambda tree: tree.block(2), "j"),
    ("a", lambda tree: tree.open_or_child(), "b"),
    ("d", lambda tree: tree.fold_or_parent(), "b"),
    *PERCENTS,
]


@pytest.mark.parametrize(("start", "move", "end"), MOVES)
def test_a_move_leads_from_a_row_to_a_row(start, move, end):
    cursor = cursor_in(made(DRAWING))
    go(cursor, start)
    move(cursor)
    assert at(cursor) == end


@pytest.mark.parametrize(("start", "move", "end"), [case for case in MOVES if case not in PERCENTS])
def test_moves_are_the_same_in_a_tree_that_is_known_from_above_only(start, move, end):
    report = made(DRAWING)
    report.tree.has_preorder = False
    cursor = cursor_in(report)
    cursor.open_all()
    go(cursor, start)
    move(cursor)
    assert at(cursor) == end


def test_the_wanted_depth_is_remembered_over_shallower_rows():
    cursor = cursor_in(made(DRAWING))
    go(cursor, "f")
    cursor.to_sibling(1)
    assert at(cursor) == "h"
    cursor.to_sibling(-1)
    assert at(cursor) == "f"


FOLDS: list[tuple[str, Callable[[TreeCursor], object], str, str]] = [
    ("b", lambda tree: tree.toggle(), "abefghij", "b"),
    ("c", lambda tree: tree.fold_siblings(), "abcdefghij", "c"),
    ("b", lambda tree: tree.fold_siblings(), "abehij", "b"),
    ("b", lambda tree: tree.fold_below(), "abehij", "b"),
    ("g", lambda tree: tree.fold_to(0), "ahj", "a"),
    ("g", lambda tree: tree.fold_to(1), "abehij", "e"),
    ("g", lambda tree: tree.fold_to(2), "abcdefhij", "f"),
]


@pytest.mark.parametrize(("start", "fold", "rows", "end"), FOLDS)
def test_folding_shows_other_rows_and_keeps_the_cursor_or_goes_to_what_hides_it(start, fold, rows, end):
    cursor = cursor_in(made(DRAWING))
    go(cursor, start)
    fold(cursor)
    assert (shown(cursor), at(cursor)) == (rows, end)


@pytest.mark.parametrize(("start", "fold", "rows", "end"), FOLDS)
def test_every_fold_can_be_undone_and_done_again(start, fold, rows, end):
    cursor = cursor_in(made(DRAWING))
    go(cursor, start)
    fold(cursor)
    assert cursor.undo()
    assert (shown(cursor), at(cursor)) == ("abcdefghij", start)
    assert cursor.redo()
    assert (shown(cursor), at(cursor)) == (rows, end)
    assert not cursor.redo()


def test_opening_with_all_below_opens_the_siblings_too():
    cursor = cursor_in(made(DRAWING))
    cursor.fold_to(0)
    cursor.open_below()
    assert shown(cursor) == "abcdefghij"


def test_a_chain_opens_until_it_branches():
    cursor = cursor_in(made("a\n  b\n    c\n      d\n      e\nf"))
    cursor.fold_to(0)
    cursor.open_chain()
    assert (shown(cursor), at(cursor)) == ("abcdef", "c")


def test_jumping_opens_ancestors_and_can_be_undone():
    cursor = cursor_in(made(DRAWING))
    cursor.fold_to(0)
    assert cursor.jump(6)
    assert (shown(cursor), at(cursor)) == ("abefghj", "g")
    cursor.undo()
    assert (shown(cursor), at(cursor)) == ("ahj", "a")


def test_folding_keeps_the_row_on_its_line_of_the_screen():
    cursor = cursor_in(made("\n".join(["a", "  b"] * 50)), height=10)
    cursor.move_to_row(40)
    cursor.place_cursor("middle")
    assert cursor.viewport.screen_row == 5
    cursor.toggle()
    assert cursor.viewport.screen_row == 5


def test_ancestors_that_have_scrolled_out_stay_on_top():
    cursor = cursor_in(made("a\n  b\n" + "    c\n" * 100), height=20)
    cursor.move_to_row(50)
    sticky = cursor.sticky_nodes()
    assert [cursor.row(node).label for node in sticky] == ["a", "b"]
    cursor.move_to_row(cursor.viewport.top + 2)
    cursor.move_by(-1)
    assert cursor.viewport.screen_row >= len(cursor.sticky_nodes())


def test_rows_that_come_while_the_index_grows_leave_the_cursor_where_it_is():
    report = made(DRAWING, rows=4)
    cursor = cursor_in(report)
    cursor.move_to_row(-1)
    assert at(cursor) == "d"
    report.tree.rows = 10
    cursor.progressed()
    assert at(cursor) == "d"
    assert shown(cursor) == "abcdehj"


def test_only_rows_on_the_screen_are_read():
    report = MadeReport(MadeTree(["a"] * 10_000))
    cursor = cursor_in(report, height=10)
    cursor.move_to_row(-1)
    for node in cursor.nodes_shown():
        cursor.row(node)
    assert report.tree.read == 10


def test_an_empty_tree_takes_every_move():
    cursor = cursor_in(MadeReport(MadeTree([])))
    for _, move, _ in MOVES:
        move(cursor)
    for _, fold, _, _ in FOLDS:
        fold(cursor)
    assert cursor.cursor_node is None


# -- the viewport alone -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "top", "cursor"),
    [
        (lambda view: view.move_by(9), 0, 9),
        (lambda view: view.move_by(10), 1, 10),
        (lambda view: view.move_by(200), 90, 99),
        (lambda view: view.page(1), 9, 9),
        (lambda view: view.page(-1), 0, 0),
        (lambda view: view.page(100), 90, 99),
        (lambda view: view.half_page(1), 5, 5),
        (lambda view: view.half_page(1, 3), 3, 3),
        (lambda view: view.scroll_by(4), 4, 4),
        (lambda view: view.scroll_by(400), 90, 90),
        (lambda view: (view.move_to(50), view.place("top")), 50, 50),
        (lambda view: (view.move_to(50), view.place("middle")), 45, 50),
        (lambda view: (view.move_to(50), view.place("bottom")), 41, 50),
        (lambda view: view.jump_to(70), 65, 70),
        (lambda view: view.jump_to(5), 0, 5),
        (lambda view: view.resize(3), 0, 0),
        (lambda view: view.set_rows(0), 0, 0),
    ],
)
def test_a_viewport_of_ten_lines_over_a_hundred_rows(step, top, cursor):
    view = Viewport(rows=100, height=10)
    step(view)
    assert (view.top, view.cursor) == (top, cursor)


def test_a_margin_keeps_rows_in_sight_around_the_cursor():
    view = Viewport(rows=100, height=10, margin=2)
    view.move_by(8)
    assert (view.top, view.cursor) == (1, 8)
    view.move_to(99)
    assert (view.top, view.cursor) == (90, 99)
