"""What filters leave of a tree, against the same said in plain Python."""

from __future__ import annotations

import itertools
import os
import tempfile
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.row import Row
from parsers.model.view import View
from parsers.query.selection.number_file import NumberFile, NumberWriter
from parsers.query.selection.selecting import LineMatches, select
from parsers.query.selection.selection import Filters, Selection
from parsers.views.selected_view import SelectedView


class Depths:
    """A preorder, and what filters ask of a report, from a list of depths. Row n is at byte 10 n."""

    is_complete = True

    def __init__(self, depths: list[int], masks: dict[str, set[int]], suppressed: set[int]) -> None:
        self._depths = depths
        self._masks = masks
        self._suppressed = suppressed
        self.rows = len(depths)

    def depth(self, node: int) -> int:
        return self._depths[node]

    def depths(self, start: int, stop: int) -> memoryview:
        return memoryview(array("H", self._depths[start:stop]))

    def end(self, node: int) -> int:
        below = itertools.takewhile(lambda other: self._depths[other] > self._depths[node], range(node + 1, self.rows))
        return node + 1 + sum(1 for _ in below)

    def parent(self, node: int) -> int | None:
        return next((above for above in range(node - 1, -1, -1) if self._depths[above] < self._depths[node]), None)

    def above(self, node: int) -> list[int]:
        found = []
        above = self.parent(node)
        while above is not None:
            found.append(above)
            above = self.parent(above)
        return found

    # -- RowFilters

    def ends(self, start: int, stop: int) -> Any:
        return np.array([self.end(node) for node in range(start, stop)], np.uint32)

    def rows_at(self, offsets: Any) -> Any:
        return np.where(offsets % np.uint64(10) == 0, offsets // np.uint64(10), -1).astype(np.int64)

    def mask(self, name: str, start: int, stop: int) -> Any:
        return np.array([node in self._masks[name] for node in range(start, stop)], np.bool_)

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> Any:
        assert options == {"suppress_types": "x"}
        return np.array([node in self._suppressed for node in range(start, stop)], np.bool_)

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> Any:
        return self.suppressed(options, start, stop)


def made(tree: Depths, filters: Filters, matches: list[int] | None, rows_a_step: int, folder: str) -> Selection:
    number = len(os.listdir(folder))
    paths = [os.path.join(folder, f"{number}.{name}") for name in ("nodes", "suppressed", "matches")]
    nodes, suppressed, found = NumberWriter(paths[0], 4), NumberWriter(paths[1], 4), NumberWriter(paths[2], 8)
    found.append(array("Q", matches or []))
    offsets = None if matches is None else NumberFile(paths[2], 8, found.count)
    wanted = None if offsets is None else LineMatches(tree, offsets).mask
    fractions = list(select(tree, filters, wanted, nodes, suppressed, rows_a_step))
    assert fractions == sorted(fractions) and all(0 < fraction <= 1 for fraction in fractions)
    for file in (nodes, suppressed, found, *([offsets] if offsets is not None else [])):
        file.close()
    return Selection(tree, NumberFile(paths[0], 4, nodes.count), NumberFile(paths[1], 4, suppressed.count))


def expected(tree: Depths, filters: Filters, matches: list[int] | None, suppressed: set[int]) -> list[int]:
    """Visible rows that match and aren't masked, and the rows above them."""
    closed = suppressed - set(filters.opened) if filters.suppress else set()
    hidden = set().union(*(tree._masks[name] for name in filters.hide))
    visible = [node for node in range(tree.rows) if not closed & set(tree.above(node))]
    wanted = set(range(tree.rows)) if matches is None else {offset // 10 for offset in matches if offset % 10 == 0}
    stay = [node for node in visible if node in wanted and node not in hidden]
    return sorted({above for node in stay for above in [node, *tree.above(node)]})


DEPTHS = st.lists(st.integers(-3, 1), max_size=40).map(
    lambda steps: list(itertools.accumulate(steps, lambda depth, step: max(depth + step, 0), initial=0))
)
NODES = st.sets(st.integers(0, 40), max_size=15)


@given(
    DEPTHS,
    NODES,
    NODES,
    NODES,
    NODES,
    st.none() | st.sets(st.integers(0, 400), max_size=20),
    st.booleans(),
    st.integers(1, 50),
)
@more_examples(3)
def test_filters_leave_what_they_should(
    depths: list[int],
    jdk: set[int],
    references: set[int],
    suppressed: set[int],
    opened: set[int],
    matches: set[int] | None,
    hides: bool,
    rows_a_step: int,
) -> None:
    tree = Depths(depths, {"jdk": jdk, "references": references}, suppressed)
    hide = ("jdk", "references") if hides else ()
    offsets = None if matches is None else sorted(offset for offset in matches if offset < 10 * tree.rows)
    filters = Filters(hide, {"suppress_types": "x", "expand_types": ""}, tuple(sorted(opened)))
    with tempfile.TemporaryDirectory() as folder:
        selection = made(tree, filters, offsets, rows_a_step, folder)
        kept = expected(tree, filters, offsets, suppressed)
        assert [selection.node_at(position) for position in range(selection.rows)] == kept
        assert [selection.depth(position) for position in range(len(kept))] == [depths[node] for node in kept]
        assert selection.depths(0, len(kept)).tolist() == [depths[node] for node in kept]
        assert [selection.position_of(node) for node in kept] == list(range(len(kept)))
        left = Depths([depths[node] for node in kept], {}, set())
        assert [selection.end(position) for position in range(len(kept))] == [left.end(p) for p in range(len(kept))]
        assert [selection.parent(position) for position in range(len(kept))] == [
            left.parent(p) for p in range(len(kept))
        ]
        for node in set(range(tree.rows)) - set(kept):
            assert selection.position_of(node) is None
        for node in kept:
            is_closed = node in suppressed and node not in opened
            assert selection.is_suppressed(node) == is_closed
        selection.close()


def test_many_depths_come_from_ranges_of_the_base(tmp_path: Any) -> None:
    depths = [number % 7 for number in range(5000)]
    tree = Depths(depths, {}, set())
    nodes = NumberWriter(str(tmp_path / "nodes"), 4)
    nodes.append(array("I", range(0, 5000, 3)))
    none = NumberFile(str(tmp_path / "none"), 4)
    selection = Selection(tree, NumberFile(str(tmp_path / "nodes"), 4, nodes.count), none)
    assert selection.depths(0, selection.rows).tolist() == depths[::3]
    assert selection.depths(0, selection.rows).format == "H"


#                0  1    2  3   4    5
#                a( b(   c  d ) e )  f
SMALL = [0, 1, 2, 2, 1, 0]


def small(
    folder: str, filters: Filters, suppressed: set[int] = frozenset(), matches: list[int] | None = None
) -> Selection:  # type: ignore[assignment]
    return made(Depths(SMALL, {"jdk": {1, 2, 5}}, suppressed), filters, matches, 4, folder)


def left(selection: Selection) -> str:
    return "".join("abcdef"[selection.node_at(position)] for position in range(selection.rows))


def test_a_match_keeps_its_ancestors(tmp_path: Any) -> None:
    assert left(small(str(tmp_path), Filters(), matches=[30])) == "abd"


def test_rows_below_a_suppressed_row_are_left_out(tmp_path: Any) -> None:
    selection = small(str(tmp_path), Filters(suppress={"suppress_types": "x"}), {1})
    assert left(selection) == "abef"
    assert [node for node in range(6) if selection.is_suppressed(node)] == [1]


def test_a_suppressed_row_opened_by_hand_shows_its_descendants(tmp_path: Any) -> None:
    selection = small(str(tmp_path), Filters(suppress={"suppress_types": "x"}, opened=(0,)), {0, 1})
    assert left(selection) == "abef"
    assert [node for node in range(6) if selection.is_suppressed(node)] == [1]


def test_hidden_rows_stay_above_rows_that_stay(tmp_path: Any) -> None:
    assert left(small(str(tmp_path), Filters(hide=("jdk",)))) == "abde"


def test_the_place_of_a_row_that_was_left_out_is_the_nearest_row_above_it_that_stayed(tmp_path: Any) -> None:
    selection = small(str(tmp_path), Filters(suppress={"suppress_types": "x"}), {1})
    assert [selection.position_near(node) for node in range(6)] == [0, 1, 1, 1, 2, 3]


def test_nothing_left(tmp_path: Any) -> None:
    selection = small(str(tmp_path), Filters(), matches=[])
    assert selection.rows == 0
    assert selection.position_near(3) == 0
    with pytest.raises(IndexError):
        selection.node_at(0)


class SmallView(View):
    """A view over a preorder whose labels are letters."""

    name = "Letters"

    def __init__(self, tree: Depths) -> None:
        from parsers.model.trees.preorder import PreorderTree

        self.tree = PreorderTree(tree, lambda node: Row(node, "row", "abcdef"[node], depth=tree.depth(node)))


def test_a_selected_view_has_the_nodes_of_the_view(tmp_path: Any) -> None:
    selection = small(str(tmp_path), Filters(suppress={"suppress_types": "x"}), {1})
    view: Any = SelectedView(SmallView(Depths(SMALL, {}, set())), selection)  # type: ignore[arg-type]
    assert (view.name, view.row_count, view.root_count) == ("Letters", 4, 2)
    assert list(view.tree.roots()) == [0, 5]
    assert list(view.tree.children(0)) == [1, 4]
    assert view.tree.row(0).rows_below == 2
    row = view.tree.row(1)
    assert (row.rows_below, row.has_children, row.flags) == (0, False, ("suppressed",))
    assert list(view.tree.children(1)) == []
    assert view.tree.parent(4) == 0
    assert view.tree.row(2).label == "c"


def test_numbers_are_found_in_their_file(tmp_path: Any) -> None:
    path = str(tmp_path / "numbers")
    writer = NumberWriter(path, 8)
    writer.append(array("Q", [3, 7, 2**40]))
    numbers = NumberFile(path, 8, 2)
    assert (list(numbers), numbers[-1], len(numbers)) == ([3, 7], 7, 2)
    numbers.count = 3
    assert (numbers[2], list(numbers[1:]), list(numbers[::-1])) == (2**40, [7, 2**40], [2**40, 7, 3])
    assert (numbers.at_or_after(7), numbers.after(7), numbers.position(7), numbers.position(8)) == (1, 2, 1, None)
    with pytest.raises(IndexError):
        numbers[3]
    with pytest.raises(FileExistsError):
        NumberWriter(path, 8)
    assert os.stat(path).st_mode & 0o777 == 0o600
    numbers.close()
    assert not os.path.exists(path)
