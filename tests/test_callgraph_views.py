"""The view "Dominators" of a call tree: rows, numbers, REFs, on samples of each size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parsers.cache import Cache
from parsers.callgraph.loops import NONE
from parsers.graalvm.calls.tree import CallTreeReport
from parsers.opening import open_report
from parsers.report import UnknownReference, walk
from tests.conftest import CORPUS, sample_path, samples

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
    """All rows as lines: depth, label, what it holds."""
    rows = [(view.tree.row(node), level) for node, level in walk(view.tree)]
    return [f"{'  ' * level}{row.label.removesuffix('():void')} {row.badges['held']}" for row, level in rows]


def test_a_method_stands_below_the_nearest_one_that_all_ways_to_it_lead_through(tmp_path: Path) -> None:
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
        # Neither List nor Map holds Copy alone; their package does.
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
        assert view.sections(node)[0].rows[0].text.startswith(f"{row.badges['held']:,} method")
    with pytest.raises(UnknownReference):
        view.resolve("class:no.Such")


SETS = sorted(path.name for path in CORPUS.glob("csv_*"))
"""Cases that are a small set of tables each."""


@pytest.mark.parametrize(("case", "name"), samples("graalvm-call-tree")[:-4])
def test_what_a_group_holds_is_what_a_search_without_it_misses(case: str, name: str, cache: Cache) -> None:
    hold_against_searching(sample_path(case, name), cache)


@pytest.mark.parametrize("case", SETS)
def test_of_tables_it_is_the_same(case: str, cache: Cache) -> None:
    hold_against_searching(next((CORPUS / case / "reports").glob("*call_tree_methods_*_*")), cache)


def hold_against_searching(path: Path, cache: Cache) -> None:
    """Leaves groups and methods out, and searches again."""
    report = open_report([str(path)], cache=cache)
    assert isinstance(report, CallTreeReport)
    report.wait()
    edges = report.graph.kept.edges
    starts, targets, roots = edges.starts.tolist(), edges.targets.tolist(), edges.roots.tolist()

    def reached(without: set[int]) -> set[int]:
        found: set[int] = set()
        left = [root for root in roots if root not in without]
        while left:
            thing = left.pop()
            if thing not in found:
                found.add(thing)
                left += [each for each in targets[starts[thing] : starts[thing + 1]] if each not in without]
        return found

    whole = reached(set())
    assert len(whole) == report.graph.reached
    for by in ("class", "package"):
        weights, groups = report.graph.kept.weights(by), report.graph.groups(by)
        largest = range(0, len(weights.number), max(1, len(weights.number) // 6))
        for row in largest:
            # The methods that nothing declares are a group behind the others.
            group = weights.number[row] if weights.number[row] in groups else NONE
            members = set((groups == group).nonzero()[0].tolist())
            assert weights.held[row] == len(whole - reached(members))
    weights = report.graph.kept.weights("thing")
    for row in range(0, len(weights.number), max(1, len(weights.number) // 12)):
        assert weights.held[row] == len(whole - reached({int(weights.number[row])}))
    report.close()
