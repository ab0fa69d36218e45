"""A table of the beginning of a file, shown until all of it is known: the preview of a `PreviewSwitch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from parsers.views.list_view import ListView


class GrowingReport(Protocol):
    """A report that is being indexed."""

    @property
    def is_complete(self) -> bool:
        """True if everything is known."""
        ...


class PreviewView(ListView):
    """Rows that will be replaced by others."""

    def __init__(self, report: GrowingReport) -> None:
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

    def ref(self, node: int) -> str:
        """The REF of what a row shows; also after the preview was replaced."""
        return self._refs[node] if node < len(self._refs) else ""
