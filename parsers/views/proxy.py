"""`ViewProxy`: base class of views that delegate to another view everything that they don't define."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any


class ViewProxy:
    """A view that delegates missing attributes, and so its capabilities, to another view."""

    def shown_view(self) -> Any:
        """The view that attributes are taken from."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        return getattr(self.shown_view(), name)

    # `isinstance` tests this besides the real class, so the capabilities of the other view count.
    __class__ = property(lambda self: type(self.shown_view()))


class LateView(ViewProxy):
    """A proxy of a view that is made on first use."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Any:
        return self._make()

    def shown_view(self) -> Any:
        """The view."""
        return self._made
