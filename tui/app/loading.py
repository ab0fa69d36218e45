"""Loading after the first screen, in idle moments: modules in small steps, numpy in a thread.

A key pressed meanwhile waits for one step at most. Idle means that no frame was shown for a moment; if that does not
happen, as while a key is held, loading continues after a second.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasSiblingFiles

if TYPE_CHECKING:
    from tui.app.host import Host
    from tui.screen.browser import Browser
    from tui.tree.tree_view import TreeView

OF_KEYS = (
    "tui.input.keys.keyboard",
    "tui.interaction.prompts.prompt",
    "tui.interaction.screen_interaction",
    "tui.interaction.filters.filtering",
    "tui.interaction.interaction",
    "tui.input.commands.footer",
)
"""Modules for keys, in steps of some milliseconds each."""

OF_FIRST_USE = (
    "parsers.io.whole_file",
    "parsers.query.search.fuzzy",
    "parsers.runtime.worker.worker",
    "tui.list.list_pane",
    "tui.interaction.prompts.lists",
    "tui.interaction.prompts.help",
    "tui.interaction.search.name_list",
    "tui.interaction.prompts.palette",
    "tui.interaction.yank",
    "tui.tree.outlines.lazy_outline",
    "tui.tree.outlines.selected_outline",
)
"""Modules that some keys need when first pressed."""

REST = 0.1
"""Seconds without a frame that count as idle."""

PATIENCE = 1.0
"""Seconds after which loading does not wait for idle moments: keys must get their commands eventually."""

STEP = 0.01
"""Seconds between two steps: time for handling a key."""


async def load(app: Host, browser: Browser) -> None:
    """Loads the modules of commands, has rows counted, and loads the modules of their first calls.

    numpy is first: rows of a growing index need it, and a key that had to load it would wait for all of it.
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
    await count_all(app, browser.tree_view)
    await read_sibling_files(app, browser)
    report = browser.report
    for name in (*report.deferred_imports, *OF_FIRST_USE):
        await rest(app, time.monotonic() + PATIENCE)
        import_module(name)


async def read_sibling_files(app: Host, browser: Browser) -> None:
    """Has a report examine other files in its folder, in a thread: they may narrow the version in the title."""
    report = browser.report
    if not isinstance(report, HasSiblingFiles):
        return
    await rest(app, time.monotonic() + PATIENCE)
    before = browser.report.format_version
    await app.work.start(report.read_sibling_files, False)
    if browser.is_there and browser.report.format_version != before:
        browser.progressed()


def steps_to_commands(app: Host, browser: Browser) -> Iterator[Callable[[], object]]:
    """Work that must be done before all keys are answered at once, in steps."""
    for name in OF_KEYS:
        yield lambda name=name: import_module(name)  # type: ignore[misc]  # mypy can't tell the type of a default
    yield lambda: app.setup
    yield lambda: browser.interaction
    yield browser.begin


async def rest(app: Host, end: float) -> None:
    """Waits for an idle moment, at most until `end`; a pending key is handled in any case."""
    await asyncio.sleep(0)
    while app.rest < REST and time.monotonic() < end:
        await asyncio.sleep(STEP)


async def count_all(app: Host, tree: TreeView) -> None:
    """Counts the rows after the first ones; loads the modules that count, and those that speed it up, in a thread."""
    if tree.is_limited:
        await app.work.start(import_module, "numpy")
    tree.lift_limit()
    prepare = tree.preparation()
    if prepare is not None:
        await app.work.start(prepare)
    # Loaded objects are permanent: the garbage collector need not examine them.
    gc.freeze()
