"""What each method costs: on top of traces (self), and anywhere in them (total), recursion counted once a trace.

Traces without a frame that is shown cost, too: they are a group of their own, behind the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.profile.profile import Profile


@dataclass(frozen=True)
class Costs:
    """Sums by group (method, class, package …), and the rows whose traces hold each group."""

    own: NDArray[Any]
    """int64[values, groups + 1]: of rows whose trace begins with the group; the last one: without frames."""
    total: NDArray[Any]
    """int64[values, groups + 1]: of rows whose trace contains it."""
    first: NDArray[Any]
    """int64[groups + 2]: where the rows of each group begin in `rows`."""
    rows: NDArray[Any]
    """Rows by group: those that it is on top of first, then those through it, the heaviest first."""
    tops: NDArray[Any]
    """By group: how many of its rows it is on top of."""


def costs(profile: Profile, group_of: NDArray[Any], groups: int, is_hidden: NDArray[Any] | None = None) -> Costs:
    """The costs of a profile by group of frame. Frames that are hidden count for the nearest caller that isn't."""
    from parsers.profile.stacks import Stacks, headed, kept

    stacks = profile.flat_stacks.taken(profile.traces)
    if is_hidden is not None:
        stacks = kept(stacks, ~is_hidden[stacks.frames])
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
    # One code a pair of group and row, so that a method that is often in a trace counts once; the codes of a group are
    # in the order of its rows. Sorted as numbers, which takes a tenth of sorting by three keys.
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


def _sums(weights: Sequence[NDArray[Any]], rows: NDArray[Any], groups: NDArray[Any], count: int) -> NDArray[Any]:
    """Exact sums by group, int64[values, groups]. groups: ascending."""
    result = np.zeros((len(weights), count), np.int64)
    edges = np.searchsorted(groups, np.arange(count + 1))
    for place, weight in enumerate(weights):
        running = np.concatenate([[0], np.cumsum(weight[rows])])
        result[place] = running[edges[1:]] - running[edges[:-1]]
    return result
