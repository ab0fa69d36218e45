"""Views of a heap that are computed from all of it on first use, in a thread."""

from __future__ import annotations

from typing import Any

from parsers.heapdump.graph.heap_context import HeapView
from parsers.model.preparation import LazyValue, Preparation


class LazyView(HeapView):
    """A view without rows until `found` is computed."""

    work = ""
    """Label of the computation, for screens."""
    found: LazyValue[Any]
    """The source of the rows."""

    @property
    def is_ready(self) -> bool:
        """True if it can be shown now."""
        return super().is_ready and not self.found.is_running

    @property
    def is_prepared(self) -> bool:
        """True if rows are available without much work."""
        return self.found.is_prepared

    @property
    def waits_for(self) -> str:
        """Label of the computation that rows wait for."""
        return self.work if self.found.is_running else super().waits_for

    def preparation(self) -> Preparation | None:
        """Returns the computation that has to run before there are rows."""
        return self.found.preparation() if self.is_ready else None
