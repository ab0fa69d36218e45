"""The references of a report as a graph in arrays. The report's rows are a tree with ids and references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.graph import graph_algorithms
from parsers.graph.graph_algorithms import ROOT
from parsers.kernels.compiled import CompiledFunctions
from parsers.kernels.places import sorted_places

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array, U16Array, U32Array

ALGORITHMS = CompiledFunctions(graph_algorithms)


class RowColumns(NamedTuple):
    """Rows of a report, as columns; see `graph_algorithms.find_owners`."""

    vertices: U32Array
    depths: U16Array
    kinds: U8Array
    has_id: U8Array
    entry: int
    outside: int
    groups: Mapping[str, U32Array]
    """By name of a grouping: uint32 by vertex, NONE for vertices without a group."""

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.has_id)


class Edges(NamedTuple):
    """A graph in arrays, as adjacency lists."""

    starts: U32Array
    """uint32[n+1]: first edge of each vertex."""
    targets: U32Array
    """uint32 by edge: target vertex."""
    rows: U32Array
    """uint32 by edge: the row of the report that contains the edge."""
    roots: U32Array
    """uint32: vertices that are entry points; may repeat."""
    root_rows: U32Array
    """uint32: the row of each root, in the order of the report."""

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.starts) - 1

    @property
    def sources(self) -> U32Array:
        """uint32 by edge: source vertex; computed each time."""
        starts = self.starts.astype(np.int64)
        return np.repeat(np.arange(self.size, dtype=np.uint32), starts[1:] - starts[:-1])


def row_owners(rows: RowColumns) -> U32Array:
    """Returns the source of each row's reference, as `graph_algorithms.find_owners`: uint32 by row."""
    owners = np.empty(len(rows.vertices), np.uint32)
    above = np.empty(int(rows.depths.max(initial=0)) + 2, np.uint32)
    ALGORITHMS.find_owners(rows.vertices, rows.depths, rows.kinds, rows.has_id, rows.entry, rows.outside, above, owners)
    return owners


def find_edges(rows: RowColumns) -> Edges:
    """Builds the graph of all references to ids, with all roots."""
    owners = row_owners(rows)
    starts, rows_of = sorted_places(owners, rows.size)
    root_rows = np.flatnonzero(owners == ROOT).astype(np.uint32)
    targets, roots = (rows.vertices[each].astype(np.uint32, copy=False) for each in (rows_of, root_rows))
    return Edges(starts, targets, rows_of, roots, root_rows)
