"""Threads, Time line and Monitors of recordings, in the browser and by commands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from conftest import TESTS, Answer
from stage import Stage, browsing

Run = Callable[..., Answer]
CORPUS = TESTS / "corpus" / "tptp"
THREADS = CORPUS / "agent_thread.trcxml"
TWO_SESSIONS = CORPUS / "gen_all_two_members_zip.trcxml"
HEAP = CORPUS / "gen_heap_dump.trcxml"
ONLY_CALLS = CORPUS / "gen_exec.trcxml"


@asynccontextmanager
async def shown(view: str, path: Path = THREADS, size: tuple[int, int] = (116, 30)) -> AsyncIterator[Stage]:
    """A browser that shows a view of a recording."""
    async with browsing(path, size) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.begin()
        stage.browser.interaction.viewing.show_view(view)
        await stage.quiet()
        yield stage


def moment(stage: Stage) -> int:
    found: int = stage.browser.view.moment  # type: ignore[attr-defined]  # time lines have one
    return found


async def test_threads_are_the_first_view() -> None:
    async with browsing(THREADS) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.until(lambda: stage.browser.view.name == "Threads")
        assert stage.row.label == "main"


async def test_enter_leads_from_a_state_of_the_time_line_to_its_row_and_back() -> None:
    async with shown("Time line") as stage:
        await stage.press("1 1 j l l")
        assert stage.row.label == "waiting for lock Deadlock$Account #36, which transfer 2->1 has"
        await stage.press("Enter")
        assert (stage.browser.view.name, stage.row.ref) == ("Threads", "state:18246")
        await stage.press("Enter")
        assert (stage.browser.view.name, stage.row.ref) == ("Time line", "state:18246")
        assert moment(stage) == 795_304_000


async def test_the_answer_to_why_a_thread_waits_is_readable_at_80_columns() -> None:
    async with browsing(CORPUS / "gen_thread.trcxml", size=(80, 24)) as stage:
        await stage.until(lambda: stage.browser.view.name == "Threads" and stage.browser.report.is_complete)
        await stage.type("/transfer")
        await stage.press("Enter")
        await stage.until(lambda: stage.row.label == "transfer 1->2")
        await stage.press("W")
        await stage.until(lambda: stage.lines()[3].startswith("  ▾ ▢ transfer 2->1"))
        rows = [" ".join(line.split()) for line in stage.lines()[3:7]]
        assert rows[0] == "▾ ▢ transfer 2->1 deadlocked, for 2.885 ms 3.075 ms"
        assert rows[1] == "▾ L waiting for lock Inventory #117, which transfer 1->2 has 2.885 ms"


async def test_a_changed_view_stays_at_the_same_node() -> None:
    async with shown("Time line") as stage:
        await stage.press("1 1 j l l")
        stage.browser.interaction.viewing.show_view("Monitors")
        assert stage.row.label == "transfer 1->2: waiting for lock Deadlock$Account #36, which transfer 2->1 has"
        stage.browser.interaction.viewing.show_view("Time line")
        assert stage.row.ref == "state:18246"


async def test_only_lanes_that_match_are_left() -> None:
    async with shown("Time line") as stage:
        await stage.press('& "worker" Enter')
        await stage.settled()
        await stage.quiet()
        names = [line.partition("  ")[0] for line in stage.lines()[5:28]]
        assert [name for name in names if name.strip()][:6] == [
            f"hot-lock worker {number}" for number in (0, 1, 3, 5, 2, 4)
        ]
        await stage.press("j j k f x")
        await stage.settled()
        await stage.quiet()
        assert stage.lines()[5].startswith("main ")


async def test_a_moment_is_found_by_its_ref() -> None:
    async with shown("Time line") as stage:
        stage.browser.interaction.go_to("moment:1795233140.7/thread:38")
        await stage.quiet()
        assert stage.row.label == "victim of deadlock"
        assert moment(stage) == 265_785_000
        await stage.press("J")
        assert (stage.row.kind, moment(stage)) == ("thread", 549_397_000)
        await stage.press("J")
        assert (stage.row.kind, moment(stage)) == ("waiting for lock", 549_489_000)


async def test_a_moment_is_typed_as_seconds_since_the_start_and_stays_in_the_lane() -> None:
    async with shown("Time line") as stage:
        await stage.press("j j j")
        lane = stage.row.label
        await stage.type(":moment 0.3")
        await stage.press("Enter")
        await stage.quiet()
        assert (stage.row.label, moment(stage)) == (lane, 300_000_000)
        await stage.until(lambda: "At 0.300000 s" in stage.screen())


async def test_the_moment_of_the_time_line_is_one_of_classes() -> None:
    async with shown("Time line", HEAP) as stage:
        await stage.press("g")
        stage.browser.interaction.go_to("moment:0.004")
        await stage.quiet()
        await stage.press("L Enter")
        await stage.until(lambda: stage.browser.view.name == "Classes" and stage.browser.view.is_ready)
        await stage.quiet()
        assert "at 0.004 s" in stage.status
        # The choice stays, and another moment can be typed here as well.
        await stage.press("V V")
        assert "at 0.004 s" in stage.status
        await stage.type(":moment 0.002")
        await stage.press("Enter")
        await stage.until(lambda: "at 0.002 s" in stage.status)


async def test_the_palette_has_the_links_of_the_row() -> None:
    async with shown("Time line", HEAP) as stage:
        await stage.press("g ^p")
        await stage.type("alive then")
        await stage.press("Enter")
        await stage.until(lambda: stage.browser.view.name == "Classes")


async def test_sessions_have_a_time_line_each() -> None:
    async with shown("Time line", TWO_SESSIONS, (80, 30)) as stage:
        assert stage.lines()[3].startswith("session 1 ")
        await stage.press("}")
        assert stage.lines()[3].startswith("session 2 ")
        await stage.press("j j")
        assert stage.row.ref.startswith("run:2/thread:")
        await stage.press("k k k")
        assert stage.lines()[3].startswith("session 1 ")
        await stage.press("j")
        assert stage.lines()[3].startswith("session 2 ")


async def test_lanes_show_calls_if_only_calls_were_recorded() -> None:
    async with shown("Time line", ONLY_CALLS, (80, 20)) as stage:
        assert "running" not in stage.screen()
        assert "M in calls" in stage.lines()[-3]
        assert "MMM" in next(line for line in stage.lines() if line.startswith("Thread-2"))


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (200, 50)])
@pytest.mark.parametrize("view", ["Threads", "Time line", "Monitors"])
async def test_views_are_drawn_in_any_size(view: str, size: tuple[int, int]) -> None:
    async with shown(view, size=size) as stage:
        await stage.press("j l E j j l Space G g } { J K w b PgDn PgUp i O + - s S s")
        assert all(len(line) <= size[0] for line in stage.lines())


def test_rows_are_printed_with_their_numbers(coffeetree: Run) -> None:
    answer = coffeetree("tree", "--view", "Monitors", "--depth", "0", "--switch", "by=class", "--json", THREADS)

    rows = {row["label"]: row["badges"] for row in answer.rows}
    assert rows["java.lang.Object"]["blocked_ns"] == 18_001_000
    assert rows["Deadlock$Queue"] == {
        "blocked_ns": 0,
        "contended": 0,
        "longest_ns": 0,
        "waited_ns": 85_760_000,
        "waits": 59,
        "still_blocked": 0,
        "threads": 1,
        "monitors": 1,
    }


def test_states_are_exported(coffeetree: Run) -> None:
    answer = coffeetree("export", "--to", "csv", "--view", "Threads", "--at", "thread:38", THREADS, "-")

    assert answer.out.splitlines() == [
        "depth,kind,label,start_ns,time_ns,running_ns,blocked_ns,waited_ns,slept_ns,blocks,waits,sleeps,group,id,"
        "monitor,owner,class,ends,ref,flags",
        "0,thread,victim of deadlock,549397000,245907000,92000,0,0,0,0,0,0,main,38,,,,,thread:38,",
        '1,waiting for lock,"waiting for lock Deadlock$Account #34, which transfer 1->2 has",549489000,245815000,'
        ",,,,,,,,38,34,31,Deadlock$Account,on deadlock,state:18482,",
    ]


def test_a_thread_leads_to_the_classes_that_it_allocated_most_of(coffeetree: Run) -> None:
    answer = coffeetree("show", "--view", "Threads", "--json", HEAP, "thread:104")

    sections = {section["title"]: section["rows"] for section in answer.json["sections"]}
    first = sections["Allocated most of"][0]
    assert first["ref"].startswith("class:")
    assert coffeetree("show", "--view", "Classes", "--json", HEAP, first["ref"]).json["row"]["label"] == first["label"]


def test_what_all_threads_did_at_a_moment_is_shown(coffeetree: Run) -> None:
    answer = coffeetree("show", "--view", "Time line", "--json", THREADS, "moment:1795233141.1/thread:31")

    sections = {section["title"]: section["rows"] for section in answer.json["sections"]}
    assert sections["At 0.665785 s"][0]["text"] == (
        "deadlocked: waiting for lock Deadlock$Account #36, which transfer 2->1 has"
    )
    assert sections["This moment"][0]["text"] == "2026-11-21 03:52:21.100000000"
    assert [row["label"] for row in sections["All threads then"]][:3] == [
        "transfer 1->2",
        "transfer 2->1",
        "victim of deadlock",
    ]
