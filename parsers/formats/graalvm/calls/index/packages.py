"""The table behind the view "Packages": package → class → method as positions, with their content.

It is built once, at the end of indexing, with numpy over whole columns; the view only reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.text.group_sums import GroupSums
from parsers.kernels.places import sorted_places
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array


def build_packages(
    class_of_vertex: U32Array, package_of_class: U32Array, declaration: U32Array, call_sites: U32Array,
    package_names: Sequence[bytes], methods: AnyArray, ends: AnyArray,
) -> dict[str, AnyArray]:  # fmt: skip
    """Builds the arrays of the view, by name.

    class_of_vertex      uint32[vertices]  number of the class that declares a method; `NONE` for others
    package_of_class    uint32[classes]   classes and packages are numbered by their first declaration in the file
    declaration         uint32[vertices]  row that declares the method
    call_sites          uint32[vertices]  number of rows that call the method
    package_names       sort keys of the packages
    methods             those with a class, in the order of their declarations
    ends                by such a method: the first row after the subtree of its declaration

    Returns, for m methods, c classes and p packages, n = m + c + p nodes in preorder:

    vertices         uint32[m]     the methods, by package, class and row
    node_of_vertex  uint32[vertices]  node of each method; `NONE` for others
    class_nodes    uint32[c+1]   node of each class; the last one is n
    package_nodes  uint32[p+1]   node of each package; the last one is n
    class_first    uint32[c+1]   first method of each class, in `vertices`
    package_first  uint32[p+1]   first class of each package
    depths         uint16[n]     0, 1, 2 for package, class, method
    class_call_sites, package_call_sites   uint64[c], uint64[p]   sums over their methods
    class_weight, package_weight           uint32[c], uint32[p]   rows below their methods, each row once
    """
    # A class named only by a second declaration of an id has no method, so it is omitted, as is its package.
    used = np.flatnonzero(np.bincount(class_of_vertex[methods], minlength=len(package_of_class)))
    package_numbers = np.flatnonzero(np.bincount(package_of_class[used])) if len(used) else used
    packages, classes = len(package_numbers), len(used)
    by_name = sorted(range(packages), key=[package_names[int(number)] for number in package_numbers].__getitem__)
    rank_of_package = np.zeros(int(package_of_class.max(initial=0)) + 1, np.uint32)
    rank_of_package[package_numbers[by_name]] = np.arange(packages, dtype=np.uint32)
    package_rank = rank_of_package[package_of_class[used]]
    class_order = np.argsort(package_rank, kind="stable")
    rank_of_class = np.zeros(len(package_of_class), np.uint32)
    rank_of_class[used[class_order]] = np.arange(classes, dtype=np.uint32)

    package_of_rank = package_rank[class_order].astype(np.uint32)
    class_of_method = rank_of_class[class_of_vertex[methods]]
    package_of_method = package_of_rank[class_of_method]
    values = [each.astype(np.int64) for each in (declaration[methods], ends, call_sites[methods])]
    by_class, by_package = GroupSums(classes), GroupSums(packages)
    by_class.add(class_of_method, *values)
    by_package.add(package_of_method, *values)
    class_first, order = sorted_places(class_of_method, classes)
    vertices = methods[order].astype(np.uint32)
    node_of_vertex = np.full(len(class_of_vertex), NONE, np.uint32)
    node_of_vertex[vertices] = np.arange(len(methods)) + class_of_method[order] + package_of_method[order] + 2
    package_first = np.searchsorted(package_of_rank, np.arange(packages + 1)).astype(np.uint32)
    nodes = len(methods) + classes + packages
    class_nodes = np.append(np.arange(classes) + class_first[:-1] + package_of_rank.astype(np.int64) + 1, nodes)
    package_nodes = (np.arange(packages + 1) + package_first + class_first[package_first]).astype(np.uint32)
    class_nodes = class_nodes.astype(np.uint32)
    depths = np.full(nodes, 2, np.uint16)
    depths[class_nodes[:-1]] = 1
    depths[package_nodes[:-1]] = 0
    return {
        "class_nodes": class_nodes,
        "package_nodes": package_nodes,
        "package_first": package_first,
        "depths": depths,
        "vertices": vertices,
        "node_of_vertex": node_of_vertex,
        "class_first": class_first,
        "class_call_sites": by_class.counts.astype(np.uint64),
        "package_call_sites": by_package.counts.astype(np.uint64),
        "class_weight": by_class.below.astype(np.uint32),
        "package_weight": by_package.below.astype(np.uint32),
    }
