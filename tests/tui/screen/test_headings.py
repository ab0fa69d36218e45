"""Every shape of view at two sizes: the headings over its columns, and what must be visible below them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing

from parsers.heapdump.views import kinds
from tui.tree.row_text import fitting_columns

CORPUS = TESTS / "corpus"
CALLS = "graalvm/v24.2_and_25/reports/call_tree_demo_20250916_101500.txt"
OBJECTS = "graalvm/v24.2_and_25/reports/object_tree_demo_20250916_101500.txt"
METHODS = "graalvm/v24.2_and_25/reports/used_methods_demo_20250916_101500.txt"
INITIALIZATION = "graalvm/v20_to_24.0/reports/class_initialization_report_20230401_101500.csv"
SAMPLES = "hprof/text/profiletest-samples-thread.txt.xz"
SUMMARIES = "hprof/binary/agent-orders.hprof.xz"
COMPILATIONS = "hotspot/odd_latin_8.log.xz"
THREADS = "tptp/gen_thread.trcxml"
HEAP = "tptp/gen_heap_dump.trcxml"
PAIRS = "jdkprofilers/recursion-old.txt.xz"
SMALL, LARGE = (80, 24), (120, 40)
HEAP_COLUMNS = (kinds.BYTES, kinds.OBJECTS, kinds.RETAINED)

VIEWS = {
    CALLS: [
        ("Call tree", ["@bci", "#id ↩ref", "rows below"], ["c.e.Config|com.example.Config"]),
        ("Callers", ["@bci", "#id ↩ref", "call sites"], [r"#\d", "▸ •"]),
        ("Entry points", ["#id ↩ref", "rows below"], ["main"]),
        ("Packages", ["methods", "call sites", "reached first"], [r"• main\("]),
        ("Dominators", ["▼methods held", "%"], ["35.3 %"]),
        ("Cut", ["methods gone", "methods left"], ["nothing is cut", "X cuts"]),
        ("Between", ["calls", "calls left", "#id ↩ref"], ["no paths selected", "B in any"]),
    ],
    OBJECTS: [
        ("Heap roots", ["#id ↩ref", "rows below"], ["HashMap  @1188382614"]),
        ("Types", ["objects", "rows below"], ["▪"]),
    ],
    METHODS: [
        ("Used methods", [], ["main"]),
    ],
    INITIALIZATION: [
        ("Class initialization", ["Initialized"], []),
    ],
    SAMPLES: [
        ("CPU samples", ["self %", "▼samples", "total %"], [r"\d %"]),
        ("Call tree", ["self %", "▼total samples", "total %"], [r"100.0 %|\d\d.\d %"]),
        ("Flame", ["width: total samples"], [r"\d %"]),
    ],
    SUMMARIES: [
        ("Heap summaries", ["Live bytes, over Time, s"], ["Live objects", "0 B"]),
        ("Allocation sites", ["self %", "accum", "▼live, B"], ["79.7 %"]),
    ],
    COMPILATIONS: [
        ("Tasks", ["result", "#id @bci", "tier"], ["CompilerThread"]),
        ("Story", ["▼tasks", "#id @bci", "at s"], [r"\d\.\d{3}"]),
        ("Compile time", ["ms", "tasks"], ["By tier"]),
        ("VM", [], ["name: "]),
    ],
    THREADS: [
        ("Time line", ["time since the start, s"], ["worker-0"]),
        ("Threads", ["Time", "Running", "Lock"], ["worker-0"]),
        ("Monitors", ["Blocked", "Times", "Waited"], ["deadlock of 2"]),
    ],
    HEAP: [
        ("Dumps", ["▼Shallow, B", "Objects"], []),
        ("Dominators", ["▼Retained, B", "%", "Shallow, B"], [r"\d %"]),
        ("Collections", ["over"], ["collection 1"]),
    ],
    PAIRS: [
        ("Caller pairs", ["▼Calls ~unwrapped", "Time ms"], ["<-"]),
    ],
}
"""By report: some of its views, what their headings contain in this order, and patterns of what is below them."""


async def show(stage: Stage, view: str) -> None:
    """Shows a view, which may have to be made first."""
    await stage.until(lambda: stage.browser.report.is_complete)
    await stage.enter(f"view {view}")
    await stage.until(lambda: stage.browser.view.name == view)
    tree = stage.browser.tree_view
    await stage.until(lambda: tree.viewport.rows or (stage.browser.view.is_ready and stage.browser.view.row_count == 0))
    await stage.quiet()


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
@pytest.mark.parametrize("path", VIEWS, ids=[Path(path).name.partition(".")[0] for path in VIEWS])
async def test_views_have_headings_with_units_that_end_where_numbers_end_and_show_what_matters(
    path: str, size: tuple[int, int]
) -> None:
    async with browsing(CORPUS / path, size=size) as stage:
        for view, headings, visible in VIEWS[path]:
            await show(stage, view)
            line, rows = stage.lines()[2], stage.screen(3, -2)
            assert line.startswith(f"  {view}")
            place = 0
            for heading in headings:
                assert heading in line[place:], line
                place = line.index(heading, place) + len(heading)
            for text in visible:
                assert re.search(text, rows), rows
            check_ends(stage, line.ljust(size[0]))


def check_ends(stage: Stage, line: str) -> None:
    """Compares the ends of headings, except those of pictures and of rows that close, with those of their columns."""
    layout = stage.browser.tree_view.layout_now
    if stage.browser.tree_view.picture is not None or stage.browser.view.closes:
        return
    cell = layout.label_width
    for column in layout.columns:
        heading = line[cell : cell + 1 + column.width]
        assert heading.strip(), column
        bar = column.bar + 1 if column.bar else 0
        assert heading.rstrip() == heading or len(heading) - len(heading.rstrip()) <= bar
        cell += 1 + column.width


@pytest.mark.parametrize(
    ("path", "view", "heading"),
    [
        (CALLS, "Call tree", "rows below"),
        (CALLS, "Dominators", "▼methods held"),
        (SAMPLES, "CPU samples", "self %"),
        (HEAP, "Dumps", "▼Shallow, B"),
        (HEAP, "Dominators", "▼Retained, B"),
        (THREADS, "Threads", "Time"),
    ],
)
async def test_at_40_columns_a_view_shows_its_most_important_number(path: str, view: str, heading: str) -> None:
    async with browsing(CORPUS / path, size=(40, 12)) as stage:
        await show(stage, view)
        assert stage.lines()[2].endswith(heading)
        assert re.search(r"\d( %| m?s)?\s*[┃│]?$", stage.lines()[3])


async def test_ascii_headings_have_ascii_marks() -> None:
    async with browsing(CORPUS / CALLS, size=SMALL) as stage:
        stage.app.set_ascii(True)
        await show(stage, "Call tree")
        assert "#id ^ref" in stage.lines()[2]
        await show(stage, "Dominators")
        assert "vmethods held" in stage.lines()[2]
        assert stage.lines()[2].isascii()


async def test_a_click_on_a_heading_sorts_and_another_one_reverses() -> None:
    async with browsing(CORPUS / CALLS, size=SMALL) as stage:
        await show(stage, "Packages")
        tree = stage.browser.tree_view
        place = stage.lines()[2].index("reached first")
        for order, mark in (("weight", "▼reached first"), ("-weight", "▲reached first"), ("weight", "▼reached first")):
            await stage.pilot.click("#headings", offset=(place + 1, 0))
            await stage.quiet()
            assert (tree.order, mark in stage.lines()[2]) == (order, True)
        await stage.pilot.click("#headings", offset=(3, 0))
        await stage.quiet()
        assert tree.order == "name"
        assert "Packages ▲" in stage.lines()[2]


async def test_a_click_on_the_column_by_which_a_view_is_sorted_reverses_it() -> None:
    async with browsing(CORPUS / CALLS, size=SMALL) as stage:
        await show(stage, "Dominators")
        await stage.pilot.click("#headings", offset=(stage.lines()[2].index("methods held"), 0))
        await stage.quiet()
        assert stage.browser.tree_view.order == "-held"
        assert "▲methods held" in stage.lines()[2]


async def test_a_path_has_the_headings_of_its_view() -> None:
    async with browsing(CORPUS / CALLS, size=SMALL) as stage:
        await stage.press("5 j W")
        await stage.until(lambda: stage.browser.has_list)
        assert stage.lines()[2].split() == ["Call", "tree", "@bci", "#id", "↩ref", "rows", "below"]
        await stage.press("q v")
        assert not stage.browser.headings.display


async def test_a_comparison_begins_with_its_first_level_and_the_largest_change() -> None:
    old, new = (f"graalvm/real_23.0_{each}_build/reports" for each in ("first", "second"))
    files = [next((CORPUS / folder).glob("call_tree*")) for folder in (old, new)]
    async with browsing(files[1], size=SMALL) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.enter(f"diff {files[0]}")
        await stage.until(lambda: "±" in stage.lines()[2] and stage.browser.tree_view.viewport.rows)
        assert stage.lines()[2].startswith("  Packages  by change ▼")
        tree, view = stage.browser.tree_view, stage.browser.view
        assert all(tree.depth(node) == 0 for node in tree.nodes_shown())
        first = list(view.tree.roots())
        growth = [view.tree.row(node).badges["methods_change"] for node in first]
        assert growth == sorted(growth, key=lambda number: (-abs(number), -number))
        assert min(growth) < 0 < max(growth)
        for order, title in (("change", "by change ▼"), ("methods_change", "▼methods ±")):
            await stage.enter(f"sort {order}")
            await stage.until(lambda title=title: title in stage.lines()[2])
            shown = [view.tree.row(node).badges["methods_change"] for node in view.tree.roots(order)]
            assert shown == (growth if order == "change" else sorted(growth, reverse=True))
        await stage.press("S S")
        assert "▼methods ±" in stage.lines()[2]


async def test_the_match_of_a_filter_is_in_the_visible_part_of_each_row() -> None:
    async with browsing(CORPUS / CALLS, size=(40, 12)) as stage:
        await stage.press('& "JavaMainWrapper" Enter')
        await stage.settled()
        await stage.quiet()
        assert "JavaMainWrapper" in stage.lines()[3]


async def test_an_object_without_references_but_from_its_holder_has_no_misleading_answer() -> None:
    async with browsing(CORPUS / OBJECTS, size=SMALL) as stage:
        await show(stage, "Heap roots")
        await stage.press("5 G r")
        await stage.until(lambda: stage.browser.has_list)
        assert "nothing points here" not in stage.screen()


async def test_classes_of_a_heap_dump_show_objects_shallow_and_retained_sizes_at_80_columns() -> None:
    async with browsing(CORPUS / HEAP, size=SMALL) as stage:
        await show(stage, "Dumps")
        assert "Shallow, B" in stage.lines()[2] and "Objects" in stage.lines()[2]
        shown = fitting_columns((*HEAP_COLUMNS, kinds.GARBAGE, kinds.REFERRERS), SMALL[0] - 2)
        assert {column.name for column in shown} >= {column.name for column in HEAP_COLUMNS}
