"""Views that take longer to make than a key may wait are made in a thread, while another one is shown or none yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from parsers.model.report import View


class Shows(Protocol):
    """The screen that shows one view of a report."""

    view: View

    @property
    def app(self) -> Any: ...
    @property
    def is_there(self) -> bool: ...
    def progressed(self) -> None: ...


class Preparing:
    """What is being made for one browser.

    A view may have `preparation()`: None where it has rows at once, else what to `run` in a thread and how to `finish`
    it; until then it is not ready, and `waits_for` says why.
    """

    def __init__(self, browser: Shows) -> None:
        self._browser = browser
        self._under_way: dict[str, Callable[[], object] | None] = {}
        """By name of a view: what was to be done when it is made."""
        self._sorting: Callable[[], object] | None = None
        """What was last to be sorted."""

    def begin(self, view: View, then: Callable[[], object] | None = None) -> bool:
        """Has a view made. False: it is, so nothing is to be waited for. then: done behind it, the last one only."""
        if view.name in self._under_way:
            self._wait_for(view, then or self._under_way[view.name])
            return True
        preparation = view.preparation()
        if preparation is None:
            return False
        self._wait_for(view, then)
        self._browser.app.run_worker(self._make(view, preparation))
        return True

    def sort(self, view: View, work: Callable[[], object], then: Callable[[], object]) -> None:
        """Has rows of a view sorted; behind it, if the view is still shown and nothing else is to be sorted, `then`."""
        self._sorting = work
        self._browser.app.run_worker(self._sort(view, work, then))

    async def _sort(self, view: View, work: Callable[[], object], then: Callable[[], object]) -> None:
        await asyncio.get_running_loop().run_in_executor(None, work)
        if self._sorting is work and self._browser.is_there and self._browser.view is view:
            then()

    def _wait_for(self, view: View, then: Callable[[], object] | None) -> None:
        """What was to be done behind other views is not wanted any more."""
        self._under_way = dict.fromkeys(self._under_way) | {view.name: then}

    async def _make(self, view: Any, preparation: Any) -> None:
        while preparation is not None:
            await asyncio.get_running_loop().run_in_executor(None, preparation.run)
            preparation = None if preparation.finish() else view.preparation()
        then = self._under_way.pop(view.name)
        browser = self._browser
        if browser.is_there and browser.view is view:
            browser.progressed()
            browser.app.count_all(browser)
        if browser.is_there and then is not None:
            then()
