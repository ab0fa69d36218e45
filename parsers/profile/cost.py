"""Cost of each method: as the top frame of traces (self), and anywhere in them (total), once per trace.

Traces without a shown frame have a cost, too: they form the last group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import BoolArray, I64Array
    from parsers.profile.profile import Profile


@dataclass(frozen=True)
class Costs:
    """Sums by group (method, class, package …), and the rows whose traces contain each group."""

    own: NDArray[Any]
    """int64[values, groups + 1]: sum of rows whose top frame is in the group; the last group: without frames."""
    total: NDArray[Any]
    """int64[values, groups + 1]: sum of rows whose trace contains the group."""
    first: NDArray[Any]
    """int64[groups + 2]: first of each group's rows in `rows`."""
    rows: NDArray[Any]
    """Rows by group: those with the group on top, then those through it, the heaviest first."""
    tops: NDArray[Any]
    """By group: number of its rows with the group on top."""


def costs(profile: Profile, group_of: I64Array, groups: int, is_hidden: BoolArray | None = None) -> Costs:
    """Computes the costs of a profile by group of frame. Hidden frames count for the nearest shown caller."""
    from parsers.profile.stacks import Stacks, filter_frames, headed

    stacks = profile.flat_stacks.select(profile.traces)
    if is_hidden is not None:
        stacks = filter_frames(stacks, ~is_hidden[stacks.frames])
    stacks = Stacks(stacks.first, group_of[stacks.frames])
    if not stacks.lengths().all():
        stacks = headed(stacks, stacks.lengths() == 0, groups)
    groups += 1
    lengths, weights = stacks.lengths(), profile.weights
    group = stacks.frames.astype(np.int64)
    row = np.repeat(np.arange(stacks.count), lengths)
    is_top = np.zeros(len(group), np.bool_)
    is_top[stacks.first[:-1][lengths > 0]] = True
    top_of = np.full(stacks.count, -1, np.int64)
    top_of[row[is_top]] = group[is_top]
    heaviest = np.argsort(-weights[0], kind="stable") if len(weights) else np.arange(stacks.count)
    rank = np.empty(stacks.count, np.int64)
    rank[heaviest] = np.arange(stacks.count)
    # One code per pair of group and row, so that recursion counts once; the codes of a group are in the order of its
    # rows. Sorting these numbers takes a tenth of sorting by three keys.
    count = max(stacks.count, 1)
    codes = np.sort((group * 2 + (top_of[row] != group)) * count + rank[row])
    codes = codes[np.append(True, codes[1:] != codes[:-1])] if len(codes) else codes
    pair_group, is_below, pair_row = codes // (2 * count), codes // count % 2 == 1, heaviest[codes % count]
    first = np.searchsorted(pair_group, np.arange(groups + 1))
    return Costs(
        own=_sums(weights, pair_row[~is_below], pair_group[~is_below], groups),
        total=_sums(weights, pair_row, pair_group, groups),
        first=first,
        rows=pair_row,
        tops=np.bincount(pair_group[~is_below], minlength=groups),
    )


def _sums(weights: Sequence[NDArray[Any]], rows: I64Array, groups: I64Array, count: int) -> I64Array:
    """Returns exact sums by group, int64[values, groups]. groups: ascending"""
    result = np.zeros((len(weights), count), np.int64)
    edges = np.searchsorted(groups, np.arange(count + 1))
    for place, weight in enumerate(weights):
        running = np.concatenate([[0], np.cumsum(weight[rows])])
        result[place] = running[edges[1:]] - running[edges[:-1]]
    return result
