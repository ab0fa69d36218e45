"""What the first screen did not need is loaded behind it, in rests: modules in small steps, numpy in a thread.

A key that is pressed meanwhile waits for one step at most. In a rest no frame has been shown for a moment; where none
comes, as while a key is held, loading goes on after a second nevertheless.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from parsers.model.capabilities import LoadsLater, LooksBeside

if TYPE_CHECKING:
    from tui.app.host import Host
    from tui.screen.browser import Browser

OF_KEYS = (
    "tui.input.keys.keyboard",
    "tui.interaction.screen_interaction",
    "tui.interaction.filters.filtering",
    "tui.interaction.interaction",
    "tui.input.commands.footer",
)
"""Modules that keys need, in steps of some milliseconds each."""

OF_FIRST_USE = (
    "tui.interaction.prompts.prompt",
    "secrets",
    "parsers.query.search.fuzzy",
    "parsers.runtime.worker.worker",
    "tui.list.list_pane",
    "tui.interaction.prompts.lists",
    "tui.interaction.prompts.help",
    "tui.interaction.search.name_list",
    "tui.interaction.prompts.palette",
    "tui.interaction.yank",
    "tui.tree.lazy_outline",
    "tui.tree.selected_outline",
)
"""Modules that some keys need when they are first pressed."""

REST = 0.1
"""Seconds without a frame that are a rest."""

PATIENCE = 1.0
"""Seconds after which a rest is no longer waited for: keys have to get all of their commands at last."""

STEP = 0.01
"""Seconds between two steps: time for a key to get to whom it is for."""


async def load(app: Host, browser: Browser) -> None:
    """Loads what commands need, has rows counted, and loads what they need when they are first called.

    numpy comes first: rows of a growing index need it, and a key that had to load it would wait for all of it.
    """
    end = time.monotonic() + PATIENCE
    await rest(app, end)
    needs_numpy = browser.tree_view.is_limited or not browser.report.is_complete
    numpy = asyncio.get_running_loop().run_in_executor(None, import_module, "numpy") if needs_numpy else None
    for step in steps_to_commands(app, browser):
        await rest(app, end)
        step()
    if numpy is not None:
        await numpy
    await count_all(browser)
    await look_beside(app, browser)
    report = browser.report
    for name in (*(report.loads_later if isinstance(report, LoadsLater) else ()), *OF_FIRST_USE):
        await rest(app, time.monotonic() + PATIENCE)
        import_module(name)


async def look_beside(app: Host, browser: Browser) -> None:
    """Lets a report look at the files beside its own, in a thread: they may narrow the version in the title."""
    report = browser.report
    if not isinstance(report, LooksBeside):
        return
    await rest(app, time.monotonic() + PATIENCE)
    before = browser.report.format_version
    await asyncio.get_running_loop().run_in_executor(None, report.look_beside, False)
    if browser.is_there and browser.report.format_version != before:
        browser.progressed()


def steps_to_commands(app: Host, browser: Browser) -> Iterator[Callable[[], object]]:
    """What has to be done until all keys are answered at once."""
    for name in OF_KEYS:
        yield lambda name=name: import_module(name)  # type: ignore[misc]  # mypy can't tell the type of a default
    yield lambda: app.setup
    yield lambda: browser.interaction
    yield browser.begin


async def rest(app: Host, end: float) -> None:
    """Waits for a rest, until then at most; a key that is there already gets its turn in any case."""
    await asyncio.sleep(0)
    while app.rest < REST and time.monotonic() < end:
        await asyncio.sleep(STEP)


async def count_all(browser: Browser) -> None:
    """Counts the rows behind the first ones; what does it, and what makes it fast, is loaded in a thread."""
    tree, loop = browser.tree_view, asyncio.get_running_loop()
    if tree.is_limited:
        await loop.run_in_executor(None, import_module, "numpy")
    tree.lift_limit()
    prepare = tree.preparation()
    if prepare is not None:
        await loop.run_in_executor(None, prepare)
    # What is there now stays: nobody needs to look through it for what is unused.
    gc.freeze()
