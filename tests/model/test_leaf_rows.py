"""Groups with leaves that are only counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parsers.model.row import Row
from parsers.model.trees.column_preorder import preorder_of
from parsers.model.trees.grouped_preorder import ITSELF, GroupedPreorder
from parsers.model.trees.preorder import PreorderTree, tops


def test_leaves_follow_their_group_and_precede_its_subgroups():
    #      a       b          c
    #      a( x y  b( z )  )  c
    rows = GroupedPreorder([0, 1, 0], [2, 1, 0])
    assert [rows.place(node) for node in range(rows.rows)] == [
        (0, ITSELF), (0, 0), (0, 1), (1, ITSELF), (1, 0), (2, ITSELF)
    ]  # fmt: skip
    assert list(rows.depths(0, rows.rows)) == [0, 1, 1, 1, 2, 0]
    assert [rows.end(node) for node in range(rows.rows)] == [5, 2, 3, 5, 5, 6]
    assert [rows.parent(node) for node in range(rows.rows)] == [None, 0, 0, 0, 3, None]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=20), st.data())
def test_it_is_the_preorder_of_all_its_rows_written_out(groups: list[tuple[int, int]], data: st.DataObject) -> None:
    depths, depth = [], -1
    for wanted, _ in groups:
        depth = min(wanted, depth + 1)
        depths.append(depth)
    rows = GroupedPreorder(depths, [leaves for _, leaves in groups])
    written = []
    for depth, (_, leaves) in zip(depths, groups, strict=True):
        written += [depth] + [depth + 1] * leaves
    plain = preorder_of(written)
    assert rows.rows == plain.rows
    start = data.draw(st.integers(0, len(written)))
    stop = data.draw(st.integers(start, len(written)))
    assert list(rows.depths(start, stop)) == written[start:stop]
    for cap in range(6):
        shown = [node for node in range(start, stop) if written[node] <= cap]
        assert rows.shown(start, stop, cap) == len(shown)
        assert [rows.nth_shown(start, cap, index) for index in range(len(shown))] == shown
    for node in range(len(written)):
        assert rows.depth(node) == plain.depth(node)
        assert rows.end(node) == plain.end(node)
        assert rows.parent(node) == plain.parent(node)
        assert rows.node(*rows.place(node)) == node
    if start < stop and (found := rows.tops(start, stop)) is not None:
        assert list(found) == tops(plain, start, stop).tolist()
    tree = PreorderTree(rows, lambda node: Row(node, "", ""))
    assert list(tree.roots()) == [node for node, depth in enumerate(written) if not depth]


def test_leaves_of_one_group_are_a_range_of_tops():
    rows = GroupedPreorder([0, 1, 0], [2, 1, 0])
    assert rows.tops(1, 3) == range(1, 3)
    assert rows.tops(1, 4) is None
    assert rows.tops(0, 2) == [0]
    assert list(PreorderTree(rows, lambda node: Row(node, "", "")).children(0)) == [1, 2, 3]
