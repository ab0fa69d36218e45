"""The views of an object tree beside the file itself: types with their objects, and who points to an object."""

from __future__ import annotations

from itertools import accumulate
from unittest.mock import patch

import pytest
from conftest import truth_of
from hypothesis import given
from hypothesis import strategies as st
from test_object_tree import DEMO, SAMPLES, report_of, sample

from parsers.formats.graalvm.objects.holder import reference_count, root_row
from parsers.formats.graalvm.objects.index.plain import object_tree
from parsers.formats.graalvm.objects.index.types import object_arrays
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference, View


def lines(view: View, *badges: str) -> list[str]:
    """A tree as text: depth, kind, label and some badges."""
    rows = [view.tree.row(node) for node, _ in walk(view.tree)]
    return [
        " ".join(
            ["  " * row.depth + row.kind, row.label, *(str(row.badges[name]) for name in badges if name in row.badges)]
        )
        for row in rows
    ]


def test_types_contain_their_objects_most_objects_first() -> None:
    view = report_of(DEMO).view("types")
    assert lines(view, "id", "objects", "roots", "references", "weight") == [
        "type java.util.HashMap 1 1 1 9",
        "  object java.util.HashMap 0 1 9",
        "type java.util.HashMap$Node 1 1 1 4",
        "  object [1] java.util.HashMap$Node 2 1 4",
        "type java.util.HashMap$Node[] 1 1 0 6",
        "  object java.util.HashMap$Node[] 1 0 6",
    ]


def test_the_rows_below_objects_within_objects_of_their_type_are_counted_once() -> None:
    report = report_of(
        "├── root a.B.c:a.B value:\n│   └── a.B id=0 toString=B fields:\n│       └── next:a.B value:\n"
        "│           └── a.B id=1 toString=B fields:\n│               └── next:a.B value=null\n"
        "└── root a.B.d:a.B value:\n    └── a.B id=2 toString=B (no fields)"
    )
    row = report.view("Types").tree.row(0)
    assert row.badges == {"objects": 3, "roots": 2, "references": 0, "weight": 3}


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_the_largest_types_of_a_sample_are_first(case: str, name: str) -> None:
    view = sample(case, name).view("Types")
    truth = truth_of(case)[name]
    rows = [view.tree.row(node) for node in view.tree.roots()]
    assert [[row.label, row.badges["objects"]] for row in rows[:10]] == truth["largest_types"]
    assert (view.root_count, view.row_count) == (
        truth["totals"]["types"],
        truth["totals"]["types"] + truth["totals"]["objects"],
    )


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_labels_of_types_at_once_are_those_of_their_rows(case: str, name: str) -> None:
    view = sample(case, name).view("Types")
    labels = view.labels  # type: ignore[attr-defined]
    size = view.row_count or 0
    for start, stop in ((0, min(size, 300)), (max(0, size - 90), size), (size // 2, min(size // 2 + 40, size)), (3, 3)):
        assert labels(start, stop) == [view.tree.row(node).label for node in range(start, stop)]


def test_types_are_sorted_by_any_of_their_counts() -> None:
    view = report_of(DEMO).view("Types")
    labels = {order: [view.tree.row(node).label[10:] for node in view.tree.roots(order)] for order in view.orders}
    assert labels["weight"] == ["HashMap", "HashMap$Node[]", "HashMap$Node"]
    assert labels["references"] == ["HashMap", "HashMap$Node", "HashMap$Node[]"]
    assert labels["type"] == ["HashMap", "HashMap$Node", "HashMap$Node[]"]
    assert [view.tree.row(node).label[10:] for node in view.tree.roots("-weight")] == labels["weight"][::-1]


def test_a_type_and_an_object_are_found_by_their_refs() -> None:
    view = report_of(DEMO).view("Types")
    assert [view.resolve(ref) for ref in ("class:java.util.HashMap$Node", "id:2", "line:7", "line:10", "node:4")] == [
        2,
        3,
        3,
        1,
        4,
    ]
    for ref in ("class:int[]", "line:8", "id:99", "node:6"):
        with pytest.raises(UnknownReference):
            view.resolve(ref)


def test_an_object_is_the_same_node_in_all_views() -> None:
    report = report_of(DEMO)
    document, types, referrers, *_ = report.views
    key = document.key(5)
    assert document.find_key(key) == 5
    assert types.find_key(key) == 3
    assert report.tree.vertex_id(referrers.find_key(key)) == 2
    assert types.key(3) == referrers.key(referrers.find_key(key)) == key
    assert types.find_key(types.key(2)) == 2


def test_the_referrers_of_an_object_lead_back_to_its_roots() -> None:
    report = report_of(DEMO)
    view = report.view("Referrers")
    node = view.resolve("id:2")
    found = []
    for below, level in walk(view.tree, node):
        row = view.tree.row(below)
        found.append(
            ("  " * level + row.label, row.badges.get("via"), row.badges.get("id"), row.ref, row.link, row.flags)
        )
    assert found == [
        ("[1] java.util.HashMap$Node", None, 2, "line:7", "line:7", ()),
        ("  java.util.HashMap$Node[]", "[1]", 1, "line:5", "line:7", ()),
        ("    java.util.HashMap", "table", 0, "line:3", "line:5", ()),
        ("      a.Config.MAP:java.util.Map", None, None, "line:2", "line:3", ()),
        ("      java.util.HashMap$Node", "value", 2, "line:7", "line:11", ("recursive",)),
        ("  a.Main.main(String[])", None, None, "line:13", "line:13", ()),
    ]


def test_all_declared_objects_are_at_the_top_of_referrers() -> None:
    view = report_of(DEMO).view("Referrers")
    assert [view.tree.row(node).badges["id"] for node in view.tree.roots()] == [0, 1, 2]
    assert view.root_count == 3


def test_an_object_that_refers_to_itself_is_opened_once() -> None:
    report = report_of(
        "└── root a.B.c:a.B value:\n    └── a.B id=0 toString=B fields:\n        └── me:a.B value:\n"
        "            └── a.B id-ref=0 toString=B"
    )
    view = report.view("Referrers")
    assert lines(view, "via") == ["object a.B", "  root a.B.c:a.B", "  object a.B me"]


@pytest.mark.parametrize("name", ["Heap roots", "Types", "Referrers"])
def test_every_link_of_a_row_leads_somewhere(name: str) -> None:
    report = report_of(DEMO)
    view = report.view(name)
    for node, _ in walk(view.tree):
        for link in view.links(node):
            assert report.view(link.view).resolve(link.ref) >= 0
        for section in view.sections(node):
            for line in section.rows:
                assert line.ref is None or report.locate(line.ref, line.view)[1] >= 0
        assert view.resolve(view.tree.row(node).ref) >= 0
        assert report.document.resolve(view.tree.row(node).link or "node:0") >= 0
        assert view.path(node)[-1] == node
        assert report.tree.kind(report.why(name, node)[0]) <= 3


trees = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.sampled_from(
            [b"root a:b value:", b"x:y value:", b"int toString=1 (expansion suppressed)", b"root r id-ref=1 toString=x"]
            + [b"%s id=%d toString= fields:" % (type, id) for type in (b"T", b"U") for id in range(5)]
            + [b"%s id-ref=%d toString=" % (type, id) for type in (b"T", b"U") for id in range(5)]
        ),
    ),
    max_size=30,
)


