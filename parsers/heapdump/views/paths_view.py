"""The view "Paths": shortest paths from all objects of a class up to the roots, merged, the heaviest first."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.heapdump.graph.heap_object import CLASSES_VIEW, OBJECTS_VIEW, PATHS_VIEW
from parsers.heapdump.graph.labels import HeapDump
from parsers.heapdump.tables.class_groups import ALONE, TOP, ClassGroup, ClassGroups
from parsers.heapdump.views.chosen_dump import HeapDumpView
from parsers.heapdump.views.kinds import BYTES, OBJECTS
from parsers.heapdump.views.opened_rows import OpenedRows
from parsers.index.bitpacked.columns import numbers
from parsers.model.distinct import distinct
from parsers.model.late import late
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.late.preparation import LazyValue, Preparation
from parsers.model.row import Column, Link, Row, Section, SectionRow, SortKey, Span, counted
from parsers.model.trees.preorder import RankedNodes, sort_nodes
from parsers.model.view import References, Switch

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_context import HeapContext
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.heapdump.graph.object_graph import ObjectGraph
    from parsers.heapdump.paths.merged_paths import MergedPath, MergedPaths
    from parsers.heapdump.paths.path_to_root import PathSteps
    from parsers.model.arrays import U32Array

STRONG, ALL = "strong first", "all"
REFERENCES = Switch("references", "w", "references", (STRONG, ALL))
"""`strong first`: soft, weak, phantom and final references only where there is no other path from a root."""
SHOWN, MOST = 8, 1000
"""Objects listed in a side pane; and how many are examined for that."""
MOST_STEPS = 2000
"""Maximum of steps listed of a path."""


class PathGroups(LazySequence[ClassGroup]):
    """Classes of a dump, those with most bytes first; then its packages."""

    def __init__(self, heap: HeapObjects, dump: HeapDump) -> None:
        self._graph, self._dump = heap.graph, dump.number
        self._classes, self._packages = ClassGroups(heap, ALONE, dump), ClassGroups(heap, only=dump)
        self._tops = [group for group, kind in enumerate(self._packages.kinds) if kind == TOP]
        self.classes = len(self._classes)
        """Number of classes."""

    def __len__(self) -> int:
        return self.classes + len(self._tops)

    def item(self, index: int) -> ClassGroup:
        """Returns a group."""
        return self._classes[index] if index < self.classes else self._packages[self._tops[index - self.classes]]

    def of_type(self, type: int) -> int | None:
        """Returns the number of a class; None if it has no objects."""
        return self._classes.of_type(type, self._dump)

    def named(self, kind: str, label: str) -> int | None:
        """Returns the first group of a kind by its label, or `name@id` of a class; None if there is none."""
        groups = self._classes if kind == "class" else self._packages
        found = groups.named(kind, label, self._dump)
        if not found:
            return None
        return found[0] if kind == "class" else self.classes + self._tops.index(found[0])

    def ref(self, number: int) -> str:
        """Returns the REF of a group, without its run."""
        group = self[number]
        is_first = self.named(group.kind, group.label) == number
        return f"{group.kind}:{group.label if is_first else self._graph.type_text(group.type)}"

    def objects(self, number: int) -> U32Array:
        """Returns the objects of a class, or of all classes of a package."""
        group = self[number]
        found: U32Array = numbers(self._graph.table("object_order"), slice(group.first, group.first + group.objects))
        return found


class PathsView(HeapDumpView, OpenedRows["MergedPath"]):
    """Classes are the first nodes, then packages, which are not shown; the steps to the roots are below them."""

    name = PATHS_VIEW
    sorted_by = "bytes"
    description = "Paths from GC roots to objects, by class"
    needs = "paths"
    columns: tuple[Column, ...] = (BYTES, OBJECTS)
    orders: tuple[str, ...] = ("bytes", "objects", "name")

    def __init__(self, heap: HeapContext) -> None:
        super().__init__(heap)
        self._steps_by_choice: dict[bool, LazyValue[PathSteps]] = {}
        """All paths, by the choice whether they take weak references."""

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choices of dump, and of references that paths may take, if the dump marks them."""
        return (*super().switches, *((REFERENCES,) if self.is_ready and self.graph.has_weak else ()))

    @property
    def graph(self) -> ObjectGraph:
        """The object graph."""
        return self.objects.graph

    # -- preparation --------------------------------------------------------------------------------------------------

    @property
    def _path_steps(self) -> LazyValue[PathSteps]:
        takes_weak = self.choice("references") == ALL
        if takes_weak not in self._steps_by_choice:
            compute = late("parsers.heapdump.paths.path_to_root:compute_path_steps", self.graph, takes_weak)
            self._steps_by_choice[takes_weak] = LazyValue(compute)
        return self._steps_by_choice[takes_weak]

    @property
    def is_prepared(self) -> bool:
        """True if rows can be opened without much work."""
        return self.is_ready and self._path_steps.is_prepared

    def preparation(self) -> Preparation | None:
        """Returns a pass over all references."""
        return self._path_steps.preparation() if self.is_ready else None

    # -- nodes --------------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> PathGroups:
        """The first nodes."""
        return PathGroups(self.objects, self.dump)

    @cached_property
    def _merged_paths(self) -> MergedPaths:
        from parsers.heapdump.paths.merged_paths import MergedPaths

        return MergedPaths(self._path_steps.value)

    @cached_property
    def _opened(self) -> dict[int, MergedPath]:
        """Paths of the requested classes and packages, by node."""
        return {}

    @property
    def first_rows(self) -> int:  # type: ignore[override]  # known with the classes
        """Number of classes and packages."""
        return len(self._groups)

    def _path_group(self, node: int) -> MergedPath:
        if node >= len(self._groups):
            return self.content(node)
        found = self._opened.get(node)
        if found is None:
            objects = self._groups.objects(node)
            found = self._opened[node] = self._merged_paths.begin(objects, self.graph.column("bytes", objects))
        return found

    def node_of_group(self, kind: str, label: str, type: int = -1) -> int:
        """Returns the node of a class (by its type) or of a package. Raises `KeyError`."""
        found = self._groups.named(kind, label) if type < 0 else self._groups.of_type(type)
        if found is None:
            raise KeyError(label)
        return found

    # -- the tree -----------------------------------------------------------------------------------------------------

    def roots(self, order: str | None = None) -> Sequence[int]:
        """Returns the classes."""
        return sort_nodes(range(self._groups.classes), self.sort_keys, order) if self.is_ready else ()

    def contents_below(self, node: int | None) -> Sequence[MergedPath]:
        """Computes the steps that lead to the objects of a row."""
        return () if node is None else self._merged_paths.next_steps(self._path_group(node))

    def has_children(self, node: int) -> bool:
        """True if it is not a GC root, and any root reaches it."""
        if node < len(self._groups):
            group = self._groups[node]
            # A truncated dump marks no garbage, but may lack the roots.
            return group.objects > group.garbage if group.dump.is_whole else self._path_group(node).paths > 0
        return not self._merged_paths.is_at_root(self._path_group(node))

    default_path_count = 10
    """Number of paths listed by default."""

    def paths(self, node: int) -> Iterator[Sequence[int]]:
        """Yields the paths from roots to the objects of a node, most bytes first; each from the root on."""
        left = [(0, 0, node)]
        while left:
            _, _, here = heapq.heappop(left)
            if self.has_children(here) and self.depth(here) < MOST_STEPS:
                for each in self.children(here):
                    path_group = self._path_group(each)
                    heapq.heappush(left, (-path_group.weight, -path_group.paths, each))
            elif here != node:
                path = self.path(here)
                yield [*path[: path.index(node) : -1], node]

    def root_of_path(self, path: Sequence[int]) -> str:
        """Returns nothing: the first row is the root."""
        return ""

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def root_count(self) -> int | None:
        """Number of classes."""
        return self._groups.classes if self.is_ready else None

    def row(self, node: int) -> Row:
        """Returns the row of a class, a step, or a kind of roots."""
        label, look, spans = self._label(node)
        weight, count = self._sums(node)
        if node < len(self._groups):
            share, kind = 1.0, self._groups[node].kind
        else:
            share, kind = weight / max(self._path_group(self.path(node)[0]).weight, 1), look
        return Row(
            node=node,
            kind=kind,
            label=label,
            depth=self.depth(node),
            badges={"bytes": weight, "objects": count},
            ref=self._ref(node),
            has_children=self.has_children(node),
            spans=spans,
            look=look,
            bars={"bytes": share},
        )

    def _sums(self, node: int) -> tuple[int, int]:
        """Returns bytes and number of the objects of a row."""
        if node < len(self._groups):
            group = self._groups[node]
            return group.bytes, group.objects
        path_group = self._path_group(node)
        return path_group.weight, path_group.paths

    def _label(self, node: int) -> tuple[str, str, tuple[Span, ...]]:
        """Returns the label of a node, the kind of its mark, and the spans of the label."""
        if node < len(self._groups):
            group = self._groups[node]
            return group.label, group.kind, self.objects.spans(group.label) if group.kind == "class" else ()
        step = self._merged_paths.path_steps.step(self._path_group(node).key)
        if step.root:
            return f"root: {step.root}", "root", ()
        holder = f"{'class ' if step.is_class else ''}{self.graph.type_name(step.type)}"
        label, spans = self.objects.labelled(holder, step.label)
        return label, step.label.kind if step.label.text else "object", spans

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order."""
        if order == "name":
            return [self._label(node)[0] for node in nodes]
        return [self._sums(node)[order == "objects"] for node in nodes]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def _ref(self, node: int) -> str:
        """Returns the name of a class or package; for a step the first object on it."""
        if node >= len(self._groups):
            return self.objects.ref(int(self._path_group(node).at[0]))
        return f"{self.objects.run(self._groups[node].dump)}{self._groups.ref(node)}"

    def node_of(self, object: int) -> int | None:
        """Returns the node of an object's class."""
        return self._groups.of_type(self.objects.counted_type(object))

    def why_absent(self, object: int) -> str:
        """Returns that its class has no row."""
        return "its class has no objects in the last dump"

    def node_named(self, kind: str, name: str) -> int | None:
        """Returns the node of a class or package; of kind "name" a class before a package."""
        kinds = ("class", "package") if kind == "name" else (kind,)
        found = (self._groups.named(each, name) for each in kinds if each in ("class", "package"))
        return next((node for node in found if node is not None), None)

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a class or package; for a step that of the first object on it."""
        if node >= len(self._groups):
            return self.objects.key(int(self._path_group(node).at[0]))
        return (self._groups[node].kind, self._groups[node].label)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the totals of this step, and some of its objects."""
        label = self._label(node)[0]
        if node < len(self._groups):
            group = self._groups[node]
            rows = [SectionRow("objects", f"{group.objects:,}"), SectionRow("shallow", f"{group.bytes:,}")]
            if group.garbage:
                rows.append(SectionRow("garbage", group.garbage_words))
            return (Section(label, tuple(rows)),)
        path_group = self._path_group(node)
        of = self._label(self.path(node)[0])[0]
        rows = [
            SectionRow(
                "leads to", f"{counted(path_group.paths, 'object')} of {of}, {counted(path_group.weight, 'byte')}"
            )
        ]
        objects = list(dict.fromkeys(path_group.at[:MOST].tolist()))[:SHOWN]
        shown = [SectionRow("", self.objects.label(each), self.objects.ref(each), OBJECTS_VIEW) for each in objects]
        return (Section(label, tuple(rows)), Section("Through", tuple(shown)))

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the class; to the first object of a step."""
        if node < len(self._groups):
            return (Link(self._groups[node].kind, self._ref(node), CLASSES_VIEW),)
        return tuple(self.objects.links(int(self._path_group(node).at[0])))

    def references(self, node: int) -> References:
        """Returns the objects of a step."""

        title = f"objects of {self._label(node)[0]}"
        return References(title, OBJECTS_VIEW, RankedNodes(distinct(self._path_group(node).at)), True)

    def why(self, node: int) -> References:
        """Returns the paths themselves."""
        title = f"paths from roots to {self._label(node)[0]}: rows below are the steps towards the roots"
        return References(title, self.name, [node], continues=True)
