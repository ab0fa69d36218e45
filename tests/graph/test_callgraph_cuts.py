"""What would no longer be reached without some calls, methods, classes: against a plain search without them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CORPUS
from hypothesis import given
from hypothesis import strategies as st
from stage import browsing
from test_callgraph_views import PROGRAM, opened
from test_callgraph_weight import graphs, reached

from parsers.graph.adjacency import Edges
from parsers.graph.reachability import path_to, reach
from parsers.graph.shortest_paths import find_shortest, reach_without
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference

CALL_TREE = "call_tree_app_20240101_101500.txt"


@given(graph=graphs(), closed=st.sets(st.integers(0, 9)), lost=st.sets(st.integers(0, 30)))
def test_reached_vertices_equal_those_of_a_plain_search(
    graph: tuple[Edges, Any], closed: set[int], lost: set[int]
) -> None:
    edges, _ = graph
    closed = {vertex for vertex in closed if vertex < edges.size}
    targets = edges.targets.copy()
    targets[[edge for edge in lost if edge < len(targets)]] = edges.size
    is_closed = np.isin(np.arange(edges.size), list(closed))

    found = reach(edges.starts, targets, edges.roots, is_closed)

    plain = reached(edges._replace(targets=targets), closed | {edges.size}) - {edges.size}
    assert set((found.distance >= 0).nonzero()[0].tolist()) == plain


@pytest.mark.parametrize("slower", [0, 1 << 20], ids=["only lost", "recompute all"])
@given(
    graph=graphs(),
    closed=st.sets(st.integers(0, 9)),
    lost=st.sets(st.integers(0, 30)),
    roots=st.sets(st.integers(0, 3)),
)
def test_cuts_leave_what_a_plain_search_reaches_by_equally_short_paths(
    slower: int, graph: tuple[Edges, Any], closed: set[int], lost: set[int], roots: set[int]
) -> None:
    edges, _ = graph
    shortest = find_shortest(edges)
    cut = [
        np.array(sorted(each for each in every if each < size), np.uint32)
        for every, size in ((closed, edges.size), (lost, len(edges.targets)), (roots, len(edges.roots)))
    ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parsers.graph.shortest_paths.ALL", slower)
        found, gone = reach_without(edges, shortest, *cut)

    targets = edges.targets.copy()
    targets[cut[1]] = edges.size
    without = edges._replace(targets=targets, roots=np.delete(edges.roots, cut[2]))
    plain = reached(without, closed | {edges.size}) - {edges.size}
    assert set((found.distance >= 0).nonzero()[0].tolist()) == plain
    assert gone.tolist() == sorted(reached(edges) - plain)
    searched = reach(edges.starts, targets, without.roots, np.isin(np.arange(edges.size), cut[0]))
    assert found.distance.tolist() == searched.distance.tolist()
    for vertex in plain:
        assert len(path_to(edges.starts, found, vertex)) == found.distance[vertex]
        assert not set(path_to(edges.starts, found, vertex)) & set(cut[1].tolist())


@given(graph=graphs())
def test_a_path_is_connected_and_as_long_as_the_distance(graph: tuple[Edges, Any]) -> None:
    edges, _ = graph
    found = reach(edges.starts, edges.targets, edges.roots)
    for vertex in (found.distance >= 0).nonzero()[0].tolist():
        steps = path_to(edges.starts, found, vertex)
        assert len(steps) == found.distance[vertex]
        ends = [int(edges.targets[step]) for step in steps]
        begins = [int(np.searchsorted(edges.starts, step, "right")) - 1 for step in steps]
        assert begins[1:] == ends[:-1]
        assert not steps or (begins[0] in edges.roots and ends[-1] == vertex)


def test_long_chains_and_wide_levels_are_gone_through(tmp_path: Path) -> None:
    chain = np.arange(1, 1_000, dtype=np.uint32)
    starts = np.append(np.arange(1_000), 999).astype(np.uint32)
    assert reach(starts, chain, [0]).distance.tolist() == list(range(1_000))
    star = np.array([0, *[999] * 1_000], np.uint32)
    assert reach(star, chain, [0]).distance.tolist() == [0, *[1] * 999]


def shown(report: Any) -> list[str]:
    """The view of cuts as lines."""
    view = report.view("Cut")
    rows = [(view.tree.row(node), level) for node, level in walk(view.tree)]
    return [
        f"{'  ' * level}{row.label.removesuffix('():void')}"
        + "".join(f" {row.badges[name]}" for name in ("gone", "left") if name in row.badges)
        for row, level in rows
    ]


def test_without_cuts_the_view_shows_how_to_cut(tmp_path: Path) -> None:
    view = opened(tmp_path, PROGRAM).view("Cut")
    assert (view.row_count, len(view.tree.roots())) == (0, 0)
    assert view.empty_because.startswith("nothing is cut.\nX cuts what a row shows")


def test_a_cut_call_takes_with_it_what_nothing_else_leads_to(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    # The call of Map.put; Copy.copy has another caller.
    report.graph.cuts.cut("line:8")

    assert shown(report) == [
        "cut",
        "  a.b.Map.put",
        "no longer reached 1",
        "  a.b 1 3",
        "    a.b.Map 1 1",
        "      a.b.Map.put",
        "still reached, of what lost some 3",
        "  a.b 1 3",
        "    a.b.Map 1 1",
        "      a.b.Map.grow",
        "    a.b.List 0 2",
        "      a.b.List.add",
        "      a.b.List.grow",
    ]


@pytest.mark.parametrize(
    ("patterns", "gone"),
    [
        ("a.b.List", ["add", "grow", "grow"]),
        ("a.b*", ["add", "grow", "copy", "grow", "put"]),
        ("a.c.Copy.copy():void", ["copy"]),
        ("*.List.add* -> *.List.grow*", ["grow"]),
        ("line:4", ["grow", "grow"]),  # The virtual call: both methods that it may mean.
        ("line:2", ["main", "add", "grow", "copy", "grow", "put"]),
        ("class:a.b.Map,id:4", ["copy", "grow", "put"]),
        ("a.b.List.gro*,a.b.Map.grow*", ["grow", "grow"]),
        ("no.such*", []),
    ],
)
def test_patterns_and_refs_are_cut(tmp_path: Path, patterns: str, gone: list[str]) -> None:
    report = opened(tmp_path, PROGRAM)
    missed = report.graph.cuts.cut(patterns)

    names = report.graph.labels("vertex", report.graph.cuts.effect.unreachable.tolist())
    assert [name.removesuffix("():void").rpartition(".")[2] for name in names] == gone
    assert missed == ([] if gone else [patterns])


def test_an_unknown_ref_cuts_nothing(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    with pytest.raises(UnknownReference):
        report.graph.cuts.cut("line:99")
    assert not report.graph.cuts


def test_why_leads_along_what_the_cuts_leave(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    document = report.view("Call tree")
    copy = document.resolve("id:4")
    report.graph.cuts.cut("*grow* -> *copy*")

    labels = [f"{document.tree.row(row).kind} {document.tree.row(row).label}" for row in report.why("Call tree", copy)]
    assert labels == [
        "entry z.Main.main():void",
        "direct call a.b.Map.put():void",
        "direct call a.c.Copy.copy():void",
    ]
    report.graph.cuts.cut("a.b.Map.put*")
    assert list(report.why("Call tree", copy)) == []
    assert list(report.why("Packages", report.view("Packages").resolve("package:a.c"))) == []
    report.graph.cuts.clear()
    assert len(report.why("Call tree", copy)) == 5


def test_rows_stay_the_same_while_marks_come_and_go(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    view: Any = report.view("Cut")
    view.renew()
    report.graph.cuts.cut("a.b.List")
    assert view.renew() is not None
    node = view.resolve("class:a.b.List")
    labels = [view.tree.row(each).label for each, _ in walk(view.tree)]
    report.graph.cuts.cut("a.b.Map.put*")

    place = view.renew()

    assert view.tree.row(place(node)).label == "a.b.List"
    assert [view.tree.row(place(each)).label for each in range(len(labels) - 6)] == labels[:-6]
    assert view.renew() is None
    assert report.graph.cuts.undo()
    assert view.renew() is not None
    assert [view.tree.row(each).label for each, _ in walk(view.tree)] == labels


def test_shown_rows_are_those_of_the_earlier_cuts_until_they_are_renewed(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    view: Any = report.view("Cut")
    report.graph.cuts.cut("a.b.List")
    view.renew()
    shown = [(view.tree.row(node), view.remark(view.tree.row(node))) for node, _ in walk(view.tree)]

    assert report.graph.cuts.undo()

    assert [(view.tree.row(row.node), view.remark(row)) for row, _ in shown] == shown
    assert view.renew() is not None
    assert not view.tree.roots()


@pytest.mark.parametrize("name", ["Call tree", "Callers", "Entry points", "Packages", "Dominators"])
def test_the_content_of_any_row_can_be_cut(tmp_path: Path, name: str) -> None:
    report = opened(tmp_path, PROGRAM)
    view = report.view(name)
    nodes = view.tree.roots() if view.tree.preorder is None else range(view.tree.preorder.rows)
    for node in nodes:
        about = report.graph.cut_of(view, node)
        assert about is not None
        if view.tree.row(node).badges.get("id") is None and name == "Callers":
            continue
        assert report.graph.cuts.toggle(about)
        assert report.graph.cuts.is_cut(about)
        assert not report.graph.cuts.toggle(about)


def test_the_command_line_cuts(tmp_path: Path, coffeetree: Callable[..., Any]) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")

    rows = coffeetree("tree", path, "--cut", "a.b.List", "--depth", "all", "--json").rows
    gone = next(row for row in rows if row["label"] == "no longer reached")
    assert gone["badges"] == {"gone": 3}
    assert [row["label"] for row in rows if row["kind"] == "method"][:3] == [
        "a.b.List.add():void", "a.b.List.grow():void", "a.b.Map.grow():void",
    ]  # fmt: skip
    ways = coffeetree("why", path, "--cut", "*grow* -> *copy*", "a.c.Copy.copy", "--json").rows
    assert [row["ref"] for row in ways[0]["path"]] == ["line:2", "line:8", "line:10"]
    none = coffeetree("why", path, "--cut", "a.b*", "a.c.Copy.copy")
    assert (none.status, none.out, none.err) == (1, "", "no path is left\n")
    missed = coffeetree("tree", path, "--cut", "no.Such*")
    assert (missed.status, missed.out, missed.err) == (0, "", "--cut no.Such*: no match\n")


def test_info_counts_the_effect_of_cuts(tmp_path: Path, coffeetree: Callable[..., Any]) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")
    (tmp_path / "used_packages_app_20240101_101501.txt").write_text("a.b\n", "utf-8")
    expected = {"cut": ["a.b.List"], "of": "methods", "reached": 7, "gone": 3, "left": 4}

    assert coffeetree("info", path, "--cut", "a.b.List", "--json").rows[0]["cuts"] == expected
    assert coffeetree("info", tmp_path, "--cut", "a.b.List", "--json").rows[0]["cuts"] == expected


@pytest.mark.parametrize(("case", "is_exact"), [("csv_22.3_to_24.0", False), ("csv_25", True)])
def test_answers_for_seven_tables_show_their_limits(case: str, is_exact: bool, coffeetree: Callable[..., Any]) -> None:
    path = next((CORPUS / case / "reports").glob("*call_tree_methods_*"))
    for words in (("tree", path, "--view", "Dominators"), ("tree", path, "--cut", "*"), ("between", path, "*", "*")):
        assert ("Seven tables join a virtual call" in coffeetree(*words).err) == (not is_exact)


REBUILT = """\
VM Entry Points
├── entry Default.run():void id=0
└── entry z.Main.main():void id=1
    ├── directly calls a.b.Map.put():void id=2 @bci=2
    │   └── directly calls a.c.Copy.copy():void id=4 @bci=5
    └── directly calls a.b.List.add():void id=3 @bci=1
        └── virtually calls a.b.List.grow():void @bci=4
            ├── is overridden by a.b.List.grow():void id=6
            │   └── directly calls a.c.Copy.copy():void id-ref=4 @bci=1
            └── is overridden by a.b.Map.grow():void id=5

