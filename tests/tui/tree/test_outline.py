"""Rows and nodes: folding, growing, undo, and that both directions agree whatever was opened."""

from __future__ import annotations

import random
from array import array
from typing import cast

import pytest
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st

from parsers.query.selection.selection import Selection
from tui.tree.outlines.depth_count import BLOCK, DEEPEST, USUAL, DepthCount
from tui.tree.outlines.lazy_outline import MOST_OPENED, LazyOutline
from tui.tree.outlines.preorder_outline import PreorderOutline
from tui.tree.outlines.selected_outline import SelectedOutline
from tui.tree.tree_rows import restore_folds


class Depths:
    """A preorder from a list of depths; `grow` makes more of it known."""

    def __init__(self, depths: list[int], rows: int | None = None) -> None:
        self.all = array("H", depths)
        self.rows = len(depths) if rows is None else rows

    @property
    def is_complete(self) -> bool:
        return self.rows == len(self.all)

    def depth(self, node: int) -> int:
        return self.all[node]

    def depths(self, start: int, stop: int) -> memoryview:
        return memoryview(self.all)[start:stop]

    def end(self, node: int) -> int:
        for row in range(node + 1, self.rows):
            if self.all[row] <= self.all[node]:
                return row
        return self.rows

    def parent(self, node: int) -> int | None:
        for row in range(node - 1, -1, -1):
            if self.all[row] < self.all[node]:
                return row
        return None


def preorder(text: str) -> tuple[Depths, str]:
    """`a( b( c d ) e )`: letters are nodes, brackets hold their children."""
    depths, names, depth = [], "", 0
    for sign in text.replace(" ", ""):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        else:
            depths.append(depth)
            names += sign
    return Depths(depths), names


def shown(outline: PreorderOutline, names: str) -> str:
    return "".join(names[node] for node in outline.nodes(0, 1000))


def test_everything_is_closed_at_first_but_the_first_rows():
    tree, names = preorder("a( b( c d ) e ) f( g )")
    assert shown(PreorderOutline(tree), names) == "af"
    assert shown(PreorderOutline(tree, first_rows=3), names) == "abcdef"
    assert shown(PreorderOutline(tree, first_rows=2), names) == "abef"
    assert shown(PreorderOutline(tree, first_rows=100), names) == "abcdefg"


def test_closing_hides_the_whole_subtree_and_opening_brings_it_back():
    tree, names = preorder("a( b( c d ) e ) f( g )")
    outline = PreorderOutline(tree, first_rows=100)
    outline.close(0)
    assert shown(outline, names) == "afg"
    outline.open(0)
    assert shown(outline, names) == "abcdefg"


def test_opening_shows_the_children_only():
    tree, names = preorder("a( b( c d ) e ) f( g )")
    outline = PreorderOutline(tree)
    outline.open(0)
    assert shown(outline, names) == "abef"
    assert outline.is_open(0)
    assert not outline.is_open(1)


def test_a_closed_node_remembers_open_descendants():
    tree, names = preorder("a( b( c( x ) d ) e ) f")
    outline = PreorderOutline(tree)
    outline.open(0)
    outline.open(1)
    outline.close(0)
    outline.open(0)
    assert shown(outline, names) == "abcdef"
    outline.close_all(0)
    outline.open(0)
    assert shown(outline, names) == "abef"


def test_revealing_opens_just_the_path_to_the_node():
    tree, names = preorder("a( b( c( x y ) d( z ) ) e( u ) ) f( v )")
    outline = PreorderOutline(tree)
    outline.reveal(names.index("x"))
    assert shown(outline, names) == "abcxydef"


def test_children_deeper_than_they_should_be_are_shown_with_their_parent():
    # Levels are missing between the first row and the second: its children are five levels deep, then two.
    outline = PreorderOutline(Depths([0, 5, 6, 2, 3, 0]))
    outline.fold_to(0)
    assert rows_of(outline) == [0, 5]
    outline.open(0)
    assert rows_of(outline) == [0, 1, 3, 5]
    outline.fold_to(0)
    outline.reveal(2)
    assert rows_of(outline) == [0, 1, 2, 3, 5]


