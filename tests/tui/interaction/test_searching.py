"""Searching as a user does it: typed keys, cursor positions, messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing

from parsers.io.source import Source
from tui.interaction.search.search_results import RowFound


@pytest.fixture
def sample(corpus: Path) -> Path:
    return corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"


@pytest.fixture
async def stage(sample: Path) -> AsyncIterator[Stage]:
    """A browser with the sample."""
    async with browsing(sample) as stage:
        yield stage


async def test_the_cursor_goes_to_the_first_match_while_typing_and_esc_brings_it_back(stage: Stage) -> None:
    await stage.press('j j / "Proxy"')
    await stage.until(lambda: stage.node == 7)
    assert stage.keys.startswith("/Proxy") and "text · 3 matches" in stage.keys and "match 1" in stage.keys
    await stage.press("Esc")
    assert stage.node == 2
    assert stage.status.startswith("line:4")


async def test_n_and_N_walk_the_matches_round_the_end_and_show_it(stage: Stage) -> None:
    await stage.press('/ "println" Enter')
    await stage.settled()
    assert stage.node == 9
    places = []
    for _ in range(4):
        await stage.press("n")
        places.append(stage.node)
    assert places == [10, 23, 24, 9]
    assert "from the top" in stage.status and "match 1" in stage.status
    await stage.press("N")
    assert stage.node == 24
    assert "from the bottom" in stage.status


async def test_without_wrapscan_the_last_match_is_the_end(stage: Stage) -> None:
    await stage.type(":set nowrapscan")
    await stage.press('Enter G / "println" Enter')
    await stage.settled()
    assert stage.node == 33
    await stage.press("n")
    assert stage.status == "the last match"


async def test_matches_in_folded_rows_open_their_parents(stage: Stage) -> None:
    await stage.press('zM / "StringBuilder" Enter')
    await stage.until(lambda: stage.name == "StringBuilder.append")
    assert stage.node == 15


PATTERNS = [
    ("foo(I)", "text · 0 matches", 0),
    ("Main$$Lambda", "text · 2 matches", 21),
    ("print.n", "regex · 4 matches", 9),
    (r"\Vprint.n", "text · 0 matches", 0),
    ("PRINTLN", "text · 0 matches", 0),
    (r"\cPRINTLN", "text · 4 matches", 9),
    ("!entry", "text", 1),
    ("int[][]", "regex · 2 matches", 26),
]


async def test_patterns_work_as_typed(stage: Stage) -> None:
    for typed, says, first in PATTERNS:
        await stage.press("/")
        await stage.type(typed)
        await stage.settled()
        await stage.until(lambda: stage.node == first and says in stage.keys)  # noqa: B023  # called at once
        await stage.press("Esc")
        assert stage.node == 0


async def test_a_search_in_a_file_that_is_still_unpacked_is_refused_and_works_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as unpacking:
        unpacking.setattr(Source, "is_whole", False)
        await stage.press('/ "Proxy"')
        assert "The file is still being unpacked." in stage.keys
        await stage.press("Enter")
        assert stage.status == "The file is still being unpacked. Search again when it has rows."
    await stage.press('/ "Proxy"')
    await stage.until(lambda: "text · 3 matches" in stage.keys)


async def test_a_wrong_expression_is_reported_and_harms_nothing(stage: Stage) -> None:
    # Its kind is chosen first: the text alone would be found, sooner or later.
    await stage.press('j / ^t "("')
    assert "no regular expression" in stage.keys
    await stage.press("Enter")
    assert "no regular expression" in stage.status
    assert stage.node == 1


async def test_the_kinds_of_patterns_are_walked_by_one_key(stage: Stage) -> None:
    await stage.press('/ "print.n"')
    await stage.settled()
    await stage.until(lambda: "regex · 4" in stage.keys)
    await stage.press("^t ^t")
    await stage.settled()
    await stage.until(lambda: "text · 0" in stage.keys)


async def test_an_empty_search_repeats_the_one_before(stage: Stage) -> None:
    await stage.press('/ "println" Enter')
    await stage.settled()
    await stage.press("/ Enter")
    await stage.until(lambda: stage.node == 10)


async def test_n_before_any_search_shows_what_to_do(stage: Stage) -> None:
    await stage.press("n")
    assert stage.status == "No search yet. / searches."


async def test_going_back_after_a_search_leads_to_where_it_began(stage: Stage) -> None:
    await stage.press('j j / "println" Enter')
    await stage.settled()
    await stage.press("<")
    assert stage.node == 2


async def test_esc_takes_the_colours_of_matches_away_at_last(stage: Stage) -> None:
    await stage.press('/ "println" Enter')
    await stage.settled()
    await stage.press("v Esc")
    assert stage.browser.interaction.search.found is not None
    await stage.press("Esc")
    assert stage.browser.interaction.search.found is None
    assert stage.status.startswith("line:11")


async def test_other_views_are_searched_row_by_row(stage: Stage) -> None:
    await stage.type(":view Packages")
    await stage.press('Enter zR / "proxy" Enter')
    await stage.settled()
    assert isinstance(stage.browser.interaction.search.found, RowFound)
    assert "proxy" in stage.row.label.lower()


async def test_a_search_for_the_name_of_a_row_finds_rows_of_that_name_only(stage: Stage) -> None:
    await stage.press("j j *")
    await stage.settled()
    assert stage.node == 12
    assert "2 matches" in stage.status


async def test_searches_are_remembered(stage: Stage) -> None:
    await stage.press('/ "println" Enter')
    await stage.settled()
    await stage.press("/ Up")
    assert stage.keys.startswith("/println")


async def test_typing_ahead_of_the_prompt_is_not_lost(stage: Stage) -> None:
    await stage.pilot.press("slash", "Q", "Z", "Z")
    await stage.quiet()
    assert stage.browser.interaction.prompt is not None
    assert stage.browser.interaction.prompt.text == "QZZ"


async def test_a_torn_arrow_key_in_a_prompt_does_no_harm(stage: Stage) -> None:
    await stage.press('/ "x" Esc [ 1 ; 5 C')
    assert stage.browser.tree_view.left == 0
    await stage.press("Esc [ B")
    assert stage.node == 1


async def test_a_file_that_is_no_report_any_more_is_no_crash(sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / "call_tree_demo_20250916_101500.txt"
    copy.write_bytes(sample.read_bytes())
    async with browsing(copy) as stage:
        copy.write_bytes(b"gone")
        await stage.press('/ "println" Enter')
        await stage.settled()
        await stage.press("n N")
        assert stage.screen()


async def test_a_name_is_found_by_some_of_its_letters(stage: Stage) -> None:
    await stage.press('o "strvalof"')
    await stage.until(lambda: "1 name" in stage.keys)
    await stage.press("Enter")
    assert stage.node == 3


async def test_a_name_that_is_declared_once_is_reached_at_once_and_tab_lists_all_that_have_it(stage: Stage) -> None:
    await stage.press('o "PrintStream.println"')
    await stage.until(lambda: "2 names" in stage.keys)
    await stage.press("Enter")
    await stage.until(lambda: stage.node == 10)
    await stage.press('o "PrintStream.println"')
    await stage.until(lambda: "2 names" in stage.keys)
    await stage.until(lambda: "java.io.PrintStream.println" in stage.lines()[4])
    await stage.press("Tab")
    assert stage.browser.pane.row_count == 2


async def test_enter_waits_for_the_answer_to_the_typed_text(stage: Stage) -> None:
    await stage.press('o "PrintStream.println" Enter')
    await stage.until(lambda: stage.node == 10)
    assert not stage.browser.has_list


async def test_no_name_was_chosen(stage: Stage) -> None:
    await stage.press('o "xyzzy"')
    await stage.until(lambda: "No matches" in stage.screen())
    await stage.press("Enter")
    await stage.until(lambda: stage.status == "No matches")
    await stage.press("o Esc")
    assert not stage.browser.has_list


@pytest.mark.parametrize(("typed", "ref"), [("lang", "package:java.lang"), ("Config", "class:com.example.Config")])
async def test_packages_and_classes_are_found_by_the_end_of_their_names(stage: Stage, typed: str, ref: str) -> None:
    kind, _, name = ref.partition(":")
    await stage.press(f'o "{typed}"')
    await stage.until(lambda: f"{name}  {kind}" in stage.screen())
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.view.name == "Packages" and stage.row.ref == ref)


async def test_the_name_of_a_method_leads_to_its_own_row_not_to_the_task_that_compiled_it() -> None:
    log = TESTS / "corpus" / "hotspot" / "work_tiered_17.log.xz"
    async with browsing(log, size=(120, 40)) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        for view, row in (
            ("Inlining failures", "java.lang.String.hashCode():int @ Work.strings:101"),
            ("Methods", "java.lang.String.hashCode():int"),
        ):
            await stage.enter(f"view {view}")
            await stage.until(lambda view=view: stage.browser.view.name == view and stage.browser.view.is_ready)
            await stage.press("o")
            await stage.type("String.hashCode")
            await stage.until(
                lambda: "java.lang.String.hashCode()" in stage.screen() and "searching" not in stage.screen()
            )
            await stage.press("Enter")
            await stage.until(lambda row=row: stage.label == row)
        await stage.until(lambda: "Not inlined at (" in stage.screen())
        assert "Work.strings:101" in stage.screen()


@pytest.mark.parametrize("key", ["Enter", "Esc"])
async def test_what_is_being_typed_is_searched_in_a_view_that_becomes_ready_meanwhile(key: str, stage: Stage) -> None:
    await stage.settled()
    await stage.press('/ "prin"')
    stage.browser.interaction.viewing.show_view("Packages")
    await stage.press('"tln"')
    await stage.until(lambda: "println" in stage.label)
    await stage.press(key)
    assert stage.browser.tree_view.view is stage.browser.view
    assert ("println" in stage.label) == (key == "Enter")


async def test_what_is_being_typed_is_searched_in_a_report_that_is_read_again_meanwhile(stage: Stage) -> None:
    await stage.settled()
    before = stage.app.report
    await stage.press('/ "prin"')
    stage.app.reload()
    await stage.until(lambda: stage.app.report is not before)
    await stage.press('"tln" Enter')
    await stage.until(lambda: "println" in stage.label)
    assert stage.browser.tree_view.view is stage.browser.view
