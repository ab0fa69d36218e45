"""Rows of a text tree as the arrays of its graph, from a finished index or from plain code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.graalvm.calls.index.plain import CallCounts
from parsers.formats.graalvm.text.indexed_tree import IndexedTree
from parsers.graph.adjacency import RowColumns
from parsers.graph.graph_algorithms import DECLARES, NONE, ROOT

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.plain_tree import PlainTree
    from parsers.index.store import IndexReader

NO_KIND = 0x7F
"""No row is of this kind."""
ENTRY = 0
"""The kind of entry rows in call trees."""


def rows_of_index(reader: IndexReader) -> RowColumns:
    """Returns the rows of a finished index."""
    tree = IndexedTree(reader)
    assert reader.header is not None
    ids = tree.ids()
    has_id = (ids >= 0 if ids.dtype.kind == "i" else ids != NONE).astype(np.uint8)
    columns = tree.array("thing"), tree.array("depth"), tree.array("kind")
    if reader.header.format == "graalvm-object-tree":
        names = tree.array("thing_name")
        return RowColumns(*columns, has_id, NO_KIND, ROOT, {"type": np.where(has_id, names, NONE).astype(np.uint32)})
    classes, packages = tree.array("class"), tree.array("class_package")
    return RowColumns(*columns, has_id, ENTRY, NONE, groups_of_classes(classes, packages))


def rows_of_plain(tree: PlainTree, is_object_tree: bool = False) -> RowColumns:
    """Returns the rows of a report that plain code has read."""
    scan, vertices = tree.scan, tree.vertices
    kinds = np.array(scan.kinds, np.uint8) | np.where(np.array(scan.declares, bool), DECLARES, 0).astype(np.uint8)
    has_id = (np.array(scan.vertex_ids, np.int64) >= 0).astype(np.uint8)
    columns = np.array(scan.vertices, np.uint32), np.array(scan.depths, np.uint16), kinds
    if is_object_tree:
        names = np.array(scan.vertex_names, np.uint32)
        return RowColumns(*columns, has_id, NO_KIND, ROOT, {"type": np.where(has_id, names, NONE).astype(np.uint32)})
    counts = tree.counts
    assert isinstance(counts, CallCounts)
    classes = np.full(vertices, NONE, np.uint32)
    if counts.vertex_classes:
        classes[np.array(list(counts.vertex_classes), np.int64)] = list(counts.vertex_classes.values())
    return RowColumns(
        *columns, has_id, ENTRY, NONE, groups_of_classes(classes, np.array(counts.class_packages, np.uint32))
    )


def groups_of_classes(classes: Any, class_packages: Any) -> Mapping[str, Any]:
    """Groups of methods by class and by package: uint32 by vertex."""
    has_group = classes != NONE
    packages = np.full(len(classes), NONE, np.uint32)
    packages[has_group] = class_packages[classes[has_group]]
    return {"class": classes, "package": packages}
