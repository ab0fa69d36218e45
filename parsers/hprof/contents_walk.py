"""Ways through the entries of collections: tables of chains, chains, trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from parsers.hprof.contents import Entry, HasFields, Walk
from parsers.hprof.elements import NULL, Elements

LARGE = 256
"""Chains from which on many are followed at a time."""
MOST_DEPTH = 128
"""Levels of a tree of entries: twice the most that a red-black tree of 2^32 entries has."""


def table_entries(
    graph: HasFields, tables: list[int], key: str, value: str, walk: Walk, following: str = "next"
) -> Iterator[Entry]:
    """Entries of hash tables: arrays of chains. Large ones are gone through in pieces, many chains at a time."""
    for table in tables:
        elements = graph.array(table)
        if len(elements.places) >= LARGE and hasattr(graph, "many_references"):
            from parsers.hprof.contents_bulk import table_pieces

            rest = lambda node: bin_entries(graph, tables, node, key, value, walk, following)  # noqa: E731
            yield from table_pieces(cast(Any, graph), elements, (key, value, following), walk, rest)
        else:
            for bin in elements.present():
                yield from bin_entries(graph, tables, bin, key, value, walk, following)


def bin_entries(
    graph: HasFields, tables: list[int], bin: int, key: str, value: str, walk: Walk, following: str
) -> Iterator[Entry]:
    """Entries of a chain.

    The bins of a ConcurrentHashMap are looked into: a `TreeBin` has its entries behind `first`, a `ForwardingNode`
    stands for a bin that has been moved to `nextTable`, which is added to the tables.
    """
    node = bin
    while walk.visits(node):
        entry = graph.instance(node)
        if entry.has("nextTable"):
            moved = entry.reference("nextTable")
            if moved not in tables and len(tables) < MOST_DEPTH:
                tables.append(moved)
        elif entry.has("first") and entry.reference(key) == NULL:
            node = entry.reference("first")
            continue
        else:
            yield entry.reference(key), entry.reference(value)
        node = entry.reference(following)


def chain_entries(
    graph: HasFields, first: int, key: str, value: str, following: str, walk: Walk,
    is_shown: Callable[[int, int], bool] | None = None,
) -> Iterator[Entry]:  # fmt: skip
    """Entries that each lead to the next one; `is_shown` says of key and value whether they are one."""
    node = first
    while walk.visits(node):
        entry = graph.instance(node)
        found = (entry.reference(key) if key else NULL, entry.reference(value))
        if is_shown is None or is_shown(*found):
            yield found
        node = entry.reference(following)


def ring_entries(
    graph: HasFields, head: int, key: str, value: str, following: str, walk: Walk
) -> Iterator[Entry]:  # fmt: skip
    """Entries in a ring whose head is none, as in collections of JDK 6."""
    walk.visits(head)
    node = graph.instance(head).reference(following)
    while node != head and walk.visits(node):
        entry = graph.instance(node)
        yield entry.reference(key) if key else NULL, entry.reference(value)
        node = entry.reference(following)


def tree_entries(graph: HasFields, root: int, walk: Walk) -> Iterator[Entry]:
    """Entries of a binary tree in their order."""
    above: list[int] = []
    node = root
    while True:
        while walk.visits(node):
            above.append(node)
            if len(above) > MOST_DEPTH:
                walk.damage = walk.damage or f"its tree is deeper than {MOST_DEPTH} levels"
                above.pop()
                break
            node = graph.instance(node).reference("left")
        if not above:
            return
        entry = graph.instance(above.pop())
        yield entry.reference("key"), entry.reference("value")
        node = entry.reference("right")


def skip_list_entries(graph: HasFields, head: int, walk: Walk) -> Iterator[Entry]:
    """Entries of a ConcurrentSkipListMap: the chain of nodes below the indexes, less those that mark removed ones."""
    index = graph.instance(head)
    for _ in range(MOST_DEPTH):
        down = index.reference("down")
        if down < 0:
            break
        index = graph.instance(down)
    first = graph.instance(index.reference("node")).reference("next")
    # JDK 9 renamed `value` to `val`.
    value = "val" if first >= 0 and graph.instance(first).has("val") else "value"
    return chain_entries(graph, first, "key", value, "next", walk, lambda key, value: key != NULL and value != NULL)


def pair_entries(elements: Elements) -> Iterator[Entry]:
    """Entries of a table where each key stands before its value; empty places are left out."""
    last = -1
    for place in elements.places:
        at = place & ~1
        if at != last:
            last = at
            yield elements[at], elements[at + 1] if at + 1 < len(elements) else NULL
