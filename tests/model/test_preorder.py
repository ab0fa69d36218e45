"""Trees over positions: roots and children as sequences, small ones by hopping and large ones by blocks of depths."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parsers.model.trees.preorder
from parsers.model.row import Row
from parsers.model.trees.preorder import MANY, FlatPreorder, PreorderTree, Tops, sort_nodes, tops
from parsers.model.trees.tree import Preorder


class Depths:
    """A preorder of depths, with ends and parents from a naive search."""

    is_complete = True

    def __init__(self, depths: list[int]) -> None:
        self._depths = array("H", depths)

    @property
    def rows(self) -> int:
        return len(self._depths)

    def depth(self, node: int) -> int:
        return self._depths[node]

    def depths(self, start: int, stop: int) -> memoryview:
        return memoryview(self._depths)[start:stop]

    def end(self, node: int) -> int:
        later = range(node + 1, self.rows)
        return next((row for row in later if self._depths[row] <= self._depths[node]), self.rows)

    def parent(self, node: int) -> int | None:
        return next((row for row in range(node - 1, -1, -1) if self._depths[row] < self._depths[node]), None)


def row(node: int) -> Row:
    """Returns a row labelled with its number."""
    return Row(node, "x", str(node))


# a( b( c d ) e ) f, and a child that jumps two levels: g( h )
DRAWN = [0, 1, 2, 2, 1, 0, 0, 2]


def test_roots_and_children_are_in_document_order() -> None:
    tree = PreorderTree(Depths(DRAWN), row)

    assert list(tree.roots()) == [0, 5, 6]
    assert {node: list(tree.children(node)) for node in range(8)} == {
        0: [1, 4],
        1: [2, 3],
        2: [],
        3: [],
        4: [],
        5: [],
        6: [7],
        7: [],
    }


def test_only_nodes_with_something_below_have_children() -> None:
    tree = PreorderTree(Depths(DRAWN), row)

    assert [node for node in range(8) if tree.has_children(node)] == [0, 1, 6]


def test_a_path_begins_at_the_root() -> None:
    tree = PreorderTree(Depths(DRAWN), row)

    assert list(tree.path(3)) == [0, 1, 3]
    assert list(tree.path(7)) == [6, 7]
    assert list(tree.path(0)) == [0]


def test_children_can_be_counted_indexed_cut_and_found() -> None:
    children = PreorderTree(Depths([0, *[1, 2] * 5]), row).children(0)

    assert len(children) == 5
    assert (children[0], children[2], children[-1]) == (1, 5, 9)
    assert list(children[1:3]) == [3, 5]
    assert children.index(7) == 3
    assert 7 in children
    assert 8 not in children
    with pytest.raises(ValueError, match="is not here"):
        children.index(8)
    with pytest.raises(IndexError):
        children[5]


def test_a_node_without_children_gives_an_empty_sequence() -> None:
    children = PreorderTree(Depths(DRAWN), row).children(5)

    assert not children
    assert len(children) == 0


@given(st.lists(st.integers(0, 4), max_size=60))
def test_every_node_is_child_of_its_parent(depths: list[int]) -> None:
    preorder = Depths(depths)
    tree = PreorderTree(preorder, row)
    below: dict[int | None, list[int]] = {node: [] for node in (None, *range(len(depths)))}

    for node in range(len(depths)):
        below[preorder.parent(node)].append(node)

    assert list(tree.roots()) == below[None]
    assert all(list(tree.children(node)) == below[node] for node in range(len(depths)))


@given(st.lists(st.integers(0, 4), max_size=60), st.integers(1, 7))
def test_blocks_of_depths_give_the_same_as_hopping(depths: list[int], block: int) -> None:
    preorder = Depths(depths)
    patch = pytest.MonkeyPatch()
    patch.setattr(parsers.model.trees.preorder, "BLOCK", block)

    found = tops(preorder, 0, len(depths)).tolist()

    patch.undo()
    assert found == list(Tops(preorder, 0, len(depths)))


def test_rows_beyond_the_maximum_depth_count_as_deepest() -> None:
    depths = [0, 65_535, 65_535]

    assert tops(Depths(depths), 1, 3).tolist() == list(Tops(Depths(depths), 1, 3)) == [1, 2]


def test_a_million_children_are_a_sequence_at_once() -> None:
    class Wide:
        rows = 1_000_001
        is_complete = True

        def depth(self, node: int) -> int:
            return min(node, 1)

        def depths(self, start: int, stop: int) -> memoryview:
            return memoryview(b"\1\0" * (stop - start)).cast("H")

        def end(self, node: int) -> int:
            return node + 1 if node else self.rows

        def parent(self, node: int) -> int | None:
            return 0 if node else None

    preorder: Preorder = Wide()
    children = PreorderTree(preorder, row).children(0)

    assert children[0] == 1
    assert len(children) == 1_000_000
    assert children[999_999] == 1_000_000


@pytest.mark.parametrize(
    ("order", "sorted_nodes"),
    [
        (None, [0, 1, 2, 3]),
        ("size", [2, 0, 3, 1]),
        ("-size", [1, 0, 3, 2]),
        ("name", [1, 3, 2, 0]),
        ("-name", [0, 2, 3, 1]),
    ],
)
def test_numbers_come_largest_first_and_texts_from_a_to_z(order: str | None, sorted_nodes: list[int]) -> None:
    sizes, names = [5, 1, 9, 5], ["d", "a", "c", "b"]

    def keys(order: str, nodes: object) -> list[int] | list[str]:
        return sizes if order == "size" else names

    assert list(sort_nodes(range(4), keys, order)) == sorted_nodes


def test_many_nodes_are_sorted_as_few_are() -> None:
    numbers = [(node * 7919) % 1000 for node in range(5000)]

    def keys(order: str, nodes: object) -> list[int]:
        return numbers

    assert list(sort_nodes(range(5000), keys, "x")) == sorted(range(5000), key=lambda node: -numbers[node])
    assert list(sort_nodes(range(5000), keys, "-x")) == sorted(range(5000), key=numbers.__getitem__)


def test_many_nodes_are_sorted_by_fractions_of_numbers() -> None:
    numbers = [node * 7919 % 1000 / 100 for node in range(5000)]

    ranked = sort_nodes(range(5000), lambda order, nodes: numbers, "x")
    assert list(ranked) == sorted(range(5000), key=lambda node: -numbers[node])


def test_a_table_is_a_preorder_of_roots() -> None:
    table = FlatPreorder(lambda: 3, lambda: True)

    assert list(PreorderTree(table, row).roots()) == [0, 1, 2]
    assert list(table.depths(0, 3)) == [0, 0, 0]
    assert (table.end(1), table.parent(1), table.is_complete) == (2, None, True)


def test_a_sorted_order_of_many_nodes_is_a_sequence_like_any_other() -> None:
    ranked = sort_nodes(range(100, 5100), lambda order, nodes: [node * 7919 % 1000 for node in nodes], "x")
    listed = list(ranked)
    assert listed == sorted(range(100, 5100), key=lambda node: -(node * 7919 % 1000))
    assert (ranked[0], ranked[-1], list(ranked[7:9])) == (listed[0], listed[-1], listed[7:9])
    assert [ranked.index(node) for node in listed[::999]] == list(range(0, 5000, 999))
    with pytest.raises(ValueError, match="5100 is not here"):
        ranked.index(5100)


def test_a_slow_sort_runs_once_in_the_thread_that_allows_it() -> None:
    asked: list[int] = []

    def keys(order: str, nodes: Sequence[int]) -> Sequence[int]:
        asked.append(len(nodes))
        return nodes

    def tree(rows: int) -> PreorderTree:
        return PreorderTree(FlatPreorder(lambda: rows, lambda: True), row, keys)

    assert tree(MANY).sorting("x") is None
    large = tree(MANY + 1)
    work = large.sorting("x")
    assert work is not None
    work()
    assert large.sorting("x") is None
    assert large.roots("x")[0] == MANY
    assert asked == [MANY + 1]
