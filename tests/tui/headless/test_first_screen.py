"""Modules loaded before the first rows are on the screen, by name, as times differ between machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from heap_dumps import sample

from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

PROGRAM = """
import asyncio, json, sys
from tui.command_line.arguments import parse
from tui.app.start import open_paths
from parsers.io.cache import Cache

report = open_paths([sys.argv[1]], None, Cache())
report.start_index()
before_textual = "textual" in sys.modules
from tui.app.app import CoffeetreeApp
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
ours = [module for name, module in sys.modules.items() if name.partition(".")[0] in ("parsers", "tui")]
written = {
    f"{each.__module__}.{each.__name__}"
    for module in ours for each in vars(module).values()
    if isinstance(each, type) and each.__module__ == module.__name__ and "__dataclass_params__" in vars(each)
    and module.__name__ in seen["modules"]
}
print(json.dumps({"before_textual": before_textual, "dataclasses": sorted(written), **seen}))
"""

LATER = (
    "numpy",
    "numba",
    "lxml",
    "stringzilla",
    "textual.widgets._markdown",
    "textual.widgets._text_area",
    "textual.widgets._data_table",
    "duckdb",
    "pyarrow",
    "parsers.model.tables.table",
    "parsers.views.report_tables",
    "parsers.reporting.sql",
    "parsers.runtime.worker.query_worker",
    "tui.interaction.sql",
    "parsers.formats.folder",
    "parsers.query.search.pattern",
    "tui.interaction.interaction",
    "tui.input.keys.registry",
    "tui.list.help_pane",
    "tui.tree.outlines.lazy_outline",
    "tui.list.list_pane",
    "tui.interaction.prompts.palette",
    "tui.screen.picker",
    "tui.tree.outlines.selected_outline",
)

NOT_FOR_ROWS_OF_CLASSES = (
    "parsers.io.background_task",
    "parsers.formats.hprof.agent_binary.profile",
    "parsers.heapdump.tables.class_sums",
    "parsers.heapdump.collections.contents",
    "parsers.formats.hprof.dump.graph.sections",
    "parsers.formats.hprof.dump.graph.value_formatter",
    "parsers.heapdump.tables.heap_tables",
    "parsers.formats.hprof.text.lines",
    "parsers.formats.hprof.dump.graph.members",
    "parsers.formats.hprof.text.plain_text",
    "parsers.formats.hprof.data.tables",
    "parsers.formats.hprof.dump.graph.thread_stacks",
)
"""For a heap dump with its index: modules that read the file, build tables, or describe single objects."""

DATACLASSES = {
    "parsers.formats.graalvm.text.summary.ProblemNumbers",
    "parsers.model.names.java_method.Method",
    "tui.tree.viewport.Viewport",
}
"""Those whose methods are written when their modules are imported. Others are a `value_class`, which costs nothing."""


def first_frame(path: Path, cache: Path) -> dict[str, Any]:
    """Returns the loaded modules and the screen at the first frame of a report."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", ["call_tree_demo_20230401_101500.txt", "object_tree_demo_20230401_101500.txt"])
def test_the_first_rows_are_there_before_anything_they_do_not_need(corpus: Path, tmp_path: Path, name: str):
    path = corpus / "v20_to_24.0" / "reports" / name
    seen = first_frame(path, tmp_path)
    assert "com.example" in seen["screen"]
    assert [module for module in LATER if module in seen["modules"]] == []
    assert set(seen["dataclasses"]) <= DATACLASSES
    assert not seen["before_textual"]


def test_a_heap_dump_with_its_index_needs_little_for_its_first_rows(tmp_path: Path):
    path = tmp_path / "jdk17.hprof"
    path.write_bytes(sample(path.name))
    report = open_report([str(path)], cache=Cache(str(tmp_path / "coffeetree")))
    report.wait()
    report.close()
    seen = first_frame(path, tmp_path)
    assert "(default package)" in seen["screen"]
    assert "indexed" in seen["screen"]
    assert [module for module in (*LATER, *NOT_FOR_ROWS_OF_CLASSES) if module in seen["modules"]] == []
    assert set(seen["dataclasses"]) <= DATACLASSES


TABLES = (
    "duckdb",
    "pyarrow",
    "parsers.model.tables.table",
    "parsers.model.tables.column_values",
    "parsers.model.tables.arrow_stream",
    "parsers.views.report_tables",
)
"""Modules of tables and queries."""


def test_info_imports_nothing_of_tables_and_queries(corpus: Path, tmp_path: Path):
    path = corpus / "v20_to_24.0" / "reports" / "call_tree_demo_20230401_101500.txt"
    program = (
        "import sys; from tui.app.main import main; sys.argv[1:] = ['info', sys.argv[1]]; main(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True, text=True, check=True, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "parsers.runtime.opening" in loaded
    assert loaded.isdisjoint(TABLES)
