"""The screen of an open report, as commands need it. Implemented by `tui.screen.browser`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.timer import Timer
    from textual.widget import Widget

    from parsers.model.report import Report, View
    from parsers.runtime.worker.worker import Worker
    from tui.app.preparation import Preparing
    from tui.pictures.picture_view import PictureView
    from tui.screen.detail import DetailPane
    from tui.tree.piece import Piece


@runtime_checkable
class ShowsReport(Protocol):
    """A screen with one report."""

    report: Report


@runtime_checkable
class ShowsView(Protocol):
    """A screen with one view."""

    view: View
    tree_view: PictureView


@runtime_checkable
class ShowsWriter(Protocol):
    """A screen that lists programs which write reports."""

    @property
    def writer(self) -> object | None:
        """The program under the cursor."""
        ...


@runtime_checkable
class ShowsMessages(Protocol):
    """A screen with a line for messages."""

    def show_message(self, text: str, kind: str = "information") -> None:
        """Shows a message."""
        ...


@runtime_checkable
class DeferredScreen(Protocol):
    """A screen that loads its commands after its first rows."""

    def begin(self) -> None:
        """Loads them now."""
        ...


class ReportScreen(Protocol):
    """The content of the screen, and how to change it. The implementation has the docstrings."""

    report: Report
    view: View
    previous_view: View | None
    preparing: Preparing
    search_workers: dict[Report, Worker]
    tree_view: PictureView
    detail: DetailPane
    shows_percent: bool

    @property
    def app(self) -> Any: ...
    @property
    def size(self) -> Size: ...
    @property
    def is_there(self) -> bool: ...
    @property
    def pane(self) -> Any: ...
    @property
    def has_list(self) -> bool: ...
    @property
    def leads_back(self) -> str: ...
    def next_pane(self, step: int = 1) -> None: ...
    def toggle_detail(self) -> None: ...
    def rotate_detail(self) -> None: ...
    def toggle_alone(self) -> None: ...
    def resize_pane(self, step: int) -> None: ...
    def show_list(self, widget: Widget) -> None: ...
    def show_detail(self) -> None: ...
    def close_pane(self) -> bool: ...
    def show_view(self, name: str, node: int | None = None) -> None: ...
    def show_message(self, text: str, kind: str = "information") -> None: ...
    def show_crumbs(self, pieces: Sequence[Piece] | None) -> None: ...
    def set_filters_text(self, text: str) -> None: ...
    def set_search_text(self, left: Sequence[Piece] | str | None, right: Sequence[Piece] | str = "") -> None: ...
    def set_timer(self, delay: float, callback: Callable[[], Any]) -> Timer: ...
    def progressed(self) -> None: ...
    def renewed(self, places: Callable[[int], int | None]) -> None: ...
    def leave(self) -> None: ...
    def reload(self) -> None: ...
    def redraw(self) -> None: ...
    def suspend(self) -> None: ...
