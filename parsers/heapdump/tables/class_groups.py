"""Groups of the view "Classes": dumps, packages or loaders, classes; with sums, and changes since the previous dump."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from parsers.heapdump.graph.object_graph import NO_OBJECT, HeapDump, ObjectGraph
from parsers.heapdump.tables.class_names import package_of
from parsers.model.report import counted
from parsers.model.value import value_class

NO_PACKAGE = "(default package)"
BY_PACKAGE, BY_LOADER, ALONE = "by package", "by loader", "classes alone"
GROUPINGS = (BY_PACKAGE, BY_LOADER, ALONE)
"""Choices of the level above classes."""


@value_class
class ClassGroup:
    """A dump, a package or class loader of it, or a class of it."""

    kind: str
    """"dump", "package", "loader" or "class"."""
    dump: HeapDump
    label: str
    objects: int
    bytes: int
    printed: int
    garbage: int
    garbage_bytes: int
    first: int = 0
    """For a class: its first object in the order."""
    type: int = -1
    """For a class: its type."""
    member: int = -1
    """The type of one of its classes."""
    loader: int = NO_OBJECT
    """For a loader its object; NO_OBJECT: the JVM itself."""
    objects_before: int | None = None
    """Number of objects in the previous dump, 0 if absent there; None in the first dump of a process."""
    bytes_before: int | None = None

    @property
    def change(self) -> int | None:
        """Change in bytes since the previous dump."""
        return None if self.bytes_before is None else self.bytes - self.bytes_before

    @property
    def change_words(self) -> str:
        """Before, after and the change as text; empty in the first dump."""
        if self.bytes_before is None or self.objects_before is None:
            return ""
        share = f", {100 * (self.bytes - self.bytes_before) / self.bytes_before:+.1f} %" if self.bytes_before else ""
        before = f"{counted(self.objects_before, 'object')}, {counted(self.bytes_before, 'byte')} before"
        return f"{before}: {self.objects - self.objects_before:+,}, {self.bytes - self.bytes_before:+,}{share}"


def groups_of(graph: ObjectGraph, grouping: str = BY_PACKAGE, label_of: Callable[[int], str] = str) -> list[ClassGroup]:
    """Returns all groups in row order: dumps if there are several, packages or loaders, classes, by bytes.

    label_of  returns the label of a loader, by its object
    """
    groups: list[ClassGroup] = []
    of_process: dict[int, dict[tuple[str, str, int], ClassGroup]] = {}
    for dump in graph.dumps:
        tops, mine = _of_dump(graph, dump, grouping, label_of)
        if len(graph.dumps) > 1:
            mine.insert(0, _sum("dump", dump, dump_label(dump), tops))
        before = of_process.get(dump.process)
        groups += mine if before is None else [_compared(each, before) for each in mine]
        of_process[dump.process] = {_key(each): each for each in mine}
    return groups


def _of_dump(
    graph: ObjectGraph, dump: HeapDump, grouping: str, label_of: Callable[[int], str]
) -> tuple[list[ClassGroup], list[ClassGroup]]:
    """Returns the top rows of a dump, and all its groups."""
    classes = _classes(graph, dump)
    if grouping == ALONE:
        tops = sorted(classes, key=lambda each: -each.bytes)
        return tops, list(tops)
    parts: dict[str | int, list[ClassGroup]] = {}
    for each in classes:
        of = package_of(each.label) if grouping == BY_PACKAGE else graph.loader(each.type, dump)
        parts.setdefault(of, []).append(each)
    found = []
    for of, members in parts.items():
        if isinstance(of, str):
            top = _sum("package", dump, of or NO_PACKAGE, members)
        else:
            members.sort(key=lambda each: -each.bytes)
            top = replace(_sum("loader", dump, label_of(of), members), loader=of)
        found.append((replace(top, member=members[0].type), members))
    found.sort(key=lambda each: -each[0].bytes)
    return [top for top, _ in found], [each for top, members in found for each in (top, *members)]


def dump_label(dump: HeapDump) -> str:
    """Returns the label of a dump, with its date."""
    return f"dump {dump.run}, {dump.date}" if dump.date else f"dump {dump.run}"


def _key(group: ClassGroup) -> tuple[str, str, int]:
    """Returns the identity of a group across dumps. A class has its number by name and id, which separates loaders."""
    return group.kind, "" if group.kind == "dump" else group.label, group.type


def _compared(group: ClassGroup, before: dict[tuple[str, str, int], ClassGroup]) -> ClassGroup:
    """Returns a group with its numbers in the previous dump."""
    found = before.get(_key(group))
    objects, bytes = (0, 0) if found is None else (found.objects, found.bytes)
    return replace(group, objects_before=objects, bytes_before=bytes)


def _classes(graph: ObjectGraph, dump: HeapDump) -> list[ClassGroup]:
    first, end = graph.table("heap_dump_first")[dump.number : dump.number + 2]
    starts = graph.table("heap_class_first")[first : end + 1]
    names = ["", "_bytes", "_printed"]
    if graph.has("ways"):
        names += ["_garbage", "_garbage_bytes"]
    columns = [graph.table(f"heap_class{name}")[first:end] for name in names]
    columns += [[0] * (end - first)] * (5 - len(columns))
    return [
        ClassGroup(
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
            member=type,
        )
        for start, stop, (type, bytes, printed, garbage, garbage_bytes) in zip(
            starts[:-1], starts[1:], zip(*columns, strict=True), strict=True
        )
    ]


def _sum(kind: str, dump: HeapDump, label: str, parts: Sequence[ClassGroup]) -> ClassGroup:
    names = ("objects", "bytes", "printed", "garbage", "garbage_bytes")
    return ClassGroup(kind, dump, label, *(sum(getattr(each, name) for each in parts) for name in names))
