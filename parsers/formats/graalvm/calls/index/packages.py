"""The table behind the view "Packages": package → class → method as positions, with their content.

It is built once, at the end of indexing, with numpy over whole columns; the view only reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parsers.model.arrays import U32Array

NONE = 0xFFFFFFFF
"""Class of a method that no known row declares."""


class PackageMethods(NamedTuple):
    """Methods sorted by class and package, with sums; see `build_packages`."""

    vertices: NDArray[Any]
    node_of_vertex: NDArray[Any]
    class_first: NDArray[Any]
    class_call_sites: NDArray[Any]
    package_call_sites: NDArray[Any]
    class_weight: NDArray[Any]
    package_weight: NDArray[Any]


Count = Callable[..., PackageMethods]
"""`count_methods`, or an equivalent."""


def build_packages(
    class_of_vertex: NDArray[np.uint32], package_of_class: NDArray[np.uint32], declaration: NDArray[np.uint32],
    end_of_declaration: NDArray[Any], call_sites: NDArray[np.uint32],
    package_names: Sequence[bytes] | None = None, methods: NDArray[np.uint32] | None = None, count: Count | None = None,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """Builds the arrays of the view, by name.

    class_of_vertex      uint32[vertices]  number of the class that declares a method; `NONE` for others
    package_of_class    uint32[classes]   classes and packages are numbered by their first declaration in the file
    declaration         uint32[vertices]  row that declares the method
    end_of_declaration  uint32[vertices]  first row after the subtree of that row
    call_sites          uint32[vertices]  number of rows that call the method
    package_names       sort keys of the packages; without it they are in file order
    methods             those with a class in the order of their declarations, if known
    count               `count_methods` or a faster equivalent

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
    import numpy as np

    found: Any = methods
    if found is None:
        found = np.flatnonzero(class_of_vertex != NONE)
        found = found[np.argsort(declaration[found])]
    # A class named only by a second declaration of an id has no method, so it is omitted, as is its package.
    used = np.flatnonzero(np.bincount(class_of_vertex[found], minlength=len(package_of_class)))
    package_numbers = np.flatnonzero(np.bincount(package_of_class[used])) if len(used) else used
    packages, classes = len(package_numbers), len(used)
    by_name = list(range(packages))
    if package_names is not None:
        by_name.sort(key=[package_names[int(number)] for number in package_numbers].__getitem__)
    rank_of_package = np.zeros(int(package_of_class.max(initial=0)) + 1, np.uint32)
    rank_of_package[package_numbers[by_name]] = np.arange(packages, dtype=np.uint32)
    package_rank = rank_of_package[package_of_class[used]]
    class_order = np.argsort(package_rank, kind="stable")
    rank_of_class = np.zeros(len(package_of_class), np.uint32)
    rank_of_class[used[class_order]] = np.arange(classes, dtype=np.uint32)

    package_of_rank = package_rank[class_order].astype(np.uint32)

    by_class = (count or count_methods)(
        found, class_of_vertex, rank_of_class, package_of_rank, packages, declaration, end_of_declaration, call_sites
    )
    class_first = by_class.class_first
    package_first = np.searchsorted(package_of_rank, np.arange(packages + 1)).astype(np.uint32)
    nodes = len(found) + classes + packages
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
    methods: U32Array, class_of_vertex: Any, rank_of_class: Any, package_of_rank: U32Array, packages: int,
    declaration: Any, end_of_declaration: Any, call_sites: Any,
) -> PackageMethods:  # fmt: skip
    """Sorts methods by class, and sums their values. Twin: `end_kernel.count_methods`.

    methods          uint32[m]  in the order of their declarations
    rank_of_class    uint32     by class: its place in the displayed order
    package_of_rank  uint32[c]  by such a place: the place of the package; packages: their number
    The rest is by method, as for `build_packages`.
    """
    import numpy as np

    from parsers.formats.graalvm.text.columns import rows_below_groups

    classes = len(package_of_rank)
    ranks = rank_of_class[class_of_vertex[methods]]
    packages_of = package_of_rank[ranks]
    order = np.argsort(ranks, kind="stable")
    vertices = methods[order].astype(np.uint32)
    class_first = np.searchsorted(ranks[order], np.arange(classes + 1)).astype(np.uint32)
    node_of_vertex = np.full(len(class_of_vertex), NONE, np.uint32)
    node_of_vertex[vertices] = np.arange(2, len(vertices) + 2) + ranks[order] + packages_of[order]

    def added(groups: Any, count: int) -> tuple[Any, Any]:
        by_group = np.argsort(groups, kind="stable")
        firsts = np.searchsorted(groups[by_group], np.arange(count + 1))
        declared = methods[by_group]
        sums = np.append(np.uint64(0), np.cumsum(call_sites[declared], dtype=np.uint64))
        below = rows_below_groups(groups[by_group], declaration[declared], end_of_declaration[declared], firsts)
        return sums[firsts[1:]] - sums[firsts[:-1]], below.astype(np.uint32)

    class_call_sites, class_weight = added(ranks, classes)
    package_call_sites, package_weight = added(packages_of, packages)
    return PackageMethods(
        vertices, node_of_vertex, class_first, class_call_sites, package_call_sites, class_weight, package_weight
    )
