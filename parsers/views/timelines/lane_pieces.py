"""Cuts the states of a lane, which may overlap, into successive pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.model.distinct import begins
from parsers.views.timelines.timeline_view import LaneStates

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array


def cut_into_pieces(
    starts: I64Array,
    ends: I64Array,
    states: AnyArray,
    nodes: AnyArray,
    begin: int,
    between: tuple[int, int],
    end: int,
) -> LaneStates:
    """Returns the pieces of a lane, from starts and ends of its states in file order.

    between  the state, and its row, of a lane while it is in none of these, from `begin` to `end`

    Clocks step back: a state that begins before its predecessor starts at the predecessor's start. A state beginning
    within another one interrupts it.
    """
    end = max(end, begin)
    count = len(starts)
    if _are_apart(starts, ends, begin, end):
        cuts, all_states = np.empty(1 + 2 * count, np.int64), np.empty(1 + 2 * count, np.uint8)
        all_nodes = np.empty(1 + 2 * count, np.int64)
        cuts[0], cuts[1::2], cuts[2::2] = begin, starts, ends
        all_states[0::2], all_nodes[0::2] = between
        all_states[1::2], all_nodes[1::2] = states, nodes
        return LaneStates(cuts, all_states, all_nodes, end)
    starts = np.clip(np.maximum.accumulate(starts), begin, end) if count else starts
    ends = np.clip(np.maximum(ends, starts), begin, end)
    following = np.append(starts[1:], end)
    own_end = np.minimum(ends, following)
    outer_end = np.minimum(np.maximum(np.append(begin, ends[:-1]), own_end), following)
    # For each state: itself, the rest of the one it interrupts, and the gap before the next one.
    cuts = np.empty(1 + 3 * count, np.int64)
    all_states, all_nodes = np.empty(1 + 3 * count, np.uint8), np.empty(1 + 3 * count, np.int64)
    cuts[0], all_states[0], all_nodes[0] = begin, *between
    cuts[1::3], cuts[2::3], cuts[3::3] = starts, own_end, outer_end
    all_states[1::3], all_nodes[1::3] = states, nodes
    all_states[2::3], all_nodes[2::3] = np.append(between[0], states[:-1]), np.append(between[1], nodes[:-1])
    all_states[3::3], all_nodes[3::3] = between
    is_there = np.append(cuts[1:], end) > cuts
    cuts, all_states, all_nodes = cuts[is_there], all_states[is_there], all_nodes[is_there]
    is_other = begins(all_nodes, all_states)
    return LaneStates(cuts[is_other], all_states[is_other], all_nodes[is_other], end)


def _are_apart(starts: I64Array, ends: I64Array, begin: int, end: int) -> bool:
    """True if each state ends before the next one begins, and none has length 0: the normal case."""
    if not len(starts):
        return begin < end
    is_in = begin < starts[0] and ends[-1] < end
    return bool(is_in and (ends > starts).all() and (starts[1:] > ends[:-1]).all())
