"""Entering edges of a group, and its dominators, compared with searches without them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from test_callgraph_views import PROGRAM, opened
from test_callgraph_weight import graphs, reached

from parsers.graph.adjacency import Edges
from parsers.graph.dominators import compute_dominators
from parsers.graph.entering_edges import entering_edges, group_dominators


@given(graph=graphs())
def test_entering_edges_begin_outside_of_the_group(graph: tuple[Edges, Any]) -> None:
    edges, groups = graph
    members = groups == 0
    owners = [vertex for vertex in range(edges.size) for _ in range(edges.starts[vertex], edges.starts[vertex + 1])]
    into = [
        (place, owner)
        for place, (owner, target) in enumerate(zip(owners, edges.targets.tolist(), strict=True))
        if members[target] and not members[owner]
    ]
    places, sources = entering_edges(edges, members)
    assert list(zip(places.tolist(), sources.tolist(), strict=True)) == into


@given(graph=graphs())
def test_dominators_of_a_group_are_vertices_without_which_most_of_it_is_not_reached(graph: tuple[Edges, Any]) -> None:
    edges, groups = graph
    members = set((groups == 0).nonzero()[0].tolist())
    whole = reached(edges)
    gone = {vertex: whole - reached(edges, {vertex}) for vertex in whole - members}
    counts = {vertex: len(found & members) for vertex, found in gone.items() if found & members}

    found = group_dominators(compute_dominators(edges, "vertex", {}), groups == 0, most=edges.size)
    assert [count for _, count in found] == sorted((count for _, count in found), reverse=True)
    assert {vertex: counts[vertex] for vertex, _ in found} == dict(found)
    # An omitted vertex dominates one that dominates as many.
    for vertex in counts.keys() - dict(found).keys():
        assert any(counts[inner] == counts[vertex] and inner in gone[vertex] for inner, _ in found)


@pytest.mark.parametrize("choice", ["by class", "by package"])
def test_the_side_pane_of_a_group_lists_entering_edges(tmp_path: Path, choice: str) -> None:
    report = opened(tmp_path, PROGRAM)
    view: Any = report.view("Dominators")
    view.choose("merge", choice)
    by = choice.removeprefix("by ")
    node = view.resolve(f"{by}:a.c{'.Copy' if by == 'class' else ''}")
    let_in, held = view.sections(node)[-2:]
    assert let_in.title == "Entered from (2 calls)"
    callers = {"class": {"List": 1, "Map": 1}, "package": {"a.b": 2}}[by]
    assert {row.label: row.badges["edges"] for row in let_in.rows} == callers
    for row in let_in.rows:
        assert report.view(row.view).tree.row(report.view(row.view).resolve(row.ref)).kind == by
    assert held.title == "Held by one method (of 1)"
    assert [(row.label, row.text, row.badges["held"]) for row in held.rows] == [("Main.main", held.rows[0].ref, 1)]
    references = view.references(node)
    assert [report.tree.line(row) for row in references.nodes] == [6, 10]
    report.graph.cuts.cut("a.b.List")
    cut: Any = report.view("Cut")
    into = cut.references(cut.resolve(f"{by}:a.b{'.List' if by == 'class' else ''}")).nodes
    assert [report.tree.line(row) for row in into] == {"class": [3, 9], "package": [3, 8]}[by]
