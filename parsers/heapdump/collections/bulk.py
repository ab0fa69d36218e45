"""Large hash tables in batches: the chains of a batch are followed together, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.heapdump.collections.contents import Entries, Entry, HasManyReferences, Step, Walk, pieces
from parsers.heapdump.graph.columns import PLAIN_OBJECT
from parsers.heapdump.graph.elements import NULL, Elements
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array

MOST_STEPS = 16
"""Maximum of steps made together; longer chains are followed one by one."""
OTHER_FIELDS = ("nextTable", "first")
"""Fields of objects in a table that are not entries: see `walk.bin_entries`."""


def table_pieces(
    graph: HasManyReferences,
    elements: Elements,
    names: tuple[str, str, str],
    walk: Walk,
    rest: Callable[[int], Iterator[Entry]],
) -> Iterator[Step]:  # fmt: skip
    """Yields the entries of a table.

    names  fields of an entry: key, value, next
    rest   follows one chain to its end
    """
    sites = range(elements.first, elements.first + len(elements.places))
    for start, piece in pieces(sites, len(sites)):
        yield from _piece(graph, graph.targets(sites[start : start + len(piece)]), names, walk, rest)


def _piece(
    graph: HasManyReferences,
    bins: I64Array,
    names: tuple[str, str, str],
    walk: Walk,
    rest: Callable[[int], Iterator[Entry]],
) -> Iterator[Step]:
    """Returns the entries of some chains, chain by chain; those of special ones last."""
    nodes, numbers = bins, np.arange(len(bins))
    found: list[tuple[Any, ...]] = []
    visited: list[Any] = []
    special: list[int] = []
    for _ in range(MOST_STEPS):
        if (nodes == NO_OBJECT).any():
            walk.damage = walk.damage or "an entry is not in the file"
        is_plain = nodes >= 0
        is_plain[is_plain] = _are_entries(graph, nodes[is_plain])
        special += nodes[(nodes >= 0) & ~is_plain].tolist()
        nodes, numbers = nodes[is_plain], numbers[is_plain]
        if not len(nodes):
            break
        keys, values, following = graph.many_references(nodes, names)
        found.append((numbers, keys, values))
        visited.append(nodes)
        numbers, nodes = numbers[following != NULL], following[following != NULL]
    every = np.concatenate(visited) if visited else bins[:0]
    if len(distinct(every)) != len(every):
        # Chains that merge or are circular are followed one by one, each entry once.
        for bin in bins.tolist():
            yield from rest(bin)
        return
    if found:
        numbers_of, keys, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.argsort(numbers_of, kind="stable")
        yield Entries(keys[order], values[order])
    for node in [*special, *nodes.tolist()]:
        yield from rest(node)


def _are_entries(graph: HasManyReferences, nodes: I64Array) -> BoolArray:
    """Returns True for entries, False for other objects in a table: bool[]."""
    types = graph.column("type", nodes)
    other = [type for type in distinct(types).tolist() if _is_other(graph, type)]
    return ~np.isin(types, other)


def _is_other(graph: HasManyReferences, type: int) -> bool:
    names = graph.field_names(type)
    return not names or any(name in names for name in OTHER_FIELDS)


def linked_entries(
    graph: HasManyReferences, elements: Elements, first: int
) -> tuple[Sequence[int], Entries, int] | None:
    """Returns a batch of entries of a LinkedHashMap: objects, their keys and values, the next entry.

    None where the chains of its table are too long, or merge.
    """
    steps, nodes = [], graph.targets(range(elements.first, elements.first + len(elements.places)))
    for _ in range(MOST_STEPS):
        nodes = nodes[nodes >= 0]
        nodes = nodes[_are_entries(graph, nodes)]
        if not len(nodes):
            break
        steps.append(nodes)
        (nodes,) = graph.many_references(nodes, ("next",))
    every = np.sort(np.concatenate(steps)) if steps else nodes
    if (nodes >= 0).any() or not len(every) or (every[1:] == every[:-1]).any():
        return None
    keys, values, following = graph.many_references(every, ("key", "value", "after"))
    places = np.minimum(np.searchsorted(every, following), len(every) - 1)
    next_place = np.where(every[places] == following, places, -1).tolist()
    order, place = list[int](), int(np.searchsorted(every, first))
    place = place if place < len(every) and every[place] == first else -1
    is_left = bytearray(b"\1") * len(every)
    while place >= 0 and is_left[place]:
        is_left[place] = 0
        order.append(place)
        place = next_place[place]
    if not order:
        return None
    return every[order].tolist(), Entries(keys[order], values[order]), int(following[order[-1]])


def instances_among(graph: HasManyReferences, objects: range, type: int) -> I64Array:
    """Returns the instances of a class in a range of objects: int64."""
    is_one = (graph.column("type", objects) == type) & (graph.column("kind", objects) == PLAIN_OBJECT)
    return np.flatnonzero(is_one) + objects.start
