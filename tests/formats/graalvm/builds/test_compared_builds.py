"""Comparison of all reports of two builds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from stage import browsing

from parsers.io.cache import Cache
from parsers.reporting.comparison.compared_report import apart
from parsers.runtime.opening import open_compared

Run = Callable[..., Answer]

CALLS = "VM Entry Points\n├── entry a.Main.main():void id=0 \n{}\n"
CALLED = "│   └── directly calls a.Main.come():void id=1 @bci=1 \n"
OBJECTS = "Heap roots\n├── root a.Main.{}:a.Thing value:\n│   └── a.Thing id=0 toString=Thing@1 (no fields)\n\n"


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """Folders of two builds: each has what the other has not."""
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, day, calls, field in ((old, 1, "", "one"), (new, 2, CALLED, "two")):
        folder.mkdir()
        (folder / f"call_tree_a_2024010{day}_100000.txt").write_text(CALLS.format(calls), "utf-8")
        (folder / f"object_tree_a_2024010{day}_100001.txt").write_text(OBJECTS.format(field), "utf-8")
    (old / "used_packages_a_20240101_100002.txt").write_text("a\n", "utf-8")
    (new / "used_classes_a_20240102_100002.txt").write_text("a.Main\n", "utf-8")
    return old, new


def test_each_report_of_a_build_is_compared_with_that_of_the_other(
    coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]
) -> None:
    answer = coffeetree("diff", "--json", *both)
    assert answer.status == 1
    leaves = [(row["view"], row["label"], row["change"]) for row in answer.rows if not row["children"]]
    assert leaves == [
        ("Packages (call tree)", "a.Main.come():void", "added"),
        ("Let in by", "a.Main.come():void", "added"),
        ("Heap roots", "a.Main.two:a.Thing", "added"),
        ("Heap roots", "a.Main.one:a.Thing", "removed"),
        *[each for each in leaves if each[0] in ("Classes", "Packages")],
    ]
    assert "only in the old report: Used packages" in answer.err
    assert "only in the new report: Used classes" in answer.err


def test_one_view_can_be_asked_for(coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]) -> None:
    rows = coffeetree("diff", "--json", "--view", "Heap roots", *both).rows
    assert [row["label"] for row in rows] == ["a.Main.two:a.Thing", "a.Main.one:a.Thing"]
    assert coffeetree("diff", both[0], both[0]).status == 0


def test_links_lead_to_the_report_that_a_view_is_of(cache: Cache, both: tuple[Path, Path]) -> None:
    report: Any = open_compared(*map(str, both), cache=cache)
    report.wait()
    view = report.view("Heap roots")
    (link,) = view.links(0)
    assert (link.report, link.ref) == (str(both[1] / "object_tree_a_20240102_100001.txt"), "line:2")
    assert report.facts["only in the newer one"] == ["Used classes"]
    report.close()


async def test_d_goes_back_to_the_build_that_was_shown(both: tuple[Path, Path]) -> None:
    async with browsing(both[1]) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        shown = stage.browser.report.format_title
        await stage.press(":")
        await stage.type(f"diff {both[0]}")
        await stage.press("Enter")
        await stage.until(lambda: "compared" in stage.browser.report.format_title and "≠ a " in stage.screen())
        await stage.press("d")
        await stage.until(lambda: stage.browser.report.format_title == shown)


async def test_d_offers_the_builds_in_folders_beside_that_of_a_build(both: tuple[Path, Path]) -> None:
    other = both[0].parent / "other"
    other.mkdir()
    (other / "call_tree_b_20240101_100000.txt").write_text(CALLS.format(""), "utf-8")
    async with browsing(both[1]) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.press("d")
        await stage.until(lambda: "with an older build" in stage.screen())
        shown = [line.strip("█ ").split("  ")[0] for line in stage.lines()[4:7]]
        assert shown == ["old/a", "the folder of another build: type its path", ""]
        await stage.press("Enter")
        await stage.until(lambda: "≠ a " in stage.screen() and "compared" in stage.browser.report.format_title)
        assert stage.status == "compared with old/a: d goes back"


def test_reports_of_one_name_are_distinguished_by_their_folders() -> None:
    assert apart("/b/1/reports/a.txt", "/b/2/reports/a.txt") == ("1/…/a.txt", "2/…/a.txt")
    assert apart("1/a.txt", "2/a.txt") == ("1/a.txt", "2/a.txt")
    assert apart("/x/a.txt", "/x/b.txt") == ("a.txt", "b.txt")
    assert apart("/x/a.txt", "/x/a.txt") == ("a.txt", "a.txt")
