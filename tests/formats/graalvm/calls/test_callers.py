"""Callers: from any method back to the calls that reach it, however they go round."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from parsers.formats.graalvm.calls.sites import Without
from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.io.cache import Cache
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference, View
from parsers.runtime.opening import open_report

Opened = Callable[[str], View]

# main calls a and b; a calls c, b calls c through an interface; c calls a: a and c go round.
ROUND = """\
VM Entry Points
└── entry d.M.main():void id=0
    ├── directly calls d.M.a():void id=1 @bci=1
    │   └── directly calls d.M.c():void id=3 @bci=5
    │       └── directly calls d.M.a():void id-ref=1 @bci=9
    └── directly calls d.M.b():void id=2 @bci=2
        └── virtually calls d.I.c():void @bci=7
            └── is overridden by d.M.c():void id-ref=3

"""


@pytest.fixture
def callers(tmp_path: Path) -> Opened:
    """A function from the text of a call tree to its view of callers."""

    def open_text(text: str) -> View:
        path = tmp_path / "call_tree.txt"
        path.write_text(text, "utf-8")
        report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
        assert isinstance(report, CallTreeReport)
        return report.view("Callers")

    return open_text


def drawn(view: View, ref: str, depth: int | None = None) -> list[str]:
    """The callers of a method as lines: depth, method, where, flags."""
    lines = []
    for node, level in walk(view.tree, view.resolve(ref), depth):
        row = view.tree.row(node)
        name = row.label.partition("(")[0].rpartition(".")[2]
        at = f" @{row.badges['bci']}" if "bci" in row.badges else ""
        lines.append(" ".join(["  " * level + name + at, row.kind, *row.flags]))
    return lines


def test_callers_are_labelled_with_the_method_of_the_call(callers: Opened) -> None:
    assert drawn(callers(ROUND), "id:3", 1) == [
        "c method",
        "  a @5 direct call",
        "  b @7 overridden by",
    ]


def test_a_method_is_opened_once_on_a_path(callers: Opened) -> None:
    assert drawn(callers(ROUND), "id:3") == [
        "c method",
        "  a @5 direct call",
        "    main @1 direct call",
        "    c @9 direct call recursive",
        "  b @7 overridden by",
        "    main @2 direct call",
    ]


def test_a_method_that_calls_itself_ends_at_once(callers: Opened) -> None:
    text = "VM Entry Points\n└── entry d.M.f():void id=0\n    └── directly calls d.M.f():void id-ref=0 @bci=1\n\n"

    assert drawn(callers(text), "id:0") == ["f method", "  f @1 direct call recursive"]


def test_the_target_of_a_virtual_call_has_callers_too(callers: Opened) -> None:
    assert drawn(callers(ROUND), "name:d.I.c():void") == [
        "c method",
        "  b @7 virtual call",
        "    main @2 direct call",
    ]


def test_a_ref_names_the_method_that_its_row_shows_or_refers_to(callers: Opened) -> None:
    view = callers(ROUND)

    assert view.resolve("line:5") == view.resolve("line:3") == view.resolve("id:1")
    assert view.resolve("method:d.M.a():void") == view.resolve("id:1")


def test_a_call_leads_to_its_row_and_its_ref_names_the_caller(callers: Opened) -> None:
    view = callers(ROUND)
    first = view.tree.row(view.tree.children(view.resolve("id:3"))[0])

    assert (first.line, first.link, first.ref) == (4, "line:4", "line:3")
    assert view.resolve(first.ref) == view.resolve("id:1")


def test_an_opened_node_gives_the_same_children_again(callers: Opened) -> None:
    view = callers(ROUND)
    method = view.resolve("id:3")

    assert list(view.tree.children(method)) == list(view.tree.children(method))
    assert all(view.tree.parent(node) == method for node in view.tree.children(method))


def test_children_are_sorted_by_how_often_the_caller_is_called(callers: Opened) -> None:
    view = callers(ROUND)
    sites = view.tree.children(view.resolve("id:3"), "call_sites")

    assert [view.tree.row(node).badges["call_sites"] for node in sites] == [2, 1]


@pytest.mark.parametrize("ref", ["id:77", "line:1", "line:77", "name:x", "node:5", "node:x", "class:d.M", ""])
def test_a_ref_of_no_method_is_refused(callers: Opened, ref: str) -> None:
    with pytest.raises(UnknownReference):
        callers(ROUND).resolve(ref)


def test_a_call_outside_of_any_method_shows_it(callers: Opened) -> None:
    text = "VM Entry Points\n├── directly calls d.M.f():void id=0 @bci=1\n└── entry d.M.g():void id=1\n\n"
    view = callers(text)
    row = view.tree.row(view.tree.children(view.resolve("id:0"))[0])

    assert (row.label, row.flags, row.has_children) == ("(called from no method)", ("unknown",), False)
    assert view.sections(row.node)
    assert view.links(row.node)
    assert list(view.references(row.node).nodes) == []


def test_a_method_that_nothing_declares_has_callers(callers: Opened) -> None:
    text = "VM Entry Points\n└── entry d.M.g():void id=1\n    └── directly calls d.M.f():void id-ref=9 @bci=1\n\n"
    view = callers(text)

    assert view.tree.row(view.resolve("id:9")).flags == ("dangling",)
    assert drawn(view, "id:9") == ["f method dangling", "  g @1 direct call"]


def test_a_long_ring_of_calls_unfolds_without_recursion_of_ours(callers: Opened) -> None:
    # Kept below the size of a file's head, so no index is needed.
    count = 700
    lines = ["VM Entry Points", "└── entry m.M.f():void id=0"]
    lines += [f"{'    ' * 1}├── directly calls m.M.g{i}():void id={i} @bci=1" for i in range(1, 3)]
    lines += [f"{'    ' * 2}└── directly calls m.M.g():void id-ref=1 @bci={i}" for i in range(count)]
    view = callers("\n".join(lines) + "\n\n")

    assert len(view.tree.children(view.resolve("id:1"))) == count + 1


def test_an_entry_with_very_many_call_sites_is_left_out_of_them_without_copying() -> None:
    sites = Without(range(0, 50, 5), 3)

    assert list(sites) == [0, 5, 10, 20, 25, 30, 35, 40, 45]
    assert (sites[-1], sites[3], list(sites[2:4]), len(sites)) == (45, 20, [10, 20], 9)
    with pytest.raises(IndexError):
        sites[9]


def test_opening_a_method_of_many_call_sites_makes_nothing_for_each(tmp_path: Path) -> None:
    class Graph:
        vertices = 2
        roots = range(2)

        def sites(self, vertex: int) -> range:
            return range(1_000_000)

        def has_sites(self, vertex: int) -> bool:
            return True

        def vertex_at(self, site: int) -> int:
            return 1

        def row(self, node: int) -> None: ...

        def sort_keys(self, order: str, nodes: object) -> list[int]:
            return []

    from parsers.model.trees.unfolding import UnfoldedTree

    tree = UnfoldedTree(Graph())  # type: ignore[arg-type]
    began = time.perf_counter()

    children = tree.children(0)

    assert len(children) == 1_000_000
    assert tree.parent(children[999_999]) == 0
    assert time.perf_counter() - began < 1


def test_the_end_of_a_chain_of_callers_shows_that_it_is_an_entry(callers: Opened) -> None:
    view = callers(ROUND)
    rows = [view.tree.row(node) for node, _ in walk(view.tree, view.resolve("id:1"), 1)]
    assert [(row.label, view.remark(row)) for row in rows] == [  # type: ignore[attr-defined]
        ("d.M.a():void", ""),
        ("d.M.main():void", "entry point"),
        ("d.M.c():void", ""),
    ]
