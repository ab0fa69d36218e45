"""The views of a report, each made on first access: the first screen needs only one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from parsers.model.capabilities import ExplainsGroups, FindsProblems, HasGraph, OfMember
from parsers.model.late import late
from parsers.model.report import Document, Problem, Report
from parsers.model.view import References, StrangeReference, UnknownReference, View

if TYPE_CHECKING:
    from parsers.graph.graph_model import Node

ENTERED_FROM = "Entered from"
"""The view of graph reports that answers why a group exists."""


class Views(Sequence[View]):
    """Views by name, in order."""

    def __init__(
        self,
        makers: Mapping[str, Callable[[], View]],
        is_there: Callable[[str], bool] = lambda name: True,
        is_ready: Callable[[str], bool] | None = None,
        describe: Callable[[str], str] | None = None,
        hidden: Callable[[str], View | None] = lambda name: None,
        hidden_names: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """
        is_there  True if the file has data for a view; called each time, as more of the file becomes known
        is_ready  True if a view that is not made yet would be ready; None: views are cheap enough to be made for the
                  answer
        describe  description of a view that is not made yet; None: views are cheap enough to be made for it
        hidden    makes views that are not listed, by name; None: there is none
        hidden_names  returns the names of these
        """
        self._makers = makers
        self._is_there = is_there
        self._is_ready = is_ready
        self._describe = describe
        self._hidden, self.hidden_names = hidden, hidden_names
        self._made: dict[str, View] = {}
        self.added: dict[str, View] = {}
        """Views that the user has made, such as results of queries, by name; the last ones of all."""

    @property
    def names(self) -> list[str]:
        """Names of the views, without making them."""
        return [*(name for name in self._makers if self._is_there(name)), *self.added]

    def has(self, name: str) -> bool:
        """True if there is a view of a name."""
        return name in self.added or (name in self._makers and self._is_there(name))

    @property
    def possible(self) -> list[str]:
        """Names of all views that a report of this kind may have, whatever its file contains."""
        return list(self._makers)

    def state(self, name: str) -> tuple[bool, int | None]:
        """Readiness of a view, and its rows if known; an expensive view is not made for that."""
        if self._is_ready is not None and name not in self._made and name not in self.added:
            return self._is_ready(name), None
        return _state(self._make(name))

    def description(self, name: str) -> str:
        """The description of a view."""
        if self._describe is not None and name not in self._made and name not in self.added:
            return self._describe(name)
        return self._make(name).description

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> View: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[View]: ...
    def __getitem__(self, index: int | slice) -> View | Sequence[View]:
        if isinstance(index, slice):
            return [self._make(name) for name in self.names[index]]
        return self._make(self.names[index])

    def named(self, name: str) -> View:
        """The view of a name, ignoring case. Raises `KeyError`."""
        for known in self._makers:
            if known.lower() == name.lower() and self._is_there(known):
                return self._make(known)
        for added in self.added.values():
            if added.name.lower() == name.lower():
                return added
        view = self._made.get(name) or self._hidden(name)
        if view is None:
            raise KeyError(name)
        return self._made.setdefault(view.name, view)

    def _make(self, name: str) -> View:
        view = self.added.get(name) or self._made.get(name)
        if view is None:
            view = self._made[name] = self._makers[name]()
        return view


def added_views(report: Report) -> dict[str, View]:
    """The views that the user has made, by name; a report whose views are fixed has none."""
    return report.views.added if isinstance(report.views, Views) else {}


def keep_added(old: Report, new: Report) -> None:
    """Adds the views that the user has made of a report to another opening of it."""
    kept = {name: view for name, view in added_views(old).items() if not isinstance(view, OfMember)}
    added_views(new).update(kept)


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


def view_names(views: Sequence[View]) -> list[str]:
    """Names of a report's views, without making them."""
    return views.names if isinstance(views, Views) else [view.name for view in views]


def has_view(views: Sequence[View], name: str) -> bool:
    """True if a report has a view of a name; it is not made."""
    return views.has(name) if isinstance(views, Views) else any(view.name == name for view in views)


def possible_names(views: Sequence[View]) -> list[str]:
    """Names of a report's views, and of those that exist only if an unread file turns out to have data for them."""
    return views.possible if isinstance(views, Views) else [view.name for view in views]


def hidden_names(views: Sequence[View]) -> Iterable[str]:
    """Names of views that are not listed."""
    return views.hidden_names() if isinstance(views, Views) else ()


def view_state(views: Sequence[View], name: str) -> tuple[bool, int | None]:
    """Readiness of a view, and its number of rows if that is known without making it."""
    if isinstance(views, Views):
        return views.state(name)
    return _state(next(view for view in views if view.name == name))


def view_description(views: Sequence[View], name: str) -> str:
    """The description of a view; a view of a file that is not open yet is described by that file."""
    if isinstance(views, Views):
        return views.description(name)
    return next(view for view in views if view.name == name).description


def _state(view: View) -> tuple[bool, int | None]:
    """Readiness of a view, and its rows unless counting them would make them."""
    return view.is_ready, view.row_count if view.is_prepared else None


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

    views: Sequence[View] = ()
    tables = property(late("parsers.views.report_tables:tables_of"))
    """Its tables, see `parsers.model.tables.table`; complete with the finished index."""

    def view(self, name: str) -> View:
        """The view of that name, ignoring case. Raises `KeyError`."""
        assert isinstance(self.views, Views)
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
