"""The threads of a heap dump with their stacks: local roots by frame.

A root has the index of its frame in the trace of its thread. Source: `heapDumper.cpp` of HotSpot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.heapdump.graph.columns import ROOT_KINDS
from parsers.model.none import NONE
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.heapdump.graph.object_graph import ObjectGraph
    from parsers.model.arrays import I64Array

THREAD = ROOT_KINDS.index("thread")
LOCAL_KINDS = tuple(
    ROOT_KINDS.index(kind) for kind in ("Java stack", "JNI local ref", "native stack", "thread block", "JNI monitor")
)
"""Kinds of roots that belong to a thread."""
MOST_FRAMES = 200_000
"""Most frames of all threads with rows. With more, as for a million virtual threads, locals have no frames."""


@value_class
class Stack:
    """A thread, or one of its frames."""

    root: int
    """Root of the thread."""
    frame: int
    """Row of its frame; -1: the thread itself."""
    number: int
    """Number of the frame in the stack, 0 is the innermost one."""
    first: int
    """Its first local in `order`; for a thread, the first of those without a frame."""
    locals: int


def stacks_of(graph: ObjectGraph, recording: ProfileRecording) -> tuple[list[Stack], I64Array]:
    """Returns threads in file order, each followed by its frames; and their locals, as numbers of roots.

    For the last dump, whose threads are objects.
    """
    part = slice(graph.dumps[-1].roots.start, graph.dumps[-1].roots.stop)
    kinds, serials, frames = (np.asarray(graph.root_column(name))[part] for name in ("kind", "thread", "frame"))
    is_thread = kinds == THREAD
    threads = np.flatnonzero(is_thread & (np.asarray(graph.root_column("object"))[part] != NONE))
    locals = np.flatnonzero(np.isin(kinds, LOCAL_KINDS))
    # Grouped by thread, those without a frame last.
    locals = locals[np.lexsort((frames[locals], serials[locals]))]
    of, numbers = serials[locals], frames[locals]
    lengths = np.asarray(recording.column("trace_frames"))
    traces = np.asarray(recording.column("root_trace"))[part][threads]
    depths = np.where(traces == NONE, 0, lengths[np.minimum(traces, max(len(lengths) - 1, 0))] if len(lengths) else 0)
    shows_frames = int(depths.sum()) <= MOST_FRAMES
    starts, ends = (np.searchsorted(of, serials[threads], side) for side in ("left", "right"))
    found = []
    columns = (threads, traces, depths, starts, ends)
    for root, trace, depth, start, end in zip(*(column.tolist() for column in columns), strict=True):
        depth = depth if shows_frames else 0
        bounds = (start + np.searchsorted(numbers[start:end], np.arange(depth + 1))).tolist()
        found.append(Stack(part.start + root, -1, -1, bounds[depth], end - bounds[depth]))
        stack = recording.stack(trace) if depth else ()
        for number in range(depth):
            first = bounds[number]
            found.append(Stack(part.start + root, int(stack[number]), number, first, bounds[number + 1] - first))
    return found, locals + part.start
