"""Cost of each method: as the top frame of traces (self), and anywhere in them (total), once per trace.

Traces without a shown frame have a cost, too: they form the last group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.distinct import begins
from parsers.profile.merge import range_sums
from parsers.profile.stacks import Stacks, filter_frames, headed

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.profile.profile import Profile


@dataclass(frozen=True)
class Costs:
    """Sums by group (method, class, package …), and the rows whose traces contain each group."""

    own: I64Array
    """int64[values, groups + 1]: sum of rows whose top frame is in the group; the last group: without frames."""
    total: I64Array
    """int64[values, groups + 1]: sum of rows whose trace contains the group."""
    first: I64Array
    """int64[groups + 2]: first of each group's rows in `rows`."""
    rows: AnyArray
    """Rows by group: those with the group on top, then those through it, the heaviest first."""
    tops: AnyArray
    """By group: number of its rows with the group on top."""


def costs(profile: Profile, group_of: I64Array, groups: int, is_hidden: BoolArray | None = None) -> Costs:
    """Computes the costs of a profile by group of frame. Hidden frames count for the nearest shown caller."""
    weights = profile.weights
    heaviest = np.argsort(-weights[0], kind="stable") if len(weights) else np.arange(len(profile.traces))
    stacks = profile.flat_stacks.select(profile.traces[heaviest])
    if is_hidden is not None:
        stacks = filter_frames(stacks, ~is_hidden[stacks.frames])
    stacks = Stacks(stacks.first, group_of.astype(np.int32)[stacks.frames])
    if not stacks.lengths().all():
        stacks = headed(stacks, stacks.lengths() == 0, groups)
    groups += 1
    pair_group, is_below, pair_row = _pairs(stacks, groups)
    pair_row = heaviest[pair_row]
    first = np.searchsorted(pair_group, np.arange(groups + 1))
    tops = np.bincount(pair_group[~is_below], minlength=groups)
    own, total = (range_sums(weights, pair_row, first[:-1], stops) for stops in (first[:-1] + tops, first[1:]))
    return Costs(own, total, first, pair_row, tops)


def _pairs(stacks: Stacks, groups: int) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Returns the pairs of a group and a trace with it, each once: groups, False for those on top, and traces.

    Sorted by group, those on top first, then by trace.
    """
    lengths = stacks.lengths()
    row = np.repeat(np.arange(stacks.count, dtype=np.int32), lengths)
    top_of = np.full(stacks.count, -1, stacks.frames.dtype)
    top_of[lengths > 0] = stacks.frames[stacks.first[:-1][lengths > 0]]
    code = stacks.frames * 2 + (top_of[row] != stacks.frames)
    # Frames are in the order of traces, so a stable sort keeps that. Numbers of 16 bits are sorted by their digits.
    order = np.argsort(code.astype(np.uint16) if groups <= 1 << 15 else code, kind="stable")
    code, row = code[order], row[order]
    is_first = begins(code, row)
    code, row = code[is_first], row[is_first]
    return code >> 1, (code & 1) == 1, row
