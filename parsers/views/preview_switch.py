"""One view made of two: a preview of what is known so far, then the complete view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.model.view import UnknownReference, View
from parsers.views.list_view import ListView
from parsers.views.proxy import ViewProxy

if TYPE_CHECKING:
    from parsers.model.report import Report


class FirstView(View):
    """A preview, shown while it is ready: until everything is known."""

    def ref(self, node: int) -> str:
        """The REF of a row; also after the preview was replaced."""
        raise NotImplementedError


class PreviewView(FirstView, ListView):
    """A table of the beginning of a file, whose rows will be replaced by others."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self._growing = report
        self._refs: Sequence[str] = ()
        """REFs by row, set by `make`."""

    @property
    def is_ready(self) -> bool:
        """True until everything is known."""
        return not self._growing.is_complete

    @property
    def is_complete(self) -> bool:
        """False: other rows will follow."""
        return False

    @property
    def partial(self) -> str:
        """The part of the file that is shown."""
        return "the beginning of the file"

    def ref(self, node: int) -> str:
        """The REF of what a row shows; also after the preview was replaced."""
        return self._refs[node] if node < len(self._refs) else ""


class PreviewSwitch(ViewProxy):
    """A proxy of the view that is to be shown now."""

    def __init__(self, first: FirstView, second: View) -> None:
        self._first, self._second = first, second
        self._was_first = False

    def shown_view(self) -> View:
        """The preview while that is ready, else the complete view."""
        return self._first if self._first.is_ready else self._second

    def renew(self) -> Callable[[int], int | None] | None:
        """Returns a function from nodes at the last call to current ones. None: nothing changed."""
        was_first, self._was_first = self._was_first, self._first.is_ready
        places = None if self._was_first else self._second.renew()
        return self._place if was_first and not self._was_first else places

    def _place(self, node: int) -> int | None:
        """The row of the complete view for one of the preview. The first row stays the first."""
        if not node:
            return 0
        try:
            return self._second.resolve(self._first.ref(node))
        except UnknownReference:
            return None
