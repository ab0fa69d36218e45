"""A report made of other reports, such as all reports of one build, with the views of all of them.

Each of the others is a *member*. It is opened on first access to one of its views, and its index is started then, so
unused members cost nothing. A member's view is shown under a unique name; its links use these names, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasComparable, OfMember, StopsIndex
from parsers.model.late import late
from parsers.model.report import Progress, Report
from parsers.model.row import Kind, Link, Section
from parsers.model.view import References, UnknownReference, View
from parsers.model.views import Views
from parsers.views.collection import CombinesReports, path_from_root, places_of
from parsers.views.proxy import ViewProxy

if TYPE_CHECKING:
    from parsers.model.tables.table import Tables


class ReportMember:
    """One of the reports."""

    def __init__(
        self,
        title: str,
        open: Callable[[], Report],
        names: Sequence[str] | None,
        size: int = 0,
        files: Sequence[str] = (),
    ) -> None:
        """
        title  short description
        names  of its views, if they are known before it is opened
        """
        self.title = title
        self.size = size
        """Bytes of its files."""
        self.files = tuple(files)
        self._open = open
        self._names = names
        self._report: Report | None = None
        self.is_looked_at = False
        """True if part of it was requested, so that its index is wanted."""
        self.shown: dict[str, str] = {}
        """Shown names of its views, by their own names."""

    @property
    def is_open(self) -> bool:
        """True if it has been opened."""
        return self._report is not None

    @property
    def report(self) -> Report:
        """The report, opened on first access. Raises `ReportError`."""
        if self._report is None:
            self._report = self._open()
        return self._report

    @property
    def view_names(self) -> Sequence[str]:
        """Names of its views."""
        return self.report.views.names if self._names is None or self.is_open else self._names

    def shown_name(self, view: str | None) -> str:
        """The shown name of one of its views; None: its first one. Unknown names are returned unchanged."""
        return next(iter(self.shown.values())) if view is None else self.shown.get(view, view)


class MemberView(ViewProxy):
    """A `View` of a member: its own except for the names of views."""

    def __init__(self, whole: MembersReport, member: ReportMember, view: View) -> None:
        self._whole = whole
        self._member = member
        self.own = view
        """The view of the member's own report."""
        self.member = member.report
        """The report that it belongs to."""
        self.name = member.shown_name(view.name)

    def shown_view(self) -> View:
        """The view of the member's own report."""
        return self.own

    @property
    def family(self) -> Views:
        """The views of the same report, in order."""
        return self._whole.family(self._member)

    def locate(self, ref: str) -> tuple[View, int]:
        """View and node of a REF in the same report. Raises `UnknownReference`."""
        view, nodes = places_of(self.family, ref)
        return view, nodes[0]

    def sections(self, node: int) -> Sequence[Section]:
        """The blocks of the side pane."""
        return [
            replace(
                section,
                rows=tuple(replace(row, view=self._named(row.view)) if row.ref else row for row in section.rows),
            )
            for section in self.own.sections(node)
        ]

    def links(self, node: int) -> Sequence[Link]:
        """All links of a row."""
        return [replace(link, view=self._named(link.view)) for link in self.own.links(node)]

    def references(self, node: int) -> References:
        """All references to what a row shows."""
        found = self.own.references(node)
        return replace(found, view=self._named(found.view))

    def why(self, node: int) -> References:
        """The shortest path from a root."""
        found = path_from_root(self.member, self.own, node)
        return replace(found, view=self._named(found.view))

    def _named(self, view: str | None) -> str:
        return self._member.shown_name(view)


