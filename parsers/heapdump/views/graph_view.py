"""Base class of "Objects" and "Referrers": all objects at the top, unfolded from there to any depth."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.views.kinds import ELEMENTS, REFERRERS, SIZE
from parsers.heapdump.views.object_rows import ObjectRows
from parsers.model.late import numpy as np
from parsers.model.names.patterns import Patterns
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Column, Link, Row, Section, SectionRow, SortKey, Span
from parsers.model.trees.unfolding import ClosingTree
from parsers.model.view import StrangeReference, UnknownReference, View

if TYPE_CHECKING:
    from parsers.heapdump.graph.object_graph import ObjectGraph
    from parsers.model.arrays import I64Array
    from parsers.reporting.rules.array_rows import ArrayRows


class HeapGraphView(ObjectRows, View):
    """A `View`, and the `Unfolding` of its tree. Nodes below `vertices` are objects."""

    needs = "references"
    columns: tuple[Column, ...] = (SIZE, REFERRERS, ELEMENTS)
    orders: tuple[str, ...] = ("bytes", "referrers", "elements", "class")
    closed: frozenset[str] = frozenset()
    """Classes whose objects are closed below the top unless a pattern expands them."""

    def __init__(self, heap: HeapContext) -> None:
        super().__init__(heap)
        self._tree = ClosingTree(self)
        self._patterns = Patterns()
        self._opened: frozenset[int] = frozenset()
        self._vertices = 0

    # -- for derived classes ------------------------------------------------------------------------------------------

    def sites(self, vertex: int) -> Sequence[int]:
        """Returns the steps shown below an object."""
        raise NotImplementedError

    def has_sites(self, vertex: int) -> bool:
        """True if there are any."""
        return len(self.sites(vertex)) > 0

    def vertex_at(self, site: int) -> int:
        """Returns the object of a step, NO_OBJECT if none."""
        raise NotImplementedError

    def object_of(self, vertex: int) -> int:
        """Returns the object of a number in the tree: itself."""
        return vertex

    def object_in(self, node: int) -> int:
        """Returns the object of a row; NO_OBJECT if it shows none."""
        return self.object_of(self._tree.vertex(node))

    def vertices_at(self, sites: Sequence[int]) -> I64Array:
        """Returns `vertex_at` of many, as numpy array."""
        return np.array([self.vertex_at(site) for site in sites], np.int64)

    def step(self, node: int, site: int) -> Row:
        """Returns the row of a step."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> ObjectGraph:
        """The object graph."""
        return self.objects.graph

    @property
    def tree(self) -> ClosingTree:
        """The tree of objects."""
        return self._tree

    @property
    def vertices(self) -> int:
        """Number of objects in all dumps; 0 before the view is ready."""
        if not self._vertices and self.is_ready:
            self._vertices = self.graph.objects
        return self._vertices

    @property
    def roots(self) -> Sequence[int]:
        """All objects, in the order of the file."""
        return range(self.vertices)

    @property
    def root_count(self) -> int | None:
        """Number of objects."""
        return self.vertices if self.is_ready else None

    def row(self, node: int) -> Row:
        """Returns the row of an object, or of a step from its parent."""
        site = self._tree.site(node)
        return self.object_row(node) if site is None else self.step(node, site)

    def suppress(self, options: Mapping[str, str], opened: Collection[int] = ()) -> None:
        """Closes objects whose class matches patterns, except nodes that were opened by hand."""
        self._patterns, self._opened = Patterns.from_options(options), frozenset(opened)

    def is_suppressed(self, node: int) -> bool:
        """True if a node is closed: by a pattern, or by its class unless a pattern expands that."""
        if node in self._opened or not (self._patterns or self.closed):
            return False
        vertex = self._tree.vertex(node)
        if not 0 <= vertex < self.vertices:
            return False
        name = self.objects.type_name(vertex)
        if self._patterns.is_suppressed_type(name):
            return True
        if name not in self.closed or self._tree.site(node) is None or self.graph.kind(vertex) == CLASS_OBJECT:
            return False
        return not self._patterns.is_expanded_type(name)

    def object_row(self, object: int) -> Row:
        """Returns the row of an object at the top."""
        label = self.objects.label(object)
        return self.unfolded_row(object, object, label, self.objects.spans(label))

    def unfolded_row(
        self, node: int, object: int, label: str, spans: tuple[Span, ...], kind: str = "", look: str = ""
    ) -> Row:
        """Returns the row of a node that shows an object, without children if it is expanded above or suppressed.

        kind, look: of its reference, if not those of the object
        """
        tree = self._tree
        is_recursive = tree.is_recursive(node)
        has_children = not is_recursive and self.has_sites(tree.vertex(node))
        is_suppressed = has_children and self.is_suppressed(node)
        # A closed text shows all there is in its row.
        hides_rows = is_suppressed and not self.objects.is_fully_shown_text(object)
        flag = "recursive" if is_recursive else "suppressed" if hides_rows else ""
        return self.row_of(node, object, label, has_children and not is_suppressed, spans, kind, look, flag)

    def row_of(
        self, node: int, object: int, label: str, has_children: bool, spans: tuple[Span, ...], kind: str = "",
        look: str = "", flag: str = "",
    ) -> Row:  # fmt: skip
        """Returns the row of a node. flag: besides those of the object; "recursive" makes the row a link to it"""
        objects, ref = self.objects, self.objects.ref(object)
        is_recursive = flag == "recursive"
        return Row(
            node=node,
            kind=kind or objects.kind(object),
            label=label,
            depth=self._tree.depth(node),
            badges=objects.badges(object),
            flags=(*objects.flags(object), flag) if flag else objects.flags(object),
            ref=ref,
            offset=self.graph.offset(object),
            has_children=has_children,
            link=ref if is_recursive else None,
            spans=spans,
            look="reference" if is_recursive else look or objects.look(object),
        )

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns objects of a kind by class, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.heapdump.graph.named_rows import object_rows

        return object_rows(self, self.objects, self.roots, kind)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order; -1 where a step has no object."""
        if not len(nodes):
            return ()
        run = self._tree.run(nodes[0])
        if run is None:
            keys = self._keys(order, nodes if isinstance(nodes, range) else np.asarray(nodes, np.int64))
            return keys  # type: ignore[return-value]
        vertices = self.vertices_at(run.sites)
        found = self._keys(order, np.maximum(vertices, 0)) if self.vertices else vertices
        return np.where(vertices < 0, -1, found)  # type: ignore[return-value]

    def _keys(self, order: str, vertices: range | I64Array) -> I64Array:
        graph = self.graph
        if order != "class":
            return graph.column(order, vertices)
        # Numbers are sorted descending, so the first name gets the largest number.
        names = sorted(range(graph.types), key=graph.type_name)
        ranks = np.empty(graph.types, np.int64)
        ranks[names] = np.arange(graph.types, 0, -1)
        return ranks[graph.column("type", vertices)]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all objects of a REF; for a class name the class object. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all objects have been read")
        found = self.objects.resolve(ref)
        if found is not None:
            return [found]
        dumps, rest = self.objects.split(ref)
        kind, _, value = rest.partition(":")
        if (node := numbered_node(rest, self.vertices, "objects")) is not None:
            return [node]
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
        raise StrangeReference(f"{ref}: nothing of that name in {self.name}")

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a row's object."""
        vertex = self.object_in(node)
        return self.objects.key(vertex) if vertex != NO_OBJECT else None

    def find_key(self, key: Hashable) -> int | None:
        """Returns the object at the top."""
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

    def status_text(self, node: int) -> str:
        """Returns the path from a root to the object, as one line."""
        object = self.object_in(node)
        return self.objects.path_text(object) if object != NO_OBJECT and self.graph.has("paths") else ""

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the side pane sections of the object."""
        vertex = self.object_in(node)
        if vertex == NO_OBJECT:
            return (Section("Reference", (SectionRow("", self.row(node).label),)),)
        return self.objects.sections(vertex)

    def links(self, node: int) -> Sequence[Link]:
        """Returns all links from the object."""
        vertex = self.object_in(node)
        return self.objects.links(vertex) if vertex != NO_OBJECT else ()