def test_roots_deeper_than_roots_are_shown_when_all_is_closed():
    outline = PreorderOutline(Depths([3, 4, 1, 2, 0, 1]))
    outline.fold_to(0)
    assert rows_of(outline) == [0, 2, 4]


def rows_of(outline: PreorderOutline) -> list[int]:
    """The nodes that are shown."""
    return [outline.node_at(row) for row in range(len(outline))]


def test_folding_to_a_depth_and_opening_all():
    tree, names = preorder("a( b( c( x ) d ) e ) f( v )")
    outline = PreorderOutline(tree)
    outline.fold_to(1)
    assert shown(outline, names) == "abefv"
    outline.open_all(1)
    assert shown(outline, names) == "abcxdefv"
    outline.open_all()
    assert shown(outline, names) == names


def test_siblings_open_and_close_together():
    tree, names = preorder("a( b( x ) c( y( z ) ) ) d")
    outline = PreorderOutline(tree)
    outline.open(0)
    outline.open_siblings(1)
    assert shown(outline, names) == "abxcyd"
    outline.close_siblings(1)
    assert shown(outline, names) == "abcd"


def test_opening_siblings_keeps_their_open_descendants():
    tree, names = preorder("a( b( x( y ) ) c( z ) ) d")
    outline = PreorderOutline(tree)
    outline.open(0)
    outline.open(1)
    outline.open(2)
    outline.open_siblings(1)
    assert shown(outline, names) == "abxyczd"


def test_siblings_closed_together_remember_open_descendants():
    tree, names = preorder("a( b( x( y ) ) c( z ) ) d")
    outline = PreorderOutline(tree)
    outline.open(0)
    outline.open(1)
    outline.open(2)
    outline.close_siblings(4)
    assert shown(outline, names) == "abcd"
    outline.open(1)
    assert shown(outline, names) == "abxycd"


def test_a_snapshot_is_an_undo():
    tree, names = preorder("a( b( c d ) e ) f( g )")
    outline = PreorderOutline(tree)
    outline.open(0)
    before = outline.snapshot()
    outline.open_all()
    outline.restore(before)
    assert shown(outline, names) == "abef"


def test_a_growing_subtree_stays_closed_and_what_follows_is_shown():
    tree, names = preorder("a( b( c d ) e ) f( g )")
    tree.rows = 3
    outline = PreorderOutline(tree)
    assert shown(outline, names) == "a"
    outline.open(0)
    assert shown(outline, names) == "ab"
    tree.rows = 5
    assert outline.grow()
    assert shown(outline, names) == "abe"
    tree.rows = 7
    assert outline.grow()
    assert shown(outline, names) == "abef"


def test_an_open_subtree_that_grows_stays_open():
    tree, names = preorder("a( b( c( x y ) d ) e ) f( g )")
    tree.rows = 3
    outline = PreorderOutline(tree)
    outline.open_all(0)
    tree.rows = len(names)
    outline.grow()
    assert shown(outline, names) == "abcxydef"


def test_rows_after_the_limit_count_when_it_is_lifted():
    tree, names = preorder("a( b( c d ) e ) f( g ) h")
    outline = PreorderOutline(tree, first_rows=2, limit=3)
    assert shown(outline, names) == "ab"
    outline.lift()
    assert shown(outline, names) == "abefh"


def test_rows_that_come_after_an_empty_start_are_shown_as_at_the_start():
    tree, names = preorder("a( b( c d ) e )")
    tree.rows = 0
    outline = PreorderOutline(tree, first_rows=3)
    assert len(outline) == 0
    tree.rows = len(names)
    outline.grow()
    assert shown(outline, names) == "abcde"


# -- against the naive model ------------------------------------------------------------------------------------------


