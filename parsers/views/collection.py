"""Base classes of reports with views, and the views and rows of a report that a REF, a group or a problem leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.model.capabilities import Document, ExplainsGroups, FindsProblems, HasGraph, OfMember
from parsers.model.late import late
from parsers.model.report import Problem, Report
from parsers.model.view import References, StrangeReference, UnknownReference, View

if TYPE_CHECKING:
    from parsers.graph.graph_model import Node

ENTERED_FROM = "Entered from"
"""The view of graph reports that answers why a group exists."""


def keep_added(old: Report, new: Report) -> None:
    """Adds the views that the user has made of a report to another opening of it."""
    kept = {name: view for name, view in old.views.added.items() if not isinstance(view, OfMember)}
    new.views.added.update(kept)


def places_of(views: Iterable[View], ref: str) -> tuple[View, Sequence[int]]:
    """Returns the first view that contains a REF, and the nodes of the REF there, at least one.

    Raises `UnknownReference`, with the message of the first view that has a reason of its own.
    """
    refused: list[UnknownReference] = []
    for view in views:
        try:
            return view, view.resolve_all(ref)
        except UnknownReference as error:
            refused.append(error)
    if len(refused) == 1:
        raise refused[0]
    reasons = (error for error in refused if not isinstance(error, StrangeReference))
    raise next(reasons, StrangeReference(f"{ref}: nothing of that name in any view"))


def chosen_for(view: View, ref: str) -> Mapping[str, str]:
    """The choices of switches that must change so that a view contains what a REF names."""
    now = view.chosen
    return {name: choice for name, choice in view.chosen_for(ref).items() if now.get(name) != choice}


def owner_of(report: Report, view: View) -> Report:
    """The report that a view belongs to: the member, if the report is made of several."""
    return view.member if isinstance(view, OfMember) else report


def own_view(view: View) -> View:
    """The view object of the report that a view belongs to."""
    return view.own if isinstance(view, OfMember) else view


def family_of(report: Report, view: View) -> Sequence[View]:
    """The views of the report that a view belongs to."""
    return view.family if isinstance(view, OfMember) else report.views


def problem_finder(report: Report, view: View) -> tuple[View, Callable[[Problem], int | None]] | None:
    """The view with rows for problems of the same report, and the function that finds their nodes; None without one.

    The rows of a report may not be lines of its files; then it may be a `FindsProblems`, for its first view.
    """
    family = family_of(report, view)
    owner = owner_of(report, view)
    if isinstance(owner, FindsProblems):
        return family[0], owner.node_of_problem
    document = next((each for each in family if isinstance(each, Document)), None)
    if document is None:
        return None
    return document, lambda problem: None if problem.offset is None else document.node_at(problem.offset)


def path_from_root(report: Report, view: View, node: int) -> References:
    """The shortest path from a root to what a node shows, root first.

    A view may answer itself, with nodes of another view. Else the report answers with nodes of its first view.
    """
    own = view.why(node)
    if own is not None:
        return own
    group = group_at(report, view, node)
    if group is not None:
        entering = report.view(ENTERED_FROM)
        assert isinstance(entering, ExplainsGroups)
        return entering.ask(group)
    return References("the shortest path from a root", report.views[0].name, report.why(view.name, node))


def explained_path(report: Report, view: View, node: int) -> tuple[View, Sequence[int]]:
    """Returns the shortest path from a root to a row, of a group to its nearest member, and the view of its nodes."""
    found = path_from_root(report, view, node)
    leading = report.view(found.view)
    answer = own_view(leading)
    if isinstance(answer, ExplainsGroups):
        return family_of(report, leading)[0], answer.path_to_nearest()
    return leading, found.nodes


def group_at(report: Report, view: View, node: int) -> Node | None:
    """The group of methods or objects that a row shows, as the report's graph numbers it; None: it shows no group."""
    if not isinstance(report, HasGraph) or not report.is_complete:
        return None
    shown = report.graph.cut_of(own_view(view), node)
    return shown if shown is not None and shown.by in report.graph.terms.levels else None


def name_view(report: Report, name: int) -> View:
    """The view of the nodes that `name_nodes` of a report returns."""
    return report.view(report.name_view(name))


class HasViews(Report):
    """Base of reports: views by name, REFs, and paths in the first view."""

    tables = property(late("parsers.views.report_tables:tables_of"))
    """Its tables, see `parsers.model.tables.table`; complete with the finished index."""

    def view(self, name: str) -> View:
        """The view of that name, ignoring case. Raises `KeyError`."""
        return self.views.named(name)

    def locate(self, ref: str, view: str | None = None) -> tuple[View, int]:
        """View and node of a REF: in the named view, else in the first view with REFs of this kind.

        Raises `UnknownReference`, with the message of the first view that has REFs of that kind.
        """
        asked, nodes = places_of(self.views if view is None else [self.view(view)], ref)
        return asked, nodes[0]

    def why(self, view: str, node: int) -> Sequence[int]:
        """The path, in the first view, to a row of a view; views of graphs have their own `why`."""
        asked, first = self.view(view), self.views[0]
        key = None if asked is first else asked.key(node)
        found = node if asked is first else None if key is None else first.find_key(key)
        return () if found is None else first.path(found)


class CombinesReports(HasViews):
    """Base of reports that are made of others, and close them."""

    @property
    def opened(self) -> Sequence[Report]:
        """The reports that have been opened."""
        raise NotImplementedError

    @property
    def problems(self) -> Sequence[Problem]:
        """The problems of all of them."""
        return [problem for report in self.opened for problem in report.problems]

    @property
    def problem_count(self) -> int:
        """Number of problems of all of them."""
        return sum(report.problem_count for report in self.opened)

    def follow(self) -> bool:
        """Reads the news of all of them."""
        news = [report.follow() for report in self.opened]
        return any(news)

    def forget_index(self) -> None:
        """Removes the stored indexes of all of them."""
        for report in self.opened:
            report.forget_index()

    def close(self) -> None:
        """Closes all of them."""
        for report in self.opened:
            report.close()
