"""Views that are not listed: tables of a recording by their names, and the events of one type."""

from __future__ import annotations

import pytest
from conftest import TESTS
from stage import Stage, browsing

SAMPLE = TESTS / "corpus" / "jfr" / "jdk25-stuck.jfr.xz"


async def ready(stage: Stage) -> None:
    await stage.until(lambda: stage.browser.report.is_complete)
    await stage.settled()


async def test_a_view_that_is_not_listed_is_chosen_by_its_name() -> None:
    async with browsing(SAMPLE) as stage:
        await ready(stage)
        await stage.press(": v i e w Space c o n t e n t i o n - b y - c Enter")
        await stage.until(lambda: stage.browser.view.name == "contention-by-class")
        await stage.settled()
        assert stage.browser.tree_view.row_count


async def test_the_link_of_a_type_leads_to_the_table_of_its_fields() -> None:
    async with browsing(SAMPLE) as stage:
        await ready(stage)
        label = stage.browser.view.tree.row(0).label
        await stage.press("L Enter")
        await stage.until(lambda: stage.browser.view.name == label)
        await stage.settled()
        await stage.press("<")
        await stage.until(lambda: stage.browser.view.name == "Events")


@pytest.mark.parametrize("view", ["hot-methods", "jdk.JavaMonitorEnter"])
async def test_reading_again_keeps_a_view_that_is_not_listed_and_its_filters(view: str) -> None:
    async with browsing(SAMPLE) as stage:
        await ready(stage)
        await stage.enter(f"view {view}")
        await stage.until(lambda: stage.browser.view.name == view)
        await stage.enter("filter e")
        await stage.until(lambda: "only e" in stage.screen())
        before = stage.app.report
        await stage.press("R")
        await stage.until(lambda: stage.app.report is not before)
        await ready(stage)
        assert stage.browser.view is stage.app.report.view(view)
        await stage.press("j")
        await stage.until(lambda: "only e" in stage.screen())
