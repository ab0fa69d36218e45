"""What "Objects" and "Referrers" have in common: all objects at the top, unfolded from there to any depth."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.graph.heap_context import Heap, HeapView
from parsers.heapdump.graph.heap_object import OBJECTS_VIEW, REFERRERS_VIEW
from parsers.heapdump.graph.object_graph import NO_OBJECT, ObjectGraph
from parsers.heapdump.views.kinds import ELEMENTS, REFERRERS, SIZE
from parsers.model.patterns import Patterns, Subject, element_type, proposed
from parsers.model.report import Column, Link, References, Row, Section, SectionRow, Shape, UnknownReference
from parsers.model.unfolding import ClosingTree
from parsers.views.base import ViewBase


class GraphView(HeapView, ViewBase):
    """A `View`, and the `Unfolding` of its tree. Nodes below `things` are objects."""

    name = ""
    needs = "references"
    shape: Shape = "tree"
    columns: tuple[Column, ...] = (SIZE, REFERRERS, ELEMENTS)
    orders: tuple[str, ...] = ("bytes", "referrers", "elements", "class")
    closed: frozenset[str] = frozenset()
    """Classes whose objects are closed below the top unless a pattern expands them."""

    def __init__(self, heap: Heap) -> None:
        super().__init__(heap)
        self._tree = ClosingTree(self)
        self._patterns = Patterns()
        self._opened: frozenset[int] = frozenset()

    # -- what derived views say ---------------------------------------------------------------------------------------

    def sites(self, thing: int) -> Sequence[int]:
        """The steps that are shown below an object."""
        raise NotImplementedError

    def has_sites(self, thing: int) -> bool:
        """Whether there are any."""
        return len(self.sites(thing)) > 0

    def thing_at(self, site: int) -> int:
        """The object that a step shows, NO_OBJECT if none."""
        raise NotImplementedError

    def object_of(self, thing: int) -> int:
        """The object that a thing of the tree stands for: itself."""
        return thing

    def things_at(self, sites: Sequence[int]) -> Any:
        """`thing_at` of many, as numpy array."""
        import numpy as np

        return np.array([self.thing_at(site) for site in sites], np.int64)

    def step(self, node: int, site: int) -> Row:
        """The row of a step."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> ObjectGraph:
        """The object graph."""
        return self.objects.graph

    @property
    def tree(self) -> ClosingTree:
        """The objects."""
        return self._tree

    @property
    def things(self) -> int:
        """Objects of all dumps; none before the view is ready."""
        return self.graph.objects if self.is_ready else 0

    @property
    def roots(self) -> Sequence[int]:
        """All objects, in the order of the file."""
        return range(self.things)

    @property
    def row_count(self) -> int | None:
        """Has no end."""
        return None

    @property
    def root_count(self) -> int | None:
        """Objects."""
        return self.things if self.is_ready else None

    def row(self, node: int) -> Row:
        """An object, or a step from the one above."""
        site = self._tree.site(node)
        row = self.object_row(node) if site is None else self.step(node, site)
        if row.has_children and self.is_suppressed(node):
            # A text that is closed is all there is to see.
            is_seen = self.objects.is_seen(self._tree.thing(node))
            return replace(row, has_children=False, flags=row.flags if is_seen else (*row.flags, "suppressed"))
        return row

    def suppress(self, options: Mapping[str, str], opened: Collection[int] = ()) -> None:
        """Close the objects whose class patterns meet, but for nodes that were opened by hand."""
        self._patterns, self._opened = Patterns.from_options(options), frozenset(opened)

    def is_suppressed(self, node: int) -> bool:
        """Whether a node is closed: by a pattern, or as its class is closed unless a pattern expands it."""
        if node in self._opened or not (self._patterns or self.closed):
            return False
        thing = self._tree.thing(node)
        if not 0 <= thing < self.things:
            return False
        name = self.objects.type_name(thing)
        if self._patterns.is_suppressed_type(name):
            return True
        if name not in self.closed or self._tree.site(node) is None or self.graph.kind(thing) == CLASS_OBJECT:
            return False
        return not self._patterns.is_expanded_type(name)

    @property
    def closes(self) -> str:
        """Which classes are closed without a pattern, in words; empty if none is."""
        return ""

    def object_row(self, object: int) -> Row:
        """An object at the top."""
        objects = self.objects
        label = objects.label(object)
        return Row(
            node=object,
            kind=objects.kind(object),
            label=label,
            badges=objects.badges(object),
            flags=objects.flags(object),
            ref=objects.ref(object),
            offset=self.graph.offset(object),
            has_children=self.has_sites(object),
            spans=objects.spans(label),
            look=objects.look(object),
        )

    def remark(self, row: Row) -> str:
        """The id of the object, and whether it was garbage."""
        thing = self.object_of(self._tree.thing(row.node))
        return self.objects.remark(thing) if thing != NO_OBJECT else ""

    def named_rows(self, kind: str) -> Any:
        """Objects of a kind by their classes, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.heapdump.graph.named_rows import object_rows

        return object_rows(self, kind)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Keys of an order; -1 where a step shows no object."""
        import numpy as np

        if not len(nodes):
            return ()
        run = self._tree.run(nodes[0])
        if run is None:
            things: Any = nodes if isinstance(nodes, range) else np.asarray(nodes, np.int64)
            return self._keys(order, things)  # type: ignore[no-any-return]
        things = self.things_at(run.sites)
        found = self._keys(order, np.maximum(things, 0)) if self.things else things
        return np.where(things < 0, -1, found)  # type: ignore[return-value]

    def _keys(self, order: str, things: Any) -> Any:
        import numpy as np

        graph = self.graph
        if order != "class":
            return graph.column(order, things)
        # Numbers come largest first, so the first name gets the largest one.
        names = sorted(range(graph.types), key=graph.type_name)
        ranks = np.empty(graph.types, np.int64)
        ranks[names] = np.arange(graph.types, 0, -1)
        return ranks[graph.column("type", things)]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """The object of a REF. Raises `UnknownReference`."""
        return self.resolve_all(ref)[0]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All objects of a REF; of a class that is named its object. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all objects have been read")
        found = self.objects.resolve(ref)
        if found is not None:
            return [found]
        dumps, rest = self.objects.split(ref)
        kind, _, value = rest.partition(":")
        if kind == "node" and value.isascii() and value.isdigit() and len(value) <= 18:
            if int(value) < self.things:
                return [int(value)]
            raise UnknownReference(f"{ref}: there are {self.things:,} objects, counted from 0")
        if kind in ("class", "name"):
            found_classes = [
                object
                for dump in dumps
                for type in self.objects.types_named(value)
                for object in (self.graph.class_object(type, dump),)
                if object != NO_OBJECT
            ]
            if found_classes:
                return found_classes
        raise UnknownReference(f"{ref}: nothing of that name in {self.name}")

    def key(self, node: int) -> Hashable | None:
        """The object that a row shows."""
        thing = self.object_of(self._tree.thing(node))
        return self.objects.key(thing) if thing != NO_OBJECT else None

    def find_key(self, key: Hashable) -> int | None:
        """The object at the top."""
        if not self.is_ready:
            return None
        found = self.objects.of_key(key)
        if found is not None:
            return found
        match key:
            case ("class", str(name)):
                try:
                    return self.resolve(f"class:{name}")
                except UnknownReference:
                    return None
        return None

    def standing(self, node: int) -> str:
        """How a root reaches the object, in a line."""
        object = self.object_of(self._tree.thing(node))
        return self.objects.way_text(object) if object != NO_OBJECT and self.graph.has("ways") else ""

    # -- beside a row -------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """What the side pane shows of the object."""
        thing = self.object_of(self._tree.thing(node))
        if thing == NO_OBJECT:
            return (Section("Reference", (SectionRow("", self.row(node).label),)),)
        return self.objects.sections(thing)

    def links(self, node: int) -> Sequence[Link]:
        """All ways from the object."""
        thing = self.object_of(self._tree.thing(node))
        return self.objects.links(thing) if thing != NO_OBJECT else ()

    def references(self, node: int) -> References:
        """What leads to the object: rows below it in "Referrers"."""
        thing = self.object_of(self._tree.thing(node))
        if thing == NO_OBJECT:
            return References("references", REFERRERS_VIEW, ())
        found: References = self._heap.view(REFERRERS_VIEW).referrers_of(thing)
        return found

    def path(self, node: int) -> Sequence[int]:
        """From the object at the top to the node, both included."""
        return self._tree.path(node)

    def why(self, node: int) -> References:
        """The shortest way from a root to the object, as nodes of "Objects"; none where no root reaches it."""
        thing = self.object_of(self._tree.thing(node))
        found: References = self._heap.view(OBJECTS_VIEW).way_to(thing)
        return found

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """A pattern that meets the object's class."""
        thing = self.object_of(self._tree.thing(node))
        return {"types": proposed(element_type(self.objects.type_name(thing)))} if thing != NO_OBJECT else {}
