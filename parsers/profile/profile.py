"""A profile: traces with weights; and how it is merged: by what, with which frames, from which end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.model.report import Unit
from parsers.profile.merge import Merged, merge
from parsers.profile.nested import NestedStacks, NestedTree, nested_bottom_up, nested_top_down
from parsers.profile.stacks import (
    Stacks,
    cut_traces,
    headed,
    kept,
    reversed_frames,
    without_repeats,
    without_rings,
)
from parsers.profile.stitch import stitched

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Value:
    """What a weight says: its name, title and unit; and how many of the weights are one of that unit."""

    name: str
    title: str
    unit: Unit = "count"
    scale: int = 1
    noun: str = ""
    """What is counted, where the title is something else."""
    is_own: bool = False
    """Whether a row of a call tree shows its own, not what is below it too."""

    def shown(self, weight: int) -> int | float:
        """A weight in its unit."""
        return int(weight) if self.scale == 1 else round(int(weight) / self.scale, 2)


@dataclass(frozen=True)
class Profile:
    """Rows, each a trace and what it weighs. A trace may be that of several rows, or of none."""

    stacks: Stacks | NestedStacks
    """All traces."""
    method_of: NDArray[Any]
    """By frame: its method, below `methods`."""
    methods: int
    traces: NDArray[Any]
    """int64[rows]: the trace of each row."""
    weights: Sequence[NDArray[Any]]
    """int64[rows] by value."""
    values: tuple[Value, ...]
    """The first one is what trees are sorted by, and what widths show."""
    origin: NDArray[Any]
    """int64[rows]: the number of each row in the format's own table."""
    table: str = ""
    """That table's name."""
    wholes: Sequence[int] = ()
    """By value: what 100 % is; none: the sum of the rows."""
    measured: NDArray[Any] | None = None
    """int64[rows]: the first value of a row with all that it calls, where that was measured and may not be the sum."""
    rootless: int = 0
    """How many of the last traces are known to lack their callers, whatever their depth."""

    def of_rows(self, rows: NDArray[Any]) -> Profile:
        """Only some of the rows; percents stay those of the whole."""
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
    def cut(self) -> NDArray[Any]:
        """By trace: whether its outermost frames may be missing, bool; none of traces that are nested."""
        if isinstance(self.stacks, NestedStacks):
            return np.zeros(self.stacks.count, np.bool_)
        cut = cut_traces(self.stacks, self.method_of)
        cut[len(cut) - self.rootless :] = True
        return cut

    @property
    def bases(self) -> Sequence[int]:
        """By value: what 100 % is."""
        return self.wholes or self.sums

    def by(self, value: str) -> Profile:
        """The same with another value in front. Raises `KeyError`."""
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
        """The same with one row a trace: in several dumps, and where objects of several classes are made, it has more.

        The origin of such a row is that of the trace's first one.
        """
        if isinstance(self.stacks, NestedStacks):
            return self
        traces, first, place = np.unique(self.traces, return_index=True, return_inverse=True)
        if len(traces) == len(self.traces):
            return self
        weights = [np.zeros(len(traces), np.int64) for _ in self.weights]
        for sums, weight in zip(weights, self.weights, strict=True):
            np.add.at(sums, place, weight)
        return replace(self, traces=traces, weights=weights, origin=self.origin[first])

    @property
    def sums(self) -> list[int]:
        """The weight of all rows, by value."""
        return [int(weight.sum()) for weight in self.weights]


