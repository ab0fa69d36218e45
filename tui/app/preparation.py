"""Preparation of slow views in a thread, while another view or none is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from parsers.model.late.preparation import Preparation
    from parsers.model.view import View
    from tui.app.host import Host
    from tui.tree.tree_view import TreeView


class PreparedScreen(Protocol):
    """The screen that shows the views. `tui.screen.browser` has the docstrings."""

    @property
    def app(self) -> Host: ...
    @property
    def is_there(self) -> bool: ...
    @property
    def view(self) -> View: ...
    @property
    def tree_view(self) -> TreeView: ...
    def progressed(self) -> None: ...


class Preparing:
    """The views under preparation for one browser.

    A view may have `preparation()`: None if it has rows at once, else work to `run` in a thread and to `finish` it;
    until then it is not ready, and `waits_for` is the reason.
    """

    def __init__(self, browser: PreparedScreen) -> None:
        self._browser = browser
        self._running: dict[str, Callable[[], object] | None] = {}
        """Callbacks for the end of a preparation, by name of the view."""
        self._sorting: Callable[[], object] | None = None
        """The work of the last sort."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the views under preparation."""
        return tuple(self._running)

    def begin(self, view: View, then: Callable[[], object] | None = None) -> bool:
        """Prepares a view. False: it is ready, so nothing runs. then: called afterwards, only for the last view."""
        if view.name in self._running:
            self._wait_for(view, then or self._running[view.name])
            return True
        preparation = view.preparation()
        if preparation is None:
            return False
        self._wait_for(view, then)
        self._browser.app.run_worker(self._make(view, preparation))
        return True

    def sort(self, view: View, work: Callable[[], object], then: Callable[[], object]) -> None:
        """Sorts rows of a view, then calls `then` if the view is still shown and no other sort was started."""
        self._sorting = work
        self._browser.app.run_worker(self._sort(view, work, then))

    async def _sort(self, view: View, work: Callable[[], object], then: Callable[[], object]) -> None:
        await self._browser.app.work.start(work)
        if self._sorting is work and self._browser.is_there and self._browser.view is view:
            then()

    def _wait_for(self, view: View, then: Callable[[], object] | None) -> None:
        """Drops the callbacks of other views."""
        self._running = dict.fromkeys(self._running) | {view.name: then}

    async def _make(self, view: View, preparation: Preparation | None) -> None:
        while preparation is not None:
            await self._browser.app.work.start(preparation.run)
            preparation = None if preparation.finish() else view.preparation()
        then = self._running.pop(view.name)
        browser = self._browser
        if browser.is_there and browser.view is view:
            browser.progressed()
            browser.app.count_all(browser.tree_view)
        if browser.is_there and then is not None:
            then()
