"""Call paths that are a tree already are merged as the same paths written out are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from engines import engine
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.tptp.calls.merged_trees import saved_tree, tree_arrays
from parsers.profile.merge import Merging, ProfileTree
from parsers.profile.nested import NestedStacks
from parsers.profile.profile import Profile, Value, bottom_up, top_down

GROUPS = 4


@dataclass(frozen=True)
class WholeTraces(Profile):
    """Traces that are never regarded as truncated, at any depth."""

    @property
    def cut(self) -> Any:
        """None."""
        return np.zeros(self.stacks.count, np.bool_)


@st.composite
def nested(draw: st.DrawFn) -> Profile:
    """Paths of some methods, each below one before it."""
    count = draw(st.integers(1, 30))
    above = [draw(st.integers(-1, place - 1)) for place in range(count)]
    frames = draw(st.lists(st.integers(0, GROUPS - 1), min_size=count, max_size=count))
    weights = [draw(st.lists(st.integers(0, 9), min_size=count, max_size=count)) for _ in range(2)]
    stacks = NestedStacks(np.array(above, np.int64), np.array(frames, np.uint32))
    return WholeTraces(
        stacks,
        np.arange(GROUPS),
        GROUPS,
        np.arange(count),
        [np.array(each, np.int64) for each in weights],
        (Value("base", "base", "ns"), Value("calls", "calls")),
        np.arange(count),
    )


def flat(profile: Profile) -> Profile:
    """The same paths written out."""
    return WholeTraces(
        profile.flat_stacks, profile.method_of, GROUPS, profile.traces, profile.weights, profile.values, profile.origin
    )


def shape(tree: ProfileTree) -> set[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """Returns the weight of each node, by its keys from the root on."""
    merged, paths = tree.merged, list[tuple[int, ...]]()
    for node in range(merged.count):
        above = int(merged.parent[node])
        paths.append((*(paths[above] if above >= 0 else ()), int(merged.key[node])))
        assert int(merged.depth[node]) == len(paths[-1]) - 1
    return {
        (path, tuple(merged.total[:, node].tolist()), tuple(merged.own[:, node].tolist()))
        for node, path in enumerate(paths)
    }


@given(
    nested(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sets(st.integers(0, GROUPS - 1)),
    st.booleans(),
)
def test_nested_paths_merge_as_the_same_paths_written_out(
    profile: Profile, is_down: bool, folds: bool, rings: bool, hidden: set[int], has_kernels: bool
) -> None:
    mask = np.isin(np.arange(GROUPS), list(hidden)) if hidden else None
    merging = Merging(np.arange(GROUPS) // 2, 2, folds_recursion=folds, folds_rings=rings, is_hidden=mask)
    merge = top_down if is_down else bottom_up
    with engine(has_kernels):
        made = merge(profile, merging)
    wanted = merge(flat(profile), merging)
    assert shape(made) == shape(wanted)
    ends = made.merged.end
    for node in range(made.merged.count):
        rows = made.merged.rows[made.merged.row_start[node] : made.merged.row_stop[node]]
        assert sum(profile.weights[0][rows]) == made.merged.total[0][node]
        assert ends[node] > node


def recursive(measured: list[int]) -> Profile:
    """The paths a, a > a, a > a > b."""
    return Profile(
        NestedStacks(np.array([-1, 0, 1]), np.array([0, 0, 1])),
        np.arange(2),
        2,
        np.arange(3),
        [np.array([1, 2, 3])],
        (Value("base", "base", "ns"),),
        np.arange(3),
        measured=np.array(measured),
    )


@pytest.mark.parametrize(("folds", "measured"), [(False, [50, 40, 3]), (True, [50, 3])])
def test_costs_count_once_if_recursion_is_folded(folds: bool, measured: list[int]) -> None:
    tree = top_down(recursive([50, 40, 3]), Merging(np.arange(2), 2, folds_recursion=folds))
    assert tree.measured is not None
    assert tree.measured.tolist() == measured


@given(nested(), st.booleans())
def test_a_tree_that_is_kept_is_the_one_that_was_merged(profile: Profile, is_down: bool) -> None:
    tree = (top_down if is_down else bottom_up)(profile, Merging(np.arange(GROUPS), GROUPS))
    arrays = dict(tree_arrays("tree", tree))

    class Index:
        def column(self, name: str) -> Any:
            """An array that is kept."""
            return arrays[name]

        def rows(self, table: str) -> int:
            """Never called."""
            raise AssertionError(table)

    kept = saved_tree(Index(), "tree")
    assert kept is not None
    assert shape(kept) == shape(tree)
    assert kept.merged.rows.tolist() == tree.merged.rows.tolist()
    assert kept.is_open.tolist() == tree.is_open.tolist()
    assert saved_tree(Index(), "callers") is None


@given(nested(), st.booleans(), st.sampled_from([1, 5, 1 << 18]), st.booleans(), st.sets(st.integers(0, GROUPS - 1)))
def test_compiled_loops_merge_as_plain_ones_do(
    profile: Profile, is_down: bool, most: int, folds: bool, hidden: set[int]
) -> None:
    profile = replace(profile, measured=profile.weights[0] * 3)
    mask = np.isin(np.arange(GROUPS), list(hidden)) if hidden else None
    merging = Merging(np.arange(GROUPS), GROUPS, folds_recursion=folds, is_hidden=mask)
    plain, compiled = (merged_with(each, profile, is_down, merging, most) for each in (False, True))
    for name in ("key", "depth", "parent", "end", "total", "own", "rows", "row_start", "row_stop", "row_node"):
        assert getattr(compiled.merged, name).tolist() == getattr(plain.merged, name).tolist(), name
    assert compiled.is_open.tolist() == plain.is_open.tolist()
    assert (plain.measured is None) == (not is_down)
    if plain.measured is not None and compiled.measured is not None:
        assert compiled.measured.tolist() == plain.measured.tolist()


def merged_with(has_kernels: bool, profile: Profile, is_down: bool, merging: Merging, most: int) -> ProfileTree:
    """The tree, by plain loops or by kernels."""
    with pytest.MonkeyPatch.context() as patch, engine(has_kernels):
        patch.setattr("parsers.profile.nested.MOST_CALLERS", most)
        return (top_down if is_down else bottom_up)(profile, merging)


def test_very_many_siblings_are_sorted_by_weight_then_by_key() -> None:
    count = 3_000
    weights = np.random.default_rng(5).integers(0, 50, count)
    stacks = NestedStacks(np.full(count, -1), np.arange(count, dtype=np.uint32))
    values, rows = (Value("calls", "calls"),), np.arange(count)
    tree = top_down(Profile(stacks, rows, count, rows, [weights], values, rows), Merging(rows, count))
    assert tree.merged.key.tolist() == np.lexsort((rows, -weights)).tolist()


def test_callers_end_where_there_are_too_many_and_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.profile.nested.MOST_CALLERS", 1)
    tree = bottom_up(recursive([0, 0, 0]), Merging(np.arange(2), 2))
    assert tree.merged.key.tolist() == [0, 1]
    assert tree.is_open.tolist() == [True, True]
