"""A profile: traces with weights, and the trees into which it is merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.row import Unit
from parsers.profile.merge import MergedTree, Merging, ProfileTree, merge, merged_part, sums_of
from parsers.profile.nested import NestedStacks, nested_bottom_up, nested_top_down
from parsers.profile.stacks import (
    Stacks,
    cut_traces,
    filter_frames,
    headed,
    reversed_frames,
    without_repeats,
    without_rings,
)
from parsers.profile.stitch import attach_truncated

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array


@dataclass(frozen=True, slots=True)
class Value:
    """A kind of weight: its name, title and unit, and the factor between weights and unit."""

    name: str
    title: str
    unit: Unit = "count"
    scale: int = 1
    noun: str = ""
    """Name of the counted items, if not the title."""
    is_own: bool = False
    """True if a row of a call tree shows its own value, without that of its descendants."""

    def shown(self, weight: int) -> int | float:
        """Converts a weight to its unit."""
        return int(weight) if self.scale == 1 else round(int(weight) / self.scale, 2)


@dataclass(frozen=True)
class Profile:
    """Rows, each with a trace and weights. A trace may belong to several rows, or to none."""

    stacks: Stacks | NestedStacks
    """All traces."""
    method_of: AnyArray
    """By frame: its method, below `methods`."""
    methods: int
    traces: I64Array
    """int64[rows]: the trace of each row."""
    weights: Sequence[I64Array]
    """int64[rows] by value."""
    values: tuple[Value, ...]
    """Trees are sorted by the first one, and flame widths show it."""
    origin: I64Array
    """int64[rows]: the number of each row in the format's own table."""
    table: str = ""
    """Name of that table."""
    wholes: Sequence[int] = ()
    """By value: 100 %; empty: the sum of the rows."""
    measured: I64Array | None = None
    """int64[rows]: first value of a row including calls, where measured; it may differ from the sum."""
    rootless: int = 0
    """Number of traces at the end that are known to lack their callers, at any depth."""

    def of_rows(self, rows: BoolArray) -> Profile:
        """Returns some of the rows; percentages remain relative to the whole."""
        return replace(
            self,
            traces=self.traces[rows],
            weights=[weight[rows] for weight in self.weights],
            origin=self.origin[rows],
            measured=None if self.measured is None else self.measured[rows],
        )

    @property
    def flat_stacks(self) -> Stacks:
        """All traces as lists of frames."""
        return self.stacks.flat() if isinstance(self.stacks, NestedStacks) else self.stacks

    @property
    def cut(self) -> BoolArray:
        """By trace: True if its outermost frames may be missing; False for nested traces."""
        if isinstance(self.stacks, NestedStacks):
            return np.zeros(self.stacks.count, np.bool_)
        cut = cut_traces(self.stacks, self.method_of)
        cut[len(cut) - self.rootless :] = True
        return cut

    @property
    def bases(self) -> Sequence[int]:
        """By value: 100 %."""
        return self.wholes or self.sums

    def by(self, value: str) -> Profile:
        """Returns the profile with another value in front. Raises `KeyError`."""
        order = sorted(range(len(self.values)), key=lambda place: self.values[place].name != value)
        if self.values[order[0]].name != value:
            raise KeyError(value)
        return replace(
            self,
            weights=[self.weights[place] for place in order],
            values=tuple(self.values[place] for place in order),
            wholes=[self.wholes[place] for place in order] if self.wholes else (),
        )

    def by_trace(self) -> Profile:
        """Returns the profile with one row per trace: rows of several dumps or allocated classes are added.

        The origin of such a row is that of the trace's first row.
        """
        if isinstance(self.stacks, NestedStacks):
            return self
        traces, first, place = np.unique(self.traces, return_index=True, return_inverse=True)
        if len(traces) == len(self.traces):
            return self
        sums = sums_of(self.weights, place, len(traces))
        return replace(self, traces=traces, weights=list(sums), origin=self.origin[first])

    @property
    def sums(self) -> list[int]:
        """Returns the weight of all rows, by value."""
        return [int(weight.sum()) for weight in self.weights]


def top_down(profile: Profile, merging: Merging) -> ProfileTree:
    """Builds the call tree. Truncated traces are below the node for unknown roots, or stitched."""
    if isinstance(profile.stacks, NestedStacks) and not merging.folds_rings:
        return nested_top_down(profile.stacks, profile.traces, profile.weights, profile.measured, merging)
    paths, cut = _paths(profile, merging)
    paths = reversed_frames(paths)
    is_attached = np.zeros(len(cut), np.bool_)
    if merging.is_attached:
        paths, is_attached = attach_truncated(paths, cut)
    paths = headed(paths, cut & ~is_attached, merging.not_recorded)
    paths = _folded(paths, merging)
    merged = merge(headed(paths, paths.lengths() == 0, merging.no_frames), profile.weights)
    return ProfileTree(merged, _all_rows(merged, is_attached))


def bottom_up(profile: Profile, merging: Merging) -> ProfileTree:
    """Builds the callers: roots are the methods on top of the traces, children are callers."""
    if isinstance(profile.stacks, NestedStacks) and not merging.folds_rings:
        return nested_bottom_up(profile.stacks, profile.traces, profile.weights, merging)
    paths, cut = _paths(profile, merging)
    paths = _folded(paths, merging)
    merged = merge(headed(paths, paths.lengths() == 0, merging.no_frames), profile.weights)
    is_open = np.zeros(merged.count, np.bool_)
    is_open[merged.row_node[cut]] = True
    return ProfileTree(merged, is_open)


def part_of_tree(tree: ProfileTree, whole: Profile, part: Profile, is_down: bool) -> ProfileTree:
    """Returns the tree of a part of a profile from the tree of the whole one, without stitched traces.

    Both profiles have one row per trace, ascending.
    """
    merged = merged_part(tree.merged, np.searchsorted(whole.traces, part.traces), part.weights)
    cut = part.cut[part.traces]
    is_open = np.zeros(merged.count, np.bool_)
    if not is_down:
        is_open[merged.row_node[cut]] = True
    return ProfileTree(merged, is_open)


def _paths(profile: Profile, merging: Merging) -> tuple[Stacks, AnyArray]:
    """Returns the groups of each row's frames, innermost first, without hidden ones; and the truncated rows."""
    cut = profile.cut[profile.traces]
    stacks = profile.flat_stacks.select(profile.traces)
    if merging.is_hidden is not None:
        stacks = filter_frames(stacks, ~merging.is_hidden[stacks.frames])
    return Stacks(stacks.first, merging.group_of.astype(np.int32)[stacks.frames]), cut


def _folded(paths: Stacks, merging: Merging) -> Stacks:
    """Returns the paths with the chosen folding of recursion."""
    if merging.folds_rings:
        return without_rings(paths)
    return without_repeats(paths) if merging.folds_recursion else paths


def _all_rows(merged: MergedTree, is_selected: BoolArray) -> BoolArray:
    """Returns True for nodes all of whose rows are selected."""
    counts = np.concatenate([[0], np.cumsum(is_selected[merged.rows])])
    result: AnyArray = counts[merged.row_stop] - counts[merged.row_start] == merged.row_stop - merged.row_start
    return result & is_selected.any()
