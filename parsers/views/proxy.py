"""`ViewProxy`: base class of views that delegate to another view everything that they don't define."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parsers.model.view import View

    Delegating = View
else:
    Delegating = object


class ViewProxy(Delegating):
    """A view that delegates missing attributes, and so its capabilities, to another view."""

    def shown_view(self) -> View:
        """The view that attributes are taken from."""
        raise NotImplementedError

    if not TYPE_CHECKING:
        # Hidden from type checkers, which would accept any name.
        def __getattr__(self, name: str) -> Any:
            return getattr(self.shown_view(), name)

        # `isinstance` tests this besides the real class, so the capabilities of the other view count.
        __class__ = property(lambda self: type(self.shown_view()))


class LateView(ViewProxy):
    """A proxy of a view that is made on first use."""

    def __init__(self, make: Callable[[], View]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> View:
        return self._make()

    def shown_view(self) -> View:
        """The view."""
        return self._made
