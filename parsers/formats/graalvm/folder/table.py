"""Classes and packages of a build with the numbers of each of its reports, joined by name.

Names are those of one build, so they are compared unchanged; loaders are left out, as most reports have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.calls.index.row import package_of
from parsers.model.lookup import places_by

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.package_view import PackagesView
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.formats.graalvm.objects.types_view import TypesView
    from parsers.formats.graalvm.side.layout import LineCells
    from parsers.formats.graalvm.side.table_report import TableReport

METHODS, CALL_SITES, OBJECTS, IN_TREE = "methods", "call_sites", "objects", "tree_objects"


class NumberTable:
    """Classes or packages by name with their numbers, the largest first."""

    def __init__(self, names: Iterable[str], numbers: Mapping[str, Mapping[str, int]]) -> None:
        """numbers: by column, the number of each name; all their names are listed

        The first column of `numbers` determines the order, the next one decides ties.
        """
        self.numbers = numbers
        known, counts = sorted(set(names).union(*numbers.values())), tuple(numbers.values())
        self.names = sorted(known, key=lambda name: tuple(-count.get(name, 0) for count in counts))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Place of each name."""
        return {name: place for place, name in enumerate(self.names)}

    def of(self, name: str) -> dict[str, int]:
        """Returns all numbers of a name."""
        return {what: counts.get(name, 0) for what, counts in self.numbers.items()}


class JoinedTables:
    """Both tables."""

    def __init__(
        self,
        calls: CallReport | None,
        types: TypesView | None,
        histogram: TableReport | None,
        initialization: TableReport | None,
        used_classes: TableReport | None,
        used_packages: TableReport | None,
    ) -> None:
        """Arguments of missing reports are None."""
        numbers: dict[str, dict[str, int]] = {}
        if calls is not None:
            numbers[METHODS], numbers[CALL_SITES] = _called(calls)
        if histogram is not None:
            numbers[OBJECTS] = _counts((cells.name, cells.badges["count"]) for cells in _rows(histogram))
        if types is not None:
            table = types.table
            numbers[IN_TREE] = _counts((types.label(type), table.objects(type)) for type in range(table.types))
        self.initialized = {
            cells.name: (str(cells.badges["initialization"]), str(cells.badges["reason"]))
            for cells in (_rows(initialization) if initialization is not None else ())
        }
        """By class: time and reason of its initialization."""
        used = {cells.name for cells in _rows(used_classes)} if used_classes is not None else set()
        self.classes = NumberTable(used | self.initialized.keys(), numbers)
        packages = {
            what: _counts((_package_of(name), count) for name, count in counts.items())
            for what, counts in numbers.items()
        }
        packages["classes"] = _counts((_package_of(name), 1) for name in self.classes.names)
        listed = {cells.name for cells in _rows(used_packages)} if used_packages is not None else set()
        self.packages = NumberTable(listed, packages)

    @cached_property
    def _of_packages(self) -> Mapping[str, Sequence[int]]:
        return places_by(map(_package_of, self.classes.names))

    def classes_of(self, package: str) -> Sequence[str]:
        """Returns the classes of a package."""
        return [self.classes.names[place] for place in self._of_packages.get(package, ())]


def _package_of(name: str) -> str:
    """Returns the package of a class, of an array that of its elements; a class of the default package is its own."""
    return package_of(name.rstrip("[]"))


def _rows(report: TableReport) -> Iterator[LineCells]:
    """Returns the rows of a table that fit its form."""
    return (cells for cells in report.table.all_cells() if cells.name and cells.kind != "unknown")


def _counts(pairs: Iterable[tuple[str, Any]]) -> dict[str, int]:
    """Returns the sums of numbers by name."""
    counts: dict[str, int] = {}
    for name, count in pairs:
        counts[name] = counts.get(name, 0) + int(count)
    return counts


def _called(calls: CallReport) -> tuple[dict[str, int], dict[str, int]]:
    """Returns the number of methods by class, and of their call sites."""
    view: PackagesView = calls.view("Packages")  # type: ignore[assignment]
    table = view.table
    labels = view.labels_of(table.class_nodes[: len(table.class_first) - 1])
    methods = (table.class_first[number + 1] - table.class_first[number] for number in range(len(labels)))
    return _counts(zip(labels, methods, strict=True)), _counts(zip(labels, table.class_call_sites, strict=False))
