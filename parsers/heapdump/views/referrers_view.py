"""The view "Referrers": from any object to its roots and to all objects that refer to it, to any depth."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.heapdump.graph.heap_object import REFERRERS_VIEW, ROOTS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT, Root
from parsers.heapdump.views.graph_view import HeapGraphView
from parsers.model.row import Link, Row, Section
from parsers.model.view import References


class HeapReferrersView(HeapGraphView):
    """Children of an object: its roots, then its referrers, each with the referring field."""

    name = REFERRERS_VIEW
    description = "Objects with their referrers"

    def sites(self, vertex: int) -> Sequence[int]:
        """Returns roots and references that lead to it."""
        return self.graph.referrers(vertex)

    def vertex_at(self, site: int) -> int:
        """Returns the owner of a reference."""
        return self.graph.owner(site)

    def step(self, node: int, site: int) -> Row:
        """Returns the row of a root, or of a referrer with its field."""
        objects, graph = self.objects, self.graph
        root = graph.root_of(site)
        if root is not None:
            return Row(
                node=node,
                kind="root",
                label=objects.root_text(root),
                depth=self._tree.depth(node),
                ref=objects.ref(root.object),
                offset=root.offset,
            )
        vertex, label = graph.owner(site), graph.label(site)
        return self.unfolded_row(node, vertex, *objects.labelled(objects.label(vertex), label), label.kind)

    def _root_in(self, node: int) -> Root | None:
        """Returns the root of a row; None for others."""
        site = self._tree.site(node)
        return None if site is None else self.graph.root_of(site)

    def referrers_of(self, object: int) -> References:
        """Returns the referrers of an object: its child rows."""
        label = self.objects.label(object)
        if not self.is_ready:
            return References(f"referrers of {label}: {self.waits_for}", self.name, ())
        return References(f"referrers of {label}", self.name, self._tree.all_children(object), True)

    def sections(self, node: int) -> Sequence[Section]:
        """Returns a root and the stack of its thread; or what is known of the object."""
        root = self._root_in(node)
        return super().sections(node) if root is None else self.objects.root_sections(root)

    def links(self, node: int) -> Sequence[Link]:
        """Returns the link from a root to its row in "Roots"; else links from the object."""
        root = self._root_in(node)
        if root is None:
            return super().links(node)
        return (Link("root", self.objects.ref(root.object), ROOTS_VIEW),) if root.object != NO_OBJECT else ()
