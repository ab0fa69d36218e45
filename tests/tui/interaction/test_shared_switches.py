"""A choice that is made for all views: the time range that is selected on a time line."""

from __future__ import annotations

import pytest
from conftest import TESTS
from stage import Stage, browsing

SAMPLE = TESTS / "corpus" / "jfr" / "jdk25-stuck.jfr.xz"


async def press(stage: Stage, keys: str) -> None:
    """Presses keys, and waits until their results are computed."""
    await stage.press(keys)
    await stage.settled()


async def show(stage: Stage, view: str) -> None:
    await stage.until(lambda: stage.browser.report.is_complete)
    stage.browser.interaction.viewing.show_view(view)
    await stage.until(lambda: stage.browser.view.name == view)
    await stage.settled()


async def test_the_visible_part_of_a_time_line_filters_all_other_views() -> None:
    async with browsing(SAMPLE) as stage:
        await show(stage, "Threads")
        threads = stage.browser.tree_view.row_count
        await show(stage, "Time line")
        await press(stage, "+ + f i")
        assert "time range: 0-0.901 s" in stage.status
        await show(stage, "Threads")
        assert "time range: 0-0.901 s" in stage.status
        assert stage.browser.tree_view.row_count < threads
        await show(stage, "Events")
        assert "time range: 0-0.901 s" in stage.status
        await press(stage, ": f o r m a t - f i l t e r Space i Space a l l Enter")
        assert "(fi)" not in stage.status
        await show(stage, "Threads")
        assert "(fi)" not in stage.status
        assert stage.browser.tree_view.row_count == threads


async def test_undo_takes_a_shared_choice_back_in_all_views() -> None:
    async with browsing(SAMPLE) as stage:
        await show(stage, "Time line")
        await press(stage, "+ f i")
        await show(stage, "Events")
        assert "time range: 0-1.802 s" in stage.status
        await press(stage, "u")
        assert "(fi)" not in stage.status
        assert stage.browser.report.view("Time line").chosen["range"] == "all"
        await show(stage, "Time line")
        assert "(fi)" not in stage.status


async def test_undo_in_a_list_closes_the_lists_with_rows_of_the_view_before(monkeypatch: pytest.MonkeyPatch) -> None:
    async with browsing(SAMPLE) as stage:
        await show(stage, "Time line")
        await press(stage, "+ + f i")
        await show(stage, "Threads")
        fewer = stage.browser.tree_view.row_count
        await press(stage, "u")
        assert stage.browser.tree_view.row_count > fewer
        await press(stage, "G r r")
        assert stage.browser.has_list
        filters = stage.browser.interaction.filters
        lists_at_change: list[bool] = []
        apply = filters.apply_choices
        monkeypatch.setattr(
            filters, "apply_choices", lambda view: lists_at_change.append(stage.browser.has_list) or apply(view)
        )
        await press(stage, "U")
        assert lists_at_change == [False]
        assert not stage.browser.has_list
        assert stage.browser.tree_view.row_count == fewer


async def test_a_range_is_typed_where_there_is_none_to_choose() -> None:
    async with browsing(SAMPLE) as stage:
        await show(stage, "Events")
        rows = stage.browser.tree_view.row_count
        await press(stage, "f i")
        await press(stage, "0 - 0 . 9 Enter")
        assert "time range: 0-0.9 s" in stage.status
        assert stage.browser.tree_view.row_count < rows
        await press(stage, "f i")
        assert stage.browser.tree_view.row_count == rows
