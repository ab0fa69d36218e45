"""The frame around the tree as a person sees it, at every size."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from backports import zstd
from conftest import TESTS
from made_report import MadeReport, MadeTree, made
from textual import events
from textual.pilot import Pilot

from parsers.io.cache import Cache
from parsers.model.report import Problem, Progress, Report
from parsers.model.row import Row, Span
from parsers.runtime.opening import open_report
from tui.app.app import CoffeetreeApp
from tui.screen.browser import REST, Browser
from tui.screen.frame import crumb_text, progress_piece, size_text, title_left, title_right, without_details
from tui.terminal.private import screen_text
from tui.tree.piece import Piece

DRAWING = """
    org.h2.tools.Shell.main(java.lang.String[]):void #1021
      org.h2.tools.Shell.runTool(java.lang.String[]):void #2559
        java.sql.Connection.close():void
          org.h2.jdbc.JdbcConnection.close():void #4976
        java.lang.String.equals(java.lang.Object):boolean ^1021
    org.h2.Driver.load():void #3
"""


WIDE = """\
 drawing.txt  made report · 54 MB                                                            indexed · 6 rows
 Shell.main ▸ Shell.runTool ▸ Connection.close ▸ JdbcConnection.close
  Made                                                         #id below
  ▾ ● org.h2.tools.Shell.main(String[]):void                 #1021     4   │ org.h2.jdbc.JdbcConnection.close
    ▾ → org.h2.tools.Shell.runTool(String[]):void            #2559     3   │ ():void
      ▾ → java.sql.Connection.close():void                             1   │
