"""Dumps, their packages and classes, with sums, and how they changed from one dump of a file to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parsers.hprof.heap_tables import package_of
from parsers.hprof.object_graph import Dump, ObjectGraph

NO_PACKAGE = "(default package)"


@dataclass(frozen=True, slots=True)
class Group:
    """A dump, a package of it or a class of it."""

    kind: str
    dump: Dump
    label: str
    objects: int
    bytes: int
    printed: int
    garbage: int
    garbage_bytes: int
    first: int = 0
    """Of a class: where its objects begin in the order."""
    type: int = -1
    largest: int = 1
    """Bytes of the longest bar."""
    objects_before: int | None = None
    """In the dump before this one, 0 if it had none; None in the first dump."""
    bytes_before: int | None = None

    @property
    def change(self) -> int | None:
        """Bytes more than in the dump before."""
        return None if self.bytes_before is None else self.bytes - self.bytes_before

    @property
    def change_words(self) -> str:
        """Before, after and the change; empty in the first dump."""
        if self.bytes_before is None or self.objects_before is None:
            return ""
        share = f", {100 * (self.bytes - self.bytes_before) / self.bytes_before:+.1f} %" if self.bytes_before else ""
        before = f"{self.objects_before:,} objects, {self.bytes_before:,} bytes before"
        return f"{before}: {self.objects - self.objects_before:+,}, {self.bytes - self.bytes_before:+,}{share}"


def groups_of(graph: ObjectGraph) -> list[Group]:
    """All groups, in the order of their rows: dumps where there are several, packages and classes by bytes."""
    groups: list[Group] = []
    before: dict[tuple[str, str, int], Group] | None = None
    for dump in graph.dumps:
        packages: list[list[Group]] = []
        for group in _classes(graph, dump):
            if not packages or package_of(packages[-1][0].label) != package_of(group.label):
                packages.append([])
            packages[-1].append(group)
        tops = [_sum("package", dump, package_of(each[0].label) or NO_PACKAGE, each) for each in packages]
        largest = max((each.bytes for each in tops), default=1)
        whole = [_sum("dump", dump, dump_label(dump), tops)] if len(graph.dumps) > 1 else []
        mine = [*whole]
        for top, classes in zip(tops, packages, strict=True):
            mine += [replace(each, largest=largest) for each in (top, *classes)]
        groups += mine if before is None else [_compared(each, before) for each in mine]
        before = {_key(each): each for each in mine}
    return groups


def dump_label(dump: Dump) -> str:
    """Which dump it is, and of when."""
    return f"dump {dump.run}, {dump.date}" if dump.date else f"dump {dump.run}"


def _key(group: Group) -> tuple[str, str, int]:
    """What is the same in several dumps. A class has its number by name and id, so loaders are told apart."""
    return group.kind, "" if group.kind == "dump" else group.label, group.type


def _compared(group: Group, before: dict[tuple[str, str, int], Group]) -> Group:
    """A group with what it was in the dump before."""
    found = before.get(_key(group))
    objects, bytes = (0, 0) if found is None else (found.objects, found.bytes)
    return replace(group, objects_before=objects, bytes_before=bytes)


def _classes(graph: ObjectGraph, dump: Dump) -> list[Group]:
    first, end = graph.table("heap_dump_first")[dump.number : dump.number + 2]
    starts = graph.table("heap_class_first")[first : end + 1]
    names = ("", "_bytes", "_printed", "_garbage", "_garbage_bytes")
    columns = (graph.table(f"heap_class{name}")[first:end] for name in names)
    return [
        Group(
            kind="class",
            dump=dump,
            label=graph.type_name(type),
            objects=stop - start,
            bytes=bytes,
            printed=printed,
            garbage=garbage if dump.is_whole else 0,
            garbage_bytes=garbage_bytes if dump.is_whole else 0,
            first=start,
            type=type,
        )
        for start, stop, (type, bytes, printed, garbage, garbage_bytes) in zip(
            starts[:-1], starts[1:], zip(*columns, strict=True), strict=True
        )
    ]


def _sum(kind: str, dump: Dump, label: str, parts: Sequence[Group]) -> Group:
    names = ("objects", "bytes", "printed", "garbage", "garbage_bytes")
    return Group(kind, dump, label, *(sum(getattr(each, name) for each in parts) for name in names))
