"""Comparison of two reports: additions, removals and changes, in lines and in the browser."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CORPUS, Answer, sample_path
from heap_dumps import sample_path as dump_path
from stage import browsing

from parsers.io.cache import Cache
from parsers.model.report import ReportError
from parsers.model.trees.tree import walk
from parsers.reporting.comparison.lines import ComparedLine, changes
from parsers.reporting.comparison.volatile_names import normal_name
from parsers.runtime.opening import open_compared

Run = Callable[..., Answer]
TWO_DUMPS = dump_path("two-dumps.hprof")
OLD, NEW = f"{TWO_DUMPS}#1", f"{TWO_DUMPS}#2"


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A folder without reports of other tests in the folders beside it, which the browser would offer."""
    own = tmp_path / "own"
    own.mkdir()
    return own


def lines(*texts: str) -> list[ComparedLine]:
    """Lines as `a 5` or, a level deeper, ` b 3`."""
    found = []
    for text in texts:
        name, number = text.split()
        found.append(ComparedLine(name, "class", name, {"bytes": int(number)}, len(text) - len(text.lstrip())))
    return found


def told(old: list[ComparedLine], new: list[ComparedLine]) -> list[str]:
    found = []
    left = [(each, 0) for each in reversed(changes(old, new, "bytes"))]
    while left:
        each, depth = left.pop()
        found.append(f"{' ' * depth}{each.line.label} {each.change} {each.difference('bytes'):+}")
        left += [(below, depth + 1) for below in reversed(each.below)]
    return found


# -- lines ------------------------------------------------------------------------------------------------------------


def test_the_largest_change_is_first_whether_growth_or_removal() -> None:
    old, new = lines("gone 9", "same 4", "grown 1", "less 7"), lines("same 4", "grown 3", "come 7", "less 5")
    assert told(old, new) == ["gone removed -9", "come added +7", "grown changed +2", "less changed -2"]


def test_ancestors_of_a_change_are_listed_even_if_their_numbers_are_equal() -> None:
    old, new = lines("p 5", " a 5", "q 1", " c 1"), lines("p 5", " a 2", " b 3", "q 1", " c 1")
    assert told(old, new) == ["p changed +0", " b added +3", " a changed -3"]


def test_lines_of_one_name_are_added_up() -> None:
    assert told(lines("a 5", "a 6"), lines("a 7")) == ["a changed -4"]


def test_lines_of_one_name_have_the_largest_of_their_extremes() -> None:
    (change,) = changes(lines("a 2"), lines("a 3", "a 5"), "bytes", ("bytes",))
    assert change.new == {"bytes": 5}


def test_equal_reports_differ_in_nothing() -> None:
    assert told(lines("p 5", " a 5"), lines("p 5", " a 5")) == []


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("a.B$$Lambda$56+0x00007f01fe006000", "a.B$$Lambda"),
        ("a.B$$Lambda/0x00007f01fe006000", "a.B$$Lambda"),
        ("java.lang.invoke.LambdaForm$MH+0x00000008000c1000", "java.lang.invoke.LambdaForm$MH"),
        ("jdk.proxy1.$Proxy12", "jdk.proxy1.$Proxy"),
        ("jdk.internal.reflect.GeneratedMethodAccessor7", "jdk.internal.reflect.GeneratedMethodAccessor"),
        ("a.Service$$EnhancerBySpringCGLIB$$1a2b3c4d", "a.Service$$EnhancerBySpringCGLIB$$"),
        ("a.B$1[]", "a.B$1[]"),
    ],
)
def test_generated_numbers_are_no_part_of_a_name(name: str, normal: str) -> None:
    assert normal_name(name) == normal


# -- heap dumps -------------------------------------------------------------------------------------------------------


