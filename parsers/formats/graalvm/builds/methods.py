"""The methods of one build by arrays, as they are compared with those of another: names, classes, shortest ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.graalvm.builds.normalised import normalised_names
from parsers.formats.graalvm.calls.index.package_table import Table
from parsers.formats.graalvm.calls.index.row import ENTRY, method_parts, package_length
from parsers.formats.graalvm.text.indexed_tree import DECLARES, KIND
from parsers.formats.graalvm.text.read.plain_tree import PlainTree

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.reporting.comparison.text_numbers import Texts

NO_METHOD = -1
"""In place of who calls a method: nobody, it is an entry, or nothing above it declares an id."""


class BuildMethods:
    """Methods that known rows declare, numbered by package, class and row."""

    def __init__(self, report: CallReport, is_as_printed: bool) -> None:
        """is_as_printed: whether names stay as they are in the file"""
        self.report = report
        self.is_as_printed = is_as_printed
        self.table = Table(report.package_arrays())

    @property
    def is_inexact(self) -> bool:
        """Whether it tells more calls than there are."""
        return self.report.is_inexact

    @property
    def count(self) -> int:
        """Their number."""
        return len(self.table.things)

    @cached_property
    def texts(self) -> Texts:
        """The unique names of the tree, those of methods without id among them."""
        return normalised_names(self.report.names, self.report.encoding, is_as_printed=self.is_as_printed)

    @cached_property
    def things(self) -> Any:
        """int64 by method: its thing."""
        return np.asarray(self.table.things).astype(np.int64)

    @cached_property
    def names(self) -> Any:
        """int64 by method: the number of its text."""
        behind: Any = self.report.tree.behind
        plain = isinstance(behind, PlainTree)
        named = np.asarray(behind.scan.thing_names if plain else behind.array("thing_name"))
        return named[self.things].astype(np.int64)

    @cached_property
    def rows(self) -> Any:
        """int64 by method: the row that declares it."""
        behind: Any = self.report.tree.behind
        plain = isinstance(behind, PlainTree)
        declared = np.asarray(behind.scan.declarations if plain else behind.declarations())
        return declared[self.things].astype(np.int64)

    @cached_property
    def is_entry(self) -> Any:
        """bool by method: whether it is a root of the analysis."""
        return self._kinds[self.rows] & KIND == ENTRY

    @cached_property
    def _kinds(self) -> Any:
        behind: Any = self.report.tree.behind
        if not isinstance(behind, PlainTree):
            return behind.array("kind")
        declares = np.frombuffer(bytes(behind.scan.declares), np.uint8) * np.uint8(DECLARES)
        return np.array(behind.scan.kinds, np.uint8) | declares

    @cached_property
    def owners(self) -> Any:
        """int64 by method: the method that the shortest way leads through last, or `NO_METHOD`.

        The tree is printed breadth first, so that is the one below whose row the method is declared.
        """
        found = self._declaring.owners(self._declaring.above[np.searchsorted(self._declaring.rows, self.rows)])
        found[self.is_entry] = NO_METHOD
        return found

    @cached_property
    def _declaring(self) -> Declaring:
        behind: Any = self.report.tree.behind
        rows = np.flatnonzero(self._kinds & DECLARES)
        if isinstance(behind, PlainTree):
            things, ends = np.array(behind.scan.things, np.int64), np.array(behind.scan.ends, np.int64)[rows]
        else:
            things, ends = behind.array("thing"), behind.ends_of(rows)
        method_of_thing = np.full(self.report.tree.things + 1, NO_METHOD, np.int64)
        method_of_thing[self.things] = np.arange(self.count)
        return Declaring(rows, ends, enclosing(rows, ends), method_of_thing[things[rows].astype(np.int64)])

    def calls_of(self, methods: Any) -> tuple[Any, Any]:
        """All calls of some methods: of each the method that is called, and the one that calls it (int64)."""
        behind: Any = self.report.tree.behind
        things = self.things[methods]
        if isinstance(behind, PlainTree):
            found = [np.array(behind.thing_rows(int(thing)), np.int64) for thing in things]
            rows = np.concatenate([*found, np.empty(0, np.int64)])
            counts = np.array([len(each) for each in found], np.int64)
        else:
            starts = behind.array("thing_start").astype(np.int64)
            counts = starts[things + 1] - starts[things]
            first = np.repeat(starts[things] - np.cumsum(counts) + counts, counts)
            rows = behind.array("thing_row")[first + np.arange(len(first))].astype(np.int64)
        called, callers = np.repeat(methods, counts), self._declaring.owners(self._declaring.around(rows))
        is_call = (callers != NO_METHOD) & (self._kinds[rows] & KIND != ENTRY)
        return called[is_call], callers[is_call]

    @cached_property
    def distances(self) -> Any:
        """int64 by method: calls on the shortest way from an entry."""
        return ways_up(self.owners, np.ones(self.count, bool))[1]

    @cached_property
    def class_of(self) -> Any:
        """int64 by method: its class, as the table numbers them."""
        first = np.asarray(self.table.class_first)
        return np.repeat(np.arange(len(first) - 1), np.diff(first))

    @cached_property
    def class_names(self) -> Sequence[str]:
        """By class its name."""
        texts, first = self.texts, np.asarray(self.table.class_first)[:-1]
        return [holder_of(texts.text(int(name))) for name in self.names[first]]

    def line(self, method: int) -> int:
        """The line that declares a method."""
        return self.report.tree.line(int(self.rows[method]))


@dataclass(frozen=True, slots=True)
class Declaring:
    """Rows that declare an id, ascending; places are places among them."""

    rows: Any
    ends: Any
    """int64: first row after the subtree of each."""
    above: Any
    """int64: the place of the nearest one that a row is below; -1."""
    methods: Any
    """int64: the method of each; `NO_METHOD` for what is known as none."""

    def owners(self, places: Any) -> Any:
        """The methods of some places."""
        return np.where(places >= 0, self.methods[places], NO_METHOD)

    def around(self, rows: Any) -> Any:
        """The places of the nearest ones that some rows are below; -1."""
        places = np.searchsorted(self.rows, rows) - 1
        while len(left := np.flatnonzero((places >= 0) & (self.ends[places] <= rows))):
            places[left] = self.above[places[left]]
        return places


def enclosing(starts: Any, ends: Any) -> Any:
    """By interval the next one around it, or -1. They are nested or apart, and sorted by their starts."""
    places = np.arange(len(starts))
    levels = places - np.searchsorted(np.sort(ends), starts, "right")
    # An interval is around those behind it that are a level deeper, up to the next one of its own level.
    keys = (levels << 32) | places
    order = np.argsort(keys)
    found = np.searchsorted(keys[order], ((levels - 1) << 32) | places) - 1
    return np.where(levels > 0, order[found], -1)


def ways_up(owners: Any, goes_on: Any) -> tuple[Any, Any]:
    """By method the nearest one above it that ends its way up, and how many steps that takes.

    owners   int64: the method above each, or `NO_METHOD`
    goes_on  bool: whether a way goes on above a method that it has come to
    A way that ends nowhere gives `NO_METHOD`. Steps are doubled each time, so deep trees take no longer.
    """
    count = len(owners)
    above, steps = np.append(owners, NO_METHOD), np.append((owners >= 0).astype(np.int64), 0)
    ends = np.append(~goes_on, True)
    for _ in range(64):
        moving = np.flatnonzero(~ends[above])
        if not len(moving):
            break
        middle = above[moving]
        above[moving], steps[moving] = above[middle], steps[moving] + steps[middle]
    return above[:count], steps[:count]


def holder_of(method: str) -> str:
    """The class of a method."""
    if method.count("(") == method.count(")") == 1:
        # What nearly all are like.
        return method[: method.index("(")].rpartition(".")[0]
    return method[slice(*method_parts(method).holder)]


def package_of(name: str) -> str:
    """The package of a class."""
    return name[: package_length(name)]
