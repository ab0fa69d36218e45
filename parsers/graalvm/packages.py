"""The table behind the view "Packages": package → class → method as positions, with what each holds.

It is built once, at the end of indexing, with numpy over whole columns; the view only looks things up in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Group = Callable[[Any, int], Any]
"""Gives places by their numbers; how many different numbers there may be."""

NONE = 0xFFFFFFFF
"""Class of a thing that no known row declares."""


def build_packages(
    class_of_thing: NDArray[np.uint32],
    package_of_class: NDArray[np.uint32],
    declaration: NDArray[np.uint32],
    end_of_declaration: NDArray[np.uint32],
    call_sites: NDArray[np.uint32],
    package_names: Sequence[bytes] | None = None,
    methods: NDArray[np.uint32] | None = None,
    group: Group | None = None,
) -> dict[str, NDArray[Any]]:
    """The arrays of the view, by name.

    class_of_thing      uint32[things]    number of the class that declares a method; `NONE` for other things
    package_of_class    uint32[classes]   classes and packages are numbered by their first declaration in the file
    declaration         uint32[things]    row that declares the thing
    end_of_declaration  uint32[things]    first row after the subtree of that row
    call_sites          uint32[things]    rows that call the thing
    package_names       to sort the packages by; without it they come in order of the file
    methods             things with a class in the order of their declarations, where that is known
    group               sorts places by small numbers, places with equal numbers as they were; numpy does it else

    Gives, for m methods, c classes and p packages, n = m + c + p nodes in preorder:

    things         uint32[m]     the methods, by package, class and row
    node_of_thing  uint32[things]   node of each method; `NONE` for other things
    class_nodes    uint32[c+1]   node of each class; the last one is n
    package_nodes  uint32[p+1]   node of each package; the last one is n
    class_first    uint32[c+1]   first method of each class, in `things`
    package_first  uint32[p+1]   first class of each package
    depths         uint16[n]     0, 1, 2 for package, class, method
    class_call_sites, package_call_sites   uint64[c], uint64[p]   sums over their methods
    class_weight, package_weight           uint32[c], uint32[p]   rows below their methods, each row once
    """
    import numpy as np

    group = group or _group
    found: Any = methods
    if found is None:
        found = np.flatnonzero(class_of_thing != NONE)
        found = found[np.argsort(declaration[found])]
    # A class that only a second declaration of an id speaks of holds no method, and so is left out, as is its package.
    used = np.flatnonzero(np.bincount(class_of_thing[found], minlength=len(package_of_class)))
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

    ranks = rank_of_class[class_of_thing[found]]
    order = group(ranks, classes)
    things = found[order].astype(np.uint32)
    class_of_method = ranks[order]
    package_of_method = package_rank[class_order][class_of_method]

    class_first = np.searchsorted(class_of_method, np.arange(classes + 1)).astype(np.uint32)
    package_first = np.searchsorted(package_rank[class_order], np.arange(packages + 1)).astype(np.uint32)
    nodes = len(things) + classes + packages
    class_nodes = np.append(
        np.arange(classes) + class_first[:-1] + package_rank[class_order].astype(np.int64) + 1, nodes
    ).astype(np.uint32)
    package_nodes = (np.arange(packages + 1) + package_first + class_first[package_first]).astype(np.uint32)
    depths = np.full(nodes, 2, np.uint16)
    depths[class_nodes[:-1]] = 1
    depths[package_nodes[:-1]] = 0

    node_of_thing = np.full(len(class_of_thing), NONE, np.uint32)
    node_of_thing[things] = np.arange(2, len(things) + 2) + class_of_method + package_of_method

    sums = np.append(np.uint64(0), np.cumsum(call_sites[things], dtype=np.uint64))
    class_call_sites = sums[class_first[1:]] - sums[class_first[:-1]]
    method_first = class_first[package_first]
    starts, ends = declaration[things], end_of_declaration[things]
    package_of_found = package_rank[class_order][ranks]
    by_package = group(package_of_found, packages)
    declared = found[by_package]
    return {
        "things": things,
        "node_of_thing": node_of_thing,
        "class_nodes": class_nodes,
        "package_nodes": package_nodes,
        "class_first": class_first,
        "package_first": package_first,
        "depths": depths,
        "class_call_sites": class_call_sites,
        "package_call_sites": sums[method_first[1:]] - sums[method_first[:-1]],
        "class_weight": weights(class_of_method, starts, ends, class_first),
        "package_weight": weights(
            package_of_found[by_package], declaration[declared], end_of_declaration[declared], method_first
        ),
    }


def _group(numbers: NDArray[np.uint32], count: int) -> NDArray[Any]:
    """Places by their numbers, places with equal numbers as they were."""
    import numpy as np

    return np.argsort(numbers, kind="stable")


def weights(groups: Any, starts: Any, ends: Any, firsts: Any) -> NDArray[np.uint32]:
    """By group, how many rows lie below rows of the group, each counted once.

    groups, starts, ends   number of the group, the row and the end of its subtree, sorted by group and row
    firsts                 where each group begins, and the end

    Subtrees are nested or apart, so those that count are the ones that begin behind all earlier ends of their group.
    """
    import numpy as np

    keys = groups.astype(np.uint64) << 32
    reached = np.maximum.accumulate(keys | ends)
    is_outermost = np.ones(len(starts), bool)
    is_outermost[1:] = (keys[1:] | starts[1:]) >= reached[:-1]
    below = np.where(is_outermost, ends.astype(np.int64) - starts.astype(np.int64) - 1, 0)
    sums = np.append(0, np.cumsum(below))
    result: NDArray[np.uint32] = (sums[firsts[1:]] - sums[firsts[:-1]]).astype(np.uint32)
    return result
