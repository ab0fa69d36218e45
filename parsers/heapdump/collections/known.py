"""The collections of the JDK, by class: the location of their entries. Field names of all versions are tried.

Source: java.util of OpenJDK 6, 8, 17 and 25; Android has the same classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from parsers.heapdump.collections.contents import Contents, Entry, Instance, Kind, Walk, part, walked
from parsers.heapdump.collections.walk import (
    chain_entries,
    linked_table_entries,
    pair_entries,
    ring_entries,
    skip_list_entries,
    table_entries,
    tree_entries,
)
from parsers.heapdump.graph.elements import NULL

if TYPE_CHECKING:
    from parsers.heapdump.graph.object_graph import ObjectGraph

Maker = Callable[["ObjectGraph", Instance], "Contents | int | None"]
"""Returns contents; or the number of an object with the same contents; or None for unknown fields."""
MOST_WRAPPED = 16
"""Maximum of nested wrappers around a collection."""


def stated(instance: Instance, name: str) -> int | None:
    """Returns a size from a field; None without such a field, or if the name is empty."""
    number = instance.number(name) if name else None
    return None if number is None else max(number, 0)


# -- arrays -----------------------------------------------------------------------------------------------------------


def in_array(array: str, size: str = "") -> Maker:
    """Returns a `Maker` for the first elements of an array, or all of them."""

    def make(graph: ObjectGraph, instance: Instance) -> Contents | None:
        if not instance.has(array):
            return None
        elements = graph.array(instance.reference(array))
        count = stated(instance, size)
        there = len(elements) if count is None else min(count, len(elements))
        # A shorter array is damage.
        mismatch = f"its size is {count:,}, and its array has {there:,}" if count is not None and count > there else ""
        values = elements if there == len(elements) else part(there, elements.__getitem__)
        return Contents("list", values, None, len(elements) if size else None, None, mismatch)

    return make


def in_ring(array: str, first: str, count: str = "", end: str = "") -> Maker:
    """Returns a `Maker` for a ring buffer, with its first index and its count or end."""

    def make(graph: ObjectGraph, instance: Instance) -> Contents | None:
        start, behind = stated(instance, first), stated(instance, count or end)
        if not instance.has(array) or start is None or behind is None:
            return None
        elements = graph.array(instance.reference(array))
        capacity = len(elements)
        if not capacity:
            return Contents("list", ())
        size = min(behind, capacity) if count else (behind - start) % capacity

        def many(places: slice) -> list[int]:
            first, end = start % capacity + places.start, start % capacity + places.stop
            return [
                *elements[min(first, capacity) : min(end, capacity)],
                *elements[max(first - capacity, 0) : max(end - capacity, 0)],
            ]

        return Contents("list", part(size, many), None, capacity)

    return make


def without_nulls(array: str, size: str) -> Maker:
    """Returns a `Maker` for the non-null elements of an array, such as a set with open addressing."""

    def make(graph: ObjectGraph, instance: Instance) -> Contents | None:
        if not instance.has(array):
            return None
        elements = graph.array(instance.reference(array))
        values = part(len(elements.places), lambda places: [elements[each] for each in elements.places[places]])
        count = stated(instance, size)
        mismatch = "" if count in (None, len(values)) else f"its size is {count:,}, and {len(values):,} were found"
        return Contents("set", values, None, len(elements), None, mismatch)

    return make


def in_pairs(array: str, size: str) -> Maker:
    """Returns a `Maker` for an array in which keys and values alternate."""

    def make(graph: ObjectGraph, instance: Instance) -> Contents | None:
        if not instance.has(array):
            return None
        elements = graph.array(instance.reference(array))
        count = stated(instance, size)
        return walked("map", lambda walk: pair_entries(elements), count, graph.objects, len(elements) // 2)

    return make


def by_enum(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads an EnumMap: constants of the enum in one array, values in another one; the object `NULL` means null."""
    if not instance.has("keyUniverse") or not instance.has("vals"):
        return None
    keys, values = graph.array(instance.reference("keyUniverse")), graph.array(instance.reference("vals"))

    def steps(walk: Walk) -> Iterator[Entry]:
        for place in values.places:
            value = values[place]
            is_null = value >= 0 and graph.type_name(graph.type(value)).startswith("java.util.EnumMap$")
            yield keys[place] if place < len(keys) else NULL, NULL if is_null else value

    return walked("map", steps, stated(instance, "size"), graph.objects, len(values))


