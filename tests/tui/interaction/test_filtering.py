"""Filters on a real report: what is left, what is said, and the ways back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing


@pytest.fixture
def sample(corpus: Path) -> Path:
    return corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"


@pytest.fixture
async def stage(sample: Path) -> AsyncIterator[Stage]:
    """A browser with the sample."""
    async with browsing(sample) as stage:
        yield stage


def rows(stage: Stage) -> int:
    return stage.browser.tree_view.row_count


def nodes(stage: Stage) -> list[int]:
    outline = stage.browser.tree_view.outline
    assert outline is not None
    return list(outline.nodes(0, len(outline)))


def labels(stage: Stage) -> list[str]:
    return [stage.browser.tree_view.row(node).label for node in nodes(stage)]


def depth(stage: Stage, node: int) -> int:
    return stage.browser.tree_view.row(node).depth


async def press(stage: Stage, keys: str) -> None:
    """Presses keys, and waits until their results are computed."""
    await stage.press(keys)
    await stage.settled()


async def test_only_matching_rows_and_their_ancestors_are_left(stage: Stage) -> None:
    await press(stage, '& "println" Enter')
    assert rows(stage) == 8
    assert "only println  (&)" in stage.status
    await press(stage, "& ^u Enter")
    assert rows(stage) == 34
    assert "only" not in stage.status


async def test_the_cursor_stays_on_its_row_or_the_nearest_one_above_it(stage: Stage) -> None:
    await stage.press("1 2 G")
    await press(stage, '& "println" Enter')
    assert stage.name == "PrintStream.println"
    await press(stage, "f x")
    assert stage.name == "PrintStream.println"


async def test_a_filter_that_leaves_nothing_is_not_taken(stage: Stage) -> None:
    await press(stage, '& "xyzzy" Enter')
    assert "No matches for xyzzy  (&). The filters are unchanged." in stage.status
    assert rows(stage) == 34


async def test_filters_are_undone_and_done_again(stage: Stage) -> None:
    await press(stage, "f r")
    without_references = rows(stage)
    assert without_references < 34
    await press(stage, '& "println" Enter')
    assert rows(stage) < without_references
    await press(stage, "u")
    assert rows(stage) == without_references
    await press(stage, "u")
    assert rows(stage) == 34
    await press(stage, "U")
    assert rows(stage) == without_references
    await press(stage, "u u")
    assert stage.status == "Nothing to undo."


async def test_all_filters_go_off_and_on_again(stage: Stage) -> None:
    await press(stage, "f r f j")
    filtered = rows(stage)
    await press(stage, "f f")
    assert (rows(stage), "filters off  (ff)" in stage.status) == (34, True)
    await press(stage, "f f")
    assert rows(stage) == filtered
    assert "JDK packages hidden  (fj)   references hidden  (fr)" in stage.status


async def test_there_is_nothing_to_switch_without_filters(stage: Stage) -> None:
    await stage.press("f f")
    assert stage.status.startswith("No filters.")


@pytest.mark.parametrize("key", ["Space", "Enter", "l"])
async def test_a_suppressed_node_hides_its_descendants_and_opens_by_hand(stage: Stage, key: str) -> None:
    await stage.press("j j j")
    await press(stage, "f s Enter")
    assert "suppressed: java.lang.String.*  (fs)" in stage.status
    assert "suppressed" in stage.row.flags
    hidden = rows(stage)
    await press(stage, key)
    assert rows(stage) == hidden + 4
    assert "suppressed" not in stage.row.flags


async def test_patterns_of_the_command_line_are_there_from_the_start(sample: Path) -> None:
    async with browsing(sample, patterns={"suppress_methods": "*Main.main*"}) as stage:
        await stage.until(lambda: rows(stage) < 34)
        assert "suppressed: *Main.main*  (fs)" in stage.status


async def test_typing_replaces_the_proposed_pattern_and_other_keys_accept_it(stage: Stage) -> None:
    await stage.press("fs")
    assert stage.keys.startswith("suppress methods: com.example.Config.*")
    await stage.type("java.io.*")
    assert stage.keys.startswith("suppress methods: java.io.*")
    await stage.press("Enter fs")
    assert stage.keys.startswith("suppress methods: java.io.*,com.example.Config.*")
    await stage.press("Backspace")
    assert stage.keys.startswith("suppress methods: java.io.*,com.example.Config. ")
    await stage.press("Esc fs")
    await stage.type("x")
    assert stage.keys.startswith("suppress methods: java.io.*,x ")


async def test_expand_wins_over_suppress(stage: Stage) -> None:
    await stage.type(":suppress *")
    await press(stage, "Enter")
    assert rows(stage) == 4
    await stage.type(":expand *Main.main*")
    await press(stage, "Enter")
    assert rows(stage) > 4


async def test_patterns_without_match_are_reported(stage: Stage) -> None:
    await stage.type(":suppress xyzzy")
    await press(stage, "Enter")
    assert rows(stage) == 34
    assert stage.status.startswith("No row with descendants is suppressed")


async def test_n_walks_only_rows_that_are_left(stage: Stage) -> None:
    await press(stage, "f r")
    await press(stage, '/ "toString" Enter')
    places = set()
    for _ in range(8):
        await stage.press("n")
        assert stage.row.badges.get("id_ref") is None
        places.add(stage.row.ref)
    assert len(places) == 5


async def test_a_jump_to_a_hidden_row_shows_how_to_see_it(stage: Stage) -> None:
    await press(stage, "f r")
    await stage.enter("line 7")
    assert stage.status == "A filter hides that row. ff turns filters off."


async def test_each_view_has_its_own_filters(stage: Stage) -> None:
    await press(stage, "f r")
    filtered = rows(stage)
    await stage.type(":view Packages")
    await stage.press("Enter z R")
    everything = rows(stage)
    await press(stage, '& "Proxy17" Enter')
    assert labels(stage) == [
        "jdk.proxy2",
        "jdk.proxy2.$Proxy17",
        "app:jdk.proxy2.$Proxy17.toString():java.lang.String",
    ]
    assert "only Proxy17" in stage.status
    await press(stage, "V")
    assert rows(stage) == filtered
    assert "references hidden" in stage.status
    await press(stage, "V f f z R")
    assert rows(stage) == everything


async def test_packages_of_the_jdk_are_hidden_with_their_classes(stage: Stage) -> None:
    await stage.type(":view Packages")
    await press(stage, "Enter f j")
    packages = [label for node, label in zip(nodes(stage), labels(stage), strict=True) if not depth(stage, node)]
    assert "com.example" in packages
    assert not [package for package in packages if package.startswith("java.")]


async def test_a_package_whose_methods_are_all_suppressed_is_closed_for_good(stage: Stage) -> None:
    await stage.enter("view Packages")
    await stage.type(":suppress java.io.*")
    await press(stage, "Enter")
    found = [stage.browser.tree_view.row(node) for node in nodes(stage)]
    closed = [row for row in found if "suppressed" in row.flags]
    assert [row.label for row in closed] == ["java.io"]
    assert closed[0].rows_below == 0


async def test_a_view_without_end_shows_where_filters_work(stage: Stage) -> None:
    await stage.type(":view Callers")
    await stage.press("Enter f j")
    assert stage.status.startswith("Callers is unbounded: filters work in Call tree, Entry points, Packages, ")


async def test_patterns_are_not_asked_for_in_a_view_that_takes_none(corpus: Path) -> None:
    async with browsing(corpus / "v24.2_and_25" / "reports" / "object_tree_demo_20250916_101500.txt") as stage:
        await stage.settled()
        await stage.enter("view Referrers")
        await stage.press("f s")
        assert stage.status.startswith("Referrers is unbounded: filters work in Heap roots, ")
        assert not stage.keys.startswith("suppress")


async def test_reports_without_a_graph_have_no_cuts_and_paths() -> None:
    async with browsing(TESTS / "corpus" / "hprof" / "heap" / "two-dumps.hprof.xz") as stage:
        await stage.settled()
        for key in "XB":
            await stage.press(key)
            assert stage.status == "Cuts and paths between rows are for call trees and object trees."


async def test_types_are_filtered_by_what_their_objects_show(corpus: Path) -> None:
    report = corpus / "v24.2_and_25" / "reports" / "object_tree_demo_20250916_101500.txt"
    async with browsing(report) as stage:
        await stage.enter("view Types")
        await press(stage, '& "Character" Enter')
        assert labels(stage)[::2] == ["java.lang.Character", "[2] java.lang.Character", "java.lang.Character[]"]
        await stage.press("f x")
        await stage.type(":suppress java.util.*")
        await press(stage, "Enter")
        found = [stage.browser.tree_view.row(node) for node in nodes(stage)]
        closed = {row.label for row in found if "suppressed" in row.flags}
        assert closed == {row.label for row in found if row.label.startswith("java.util.")}
        await stage.press("f S")
        await stage.type("x")
        await stage.press("Enter")
        assert stage.status == "roots are suppressed and expanded in the view Heap roots  (v)"


async def test_filtered_rows_are_sorted(stage: Stage) -> None:
    await stage.type(":view Packages")
    await press(stage, 'Enter & "java" Enter')
    await stage.type(":sort name")
    await stage.press("Enter z M")
    packages = labels(stage)
    assert len(packages) > 2 and packages == sorted(packages)
    await press(stage, "f j")
    assert labels(stage) == [package for package in packages if not package.startswith(("java.", "jdk."))]


async def test_a_wrong_expression_is_reported(stage: Stage) -> None:
    await stage.press("&")
    await stage.type(r"\v(")
    await stage.press("Enter")
    assert stage.status.startswith("no regular expression")


async def test_in_views_of_heap_dumps_types_are_suppressed_even_where_a_row_proposes_none() -> None:
    async with browsing(TESTS / "corpus" / "hprof" / "heap" / "two-dumps.hprof.xz") as stage:
        await stage.settled()
        for view in ("Strings", "Objects"):
            await stage.enter(f"view {view}")
            await stage.press("f s")
            assert stage.keys.startswith("suppress types: ")
            await stage.press("Esc")


async def test_dominated_methods_are_suppressed_by_the_proposed_pattern(stage: Stage) -> None:
    await stage.settled()
    await stage.enter("view Dominators")
    await press(stage, "z R")
    before = rows(stage)
    await press(stage, "f s Enter")
    assert "suppressed: com.example.Main.*  (fs)" in stage.status and rows(stage) < before


async def test_what_is_hidden_or_suppressed_leaves_the_rest_folded_as_it_is(stage: Stage) -> None:
    await stage.settled()
    await stage.enter("view Dominators")
    before = labels(stage)
    assert before and not any(depth(stage, node) for node in nodes(stage))
    for keys in ("f j", "f s Enter", "f x"):
        await press(stage, keys)
        assert set(labels(stage)) <= set(before)
    assert labels(stage) == before
    await press(stage, '& "greet" Enter')
    assert any(depth(stage, node) for node in nodes(stage))


async def test_matches_in_one_view_open_nothing_in_another(stage: Stage) -> None:
    await stage.settled()
    await stage.enter("view Dominators")
    await press(stage, "f j")
    folded = labels(stage)
    await stage.enter("view Call tree")
    await press(stage, '& "println" Enter')
    await stage.enter("view Dominators")
    await stage.settled()
    assert labels(stage) == folded


async def test_dominated_methods_of_the_jdk_are_hidden_whatever_loader_is_printed_before_them(stage: Stage) -> None:
    await stage.settled()
    await stage.enter("view Dominators")
    await press(stage, "z R")
    assert any(label.startswith("null:java.lang.") for label in labels(stage))
    await press(stage, "f j")
    assert rows(stage) and not any(":java." in label.partition("(")[0] for label in labels(stage))


async def test_object_trees_suppress_by_type_and_hide_nulls(corpus: Path) -> None:
    report = corpus / "v24.2_and_25" / "reports" / "object_tree_demo_20250916_101500.txt"
    async with browsing(report) as stage:
        await stage.press("f s")
        assert stage.keys.startswith("suppress types: ")
        await stage.press("Esc f S")
        assert stage.keys.startswith("suppress roots: ") and len(stage.keys) > len("suppress roots: ") + 2
        await stage.press("Esc")
        before = rows(stage)
        await press(stage, "f n")
        assert rows(stage) < before
        assert "nulls hidden  (fn)" in stage.status
        await press(stage, "f q")
        assert stage.status == "This format has no filter fq: there are fn nulls"


async def test_tasks_that_are_read_as_they_are_opened_say_where_filters_work() -> None:
    log = TESTS / "corpus" / "hotspot" / "odd_ltgt_17.log.xz"
    async with browsing(log) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.press("&")
        await stage.type("String")
        await stage.press("enter")
        await stage.until(lambda: "Tasks is read as it is opened: filters work in Methods, " in stage.screen())
