"""One view that two others show: the first what is known so far, the second all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from parsers.model.report import UnknownReference, View
from parsers.views.proxy import ViewProxy


class FirstView(Protocol):
    """What is shown before all is known."""

    @property
    def is_ready(self) -> bool:
        """Whether it is what is to be shown."""
        ...

    def ref(self, node: int) -> str:
        """The REF of a row; also when it is not shown any more."""
        ...


class PreviewSwitch(ViewProxy):
    """Answers as the view that is to be shown now."""

    def __init__(self, first: FirstView, second: View) -> None:
        self._first, self._second = first, second
        self._was_first = False

    def shown_view(self) -> Any:
        """The first view while that is ready, else the second."""
        return self._first if self._first.is_ready else self._second

    def renew(self) -> Callable[[int], int | None] | None:
        """Where each node is that there was when this was asked last. None: all as it was."""
        was_first, self._was_first = self._was_first, self._first.is_ready
        places = None if self._was_first else self._second.renew()
        return self._place if was_first and not self._was_first else places

    def _place(self, node: int) -> int | None:
        """The row of the second view for one of the first. Who stands at the beginning stays there."""
        if not node:
            return 0
        try:
            return self._second.resolve(self._first.ref(node))
        except UnknownReference:
            return None


def changing(first: FirstView, second: View) -> View:
    """Both as one view."""
    return cast(View, PreviewSwitch(first, second))
