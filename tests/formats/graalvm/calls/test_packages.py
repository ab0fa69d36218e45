"""Packages and entry points of a call tree: tables over its methods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from engines import engine
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.calls.index.packages import build_packages
from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.io.cache import Cache
from parsers.model.trees.column_preorder import ends_of
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference, View
from parsers.runtime.opening import open_report

Opened = Callable[[str], CallTreeReport]

PROGRAM = """\
VM Entry Points
├── entry z.Main.main():void id=0
│   ├── directly calls a.b.List.add():void id=1 @bci=1
│   │   └── directly calls a.b.List.grow():void id=3 @bci=1
│   │       └── directly calls a.c.Copy.copy():void id=4 @bci=1
│   └── directly calls a.b.Map.put():void id=2 @bci=2
│       └── directly calls a.b.List.add():void id-ref=1 @bci=3
└── entry Default.run():void id=5

"""


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """A function from the text of a call tree to its report."""

    def open_text(text: str) -> CallTreeReport:
        path = tmp_path / "call_tree.txt"
        path.write_text(text, "utf-8")
        report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
        assert isinstance(report, CallTreeReport)
        return report

    return open_text


def drawn(view: View, *badges: str) -> list[str]:
    """Returns all rows as lines: depth, label, the given badges."""
    lines = []
    for node, level in walk(view.tree):
        row = view.tree.row(node)
        numbers = " ".join(str(row.badges.get(badge, "")) for badge in badges)
        lines.append(f"{'  ' * level}{row.label} {numbers}".rstrip())
    return lines


def test_packages_hold_classes_and_classes_hold_methods(opened: Opened) -> None:
    view = opened(PROGRAM).view("packages")

    assert drawn(view, "methods", "call_sites") == [
        "Default 1 0",
        "  Default 1 0",
        "    Default.run():void  0",
        "a.b 3 4",
        "  a.b.List 2 3",
        "    a.b.List.add():void  2",
        "    a.b.List.grow():void  1",
        "  a.b.Map 1 1",
        "    a.b.Map.put():void  1",
        "a.c 1 1",
        "  a.c.Copy 1 1",
        "    a.c.Copy.copy():void  1",
        "z 1 0",
        "  z.Main 1 0",
        "    z.Main.main():void  0",
    ]
    assert (view.row_count, view.root_count) == (15, 4)


@pytest.mark.parametrize("loader", ["", "app:"])
def test_labels_at_once_are_those_of_the_rows(opened: Opened, loader: str) -> None:
    text = PROGRAM.replace("calls ", f"calls {loader}").replace("entry ", f"entry {loader}")
    view = opened(text).view("packages")
    size = view.row_count or 0
    labels = view.labels  # type: ignore[attr-defined]
    for start, stop in ((0, size), (2, 5), (size - 1, size), (4, 4)):
        assert labels(start, stop) == [view.tree.row(node).label for node in range(start, stop)]


def test_a_weight_counts_each_row_below_once(opened: Opened) -> None:
    view = opened(PROGRAM).view("Packages")

    # grow is below add, so the class has the two rows below add and not three.
    assert drawn(view, "weight")[3:9] == [
        "a.b 3",
        "  a.b.List 2",
        "    a.b.List.add():void 2",
        "    a.b.List.grow():void 1",
        "  a.b.Map 1",
        "    a.b.Map.put():void 1",
    ]


@pytest.mark.parametrize(
    ("order", "labels"),
    [
        (None, ["Default", "a.b", "a.c", "z"]),
        ("weight", ["z", "a.b", "Default", "a.c"]),
        ("-weight", ["Default", "a.c", "a.b", "z"]),
        ("methods", ["a.b", "Default", "a.c", "z"]),
        ("name", ["Default", "a.b", "a.c", "z"]),
        ("-name", ["z", "a.c", "a.b", "Default"]),
    ],
)
def test_packages_are_sorted(opened: Opened, order: str | None, labels: list[str]) -> None:
    tree = opened(PROGRAM).view("Packages").tree

    assert [tree.row(node).label for node in tree.roots(order)] == labels


def test_the_nodes_are_a_preorder(opened: Opened) -> None:
    tree = opened(PROGRAM).view("Packages").tree
    preorder = tree.preorder
    assert preorder is not None

    assert list(preorder.depths(0, 15)) == [preorder.depth(node) for node in range(15)]
    for node in range(15):
        parent = tree.parent(node)
        assert parent is None or (
            parent < node < preorder.end(parent) and preorder.depth(parent) < preorder.depth(node)
        )
        assert [preorder.end(child) for child in tree.children(node)][-1:] in ([], [preorder.end(node)])


@pytest.mark.parametrize(
    ("ref", "label"),
    [
        ("package:a.b", "a.b"),
        ("class:a.b.List", "a.b.List"),
        ("class:Default", "Default"),
        ("method:a.b.List.add():void", "a.b.List.add():void"),
        ("name:a.b.List.add():void", "a.b.List.add():void"),
        ("id:4", "a.c.Copy.copy():void"),
        ("line:7", "a.b.List.add():void"),
        ("node:3", "a.b"),
    ],
)
def test_a_ref_names_a_package_class_or_method(opened: Opened, ref: str, label: str) -> None:
    view = opened(PROGRAM).view("Packages")

    assert view.tree.row(view.resolve(ref)).label == label


@pytest.mark.parametrize("ref", ["package:a", "class:a.b", "method:x", "node:15", "line:1", "id:9", "task:1"])
def test_a_ref_of_nothing_here_is_refused(opened: Opened, ref: str) -> None:
    with pytest.raises(UnknownReference):
        opened(PROGRAM).view("Packages").resolve(ref)


def test_a_ref_of_a_package_is_found_without_naming_the_view(opened: Opened) -> None:
    view, node = opened(PROGRAM).locate("package:a.c")

    assert (view.name, view.tree.row(node).label) == ("Packages", "a.c")


def test_every_ref_and_key_finds_its_node_again(opened: Opened) -> None:
    for name in ("Call tree", "Entry points", "Packages"):
        view = opened(PROGRAM).view(name)
        for node, _ in walk(view.tree):
            assert view.resolve(view.tree.row(node).ref) == node
    packages = opened(PROGRAM).view("Packages")
    assert all(packages.find_key(packages.key(node) or "") == node for node, _ in walk(packages.tree))


def test_the_cursor_stays_on_a_method_from_view_to_view(opened: Opened) -> None:
    report = opened(PROGRAM)
    key = report.view("Call tree").key(5)
    assert key is not None

    labels = {}
    for view in report.views:
        node = view.find_key(key)
        labels[view.name] = None if node is None else view.tree.row(node).label

    assert labels == {
        "Call tree": "a.b.List.add():void",
        "Callers": "a.b.List.add():void",
        "Entry points": None,
        "Packages": "a.b.List.add():void",
        "Dominators": "a.b.List.add():void",
        "Cut": None,
        "Between": None,
        "Entered from": None,
    }


def test_why_of_a_package_shows_the_path_to_its_nearest_method(opened: Opened) -> None:
    report = opened(PROGRAM)
    packages = report.view("Packages")

    assert list(report.why("Packages", packages.resolve("package:a.c"))) == [0, 1, 2, 3]
    assert list(report.why("Packages", packages.resolve("package:a.b"))) == [0, 1]


def test_references_to_a_package_are_the_calls_from_outside(opened: Opened) -> None:
    packages = opened(PROGRAM).view("Packages")

    assert list(packages.references(packages.resolve("package:a.b")).nodes) == [1, 4]
    assert list(packages.references(packages.resolve("name:a.b.List.add():void")).nodes) == [1, 5]


def test_the_side_pane_of_a_package(opened: Opened) -> None:
    packages = opened(PROGRAM).view("Packages")
    section = packages.sections(packages.resolve("package:a.b"))[0]

    assert {row.label: row.text for row in section.rows} == {
        "classes": "2",
        "methods": "3",
        "call sites": "4",
        "reached first": "3 rows through its methods",
        "nearest": "a.b.List.add():void",
    }


def test_entry_points_are_a_table(opened: Opened) -> None:
    view = opened(PROGRAM).view("Entry points")

    assert drawn(view, "id") == ["z.Main.main():void 0", "Default.run():void 5"]
    assert [column.name for column in view.columns] == ["id", "rows_below"]
    assert view.tree.row(1).link == "line:8"
    assert not view.tree.has_children(0)


def test_entry_points_show_why_where_it_is_printed(opened: Opened) -> None:
    text = (
        "VM Entry Points\n"
        "├── entry a.A.a():void id=1, parsing reason:  at a.M.x(M.java:4) [bci: 7]\n"
        "at a.M.main(M.java:1) [bci: 1] \n"
        "└── entry b.B.b():void id=0, parsing reason:  root method \n\n"
    )
    view = opened(text).view("Entry points")

    assert [column.name for column in view.columns] == ["reason", "id", "rows_below"]
    assert [view.tree.row(node).badges["reason"] for node in view.tree.roots()] == [
        "at a.M.x(M.java:4) [bci: 7]\nat a.M.main(M.java:1) [bci: 1]",
        "root method",
    ]
    assert list(view.tree.roots("id")) == [0, 1]
    assert list(view.tree.roots("-id")) == [1, 0]
    assert list(view.tree.roots("reason")) == [0, 1]
    assert list(view.tree.roots("name")) == [0, 1]


def test_a_file_without_rows_has_empty_views(opened: Opened) -> None:
    report = opened("VM Entry Points\n\n")

    assert [(view.name, view.row_count, view.root_count) for view in report.views] == [
        ("Call tree", 0, 0),
        ("Callers", None, None),
        ("Entry points", 0, 0),
        ("Packages", 0, 0),
        ("Dominators", 0, 0),
        ("Cut", 0, 0),
        ("Between", 0, 0),
        ("Entered from", 0, 0),
    ]
    assert all(list(view.tree.roots()) == [] for view in report.views)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3), st.integers(0, 9)), max_size=20),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
def test_sums_of_classes_and_packages_count_each_row_once(
    rows: list[tuple[int, int, int]], package_of_class: list[int]
) -> None:
    ends = ends_of(np.array([min(depth, row) for row, (depth, _, _) in enumerate(rows)], np.uint16))
    classes = [klass for _, klass, _ in rows]
    sites = [count for _, _, count in rows]
    methods = [row for row, klass in enumerate(classes) if klass >= 0]
    names = [b"c", b"a", b"b"]
    # Vertices are numbered against the order of their rows.
    last = len(rows) - 1
    arguments = (
        np.array(classes[::-1], np.int64).astype(np.uint32),
        np.array(package_of_class, np.uint32),
        np.arange(len(rows), dtype=np.uint32)[::-1].copy(),
        np.array(sites[::-1], np.uint32),
        names,
        np.array([last - row for row in methods], np.uint32),
        ends[methods],
    )

    def below(chosen: list[int]) -> int:
        return len({each for row in chosen for each in range(row + 1, int(ends[row]))})

    def of_package(package: int) -> list[int]:
        return [row for row in methods if package_of_class[classes[row]] == package]

    packages = sorted((each for each in range(3) if of_package(each)), key=names.__getitem__)
    used = [each for package in packages for each in range(4) if each in classes and package_of_class[each] == package]
    of_class = [[row for row in methods if classes[row] == klass] for klass in used]
    for has_kernels in (True, False):
        with engine(has_kernels):
            found = build_packages(*arguments)
        assert found["vertices"].tolist() == [last - row for rows_of in of_class for row in rows_of]
        assert found["class_weight"].tolist() == [below(rows_of) for rows_of in of_class]
        assert found["class_call_sites"].tolist() == [sum(sites[row] for row in rows_of) for rows_of in of_class]
        assert found["package_weight"].tolist() == [below(of_package(package)) for package in packages]
        assert found["package_call_sites"].tolist() == [
            sum(sites[row] for row in of_package(each)) for each in packages
        ]
        nodes = [found["node_of_vertex"][vertex] for vertex in found["vertices"]]
        assert found["depths"][nodes].tolist() == [2] * len(methods)