@given(trees, st.sampled_from([1, 3, 1 << 19]))
def test_the_table_counts_the_objects_of_each_type_on_any_tree(rows: list[tuple[int, bytes]], piece: int) -> None:
    text = b"".join(b"\xe2\x94\x82   " * depth + "├── ".encode() + body + b"\n" for depth, body in rows)
    tree = object_tree(b"Heap roots\n" + text + b"\n")
    with patch("parsers.formats.graalvm.objects.index.types.PIECE", piece):
        arrays = object_arrays(tree)
    by_name: dict[int, list[int]] = {}
    for vertex in range(tree.vertices):
        if tree.declaration(vertex) >= 0 and tree.name(vertex) >= 0:
            by_name.setdefault(tree.name(vertex), []).append(vertex)
    names = sorted(by_name, key=lambda name: (-len(by_name[name]), bytes(tree.names[name])))
    declared = [sorted(map(tree.declaration, by_name[name])) for name in names]
    expected = {
        "names": names,
        "firsts": [0, *accumulate(len(rows) + 1 for rows in declared)],
        "roots": [len({root_row(tree, row) for row in rows}) for rows in declared],
        "references": [sum(reference_count(tree, vertex) for vertex in by_name[name]) for name in names],
        "weights": [len({below for row in rows for below in range(row + 1, tree.end(row))}) for rows in declared],
        "rows": [row for rows in declared for row in rows],
    }
    assert {name.removeprefix("types."): values.tolist() for name, values in arrays.items()} == expected


def test_references_to_a_type_are_those_to_all_of_its_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    view = report_of(DEMO).view("Types")
    one_by_one = [list(view.references(node).nodes) for node in range(6)]
    monkeypatch.setattr("parsers.formats.graalvm.objects.types_view.FEW", 0)
    assert one_by_one == [[9], [9], [11], [11], [], []]
    assert [list(view.references(node).nodes) for node in range(6)] == one_by_one
