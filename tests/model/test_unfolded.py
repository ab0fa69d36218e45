"""Graphs unfolded to trees: a thing is opened once on a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parsers.model.row import Row
from parsers.model.trees.unfolding import UnfoldedTree


class Leads:
    """Things and what leads to each; a site is `source * 100 + place`."""

    def __init__(self, leads: dict[int, list[int]]) -> None:
        self.leads = leads

    @property
    def vertices(self) -> int:
        return len(self.leads)

    @property
    def roots(self) -> Sequence[int]:
        return range(self.vertices)

    def sites(self, vertex: int) -> Sequence[int]:
        return [source * 100 + place for place, source in enumerate(self.leads[vertex])]

    def has_sites(self, vertex: int) -> bool:
        return bool(self.leads[vertex])

    def vertex_at(self, site: int) -> int:
        return site // 100

    def row(self, node: int) -> Row:
        return Row(node, "", str(node))

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        return [0] * len(nodes)


def test_an_ancestor_is_not_expanded_again():
    tree = UnfoldedTree(Leads({0: [1], 1: [0, 2], 2: []}))
    (first,) = tree.children(0)
    again, other = tree.children(first)
    assert [tree.vertex(node) for node in (first, again, other)] == [1, 0, 2]
    assert tree.is_recursive(again) and not tree.has_children(again) and list(tree.children(again)) == []
    assert not tree.is_recursive(other) and tree.depth(other) == 2
    assert tree.child(first, 1) == other


@given(st.lists(st.lists(st.integers(0, 5), max_size=3), min_size=6, max_size=6), st.data())
def test_ancestors_do_not_depend_on_the_order_of_queries(leads: list[list[int]], data: st.DataObject) -> None:
    tree = UnfoldedTree(Leads(dict(enumerate(leads))))
    nodes = list(tree.roots())
    for _ in range(12):
        node = data.draw(st.sampled_from(nodes))
        above = [tree.vertex(each) for each in tree.path(node)[:-1]]
        assert tree.is_recursive(node) == (tree.vertex(node) in above)
        assert tree.depth(node) == len(above)
        nodes += tree.children(node)
