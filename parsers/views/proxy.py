"""`ViewProxy`: base class of views that answer as another view, but for what they define themselves."""

from __future__ import annotations

from typing import Any


class ViewProxy:
    """Attributes that a derived class lacks are those of the view it stands for, and so are its capabilities."""

    def shown_view(self) -> Any:
        """The view that answers."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        return getattr(self.shown_view(), name)

    # `isinstance` looks at this besides the real class, so the capabilities of the other view count.
    __class__ = property(lambda self: type(self.shown_view()))
