"""Packages, classes and methods as positions: the preorder over the arrays of `build_packages`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray

Level = Literal["package", "class", "method"]


class PackagePlace(NamedTuple):
    """A node's level, and the numbers of its package, class and method, where it has them."""

    level: Level
    package: int
    klass: int = -1
    method: int = -1


class PackageTable:
    """The preorder of packages, classes and methods over the arrays of `build_packages`."""

    is_complete = True

    def __init__(self, array: Callable[[str], AnyArray]) -> None:
        """array: gives an array of the index by its name"""

        def column(name: str) -> memoryview:
            return array(f"packages.{name}").data

        self.vertices, self.node_of_vertex = column("vertices"), column("node_of_vertex")
        self.class_nodes, self.package_nodes = column("class_nodes"), column("package_nodes")
        self.class_first, self.package_first = column("class_first"), column("package_first")
        self.class_call_sites, self.package_call_sites = column("class_call_sites"), column("package_call_sites")
        self.class_weight, self.package_weight = column("class_weight"), column("package_weight")
        self._depths = column("depths")

    @property
    def rows(self) -> int:
        """All nodes."""
        return len(self._depths)

    @property
    def packages(self) -> int:
        """Number of packages."""
        return len(self.package_nodes) - 1

    def depth(self, node: int) -> int:
        """0 for a package, 1 for a class, 2 for a method."""
        return int(self._depths[node])

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range."""
        return self._depths[start:stop]

    def end(self, node: int) -> int:
        """First node after the subtree."""
        place = self.place(node)
        if place.level == "package":
            return int(self.package_nodes[place.package + 1])
        return node + 1 + (self.methods(place) if place.level == "class" else 0)

    def parent(self, node: int) -> int | None:
        """Returns the class of a method, the package of a class."""
        place = self.place(node)
        if place.level == "package":
            return None
        return int(self.package_nodes[place.package] if place.level == "class" else self.class_nodes[place.klass])

    def place(self, node: int) -> PackagePlace:
        """Level and numbers of a node."""
        package = bisect_right(self.package_nodes, node) - 1
        if self.package_nodes[package] == node:
            return PackagePlace("package", package)
        klass = bisect_right(self.class_nodes, node) - 1
        if self.class_nodes[klass] == node:
            return PackagePlace("class", package, klass)
        return PackagePlace("method", package, klass, node - package - klass - 2)

    def range(self, place: PackagePlace) -> range:
        """Returns the numbers of all methods of a package, a class, or just of the one."""
        if place.level == "method":
            return range(place.method, place.method + 1)
        if place.level == "class":
            return range(self.class_first[place.klass], self.class_first[place.klass + 1])
        first, last = self.package_first[place.package], self.package_first[place.package + 1]
        return range(self.class_first[first], self.class_first[last])

    def methods(self, place: PackagePlace) -> int:
        """Returns the number of methods of a place."""
        return len(self.range(place))
