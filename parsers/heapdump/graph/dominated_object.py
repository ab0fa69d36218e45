"""Text and side pane sections of objects with known dominators: adds retained size and dominator."""

from __future__ import annotations

from dataclasses import replace

from parsers.graph.dominator_tree.semi_nca import NOT_REACHED, ROOTS
from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.heap_object import ROOTS_VIEW, HeapObjects
from parsers.heapdump.paths.reachability import FROM_ROOT
from parsers.model.row import Badge, Column, Link, Section, SectionRow

DOMINATORS_VIEW = "Dominators"
RETAINED = Column("retained", "Retained", "bytes", width=20, priority=6, bar=8)


class DominatedObjects(HeapObjects):
    """Objects of one file as text."""

    graph: DominatedGraph

    def badges(self, object: int) -> dict[str, Badge]:
        """Returns its numbers, by column."""
        badges, graph = super().badges(object), self.graph
        is_known = graph.has("dominators") and graph.dump_of(object).roots
        return {**badges, "retained": graph.retained(object)} if is_known else badges

    def links(self, object: int) -> list[Link]:
        """Adds a link to its row among dominators."""
        found = super().links(object)
        if self.graph.has("dominators") and self.graph.dominator(object) != NOT_REACHED:
            found.append(Link("what it retains", self.ref(object), DOMINATORS_VIEW))
        return found

    def _facts(self, object: int) -> Section:
        """Adds its retained size, its dominator, and whether it is a root."""
        found, graph = super()._facts(object), self.graph
        rows = list(found.rows)
        if graph.has("dominators") and graph.dominator(object) != NOT_REACHED:
            retained, above = f"{graph.retained(object):,}", graph.dominator(object)
            rows.append(SectionRow("retained", retained, self.ref(object), DOMINATORS_VIEW))
            rows.append(self.target_row("dominator", above) if above != ROOTS else SectionRow("dominator", "none"))
        if graph.has("paths") and graph.reached_by(object) == FROM_ROOT:
            rows.append(SectionRow("root", self.roots_text(object), self.ref(object), ROOTS_VIEW))
        return replace(found, rows=tuple(rows))
