"""The graph of an object tree: what holds objects, what would go without roots, objects, types, fields; ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_callgraph_cuts import shown

from parsers.formats.graalvm.objects.tree_report import ObjectTreeReport
from parsers.graph.graph_export import whole
from parsers.io.cache import Cache
from parsers.model.trees.tree import walk
from parsers.runtime.opening import open_report

HEAP = """\
Heap roots
├── root a.Main.MAP:java.util.Map value:
│   └── a.Map id=0 toString=Map@1 fields:
│       ├── table:a.Node[] value:
│       │   └── a.Node[] id=1 toString=Node[2]{} elements (excluding null):
│       │       ├── [0] a.Node id=2 toString=Node@2 fields:
│       │       │   └── value:java.lang.Object value:
│       │       │       └── java.lang.Integer id=3 toString=42 (no fields)
│       │       └── [1] a.Node id=4 toString=Node@3 fields:
│       │           └── value:java.lang.Object value:
│       │               └── java.lang.Integer id-ref=3 toString=42
│       └── keys:a.Keys value:
│           └── a.Keys id=5 toString=Keys@4 (no fields)
└── root a.Main.main(String[]) id-ref=5 toString=Keys@4

"""


def opened(tmp_path: Path) -> Any:
    path = tmp_path / "object_tree_app_20240101_101500.txt"
    path.write_text(HEAP, "utf-8")
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
    assert isinstance(report, ObjectTreeReport)
    return report


@pytest.mark.parametrize(
    ("merge", "rows"),
    [
        ("objects", ["a.Map 5", "  a.Node[] 4", "    a.Node 1", "    java.lang.Integer 1", "    a.Node 1", "a.Keys 1"]),
        ("by type", ["a.Map 5", "  a.Node[] 4", "    a.Node 3", "      java.lang.Integer 1", "a.Keys 1"]),
        (
            "by root",
            [
                "a.Main.MAP:java.util.Map 5",
                "  a.Map 5",
                "    a.Node[] 4",
                "      a.Node 1",
                "      java.lang.Integer 1",
                "      a.Node 1",
                "a.Main.main(String[]) 0",
            ],
        ),
    ],
)
def test_objects_types_and_roots_hold_objects(tmp_path: Path, merge: str, rows: list[str]) -> None:
    view = opened(tmp_path).view("Dominators")
    view.choose("merge", merge)

    found = [(view.tree.row(node), level) for node, level in walk(view.tree)]
    assert [f"{'  ' * level}{row.label} {row.badges['held']}" for row, level in found] == rows
    for row, _ in found:
        assert view.tree.row(view.resolve(row.ref)).label == row.label
        assert view.tree.row(view.find_key(view.key(row.node))).label == row.label


@pytest.mark.parametrize(
    ("patterns", "gone"),
    [
        ("line:2", ["a.Map", "a.Node[]", "a.Node", "java.lang.Integer", "a.Node"]),  # A root.
        ("a.Main.MAP*", ["a.Map", "a.Node[]", "a.Node", "java.lang.Integer", "a.Node"]),
        ("line:14", []),  # A root that refers to an object of another one.
        ("line:4", ["a.Node[]", "a.Node", "java.lang.Integer", "a.Node"]),  # A field.
        ("line:11", []),  # A reference.
        ("line:7,line:11", ["java.lang.Integer"]),  # A field, and the other reference.
        ("id:2", ["a.Node"]),
        ("a.Node", ["a.Node", "java.lang.Integer", "a.Node"]),  # A type.
        ("class:a.Keys", ["a.Keys"]),
        ("a.Node -> java.lang.*", ["java.lang.Integer"]),
        ("a.Main.MAP", ["a.Map", "a.Node[]", "a.Node", "java.lang.Integer", "a.Node"]),  # A static field.
        ("a.Map.table", ["a.Node[]", "a.Node", "java.lang.Integer", "a.Node"]),
        ("a.Map.keys", []),  # A root refers to them too.
        ("a.Map.keys,a.Main.main(String[])", ["a.Keys"]),
        ("a.Node.val*", ["java.lang.Integer"]),
        ("*.value", ["java.lang.Integer"]),
        ("*Node.v*", ["java.lang.Integer"]),
        ("*abl*", ["a.Node[]", "a.Node", "java.lang.Integer", "a.Node"]),
    ],
)
def test_roots_objects_types_and_fields_are_cut(tmp_path: Path, patterns: str, gone: list[str]) -> None:
    graph = opened(tmp_path).graph
    assert graph.cuts.cut(patterns) == []
    assert graph.labels("vertex", graph.cuts.effect.unreachable.tolist()) == gone


def test_marks_on_objects_fields_and_roots_are_carried_to_another_opening(tmp_path: Path) -> None:
    report = opened(tmp_path)
    refs = ["line:2", "line:14", "line:4", "line:11", "id:2", "class:a.Keys"]
    assert report.graph.cuts.cut(",".join(refs)) == []
    before = [(cut.key, cut.label) for cut in report.graph.cuts.marks]

    after = opened(tmp_path)

    assert after.graph.cuts.restore(report.graph.cuts.saved) == []
    assert [(cut.key, cut.label) for cut in after.graph.cuts.marks] == before


def test_removed_objects_are_listed_by_type(tmp_path: Path) -> None:
    report = opened(tmp_path)
    report.graph.cuts.cut("id:2")
    assert shown(report) == [
        "cut",
        "  a.Node",
        "no longer reached 1",
        "  a.Node 1 1",
        "    a.Node",
        "still reached, of what lost some 1",
        "  a.Node 1 1",
        "    a.Node",
    ]


def test_why_leads_along_what_the_cuts_leave(tmp_path: Path) -> None:
    report = opened(tmp_path)
    document = report.document
    keys, integer = document.resolve("id:5"), document.resolve("id:3")
    report.graph.cuts.cut("line:12,id:2")

    def labels(rows: Any) -> list[str]:
        return [document.row(row).label for row in rows]

    assert labels(report.why("Heap roots", keys)) == ["a.Main.main(String[])"]
    assert labels(report.why("Heap roots", integer)) == [
        "a.Main.MAP:java.util.Map", "a.Map", "table:a.Node[]", "a.Node[]", "[1] a.Node", "value:java.lang.Object",
        "java.lang.Integer",
    ]  # fmt: skip
    report.graph.cuts.cut("line:2")
    assert labels(report.why("Types", report.view("Types").resolve("class:a.Node"))) == []


@pytest.mark.parametrize("name", ["Heap roots", "Types", "Referrers", "Dominators"])
def test_the_content_of_a_row_can_be_cut(tmp_path: Path, name: str) -> None:
    report = opened(tmp_path)
    view = report.view(name)
    nodes = view.tree.roots() if view.tree.preorder is None else range(view.tree.preorder.rows)
    for node in nodes:
        about = report.graph.cut_of(view, node)
        assert about is not None
        assert report.graph.cuts.toggle(about)
        assert report.graph.members(about)


def test_paths_between_objects_and_the_exported_graph(tmp_path: Path, coffeetree: Callable[..., Any]) -> None:
    report = opened(tmp_path)
    path = report.files[0]
    rows = coffeetree("between", path, "a.Map", "java.lang.Integer", "--json").rows
    assert [(row["depth"], row["label"], row["badges"].get("id")) for row in rows] == [
        (0, "a.Map", 0), (1, "a.Node[]", 1), (2, "[0] a.Node", 2), (3, "java.lang.Integer", 3), (2, "[1] a.Node", 4),
        (3, "java.lang.Integer", None),
    ]  # fmt: skip
    graph = whole(report.graph)
    assert [(vertex.name, vertex.is_root) for vertex in graph.vertices] == [
        ("a.Map Map@1", True), ("a.Node[] Node[2]{}", False), ("a.Node Node@2", False), ("java.lang.Integer 42", False),
        ("a.Node Node@3", False), ("a.Keys Keys@4", True),
    ]  # fmt: skip
    assert [arc[:2] for arc in graph.arcs] == [
        ("n0", "n1"), ("n0", "n5"), ("n1", "n2"), ("n1", "n4"), ("n2", "n3"), ("n4", "n3"),
    ]  # fmt: skip