"""
"""The same program with other ids, but for one call of `List.add`."""


def test_marks_are_carried_to_a_report_with_other_lines_and_ids(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    # A virtual call, a call, an entry, a method, a class, a pattern, a call that will be removed.
    for ref in ("line:4", "line:6", "line:11", "id:4", "class:a.b.List", "a.b.Map.p*", "line:9"):
        assert report.graph.cuts.cut(ref) == []
    saved = report.graph.cuts.saved
    report.close()

    after = opened(tmp_path, REBUILT)
    missed = after.graph.cuts.restore(saved)

    assert missed == ["a.b.List.add():void"]
    marks = [
        (cut.node.by, after.graph.entry(cut.node).ref) if cut.node else cut.label for cut in after.graph.cuts.marks
    ]
    assert marks == [
        ("edge", "line:7"), ("edge", "line:9"), ("root", "line:2"), ("vertex", "line:5"), ("class", "class:a.b.List"),
        "a.b.Map.p*",
    ]  # fmt: skip
    assert not after.graph.cuts.can_undo


async def test_cuts_are_there_again_when_the_report_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")
    async with browsing(path) as stage:
        await stage.type(":cut a.b.Map.put*,a.b.List.add*")
        await stage.press("Enter")
        await stage.until(lambda: stage.status.startswith("2 cuts: "))
        path.write_text(REBUILT, "utf-8")
        await stage.press("R")
        await stage.until(lambda: stage.status.startswith("2 cuts: "))
        await stage.press("D")
        await stage.until(lambda: "no longer reached" in stage.screen())
        path.write_text(REBUILT.replace("Map.put", "Map.get"), "utf-8")
        await stage.press("R")
        await stage.until(lambda: stage.status == "no longer cut, as it is not there any more: a.b.Map.put*")
        report: Any = stage.browser.report
        assert [cut.label for cut in report.graph.cuts.marks] == ["a.b.List.add*"]
        await stage.until(lambda: "≈ a.b.List.add*" in stage.screen())


async def test_a_key_cuts_and_another_shows_the_effect(tmp_path: Path) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")
    async with browsing(path) as stage:
        await stage.type(":view Packages")
        await stage.press("Enter")
        await stage.until(lambda: stage.browser.view.name == "Packages")
        node = stage.browser.view.resolve("package:a.b")
        stage.browser.tree_view.jump(node)
        await stage.press("X")
        await stage.until(lambda: stage.status.startswith("1 cut: 5 of 7 methods would no longer be reached"))
        assert "×" in stage.screen()
        await stage.press("g")
        assert "1 cut  (D)" in stage.status
        await stage.press("D")
        await stage.until(lambda: stage.browser.view.name == "Cut")
        assert "no longer reached" in stage.screen()
        assert (" what still leads there" in stage.keys, " why" in stage.keys) == (True, False)
        # The mark is a row of the view: X removes it from there.
        stage.browser.tree_view.jump(1)
        await stage.press("X")
        await stage.until(lambda: "nothing is cut." in stage.screen())
        await stage.type(":undo-cut")
        await stage.press("Enter")
        await stage.until(lambda: "no longer reached" in stage.screen())
        await stage.type(":uncut")
        await stage.press("Enter")
        await stage.until(lambda: "nothing is cut." in stage.screen())


async def test_filters_narrow_removed_rows_and_stay_while_cuts_change(tmp_path: Path) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")
    async with browsing(path) as stage:

        def labels() -> list[str]:
            tree = stage.browser.tree_view
            return [stage.browser.view.tree.row(node).label.removesuffix("():void") for node in shown_nodes(tree)]

        await stage.type(":cut a.b.List")
        await stage.press("Enter")
        await stage.until(lambda: stage.status.startswith("1 cut: 3 of 7 methods"))
        await stage.press("D")
        await stage.until(lambda: stage.browser.view.name == "Cut")
        await stage.type("&Map")
        await stage.press("Enter")
        await stage.until(lambda: labels()[-1:] == ["a.b.Map.put"])
        assert labels() == [
            "no longer reached", "a.b", "a.b.Map", "a.b.Map.grow", "still reached, of what lost some", "a.b", "a.b.Map",
            "a.b.Map.put",
        ]  # fmt: skip
        await stage.type(":cut a.b.Map")
        await stage.press("Enter")
        after = ["cut", "a.b.Map", "no longer reached", "a.b", "a.b.Map", "a.b.Map.grow", "a.b.Map.put"]
        await stage.until(lambda: labels() == after)


async def test_filters_apply_to_paths(tmp_path: Path) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")
    async with browsing(path) as stage:
        await stage.type(":cut a.b.Map.put*")
        await stage.press("Enter")
        await stage.until(lambda: stage.status.startswith("1 cut: "))
        await stage.type(":between z.Main* -> *.copy*")
        await stage.press("Enter")
        await stage.until(lambda: stage.browser.view.name == "Between")
        await stage.type("&List.g")
        await stage.press("Enter")
        tree = stage.browser.tree_view
        await stage.until(lambda: len(shown_nodes(tree)) == 3)
        labels = [stage.browser.view.tree.row(node).label for node in shown_nodes(tree)]
        assert [label.removesuffix("():void") for label in labels] == ["z.Main.main", "a.b.List.add", "a.b.List.grow"]


async def test_filters_apply_to_paths_as_they_are_shown_although_a_call_was_cut_since(tmp_path: Path) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")
    async with browsing(path) as stage:
        await stage.settled()
        await stage.enter("between z.Main* -> *.copy*")
        await stage.until(lambda: stage.browser.view.name == "Between")
        shown = len(shown_nodes(stage.browser.tree_view))
        await stage.enter("cut *")
        await stage.until(lambda: stage.status.startswith("1 cut: "))
        await stage.enter("suppress no.such.Method")
        await stage.until(lambda: stage.status.startswith("No row with descendants is suppressed"))
        assert len(shown_nodes(stage.browser.tree_view)) == shown > 3


def shown_nodes(tree: Any) -> list[int]:
    return list(tree.outline.nodes(0, len(tree.outline)))
