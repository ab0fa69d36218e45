"""Dominators and cuts of every suitable sample, compared with searches without the removed vertices."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, sample_path, samples

from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, VERTEX, Node
from parsers.model.none import NONE
from parsers.runtime.opening import open_report

SETS = sorted(path.name for path in CORPUS.glob("csv_*"))
"""Cases that are a small set of tables each."""

SHARE = 6
"""Number of vertices of each kind that are removed."""


class Searched:
    """A graph as plain lists."""

    def __init__(self, path: Path) -> None:
        self.report: Any = open_report([str(path)])
        self.report.wait()
        self.graph = self.report.graph
        edges = self.graph.cache.edges
        self.starts, self.targets, self.roots = edges.starts.tolist(), edges.targets.tolist(), edges.roots.tolist()
        self.whole = self.reached()
        assert len(self.whole) == self.graph.reached

    def reached(self, closed: Iterable[int] = (), lost: Iterable[int] = (), lost_roots: Iterable[int] = ()) -> set[int]:
        """Returns the vertices reached without some vertices, edges and roots."""
        without, gone, no_roots = set(closed), set(lost), set(lost_roots)
        left = [root for place, root in enumerate(self.roots) if place not in no_roots]
        found: set[int] = set()
        while left:
            vertex = left.pop()
            if vertex in found or vertex in without:
                continue
            found.add(vertex)
            edges = range(self.starts[vertex], self.starts[vertex + 1])
            left += (
                [self.targets[edge] for edge in edges if edge not in gone]
                if gone
                else [*self.targets[edges.start : edges.stop]]
            )
        return found

    def check_weights(self) -> None:
        """Checks the dominators of vertices, groups and roots."""
        for by in self.graph.terms.groupings.values():
            dominator_rows = self.graph.cache.dominator_rows(by)
            for row in spread(range(len(dominator_rows.number))):
                number = int(dominator_rows.number[row])
                if by == EDGE_FROM_OUTSIDE:
                    place = number - self.graph.cache.edges.size
                    without = self.reached(lost_roots=[place]) if place >= 0 else self.reached([number])
                elif by == VERTEX:
                    without = self.reached([number])
                else:
                    groups = self.graph.groups(by)
                    # Vertices of no group are one group after the others.
                    without = self.reached((groups == (number if number in groups else NONE)).nonzero()[0].tolist())
                assert dominator_rows.retained[row] == len(self.whole - without), (by, row)

    def check_cuts(self) -> None:
        """Checks what cuts of vertices, groups, roots and edges remove, one by one and all together."""
        graph, edges = self.graph, self.graph.cache.edges
        nodes = [Node(VERTEX, vertex) for vertex in spread(sorted(self.whole))]
        nodes += [Node(EDGE, int(edges.rows[edge])) for edge in spread(range(len(edges.rows)))]
        nodes += [Node(EDGE_FROM_OUTSIDE, place) for place in spread(range(len(edges.roots)))]
        for by in graph.terms.levels:
            groups = graph.groups(by)
            nodes += [Node(by, number) for number in spread(sorted(set(groups[groups != NONE].tolist())))]
        for node in nodes:
            graph.cuts.toggle(node)
            self.check_cut()
            graph.cuts.toggle(node)
        for node in nodes[1::3]:
            graph.cuts.toggle(node)
        self.check_cut()

    def check_cut(self) -> None:
        marks = self.graph.cuts.marks
        closed, lost, roots = ([int(each) for mark in marks for each in mark[part]] for part in (3, 4, 5))
        left, effect = self.reached(closed, lost, roots), self.graph.cuts.effect
        assert set(effect.unreachable.tolist()) == self.whole - left
        assert (effect.reached.distance >= 0).nonzero()[0].tolist() == sorted(left)


def spread(numbers: Any) -> Any:
    """Some of them, from the first one on."""
    return numbers[:: max(1, len(numbers) // SHARE)]


TREES = [*samples("graalvm-call-tree")[:-4], *samples("graalvm-object-tree")[:-4]]


@pytest.mark.parametrize("check", [Searched.check_weights, Searched.check_cuts], ids=["dominators", "cuts"])
@pytest.mark.parametrize(("case", "name"), TREES)
def test_of_text_a_search_finds_the_same(check: Any, case: str, name: str) -> None:
    searched = Searched(sample_path(case, name))
    check(searched)
    searched.report.close()


@pytest.mark.parametrize("check", [Searched.check_weights, Searched.check_cuts], ids=["dominators", "cuts"])
@pytest.mark.parametrize("case", SETS)
def test_of_tables_a_search_finds_the_same(check: Any, case: str) -> None:
    searched = Searched(next((CORPUS / case / "reports").glob("*call_tree_methods_*_*")))
    check(searched)
    searched.report.close()