class MembersReport(CombinesReports):
    """Several reports as one. Derived classes define `format`, `format_title` and the members that keep view names."""

    format = ""
    format_title = ""
    reserved: Sequence[str] = ()
    """View names that several members may have: these are shown with the member's title."""

    def own_tables(self) -> Tables:
        """Those of all members. Opens all members. Raises `ReportError`."""
        self.wait()
        found: Tables = late("parsers.views.report_tables:tables_of_all")([member.report for member in self.members])
        return found

    def __init__(self, title: str, members: Sequence[ReportMember], keep_names: Sequence[ReportMember] = ()) -> None:
        """keep_names: the members whose views keep their names"""
        self.title = title
        self.members = tuple(members)
        self._is_wanted = False
        self._kinds: dict[str, Kind] = {}
        self.kinds: Mapping[str, Kind] = self._kinds
        """The kinds of all members that are shown."""
        self._families: dict[int, Views] = {}
        makers: dict[str, Callable[[], View]] = {}
        for member in self.members:
            for own in member.view_names:
                name = own
                if member not in keep_names and own in self.reserved:
                    name = f"{own} ({member.title})"
                number = 1
                while name in makers:
                    name = f"{own} ({member.title}{f' {number}' if number > 1 else ''})"
                    number += 1
                member.shown[own] = name
                makers[name] = partial(self._make, member, own)
        self.views = Views(makers, self._is_there, lambda name: True, self._describe)

    def view_of(self, report: Report, view: View) -> View:
        """A view that was made for the report of a member, as one of the whole."""
        member = next(each for each in self.members if each.is_open and each.report is report)
        return MemberView(self, member, view)

    def _make(self, member: ReportMember, own: str) -> View:
        report = member.report
        self._look_at(member)
        return MemberView(self, member, report.view(own))

    def _look_at(self, member: ReportMember) -> None:
        """Starts the index of a member, if indexes are wanted."""
        self._kinds.update(member.report.kinds)
        if self._is_wanted and not member.is_looked_at:
            member.report.start_index()
        member.is_looked_at = True

    def _is_there(self, name: str) -> bool:
        member, own = self._of(name)
        return own in member.view_names

    def _describe(self, name: str) -> str:
        member, own = self._of(name)
        return member.report.view(own).description if member.is_open else f"Opens {member.title}"

    def _of(self, name: str) -> tuple[ReportMember, str]:
        """The member that has a view of this shown name, and the view's own name."""
        return next((each, own) for each in self.members for own, shown in each.shown.items() if shown == name)

    def family(self, member: ReportMember) -> Views:
        """The views of a member, as they are shown."""
        kept = self._families.get(id(member))
        if kept is None:
            makers = {name: partial(self.views.named, name) for name in member.shown.values()}
            kept = self._families[id(member)] = Views(makers, self._is_there)
        return kept

    @property
    def looked_at(self) -> list[Report]:
        """The members of which part was requested."""
        return [member.report for member in self.members if member.is_looked_at]

    @property
    def opened(self) -> list[Report]:
        """The members that have been opened."""
        return [member.report for member in self.members if member.is_open]

    def open_all(self) -> None:
        """Opens every member and starts its index if wanted. Raises `ReportError`."""
        for member in self.members:
            self._look_at(member)

    # -- the report ---------------------------------------------------------------------------------------------------

    @property
    def comparable(self) -> Mapping[str, object]:
        """The comparisons of all members, by shown names of views. Opens all members."""
        self.open_all()
        return {
            member.shown_name(name): each
            for member in self.members
            if isinstance(report := member.report, HasComparable)
            for name, each in report.comparable.items()
        }

    @property
    def format_version(self) -> str | None:
        """The version of the first member."""
        return self.members[0].report.format_version

    @property
    def encoding(self) -> str:
        """The encoding of the first member."""
        return self.members[0].report.encoding

    @property
    def line_end(self) -> str:
        """The line end of the first member."""
        return self.members[0].report.line_end

    @property
    def size(self) -> int:
        """Bytes of all members."""
        return sum(member.report.size if member.is_open else member.size for member in self.members)

    @property
    def files(self) -> Sequence[str]:
        """The files of all members."""
        return [file for member in self.members for file in member.files]

    @property
    def file_totals(self) -> Sequence[Mapping[str, object]]:
        """Totals of each file; if several files are one report, the first has them."""
        found: list[Mapping[str, object]] = []
        for member in self.members:
            files = len(member.files)
            found += [member.report.totals, *({} for _ in range(files - 1))][:files]
        return found

    @property
    def facts(self) -> Mapping[str, object]:
        """The facts of each opened member."""
        return {member.title: dict(member.report.facts) for member in self.members if member.is_open}

    @property
    def totals(self) -> Mapping[str, object]:
        """The totals of each opened member."""
        return {member.title: dict(member.report.totals) for member in self.members if member.is_open}

    @property
    def progress(self) -> Progress:
        """Progress of the members in use: that of the first one that is not ready."""
        every = [report.progress for report in self.looked_at]
        slowest = next((each for each in every if each.state != "ready"), None)
        if slowest is not None:
            return slowest
        size, rows = sum(each.total for each in every), sum(each.rows for each in every)
        return Progress(size, size, rows, max((each.seconds for each in every), default=0.0), "ready")

    @property
    def is_complete(self) -> bool:
        """True if all members in use are complete."""
        return all(report.is_complete for report in self.looked_at)

    def view(self, name: str) -> View:
        """The view of that shown name, ignoring case; else the first with that own name. Raises `KeyError`."""
        try:
            return self.views.named(name)
        except KeyError:
            shown = (
                each for member in self.members for own, each in member.shown.items() if own.lower() == name.lower()
            )
            return self.views.named(next(shown, name))

    def locate(self, ref: str, view: str | None = None) -> tuple[View, int]:
        """View and node of a REF: in the named view, else in its report; without a name in the first view that has it.

        Raises `UnknownReference`.
        """
        if view is None:
            found, nodes = places_of(self.views, ref)
            return found, nodes[0]
        asked = self.view(view)
        try:
            return asked, asked.resolve(ref)
        except UnknownReference:
            if not isinstance(asked, OfMember):
                raise
            return asked.locate(ref)

    def why(self, view: str, node: int) -> Sequence[int]:
        """The shortest path from a root to what a node shows, as nodes of the view in the view's own `why`."""
        found = self.view(view).why(node)
        return () if found is None else found.nodes

    def start_index(self) -> None:
        """Starts the index of the members in use, else of the first; the others start on first use."""
        self._is_wanted = True
        for report in self.looked_at or [self.members[0].report]:
            report.start_index()

    def stop_index(self) -> None:
        """Stops the indexes of the members in use."""
        for report in self._stoppable:
            report.stop_index()

    def go_on_index(self) -> None:
        """Continues the stopped indexes."""
        for report in self._stoppable:
            report.go_on_index()

    @property
    def _stoppable(self) -> list[StopsIndex]:
        return [report for report in self.looked_at if isinstance(report, StopsIndex)]

    def wait(self, progress: Callable[[Progress], object] | None = None) -> None:
        """Opens all members and waits until they are complete. Raises `ReportError`."""
        self.open_all()
        self.start_index()
        for member in self.members:
            member.report.wait(progress)
