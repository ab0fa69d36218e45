"""Dominators and retained sizes by kernels. The owner of the arrays decides where they are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsers.graph.dominator_tree.kernel import (
    NONE,
    add_up,
    count_others,
    dominate,
    place_others,
    retain,
    store_by_object,
    walk,
)
from parsers.index.scratch import Scratch, anonymous
from parsers.model.distinct import distinct


class Dominators(NamedTuple):
    """Result of `find_dominators`."""

    dominators: Any
    """uint32 by object: NONE for unreachable objects, or FROM_ROOTS."""
    retained: Any
    """int64 by object: retained size in bytes."""
    reachable: int
    bytes: int
    retained_counts: Any = None
    """int64 by object: number of objects it dominates, itself included; None unless requested."""


def find_dominators(
    firsts: Any, targets: Any, classes: Any, types: Any, roots: Any, sizes: Any, unit: int,
    scratch: Scratch = anonymous, report_progress: Callable[[float], object] = lambda share: None,
    counts_objects: bool = False,
) -> Dominators:  # fmt: skip
    """Computes dominators and retained sizes. Tables are freed as soon as possible, for use by later ones.

    classes  uint32 by type: the class object that its instances refer to, NONE for none
    sizes    uint32[n], in multiples of `unit` bytes
    report_progress     called with the progress, from 0 to 1
    counts_objects  True computes `retained_counts`
    """
    count = len(types)
    roots = distinct(roots[roots != NONE]).astype(np.uint32)
    # References to roots can be ignored: no single object dominates a root.
    classes = np.where(np.isin(classes, roots), NONE, classes).astype(np.uint32)
    numbers, visited, cursors = (scratch(name, "u4", count + 1) for name in ("numbers", "met", "cursors"))
    # Later tables reuse the memory of finished ones: allocating new memory costs more than all the loops.
    halves = scratch("halves", "i8", count + 3)
    parents, starts = halves.view(np.uint32)[: count + 3], halves.view(np.uint32)[count + 3 :]
    others, left = scratch("others", "u8", len(targets) + count + 1), np.zeros(1, np.int64)
    total = walk(firsts, targets, classes, types, roots, numbers, visited, parents, cursors, others, left)
    report_progress(0.3)
    if int(left[0]) > NONE:
        raise OverflowError("more references than 32 bits can number")
    others, starts = others[: int(left[0])], starts[: total + 3]
    count_others(others, starts)
    add_up(starts)
    sources = scratch("sources", "u4", len(others) + 1)
    place_others(others, starts, sources)
    report_progress(0.5)
    del others
    sums = scratch("forest", "i8", total + 1)
    above = numbers
    dominate(parents, starts, sources, sums.view(np.uint32).reshape(-1, 2), cursors, above, total)
    report_progress(0.9)
    retain(visited, above, sizes, sums, total)
    dominators, retained = cursors[:count], halves[:count]
    dominators[:] = NONE
    retained[:] = 0
    store_by_object(visited, above, sums, dominators, retained, total, unit)
    found = Dominators(dominators, retained, total, int(sums[0]) * unit)
    if counts_objects:
        retained_counts = scratch("held", "i8", count)
        retain(visited, above, np.ones(count, np.uint32), sums, total)
        store_by_object(visited, above, sums, dominators, retained_counts, total, 1)
        found = found._replace(retained_counts=retained_counts)
    report_progress(1.0)
    return found
