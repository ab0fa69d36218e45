"""`ViewProxy`: base class of views that delegate to another view everything that they don't define."""

from __future__ import annotations

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
