"""All paths between two vertices, compared with every walk of a small graph; exported graphs, read back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stage import browsing
from test_callgraph_views import PROGRAM, opened
from test_callgraph_weight import graphs

from parsers.graph.adjacency import Edges
from parsers.graph.between import find_paths_between
from parsers.graph.graph_export import whole
from parsers.graph.shortest_paths import find_shortest
from parsers.model.report import ReportError
from parsers.model.trees.tree import walk
from parsers.reporting.export.graph import FORMS, Arc, GraphExport, Vertex

Pairs = set[tuple[int, int]]
CALL_TREE = "call_tree_app_20240101_101500.txt"


def mask(edges: Edges, vertices: set[int]) -> Any:
    return np.isin(np.arange(edges.size), list(vertices))


def pairs_between(edges: Edges, begin: set[int], end: set[int]) -> Pairs:
    """Returns the edges of walks that touch neither a start nor an end in between."""
    pairs = {
        (vertex, int(target))
        for vertex in range(edges.size)
        for target in edges.targets[edges.starts[vertex] : edges.starts[vertex + 1]]
        if vertex not in end and int(target) not in begin
    }

    def closure(known: set[int], steps: Pairs) -> set[int]:
        found = set(known)
        while more := {target for source, target in steps if source in found} - found:
            found |= more
        return found

    down = closure(begin, pairs)
    up = closure(end, {(target, source) for source, target in pairs})
    return {(source, target) for source, target in pairs if source in down and target in up}


@given(graph=graphs(), begin=st.sets(st.integers(0, 9)), end=st.sets(st.integers(0, 9)))
def test_all_paths_are_found(graph: tuple[Edges, Any], begin: set[int], end: set[int]) -> None:
    edges, _ = graph
    begin = {vertex for vertex in begin - end if vertex < edges.size}
    end = {vertex for vertex in end if vertex < edges.size}

    paths = find_paths_between(edges, find_shortest(edges), mask(edges, begin), mask(edges, end), most=None)

    assert {step[:2] for step in paths.steps} == pairs_between(edges, begin, end)
    assert (paths.left_out, set(paths.begin) <= begin) == (0, True)


@given(graph=graphs(), begin=st.sets(st.integers(0, 9)), end=st.sets(st.integers(0, 9)), most=st.integers(1, 6))
def test_omitted_edges_are_on_longer_paths(graph: tuple[Edges, Any], begin: set[int], end: set[int], most: int) -> None:
    edges, _ = graph
    begin = {vertex for vertex in begin - end if vertex < edges.size}
    asked = (
        find_shortest(edges),
        mask(edges, begin),
        mask(edges, {vertex for vertex in end if vertex < edges.size}),
    )
    everything, some = (find_paths_between(edges, *asked, most=bound) for bound in (None, most))

    kept = {step[:2] for step in some.steps}
    assert kept <= {step[:2] for step in everything.steps}
    assert {step[:2] for step in everything.steps if step.length <= some.complete_to} <= kept
    # Each step is part of a complete path: from a start to an end.
    assert kept == pairs_between(
        _only(edges, kept), begin, {vertex for vertex, left in some.distance_to_end.items() if not left}
    )
    assert (some.left_out == 0) == (kept == {step[:2] for step in everything.steps})


def _only(edges: Edges, pairs: Pairs) -> Edges:
    """The graph with some of its edges only."""
    ordered = sorted(pairs)
    starts = np.searchsorted([source for source, _ in ordered], np.arange(edges.size + 1)).astype(np.uint32)
    return edges._replace(starts=starts, targets=np.array([target for _, target in ordered], np.uint32))


def drawn(view: Any) -> list[str]:
    rows = [(view.tree.row(node), level) for node, level in walk(view.tree)]
    return [
        f"{'  ' * level}{row.label.removesuffix('():void')} {row.badges.get('id', '↩')} {row.badges['to_go']}"
        for row, level in rows
    ]


def test_paths_are_merged_and_each_method_is_expanded_where_it_is_reached_first(tmp_path: Path) -> None:
    view: Any = opened(tmp_path, PROGRAM).view("Between")
    view.ask("z.Main*", "*.copy*")

    assert drawn(view) == [
        "z.Main.main 0 2",
        "  a.b.Map.put 2 1",
        "    a.c.Copy.copy 4 0",
        "    a.b.List.add ↩ 2",
        "  a.b.List.add 1 2",
        "    a.b.List.grow 3 1",
        "      a.c.Copy.copy ↩ 0",
    ]
    assert view.summary() == "z.Main* -> *.copy*: 5 methods, the shortest path takes 2 calls"
    assert view.tree.row(view.nearest).label == "a.c.Copy.copy():void"
    copy = next(node for node, _ in walk(view.tree) if "id_ref" in view.tree.row(node).badges)
    assert view.tree.row(view.resolve(view.tree.row(copy).link)).label == "a.b.List.add():void"


def test_paths_from_outside_paths_that_cuts_leave_and_no_path(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    view: Any = report.view("Between")
    assert (view.row_count, view.empty_because.split("\n")[0]) == (0, "no paths selected.")
    view.ask("", "*.copy*", 2)
    assert view.summary() == (
        "outside -> *.copy*: 3 methods, the shortest path takes 2 calls; all paths up to 2 are shown, "
        "4 calls on others are not"
    )
    report.graph.cuts.cut("a.b.Map")
    view.ask("id:0", "id:4")
    assert drawn(view)[1:] == ["  a.b.List.add 1 2", "    a.b.List.grow 3 1", "      a.c.Copy.copy 4 0"]
    view.ask("class:Default", "id:4")
    assert (view.row_count, view.empty_because) == (0, "class:Default -> id:4: no path")
    assert view.nearest is None
    with pytest.raises(ReportError, match=r"no match for no\.Such"):
        view.ask("no.Such", "id:4")


def drawn_labels(view: Any) -> list[str]:
    return [view.tree.row(node).label for node, _ in walk(view.tree)]


async def test_the_cursor_moves_to_the_end_of_the_shortest_path(tmp_path: Path) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")
    async with browsing(path) as stage:
        await stage.type(":between z.Main* -> *.copy*")
        await stage.press("Enter")
        await stage.until(lambda: "the shortest path takes 2 calls" in stage.screen())
        row = stage.browser.tree_view.row_at_cursor()
        assert row is not None
        assert row.label == "a.c.Copy.copy():void"


# -- graphs for others ------------------------------------------------------------------------------------------------

HARD = GraphExport(
    ("class",),
    [
        Vertex("n0", "Method", 'a "b" \\ c, <d> & é\n\x01', ("x,y",), True),
        Vertex("n1", "Method", "wert-JR5F0z0(long):long", ("",)),
    ],
    [Arc("n0", "n1", "DIRECT", 2), Arc("n1", "n1", "VIRTUAL", 1)],
)
"""Names with all that is special in some form."""


def read_graphml(text: str) -> tuple[dict[str, dict[str, str]], list[tuple[str, ...]]]:
    space = "{http://graphml.graphdrawing.org/xmlns}"
    graph = ElementTree.fromstring(text.encode()).find(f"{space}graph")
    assert graph is not None
    data = {
        element: {each.get("key", ""): "".join(each.itertext()) for each in element.iter(f"{space}data")}
        for element in graph
    }
    nodes = {element.get("id", ""): data[element] for element in graph.iter(f"{space}node")}
    arcs: list[tuple[str, ...]] = [
        (element.get("source", ""), element.get("target", ""), data[element]["type"], data[element]["count"])
        for element in graph.iter(f"{space}edge")
    ]
    return nodes, arcs


def read_table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_names_with_all_that_is_special_are_read_back() -> None:
    hard, plain = 'a "b" \\ c, <d> & é\n\ufffd', "wert-JR5F0z0(long):long"
    nodes, arcs = read_graphml("".join(FORMS["graphml"](HARD)))
    assert nodes == {
        "n0": {"label": hard, "kind": "Method", "class": "x,y", "root": "true", "drawn": hard},
        "n1": {"label": plain, "kind": "Method", "class": "", "drawn": plain},
    }
    assert arcs == [("n0", "n1", "DIRECT", "2"), ("n1", "n1", "VIRTUAL", "1")]
    assert read_table("".join(FORMS["nodes"](HARD))) == [
        {
            "id:ID": "n0",
            "name": 'a "b" \\ c, <d> & é\n\x01',
            "class": "x,y",
            "root:boolean": "true",
            ":LABEL": "Method",
        },
        {"id:ID": "n1", "name": "wert-JR5F0z0(long):long", "class": "", "root:boolean": "false", ":LABEL": "Method"},
    ]
    assert read_table("".join(FORMS["edges"](HARD))) == [
        {":START_ID": "n0", ":END_ID": "n1", "count:int": "2", ":TYPE": "DIRECT"},
        {":START_ID": "n1", ":END_ID": "n1", "count:int": "1", ":TYPE": "VIRTUAL"},
    ]
    assert "".join(FORMS["dot"](HARD)).splitlines() == [
        "digraph {",
        "  rankdir=LR;",
        "  node [shape=box];",
        '  n0 [label="a \\"b\\" \\\\ c, <d> & é \x01", peripheries=2];',
        '  n1 [label="wert-JR5F0z0(long):long"];',
        "  n0 -> n1 [weight=2];",
        "  n1 -> n1 [weight=1, style=dashed];",
        "}",
    ]


NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML has no form for."""

