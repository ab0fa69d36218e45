"""Dominators and retained sizes. The owner of the arrays decides where they are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.graph.dominator_tree import semi_nca
from parsers.graph.dominator_tree.semi_nca import NOT_REACHED
from parsers.index.scratch import Scratch, anonymous
from parsers.kernels.compiled import CompiledFunctions
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U32Array

COMPILED = CompiledFunctions(semi_nca)


class Dominators(NamedTuple):
    """Result of `find_dominators`."""

    dominators: U32Array
    """uint32 by object: NOT_REACHED for unreachable objects, or ROOTS."""
    retained: I64Array
    """int64 by object: retained size, in the unit of the sizes."""
    reachable: int
    """Number of reachable objects."""
    size: int
    """Their size, in the same unit."""
    retained_counts: I64Array | None = None
    """int64 by object: number of objects it dominates, itself included; None unless requested."""


def find_dominators(
    firsts: U32Array, targets: U32Array, classes: U32Array, types: U32Array, roots: U32Array, sizes: U32Array,
    scratch: Scratch = anonymous, report_progress: Callable[[float], object] = lambda share: None,
    counts_objects: bool = False,
) -> Dominators:  # fmt: skip
    """Computes dominators and retained sizes. Tables are freed as soon as possible, for use by later ones.

    classes  uint32 by type: the class object that its instances refer to, NOT_REACHED for none
    sizes    uint32[n], in any unit; retained sizes have the same
    report_progress called with the progress, from 0 to 1
    counts_objects  True computes `retained_counts`
    """
    count = len(types)
    roots = distinct(roots[roots != NOT_REACHED]).astype(np.uint32)
    # References to roots can be ignored: no single object dominates a root.
    classes = np.where(np.isin(classes, roots), NOT_REACHED, classes).astype(np.uint32)
    numbers, visited, cursors = (scratch(name, "u4", count + 1) for name in ("numbers", "met", "cursors"))
    # Later tables reuse the memory of finished ones: allocating new memory costs more than all the loops.
    halves = scratch("halves", "i8", count + 3)
    parents, starts = _halves(halves, count + 3)
    left, most = scratch("left", "i8", 1), len(targets) + count + 1
    other_targets, other_sources = (scratch(name, "u4", most) for name in ("other_targets", "other_sources"))
    total = COMPILED.walk(
        firsts, targets, classes, types, roots, numbers, visited, parents, cursors, other_targets, other_sources, left
    )
    others = int(left[0])
    report_progress(0.3)
    if others > NOT_REACHED:
        raise OverflowError("more references than 32 bits can number")
    starts = starts[: total + 3]
    COMPILED.count_others(other_targets, others, starts)
    COMPILED.add_up(starts)
    sources = scratch("sources", "u4", others + 1)
    COMPILED.place_others(other_targets, other_sources, others, starts, sources)
    report_progress(0.5)
    del other_targets, other_sources
    sums = scratch("forest", "i8", total + 1)
    above = numbers
    COMPILED.dominate(parents, starts, sources, _numbers(sums), cursors, above, total)
    report_progress(0.9)
    COMPILED.retain(visited, above, sizes, sums, total)
    dominators, retained = cursors[:count], halves[:count]
    COMPILED.store_by_object(visited, above, sums, dominators, retained, total)
    found = Dominators(dominators, retained, total, int(sums[0]))
    if counts_objects:
        counts = scratch("held", "i8", count)
        COMPILED.retain(visited, above, np.ones(count, np.uint32), sums, total)
        COMPILED.store_by_object(visited, above, sums, dominators, counts, total)
        found = found._replace(retained_counts=counts)
    report_progress(1.0)
    return found


def _numbers(table: I64Array) -> U32Array:
    """Returns a table of int64 as one of uint32, which has twice as many."""
    return table.view(np.uint32)


def _halves(table: I64Array, count: int) -> tuple[U32Array, U32Array]:
    """Returns two tables of uint32 in the memory of one of int64."""
    numbers = _numbers(table)
    return numbers[:count], numbers[count:]
