"""Comparable content of call trees: packages with their classes and methods, introduced methods, entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.kind import METHODS
from parsers.model.row import Column
from parsers.model.view import Switch
from parsers.reporting.comparison.compared_view import VIA
from parsers.reporting.comparison.lines import ComparableSubject

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


class Comparer:
    """One call tree with its last comparisons, which all views share."""

    def __init__(self, report: CallReport) -> None:
        self.report = report
        self.with_older = lru_cache(2)(self._compared)

    def _compared(self, older: CallReport, is_as_printed: bool) -> ComparedMethods:
        """Comparison of this call tree with an older one."""
        from parsers.formats.graalvm.builds.compared_methods import ComparedMethods
        from parsers.formats.graalvm.builds.methods import BuildMethods

        return ComparedMethods(*(BuildMethods(report, is_as_printed) for report in (older, self.report)))


def comparable_calls(report: CallReport) -> Mapping[str, ComparableSubject]:
    """Comparable content by the name of its view."""
    comparer, needs = Comparer(report), report.views[0].name
    return {
        PACKAGES_VIEW: ComparableSubject(
            (METHODS,),
            comparer,
            _packages,
            (MOVED_COLUMN, VIA),
            switches=(NAMES, MOVED),
            description="Methods added, removed or rerouted",
        ),
        INTRODUCED_BY_VIEW: ComparableSubject(
            (), comparer, _introduced_by, (INTRODUCED,), needs, (NAMES,), "Added methods by what introduced them"
        ),
        ENTRIES_VIEW: ComparableSubject((ENTRIES,), comparer, _entries, switches=(NAMES,)),
    }


def _compared(old: Comparer, new: Comparer, chosen: Mapping[str, str]) -> ComparedMethods:
    return new.with_older(old.report, chosen.get(NAMES.name) == AS_PRINTED)


def _packages(old: Comparer, new: Comparer, chosen: Mapping[str, str]) -> Differences:
    from parsers.formats.graalvm.builds.method_differences import PackageDifferences

    return PackageDifferences(_compared(old, new, chosen), chosen.get(MOVED.name) == WHOLE_PATH)


def _introduced_by(old: Comparer, new: Comparer, chosen: Mapping[str, str]) -> Differences:
    from parsers.formats.graalvm.builds.introduced_by import IntroducedBy

    return IntroducedBy(_compared(old, new, chosen))


def _entries(old: Comparer, new: Comparer, chosen: Mapping[str, str]) -> Differences:
    from parsers.formats.graalvm.builds.method_differences import EntryDifferences

    return EntryDifferences(_compared(old, new, chosen), ENTRIES)
