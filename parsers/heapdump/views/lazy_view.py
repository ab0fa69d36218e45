"""Views of a heap that are worked out of all of it when they are first asked for, in a thread."""

from __future__ import annotations

from typing import Any

from parsers.heapdump.graph.heap_context import HeapView
from parsers.model.preparation import Preparation, Prepared


class LazyView(HeapView):
    """A view that has no rows before `found` is made."""

    work = ""
    """What is done meanwhile, for people."""
    found: Prepared[Any]
    """What rows are made of."""

    @property
    def is_ready(self) -> bool:
        """Whether it can be shown now."""
        return super().is_ready and not self.found.is_under_way

    @property
    def is_made(self) -> bool:
        """Whether rows can be had without much work."""
        return self.found.is_made

    @property
    def waits_for(self) -> str:
        """What is done before there are rows."""
        return self.work if self.found.is_under_way else super().waits_for

    def preparation(self) -> Preparation | None:
        """What is to be done before there are rows."""
        return self.found.preparation() if self.is_ready else None
