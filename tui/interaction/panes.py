"""Protocols of panes: the capabilities that commands use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from parsers.model.capability import Capability

if TYPE_CHECKING:
    from parsers.model.view import View


@runtime_checkable
class NarrowablePane(Protocol, metaclass=Capability):
    """A pane with a list: typing narrows it to the rows that match, and its rows may change while the index grows."""

    words: str
    """The text that rows must contain."""

    def narrow(self, text: str) -> None:
        """Shows only rows that contain a text."""
        ...

    def place(self) -> tuple[View, int] | None:
        """View and node of the row under the cursor; None if the list has no nodes."""
        ...

    @property
    def can_refill(self) -> bool:
        """True if the list can be refilled."""
        ...

    def refresh_rows(self) -> None:
        """Shows the present rows."""
        ...


@runtime_checkable
class SortablePane(Protocol, metaclass=Capability):
    """A pane whose rows can be sorted by its columns, or what sorts the rows of the view."""

    def sort(self, name: str, /) -> None:
        """Sorts by a column; for an empty name by the next one."""
        ...

    def sort_reverse(self) -> None:
        """Reverses the order."""
        ...


@runtime_checkable
class SearchablePane(Protocol, metaclass=Capability):
    """A pane with text that can be searched."""

    searched: str
    found: list[int]
    cursor_row: int

    def search(self, text: str) -> None:
        """Goes to the first match from the cursor on."""
        ...

    def next_match(self, count: int) -> None:
        """Goes to a later match; to an earlier one if the count is negative."""
        ...

    def move_to_row(self, row: int) -> None:
        """Puts the cursor on a row."""
        ...
