"""The views of a report, each made when it is first asked for: the first screen needs one of them only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import overload

from parsers.model.capabilities import ExplainsRows, FindsProblems, HasNameViews, OfMember
from parsers.model.report import Document, Problem, References, Report, StrangeReference, UnknownReference, View


class Views(Sequence[View]):
    """Views by their names, in their order."""

    def __init__(
        self,
        makers: Mapping[str, Callable[[], View]],
        is_there: Callable[[str], bool] = lambda name: True,
        is_ready: Callable[[str], bool] | None = None,
    ) -> None:
        """
        is_there  whether a file has something for a view; asked each time, as a file is known better and better
        is_ready  whether a view that isn't made yet would be ready; None: views are so light that they are made to know
        """
        self._makers = makers
        self._is_there = is_there
        self._is_ready = is_ready
        self._made: dict[str, View] = {}

    @property
    def names(self) -> list[str]:
        """Names of the views, which are not made for that."""
        return [name for name in self._makers if self._is_there(name)]

    @property
    def possible(self) -> list[str]:
        """Names of all views that a report of this kind may have, whatever is in its file."""
        return list(self._makers)

    def state(self, name: str) -> tuple[bool, int | None]:
        """Whether a view is ready, and its rows if they are known; a heavy one that isn't made yet is not made."""
        if self._is_ready is not None and name not in self._made:
            return self._is_ready(name), None
        return _state(self._make(name))

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
        """The view of a name, in any case. Raises `KeyError`."""
        for known in self.names:
            if known.lower() == name.lower():
                return self._make(known)
        raise KeyError(name)

    def _make(self, name: str) -> View:
        view = self._made.get(name)
        if view is None:
            view = self._made[name] = self._makers[name]()
        return view


def places_of(views: Iterable[View], ref: str) -> tuple[View, Sequence[int]]:
    """The first view that has what a REF names, and its nodes, at least one.

    Raises `UnknownReference`, with the words of the first view that has REFs of that kind.
    """
    refused: UnknownReference | None = None
    for view in views:
        try:
            return view, view.resolve_all(ref)
        except UnknownReference as error:
            is_strange = isinstance(error, StrangeReference)
            if refused is None or (isinstance(refused, StrangeReference) and not is_strange):
                refused = error
    raise refused or UnknownReference(f"{ref}: this report has no views")


def chosen_for(view: View, ref: str) -> Mapping[str, str]:
    """What has to be chosen of the switches of a view so that it has what a REF names, where that isn't chosen."""
    now = view.chosen
    return {name: choice for name, choice in view.chosen_for(ref).items() if now.get(name) != choice}


def view_names(views: Sequence[View]) -> list[str]:
    """Names of a report's views; none is made for that."""
    return views.names if isinstance(views, Views) else [view.name for view in views]


def possible_names(views: Sequence[View]) -> list[str]:
    """The same with those that are only there if a file that isn't known yet has something for them."""
    return views.possible if isinstance(views, Views) else [view.name for view in views]


def view_state(views: Sequence[View], name: str) -> tuple[bool, int | None]:
    """Whether a view is ready, and how many rows it has as far as that is known without making it."""
    if isinstance(views, Views):
        return views.state(name)
    return _state(next(view for view in views if view.name == name))


def _state(view: View) -> tuple[bool, int | None]:
    """Whether a view is ready, and its rows unless counting them would make them."""
    return view.is_ready, view.row_count if view.is_made else None


def owner_of(report: Report, view: View) -> Report:
    """The report that a view is of: where one is made of others, one of those."""
    return view.member if isinstance(view, OfMember) else report


def own_view(view: View) -> View:
    """A view as the report knows it that it is of."""
    return view.own if isinstance(view, OfMember) else view


def family_of(report: Report, view: View) -> Sequence[View]:
    """The views of the report that a view is of."""
    return view.family if isinstance(view, OfMember) else report.views


def problem_finder(report: Report, view: View) -> tuple[View, Callable[[Problem], int | None]] | None:
    """The view in which problems of the same report have rows, and what finds their nodes; None if they have none.

    A report whose rows are no lines of its files may be a `FindsProblems`, for its first view.
    """
    family = family_of(report, view)
    owner = owner_of(report, view)
    if isinstance(owner, FindsProblems):
        return family[0], owner.node_of_problem
    document = next((each for each in family if isinstance(each, Document)), None)
    if document is None:
        return None
    return document, lambda problem: None if problem.offset is None else document.node_at(problem.offset)


def way_to(report: Report, view: View, node: int) -> References:
    """The shortest way from a root to what a node shows, root first.

    A view of a graph may have a `why(node)` of its own, which says whose nodes the way is made of; else the report
    answers with nodes of its first view.
    """
    if isinstance(view, ExplainsRows):
        return view.why(node)
    return References("the shortest way from a root", report.views[0].name, report.why(view.name, node))


def name_view(report: Report, name: int) -> View:
    """The view that `name_nodes` of a report gives nodes of."""
    return report.view(report.name_view(name)) if isinstance(report, HasNameViews) else report.views[0]