class Naive:
    """The set of open nodes, and each node's remembered inside: what an outline means, without any arithmetic."""

    def __init__(self, tree: Depths) -> None:
        self.tree = tree
        self.opened: set[int] = set()

    def ancestors(self, node: int) -> list[int]:
        found, above = [], self.tree.parent(node)
        while above is not None:
            found.append(above)
            above = self.tree.parent(above)
        return found

    def shown(self) -> list[int]:
        return [node for node in range(self.tree.rows) if all(above in self.opened for above in self.ancestors(node))]

    def inside(self, node: int | None) -> range:
        return range(self.tree.rows) if node is None else range(node + 1, self.tree.end(node))


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    depths, depth = [], 0
    for step in draw(st.lists(st.integers(-3, 1), max_size=40)):
        depth = max(0, depth + step) if depths else 0
        depths.append(depth)
    return depths


OPERATIONS = ("open", "close", "open_all", "close_all", "reveal", "fold_to", "all", "open_siblings", "close_siblings")


@more_examples(3)
@given(trees(), st.randoms(use_true_random=False), st.integers(0, 50), st.booleans())
def test_rows_and_nodes_agree_with_the_naive_model(depths, randomness, first_rows, grows):
    if not depths:
        return
    tree = Depths(depths, rows=randomness.randint(1, len(depths)) if grows else None)
    outline = PreorderOutline(tree, first_rows=first_rows)
    for _ in range(25):
        step(outline, tree, randomness)
        check(outline, tree)
        if randomness.random() < 0.2:
            tree.rows = min(len(depths), tree.rows + randomness.randint(0, 5))
            before = [outline.is_open(node) for node in range(tree.rows)]
            outline.grow()
            check(outline, tree)
            after = [outline.is_open(node) for node in range(tree.rows)]
            assert all(now for was, now in zip(before, after, strict=True) if was)


def step(outline: PreorderOutline, tree: Depths, randomness: random.Random) -> None:
    """Runs a random operation, and checks its effect on the node."""
    naive = Naive(tree)
    naive.opened = {node for node in range(tree.rows) if outline.is_open(node)}
    node = randomness.randrange(tree.rows)
    what = randomness.choice(OPERATIONS)
    was_shown = naive.shown()
    if what == "fold_to":
        depth = randomness.randint(0, 5)
        outline.fold_to(depth)
        expected = [row for row in range(tree.rows) if tree.depth(row) <= depth]
        assert outline.nodes(0, 1000) == expected
        return
    if what == "all":
        outline.open_all()
        assert outline.nodes(0, 1000) == list(range(tree.rows))
        return
    if what == "close" and node not in was_shown:
        return
    if what == "close_all":
        before = outline.snapshot()
    getattr(outline, what)(node)
    now_shown = outline.nodes(0, 1000)
    ancestors = naive.ancestors(node)
    if what in ("open", "open_all") and outline.has_children(node):
        assert outline.is_open(node)
    if what == "open_all" and outline.has_children(node):
        assert all(row in now_shown for row in naive.inside(node))
    if what in ("close", "close_all"):
        assert not outline.is_open(node)
        assert not any(row in now_shown for row in naive.inside(node))
    if what == "reveal":
        assert node in now_shown
        assert set(was_shown) <= set(now_shown)
    if what == "close_all":
        assert before == before
    outside = set(range(tree.rows)) - set(naive.inside(ancestors[-1] if ancestors else node))
    if not what.endswith("siblings"):
        assert outside & set(was_shown) == outside & set(now_shown)


def check(outline: PreorderOutline, tree: Depths) -> None:
    naive = Naive(tree)
    naive.opened = {node for node in range(tree.rows) if outline.is_open(node)}
    expected = naive.shown()
    assert len(outline) == len(expected)
    assert list(outline.nodes(0, 1000)) == expected
    assert [outline.node_at(row) for row in range(len(outline))] == expected
    assert [outline.row_of(node) for node in expected] == list(range(len(expected)))
    assert all(outline.row_of(node) is None for node in set(range(tree.rows)) - set(expected))