@dataclass(frozen=True)
class Merging:
    """How traces become a tree. Numbers of `group_of` are what nodes are told apart by."""

    group_of: NDArray[Any]
    """By frame: its group (a method, a class, a package, or the frame itself), below `groups`."""
    groups: int
    folds_recursion: bool = False
    """Whether a call of a group by itself counts as one."""
    folds_rings: bool = False
    """Whether all that lies between two calls of one group in a trace counts as none, so that it stands there once."""
    is_stitched: bool = False
    """Whether cut traces hang where all whole ones with the same outermost frames agree on what is outside."""
    is_hidden: NDArray[Any] | None = field(default=None)
    """By frame: whether it is left out, so that what it weighs counts for the nearest one that is shown; None: none."""

    @property
    def no_frames(self) -> int:
        """The group of traces that have no frame to show."""
        return self.groups

    @property
    def not_recorded(self) -> int:
        """The group above cut traces, whose root is not known."""
        return self.groups + 1


@dataclass(frozen=True)
class ProfileTree:
    """A merged profile, with what is not sure about its nodes."""

    merged: Merged
    is_cut: NDArray[Any]
    """bool[rows]: whether the trace of a row may have lost its outermost frames."""
    is_open: NDArray[Any]
    """By node: callers: whether a cut trace ends here; call tree: whether nothing but stitched traces passes."""
    measured: NDArray[Any] | None = None
    """By node: its total as measured, where `Profile.measured` tells."""


def top_down(profile: Profile, merging: Merging) -> ProfileTree:
    """The call tree: roots are where threads begin. Cut traces hang below "root not recorded", or are stitched."""
    if isinstance(profile.stacks, NestedStacks) and not merging.folds_rings:
        return _of_nested(profile, nested_top_down(profile, profile.stacks, merging))
    paths, cut = _paths(profile, merging)
    paths = reversed_frames(paths)
    is_stitched = np.zeros(len(cut), np.bool_)
    if merging.is_stitched:
        paths, is_stitched = stitched(paths, cut)
    paths = headed(paths, cut & ~is_stitched, merging.not_recorded)
    paths = _folded(paths, merging)
    merged = merge(headed(paths, paths.lengths() == 0, merging.no_frames), profile.weights)
    return ProfileTree(merged, cut, _all_rows(merged, is_stitched))


def bottom_up(profile: Profile, merging: Merging) -> ProfileTree:
    """The callers: roots are the methods on top of the traces, below each one its callers."""
    if isinstance(profile.stacks, NestedStacks) and not merging.folds_rings:
        return _of_nested(profile, nested_bottom_up(profile, profile.stacks, merging))
    paths, cut = _paths(profile, merging)
    paths = _folded(paths, merging)
    merged = merge(headed(paths, paths.lengths() == 0, merging.no_frames), profile.weights)
    is_open = np.zeros(merged.count, np.bool_)
    is_open[merged.row_node[cut]] = True
    return ProfileTree(merged, cut, is_open)


def _of_nested(profile: Profile, tree: NestedTree) -> ProfileTree:
    return ProfileTree(tree.merged, np.zeros(len(profile.traces), np.bool_), tree.is_open, tree.measured)


def _paths(profile: Profile, merging: Merging) -> tuple[Stacks, NDArray[Any]]:
    """The groups of each row's frames, innermost first, without hidden ones; and which rows are cut."""
    cut = profile.cut[profile.traces]
    stacks = profile.flat_stacks.taken(profile.traces)
    if merging.is_hidden is not None:
        stacks = kept(stacks, ~merging.is_hidden[stacks.frames])
    return Stacks(stacks.first, merging.group_of[stacks.frames].astype(np.int64)), cut


def _folded(paths: Stacks, merging: Merging) -> Stacks:
    """The paths with recursion folded as it is asked for."""
    if merging.folds_rings:
        return without_rings(paths)
    return without_repeats(paths) if merging.folds_recursion else paths


def _all_rows(merged: Merged, is_met: NDArray[Any]) -> NDArray[Any]:
    """By node: whether all of its rows are met."""
    counts = np.concatenate([[0], np.cumsum(is_met[merged.rows])])
    result: NDArray[Any] = counts[merged.row_stop] - counts[merged.row_start] == merged.row_stop - merged.row_start
    return result & is_met.any()
