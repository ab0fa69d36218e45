"""By object of a heap what holds it: the step before it on its shortest way from a root, in arrays, for ways of many.

Arrays are made when they are first asked for, with a pass over the references; of a binary dump over the file, too: its
index doesn't have which field a reference is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hprof.columns import CLASS_OBJECT, ELEMENT, LABEL_MASK, ROOT_KINDS
from parsers.formats.hprof.dump.read.references import reference_fields
from parsers.heapdump.graph.object_graph import Label
from parsers.heapdump.graph.text_dump_graph import CLASS_LABEL, RecordedGraph
from parsers.heapdump.paths import merged
from parsers.heapdump.paths.reachability import (
    BY_CLASS,
    FIRST_STEP,
    FROM_ROOT,
    FROM_ROOT_STEP,
    NO_ROW,
    NOT_REACHED,
    ways_of,
)
from parsers.index.bitpacked.columns import numbers
from parsers.io.background_task import in_halves

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph

PREFERRED = ("Java stack", "JNI global ref", "JNI local ref", "thread", "system class")
"""Of several kinds of roots that lead to an object the first of these is the one that is told.

Source: format page of binary HPROF, section 4.2.
"""
PIECE = 4 << 20
"""Bytes of the file that are read at a time."""
OBJECTS = 1 << 20
"""Objects that are looked at at a time."""
OF_CLASS = 0xFFFF_FFFF
"""In place of the label of a reference: the step from an object to its class."""
ELEMENTS = Label("element", "[]")


@dataclass(frozen=True, slots=True)
class Step:
    """What a key stands for: a reference of objects of a class, or a kind of roots."""

    root: str = ""
    type: int = -1
    is_class: bool = False
    """Whether the holder is the object of a class, not an instance of it."""
    label: Label = CLASS_LABEL


@dataclass(frozen=True, slots=True)
class Held:
    """All ways. See `parsers.heapdump.paths.merged`; `first_root` is the first key of kinds of roots."""

    holders: Any
    keys: Any
    first_root: int
    steps: Sequence[Step] | Steps
    root_kinds: Sequence[str] = ROOT_KINDS

    @property
    def keys_in_all(self) -> int:
        """How many there may be."""
        return self.first_root + len(self.root_kinds)

    def step(self, key: int) -> Step:
        """What a key stands for."""
        return Step(root=self.root_kinds[key - self.first_root]) if key >= self.first_root else self.steps[key]


def held_of(graph: RecordedGraph, takes_weak: bool = False) -> Held:
    """The ways of a heap. takes_weak: those through references that keep nothing alive, too"""
    ways = all_ways(graph) if takes_weak else known_ways(graph)
    holders, keys = np.full(graph.objects, NOT_REACHED, np.uint32), np.zeros(graph.objects, np.uint32)
    holders[ways == FROM_ROOT] = FROM_ROOT
    first_root, steps = graph.fill_held(ways, holders, keys)
    _put_roots(graph, first_root, keys)
    return Held(holders, keys, first_root, steps, graph.root_kinds)


def known_ways(graph: RecordedGraph) -> Any:
    """uint32 by object: its way as `ObjectGraph.way` has it."""
    ways = np.full(graph.objects, NOT_REACHED, np.uint32)
    steps, firsts = graph.table("object_step"), graph.table("referrer_first")
    referrers = numbers(graph.table("referrer"))

    def fill(low: int, high: int) -> None:
        for start in range(low, high, OBJECTS):
            part = slice(start, min(start + OBJECTS, high))
            step, found = numbers(steps, part).astype(np.int64), ways[part]
            found[step == FROM_ROOT_STEP] = FROM_ROOT
            is_reference = (step >= FIRST_STEP) & (step < BY_CLASS)
            first = numbers(firsts, part)[is_reference]
            found[is_reference] = referrers[first + step[is_reference] - FIRST_STEP]
            is_class = step >= BY_CLASS
            found[is_class] = graph.references + step[is_class] - BY_CLASS

    in_halves(graph.objects, fill)
    return ways


def all_ways(graph: RecordedGraph) -> Any:
    """The same of the ways through any references."""
    types, kinds = numbers(graph.table("object_class")), np.asarray(graph.table("object_kind"))
    rows, roots = [], []
    for dump in graph.dumps:
        of = np.full(graph.types, NO_ROW, np.uint32)
        classes = np.flatnonzero(kinds[dump.objects.start : dump.objects.stop] == CLASS_OBJECT) + dump.objects.start
        of[types[classes]] = classes
        rows.append(of)
        roots.append(np.asarray(graph.root_column("object"))[dump.roots.start : dump.roots.stop])
    return ways_of(
        numbers(graph.table("object_first")), np.asarray(graph.table("reference_target")), types, rows, roots
    )


def _put_roots(graph: RecordedGraph, first_root: int, keys: Any) -> None:
    """The keys of what roots lead to: their kinds."""
    kinds, objects = np.asarray(graph.root_column("kind")), np.asarray(graph.root_column("object"))
    all = list(graph.root_kinds)
    others = [kind for kind in all if kind not in PREFERRED]
    for kind in (*reversed(others), *(kind for kind in reversed(PREFERRED) if kind in all)):
        number = all.index(kind)
        led = objects[kinds == number]
        keys[led[led != NO_ROW]] = first_root + number


# -- text -------------------------------------------------------------------------------------------------------------


def fill_from_labels(graph: RecordedGraph, ways: Any, holders: Any, keys: Any) -> tuple[int, list[Step]]:
    """Where the labels of references are in the index."""
    firsts, labels = numbers(graph.table("object_first")), graph.table("reference_label")
    held = np.flatnonzero(ways < FROM_ROOT)
    sites = ways[held].astype(np.int64)
    is_class = sites >= graph.references
    owners = np.where(is_class, sites - graph.references, np.searchsorted(firsts, sites, "right") - 1)
    found = np.full(len(held), OF_CLASS, np.int64)
    found[~is_class] = numbers(labels, sites[~is_class])
    found[found & LABEL_MASK == ELEMENT] = ELEMENT
    found[is_class] = OF_CLASS
    types = graph.column("type", owners) * 2 + (np.asarray(graph.table("object_kind"))[owners] == CLASS_OBJECT)
    met, places = np.unique(types << 32 | found, return_inverse=True)
    holders[held], keys[held] = owners, places
    steps = []
    for each in met.tolist():
        type, label = each >> 33, each & OF_CLASS
        text = CLASS_LABEL if label == OF_CLASS else ELEMENTS if label == ELEMENT else graph.label_of(label)
        steps.append(Step(type=type, is_class=bool(each >> 32 & 1), label=text))
    return len(steps), steps


# -- binary dumps -----------------------------------------------------------------------------------------------------

MOST_PLACES = 1 << 21
"""References of instances that are told apart by their fields, of all classes together: each class of a long chain has
those of all above it."""


class Steps:
    """Steps by key, described when they are asked for."""

    def __init__(self, graph: DumpGraph, bases: Any) -> None:
        self._graph = graph
        self._bases = bases

    def __getitem__(self, key: int) -> Step:
        entry = int(np.searchsorted(self._bases, key, "right")) - 1
        type, is_class, number = entry // 2, bool(entry % 2), key - int(self._bases[entry])
        return Step(type=type, is_class=is_class, label=self._label(type, is_class, number, entry))

    def _label(self, type: int, is_class: bool, number: int, entry: int) -> Label:
        graph = self._graph
        if is_class:
            of = graph.class_object(type, graph.dumps[0])
            return graph.label(graph.sites(of)[number])
        if number == int(self._bases[entry + 1]) - int(self._bases[entry]) - 1:
            return CLASS_LABEL
        names = graph.reference_names(type)
        return Label("field", names[number]) if names else ELEMENTS


def fill_from_file(graph: DumpGraph, ways: Any, holders: Any, keys: Any) -> tuple[int, Steps]:
    """Where the fields of references have to be looked for in the file."""
    places, left = list[list[int]](), MOST_PLACES
    for id in graph.type_ids:
        places.append(reference_fields(id, graph.classes, graph.id_size)[:left] if left else [])
        left -= len(places[-1])
    bases = _bases(graph, places)
    fields = np.zeros(len(places) + 1, np.uint32)
    fields[1:] = np.cumsum([len(each) for each in places])
    joined = np.array([place for each in places for place in each], np.uint32)
    work = _Plain(ways, holders, keys) if graph.objects <= merged.FEW else _Compiled(ways, holders, keys)
    # Packed or not, kernels take arrays that are not to be written to for others.
    targets = numbers(graph.table("reference_target")).view()
    targets.flags.writeable = False
    work.take(graph, _pieces(graph), work.all(targets, fields, joined, bases))
    by_class = np.flatnonzero((ways >= graph.references) & (ways < FROM_ROOT))
    owners = ways[by_class].astype(np.int64) - graph.references
    holders[by_class] = owners
    keys[by_class] = bases[2 * graph.column("type", owners) + 1] - 1
    return int(bases[-1]), Steps(graph, bases)


class _Compiled:
    """The loop over pieces of the file, by a kernel in two threads."""

    def __init__(self, ways: Any, holders: Any, keys: Any) -> None:
        from parsers.heapdump.paths.merged_kernel import hold

        self._hold, self._filled = hold, (ways, holders, keys)

    def all(self, *arrays: Any) -> Any:
        """Arrays as the loop takes them."""
        return arrays

    def piece(self, data: bytes) -> Any:
        """A piece of the file."""
        return np.frombuffer(data, np.uint8)

    def take(self, graph: DumpGraph, pieces: Sequence[tuple[int, int, int]], arrays: Any) -> None:
        """Looks through all pieces."""
        in_halves(len(pieces), lambda low, high: self._take(graph, pieces[low:high], arrays))

    def _take(self, graph: DumpGraph, pieces: Sequence[tuple[int, int, int]], arrays: Any) -> None:
        targets, fields, places, bases = arrays
        ways, holders, keys = self._filled
        kinds = np.asarray(graph.table("object_kind"))
        for start, stop, count in pieces:
            part = slice(start, stop)
            offsets = numbers(graph.table("object_offset"), part).astype(np.int64)
            # Copies: what is not packed is a part of a file that can't be written to, for which kernels are others.
            types = numbers(graph.table("object_class"), part).copy()
            firsts = numbers(graph.table("object_first"), slice(start, stop + 1)).copy()
            data = self.piece(graph.pread(count, int(offsets[0])))
            in_piece, of, kind, first = self.all(offsets - offsets[0], types, kinds[part].copy(), firsts)
            self._hold(
                data, in_piece, start, kind, of, graph.id_size, first, targets, ways, fields, places, bases, holders,
                keys,
            )  # fmt: skip


class _Plain(_Compiled):
    """The same by plain code, over lists."""

    def __init__(self, ways: Any, holders: Any, keys: Any) -> None:
        self._hold, self._arrays = merged.hold, (holders, keys)
        self._filled = (ways.tolist(), holders.tolist(), keys.tolist())

    def all(self, *arrays: Any) -> Any:
        return [array.tolist() for array in arrays]

    def piece(self, data: bytes) -> Any:
        return data

    def take(self, graph: DumpGraph, pieces: Sequence[tuple[int, int, int]], arrays: Any) -> None:
        self._take(graph, pieces, arrays)
        for array, filled in zip(self._arrays, self._filled[1:], strict=True):
            array[:] = filled


def _bases(graph: DumpGraph, places: Sequence[Sequence[int]]) -> Any:
    """The first key of the instances (or arrays) of each type, and of its class; behind them the first of roots.

    The last key of instances is the step from one to its class.
    """
    widths = np.zeros(2 * len(places), np.int64)
    widths[::2] = [max(len(each), 1) + 1 for each in places]
    kinds = np.asarray(graph.table("object_kind"))
    classes = np.flatnonzero(kinds == CLASS_OBJECT)
    types = graph.column("type", classes)
    np.maximum.at(widths, 2 * types + 1, graph.column("references", classes))
    return np.concatenate([[0], np.cumsum(widths)]).astype(np.uint32)


def _pieces(graph: DumpGraph) -> list[tuple[int, int, int]]:
    """Objects from, to, and the bytes of the file that are needed of them; large arrays stand alone, with few."""
    found, at, offsets = [], 0, graph.table("object_offset")
    while at < graph.objects:
        near = numbers(offsets, slice(at, at + OBJECTS // 8))
        start = int(near[0])
        stop = int(np.searchsorted(near, start + PIECE))
        end = graph.offset(at + stop) if at + stop < graph.objects else start + 2 * PIECE
        found.append((at, at + stop, min(end - start, 2 * PIECE) if stop > 1 or end - start <= PIECE else 64))
        at += stop
    return found
