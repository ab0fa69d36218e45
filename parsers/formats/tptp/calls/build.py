"""Arrays computed from the calls of a recording when its index is built: their order as a tree, see FLOW."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.tptp.calls import merged_trees as calls_tree
from parsers.formats.tptp.join.saving import save_array
from parsers.formats.tptp.schema.columns import IS_RUNNING, NO_EXIT
from parsers.formats.tptp.views.negative_times import negative_nodes
from parsers.index.scratch import Scratch, anonymous
from parsers.model.none import NONE
from parsers.profile.merge import Merging

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray

DEPTHS = 65_536

FLOW = {
    "flow_depth": np.uint16,
    "flow_end": np.uint32,
    "flow_kept": np.uint32,
    "flow_kept_end": np.uint32,
    "flow_kept_times": np.uint32,
    "flow_kept_took": np.int64,
    "flow_kept_base": np.int64,
}
"""By place in `call_of_thread`: a call's depth and end. By row after folding: place, the next row no deeper than it,
the number of repetitions, their total time.
"""
OPEN, OPEN_TOOK = "open_node", "open_node_took"
"""Nodes with calls that did not return, and their times."""


def save_calls(writer: Writer, recording: TraceRecording, scratch: Scratch = anonymous) -> None:
    """Writes the arrays of FLOW. All columns must be known. scratch: storage for large temporary arrays"""
    for name, values in flow_of(recording, scratch=scratch):
        save_array(writer, name, values)
    of_nodes = open_nodes(recording, scratch=scratch) | negative_nodes(recording)
    recording.add_columns(of_nodes)
    for name, values in of_nodes.items():
        save_array(writer, name, values)
    if recording.rows("node") >= calls_tree.MANY:
        for name, values in first_trees(recording):
            save_array(writer, name, values)


def first_trees(recording: TraceRecording) -> Iterator[tuple[str, AnyArray]]:
    """Yields the arrays of the trees shown first."""
    from parsers.formats.tptp.calls.source import DOWN, UP, CallProfiles
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.profile.profile import bottom_up, top_down
    from parsers.profile.source import ProfileQuery

    names = TraceNames(recording)
    for name, weights, merge in (("tree", DOWN, top_down), ("callers", UP, bottom_up)):
        profile = CallProfiles(recording, names, weights).profile(ProfileQuery())
        yield from calls_tree.tree_arrays(name, merge(profile, Merging(profile.method_of, profile.methods)))


def _writable(recording: TraceRecording, name: str, scratch: Scratch) -> AnyArray:
    """Returns a column in the form kernels are compiled for: contiguous and writable."""
    column = np.asarray(recording.column(name))
    if column.flags.c_contiguous and column.flags.writeable:
        return column
    found: AnyArray = scratch(name, column.dtype.str[1:], len(column))
    found[:] = column
    return found


def flow_of(recording: TraceRecording, scratch: Scratch = anonymous) -> Iterator[tuple[str, AnyArray]]:
    """Yields the arrays of FLOW."""
    from parsers.formats.tptp.calls.flow import COMPILED

    def column(name: str) -> AnyArray:
        return _writable(recording, name, scratch)

    def buffer(name: str, type: Any, length: int) -> AnyArray:
        found: AnyArray = scratch(name, np.dtype(type).str[1:], length)
        return found

    calls, firsts = column("call_of_thread"), column("thread_first_call")
    count = len(calls)
    depths, ends = (buffer(name, FLOW[name], count) for name in ("flow_depth", "flow_end"))
    open = np.zeros(DEPTHS, np.uint32)
    COMPILED.place_calls(calls, firsts, column("call_parent"), buffer("places", np.uint32, count), depths, ends, open)
    yield "flow_end", ends
    times = buffer("times", np.uint32, count)
    rows = COMPILED.count_repetitions(
        calls, firsts, column("call_method"), column("call_flags"), ends, buffer("shapes", np.uint64, count), times
    )
    kept = {name: buffer(name, FLOW[name], rows) for name in FLOW if name.startswith("flow_kept")}
    COMPILED.keep_rows(
        calls,
        *(column(name) for name in ("call_start", "call_end", "call_base")),
        ends,
        times,
        *(kept[name] for name in ("flow_kept", "flow_kept_end", "flow_kept_times")),
        *(kept[name] for name in ("flow_kept_took", "flow_kept_base")),
        open,
        depths,
    )
    yield "flow_depth", depths
    yield from kept.items()


def open_nodes(recording: TraceRecording, scratch: Scratch = anonymous) -> dict[str, AnyArray]:
    """Returns call paths with calls that did not return. Their time was not measured, so it is the sum of callees."""
    from parsers.formats.tptp.calls.flow import COMPILED

    parents, own = (_writable(recording, name, scratch) for name in ("node_parent", "node_base"))
    flags, nodes = np.asarray(recording.column("call_flags")), np.asarray(recording.column("call_node"))
    is_open = np.zeros(len(parents), np.uint8)
    paths = nodes[np.flatnonzero(flags & (NO_EXIT | IS_RUNNING))]
    is_open[paths[paths != NONE]] = 1
    rows = np.flatnonzero(is_open).astype(np.uint32)
    if not len(rows):
        return {OPEN: rows, OPEN_TOOK: np.zeros(0, np.int64)}
    took: AnyArray = scratch("took", "i8", len(parents))
    took[:] = np.asarray(recording.column("node_cumulative"))
    COMPILED.measure(parents, own, is_open, took, scratch("below", "i8", len(parents)))
    return {OPEN: rows, OPEN_TOOK: took[rows]}
