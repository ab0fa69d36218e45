"""The table behind the view "Packages": package → class → method as positions, with their content.

It is built once, at the end of indexing, with numpy over whole columns; the view only reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, Numbers, U32Array, U64Array


class PackageMethods(NamedTuple):
    """Methods sorted by class and package, with sums; see `build_packages`."""

    vertices: U32Array
    node_of_vertex: U32Array
    class_first: U32Array
    class_call_sites: U64Array
    package_call_sites: U64Array
    class_weight: U32Array
    package_weight: U32Array


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
    from parsers.kernels.compiled import compiled

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

    def zeros(length: int) -> U32Array:
        return np.zeros(length, np.uint32)

    by_class = PackageMethods(
        vertices=zeros(len(methods)),
        node_of_vertex=np.full(len(class_of_vertex), NONE, np.uint32),
        class_first=zeros(classes + 1),
        class_call_sites=np.zeros(classes, np.uint64),
        package_call_sites=np.zeros(packages, np.uint64),
        class_weight=zeros(classes),
        package_weight=zeros(packages),
    )
    order = np.ascontiguousarray(methods, np.uint32), np.ascontiguousarray(ends, np.int64)
    inputs = (*order, class_of_vertex, rank_of_class, package_of_rank, declaration, call_sites)
    compiled(count_methods)(*inputs, *by_class, zeros(classes), zeros(packages))
    class_first = by_class.class_first
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
        **by_class._asdict(),
    }


def count_methods(
    methods: Numbers, ends: Numbers, class_of_vertex: Numbers, rank_of_class: Numbers, package_of_rank: Numbers,
    declaration: Numbers, call_sites: Numbers, vertices: Numbers, node_of_vertex: Numbers, class_first: Numbers,
    class_call_sites: Numbers, package_call_sites: Numbers, class_weight: Numbers, package_weight: Numbers,
    class_reached: Numbers, package_reached: Numbers,
) -> None:  # fmt: skip
    """Sorts methods by class, and sums their values. For lists or arrays.

    rank_of_class    uint32     by class: its place in the displayed order
    package_of_rank  uint32[c]  by such a place: the place of the package
    class_reached, package_reached  uint32, zero: work arrays

    The rest as for `build_packages`. Subtrees are nested or disjoint: only those are counted that begin after the end
    of all earlier ones of their class.
    """
    for place in range(len(methods)):
        vertex = int(methods[place])
        rank = int(rank_of_class[class_of_vertex[vertex]])
        package = int(package_of_rank[rank])
        class_first[rank + 1] += 1
        class_call_sites[rank] += call_sites[vertex]
        package_call_sites[package] += call_sites[vertex]
        row, end = int(declaration[vertex]), int(ends[place])
        if row >= class_reached[rank]:
            class_reached[rank] = end
            class_weight[rank] += end - row - 1
        if row >= package_reached[package]:
            package_reached[package] = end
            package_weight[package] += end - row - 1
    for rank in range(1, len(class_first)):
        class_first[rank] += class_first[rank - 1]
    for place in range(len(methods)):
        vertex = int(methods[place])
        rank = int(rank_of_class[class_of_vertex[vertex]])
        position = int(class_first[rank])
        class_first[rank] = position + 1
        vertices[position] = vertex
        node_of_vertex[vertex] = position + rank + int(package_of_rank[rank]) + 2
    for rank in range(len(class_first) - 1, 0, -1):
        class_first[rank] = class_first[rank - 1]
    class_first[0] = 0
