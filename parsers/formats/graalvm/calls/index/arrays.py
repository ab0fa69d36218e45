"""Arrays that only a call tree has, from a tree that plain code has read. Twin of those that `build` saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.packages import build_packages
from parsers.formats.graalvm.calls.index.plain import CallCounts
from parsers.formats.graalvm.calls.index.row import UNCALLED
from parsers.formats.graalvm.text.columns import small_numbers
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray


def call_arrays(tree: PlainTree) -> dict[str, AnyArray]:
    """Classes of methods, packages of classes, the arrays of the view "Packages", distances from an entry, call sites.

    Call sites are those of methods with an id only.
    """
    scan, counts = tree.scan, tree.counts
    vertices = np.array(scan.vertices, np.uint32)
    is_call = (vertices != NONE) & ~np.isin(np.array(scan.kinds, np.uint8), UNCALLED)
    sites = np.bincount(vertices[is_call], minlength=tree.vertices).astype(np.uint32)
    sites[np.array(scan.vertex_ids, np.int64) < 0] = 0
    assert isinstance(counts, CallCounts)
    classes = np.full(tree.vertices, NONE, np.uint32)
    if counts.vertex_classes:
        classes[np.array(list(counts.vertex_classes), np.int64)] = list(counts.vertex_classes.values())
    class_packages = np.array(counts.class_packages, np.uint32)
    declarations = np.array(scan.declarations, np.uint32)
    methods = np.flatnonzero(classes != NONE)
    methods = methods[np.argsort(declarations[methods])]
    ends = np.array(scan.ends, np.int64)[declarations[methods]]
    packages = build_packages(classes, class_packages, declarations, sites, list(counts.packages), methods, ends)
    return {
        "class": classes,
        "class_package": class_packages,
        "distance": small_numbers(np.array([NONE if d is None else d for d in tree.distances], np.uint32)),
        "call_sites": sites,
        **{f"packages.{name}": values for name, values in packages.items()},
    }
