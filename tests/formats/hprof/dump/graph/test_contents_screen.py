"""Objects of heap dumps in the browser: contents and fields, what is closed, where the cursor stays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing

SAMPLE = TESTS / "corpus" / "hprof" / "collections" / "jdk17.hprof.xz"
HELD = "object:0xfd5c0480"
"""The object that the program keeps."""


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_folder: Path) -> None:
    """Gives each test its own stored state."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@asynccontextmanager
async def objects(size: tuple[int, int] = (116, 40)) -> AsyncIterator[Stage]:
    """A browser with the program's object opened, the cursor on its list."""
    async with browsing(SAMPLE, size) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.interaction.viewing.show_view("Objects")
        await stage.quiet()
        await stage.press(f'o "{HELD}" Enter l')
        view = stage.browser.view
        tree = stage.browser.tree_view
        node = next(
            each for each in view.tree.children(view.resolve(HELD)) if "arrayList:" in view.tree.row(each).label
        )
        tree.jump(node)
        await stage.quiet()
        yield stage


async def test_a_list_opens_to_its_elements_and_with_the_switch_to_its_fields() -> None:
    async with objects() as stage:
        await stage.press("l j")
        assert stage.row.label == '[0] "alpha"'
        await stage.press("k f c")
        assert stage.row.label == "arrayList: java.util.ArrayList"
        assert stage.status == "maps and lists: fields"
        await stage.press("j")
        assert stage.row.label.startswith(("size: ", "elementData: "))
        await stage.press("u")
        assert stage.row.label == "arrayList: java.util.ArrayList"


async def test_the_headings_list_collapsed_types_and_a_pattern_expands_them() -> None:
    async with objects() as stage:
        assert "closed: String, primitive[]" in stage.screen()
        stage.browser.interaction.filters.set_patterns("expand_types", "java.lang.String")
        await stage.quiet()
        assert "closed: primitive[]" in stage.screen()
        await stage.press("l j l j")
        assert stage.row.label.startswith(("value: ", "hash: ", "hashIsZero: "))


async def test_a_closed_row_is_opened_by_hand() -> None:
    async with objects() as stage:
        await stage.press("l j Space j")
        assert stage.row.label.startswith(("value: ", "hash: ", "hashIsZero: "))


async def test_the_status_line_shows_how_a_root_reaches_the_object() -> None:
    async with objects((150, 40)) as stage:
        assert "← Held arrayList ← class Held static HELD ← system class" in stage.screen()


async def test_objects_are_found_by_their_text_their_class_and_their_id() -> None:
    async with objects() as stage:
        for pattern, found in (("中😀", "中😀"), ("Held$Bad", "Held$Bad"), (HELD.removeprefix("object:"), "Held")):
            await stage.press(f'g / "{pattern}" Enter')
            await stage.settled()
            assert found in stage.row.label
        assert stage.row.ref == HELD


async def test_a_search_goes_on_from_the_cursor_through_open_rows_and_wraps() -> None:
    async with objects() as stage:
        await stage.press("l")
        view, rows = stage.browser.view, stage.browser.tree_view.outline
        assert rows is not None
        shown = rows.nodes(0, len(rows))
        expected = [row for row, node in enumerate(shown) if "alpha" in view.tree.row(node).label]
        cursor = stage.browser.tree_view.cursor_node
        await stage.press('/ "alpha" Enter')
        await stage.settled()
        found = stage.browser.interaction.search.found
        assert found is not None
        assert cursor is not None
        assert found.count == len(expected) > 1
        assert [found.after(row - 1) for row in expected] == expected
        assert stage.row.node == shown[min(row for row in expected if row > (rows.row_of(cursor) or 0))]
        assert found.before(expected[0]) is None
        assert found.number(expected[-1]) == len(expected)


async def test_a_search_of_sorted_objects_finds_each_on_its_row() -> None:
    async with objects() as stage:
        await stage.type(":sort bytes")
        await stage.press("Enter")
        await stage.quiet()
        await stage.press("/")
        await stage.type("Integer")
        await stage.press("Enter")
        await stage.settled()
        found, rows = stage.browser.interaction.search.found, stage.browser.tree_view.outline
        assert found is not None
        assert rows is not None
        places = [place for place in range(len(rows)) if found.after(place - 1) == place]
        labels = [stage.browser.view.tree.row(rows.node_at(place)).label for place in places]
        assert len(labels) == found.count > 1
        assert all("Integer" in label for label in labels)


async def test_classes_are_regrouped_with_the_cursor_on_the_same_class_and_back() -> None:
    async with browsing(SAMPLE) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.tree_view.jump(stage.browser.view.resolve("class:java.util.HashMap"))
        for grouping, above in (("by loader", "boot"), ("classes alone", None), ("by package", "java.util")):
            await stage.press("f g g")
            await stage.press("j " * stage.browser.view.switches[0].choices.index(grouping) + "Enter")
            assert stage.status == f"group: {grouping}"
            assert stage.row.label == "java.util.HashMap"
            tree = stage.browser.view.tree
            parent = tree.parent(stage.browser.tree_view.cursor_node)
            assert (None if parent is None else tree.row(parent).label) == above
        await stage.press("f g G Enter u")
        assert stage.row.label == "java.util.HashMap"
        assert stage.browser.view.chosen == {"group": "by package"}


async def test_paths_follow_all_references_on_request() -> None:
    async with browsing(SAMPLE) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.interaction.viewing.show_view("Paths")
        await stage.until(lambda: stage.browser.view.name == "Paths" and stage.browser.view.is_ready)
        for chosen in ("all", "strong first"):
            await stage.press("f w")
            assert stage.status == f"references: {chosen}"
            assert stage.browser.view.chosen == {"references": chosen}
        await stage.press("u")
        assert stage.browser.view.chosen == {"references": "all"}


async def test_unbounded_views_are_not_filtered_by_a_text() -> None:
    async with browsing(SAMPLE) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.interaction.viewing.show_view("Paths")
        await stage.until(lambda: stage.browser.view.name == "Paths" and stage.browser.view.is_ready)
        await stage.press('& "x" Enter')
        assert stage.status.startswith("Paths is unbounded: ")


async def test_the_title_counts_the_rows_of_the_shown_view_as_the_status_line_does() -> None:
    async with objects((116, 40)) as stage:
        for name in ("Classes", "Roots"):
            stage.browser.interaction.viewing.show_view(name)
            await stage.quiet()
            await stage.press("j")
            lines = stage.lines()
            rows = lines[0].rpartition("indexed · ")[2].split()[0]
            assert int(rows.replace(",", "")) == stage.browser.view.row_count
            assert f" of {rows} " in lines[38]
        stage.browser.interaction.viewing.show_view("Objects")
        await stage.quiet()
        assert stage.lines()[0].endswith("indexed")