# -- entries ----------------------------------------------------------------------------------------------------------


def hashed(key: str = "key", size: str = "size", following: str = "next") -> Maker:
    """Returns a `Maker` for a table of chains of entries."""

    def make(graph: ObjectGraph, instance: Instance) -> Contents | None:
        if not instance.has("table"):
            return None
        table = instance.reference("table")
        return walked(
            "map",
            lambda walk: table_entries(graph, [table], key, "value", walk, following),
            stated(instance, size),
            graph.objects,
            len(graph.array(table)),
        )

    return make


def linked_hash_map(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads a LinkedHashMap, in insertion order."""
    found = hashed()(graph, instance)
    if found is None or isinstance(found, int):
        return None
    if instance.has("head"):
        head, table = instance.reference("head"), instance.reference("table")
        steps = lambda walk: linked_table_entries(graph, table, head, walk)  # noqa: E731
    elif instance.has("header"):
        head = instance.reference("header")
        steps = lambda walk: ring_entries(graph, head, "key", "value", "after", walk)  # noqa: E731
    else:
        return found
    return walked("map", steps, stated(instance, "size"), graph.objects, found.capacity)


def concurrent_hash_map(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads a ConcurrentHashMap: a table, since JDK 8 with tree bins; before that segments with a table each."""
    if instance.has("segments") and not instance.has("table"):
        segments = graph.array(instance.reference("segments")).present()
        tables = [graph.instance(segment).reference("table") for segment in segments if segment >= 0]
    elif instance.has("table"):
        tables = [instance.reference("table")]
    else:
        return None
    capacity = sum(len(graph.array(table)) for table in tables)
    value = "value" if instance.has("segments") and not instance.has("table") else "val"
    size = counted(graph, instance, "baseCount", "counterCells")
    return walked(
        "map", lambda walk: table_entries(graph, tables, "key", value, walk), size, graph.objects, capacity
    )  # fmt: skip


def counted(graph: ObjectGraph, instance: Instance, base: str, cells: str, may_be_negative: bool = False) -> int | None:
    """Returns the value of a counter that is striped over cells."""
    count = instance.number(base)
    if count is None:
        return None
    for cell in graph.array(instance.reference(cells)).present():
        count += (graph.instance(cell).number("value") or 0) if cell >= 0 else 0
    return count if may_be_negative else max(count, 0)


def tree_map(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads a TreeMap."""
    if not instance.has("root"):
        return None
    root = instance.reference("root")
    return walked("map", lambda walk: tree_entries(graph, root, walk), stated(instance, "size"), graph.objects)


def skip_list_map(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads a ConcurrentSkipListMap, which has a counter since JDK 9."""
    if not instance.has("head"):
        return None
    head, adder = instance.reference("head"), instance.reference("adder")
    size = counted(graph, graph.instance(adder), "base", "cells") if adder >= 0 else None
    return walked(
        "map", lambda walk: skip_list_entries(graph, head, walk) if head >= 0 else iter(()), size, graph.objects
    )


def chained(first: str, size: str = "", is_first_shown: bool = True) -> Maker:
    """Returns a `Maker` for a chain of elements, without nulls where the collection forbids them."""

    def make(graph: ObjectGraph, instance: Instance) -> Contents | None:
        if not instance.has(first):
            return None
        node = instance.reference(first)
        count = stated(instance, size)
        counter = instance.reference("count") if count is None else NULL
        if counter >= 0:
            count = stated(graph.instance(counter), "value")
        is_shown = None if is_first_shown else lambda key, value: value != NULL
        return walked(
            "list", lambda walk: chain_entries(graph, node, "", "item", "next", walk, is_shown), count, graph.objects
        )  # fmt: skip

    return make


def linked_list(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads a LinkedList: a chain; a ring in JDK 6."""
    if instance.has("header"):
        head = instance.reference("header")
        return walked(
            "list",
            lambda walk: ring_entries(graph, head, "", "element", "next", walk),
            stated(instance, "size"),
            graph.objects,
        )
    found = chained("first", "size")(graph, instance)
    return None if isinstance(found, int) else found


# -- few elements, none, wrappers -------------------------------------------------------------------------------------


def of_fields(kind: Kind, *names: str) -> Maker:
    """Returns a `Maker` for elements in fields of the collection; for maps keys and values alternate.

    The second element of List12 and Set12 is `EMPTY`, an Object, if there is only one.
    """

    def make(graph: ObjectGraph, instance: Instance) -> Contents | None:
        if not instance.has(names[0]):
            return None
        found = [instance.reference(name) for name in names]
        if kind == "map":
            return Contents(kind, found[1::2], found[::2])
        if len(found) > 1 and (found[-1] < 0 or graph.type_name(graph.type(found[-1])) == "java.lang.Object"):
            del found[-1]
        return Contents(kind, found)

    return make


def nothing(kind: Kind) -> Maker:
    """Returns a `Maker` for an empty collection."""
    return lambda graph, instance: Contents(kind, (), () if kind == "map" else None)


def copies(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads the result of Collections.nCopies."""
    count, element = stated(instance, "n"), instance.reference("element")
    many = lambda places: [element] * (places.stop - places.start)  # noqa: E731
    return None if count is None else Contents("list", part(count, many))


def enum_set(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads an EnumSet of up to 64 constants: one bit each."""
    bits = instance.number("elements")
    if bits is None or not instance.has("universe"):
        return None
    universe = graph.array(instance.reference("universe"))
    return Contents("set", [universe[place] for place in range(min(len(universe), 64)) if bits >> place & 1])


def within(name: str) -> Maker:
    """Returns a `Maker` for a wrapper: the contents of the collection in a field."""
    return lambda graph, instance: instance.reference(name) if instance.has(name) else None


def known_sub_list(graph: ObjectGraph, instance: Instance) -> Contents | None:
    """Reads a range of an ArrayList."""
    root = instance.reference("root" if instance.has("root") else "parent")
    offset, size = stated(instance, "offset"), stated(instance, "size")
    whole = contents_of(graph, root) if root >= 0 and offset is not None else None
    if whole is None or offset is None or size is None:
        return None
    inner: Contents = whole[0]
    first = offset
    many = lambda places: inner.values[first + places.start : first + places.stop]  # noqa: E731
    count = min(size, max(len(inner) - first, 0))
    return Contents("list", part(count, many))


def _java_util() -> dict[str, Maker]:
    known: dict[str, Maker] = {
        "ArrayList": in_array("elementData", "size"),
        "Vector": in_array("elementData", "elementCount"),
        "Arrays$ArrayList": in_array("a"),
        "PriorityQueue": in_array("queue", "size"),
        "ArrayDeque": in_ring("elements", "head", end="tail"),
        "LinkedList": linked_list,
        "HashMap": hashed(),
        "LinkedHashMap": linked_hash_map,
        "Hashtable": hashed(size="count"),
        "WeakHashMap": hashed(key="referent"),
        "IdentityHashMap": in_pairs("table", "size"),
        "TreeMap": tree_map,
        "EnumMap": by_enum,
        "RegularEnumSet": enum_set,
        "HashSet": within("map"),
        "TreeSet": within("m"),
        "ArrayList$SubList": known_sub_list,
        "ImmutableCollections$ListN": in_array("elements"),
        "ImmutableCollections$List1": of_fields("list", "e0"),
        "ImmutableCollections$List2": of_fields("list", "e0", "e1"),
        "ImmutableCollections$Set1": of_fields("set", "e0"),
        "ImmutableCollections$Set2": of_fields("set", "e0", "e1"),
        "ImmutableCollections$List12": of_fields("list", "e0", "e1"),
        "ImmutableCollections$Set12": of_fields("set", "e0", "e1"),
        "ImmutableCollections$SetN": without_nulls("elements", "size"),
        "ImmutableCollections$Map1": of_fields("map", "k0", "v0"),
        "ImmutableCollections$MapN": in_pairs("table", "size"),
        "Collections$SingletonList": of_fields("list", "element"),
        "Collections$SingletonSet": of_fields("set", "element"),
        "Collections$SingletonMap": of_fields("map", "k", "v"),
        "Collections$EmptyList": nothing("list"),
        "Collections$EmptySet": nothing("set"),
        "Collections$EmptyMap": nothing("map"),
        "Collections$CopiesList": copies,
        "Collections$SetFromMap": within("m"),
        "Collections$UnmodifiableCollection": within("c"),
        "Collections$UnmodifiableMap": within("m"),
        "Collections$SynchronizedCollection": within("c"),
        "Collections$SynchronizedMap": within("m"),
        "Collections$CheckedCollection": within("c"),
        "Collections$CheckedMap": within("m"),
        "Collections$AsLIFOQueue": within("q"),
        "Properties": within("map"),
    }
    return {f"java.util.{name}": maker for name, maker in known.items()}


def _concurrent() -> dict[str, Maker]:
    known: dict[str, Maker] = {
        "ConcurrentHashMap": concurrent_hash_map,
        "ConcurrentHashMap$KeySetView": within("map"),
        "ConcurrentSkipListMap": skip_list_map,
        "ConcurrentSkipListSet": within("m"),
        "CopyOnWriteArrayList": in_array("array"),
        "CopyOnWriteArraySet": within("al"),
        "ArrayBlockingQueue": in_ring("items", "takeIndex", count="count"),
        "PriorityBlockingQueue": in_array("queue", "size"),
        "DelayQueue": within("q"),
        "ConcurrentLinkedQueue": chained("head", is_first_shown=False),
        "ConcurrentLinkedDeque": chained("head", is_first_shown=False),
        "LinkedBlockingQueue": chained("head", is_first_shown=False),
        "LinkedBlockingDeque": chained("first", "count"),
        "atomic.AtomicReferenceArray": in_array("array"),
    }
    return {f"java.util.concurrent.{name}": maker for name, maker in known.items()}


KNOWN: Mapping[str, Maker] = {
    **_java_util(),
    **_concurrent(),
    "java.lang.ThreadLocal$ThreadLocalMap": hashed(key="referent", following=""),
    "android.util.ArrayMap": in_pairs("mArray", "mSize"),
}
"""By class; also valid for subclasses."""

AS_SETS: frozenset[str] = frozenset(
    {
        "java.util.HashSet",
        "java.util.TreeSet",
        "java.util.Collections$SetFromMap",
        "java.util.concurrent.ConcurrentSkipListSet",
        "java.util.concurrent.ConcurrentHashMap$KeySetView",
    }
)
"""Sets that show the keys of a map."""


def known_class(graph: ObjectGraph, type: int) -> str | None:
    """Returns the nearest known collection class among a class and its superclasses."""
    return next((name for name in graph.supers(type) if name in KNOWN), None)


def contents_of(graph: ObjectGraph, object: int) -> tuple[Contents, str] | None:
    """Returns the contents of a collection and its known class; None for other objects."""
    are_keys, outer = False, ""
    for _ in range(MOST_WRAPPED):
        name = known_class(graph, graph.type(object))
        if name is None:
            return None
        outer = outer or name
        found = KNOWN[name](graph, graph.instance(object, name))
        # Before JDK 9 Properties stored its entries in its own table.
        if name == "java.util.Properties" and found is None:
            found = KNOWN["java.util.Hashtable"](graph, graph.instance(object, "java.util.Hashtable"))
        are_keys = are_keys or name in AS_SETS
        if found is None or isinstance(found, Contents):
            return None if found is None else (found.as_set() if are_keys else found, outer)
        if found < 0:
            return Contents("set" if are_keys else "list", ()), outer
        object = found
    return None
