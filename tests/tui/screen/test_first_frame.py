"""The frame that is shown before Textual is imported has the rows and lines of the browser's own first frame."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import CORPUS
from stage import Stage, browsing

from parsers.io.cache import Cache
from parsers.model.report import Report
from parsers.runtime.opening import open_report
from tui.app.first_frame import first_frame
from tui.screen.arrangement import SHARES, tree_size
from tui.screen.palettes import PALETTES
from tui.settings.state_folder import StateFolder, config_path, state_path

REPORTS = CORPUS / "v24.2_and_25" / "reports"
CALL_TREE = REPORTS / "call_tree_demo_20250916_101500.txt"
SIZES = [(20, 6), (60, 12), (79, 24), (80, 23), (80, 24), (99, 31), (109, 40), (110, 24), (121, 37), (203, 50)]


def lines_of(report: Report, width: int, height: int) -> list[str]:
    """The text of the early frame."""
    drawn = first_frame(report, PALETTES["dark"], width, height)
    return ["".join(segment.text for segment in line) for line in drawn]


async def check(path: Path, width: int, height: int, shares: dict[bool, float] | None = None) -> None:
    """Compares the lines around the tree and the tree itself; details and keys are not in the early frame."""
    async with browsing(path, size=(width, height)) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.quiet()
        stage.browser.set_filters_text("")
        columns, rows = stage.browser.tree_view.size
        early = lines_of(stage.browser.report, width, height)
        assert (columns, rows) == tree_size(width, height, shares or {True: 33, False: 25})
        shown = [line.ljust(width) for line in stage.lines()]
        assert len(early) == len(shown) == height
        assert {len(line) for line in early} == {width}
        assert early[:3] == shown[:3]
        assert [line[:columns] for line in early[3 : 3 + rows]] == [line[:columns] for line in shown[3 : 3 + rows]]
        assert early[-2].rstrip() == without_hint(stage)


def without_hint(stage: Stage) -> str:
    """The status line without the words about the tour."""
    return stage.browser.status_line.text.partition("new here?")[0].rstrip()


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_early_frame_is_the_first_frame_of_the_browser(size: tuple[int, int]) -> None:
    await check(CALL_TREE, *size)


@pytest.mark.parametrize(
    "sample",
    ["hprof/text/profiletest-samples-thread.txt.xz", "hotspot/two_jvms_17.log.xz", "tptp/agent_thread.trcxml"],
)
async def test_the_early_frame_of_other_formats(sample: str) -> None:
    await check(CORPUS.parent / sample, 100, 30)


async def test_the_early_frame_leaves_the_place_of_a_detail_pane_whose_edge_was_dragged() -> None:
    StateFolder(state_path(os.environ)).write(SHARES, "47.5 41\n")
    await check(CALL_TREE, 130, 40, {True: 47.5, False: 41})
    await check(CALL_TREE, 90, 40, {True: 47.5, False: 41})


def test_no_early_frame_where_the_first_screen_may_look_different(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = open_report([str(CALL_TREE)], cache=cache)
    assert not lines_of(report, 19, 24)
    assert not lines_of(report, 20, 5)
    assert lines_of(report, 80, 24)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config_path(os.environ).parent.mkdir()
    config_path(os.environ).write_text("ascii = true\n", "utf-8")
    assert not lines_of(report, 80, 24)
    report.close()
