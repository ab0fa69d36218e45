"""A heap dump of HPROF text as dictionaries: the plain meaning of the object graph, made by splitting lines."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

ELEMENTS = {"boolean": 1, "byte": 1, "char": 2, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}


@dataclass
class Thing:
    """An OBJ, ARR or CLS record."""

    record: str
    id: int
    size: int = 0
    elements: int = 0
    type: str = ""
    class_id: int | None = None
    references: list[tuple[str, int]] = field(default_factory=list)

    @property
    def true_size(self) -> int:
        element = ELEMENTS.get(self.type.removesuffix("[]"), 0) if self.record == "ARR" else 0
        if element and self.size == element * self.elements:
            return (16 + self.size + 7) // 8 * 8
        return self.size


@dataclass
class PlainHeap:
    """One dump."""

    vertices: dict[int, Thing] = field(default_factory=dict)
    roots: list[tuple[str, int]] = field(default_factory=list)

    def referrers(self) -> dict[int, list[tuple[int, str]]]:
        found: dict[int, list[tuple[int, str]]] = {id: [] for id in self.vertices}
        for thing in self.vertices.values():
            for name, target in thing.references:
                if target in found:
                    found[target].append((thing.id, name))
        return found

    def distances(self) -> dict[int, int]:
        """Steps from a root by references; classes referenced only by instances follow all others."""
        reached = {id: 0 for _, id in self.roots if id in self.vertices}
        wave = deque(reached)
        order: list[int] = []
        taken = 0
        while wave or taken < len(order):
            while wave:
                id = wave.popleft()
                order.append(id)
                for _, target in self.vertices[id].references:
                    if target in self.vertices and target not in reached:
                        reached[target] = reached[id] + 1
                        wave.append(target)
            while taken < len(order):
                thing = self.vertices[order[taken]]
                taken += 1
                holder = thing.class_id if thing.record != "CLS" else None
                if holder in self.vertices and holder not in reached:
                    reached[holder] = reached[thing.id] + 1
                    wave.append(holder)
        return reached


def plain_heaps(text: str) -> list[PlainHeap]:
    """The dumps of a file without cut lines."""
    heaps: list[PlainHeap] = []
    is_open = False
    thing: Thing | None = None
    for line in text.split("\n"):
        if line.startswith("HEAP DUMP BEGIN"):
            heaps.append(PlainHeap())
            is_open = True
        elif line.startswith("HEAP DUMP END"):
            is_open = False
        elif is_open and line.startswith("\t"):
            assert thing is not None
            *name, id = line[1:].split("\t")
            thing.references.append((name[0], int(id, 16)))
        elif is_open and line.startswith("ROOT "):
            kind = line[line.index("<") + 1 : line.index(">")]
            id = int(line.split()[1], 16)
            if id:
                heaps[-1].roots.append((kind, id))
        elif is_open and line[:4] in ("OBJ ", "ARR ", "CLS "):
            record, id, rest = line.split(" ", 2)
            thing = Thing(record, int(id, 16))
            heaps[-1].vertices[thing.id] = thing
            if record == "CLS":
                thing.type = rest[len("(name=") : rest.rindex(", trace=")]
                continue
            mark = ", class=" if record == "OBJ" else ", elem type="
            numbers, type = rest[1:-1].split(mark, 1)
            values = dict(each.split("=") for each in numbers.split(", "))
            thing.size, thing.elements = int(values["sz"]), int(values.get("nelems", 0))
            thing.type, at, class_id = type.rpartition("@")
            if at:
                thing.class_id = int(class_id, 16)
            else:
                thing.type = type
    return heaps


def reached(successors: list[list[int]], roots: list[int], without: int = -1) -> set[int]:
    """Returns the objects reachable from roots without one object."""
    found = {root for root in roots if root != without}
    left = list(found)
    while left:
        for target in successors[left.pop()]:
            if target != without and target not in found:
                found.add(target)
                left.append(target)
    return found


def retained_by_leaving_out(successors: list[list[int]], roots: list[int], sizes: list[int]) -> list[tuple[int, int]]:
    """By object the bytes and the number of objects that nothing leads to without it: the definition, word for word."""
    all = reached(successors, roots)
    found = []
    for object in range(len(successors)):
        lost = all - reached(successors, roots, object)
        found.append((sum(sizes[each] for each in lost), len(lost)))
    return found