█         → org.h2.jdbc.JdbcConnection.close():void          #4976     0   │ Row
        → java.lang.String.equals(Object):boolean            ↩1021         │ line      5
    ● org.h2.Driver.load():void                                 #3     0   │ below     0 rows
 line:5         row 4 of 6   entry 1 of 2
 Enter open  r references  W why  / search  & filter  o go to  v view  i pane  yy copy         ? help  q quit"""


class Stage:
    """A running app."""

    def __init__(self, app: CoffeetreeApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def browser(self) -> Browser:
        browser = self.app.browser
        assert browser is not None
        return browser

    async def screen(self) -> list[str]:
        await self.pilot.pause(REST + 0.05)
        return screen_text(self.app).split("\n")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()


@asynccontextmanager
async def shown(report: MadeReport, width: int, height: int) -> AsyncIterator[Stage]:
    app = CoffeetreeApp(report)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        yield Stage(app, pilot)


async def test_a_wide_screen_has_the_details_beside_the_tree():
    async with shown(made(DRAWING), 110, 11) as stage:
        await stage.press("j", "j", "j")
        assert "\n".join(await stage.screen()) == WIDE


@pytest.mark.parametrize(
    ("width", "height", "where"),
    [(110, 10, "beside"), (109, 24, "below"), (109, 23, "nowhere"), (80, 24, "below"), (79, 40, "nowhere")],
)
async def test_the_detail_pane_is_shown_if_it_fits(width, height, where):
    async with shown(made(DRAWING), width, height) as stage:
        detail, tree = stage.browser.detail.region, stage.browser.tree_view.region
        if where == "nowhere":
            assert not stage.browser.detail.display
        elif where == "beside":
            assert (detail.y, detail.right) == (tree.y, width)
            assert abs(detail.width - width / 3) < 2
        else:
            assert (detail.x, detail.width) == (0, width)
            assert detail.y == tree.bottom
            assert abs(detail.height - (height - 4) / 4) < 2


async def test_a_narrow_screen_shortens_names_and_drops_columns():
    async with shown(made(DRAWING), 50, 11) as stage:
        await stage.press("j", "j", "j")
        assert (await stage.screen())[1:9] == [
            " … ▸ Connection.close ▸ JdbcConnection.close",
            "  Made                                 #id below",
            "  ▾ ● o.h2.tools.Shell.main(…)       #1021     4",
            "    ▾ → o.h2.tools.Shell.runTool(…)  #2559     3",
            "      ▾ → j.s.Connection.close()               1",
            "█         → JdbcConnection.close()   #4976     0",
            "        → j.l.String.equals(…)       ↩1021",
            "    ● o.h2.Driver.load()                #3     0",
        ]


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (5, 1), (10, 3), (19, 40), (200, 4)])
async def test_a_screen_that_is_too_small_shows_it(size):
    async with shown(made(DRAWING), *size) as stage:
        assert (await stage.screen())[0].startswith("needs 20 × 5"[: max(0, size[0] - 1)])
        await stage.press("j", "l", "i", "tab")


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (300, 100)])
async def test_every_other_size_shows_the_cursor_row(size):
    async with shown(made(DRAWING), *size) as stage:
        await stage.press("G")
        assert any(line.startswith("█") for line in await stage.screen())


async def test_the_status_line_shows_where_the_cursor_is():
    async with shown(made(DRAWING), 80, 10) as stage:
        await stage.press("G")
        assert stage.browser.status_line.text.rstrip() == " line:7         row 6 of 6   entry 2 of 2"


async def test_growing_numbers_are_marked_while_the_index_grows():
    report = made(DRAWING, rows=3)
    async with shown(report, 90, 12) as stage:
        screen = await stage.screen()
        assert screen[0].endswith("50 % · 540 MB/s · 0 s left")
        assert screen[3].split()[-1] == "2…"
        assert "row 1 of 3…" in stage.browser.status_line.text
        report.tree.rows = 6
        stage.browser.progressed()
        screen = await stage.screen()
        assert screen[0].endswith("indexed · 6 rows")
        assert "row 1 of 6 " in stage.browser.status_line.text


async def test_problems_are_counted_in_the_title():
    report = made(DRAWING)
    report.problems = [Problem("cut", "ends inside a row", "kept what was read", offset=5)]
    async with shown(report, 90, 12) as stage:
        assert (await stage.screen())[0].endswith("! 1 problem · indexed · 6 rows")


async def test_the_name_of_the_file_stays_in_any_message():
    async with shown(made(DRAWING), 60, 12) as stage:
        stage.browser.file_changed("the file was cut: rows behind its end are gone, R reads it again")
        title = (await stage.screen())[0]
        assert title.startswith(" " + stage.browser.report.title)
        assert "the file was cut" in title


async def test_a_window_that_grows_until_all_rows_fit_shows_all_rows():
    async with shown(made(DRAWING), 80, 9) as stage:
        await stage.press("z", "R", "G")
        assert stage.browser.tree_view.viewport.top > 0
        await stage.pilot.resize_terminal(80, 30)
        await stage.screen()
        assert stage.browser.tree_view.viewport.top == 0
        assert stage.browser.tree_view.sticky_nodes() == []


async def test_tab_goes_to_the_details_and_enter_follows_their_links():
    async with shown(made(DRAWING), 110, 16) as stage:
        await stage.press("j", "j", "j")
        await stage.screen()
        await stage.press("tab")
        assert stage.browser.pane is stage.browser.detail
        assert "Shell.main" in "".join(piece.text for piece in stage.browser.detail.cursor_line.pieces)
        assert stage.browser.key_line.text.strip().startswith("Enter follow  Tab tree")
        await stage.press("k", "enter")
        assert "This line has no link." in "\n".join(await stage.screen())
        await stage.press("j")
        await stage.press("enter")
        assert stage.browser.pane is stage.browser.tree_view
        assert stage.browser.tree_view.row_at_cursor().ref == "line:2"
        await stage.screen()
        assert stage.browser.key_line.text.strip().startswith("Enter open")


async def test_the_detail_pane_goes_and_comes_turns_grows_and_is_alone():
    async with shown(made(DRAWING), 120, 30) as stage:
        browser = stage.browser
        before = browser.detail.size.width
        await stage.press("minus")
        assert browser.detail.size.width > before
        await stage.press("i")
        assert not browser.detail.display
        await stage.press("i")
        assert browser.detail.display
        await stage.press("|")
        assert browser.detail.region.y == browser.tree_view.region.bottom
        await stage.press("tab", "O")
        assert not browser.tree_view.display
        await stage.press("O")
        assert browser.tree_view.display
        assert browser.pane is browser.detail


async def test_hostile_text_reaches_no_line_of_the_screen():
    hostile = "a\x1b]52;c;x\x07\x9b31m\u202e[@click=app.quit]b"
    report = MadeReport(MadeTree([hostile, "  " + hostile]), title="t\x1b[2J.txt")
    report.format_version = "\x1b[31m"
    async with shown(report, 110, 12) as stage:
        await stage.press("j")
        text = "\n".join(await stage.screen())
        assert all(line.isprintable() for line in text.split("\n"))
        assert "[@click=app.quit]b" in text


async def test_a_click_selects_and_a_click_on_the_marker_folds():
    async with shown(made(DRAWING), 80, 12) as stage:
        await stage.pilot.click("#tree", offset=(20, 2))
        assert stage.browser.tree_view.cursor_node == 2
        await stage.pilot.click("#tree", offset=(4, 1))
        assert stage.browser.tree_view.cursor_node == 1
        assert stage.browser.tree_view.row_count == 3


async def test_the_wheel_scrolls_three_rows_and_keeps_the_cursor_on_the_screen():
    report = MadeReport(MadeTree(["a"] * 100))
    async with shown(report, 80, 14) as stage:
        tree = stage.browser.tree_view
        await stage.pilot._post_mouse_events([events.MouseScrollDown], "#tree", offset=(4, 1))
        assert (tree.viewport.top, tree.viewport.cursor) == (3, 3 + tree.viewport.margin)


@pytest.mark.parametrize(("width", "words"), [(78, 8), (40, 3), (20, 2)])
async def test_keys_of_help_and_quitting_are_at_the_right_end_of_every_key_line(width: int, words: int):
    async with shown(made(DRAWING), width, 24) as stage:
        line = (await stage.screen())[-1].strip()
        assert line.endswith("? help  q quit")
        assert "…" not in line
        assert len([word for word in line.split("  ") if word]) == words


async def test_the_status_line_shows_how_rows_are_sorted():
    async with shown(made(DRAWING), 110, 24) as stage:
        await stage.press("s", "j")
        await stage.screen()
        assert stage.browser.status_line.text.rstrip().endswith("by label")


def test_a_stage_of_an_index_is_shown_with_its_share() -> None:
    told = progress_piece(Progress(40, 100, 5, 2.0, "indexing", stage="references", share=0.45))
    assert told.text == "references 45 % · 3 s left"


def test_the_title_shows_the_awaited_stage() -> None:
    assert progress_piece(Progress(0, 100, 0, 0.0, "waiting")).text == "waiting"
    assert progress_piece(Progress(0, 100, 0, 0.0, "waiting", "compiling its loops")).text == "compiling its loops"


def test_an_index_that_was_stopped_shows_before_what() -> None:
    told = progress_piece(Progress(40, 100, 5, 2.0, "stopped", stage="references", share=0.45))
    assert told.text == "indexing was stopped before references"


def test_the_title_of_an_index_that_ended_early_shows_the_key_that_reads_again() -> None:
    died = Progress(40, 100, 5, 2.0, "failed", "the indexer was ended by signal 9")
    assert progress_piece(died).text == "no index (R reads again): the indexer was ended by signal 9"
    assert progress_piece(replace(died, stage="paths")).text.startswith("indexing ended early (R reads again): ")
    assert progress_piece(died).action == "run:reload"


# -- sizes ------------------------------------------------------------------------------------------------------------

SAMPLES = TESTS / "corpus" / "hprof" / "text" / "javac-samples-depth16-thread.txt.xz"
PACKERS = {".gz": lambda data: gzip.compress(data, 1), ".xz": lzma.compress, ".zst": zstd.compress}


def title(report: Report) -> str:
    return "".join(piece.text for piece in (*title_left(report), *title_right(report)))


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "cut"])
def test_the_size_of_a_compressed_file_is_that_of_the_archive_until_its_contents_are_known(
    suffix: str, is_cut: bool, tmp_path: Path
) -> None:
    data = lzma.decompress(SAMPLES.read_bytes()) * 2
    packed = PACKERS[suffix](data)
    path = tmp_path / f"samples.txt{suffix}"
    path.write_bytes(packed[: len(packed) * 3 // 4] if is_cut else packed)
    cache = Cache(str(tmp_path / "cache"))
    report = open_report([str(path)], cache=cache)
    stored = f"{size_text(path.stat().st_size)} compressed"
    assert stored in title(report)
    titles: list[str] = []
    report.wait(lambda progress: titles.append(title(report)))
    assert all(stored in each or f"· {size_text(report.size)}" in each for each in titles)
    assert not any("100 %" in each for each in titles)
    assert f"· {size_text(report.size)}" in title(report) and "compressed" not in title(report)
    assert report.size > path.stat().st_size
    assert (report.size < len(data)) == is_cut
    assert ("problem" in title(report)) >= is_cut
    report.close()
    cache.close()


def test_a_pipe_that_is_still_read_has_a_size_so_far() -> None:
    source = SimpleNamespace(is_whole=False, is_spooling=True)
    report: Any = SimpleNamespace(
        source=source, size=65_536, format_title="any", format_version=None, title="standard input", estimated=""
    )
    assert title_left(report)[1].text == "  any · 66 KB so far"


def test_a_file_that_grows_or_is_cut_keeps_the_size_of_what_is_shown(tmp_path: Path) -> None:
    data = lzma.decompress(SAMPLES.read_bytes())
    path = tmp_path / "samples.txt"
    path.write_bytes(data)
    cache = Cache(str(tmp_path / "cache"))
    report = open_report([str(path)], cache=cache)
    report.wait()
    before = title(report)
    assert "· 666 KB" in before
    for state, change in ((data * 2, "grown"), (data[:300_000], "truncated")):
        path.write_bytes(state)
        assert report.source.change() == change  # type: ignore[attr-defined]
        assert title(report) == before
    again = open_report([str(path)], cache=cache)
    assert "· 300 KB" in title(again)
    for each in (report, again):
        each.close()
    cache.close()


@pytest.mark.parametrize("state", ["unpacking", "indexing"])
def test_work_that_is_not_done_is_never_at_100_percent(state: Any) -> None:
    for done in (999, 1000, 1200):
        progress = Progress(done, 1000, 10, 1.0, state)
        text = progress_piece(progress).text
        assert text.startswith("unpacking 99 %" if state == "unpacking" else "99 %")
        assert ("s left" in text) == (done < 1000)
    staged = Progress(1000, 1000, 10, 1.0, "indexing", stage="paths", share=1.0)
    assert progress_piece(staged).text.startswith("paths 99 %")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        *[(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (9_949, "9.9 KB"), (9_960, "10 KB"), (999_499, "999 KB")],
        *[(999_600, "1.0 MB"), (10**9, "1.0 GB"), (5 * 10**14, "500.0 TB")],
    ],
)
def test_sizes_have_at_most_three_digits(count: int, text: str) -> None:
    assert size_text(count) == text


def test_a_long_title_loses_whole_details() -> None:
    details = Piece("  compilation log JDK 17 · 87 MB · sizes are estimates", "title-dim")
    title = [Piece(" hotspot.log", "title"), details]
    texts = ["".join(piece.text for piece in without_details(title, width)) for width in (70, 50, 40)]
    assert texts == [
        " hotspot.log  compilation log JDK 17 · 87 MB · sizes are estimates",
        " hotspot.log  compilation log JDK 17 · 87 MB",
        " hotspot.log  compilation log JDK 17",
    ]


def test_a_crumb_that_is_cut_ends_with_an_ellipsis() -> None:
    label = "waiting for object org.acme.shop.InventoryService@4711"
    assert crumb_text(Row(0, "state", label)) == "waiting for object org.acme.shop.Invent…"
    assert crumb_text(Row(0, "state", label[:40])) == label[:40]
    method = f"a.{'B' * 70}.c():void"
    spans = (Span(2, 72, "class"), Span(73, 74, "name"))
    assert crumb_text(Row(0, "method", method, spans=spans)) == "B" * 59 + "…"
