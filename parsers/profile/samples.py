"""Profiles as stacks for exporters: from rows with their traces, or from a merged tree as shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.reporting.export.sample import Sample, SampleFrame

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array
    from parsers.profile.merge import MergedTree
    from parsers.profile.profile import Profile, Value


def weights_of(values: Sequence[Value], weights: Sequence[int]) -> tuple[float, ...]:
    """Converts weights to their units."""
    return tuple(weight / value.scale for value, weight in zip(values, weights, strict=True))


def frames_of(labels: Sequence[str]) -> Sequence[SampleFrame]:
    """Returns a frame for each group; for a line of a method with its number."""
    found = []
    for number, label in enumerate(labels):
        name, _, line = label.rpartition(" :")
        is_line = bool(name) and line.isdecimal()
        found.append(SampleFrame(number, f"{name}:{line}" if is_line else label, int(line) if is_line else None))
    return found


def row_samples(
    profile: Profile,
    rows: I64Array,
    group_of: I64Array,
    labels: Sequence[str],
    is_hidden: BoolArray | None,
    extra_frames: Sequence[str | None],
) -> Iterator[Sample]:
    """Yields the traces of some rows.

    extra_frames  by row of the profile: an extra innermost frame (such as the allocated class)
    """
    frames = frames_of(labels)
    numbers: dict[str, SampleFrame] = {}
    for row in rows.tolist():
        stack = [
            frames[group_of[number]]
            for number in profile.stacks.of(int(profile.traces[row]))[::-1].tolist()
            if is_hidden is None or not is_hidden[number]
        ]
        extra_frame = extra_frames[row] if len(extra_frames) else None
        if extra_frame is not None:
            stack.append(numbers.setdefault(extra_frame, SampleFrame(len(labels) + len(numbers), extra_frame)))
        yield Sample(tuple(stack), weights_of(profile.values, [int(weight[row]) for weight in profile.weights]))


def node_samples(
    merged: MergedTree, values: Sequence[Value], labels: Sequence[str], nothing: int, is_up: bool, node: int | None
) -> Iterator[Sample]:
    """Yields the weight that ends at each node of a tree with its path; for all nodes, or those through one node.

    nothing  the key of traces without frames
    is_up    True if a node's children are its callers
    """
    frames = frames_of(labels)
    start, stop = (0, merged.count) if node is None else (node, int(merged.end[node]))
    path: list[SampleFrame] = []
    above = int(merged.parent[start]) if merged.count else -1
    while above >= 0:
        path.insert(0, frames[merged.key[above]])
        above = int(merged.parent[above])
    depths, keys = merged.depth[start:stop].tolist(), merged.key[start:stop].tolist()
    own = merged.own[:, start:stop]
    has_own = (own != 0).any(axis=0).tolist()
    for place, (depth, key) in enumerate(zip(depths, keys, strict=True)):
        del path[depth:]
        path.append(frames[key])
        if has_own[place]:
            shown = [frame for frame in path if frame.number != nothing]
            yield Sample(tuple(shown[::-1] if is_up else shown), weights_of(values, own[:, place].tolist()))
