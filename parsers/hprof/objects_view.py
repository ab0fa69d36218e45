"""The view "Objects": from any object to all that it refers to, field by field, to any depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from parsers.hprof.graph_view import GraphView
from parsers.hprof.heap_object import OBJECTS_VIEW
from parsers.hprof.object_graph import NO_OBJECT
from parsers.hprof.shortest import shortest_ways, steps_from_root
from parsers.hprof.ways import NOT_REACHED
from parsers.report import References, Row, Span

STATICS = ("static", "constant", "element", "field")
"""Kinds of references that have marks of their own."""


class ObjectsView(GraphView):
    """Below an object its fields, elements, superclass, loader, statics and constants, in the order of the file."""

    name = OBJECTS_VIEW

    def sites(self, thing: int) -> Sequence[int]:
        """Its references."""
        return self.graph.sites(thing)

    def thing_at(self, site: int) -> int:
        """What a reference leads to."""
        return self.graph.target(site)

    def things_at(self, sites: Sequence[int]) -> Any:
        """What many lead to."""
        return self.graph.targets(sites) if isinstance(sites, range) else super().things_at(sites)

    def step(self, node: int, site: int) -> Row:
        """A reference: its name, and the object it leads to."""
        objects, graph = self.objects, self.graph
        label, thing = graph.label(site), graph.target(site)
        name = f"{label.text}: "
        spans: tuple[Span, ...] = (Span(0, len(label.text), "index" if label.kind == "element" else "name"),)
        look = label.kind if label.kind in STATICS else "class object"
        if thing == NO_OBJECT:
            return Row(
                node=node,
                kind=label.kind,
                label=f"{name}an object that the dump lacks",
                depth=self._tree.depth(node),
                flags=("dangling",),
                ref=objects.ref(graph.owner(site)),
                offset=None,
                spans=spans,
                look=look,
            )
        text = name + objects.label(thing)
        is_recursive = self._tree.is_recursive(node)
        return Row(
            node=node,
            kind=label.kind,
            label=text,
            depth=self._tree.depth(node),
            badges=objects.badges(thing),
            flags=(*objects.flags(thing), "recursive") if is_recursive else objects.flags(thing),
            ref=objects.ref(thing),
            offset=graph.offset(thing),
            has_children=self.has_sites(thing) and not is_recursive,
            link=objects.ref(thing) if is_recursive else None,
            spans=(*spans, *objects.spans(text, len(name))),
            look="reference" if is_recursive else look,
        )

    def nodes_of_trace(self, trace: int) -> Sequence[int]:
        """The objects that a trace allocated."""
        return self.graph.made_at(trace) if self.is_ready else ()

    def way_to(self, object: int) -> References:
        """The shortest way from a root to an object: the object that a root leads to first."""
        title = "the shortest way from a root"
        if not self.graph.has("ways"):
            return References(f"{title}: {self._heap.waits_for('ways')}", self.name, ())
        if object == NO_OBJECT or self.graph.way(object) == NOT_REACHED:
            return References(title, self.name, ())
        return References(title, self.name, self._nodes_of(steps_from_root(self.graph, object), object))

    usual_ways = 1
    """Ways that are told where not all are asked for."""

    def ways(self, node: int) -> Iterator[Sequence[int]]:
        """All ways from roots to the object of a node that are as short as the shortest one, which is the first."""
        object = self._tree.thing(node)
        if object != NO_OBJECT and self.graph.has("ways") and self.graph.way(object) != NOT_REACHED:
            for steps in shortest_ways(self.graph, object):
                yield self._nodes_of(steps, object)

    def _nodes_of(self, steps: Sequence[int], object: int) -> list[int]:
        """The nodes of a way by its sites; without any it is the object alone."""
        graph = self.graph
        nodes = [graph.owner(steps[0]) if steps else object]
        for site in steps:
            sites = self.sites(graph.owner(site))
            place = site - sites[0] if site < graph.references else len(sites) - 1
            nodes.append(self._tree.child(nodes[-1], place))
        return nodes
