"""The predecessor of each object on its shortest path from a root, in arrays, for merging many paths.

Arrays are computed on first use, with a pass over the references. Binary dumps need a pass over the file, too: their
index does not store the field of a reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from parsers.heapdump.graph.columns import CLASS_OBJECT, ELEMENT, LABEL_MASK, ROOT_KINDS
from parsers.heapdump.graph.labels import CLASS_LABEL, ReferenceLabel
from parsers.heapdump.paths.reachability import (
    BY_CLASS,
    FIRST_STEP,
    FROM_ROOT,
    FROM_ROOT_STEP,
    NO_ROW,
    NOT_REACHED,
)
from parsers.index.bitpacked.columns import numbers
from parsers.io.background_task import in_halves
from parsers.model.capability import Capability

if TYPE_CHECKING:
    from parsers.heapdump.graph.object_graph import ObjectGraph
    from parsers.model.arrays import U32Array

PREFERRED = ("Java stack", "JNI global ref", "JNI local ref", "thread", "system class")
"""Kinds of roots, the preferred one first, for objects with roots of several kinds; other kinds are last.

The order is this project's choice. Names of kinds are those that `hprof_io.c` of JDK 8 prints.
"""
OBJECTS = 1 << 20
"""Objects processed in one batch."""
OF_CLASS = 0xFFFF_FFFF
"""As the label of a reference: the step from an object to its class."""
ELEMENTS = ReferenceLabel("element", "[]")


@dataclass(frozen=True, slots=True)
class PathStep:
    """Meaning of a key: a reference of objects of a class, or a kind of roots."""

    root: str = ""
    type: int = -1
    is_class: bool = False
    """True if the holder is a class object, not an instance."""
    label: ReferenceLabel = CLASS_LABEL


class StepsByKey(Protocol):
    """Steps by key; a list, or computed on demand."""

    def __getitem__(self, key: int, /) -> PathStep: ...


@runtime_checkable
class FillsPathSteps(Protocol, metaclass=Capability):
    """A graph whose index does not store the fields of references."""

    def fill_path_steps(self, reached_by: U32Array, holders: U32Array, keys: U32Array) -> tuple[int, StepsByKey]:
        """Fills `holders` and `keys` of objects reached by sites; returns the first key of roots, and the steps."""
        ...


@dataclass(frozen=True, slots=True)
class PathSteps:
    """All paths. See `parsers.heapdump.paths.merged`; `first_root` is the first key of kinds of roots."""

    holders: U32Array
    keys: U32Array
    first_root: int
    steps: StepsByKey
    root_kinds: Sequence[str] = ROOT_KINDS

    @property
    def keys_in_all(self) -> int:
        """Maximum number of keys."""
        return self.first_root + len(self.root_kinds)

    def step(self, key: int) -> PathStep:
        """Returns the step of a key."""
        return PathStep(root=self.root_kinds[key - self.first_root]) if key >= self.first_root else self.steps[key]


def compute_path_steps(graph: ObjectGraph, takes_weak: bool = False) -> PathSteps:
    """Computes the paths of a heap. takes_weak: through weak references, too"""
    reached_by = graph.reached_by_any() if takes_weak else stored_reached_by(graph)
    holders, keys = np.full(graph.objects, NOT_REACHED, np.uint32), np.zeros(graph.objects, np.uint32)
    holders[reached_by == FROM_ROOT] = FROM_ROOT
    fill = graph.fill_path_steps if isinstance(graph, FillsPathSteps) else partial(fill_from_labels, graph)
    first_root, steps = fill(reached_by, holders, keys)
    _put_roots(graph, first_root, keys)
    return PathSteps(holders, keys, first_root, steps, graph.root_kinds)


def stored_reached_by(graph: ObjectGraph) -> U32Array:
    """Returns the path of each object as in `ObjectGraph.reached_by`: uint32."""
    reached_by = np.full(graph.objects, NOT_REACHED, np.uint32)
    steps, firsts = graph.table("object_step"), graph.table("referrer_first")
    referrers = numbers(graph.table("referrer"))

    def fill(low: int, high: int) -> None:
        for start in range(low, high, OBJECTS):
            part = slice(start, min(start + OBJECTS, high))
            step, found = numbers(steps, part).astype(np.int64), reached_by[part]
            found[step == FROM_ROOT_STEP] = FROM_ROOT
            is_reference = (step >= FIRST_STEP) & (step < BY_CLASS)
            first = numbers(firsts, part)[is_reference]
            found[is_reference] = referrers[first + step[is_reference] - FIRST_STEP]
            is_class = step >= BY_CLASS
            found[is_class] = graph.references + step[is_class] - BY_CLASS

    in_halves(graph.objects, fill)
    return reached_by


def _put_roots(graph: ObjectGraph, first_root: int, keys: U32Array) -> None:
    """Sets the keys of objects with roots: the kinds of these roots."""
    kinds, objects = np.asarray(graph.root_column("kind")), np.asarray(graph.root_column("object"))
    all = list(graph.root_kinds)
    others = [kind for kind in all if kind not in PREFERRED]
    for kind in (*reversed(others), *(kind for kind in reversed(PREFERRED) if kind in all)):
        number = all.index(kind)
        led = objects[kinds == number]
        keys[led[led != NO_ROW]] = first_root + number


# -- text -------------------------------------------------------------------------------------------------------------


def fill_from_labels(
    graph: ObjectGraph, reached_by: U32Array, holders: U32Array, keys: U32Array
) -> tuple[int, list[PathStep]]:
    """Fills the arrays from the labels of references in the index."""
    firsts, labels = numbers(graph.table("object_first")), graph.table("reference_label")
    referenced = np.flatnonzero(reached_by < FROM_ROOT)
    sites = reached_by[referenced].astype(np.int64)
    is_class = sites >= graph.references
    owners = np.where(is_class, sites - graph.references, np.searchsorted(firsts, sites, "right") - 1)
    found = np.full(len(referenced), OF_CLASS, np.int64)
    found[~is_class] = numbers(labels, sites[~is_class])
    found[found & LABEL_MASK == ELEMENT] = ELEMENT
    found[is_class] = OF_CLASS
    types = graph.column("type", owners) * 2 + (np.asarray(graph.table("object_kind"))[owners] == CLASS_OBJECT)
    unique_labels, places = np.unique(types << 32 | found, return_inverse=True)
    holders[referenced], keys[referenced] = owners, places
    steps = []
    for each in unique_labels.tolist():
        type, label = each >> 33, each & OF_CLASS
        text = CLASS_LABEL if label == OF_CLASS else ELEMENTS if label == ELEMENT else graph.label_of(label)
        steps.append(PathStep(type=type, is_class=bool(each >> 32 & 1), label=text))
    return len(steps), steps