def histogram(coffeetree: Run, path: object) -> dict[str, tuple[int, int, int]]:
    """Returns bytes, objects and retained sizes by class."""
    words = ("tree", "--json", "--view", "Classes", "--switch", "group=classes alone", "--depth", "0", path)
    found: dict[str, tuple[int, int, int]] = {}
    for row in coffeetree(*words).rows:
        before = found.get(row["label"], (0, 0, 0))
        numbers = (row["badges"][name] for name in ("bytes", "objects", "retained"))
        found[row["label"]] = (*(one + more for one, more in zip(before, numbers, strict=True)),)  # type: ignore[assignment]
    return found


def test_classes_of_two_dumps_are_sorted_by_change(coffeetree: Run) -> None:
    answer = coffeetree("diff", "--json", OLD, NEW)
    assert answer.status == 1
    old, new = histogram(coffeetree, OLD), histogram(coffeetree, NEW)
    names = ("bytes", "objects", "retained")
    rows = [row for row in answer.rows if row["kind"] == "class"]
    assert {row["label"] for row in rows} == {name for name in {**old, **new} if old.get(name) != new.get(name)}
    for row in rows:
        for numbers, there in ((row["old"], old), (row["new"], new)):
            wanted = there.get(row["label"])
            assert numbers == (None if wanted is None else dict(zip(names, wanted, strict=True)))
        assert row["change"] == ("added" if row["old"] is None else "removed" if row["new"] is None else "changed")
        assert row["badges"]["bytes"] == (row["new"] or {"bytes": 0})["bytes"]
    change = [abs(row["badges"]["bytes_change"]) for row in answer.rows if row["kind"] == "package"]
    assert change == sorted(change, reverse=True)


def test_a_dump_compared_with_itself_is_equal(coffeetree: Run) -> None:
    answer = coffeetree("diff", NEW, NEW)
    assert (answer.status, answer.out) == (0, "")


def test_classes_of_text_dumps_are_compared_without_retained_sizes(coffeetree: Run) -> None:
    text = CORPUS.parent / "hprof/text"
    old, new = text / "longnames-dump.txt.xz", text / "profiletest-dump.txt.xz"
    answer = coffeetree("diff", "--json", old, new)
    assert answer.status == 1
    assert {name for row in answer.rows for name in row["new"] or ()} == {"bytes", "objects"}
    same = coffeetree("diff", "--json", old, old)
    assert (same.status, same.out) == (0, "")
    nothing = coffeetree("diff", old, text / "profiletest-times.txt.xz")
    assert (nothing.status, nothing.out) == (2, "")
    assert "nothing that can be compared" in nothing.err


def test_a_line_shows_the_new_value_and_the_growth(coffeetree: Run) -> None:
    told = next(row for row in coffeetree("diff", "--json", OLD, NEW).rows if row["kind"] == "class")
    heading, *lines = coffeetree("diff", OLD, NEW).out.splitlines()
    line = next(line for line in lines if " class: " in line)
    assert told["label"] in line and "Shallow, B" in heading
    for name in ("", "objects=", "retained="):
        column = name.rstrip("=") or "bytes"
        assert f" {name}{told['badges'][column]:,} ({told['badges'][f'{column}_change']:+,})" in line
    assert "_change" not in line


def test_a_limit_reports_rows_not_shown(coffeetree: Run) -> None:
    answer = coffeetree("diff", "--limit", 2, OLD, NEW)
    assert len(answer.out.splitlines()) == 1 + 2
    assert "rows not shown (--limit 2" in answer.err


def test_packages_alone_are_printed_on_request(coffeetree: Run) -> None:
    every = coffeetree("diff", "--json", OLD, NEW).rows
    answer = coffeetree("diff", "--depth", 0, "--json", OLD, NEW)
    assert answer.rows == [row for row in every if row["depth"] == 0]
    left = len(every) - len(answer.rows)
    assert f"{left:,} of {len(every):,} rows not shown (--depth 0; all lifts it)" in answer.err


def test_reports_of_other_formats_are_no_pair(coffeetree: Run) -> None:
    tree = sample_path("v24.2_and_25", "call_tree_demo_20250916_101500.txt")
    both = coffeetree("diff", tree, NEW)
    assert (both.status, both.out) == (2, "")
    assert "can't be compared" in both.err


