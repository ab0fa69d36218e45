"""A file that grows, shrinks, is replaced or goes away while it is on the screen."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from conftest import TESTS
from stage import browsing

HEAD = "VM Entry Points\n"


def entry(number: int) -> str:
    return f"├── entry a.B.method{number}():void id={number} \n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "call_tree_demo_20240102_030405.txt"
    path.write_text(HEAD + "".join(map(entry, range(20))), "utf-8")
    return path


async def test_a_file_that_has_grown_is_reported_and_read_again(file):
    async with browsing(file) as stage:
        await stage.press("j j j")
        with file.open("a", encoding="utf-8") as more:
            more.write(entry(20))
        stage.app.check_file()
        assert "the file has grown: R reads it again, F follows" in stage.browser.title_line.text
        await stage.press("R")
        assert "grown" not in stage.browser.title_line.text
        assert stage.browser.tree_view.row_count == 21
        assert stage.row.ref == "line:5"


async def test_a_file_that_was_cut_is_reported_and_still_shown(file):
    async with browsing(file) as stage:
        file.write_text(HEAD + entry(0), "utf-8")
        stage.app.check_file()
        assert "the file was" in stage.browser.title_line.text
        await stage.press("G g")
        await stage.press("R")
        assert stage.browser.tree_view.row_count == 1


async def test_a_file_that_was_replaced_is_reported(file):
    async with browsing(file) as stage:
        other = file.with_suffix(".new")
        other.write_text(HEAD + "".join(map(entry, range(50, 80))), "utf-8")
        other.rename(file)
        stage.app.check_file()
        assert "the file was replaced" in stage.browser.title_line.text
        await stage.press("R")
        assert stage.name == "B.method50"


async def test_a_file_that_was_replaced_by_one_of_another_format_is_read_as_that(file):
    async with browsing(file) as stage:
        await stage.press("G")
        await stage.press('& "method1" Enter')
        sample = TESTS / "corpus" / "hprof" / "text" / "deadlock-quit.txt.xz"
        other = file.with_suffix(".new")
        other.write_bytes(lzma.decompress(sample.read_bytes()))
        other.rename(file)
        await stage.press("R")
        assert stage.status == "read again"
        assert stage.browser.report.format == "hprof-text"
        await stage.until(lambda: bool(stage.browser.tree_view.row_count))
        await stage.press("<")
        assert stage.status == "No position to go back to."
        await stage.press("v")
        assert "Monitors" in stage.screen()


async def test_a_search_in_a_file_that_is_gone_shows_it_in_words(file):
    async with browsing(file) as stage:
        file.unlink()
        await stage.press('/ "method7" Enter')
        await stage.until(lambda: "No such file or directory" in stage.screen())
        assert "Error" not in stage.screen()


async def test_a_file_that_is_gone_can_be_looked_at_but_not_read_again(file):
    async with browsing(file) as stage:
        file.unlink()
        stage.app.check_file()
        assert "the file was removed" in stage.browser.title_line.text
        await stage.press("G R")
        assert stage.browser.tree_view.row_count == 20
        assert file.name in stage.status


async def test_a_growing_file_is_followed(file):
    async with browsing(file) as stage:
        await stage.press("F")
        assert stage.row.ref == "line:21"
        with file.open("a", encoding="utf-8") as more:
            more.write(entry(20))
        stage.app.check_file()
        await stage.until(lambda: stage.row.ref == "line:22")
        await stage.press("k")
        assert stage.status == "Paused. F follows again."
        with file.open("a", encoding="utf-8") as more:
            more.write(entry(21))
        await stage.until(lambda: "the file has grown" in stage.browser.title_line.text)
        assert stage.browser.tree_view.row_count == 21


async def test_every_view_has_headings(file):
    async with browsing(file) as stage:
        assert stage.lines()[2].split() == ["Call", "tree", "@bci", "#id", "↩ref", "rows", "below"]
        stage.browser.show_view("Packages")
        await stage.pilot.pause()
        assert stage.lines()[2].split() == ["Packages", "methods", "call", "sites", "reached", "first"]


async def test_lines_around_a_list_speak_of_the_list(file):
    async with browsing(file) as stage:
        await stage.press("v j")
        assert stage.browser.crumb_line.text.strip() == ""
        assert stage.status.startswith("2 of ")
        await stage.press("q")
        assert stage.status.startswith("line:2 ")
