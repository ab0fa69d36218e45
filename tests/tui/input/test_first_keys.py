"""The cursor moves before commands are loaded, by the same keys and in the same way as after."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from parsers.runtime.opening import open_report
from tui.app.app import CoffeetreeApp
from tui.input.keys.first_keys import FIRST_KEYS
from tui.input.keys.name import key_of_event
from tui.input.keys.registry import CommandCall, every_command


@pytest.mark.parametrize("key", FIRST_KEYS)
def test_the_registry_gives_the_key_the_same_meaning(key: str) -> None:
    commands = [each for each in every_command().of("browser") if key_of_event(key, key) in each.keys]
    pane, browser = Mock(), Mock()
    FIRST_KEYS[key](pane)
    assert len(commands) == 1
    commands[0].run(browser, CommandCall(None, "", ""))
    assert pane.mock_calls == browser.pane.mock_calls != []


async def test_the_cursor_moves_while_commands_are_loaded(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CoffeetreeApp, "_after_first_frame", lambda app: None)
    path = corpus / "v20_to_24.0" / "reports" / "call_tree_demo_20230401_101500.txt"
    app = CoffeetreeApp(open_report([str(path)]))
    async with app.run_test(size=(120, 12)) as pilot:
        await pilot.press("j", "down", "k", "j")
        assert app.browser is not None and app.browser.tree_view.cursor_row == 2
        assert "interaction" not in vars(app.browser)
        await pilot.press("J")
        assert "interaction" in vars(app.browser)
