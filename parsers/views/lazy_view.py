"""`LazyView`: base class of views that are made of a value that takes long to compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.model.late.preparation import LazyValue, Preparation


class LazyView(View):
    """A view without rows until `found` is computed, in a thread unless that is quick. Precedes other bases."""

    work = ""
    """Label of the computation, for screens."""

    @property
    def found(self) -> LazyValue[Any]:
        """The source of the rows."""
        raise NotImplementedError

    @property
    def is_quick(self) -> bool:
        """True if computing it takes no longer than a key may wait."""
        return False

    @property
    def is_ready(self) -> bool:
        """True if it can be shown now."""
        return super().is_ready and not self.found.is_running

    @property
    def is_prepared(self) -> bool:
        """True if rows are available without much work."""
        return self.is_quick or self.found.is_prepared

    @property
    def waits_for(self) -> str:
        """Label of the computation that rows wait for."""
        return self.work if self.found.is_running else super().waits_for

    def preparation(self) -> Preparation | None:
        """Returns the computation that has to run before there are rows."""
        return self.found.preparation() if self.is_ready and not self.is_prepared else None
