"""What refers to what in a report whose rows are a tree with ids and references, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.callgraph import loops
from parsers.callgraph.loops import DECLARES, NONE, ROOT

if TYPE_CHECKING:
    from parsers.graalvm.plain_tree import PlainTree
    from parsers.index.store import Reader

FEW = 20_000
"""Rows that plain code goes through in less time than kernels take to load."""
NO_KIND = 0x7F
"""No row is of this kind."""
ENTRY = 0
"""The kind of entry rows in call trees."""


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
    from parsers.callgraph import loops_kernel

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


def rows_of_index(reader: Reader) -> Rows:
    """Of a finished index."""
    from parsers.graalvm.indexed_tree import IndexedTree

    tree = IndexedTree(reader)
    assert reader.header is not None
    ids = tree.ids()
    has_id = (ids >= 0 if ids.dtype.kind == "i" else ids != NONE).astype(np.uint8)
    columns = tree.array("thing"), tree.array("depth"), tree.array("kind")
    if reader.header.format == "graalvm-object-tree":
        names = tree.array("thing_name")
        return Rows(*columns, has_id, NO_KIND, ROOT, {"type": np.where(has_id, names, NONE).astype(np.uint32)})
    classes, packages = tree.array("class"), tree.array("class_package")
    return Rows(*columns, has_id, ENTRY, NONE, groups_of_classes(classes, packages))


def rows_of_plain(tree: PlainTree, is_object_tree: bool = False) -> Rows:
    """Of a report that plain code has read."""
    scan, things = tree.scan, tree.things
    kinds = np.array(scan.kinds, np.uint8) | np.where(np.array(scan.declares, bool), DECLARES, 0).astype(np.uint8)
    has_id = (np.array(scan.thing_ids, np.int64) >= 0).astype(np.uint8)
    columns = np.array(scan.things, np.uint32), np.array(scan.depths, np.uint16), kinds
    if is_object_tree:
        names = np.array(scan.thing_names, np.uint32)
        return Rows(*columns, has_id, NO_KIND, ROOT, {"type": np.where(has_id, names, NONE).astype(np.uint32)})
    from parsers.graalvm.call_plain import CallCounts

    counts = tree.counts
    assert isinstance(counts, CallCounts)
    classes = np.full(things, NONE, np.uint32)
    if counts.thing_classes:
        classes[np.array(list(counts.thing_classes), np.int64)] = list(counts.thing_classes.values())
    return Rows(*columns, has_id, ENTRY, NONE, groups_of_classes(classes, np.array(counts.class_packages, np.uint32)))


def groups_of_classes(classes: Any, class_packages: Any) -> Mapping[str, Any]:
    """Groups of methods by class and by package: uint32 by thing."""
    known = classes != NONE
    packages = np.full(len(classes), NONE, np.uint32)
    packages[known] = class_packages[classes[known]]
    return {"class": classes, "package": packages}
