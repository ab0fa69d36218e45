"""The views of a report, each made when it is first asked for: the first screen needs one of them only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import overload

from parsers.report import References, Report, View


class Views(Sequence[View]):
    """Views by their names, in their order."""

    def __init__(
        self, makers: Mapping[str, Callable[[], View]], is_there: Callable[[str], bool] = lambda name: True
    ) -> None:
        """
        is_there  whether a file has something for a view; asked each time, as a file is known better and better
        """
        self._makers = makers
        self._is_there = is_there
        self._made: dict[str, View] = {}

    @property
    def _names(self) -> list[str]:
        return [name for name in self._makers if self._is_there(name)]

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, index: int) -> View: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[View]: ...
    def __getitem__(self, index: int | slice) -> View | Sequence[View]:
        if isinstance(index, slice):
            return [self._make(name) for name in self._names[index]]
        return self._make(self._names[index])

    def named(self, name: str) -> View:
        """The view of a name, in any case. Raises `KeyError`."""
        for known in self._names:
            if known.lower() == name.lower():
                return self._make(known)
        raise KeyError(name)

    def _make(self, name: str) -> View:
        view = self._made.get(name)
        if view is None:
            view = self._made[name] = self._makers[name]()
        return view


def way_to(report: Report, view: View, node: int) -> References:
    """The shortest way from a root to what a node shows, root first.

    A view of a graph may have a `why(node)` of its own, which says whose nodes the way is made of; else the report
    answers with nodes of its first view.
    """
    why = getattr(view, "why", None)
    if why is not None:
        found: References = why(node)
        return found
    return References("the shortest way from a root", report.views[0].name, report.why(view.name, node))
