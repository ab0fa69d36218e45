"""SVG snapshots: one small screen for each look that text screens can't show. `make snapshots` updates them."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from stage import Stage
from textual.pilot import Pilot

from parsers.io.cache import Cache
from parsers.runtime.opening import open_report
from tui.app.app import CoffeetreeApp
from tui.screen.palettes import PALETTES
from tui.settings.state_folder import StateFolder, state_path

FOLDER = "v24.2_and_25/reports"
CALLS = f"{FOLDER}/call_tree_demo_20250916_101500.txt"
OBJECTS = f"{FOLDER}/object_tree_demo_20250916_101500.txt"

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def a_place_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps configuration, state and environment of the user out of pictures."""
    for kind in ("CACHE", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    StateFolder(state_path(os.environ)).is_first_start()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")


def app_of(path: Path, palette: str) -> CoffeetreeApp:
    """The application with a report whose index is finished."""
    report = open_report([str(path)], cache=Cache())
    report.start_index()
    report.wait()
    return CoffeetreeApp(report, palette=PALETTES[palette])


def after(*keys: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Presses keys, or types a command, each when the ones before have had their effect."""

    async def press(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, CoffeetreeApp)
        stage = Stage(app, pilot)
        for each in keys:
            if each.startswith(":"):
                await stage.type(each)
                await stage.press("Enter")
            else:
                await stage.press(each)
            await stage.settled()
        detail = stage.browser.detail
        await stage.until(lambda: detail.row_count or not detail.display)
        await stage.quiet()

    return press


@pytest.mark.parametrize(
    ("path", "palette", "size", "keys"),
    [
        pytest.param(CALLS, "dark", (112, 14), ("j j j",), id="call-tree-dark"),
        pytest.param(CALLS, "light", (80, 14), ('/ "println" Enter',), id="search-light"),
        pytest.param(CALLS, "mono", (80, 14), (":suppress java.*", "t"), id="suppressed-mono"),
        pytest.param(OBJECTS, "ansi-dark", (80, 14), (), id="object-tree-16-colours"),
    ],
)
def test_looks(
    path: str, palette: str, size: tuple[int, int], keys: tuple[str, ...], corpus: Path, snap_compare: Compare
) -> None:
    app = app_of(corpus / path, palette)
    try:
        assert snap_compare(app, terminal_size=size, run_before=after(*keys))
    finally:
        assert app.report is not None
        app.report.close()
