"""What is loaded before the first rows are on the screen: modules by name, as times differ from machine to machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, json, sys
from tui.arguments import parse
from tui.start import open_anew
from parsers.cache import Cache

report = open_anew([sys.argv[1]], None, Cache())
report.start_index()
before_textual = "textual" in sys.modules
from tui.app import CoffeetreeApp
from tui.terminal.private import screen_text

seen = {}

async def first_frame(app):
    seen["modules"] = sorted(sys.modules)
    seen["screen"] = screen_text(app)

CoffeetreeApp._after_first_frame = first_frame

async def main():
    app = CoffeetreeApp(report)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
    report.close()

asyncio.run(main())
print(json.dumps({"before_textual": before_textual, **seen}))
"""

LATER = (
    "numpy",
    "numba",
    "lxml",
    "stringzilla",
    "textual.widgets._markdown",
    "textual.widgets._text_area",
    "textual.widgets._data_table",
    "parsers.folder",
    "parsers.search.pattern",
    "tui.interaction.interaction",
    "tui.keys.registry",
    "tui.list.help_pane",
    "tui.tree.lazy_outline",
    "tui.list.list_pane",
    "tui.interaction.palette",
    "tui.picker",
    "tui.tree.selected_outline",
)


@pytest.mark.parametrize("name", ["call_tree_demo_20230401_101500.txt", "object_tree_demo_20230401_101500.txt"])
def test_the_first_rows_are_there_before_anything_they_do_not_need(corpus: Path, tmp_path: Path, name: str):
    path = corpus / "v20_to_24.0" / "reports" / name
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert "com.example" in seen["screen"]
    assert [module for module in LATER if module in seen["modules"]] == []
    assert not seen["before_textual"]
