"""Traces merged to trees: by hand, and against a straightforward twin on arbitrary traces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from engines import engine
from hypothesis import given
from hypothesis import strategies as st

from parsers.profile.merge import MergedTree, merge, merged_part
from parsers.profile.stacks import Stacks, cut_traces, headed, reversed_frames, without_repeats

PATHS = st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=30)


def stacks(paths: Sequence[Sequence[int]]) -> Stacks:
    """Paths as arrays."""
    lengths = np.array([len(path) for path in paths], np.int64)
    return Stacks(
        np.cumulative_sum(lengths, include_initial=True),
        np.array([number for path in paths for number in path], np.uint32),
    )


def texts(paths: Sequence[str]) -> Stacks:
    """Paths; each letter is a frame."""
    return stacks([[ord(letter) for letter in path] for path in paths])


def drawn(merged: MergedTree) -> list[str]:
    """One line a node: indentation, letter, total and own weight."""
    return [
        f"{'  ' * merged.depth[node]}{chr(merged.key[node])} {merged.total[0][node]} {merged.own[0][node]}"
        for node in range(merged.count)
    ]


def test_traces_that_begin_alike_share_nodes() -> None:
    merged = merge(texts(["abc", "abd", "ae", "abc", "ab"]), [np.array([1, 2, 9, 4, 8])])

    assert drawn(merged) == [
        "a 24 0",
        "  b 15 8",
        "    c 5 5",
        "    d 2 2",
        "  e 9 9",
    ]
    assert merged.end.tolist() == [5, 4, 3, 4, 5]
    assert merged.parent.tolist() == [-1, 0, 1, 1, 0]


def test_a_node_knows_its_traces() -> None:
    merged = merge(texts(["abc", "x", "ab"]), [np.array([1, 9, 1])])

    rows = [sorted(merged.rows[merged.row_start[node] : merged.row_stop[node]].tolist()) for node in range(4)]

    assert drawn(merged) == ["x 9 9", "a 2 0", "  b 2 1", "    c 1 1"]
    assert rows == [[1], [0, 2], [0, 2], [0]]


@given(PATHS, st.data())
def test_a_part_of_a_tree_is_the_tree_of_that_part(paths: list[list[int]], data: st.DataObject) -> None:
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(paths), max_size=len(paths))), np.int64)
    is_in = data.draw(st.lists(st.booleans(), min_size=len(paths), max_size=len(paths)))
    part = np.flatnonzero(np.array(is_in, np.bool_))
    whole = merge(stacks(paths), [np.arange(len(paths))])

    found = merged_part(whole, part, [weights[part]])

    wanted = merge(stacks([paths[number] for number in part.tolist()]), [weights[part]])
    for name in ("key", "depth", "parent", "end", "total", "own", "row_node"):
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist(), name
    for node in range(wanted.count):
        rows = [set(each.rows[each.row_start[node] : each.row_stop[node]].tolist()) for each in (found, wanted)]
        assert rows[0] == rows[1]


def test_nothing_merged_is_an_empty_tree() -> None:
    assert merge(stacks([]), [np.zeros(0, np.int64)]).count == 0
    assert merge(stacks([[], []]), [np.ones(2, np.int64)]).count == 0


def twin(paths: Sequence[Sequence[int]], weights: Sequence[int]) -> list[tuple[tuple[int, ...], int, int]]:
    """Path, total and own weight of each node, heaviest of siblings first: the same in a few lines."""
    total: dict[tuple[int, ...], int] = {}
    own: dict[tuple[int, ...], int] = {}
    for path, weight in zip(paths, weights, strict=True):
        own[tuple(path)] = own.get(tuple(path), 0) + weight
        for stop in range(1, len(path) + 1):
            total[tuple(path[:stop])] = total.get(tuple(path[:stop]), 0) + weight

    def order(path: tuple[int, ...]) -> list[tuple[int, int]]:
        return [(-total[path[:stop]], path[stop - 1]) for stop in range(1, len(path) + 1)]

    return [(path, total[path], own.get(path, 0)) for path in sorted(total, key=order)]


@given(PATHS, st.booleans(), st.data())
def test_merging_by_plain_loops_and_kernels_agrees_with_its_twin(
    paths: list[list[int]], has_kernels: bool, data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.integers(-3, 10), min_size=len(paths), max_size=len(paths)))

    with engine(has_kernels):
        merged = merge(stacks(paths), [np.array(weights, np.int64)])

    found = []
    for node in range(merged.count):
        path = [node]
        while merged.parent[path[0]] >= 0:
            path.insert(0, int(merged.parent[path[0]]))
        assert merged.depth[node] == len(path) - 1
        keys = tuple(int(merged.key[each]) for each in path)
        found.append((keys, int(merged.total[0][node]), int(merged.own[0][node])))
        rows = sorted(merged.rows[merged.row_start[node] : merged.row_stop[node]].tolist())
        assert rows == [row for row, each in enumerate(paths) if tuple(each[: len(keys)]) == keys]
        deeper = [each for each in range(node + 1, merged.count) if merged.depth[each] <= merged.depth[node]]
        assert merged.end[node] == (deeper[0] if deeper else merged.count)
    assert found == twin(paths, weights)


@given(PATHS)
def test_a_trace_turned_round_twice_is_itself(paths: list[list[int]]) -> None:
    turned = reversed_frames(stacks(paths))

    assert [turned.of(trace).tolist() for trace in range(turned.count)] == [path[::-1] for path in paths]
    assert reversed_frames(turned).frames.tolist() == stacks(paths).frames.tolist()


@given(PATHS)
def test_repeats_in_one_trace_are_left_out(paths: list[list[int]]) -> None:
    folded = without_repeats(stacks(paths))

    assert [folded.of(trace).tolist() for trace in range(folded.count)] == [
        [number for place, number in enumerate(path) if not place or path[place - 1] != number] for path in paths
    ]


def test_a_head_precedes_some_traces() -> None:
    found = headed(texts(["ab", "", "c"]), np.array([True, True, False]), ord("!"))

    assert ["".join(map(chr, found.of(trace))) for trace in range(3)] == ["!ab", "!", "c"]


def is_cut(paths: Sequence[str]) -> list[bool]:
    """Which traces, innermost frame first, may be cut; a method is a letter."""
    cut: list[bool] = cut_traces(texts(paths), np.arange(128)).tolist()
    return cut


def test_traces_of_the_largest_depth_may_be_cut() -> None:
    assert is_cut(["am", "abc", "abm", "xbc"]) == [False, True, True, True]


def test_nothing_was_cut_where_the_longest_traces_end_as_shorter_ones_do() -> None:
    assert is_cut(["am", "abm", "xbm"]) == [False, False, False]
    assert is_cut([]) == []
    assert is_cut(["", ""]) == [False, False]
