"""What refers to what in a report whose rows are a tree with ids and references, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from parsers.graph import graph_algorithms as loops
from parsers.graph.graph_algorithms import ROOT

FEW = 20_000
"""Rows that plain code goes through in less time than kernels take to load."""


class Rows(NamedTuple):
    """What is known of the rows of a report; see `loops.find_owners`."""

    things: Any
    depths: Any
    kinds: Any
    has_id: Any
    entry: int
    outside: int
    groups: Mapping[str, Any]
    """By the name of a grouping: uint32 by thing, NONE for things that are in no group."""

    @property
    def size(self) -> int:
        """How many things there are."""
        return len(self.has_id)


class Edges(NamedTuple):
    """A graph of things."""

    starts: Any
    """uint32[n+1]: where the edges of each thing begin."""
    targets: Any
    """uint32 by edge: what it leads to."""
    rows: Any
    """uint32 by edge: the row that says so."""
    roots: Any
    """uint32: things that are reached from outside, also several times."""
    root_rows: Any
    """uint32: the rows that say so, in the order of the report."""

    @property
    def size(self) -> int:
        """How many things there are."""
        return len(self.starts) - 1


def loops_for(edges: int) -> Any:
    """The loops for a graph of that size: compiled, or as they are."""
    if edges <= FEW:
        return loops
    from parsers.graph import graph_algorithms_kernel as loops_kernel

    return loops_kernel


def find_edges(rows: Rows, run: Any = None) -> Edges:
    """All that refer to a thing with an id, and all roots. run: the loops, by default as it takes least time"""
    run = run or loops_for(len(rows.things))
    owners = np.empty(len(rows.things), np.uint32)
    above = np.empty(int(rows.depths.max(initial=0)) + 2, np.uint32)
    run.find_owners(rows.things, rows.depths, rows.kinds, rows.has_id, rows.entry, rows.outside, above, owners)
    starts = np.zeros(rows.size + 2, np.uint32)
    run.count_owned(owners, starts)
    edges = int(starts[-1])
    targets, rows_of = np.empty(edges, np.uint32), np.empty(edges, np.uint32)
    run.put_owned(owners, rows.things, starts, targets, rows_of)
    root_rows = np.flatnonzero(owners == ROOT).astype(np.uint32)
    return Edges(starts[:-1], targets, rows_of, rows.things[root_rows].astype(np.uint32), root_rows)
