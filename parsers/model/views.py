"""The views of a report, each made on first access: the first screen needs only one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import overload

from parsers.model.view import View


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
        """True if there is a view of a name, listed or not."""
        if name in self._makers:
            return self._is_there(name)
        return name in self.added or self._hidden(name) is not None

    @property
    def possible(self) -> list[str]:
        """Names of all views that a report of this kind may have, whatever its file contains."""
        return list(self._makers)

    def state(self, name: str) -> tuple[bool, int | None]:
        """Readiness of a view, and its rows if known; an expensive view is not made for that."""
        if self._is_ready is not None and name not in self._made and name not in self.added:
            return self._is_ready(name), None
        view = self._make(name)
        return view.is_ready, view.row_count if view.is_prepared else None

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
