"""The view "Objects": from any object to all that it refers to, field by field, to any depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parsers.hprof.graph_view import GraphView
from parsers.hprof.heap_object import OBJECTS_VIEW
from parsers.hprof.object_graph import NO_OBJECT
from parsers.hprof.ways import FROM_ROOT, NOT_REACHED
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
        steps: list[int] = []
        graph, at = self.graph, object
        title = "the shortest way from a root"
        if at == NO_OBJECT or graph.way(at) == NOT_REACHED:
            return References(title, self.name, ())
        while graph.way(at) != FROM_ROOT:
            steps.append(graph.way(at))
            at = graph.owner(steps[-1])
        nodes = [at]
        for site in reversed(steps):
            sites = self.sites(graph.owner(site))
            place = site - sites[0] if site < graph.references else len(sites) - 1
            nodes.append(self._tree.child(nodes[-1], place))
        return References(title, self.name, nodes)