@given(trees(), st.randoms(use_true_random=False))
def test_undo_gives_the_rows_back_even_when_the_tree_has_grown(depths, randomness):
    if not depths:
        return
    tree = Depths(depths, rows=randomness.randint(1, len(depths)))
    outline = PreorderOutline(tree)
    for _ in range(4):
        step(outline, tree, randomness)
    before, rows = outline.snapshot(), list(outline.nodes(0, 1000))
    for _ in range(4):
        step(outline, tree, randomness)
    tree.rows = len(depths)
    outline.grow()
    outline.restore(before)
    check(outline, tree)
    assert set(rows) <= set(outline.nodes(0, 1000))


# -- trees that are known from above only -----------------------------------------------------------------------------


class FromAbove:
    """The same tree without positions."""

    preorder = None

    def __init__(self, tree: Depths) -> None:
        self.tree = tree

    def roots(self, order: str | None = None) -> list[int]:
        return [node for node in range(self.tree.rows) if not self.tree.all[node]]

    def children(self, node: int, order: str | None = None) -> list[int]:
        inside = range(node + 1, self.tree.end(node))
        return [child for child in inside if self.tree.all[child] == self.tree.all[node] + 1]

    def has_children(self, node: int) -> bool:
        return bool(self.children(node))

    def parent(self, node: int) -> int | None:
        return self.tree.parent(node)


@more_examples(2)
@given(trees(), st.randoms(use_true_random=False))
def test_both_kinds_of_outline_show_the_same(depths, randomness):
    if not depths:
        return
    tree = Depths(depths)
    outline, lazy = PreorderOutline(tree), LazyOutline(FromAbove(tree))
    for _ in range(20):
        what = randomness.choice(OPERATIONS)
        node = randomness.randrange(tree.rows)
        for each in (outline, lazy):
            if what == "fold_to":
                each.fold_to(node % 4)
            elif what == "all":
                each.open_all()
            elif what != "close" or outline.row_of(node) is not None:
                getattr(each, what)(node)
        rows = list(outline.nodes(0, 1000))
        assert list(lazy.nodes(0, 1000)) == rows
        assert [lazy.row_of(node) for node in rows] == list(range(len(rows)))
        assert all(lazy.row_of(hidden) is None for hidden in set(range(tree.rows)) - set(rows))
        for node in rows:
            assert lazy.after(node) == outline.after(node)
            assert lazy.depth(node) == outline.depth(node)
            assert lazy.first_sibling(node) == outline.first_sibling(node)
            assert lazy.last_sibling(node) == outline.last_sibling(node)
        before = lazy.snapshot()
        lazy.restore(before)
        assert list(lazy.nodes(0, 1000)) == rows
        outline.restore(outline.snapshot())
        outline._stash.clear()


def test_opening_everything_of_an_endless_tree_stops_at_a_limit_and_shows_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tui.tree.outlines.lazy_outline.MOST_SECONDS", 1e9)

    class Endless(FromAbove):
        def roots(self, order: str | None = None) -> list[int]:
            return [1]

        def children(self, node: int, order: str | None = None) -> list[int]:
            return [2 * node, 2 * node + 1]

        def has_children(self, node: int) -> bool:
            return True

        def parent(self, node: int) -> int | None:
            return node // 2 or None

    outline = LazyOutline(Endless(Depths([])))
    assert outline.open_all() == MOST_OPENED
    assert len(outline) == 2 * MOST_OPENED + 1


def test_rows_of_a_lazy_tree_come_as_it_grows():
    tree = Depths([0, 1, 0, 1, 1, 0], rows=2)
    above = FromAbove(tree)
    outline = LazyOutline(above)
    tree.rows = 6
    above.roots = lambda order=None: [0, 2, 5]  # type: ignore[method-assign]
    outline.grow()
    assert list(outline.nodes(0, 9)) == [0, 2, 5]


