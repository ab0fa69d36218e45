"""Damaged collections: chains in circles, sizes that are wrong, trees without end. All are bounded, and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from parsers.heapdump.collections.contents import LOST, WALKED_AT_ONCE
from parsers.heapdump.collections.known import contents_of
from parsers.heapdump.graph.elements import NO_ELEMENTS, NULL, Elements
from parsers.heapdump.graph.labels import NO_OBJECT


@dataclass
class Thing:
    """An object: its class, fields that are references, fields that are numbers, or elements."""

    name: str
    references: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    elements: list[int] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return name in self.references or name in self.numbers

    def reference(self, name: str) -> int:
        return self.references.get(name, NULL)

    def number(self, name: str) -> int | None:
        return self.numbers.get(name)


class Graph:
    """Objects by number."""

    def __init__(self, *vertices: Thing) -> None:
        self.vertices = vertices
        self.objects = len(vertices)

    def type(self, object: int) -> int:
        return object

    def type_name(self, type: int) -> str:
        return self.vertices[type].name

    def supers(self, type: int) -> Sequence[str]:
        return [self.vertices[type].name]

    def instance(self, object: int, since: str = "") -> Thing:
        return self.vertices[object]

    def array(self, object: int) -> Elements:
        elements = self.vertices[object].elements if object >= 0 else []
        places = [place for place, each in enumerate(elements) if each != NULL]
        return Elements(len(elements), 0, places, lambda site: elements[places[site]]) if elements else NO_ELEMENTS


def hash_map(size: int) -> Thing:
    return Thing("java.util.HashMap", {"table": 1}, {"size": size})


def node(key: int, following: int) -> Thing:
    return Thing("java.util.HashMap$Node", {"key": key, "value": key, "next": following})


def test_a_chain_in_a_circle_ends_where_it_closes():
    graph = Graph(hash_map(2), Thing("Node[]", elements=[2]), node(0, 3), node(1, 2))
    found, _ = contents_of(graph, 0)
    assert list(found.keys) == [0, 1]
    assert found.damage == "its entries lead in a circle"


@pytest.mark.parametrize(("size", "says"), [(1, "1"), (5, "5")])
def test_a_wrong_size_is_reported_and_found_entries_are_shown(size: int, says: str):
    graph = Graph(hash_map(size), Thing("Node[]", elements=[2, NULL, 3]), node(0, NULL), node(1, NULL))
    found, _ = contents_of(graph, 0)
    assert list(found.values) == [0, 1]
    assert found.damage == f"its size is {says}, and 2 were found"


def test_a_size_without_end_costs_nothing():
    graph = Graph(hash_map((1 << 31) - 1), Thing("Node[]", elements=[2]), node(0, NULL))
    found, _ = contents_of(graph, 0)
    assert len(found) == 1


def test_of_many_entries_no_more_are_looked_for_than_are_asked_for():
    count = 3 * WALKED_AT_ONCE
    nodes = [node(NULL, number + 3 if number + 1 < count - 10 else NULL) for number in range(count)]
    graph = Graph(hash_map(count), Thing("Node[]", elements=[2]), *nodes)
    found, _ = contents_of(graph, 0)
    assert len(found) == count
    assert not found.damage
    assert found.values[count - 11] == NULL
    assert found.values[count - 10] == found.values[count - 1] == LOST
    assert found.damage == f"its size is {count:,}, and {count - 10:,} were found"


def test_an_entry_that_the_dump_lacks_ends_its_chain():
    graph = Graph(hash_map(2), Thing("Node[]", elements=[2]), node(0, NO_OBJECT))
    found, _ = contents_of(graph, 0)
    assert list(found.values) == [0]
    assert found.damage == "an entry is not in the file"


def test_a_tree_with_shared_branches_is_traversed_once():
    links = {"key": NULL, "value": NULL}
    entries = [Thing("Entry", {**links, "left": number + 1, "right": number + 1}) for number in range(1, 50)]
    graph = Graph(Thing("java.util.TreeMap", {"root": 1}, {"size": 50}), *entries, Thing("Entry", links))
    found, _ = contents_of(graph, 0)
    assert len(found) == 50
    assert found.damage


def test_a_tree_that_is_too_deep_is_cut():
    chain = [Thing("Entry", {"key": NULL, "value": NULL, "left": number + 1}) for number in range(1, 1000)]
    graph = Graph(Thing("java.util.TreeMap", {"root": 1}, {"size": 1000}), *chain)
    found, _ = contents_of(graph, 0)
    assert 0 < len(found) < 1000
    assert "deeper" in found.damage


def test_collections_around_each_other_are_none():
    graph = Graph(
        Thing("java.util.Collections$UnmodifiableCollection", {"c": 1}),
        Thing("java.util.Collections$SynchronizedCollection", {"c": 0}),
    )
    assert contents_of(graph, 0) is None


def test_a_list_with_a_size_beyond_its_array_is_as_long_as_that():
    graph = Graph(Thing("java.util.ArrayList", {"elementData": 1}, {"size": 9}), Thing("Object[]", elements=[0, NULL]))
    found, _ = contents_of(graph, 0)
    assert list(found.values) == [0, NULL]
    assert found.damage == "its size is 9, and its array has 2"


def test_a_queue_whose_places_lie_outside_of_its_array_goes_round_its_end():
    graph = Graph(
        Thing("java.util.ArrayDeque", {"elements": 1}, {"head": 7, "tail": 9}), Thing("Object[]", elements=[0, 1, 0])
    )
    found, _ = contents_of(graph, 0)
    assert list(found.values) == [1, 0]


def test_a_class_of_that_name_with_other_fields_is_none():
    assert contents_of(Graph(Thing("java.util.HashMap", {"mine": NULL}, {"size": 1})), 0) is None


def test_a_list_of_lists_in_itself_is_shown():
    graph = Graph(Thing("java.util.ArrayList", {"elementData": 1}, {"size": 1}), Thing("Object[]", elements=[0]))
    found, _ = contents_of(graph, 0)
    assert list(found.values) == [0]


def test_copies_are_counted_without_being_made():
    graph = Graph(Thing("java.util.Collections$CopiesList", {"element": 0}, {"n": 1 << 30}))
    found, _ = contents_of(graph, 0)
    assert (len(found), found.values[1 << 29]) == (1 << 30, 0)
