"""A table of what the beginning of a file says, shown until all of it is known: the first half of a `PreviewSwitch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from parsers.views.list_view import ListView


class Growing(Protocol):
    """A report that is being indexed."""

    @property
    def is_complete(self) -> bool:
        """Whether all is known."""
        ...


class PreviewView(ListView):
    """Rows that others will take the place of."""

    def __init__(self, report: Growing) -> None:
        super().__init__()
        self._growing = report
        self._refs: Sequence[str] = ()
        """By row, noted by `make`."""

    @property
    def is_ready(self) -> bool:
        """Until all is known."""
        return not self._growing.is_complete

    @property
    def is_complete(self) -> bool:
        """There will be others."""
        return False

    def ref(self, node: int) -> str:
        """The REF of what a row belongs to; also when it is not shown any more."""
        return self._refs[node] if node < len(self._refs) else ""
