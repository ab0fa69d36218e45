"""The reports of one build as one: call tree and object tree, the tables beside them, and the joined views.

*Classes* and *Packages* are joined from the existing reports, by name. A missing report is named with the option that
writes it, and its data is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.folder.format import CALL_TREES, NAME
from parsers.formats.graalvm.side.report import HasRowOfEachName
from parsers.formats.graalvm.versions import narrowed, version_of
from parsers.model.capabilities import HasNames
from parsers.model.report import Report
from parsers.reports.members import MembersReport, ReportMember

if TYPE_CHECKING:
    from parsers.io.source import Source

JOINED_VIEWS = ("Classes", "Packages")
OBJECT_TREE = "graalvm-object-tree"

WRITTEN_BY = {
    "graalvm-call-tree": ("Call tree", "-H:+PrintAnalysisCallTree"),
    "graalvm-object-tree": ("Heap roots", "-H:+PrintImageObjectTree"),
    "graalvm-used-methods": ("Used methods", "-H:+PrintAnalysisCallTree"),
    "graalvm-used-classes": ("Used classes", "-H:+PrintAnalysisCallTree"),
    "graalvm-used-packages": ("Used packages", "-H:+PrintAnalysisCallTree"),
    "graalvm-heap-histogram": ("Heap histogram", "-H:+PrintImageObjectTree"),
    "graalvm-class-initialization": ("Class initialization", "-H:+PrintClassInitialization"),
    "graalvm-analysis-statistics": ("Statistics", "-H:+PrintAnalysisStatistics"),
    "graalvm-build-output": ("Build output", "-H:BuildOutputJSONFile=…"),
}
"""By format its first view, and the option of native-image that writes it."""


class BuildReport(HasRowOfEachName, MembersReport):
    """One build. Views: those of the trees, *Classes* and *Packages*, then a table for each other report."""

    format = NAME
    format_title = "GraalVM build"
    reserved = (*JOINED_VIEWS, "Dominators", "Cut", "Between")

    def __init__(
        self,
        title: str,
        members: Mapping[str, Sequence[ReportMember]],
        sources: Sequence[Source],
        make_joined: Callable[[BuildReport], Report],
        image: str = "",
    ) -> None:
        """
        image        from the names of the files
        make_joined  makes the report of the joined views
        members      by format
        sources      all files, which are closed with the report
        """
        self.by_format = members
        self._image = image
        self.sources = sources
        joined = ReportMember("all reports", lambda: make_joined(self), JOINED_VIEWS)
        self._joined = joined
        trees = [each for format in (*CALL_TREES, OBJECT_TREE) for each in members.get(format, ())]
        others = [each for of_format in members.values() for each in of_format if each not in trees]
        super().__init__(title, [*trees, joined, *others], keep_names=(joined,))

    def member(self, *formats: str) -> ReportMember | None:
        """Returns the first report of one of some formats."""
        return next((each for format in formats for each in self.by_format.get(format, ())), None)

    @cached_property
    def missing_views(self) -> Mapping[str, str]:
        """Views of missing reports, with the reports and options that write them."""
        return {view: f"no such report is here: {option} writes it" for view, option in self.missing.items()}

    @cached_property
    def missing(self) -> Mapping[str, str]:
        """As `missing_views`, with the options alone."""
        there = set(self.by_format)
        there |= {CALL_TREES[0]} if there.intersection(CALL_TREES) else set()
        return {view: option for format, (view, option) in WRITTEN_BY.items() if format not in there}

    @property
    def names(self) -> Sequence[bytes]:
        """The classes; empty until all joined reports are indexed."""
        joined = self._joined.report
        return joined.names if isinstance(joined, HasNames) else ()

    def name_view(self, name: int) -> str:
        """View that contains the classes."""
        return self._joined.shown_name(None)

    def text(self, data: bytes) -> str:
        """Returns a name as text."""
        return data.decode("utf-8", "replace")

    @property
    def format_version(self) -> str | None:
        """Range common to all opened reports; that of the first one if they contradict each other."""
        versions = [version_of(each, self._image) for each in self.opened or [self.members[0].report]]
        return narrowed(versions) or next((version for version in versions if version), None)

    @property
    def facts(self) -> Mapping[str, object]:
        """Existing reports, then the facts of those that were opened."""
        there = [member.title for member in self.members if member is not self._joined]
        return {"reports": there, **super().facts}

    @property
    def totals(self) -> Mapping[str, object]:
        """Totals of each opened report."""
        return {"reports": sum(map(len, self.by_format.values())), **super().totals}

    def close(self) -> None:
        """Closes all files."""
        super().close()
        for source in self.sources:
            source.close()
