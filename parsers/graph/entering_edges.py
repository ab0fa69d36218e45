"""Edges that enter a group from outside, and the vertices outside that dominate most of the group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.graph.graph_model import VERTEX, Node
from parsers.model.none import NONE
from parsers.model.row import Link, Section, SectionRow
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.graph.adjacency import Edges
    from parsers.graph.dominators import DominatorRows
    from parsers.graph.graph_model import GraphModel
    from parsers.model.arrays import BoolArray, I64Array
    from parsers.views.list_view import ListRow

SHOWN = 6
"""Maximum of rows of a section."""


def members_of(graph: GraphModel, node: Node) -> BoolArray:
    """Returns the vertices of a group: bool by vertex."""
    return np.asarray(graph.groups(node.by) == node.number)


def entering_edges(edges: Edges, members: BoolArray) -> tuple[I64Array, I64Array]:
    """Returns the places of edges from outside, and their sources. members: bool by vertex"""
    places = np.flatnonzero(members[edges.targets])
    sources = np.searchsorted(edges.starts, places, "right") - 1
    is_other = ~members[sources]
    return places[is_other], sources[is_other]


def group_dominators(dominator_rows: DominatorRows, members: BoolArray, most: int = SHOWN) -> list[tuple[int, int]]:
    """Returns vertices outside the group that dominate most of it, each with the number of members it dominates.

    Of nested dominators with equal numbers only the innermost counts: it dominates the fewest other vertices.
    """
    is_member = members[dominator_rows.number]
    before = np.concatenate(([0], np.cumsum(is_member)))
    counts = before[dominator_rows.end] - before[:-1]
    rows = np.flatnonzero(~is_member & (counts > 0))
    found: list[int] = []
    for row in rows[np.lexsort((rows, dominator_rows.retained[rows], -counts[rows]))].tolist():
        if len(found) == most:
            break
        if not any(row < inner < dominator_rows.end[row] and counts[inner] == counts[row] for inner in found):
            found.append(row)
    return [(int(dominator_rows.number[row]), int(counts[row])) for row in found]


def entered_sections(graph: GraphModel, node: Node) -> list[Section]:
    """Returns the side pane section of the outside sources with most edges into a group; none if there are none."""
    edges, members = graph.cache.edges, members_of(graph, node)
    places, sources = entering_edges(edges, members)
    groups = graph.groups(node.by)[sources]
    numbers, counts = np.unique(groups[groups != NONE], return_counts=True)
    order = np.lexsort((numbers, -counts))[:SHOWN]
    roots = int(members[edges.roots].sum())
    rows = []
    for number, count in zip(numbers[order].tolist(), counts[order].tolist(), strict=True):
        entry = graph.entry(Node(node.by, number))
        link = entry.links[0] if entry.links else Link("", "", "")
        rows.append(SectionRow(short(entry), "", link.ref or None, link.view or None, {"edges": count}))
    noun = graph.terms.roots.removesuffix("s") if roots == 1 else graph.terms.roots
    entries = f", {roots:,} {noun}" if roots else ""
    title = f"Entered from ({len(places):,} {graph.terms.edges}{entries})"
    return [Section(title, tuple(rows), len(numbers) - len(order))] if rows or roots else []


def dominating_sections(graph: GraphModel, node: Node) -> list[Section]:
    """Returns the side pane section of the vertices outside that dominate most of a group; none without any."""
    members, retained = members_of(graph, node), []
    for vertex, count in group_dominators(graph.cache.dominator_rows(VERTEX), members):
        entry = graph.entry(Node(VERTEX, vertex))
        retained.append(SectionRow(short(entry), entry.ref, entry.ref, graph.first_view.name, {"held": count}))
    what = graph.terms.label.lower()
    return [Section(f"Held by one {what} (of {int(members.sum()):,})", tuple(retained))] if retained else []


def short(entry: ListRow) -> str:
    """Returns the class, or class and name, of a label; the whole label where it has no such parts."""
    spans = [span for span in entry.spans if span.role in ("class", "name")]
    return entry.label[min(span.start for span in spans) : max(span.end for span in spans)] if spans else entry.label


def references_in(graph: GraphModel, node: Node) -> References:
    """Returns the rows of edges that enter a group from outside."""
    edges, members = graph.cache.edges, members_of(graph, node)
    places, _ = entering_edges(edges, members)
    rows = np.unique(np.concatenate((edges.rows[places], edges.root_rows[members[edges.roots]])))
    return References(f"what leads to {graph.entry(node).label} from others", graph.first_view.name, rows.tolist())
