"""Comparable content of call trees: packages with their classes and methods, introduced methods, entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.calls.kind import METHODS
from parsers.model.report import Column, Switch
from parsers.reporting.comparison.compared_view import VIA

if TYPE_CHECKING:
    from parsers.formats.graalvm.builds.compared_methods import ComparedMethods
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.reporting.comparison.lines import Differences

NORMALISED, AS_PRINTED = "normalised", "as printed"
NAMES = Switch("names", "n", "names", (NORMALISED, AS_PRINTED))
"""Choice to compare names without the parts that each build generates."""
LAST_STEP, WHOLE_PATH = "by their last step", "anywhere on their way"
MOVED = Switch("moved", "w", "rerouted methods", (LAST_STEP, WHOLE_PATH))
"""Choice of moved methods shown: those with another last step only, or also those below them."""

MOVED_COLUMN = Column("moved", "rerouted", "count", (("moved", ""),), width=9, priority=4)
"""Methods of both builds whose shortest path has changed."""
INTRODUCED = Column("let_in", "introduced", "count", (("let_in", ""),), width=12, priority=5)
"""Added methods introduced by a method."""
ENTRIES = Column("entries", "entries", "count", (("entries", ""),), width=9, priority=2)

PACKAGES_VIEW, INTRODUCED_BY_VIEW, ENTRIES_VIEW = "Packages", "Let in by", "Entry points"


class ComparableCalls:
    """One view of the differences of two call trees."""

    def __init__(
        self,
        comparer: Comparer,
        make: Callable[[ComparedMethods, Mapping[str, str]], Differences],
        columns: tuple[Column, ...],
        others: tuple[Column, ...],
        switches: tuple[Switch, ...] = (NAMES,),
        needs: str = "",
        description: str = "",
    ) -> None:
        self.comparer, self.description = comparer, description
        self.columns, self.others, self.switches, self.needs = columns, others, switches, needs
        self._make = make

    def differences(self, old: ComparableCalls, chosen: Mapping[str, str]) -> Differences:
        """Returns the differences."""
        is_as_printed = chosen.get(NAMES.name) == AS_PRINTED
        return self._make(self.comparer.with_older(old.comparer.report, is_as_printed), chosen)


class Comparer:
    """One call tree with its last comparison, which all views share."""

    def __init__(self, report: CallReport) -> None:
        self.report = report
        self._older: Any = None
        self._compared: dict[bool, ComparedMethods] = {}

    def with_older(self, older: CallReport, is_as_printed: bool) -> ComparedMethods:
        """Comparison of this call tree with an older one."""
        from parsers.formats.graalvm.builds.compared_methods import ComparedMethods
        from parsers.formats.graalvm.builds.methods import BuildMethods

        if self._older is not older:
            self._older, self._compared = older, {}
        found = self._compared.get(is_as_printed)
        if found is None:
            builds = (BuildMethods(report, is_as_printed) for report in (older, self.report))
            found = self._compared[is_as_printed] = ComparedMethods(*builds)
        return found


def comparable_calls(report: CallReport) -> Mapping[str, ComparableCalls]:
    """Comparable content by the name of its view."""
    comparer = Comparer(report)
    in_packages, introduced = "Methods added, removed or rerouted", "Added methods by what introduced them"
    switches, needs = (NAMES, MOVED), report.views[0].name
    return {
        PACKAGES_VIEW: ComparableCalls(
            comparer, _packages, (METHODS,), (MOVED_COLUMN, VIA), switches, description=in_packages
        ),
        INTRODUCED_BY_VIEW: ComparableCalls(
            comparer, _introduced_by, (), (INTRODUCED,), needs=needs, description=introduced
        ),
        ENTRIES_VIEW: ComparableCalls(comparer, _entries, (ENTRIES,), ()),
    }


def _packages(both: ComparedMethods, chosen: Mapping[str, str]) -> Differences:
    from parsers.formats.graalvm.builds.method_differences import PackageDifferences

    return PackageDifferences(both, chosen.get(MOVED.name) == WHOLE_PATH)


def _introduced_by(both: ComparedMethods, chosen: Mapping[str, str]) -> Differences:
    from parsers.formats.graalvm.builds.introduced_by import IntroducedBy

    return IntroducedBy(both)


def _entries(both: ComparedMethods, chosen: Mapping[str, str]) -> Differences:
    from parsers.formats.graalvm.builds.method_differences import EntryDifferences

    return EntryDifferences(both, ENTRIES)
