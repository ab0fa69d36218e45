"""The view "Objects": from any object to all it refers to, to any depth; collections as contents or as fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.heapdump.collections.contents import Contents, pieces
from parsers.heapdump.graph import virtual_nodes as slots
from parsers.heapdump.graph.columns import STRING
from parsers.heapdump.graph.elements import LOST, NULL
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.graph.heap_object import OBJECTS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.graph.object_graph import JoinedSequence
from parsers.heapdump.paths.reachability import NOT_REACHED
from parsers.heapdump.paths.shortest_paths import all_shortest_paths, steps_from_root
from parsers.heapdump.views.graph_view import HeapGraphView
from parsers.heapdump.views.kinds import RETAINED
from parsers.model.late import numpy as np
from parsers.model.row import Link, Row, Section, SectionRow, Span, counted
from parsers.model.trees.unfolding import ClosingTree
from parsers.model.view import References, Switch
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.row_finder import RowFinder

MARKED = ("static", "constant", "element", "field")
"""Kinds of references with their own marks."""
AS_CONTENTS, AS_FIELDS = "contents", "fields"
COLLECTIONS = Switch("collections", "c", "maps and lists", (AS_CONTENTS, AS_FIELDS))
MOST_LOOKED_THROUGH = 10_000_000
"""Maximum of entries searched for one."""
MOST_ROWS = 200_000
"""The same where entries are read one by one."""
NUMBERS = ("boolean", "byte", "char", "double", "float", "int", "long", "short")
KEPT = 64
"""Opened collections whose traversal state is cached."""


class ObjectsView(SwitchableView, HeapGraphView):
    """Children of an object: fields, elements, superclass, loader, statics and constants, in the order of the file.

    Children of a map or list: entries as `key = value`, or by index. An entry opens to the contents of its value; an
    entry whose key is not shown as text opens to both.
    """

    name = OBJECTS_VIEW
    description = "Objects with their fields and elements"
    closed = frozenset({STRING, *(f"{name}[]" for name in NUMBERS)})

    def __init__(self, heap: HeapContext, has_retained_sizes: bool = False) -> None:
        super().__init__(heap)
        if has_retained_sizes:
            self.columns = (RETAINED, *self.columns)
            self.orders = ("retained", *self.orders)
        self._before: ClosingTree | None = None
        self._walked: dict[int, tuple[Contents, str]] = {}

    # -- choices ------------------------------------------------------------------------------------------------------

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choice of how maps and lists are shown."""
        return (COLLECTIONS,)

    @property
    def _is_as_contents(self) -> bool:
        return self.choice(COLLECTIONS.name) == AS_CONTENTS

    def _forget(self) -> None:
        """Clears caches: nodes below the top have changed."""
        self._before = self._before or self._tree
        self._tree = ClosingTree(self)

    def renew(self) -> Callable[[int], int | None] | None:
        """Returns a map from nodes before the last choice to nodes now; None if nothing changed."""
        before, self._before = self._before, None
        return None if before is None else lambda node: self._same_node(before, node)

    def _same_node(self, before: ClosingTree, node: int) -> int | None:
        """Returns the node that shows the same objects from the top down; None if none does."""
        first, *more = (before.vertex(each) for each in before.path(node))
        found: int | None = first
        for vertex in more:
            place = None if found is None or vertex < 0 else self._place_below(found, vertex)
            if found is None or place is None:
                return None
            found = self._tree.child(found, place)
        return found

    def _place_below(self, node: int, vertex: int) -> int | None:
        """Returns the index of the child row that shows an object or entry."""
        sites = self._tree.all_children(node)
        return next(
            (place for place in range(min(len(sites), MOST_ROWS)) if self._tree.vertex(sites[place]) == vertex),
            None,
        )

    @property
    def closes(self) -> str:
        """Texts and arrays of numbers, unless a pattern expands them."""
        expanded = self._patterns.is_expanded_type
        numbers = [name for name in NUMBERS if not expanded(name)]
        arrays = ["primitive[]"] if len(numbers) == len(NUMBERS) else [f"{name}[]" for name in numbers]
        return ", ".join([*(() if expanded(STRING) else ("String",)), *arrays])

    # -- children of an object ----------------------------------------------------------------------------------------

    def contents(self, object: int) -> tuple[Contents, str] | None:
        """Returns the contents of a collection that is shown as such, and its known class."""
        if not self._is_as_contents:
            return None
        return self._walked.get(object) or self.objects.contents(object)

    def _keep(self, object: int, found: tuple[Contents, str]) -> None:
        if len(self._walked) >= KEPT and object not in self._walked:
            del self._walked[next(iter(self._walked))]
        self._walked[object] = found

    def sites(self, vertex: int) -> Sequence[int]:
        """Returns entries of a collection, then members of its own class; else the members of an object."""
        if slots.kind_of(vertex) == slots.PAIRS:
            object, place = slots.place_of(vertex)
            return slots.numbers(slots.PARTS, object, 2, 2 * place)
        found = self.contents(vertex)
        if found is None:
            return self.objects.below(vertex)
        self._keep(vertex, found)
        entries = slots.numbers(slots.ENTRIES, vertex, len(found[0]))
        own = self.objects.own_members(vertex, found[1])
        return JoinedSequence((), entries, own) if own else entries

    def has_sites(self, vertex: int) -> bool:
        """True if there are children, without counting them."""
        if slots.kind_of(vertex):
            return True
        found = self.contents(vertex)
        if found is None:
            return not (self._is_as_contents and self.objects.is_box(vertex)) and self.objects.has_below(vertex)
        return not found[0].is_empty or bool(self.objects.own_members(vertex, found[1]))

    def vertex_at(self, site: int) -> int:
        """Returns the target of a row: an object; or an entry whose key needs a row of its own."""
        kind = slots.kind_of(site)
        if not kind:
            return self.graph.target(site)
        object, place = slots.place_of(site)
        if kind == slots.MEMBERS:
            found = self.objects.member(object, place).site
            return NO_OBJECT if found is None else self.graph.target(found)
        if kind == slots.PARTS:
            key, value = self._entry(object, place // 2)
            return max(value if place % 2 else key, NO_OBJECT)
        key, value = self._entry(object, place)
        if key >= 0 and not self.objects.is_fully_shown(key):
            return slots.PAIRS + object * slots.MOST_PLACES + place
        return max(value, NO_OBJECT)

    def _entry(self, object: int, place: int) -> tuple[int, int]:
        """Returns key and value; the key is NULL where there are no keys."""
        found = self._walked.get(object) or self.objects.contents(object)
        if found is None:
            return NULL, NO_OBJECT
        contents = found[0]
        value = contents.values[place]
        return (NULL if contents.keys is None else contents.keys[place]), value

    def object_of(self, vertex: int) -> int:
        """Returns the object; for an entry its value."""
        if slots.kind_of(vertex) != slots.PAIRS:
            return vertex
        return max(self._entry(*slots.place_of(vertex))[1], NO_OBJECT)

    def vertices_at(self, sites: Sequence[int]) -> I64Array:
        """Returns the target objects of many sites."""
        if isinstance(sites, range) and not slots.kind_of(sites.start):
            return self.graph.targets(sites)
        found = self._walked.get(slots.place_of(sites[0])[0]) if slots.kind_of(sites[0]) == slots.ENTRIES else None
        if found is not None and isinstance(sites, range):
            start = slots.place_of(sites[0])[1]
            values = found[0].values[start : start + len(sites)]
            return np.maximum(np.array(values, np.int64), NO_OBJECT)
        return np.array([self.object_of(self.vertex_at(site)) for site in sites], np.int64)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def step(self, node: int, site: int) -> Row:
        """Returns the row of a reference, a member or an entry: its name, and its target."""
        kind = slots.kind_of(site)
        if kind == slots.ENTRIES:
            return self._entry_row(node, *slots.place_of(site))
        if kind == slots.PARTS:
            object, place = slots.place_of(site)
            target = self._entry(object, place // 2)[place % 2]
            return self._row(node, object, "field", ("key", "value")[place % 2], ": ", target)
        if kind == slots.MEMBERS:
            object, place = slots.place_of(site)
            member = self.objects.member(object, place)
            if member.site is None:
                sign = " " if member.label.kind == "element" else ": "
                return self._value_row(node, object, member.label.kind, member.label.text, f"{sign}{member.value}")
            label, target = member.label, self.graph.target(member.site)
        else:
            object, label, target = self.graph.owner(site), self.graph.label(site), self.graph.target(site)
        sign = " " if label.kind == "element" else ": " if label.text else ""
        return self._row(node, object, label.kind, label.text, sign, target, label.counted)

    def _entry_row(self, node: int, object: int, place: int) -> Row:
        key, value = self._entry(object, place)
        found = self.contents(object) or self.objects.contents(object)
        if found is None or found[0].keys is None:
            return self._row(node, object, "element", f"[{place}]", " ", value)
        if key == LOST:
            return self._row(node, object, "entry", f"[{place}]", " ", LOST)
        return self._row(node, object, "entry", self.objects.key_text(key), " = ", value)

    def _value_row(self, node: int, owner: int, kind: str, name: str, value: str, flags: tuple[str, ...] = ()) -> Row:
        """Returns the row of a member that is no object. value: follows its name, with the sign between them"""
        return Row(
            node=node,
            kind=kind,
            label=f"{name}{value}",
            depth=self._tree.depth(node),
            flags=flags,
            ref=self.objects.ref(owner),
            spans=_named(kind, name),
            look=kind if kind in MARKED else "class object",
        )

    def _row(self, node: int, owner: int, kind: str, name: str, sign: str, target: int, more: str = "") -> Row:
        """Returns the row of a reference to an object: its name (or key), and the object as text, and more text."""
        objects = self.objects
        value = f"{sign}{objects.target_text(target)}{more}"
        if target < 0:
            flags = () if target == NULL else ("damaged",) if target == LOST else ("dangling",)
            return self._value_row(node, owner, kind, name, value, flags)
        spans = (*_named(kind, name), *objects.target_spans(target, len(name) + len(sign)))
        look = kind if kind in (*MARKED, "entry") else "class object" if kind else ""
        return self.unfolded_row(node, target, f"{name}{value}", spans, kind, look)

    def object_row(self, object: int) -> Row:
        """Returns the row of an object at the top, with its value if it has one."""
        label, value = self.objects.label(object), self.objects.value(object)
        return self.unfolded_row(object, object, f"{label} {value}" if value else label, self.objects.spans(label))

    def remark(self, row: Row) -> str:
        """Returns the size of a collection, the id, and a remark for garbage."""
        object = self.object_of(self._tree.vertex(row.node))
        if object == NO_OBJECT:
            return ""
        found = self.contents(object)
        return "  ".join(filter(None, (size_words(found[0]) if found else "", self.objects.identity(object))))

    def finder(self, pattern: Pattern, is_patient: bool = False) -> RowFinder:
        """Returns a search for a pattern among many nodes of the top: see `HasFinder`."""
        from parsers.heapdump.graph.object_finder import ObjectFinder

        return ObjectFinder(self.objects, pattern, is_patient)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns what is known of the object; for an entry its key first."""
        site = self._tree.site(node)
        if site is None or slots.kind_of(site) != slots.ENTRIES:
            return super().sections(node)
        object, place = slots.place_of(site)
        key, value = self._entry(object, place)
        rows = [SectionRow("of", self.objects.target_text(object), self.objects.ref(object), self.name)]
        if self._is_map(object):
            rows.append(self.objects.target_row("key", key))
        rows.append(self.objects.target_row("value", value))
        found = () if value < 0 else super().sections(node)
        return (Section(f"Entry {place:,}", tuple(rows)), *found)

    def _is_map(self, object: int) -> bool:
        found = self._walked.get(object) or self.objects.contents(object)
        return found is not None and found[0].keys is not None

    def links(self, node: int) -> Sequence[Link]:
        """Returns all links from the object; from an entry to its key, too."""
        site, found = self._tree.site(node), list(super().links(node))
        if site is not None and slots.kind_of(site) == slots.ENTRIES:
            key = self._entry(*slots.place_of(site))[0]
            if key >= 0:
                found.append(Link("the key", self.objects.ref(key), self.name))
        return found

    def nodes_of_trace(self, trace: int) -> Sequence[int]:
        """Returns the objects that a trace allocated."""
        return self.graph.made_at(trace) if self.is_ready else ()

    def path_from_root(self, object: int) -> References:
        """Returns the rows of the shortest path from a root to an object, root object first."""
        title = "the shortest path from a root"
        if not self.graph.has("paths"):
            return References(f"{title}: {self._heap.waits_for('paths')}", self.name, ())
        if object == NO_OBJECT or self.graph.reached_by(object) == NOT_REACHED:
            return References(title, self.name, ())
        steps = steps_from_root(self.graph, object)
        nodes = self._nodes_of(steps, object)
        return References(f"{title} ({self.root_of_path(nodes)})", self.name, nodes)

    default_path_count = 1
    """Number of paths listed by default."""

    def paths(self, node: int) -> Iterator[Sequence[int]]:
        """Yields all shortest paths from roots to the object of a node, the one in the index first."""
        object = self.object_of(self._tree.vertex(node))
        if object != NO_OBJECT and self.graph.has("paths") and self.graph.reached_by(object) != NOT_REACHED:
            for steps in all_shortest_paths(self.graph, object):
                yield self._nodes_of(steps, object)

    def root_of_path(self, path: Sequence[int]) -> str:
        """Returns the roots of the first object."""
        return self.objects.roots_text(path[0])

    def _nodes_of(self, steps: Sequence[int], object: int) -> list[int]:
        """Returns the nodes of a path from its sites; the object alone if there are none."""
        graph = self.graph
        nodes, place = [graph.owner(steps[0]) if steps else object], 0
        while place < len(steps):
            below, place = self._child_on_path(nodes[-1], steps, place)
            nodes.append(below)
        return nodes

    def _child_on_path(self, node: int, steps: Sequence[int], place: int) -> tuple[int, int]:
        """Returns the next node on a path of references, and the number of references that it covers.

        The internals of a collection, which contain its entries, are skipped. An object that contents don't show is
        shown at the top instead.
        """
        graph = self.graph
        vertex = self._tree.vertex(node)
        found = self.contents(vertex)
        if found is not None:
            self._keep(vertex, found)
            targets = {graph.target(step): behind for behind, step in enumerate(steps[place:], place + 1)}
            entry = _first_entry_with(found[0], targets)
            if entry is not None:
                child = self._tree.child(node, entry[0])
                is_pair = slots.kind_of(self._tree.vertex(child)) == slots.PAIRS
                return self._tree.child(child, 1) if is_pair else child, entry[1]
            return graph.target(steps[place]), place + 1
        return self._tree.child(node, self.objects.place_below(vertex, steps[place])), place + 1


def size_words(contents: Contents) -> str:
    """Returns the number of entries as text."""
    return counted(contents.size, "entry" if contents.kind == "map" else "element") if contents.size else "empty"


def _first_entry_with(contents: Contents, targets: Mapping[int, int]) -> tuple[int, int] | None:
    """Returns the first entry whose value is one of some objects, and the number found for that object."""
    for start, values in pieces(contents.values, MOST_LOOKED_THROUGH):
        if not targets.keys().isdisjoint(values):
            place = next(place for place, value in enumerate(values) if value in targets)
            return start + place, targets[values[place]]
    return None


def _named(kind: str, name: str) -> tuple[Span, ...]:
    """Returns the span of a label that names a member."""
    if kind == "entry":
        return (Span(0, len(name), "text"),)
    return (Span(0, len(name), "index" if kind == "element" else "name"),)
