"""`ViewBase`: neutral answers for all members of a view, so that a view defines only what differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from parsers.model.preparation import Preparation
    from parsers.model.report import Link, Row, Switch
    from parsers.query.selection.selection import RowFilters


class HasTree(Protocol):
    """A view with its tree."""

    @property
    def tree(self) -> Any:
        """A tree that knows paths."""
        ...


class HasReport(Protocol):
    """A view with its report."""

    @property
    def report(self) -> Any:
        """The report."""
        ...


class ViewBase:
    """Base class of views. Each member is documented in `parsers.model.report.View`."""

    description = ""

    @property
    def is_ready(self) -> bool:
        """True."""
        return True

    @property
    def row_count(self) -> int | None:
        """None: unknown."""
        return None

    def path(self: HasTree, node: int) -> Sequence[int]:
        """The path in `tree`."""
        found: Sequence[int] = self.tree.path(node)
        return found

    def links(self, node: int) -> Sequence[Link]:
        """None."""
        return ()

    @property
    def switches(self) -> tuple[Switch, ...]:
        """None."""
        return ()

    @property
    def chosen(self) -> Mapping[str, str]:
        """Nothing, as there are no switches."""
        return {}

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Nothing, as there are no switches."""
        return {}

    @property
    def is_prepared(self) -> bool:
        """True: rows need no preparation."""
        return True

    def preparation(self) -> Preparation | None:
        """None: rows need no preparation."""
        return None

    @property
    def waits_for(self) -> str:
        """Empty: the finished index."""
        return ""

    @property
    def partial(self) -> str:
        """Empty: the rows are about the whole file."""
        return ""

    def renew(self) -> Callable[[int], int | None] | None:
        """None: nodes keep their numbers."""
        return None

    @property
    def note(self) -> str:
        """Empty."""
        return ""

    @property
    def empty_because(self) -> str:
        """Empty: unknown."""
        return ""

    @property
    def estimated(self) -> str:
        """Empty: bytes are exact, or there are none."""
        return ""

    @property
    def closes(self) -> str:
        """Empty: rows are closed as the user left them."""
        return ""

    @property
    def commands(self) -> tuple[tuple[str, str], ...]:
        """None."""
        return ()

    @property
    def starts_closed(self) -> bool:
        """False: as many rows are open as fit on the screen."""
        return False

    @property
    def first_depth(self) -> int | None:
        """None: see `starts_closed`."""
        return None

    label_width = 0

    label_title = ""

    sorted_by = ""

    @property
    def is_ranking(self) -> bool:
        """False."""
        return False

    @property
    def searches_labels(self) -> bool:
        """False."""
        return False

    def status_text(self, node: int) -> str:
        """Empty."""
        return ""

    def remark(self, row: Row) -> str:
        """Empty."""
        return ""

    def resolve(self, ref: str) -> int:
        """The first node of `resolve_all`. A view defines one of the two."""
        return self.resolve_all(ref)[0]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """The one node that `resolve` finds."""
        return [self.resolve(ref)]


class OfWholeReport:
    """A view of which any row may depend on any part of its report."""

    @property
    def is_ready(self: HasReport) -> bool:
        """True once the report is complete."""
        return bool(self.report.is_complete)


class LabelFiltered:
    """A view whose rows are filtered by their labels."""

    def row_filters(self) -> RowFilters:
        """Returns the filters of all rows."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self)
