"""What is worked out of the calls of a recording when its index is built: their order as a tree, see FLOW."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.tptp import calls_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.index.writer import Writer
    from parsers.profile.profile import Profile, ProfileTree
    from parsers.tptp.recorded import Tables, Worded

MANY = 50_000
"""Calls from which on kernels are worth loading."""
DEPTHS = 65_536

FLOW = {
    "flow_depth": np.uint16,
    "flow_end": np.uint32,
    "flow_kept": np.uint32,
    "flow_kept_end": np.uint32,
    "flow_kept_times": np.uint32,
    "flow_kept_took": np.int64,
    "flow_kept_base": np.int64,
    "node_is_outermost": np.uint8,
}
"""By place in `call_of_thread`: how deep a call stands, and where it ends. By row of what is left after folding: the
place, the row behind all that is deeper, how often it is there, how long that took. By node: whether its method is not
called by itself."""


def save_calls(writer: Writer, recording: Worded) -> None:
    """Writes the arrays of FLOW. All columns have to be known."""
    found = flow_of(recording)
    for name, values in found.items():
        writer.save(name, values)
    if recording.rows("node") >= calls_tree.MANY:
        for name, values in first_trees(recording, found, calls_tree.merged_tree):
            writer.save(name, values)


class WithColumns:
    """A recording with columns more; all of it is known."""

    is_complete = True

    def __init__(self, recording: Worded, more: Mapping[str, Any]) -> None:
        self._recording = recording
        self._more = more
        self.rows, self.word = recording.rows, recording.word
        self.facts: Mapping[str, Any] = {}

    def column(self, name: str) -> Any:
        """A column."""
        return self._more[name] if name in self._more else self._recording.column(name)


def first_trees(
    recording: Worded, flow: Mapping[str, Any], merge: Callable[[Profile, bool], ProfileTree]
) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays of the trees that are shown first. flow: those of FLOW"""
    from parsers.profile.source import Wanted
    from parsers.tptp.calls_source import DOWN, UP, CallProfiles
    from parsers.tptp.names import Names

    known = WithColumns(recording, flow)
    names = Names(known)
    for name, weights in (("tree", DOWN), ("callers", UP)):
        source = CallProfiles(known, names, weights)
        tree = merge(source.profile(Wanted()), weights is DOWN)
        yield from calls_tree.tree_arrays(name, tree).items()


def _writable(column: Any) -> NDArray[Any]:
    """A column as kernels are compiled for: in one piece, and not only for reading."""
    return np.require(np.asarray(column), requirements=("C", "W"))


def _loops(calls: int) -> Any:
    from parsers.tptp import calls_flow

    if calls < MANY:
        return calls_flow
    from parsers.tptp import calls_flow_kernel

    return calls_flow_kernel


def flow_of(recording: Tables, loops: Any = None) -> dict[str, NDArray[Any]]:
    """The arrays of FLOW. loops: `calls_flow` or its kernels; None: whichever is quicker."""

    def column(name: str) -> NDArray[Any]:
        return _writable(recording.column(name))

    calls, firsts = column("call_of_thread"), column("thread_first_call")
    count = len(calls)
    loops = loops or _loops(count)
    found = {name: np.zeros(count, FLOW[name]) for name in ("flow_depth", "flow_end")}
    open = np.zeros(DEPTHS, np.uint32)
    shapes, times = np.zeros(count, np.uint64), np.zeros(count, np.uint32)
    loops.place_calls(
        calls, firsts, column("call_parent"), np.zeros(count, np.uint32), found["flow_depth"], found["flow_end"], open
    )
    rows = loops.count_repetitions(
        calls, firsts, column("call_method"), column("call_flags"), found["flow_end"], shapes, times
    )
    kept = {name: np.zeros(rows, FLOW[name]) for name in FLOW if name.startswith("flow_kept")}
    loops.keep_rows(
        calls,
        *(column(name) for name in ("call_start", "call_end", "call_base")),
        found["flow_end"],
        times,
        *(kept[name] for name in ("flow_kept", "flow_kept_end", "flow_kept_times")),
        *(kept[name] for name in ("flow_kept_took", "flow_kept_base")),
        open,
        found["flow_depth"],
    )
    return {**found, **kept, "node_is_outermost": is_outermost(recording, loops)}


def is_outermost(recording: Tables, loops: Any = None) -> NDArray[Any]:
    """By call path: whether its method is not called by itself, through whatever others; uint8."""
    parents, methods = (_writable(recording.column(name)) for name in ("node_parent", "node_method"))
    loops = loops or _loops(len(parents))
    found = np.zeros(len(parents), np.uint8)
    room = np.empty((2, len(parents) + 1), np.uint32)
    loops.find_outermost(parents, methods, found, room, np.zeros(recording.rows("method"), np.uint32))
    return found