def test_diff_takes_two_reports(coffeetree: Run) -> None:
    for words in (("diff", OLD), ("diff", OLD, NEW, NEW)):
        answer = coffeetree(*words)
        assert answer.status == 2
        assert "coffeetree diff OLD NEW" in answer.err


def test_a_comparison_is_a_report(cache: Cache) -> None:
    report = open_compared(OLD, NEW, cache=cache)
    view = report.view("Classes")
    assert (view.is_ready, view.row_count) == (False, 0)
    report.wait()
    assert view.is_ready
    for node, _ in walk(view.tree):
        row = view.tree.row(node)
        assert view.tree.row(view.resolve(row.ref)).ref == row.ref
    assert report.totals["new"]["objects"] > 0
    assert json.dumps(dict(report.facts), default=str)
    report.close()


def test_a_failed_opening_leaves_nothing_open(cache: Cache) -> None:
    with pytest.raises(ReportError, match="no such file"):
        open_compared(OLD, "/there/is/none", cache=cache)


# -- the browser ------------------------------------------------------------------------------------------------------


async def test_d_offers_neighbours_of_a_report_and_any_other_by_its_path(tmp_path: Path) -> None:
    names = ("newest", "of-another-format", "older", "oldest", "shown")
    for name, minute in zip(names, (4, 3, 1, 0, 2), strict=True):
        copy = tmp_path / f"{name}.hprof"
        copy.write_bytes(b"another" if "another" in name else Path(TWO_DUMPS).read_bytes())
        os.utime(copy, (1_000_000_000 + 60 * minute,) * 2)
    async with browsing(tmp_path / "shown.hprof") as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.press("d")
        await stage.until(lambda: "with an older report" in stage.screen())
        shown = [line.strip("█ ").split("  ")[0] for line in stage.lines()[4:9]]
        assert shown == [
            "run 1 of this file",
            "older.hprof",
            "oldest.hprof",
            "newest.hprof",
            "another file: type its path",
        ]
        await stage.press("G Enter")
        assert stage.keys.startswith(":diff ")
        await stage.type(str(tmp_path / "oldest.hprof"))
        await stage.press("Enter")
        await stage.until(lambda: "oldest.hprof → shown.hprof" in stage.lines()[0])


async def test_d_offers_older_reports_and_goes_back_from_the_comparison() -> None:
    async with browsing(NEW) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        alone = stage.browser.view.name

        await stage.press("d")
        await stage.until(lambda: "with an older report" in stage.screen())
        assert "run 1 of this file" in stage.screen()
        await stage.press("Enter")
        await stage.until(lambda: "→" in stage.lines()[0] and stage.browser.view.is_ready)
        await stage.until(lambda: "±" in stage.screen() and "java.lang" in stage.screen())
        assert stage.browser.report.format_title == "HPROF heap dumps compared"
        assert stage.row.kind == "package"

        await stage.press("o")
        assert stage.status == "This report can't be searched."

        await stage.press("d")
        await stage.until(lambda: "→" not in stage.lines()[0])
        assert stage.browser.view.name == alone


async def test_links_of_the_palette_lead_to_the_reports_that_are_compared() -> None:
    async with browsing(NEW) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.enter(f"diff {OLD}")
        await stage.until(lambda: "→" in stage.lines()[0] and stage.browser.view.is_ready)
        await stage.until(lambda: stage.row.kind == "package")
        await stage.press('^p "link:in" Enter')
        await stage.until(lambda: "→" not in stage.lines()[0])
        assert stage.row.kind == "package"


async def test_an_older_report_that_is_not_there_leaves_all_as_it_is() -> None:
    async with browsing(NEW) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        report = stage.browser.report
        await stage.press(":")
        await stage.type("diff /there/is/none")
        await stage.press("Enter")
        await stage.until(lambda: "can't be opened" in stage.status)
        assert stage.browser.report is report
        await stage.press("R")
        await stage.until(lambda: stage.browser.report is not report)
