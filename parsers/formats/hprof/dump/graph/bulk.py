"""Bulk reader for fields of many instances of a binary dump: reference targets by field name.

Neighbouring instances of the file are read together, so that a million of them takes about a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.dump.read.values import FORMATS
from parsers.formats.hprof.dump.records.tags import OBJECT
from parsers.heapdump.graph.elements import NULL
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.formats.hprof.dump.read.instance import InstanceLayout
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U8Array

NEAR = 1 << 18
"""Most bytes between two instances that are read together."""
PIECE = 1 << 20
"""Arrays whose lengths are read at a time."""
MOST_READ = 1 << 20
"""Most bytes read at a time."""


def references_by_name(graph: DumpGraph, objects: I64Array, names: Sequence[str]) -> list[I64Array]:
    """Returns, for each name, the targets of the fields with it: int64[objects], NULL if there is no such field.

    objects  int64[], instances
    """
    found = [np.full(len(objects), NULL, np.int64) for _ in names]
    types = graph.column("type", objects)
    for type in distinct(types).tolist():
        chosen = np.flatnonzero(types == type)
        layout = graph.layout(type)
        is_there = present_references(graph, objects[chosen], layout)
        firsts = graph.column("first", objects[chosen]).astype(np.int64)
        for name, filled in zip(names, found, strict=True):
            place = layout.named("").get(name)
            if place is not None and place.offset in layout.references:
                at = place.references_before
                sites = firsts + is_there[:, :at].sum(axis=1)
                rows = np.flatnonzero(is_there[:, at])
                filled[chosen[rows]] = graph.targets(sites[rows])
    return found


def present_references(graph: DumpGraph, objects: I64Array, layout: InstanceLayout) -> BoolArray:
    """Returns which reference fields of instances of one class are not null: bool[objects, references]."""
    head, size = 1 + 2 * graph.id_size + 8, graph.id_size
    width = head + layout.size
    found = np.zeros((len(objects), len(layout.references)), np.bool_)
    for chosen, rows in near(graph.read, graph.column("offset", objects).astype(np.int64), width):
        lengths = rows[:, head - 4 : head].copy().view(">u4").ravel()
        for place, offset in enumerate(layout.references):
            # A field beyond the end of a truncated instance counts as null.
            is_whole = lengths >= offset + size
            found[chosen, place] = rows[:, head + offset :][:, :size].any(axis=1) & is_whole
    return found


def values_by_name(
    graph: DumpGraph, objects: I64Array, known: str, names: Sequence[str]
) -> tuple[I64Array, list[AnyArray]]:
    """Returns values of primitive fields of instances of one class; empty if the class lacks any of them.

    objects  int64[]
    known    the superclass that declares these fields, or their own class
    returns  which of the objects are long enough to have them all, and for each name the values of these
    """
    layout = graph.layout(int(graph.column("type", objects[:1])[0])).named(known) if len(objects) else {}
    places = [place for name in names if (place := layout.get(name)) is not None and place.type != OBJECT]
    if len(places) < len(names):
        return np.empty(0, np.int64), [np.empty(0, np.int64) for _ in names]
    head = 1 + 2 * graph.id_size + 8
    end = max(place.offset + place.width for place in places)
    chosen, parts = [], []
    for rows, data in near(graph.read, graph.column("offset", objects).astype(np.int64), head + end):
        is_whole = data[:, head - 4 : head].copy().view(">u4").ravel() >= end
        chosen.append(rows[is_whole])
        values = data[is_whole, head:]
        slices = [(slice(place.offset, place.offset + place.width), f">{FORMATS[place.type]}") for place in places]
        parts.append([values[:, columns].copy().view(code).ravel() for columns, code in slices])
    return np.concatenate(chosen), [np.concatenate(each) for each in zip(*parts, strict=True)]


def lengths_of(graph: DumpGraph, objects: I64Array) -> I64Array:
    """Returns the number of elements of each array: int64[]."""
    found = np.zeros(len(objects), np.int64)
    for start in range(0, len(objects), PIECE):
        part = objects[start : start + PIECE]
        # Tag, id, trace, length.
        for rows, data in near(graph.read, graph.column("offset", part).astype(np.int64) + 5 + graph.id_size, 4):
            found[start + rows] = data.view(">u4").ravel()
    return found


def near(read: Read, offsets: I64Array, width: int) -> Iterator[tuple[I64Array, U8Array]]:
    """Yields `width` bytes at some offsets: the indices, and uint8[indices, width]; close offsets are read together."""
    order = np.argsort(offsets, kind="stable")
    placed, start = offsets[order], 0
    gaps = np.flatnonzero(np.diff(placed) > NEAR + width) + 1
    for stop in [*gaps.tolist(), len(placed)]:
        while start < stop:
            end = min(max(int(np.searchsorted(placed, placed[start] + MOST_READ, "right")), start + 1), stop)
            first = int(placed[start])
            length = int(placed[end - 1]) - first + width
            data = np.frombuffer(read(length, first).ljust(length, b"\0"), np.uint8)
            yield order[start:end], sliding_window_view(data, width)[placed[start:end] - first]
            start = end
