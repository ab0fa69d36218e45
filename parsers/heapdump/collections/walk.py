"""Traversals of the entries of collections: tables of chains, chains, trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from parsers.heapdump.collections.contents import Entry, HasManyReferences, Step, Walk
from parsers.heapdump.graph.elements import NULL, Elements

if TYPE_CHECKING:
    from parsers.heapdump.graph.object_graph import ObjectGraph

LARGE = 256
"""Number of chains from which they are followed in batches."""
ONE_BY_ONE = 1500
"""Entries read one by one before batches are worthwhile: more than a first screen needs."""
PAGE = 1 << 12
"""Size of a range of objects whose entries are read together …"""
FEWEST = 64
"""… if there are at least so many entries in it …"""
MOST_PAGES = 256
"""… and number of ranges that are cached."""
MOST_EMPTY = 16
"""Maximum ratio of table length to entries for reading in batches."""
MOST_DEPTH = 128
"""Maximum depth of a tree of entries: twice that of a red-black tree of 2^32 entries."""


def table_entries(
    graph: ObjectGraph, tables: list[int], key: str, value: str, walk: Walk, following: str = "next"
) -> Iterator[Step]:
    """Yields entries of hash tables: arrays of chains. Large ones are read in batches of chains."""
    for table in tables:
        elements = graph.array(table)
        if len(elements.places) >= LARGE and isinstance(graph, HasManyReferences):
            from parsers.heapdump.collections.bulk import table_pieces

            rest = lambda node: bin_entries(graph, tables, node, key, value, walk, following)  # noqa: E731
            yield from table_pieces(graph, elements, (key, value, following), walk, rest)
        else:
            for bin in elements.present():
                yield from bin_entries(graph, tables, bin, key, value, walk, following)


def bin_entries(
    graph: ObjectGraph, tables: list[int], bin: int, key: str, value: str, walk: Walk, following: str
) -> Iterator[Entry]:
    """Yields the entries of a chain.

    Handles bins of a ConcurrentHashMap: a `TreeBin` has its entries in `first`. A `ForwardingNode` marks a bin moved
    to `nextTable`, which is added to the tables.
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


class Links:
    """Targets of fields of entries. If there are many entries, neighbours are read together."""

    def __init__(self, graph: ObjectGraph, *names: str) -> None:
        self._graph, self._names = graph, names
        self._read = 0
        self._pages: dict[tuple[int, int], dict[int, tuple[int, ...]]] = {}

    def of(self, node: int) -> tuple[int, ...]:
        """Returns the targets of an entry's fields, in the order of the names."""
        self._read += 1
        if self._read > ONE_BY_ONE and isinstance(self._graph, HasManyReferences):
            page = (node // PAGE, self._graph.type(node))
            found = self._pages.get(page)
            if found is None:
                if len(self._pages) >= MOST_PAGES:
                    del self._pages[next(iter(self._pages))]
                found = self._pages[page] = self._page(self._graph, *page)
            if node in found:
                return found[node]
        entry = self._graph.instance(node)
        return tuple(entry.reference(name) for name in self._names)

    def _page(self, graph: HasManyReferences, page: int, type: int) -> dict[int, tuple[int, ...]]:
        """Returns all entries of a class in a range of objects; empty if these are few."""
        from parsers.heapdump.collections.bulk import instances_among

        nodes = instances_among(graph, range(page * PAGE, min((page + 1) * PAGE, graph.objects)), type)
        if len(nodes) < FEWEST:
            return {}
        columns = graph.many_references(nodes, self._names)
        return dict(zip(nodes.tolist(), zip(*(column.tolist() for column in columns), strict=True), strict=True))


def linked_table_entries(graph: ObjectGraph, table: int, head: int, walk: Walk) -> Iterator[Step]:
    """Yields the entries of a LinkedHashMap in insertion order.

    Consecutive entries are anywhere in the file; after the first ones the whole table is read at once.
    """
    links, node = Links(graph, "key", "value", "after"), head
    for _ in range(ONE_BY_ONE):
        if not walk.visits(node):
            return
        key, value, node = links.of(node)
        yield key, value
    if isinstance(graph, HasManyReferences):
        from parsers.heapdump.collections.bulk import linked_entries

        found = linked_entries(graph, graph.array(table), node)
        if found is not None:
            nodes, entries, node = found
            walk.seen.update(nodes)
            yield entries
    yield from chain_entries(graph, node, "key", "value", "after", walk)


def chain_entries(
    graph: ObjectGraph, first: int, key: str, value: str, following: str, walk: Walk,
    is_shown: Callable[[int, int], bool] | None = None,
) -> Iterator[Entry]:  # fmt: skip
    """Yields the entries of a linked list; `is_shown` decides by key and value which are real entries."""
    node, links = first, Links(graph, key, value, following)
    while walk.visits(node):
        *found, node = links.of(node)
        if is_shown is None or is_shown(found[0], found[1]):
            yield found[0], found[1]


def ring_entries(
    graph: ObjectGraph, head: int, key: str, value: str, following: str, walk: Walk
) -> Iterator[Entry]:  # fmt: skip
    """Yields the entries of a ring without its head, as in collections of JDK 6."""
    walk.visits(head)
    node = graph.instance(head).reference(following)
    while node != head and walk.visits(node):
        entry = graph.instance(node)
        yield entry.reference(key) if key else NULL, entry.reference(value)
        node = entry.reference(following)


def tree_entries(graph: ObjectGraph, root: int, walk: Walk) -> Iterator[Entry]:
    """Yields the entries of a binary tree in order."""
    above: list[int] = []
    node, links = root, Links(graph, "key", "value", "left", "right")
    while True:
        while walk.visits(node):
            above.append(node)
            if len(above) > MOST_DEPTH:
                walk.damage = walk.damage or f"its tree is deeper than {MOST_DEPTH} levels"
                above.pop()
                break
            node = links.of(node)[2]
        if not above:
            return
        key, value, _, node = links.of(above.pop())
        yield key, value


def skip_list_entries(graph: ObjectGraph, head: int, walk: Walk) -> Iterator[Entry]:
    """Yields the entries of a ConcurrentSkipListMap: the bottom chain of nodes, without markers of removed ones."""
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
    """Yields the entries of a table where each value follows its key; empty places are omitted."""
    last, places = -1, elements.places
    for start in range(0, len(places), PAGE):
        near = places[start : start + PAGE]
        first, end = near[0] & ~1, (near[-1] | 1) + 1
        part = elements[first:end] if end - first <= MOST_EMPTY * PAGE else None
        for place in near:
            at = place & ~1
            if at != last:
                last = at
                pair = elements[at : at + 2] if part is None else part[at - first : at - first + 2]
                yield pair[0], pair[1] if len(pair) > 1 else NULL