# -- counting in blocks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [0, 1, 3, 7, 8, USUAL - 1, USUAL, 90, DEEPEST])
@pytest.mark.parametrize("prepared", [0, 3 * BLOCK + 5, 6 * BLOCK])
def test_counting_in_blocks_is_counting(cap, prepared):
    randomness = random.Random(cap)
    tree = Depths([randomness.choice([0, 1, 2, 7, 8, USUAL, 80, 100]) for _ in range(5 * BLOCK + 17)])
    count = DepthCount(tree)
    if prepared:
        count.prepare(min(prepared, tree.rows))
    for _ in range(40):
        start, stop = sorted(randomness.choices(range(tree.rows + 1), k=2))
        within = [row for row in range(start, stop) if tree.all[row] <= cap]
        assert count.count(start, stop, cap) == len(within)
        for index in (0, len(within) // 2, len(within) - 1):
            if 0 <= index < len(within):
                assert count.find(start, stop, cap, index) == within[index]


def test_a_million_children_and_three_thousand_levels_are_a_few_intervals():
    wide = Depths([0] + [1] * 1_000_000)
    wide.end = lambda node: wide.rows if node == 0 else node + 1  # type: ignore[method-assign]
    wide.parent = lambda node: 0 if node else None  # type: ignore[method-assign]
    outline = PreorderOutline(wide)
    outline.open(0)
    assert len(outline) == 1_000_001
    assert outline.node_at(777_777) == outline.row_of(777_777) == 777_777
    outline.close_siblings(5)
    assert len(outline.snapshot().starts) <= 2
    deep = Depths(list(range(3000)))
    deep.end = lambda node: deep.rows  # type: ignore[method-assign]
    deep.parent = lambda node: node - 1 if node else None  # type: ignore[method-assign]
    outline = PreorderOutline(deep)
    outline.reveal(2999)
    assert len(outline) == 3000
    assert outline.nodes(2990, 20) == list(range(2990, 3000))


def test_stretches_of_siblings_are_all_rows_one_after_the_other() -> None:
    tree, _ = preorder("a( b( c d ) e ) f g( h( i ) ) j k")
    outline = LazyOutline(FromAbove(tree))
    for node in (0, 1, 6):
        outline.open(node)
    found, row = list[list[int]](), 0
    while row < len(outline):
        found.append(list(outline.stretch(row, 3)))
        row += len(found[-1])
    assert [node for nodes in found for node in nodes] == outline.nodes(0, len(outline))
    assert found == [[0], [1], [2, 3], [4], [5, 6], [7], [9, 10]]


class Kept:
    """Rows that a filter leaves of a tree: with a row all rows above it."""

    def __init__(self, tree: Depths, chosen: set[int]) -> None:
        above = {node: tree.parent(node) for node in range(tree.rows)}
        kept = set[int]()
        for each in chosen:
            node: int | None = each
            while node is not None and node not in kept:
                kept.add(node)
                node = above[node]
        self.nodes = sorted(kept)
        self.preorder = Depths([tree.depth(node) for node in self.nodes])

    def node_at(self, position: int) -> int:
        return self.nodes[position]

    def position_of(self, node: int) -> int | None:
        return self.nodes.index(node) if node in self.nodes else None

    def outline(self) -> SelectedOutline:
        return SelectedOutline(cast(Selection, self), PreorderOutline(self.preorder))

    def place(self, node: int) -> int | None:
        return node if node in self.nodes else None


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.data())
def test_filters_that_come_and_go_leave_what_is_shown(steps: list[int], data: st.DataObject) -> None:
    depths = [0]
    for step in steps:
        depths.append(min(step, depths[-1] + 1))
    tree, nodes = Depths(depths), st.integers(0, len(depths) - 1)
    outline = PreorderOutline(tree)
    outline.fold_to(data.draw(st.integers(0, 4)))
    for node in data.draw(st.lists(nodes, max_size=8)):
        (outline.close if outline.is_open(node) else outline.open)(node)
    shown = list(outline.nodes(0, len(depths)))
    kept = Kept(tree, data.draw(st.sets(nodes, min_size=1)))
    filtered, again = kept.outline(), PreorderOutline(tree)
    restore_folds(outline, filtered, kept.place)
    assert list(filtered.nodes(0, len(depths))) == [node for node in shown if node in kept.nodes]
    restore_folds(filtered, again, lambda node: node)
    assert [node for node in again.nodes(0, len(depths)) if node in kept.nodes] == list(filtered.nodes(0, len(depths)))
