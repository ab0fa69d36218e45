"""The view "Dominators" of a call tree: rows, numbers, REFs, on samples of each size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stage import browsing

from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.io.cache import Cache
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference
from parsers.runtime.opening import open_report

PROGRAM = """\
VM Entry Points
├── entry z.Main.main():void id=0
│   ├── directly calls a.b.List.add():void id=1 @bci=1
│   │   └── virtually calls a.b.List.grow():void @bci=4
│   │       ├── is overridden by a.b.List.grow():void id=3
│   │       │   └── directly calls a.c.Copy.copy():void id=4 @bci=1
│   │       └── is overridden by a.b.Map.grow():void id=6
│   └── directly calls a.b.Map.put():void id=2 @bci=2
│       ├── directly calls a.b.List.add():void id-ref=1 @bci=3
│       └── directly calls a.c.Copy.copy():void id-ref=4 @bci=5
└── entry Default.run():void id=5

"""


def opened(tmp_path: Path, text: str) -> CallTreeReport:
    path = tmp_path / "call_tree.txt"
    path.write_text(text, "utf-8")
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
    assert isinstance(report, CallTreeReport)
    return report


def drawn(view: Any) -> list[str]:
    """Returns all rows as lines: depth, label, dominated count."""
    rows = [(view.tree.row(node), level) for node, level in walk(view.tree)]
    return [f"{'  ' * level}{row.label.removesuffix('():void')} {row.badges['held']}" for row, level in rows]


def test_a_method_is_below_the_nearest_one_on_all_paths_to_it(tmp_path: Path) -> None:
    view = opened(tmp_path, PROGRAM).view("Dominators")

    assert drawn(view) == [
        "z.Main.main 6",
        "  a.b.List.add 3",
        "    a.b.List.grow 1",
        "    a.b.Map.grow 1",
        "  a.c.Copy.copy 1",
        "  a.b.Map.put 1",
        "Default.run 1",
    ]


@pytest.mark.parametrize(
    ("merge", "rows"),
    [
        ("by class", ["z.Main 6", "  a.b.List 3", "  a.b.Map 2", "  a.c.Copy 1", "Default 1"]),
        # Neither List nor Map dominates Copy alone; their package does.
        ("by package", ["z 6", "  a.b 5", "    a.c 1", "Default 1"]),
    ],
)
def test_methods_of_a_group_hold_together(tmp_path: Path, merge: str, rows: list[str]) -> None:
    view: Any = opened(tmp_path, PROGRAM).view("Dominators")
    view.choose("merge", merge)

    assert drawn(view) == rows


def test_an_entry_holds_nothing_where_its_method_is_called_too(tmp_path: Path) -> None:
    call = "    └── directly calls z.Main.main():void id-ref=0 @bci=1"
    text = PROGRAM.replace("Default.run():void id=5", f"Default.run():void id=5\n{call}")
    view: Any = opened(tmp_path, text).view("Dominators")
    view.choose("merge", "by entry")

    roots = [view.tree.row(node) for node in view.tree.roots()]
    assert [(row.kind, row.label, row.badges["held"]) for row in roots] == [
        ("entry", "Default.run():void", 1),
        ("entry", "z.Main.main():void", 0),
    ]


def test_entries_that_all_hold_nothing_are_rows(tmp_path: Path) -> None:
    text = (
        PROGRAM.split("\n", 1)[0]
        + "\n"
        + "".join(
            f"└── entry {name}():void id={id}\n    └── directly calls {other}():void id-ref={1 - id} @bci=1\n"
            for id, (name, other) in enumerate((("A.a", "B.b"), ("B.b", "A.a")))
        )
    )
    view: Any = opened(tmp_path, text + "\n").view("Dominators")
    view.choose("merge", "by entry")

    assert [view.tree.row(node).bars for node in view.tree.roots()][:2] == [{"held": 0}] * 2


@pytest.mark.parametrize("merge", ["methods", "by class", "by package", "by entry"])
def test_each_row_is_found_by_its_ref_and_its_key(tmp_path: Path, merge: str) -> None:
    report = opened(tmp_path, PROGRAM)
    view: Any = report.view("Dominators")
    view.choose("merge", merge)

    for node, _ in walk(view.tree):
        row = view.tree.row(node)
        assert view.tree.row(view.resolve(row.ref)).label == row.label
        found = view.find_key(view.key(node))
        assert view.tree.row(found).label == row.label
        assert view.labels(node, node + 1) == [row.label]
        assert row.bars["held"] == row.badges["held"] / view.tree.row(0).badges["held"]
        assert view.sections(node)[0].rows[0].text.startswith(f"{row.badges['held']:,} method")
    with pytest.raises(UnknownReference):
        view.resolve("class:no.Such")


SMALL_FIRST = """\
VM Entry Points
├── entry a.Small.run():void id=0
└── entry z.Main.main():void id=1
    └── directly calls a.b.List.add():void id=2 @bci=1

"""


@pytest.mark.parametrize(("keys", "label"), [("", "z.Main.main():void"), ("j j", "a.b.List.add():void")])
async def test_the_largest_rows_are_visible_first_at_the_beginning(tmp_path: Path, keys: str, label: str) -> None:
    path = tmp_path / "call_tree_app_20240101_101500.txt"
    path.write_text(SMALL_FIRST, "utf-8")
    async with browsing(path) as stage:
        await stage.press(keys)
        await stage.type(":view Dominators")
        await stage.press("Enter")
        await stage.until(lambda: stage.browser.view.name == "Dominators")
        row = stage.browser.tree_view.row_at_cursor()
        assert row is not None
        assert row.label == label
