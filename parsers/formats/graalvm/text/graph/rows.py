"""Rows of a text tree as the arrays of its graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.text.indexed_tree import IndexedTree
from parsers.graph.adjacency import RowColumns, row_owners
from parsers.graph.graph_algorithms import ROOT
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.index.store import IndexReader
    from parsers.model.arrays import U32Array

NO_KIND = 0x7F
"""No row is of this kind."""
ENTRY = 0
"""The kind of entry rows in call trees."""


def rows_of_index(reader: IndexReader) -> RowColumns:
    """Returns the rows of a finished index."""
    assert reader.header is not None
    return rows_of(IndexedTree(reader), reader.header.format == "graalvm-object-tree")


def rows_of(tree: IndexedTree, is_object_tree: bool) -> RowColumns:
    """Returns the rows of a tree."""
    has_id = (tree.ids() >= 0).astype(np.uint8)
    columns = tree.array("vertex"), tree.array("depth"), tree.array("kind")
    if is_object_tree:
        names = tree.array("vertex_name")
        return RowColumns(*columns, has_id, NO_KIND, ROOT, {"type": np.where(has_id, names, NONE).astype(np.uint32)})
    classes, packages = tree.array("class"), tree.array("class_package")
    return RowColumns(*columns, has_id, ENTRY, NONE, groups_of_classes(classes, packages))


def owners_of_rows(tree: IndexedTree, vertices: U32Array, entry: int, outside: int) -> U32Array:
    """Returns by row the vertex of the nearest ancestor that declares an id, even if the row's own vertex has none.

    vertices  uint32 by row; for NONE the result is NONE
    entry     kind of rows for which the result is ROOT; outside: result for rows without such an ancestor
    """
    has_id = np.ones(max(tree.vertices, 1), np.uint8)
    return row_owners(RowColumns(vertices, tree.array("depth"), tree.array("kind"), has_id, entry, outside, {}))


def groups_of_classes(classes: U32Array, class_packages: U32Array) -> Mapping[str, U32Array]:
    """Groups of methods by class and by package: uint32 by vertex."""
    has_group = classes != NONE
    packages = np.full(len(classes), NONE, np.uint32)
    packages[has_group] = class_packages[classes[has_group]]
    return {"class": classes, "package": packages}
