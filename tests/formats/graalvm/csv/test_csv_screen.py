"""A CSV call tree on the screen: searching and filtering, while and after it is indexed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CORPUS, sample_path
from stage import Stage, browsing

from parsers.formats.graalvm.csv.report import CsvReport

SMALL = sample_path("csv_25", "call_tree_methods_demo_20250916_101500.csv")
REAL = CORPUS / "real_23.0_helloworld_csv" / "reports" / "call_tree_methods_helloworld_20261121_030247.csv.xz"


def node(stage: Stage) -> int | None:
    return stage.browser.tree_view.cursor_node


async def test_a_search_goes_to_the_rows_of_methods() -> None:
    async with browsing(SMALL) as stage:
        await stage.press('/ "StringBuilder" Enter')
        await stage.settled()
        assert node(stage) == 15
        await stage.press("n")
        assert node(stage) == 16


async def test_a_filter_leaves_rows_of_methods_and_those_above() -> None:
    async with browsing(SMALL) as stage:
        await stage.press('& "StringBuilder" Enter')
        await stage.until(lambda: stage.browser.tree_view.selection is not None)
        selection = stage.browser.tree_view.selection
        assert selection is not None
        assert [selection.node_at(place) for place in range(selection.rows)] == [8, 13, 14, 15, 16]


async def test_rows_are_there_when_the_index_is() -> None:
    async with browsing(REAL) as stage:
        await stage.until(lambda: stage.browser.report.is_complete and shown(stage) >= 1316)
        assert stage.row.kind == "entry"


TABLES = {
    "methods": "Id,Name,Type,Parameters,Return,Display,Flags\n0,main,a.B,empty,void,a.B.main,ps\n"
    "1,x,a.C,int,int,a.C.x,p\n2,y,a.C,empty,void,a.C.y,p\n2,y,a.C,empty,void,a.C.y,p\n",
    "virtual_methods": "Id,Name,Type,Parameters,Return,Display,Flags\n3,x,a.D,int,int,a.D.x,pa\n",
    "vm": "Id,Name\n0,VM\n",
    "entry_points": "Id\n0\n",
    "direct_edges": "StartId,EndId,BytecodeIndexes\n0,2,4\n1,99,3\nno row\n",
    "virtual_edges": "StartId,EndId,BytecodeIndexes\n0,3,7\n",
    "override_by_edges": "StartId,EndId\n3,1",
}


def put(folder: Path) -> Path:
    for table, text in TABLES.items():
        (folder / f"call_tree_{table}_x_20240101_101010.csv").write_text(text)
    return folder / "call_tree_methods_x_20240101_101010.csv"


async def test_problems_of_tables_are_walked_by_the_rows_that_they_are_about(tmp_path: Path) -> None:
    async with browsing(put(tmp_path)) as stage:
        report = stage.browser.report
        kinds = [problem.kind for problem in report.problems]
        assert kinds == ["dangling reference", "unknown row", "duplicate id", "cut"]
        walked = []
        for _ in range(4):
            await stage.press("] p")
            walked.append(stage.row.label)
        # A torn row is shown at the nearest row before it in its table, the call of a method that no table has.
        assert walked == ["a.C.y():void", "a.C.x(int):int", "method 99", "a.C.y():void"]
        assert "continued from the other end" in stage.screen()
        await stage.press("! j j Enter")
        assert (stage.row.label, node(stage)) == ("a.C.y():void", 1)


def shown(stage: Stage) -> int:
    outline = stage.browser.tree_view.outline
    return 0 if outline is None else len(outline)


async def test_keys_wait_for_the_index_if_the_first_rows_do_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CsvReport, "start_index", lambda report: None)
    async with browsing(REAL, size=(110, 24)) as stage:
        assert shown(stage) >= 72
        assert "partial: what the tables begin with" in stage.screen()
        await stage.press("j j Enter W")
        assert "The path needs the finished index" in stage.screen()
        await stage.press("Esc r")
        assert "references, known when the index is finished" in stage.screen()


async def test_the_cursor_stays_on_its_entry_when_the_index_comes(
    monkeypatch: pytest.MonkeyPatch, cache_folder: Path
) -> None:
    follow, is_held = CsvReport.follow, [True]
    monkeypatch.setattr(CsvReport, "follow", lambda report: not is_held and follow(report))
    async with browsing(REAL, size=(110, 24)) as stage:
        assert not stage.browser.report.is_complete
        await stage.press("j j j")
        label = stage.row.label
        is_held.clear()
        await stage.until(lambda: shown(stage) >= 1316)
        assert (stage.row.label, stage.row.kind, stage.row.link) == (label, "entry", None)


async def test_searches_before_the_index_is_ready_are_repeated(
    monkeypatch: pytest.MonkeyPatch, cache_folder: Path
) -> None:
    follow, is_held = CsvReport.follow, [True]
    monkeypatch.setattr(CsvReport, "follow", lambda report: not is_held and follow(report))
    async with browsing(REAL, size=(110, 24)) as stage:
        await stage.press('/ "virtually" Enter')
        await stage.settled()
        assert "0 matches" in stage.screen()
        is_held.clear()
        await stage.until(lambda: "8,298 matches" in stage.screen())
        assert node(stage) == 0