HOSTILE = st.text("\r\n\t\0\"',; \\&<>]\x1f\x7f\x85\u2028\ufffeé") | st.text(st.characters(exclude_categories=["Cs"]))


@given(name=HOSTILE, type=HOSTILE)
def test_any_name_is_read_back(name: str, type: str) -> None:
    def graph() -> GraphExport:
        return GraphExport(("class",), [Vertex("n0", "Method", name, (type,))], [])

    (row,) = read_table("".join(FORMS["nodes"](graph())))
    assert (row["name"], row["class"], row[":LABEL"]) == (name, type, "Method")
    shown = [NO_XML.sub("\ufffd", each) for each in (name, type)]
    nodes, _ = read_graphml("".join(FORMS["graphml"](graph())))
    assert [nodes["n0"]["label"], nodes["n0"]["class"]] == shown
    label = re.fullmatch(r'  n0 \[label="((?:[^"\\]|\\.)*)"\];', "".join(FORMS["dot"](graph())).split("\n")[3])
    assert label is not None
    assert re.sub(r"\\(.)", r"\1", label[1]) == re.sub("[\r\n]", " ", name).replace("\0", "\ufffd")


@pytest.mark.parametrize(
    "name",
    [
        "v20_to_24.0/reports/call_tree_demo",
        "v24.2_and_25/reports/call_tree_demo",
        "v24.2_and_25/reports/object_tree_demo",
        "csv_22.3_to_24.0/reports/call_tree_methods_demo",
        "csv_25/reports/call_tree_methods_demo",
    ],
)
def test_each_form_of_a_graph_reads_back_equal(name: str, corpus: Path, coffeetree: Callable[..., Any]) -> None:
    path = next(corpus.glob(f"{name}_2*"))
    written = {form: coffeetree("export", "--to", form, path, "-").out for form in FORMS}

    nodes, arcs = read_graphml(written["graphml"])
    rows = {row["id:ID"]: row for row in read_table(written["nodes"])}
    names = {id: NO_XML.sub("\ufffd", row["name"]) for id, row in rows.items()}
    assert {id: node["label"] for id, node in nodes.items()} == names
    assert {id for id, node in nodes.items() if "root" in node} == {
        id for id, row in rows.items() if row["root:boolean"] == "true"
    }
    assert arcs == [
        tuple(row[each] for each in (":START_ID", ":END_ID", ":TYPE", "count:int"))
        for row in read_table(written["edges"])
    ]
    lines = written["dot"].split("\n")[:-1]
    assert [line.split()[0] for line in lines[3:-1] if "->" not in line.split("[")[0]] == list(nodes)
    assert re.findall(r"^  (n\d+) -> (n\d+) \[weight=(\d+)", written["dot"], re.M) == [
        (source, target, count) for source, target, _, count in arcs
    ]


