"""Joined data of the reports of a build, as a report among them: the views "Classes" and "Packages"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from parsers.formats.graalvm.calls.kind import KIND_MARKS
from parsers.formats.graalvm.folder.format import CALL_TREES
from parsers.formats.graalvm.folder.table import CALL_SITES, IN_TREE, METHODS, OBJECTS, JoinedTables
from parsers.formats.graalvm.side.report import HasRowOfEachName
from parsers.io.group import SourceGroup
from parsers.model.late.preparation import LazyValue
from parsers.model.report import Problem, Progress
from parsers.model.row import Kind
from parsers.model.view import View
from parsers.model.views import Views
from parsers.views.collection import HasViews

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.formats.graalvm.folder.report import BuildReport
    from parsers.formats.graalvm.objects.types_view import TypesView
    from parsers.formats.graalvm.side.table_report import TableReport
    from parsers.reports.members import ReportMember

JOINED = (
    CALL_TREES,
    ("graalvm-object-tree",),
    ("graalvm-heap-histogram",),
    ("graalvm-class-initialization",),
    ("graalvm-used-classes",),
    ("graalvm-used-packages",),
)
"""Formats that are joined, in the order of `JoinedTables`'s arguments."""


class JoinedReport(HasRowOfEachName, HasViews):
    """A `Report` without a file of its own."""

    format = "graalvm-build"
    format_title = "GraalVM build"
    encoding = "utf-8"
    line_end = "lf"
    size = 0
    files: Sequence[str] = ()
    problems: Sequence[Problem] = ()
    problem_count = 0

    def __init__(self, build: BuildReport) -> None:
        self.build = build
        self.source = SourceGroup(build.sources)
        """All files, for opening the build a second time."""
        self.title = ""
        self.kinds: Mapping[str, Kind] = {name: KIND_MARKS[name] for name in ("class", "package")}
        self.views = Views(self.makers())
        self.made = LazyValue(self._join)
        """Data of both views."""

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns makers of the views by name."""
        raise NotImplementedError

    @cached_property
    def members(self) -> Sequence[ReportMember]:
        """Existing reports that are joined."""
        return [member for formats in JOINED if (member := self.build.member(*formats)) is not None]

    @property
    def counted(self) -> set[str]:
        """Counts that the existing reports have."""
        build = self.build
        counted = {METHODS, CALL_SITES} if build.member(*CALL_TREES) is not None else set()
        counted |= {IN_TREE} if build.member("graalvm-object-tree") is not None else set()
        return counted | ({OBJECTS} if build.member("graalvm-heap-histogram") is not None else set())

    def _join(self) -> JoinedTables:
        found = [self.build.member(*formats) for formats in JOINED]
        calls, objects, *tables = (None if member is None else member.report for member in found)
        return JoinedTables(
            cast("CallReport | None", calls),
            None if objects is None else cast("TypesView", objects.view("Types")),
            *cast("list[TableReport | None]", tables),
        )

    @property
    def waiting_for(self) -> str:
        """Names of the reports that are not indexed yet."""
        titles = [each.title for each in self.members if not (each.is_open and each.report.is_complete)]
        return f"needs all of {', '.join(titles)}" if titles else ""

    @property
    def is_complete(self) -> bool:
        """True if all joined reports are indexed."""
        return not self.waiting_for

    @property
    def has_failed(self) -> bool:
        """True if indexing one of them has failed."""
        return any(each.is_open and each.report.progress.state in ("failed", "stopped") for each in self.members)

    @property
    def totals(self) -> Mapping[str, object]:
        """Number of classes and packages; empty until they are joined."""
        if not self.is_complete:
            return {}
        joined = self.made.value
        return {"classes": len(joined.classes.names), "packages": len(joined.packages.names)}

    @property
    def progress(self) -> Progress:
        """Progress of the report that takes longest."""
        every = [member.report.progress for member in self.members if member.is_open]
        slowest = next((each for each in every if each.state != "ready"), None)
        return slowest or Progress(0, 0, 0, 0.0, "ready")

    @property
    def names(self) -> Sequence[bytes]:
        """The classes; empty until they are joined."""
        if not self.is_complete:
            return ()
        return [name.encode("utf-8", "replace") for name in self.made.value.classes.names]

    def view(self, name: str) -> View:
        """The view of that name, in any case; also those of other reports, where paths lead. Raises `KeyError`."""
        try:
            return self.views.named(name)
        except KeyError:
            return self.build.view(name)

    def why(self, view: str, node: int) -> Sequence[int]:
        """Returns the row itself: only views of the trees have paths."""
        return [node] if view == self.views[0].name else []

    def start_index(self) -> None:
        """Starts the indexes of all joined reports."""
        for member in self.members:
            member.report.start_index()

    def wait(self, progress: Callable[[Progress], object] | None = None) -> None:
        """Waits until all joined reports are indexed. Raises `ReportError`."""
        for member in self.members:
            member.report.wait(progress)

    def close(self) -> None:
        """Does nothing: members are closed by themselves."""