def test_a_graph_holds_each_pair_of_methods_once(tmp_path: Path) -> None:
    report = opened(
        tmp_path, PROGRAM.replace("@bci=5", "@bci=5\n│       └── directly calls a.c.Copy.copy():void id-ref=4 @bci=7")
    )
    graph = whole(report.graph)

    assert [vertex.id for vertex in graph.vertices] == ["n0", "n1", "n3", "n4", "n6", "n2", "n5"]
    assert list(graph.arcs) == [
        Arc("n0", "n1", "DIRECT", 1), Arc("n0", "n2", "DIRECT", 1), Arc("n1", "n3", "VIRTUAL", 1),
        Arc("n1", "n6", "VIRTUAL", 1), Arc("n3", "n4", "DIRECT", 1), Arc("n2", "n1", "DIRECT", 1),
        Arc("n2", "n4", "DIRECT", 2),
    ]  # fmt: skip


def test_paths_in_a_build_are_those_of_its_call_tree(corpus: Path, coffeetree: Callable[..., Any]) -> None:
    folder = corpus / "v20_to_24.0" / "reports"
    trees = [next(folder.glob(f"{name}_*.txt")) for name in ("call_tree", "object_tree")]

    found = coffeetree("between", *trees, "*Main.main*", "*.toString*", "--json")

    assert found.rows == coffeetree("between", trees[0], "*Main.main*", "*.toString*", "--json").rows != []


def test_the_command_line_finds_paths(tmp_path: Path, coffeetree: Callable[..., Any]) -> None:
    path = tmp_path / CALL_TREE
    path.write_text(PROGRAM, "utf-8")

    found = coffeetree("between", path, "z.Main*", "*.copy*", "--limit", "2", "--json")
    assert [row["ref"] for row in found.rows] == ["line:2", "line:8", "line:10"]
    assert found.err.startswith("z.Main* -> *.copy*: 3 methods, the shortest path takes 2 calls; all paths up to 2")
    assert coffeetree("between", path, "Default*", "*.copy*").status == 1
    assert coffeetree("between", path, "no.Such*", "*.copy*").err == "coffeetree: no match for no.Such*\n"
    part = coffeetree("between", path, "z.Main.m", "*.copy*").err
    assert part == (
        "coffeetree: no match for z.Main.m: patterns match whole names, use z.Main.m* or *z.Main.m* for parts\n"
    )
    assert read_graphml(coffeetree("between", path, "", "*.put*", "--to", "graphml").out)[1] == [
        ("n0", "n2", "DIRECT", "1")
    ]
    assert coffeetree("between", path, "*.put*").err.startswith("coffeetree: between needs REPORT, A and B")
