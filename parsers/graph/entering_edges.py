"""Edges that enter a group from outside, and the vertices outside that dominate most of the group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.graph.graph_algorithms import NONE
from parsers.graph.graph_model import THING, Node
from parsers.model.report import Link, References, Section, SectionRow

if TYPE_CHECKING:
    from parsers.graph.adjacency import Edges
    from parsers.graph.dominators import Weights
    from parsers.graph.graph_model import GraphModel
    from parsers.views.list_view import Entry

SHOWN = 6
"""Maximum of rows of a section."""


def members_of(things: GraphModel, node: Node) -> Any:
    """Returns the vertices of a group: bool by vertex."""
    return np.asarray(things.groups(node.by) == node.number)


def ways_in(edges: Edges, members: Any) -> tuple[Any, Any]:
    """Returns the places of edges from outside, and their sources. members: bool by vertex"""
    places = np.flatnonzero(members[edges.targets])
    sources = np.searchsorted(edges.starts, places, "right") - 1
    is_other = ~members[sources]
    return places[is_other], sources[is_other]


def holders(weights: Weights, members: Any, most: int = SHOWN) -> list[tuple[int, int]]:
    """Returns vertices outside the group that dominate most of it, each with the number of members it dominates.

    Of nested dominators with equal numbers only the innermost counts: it dominates the fewest other vertices.
    """
    is_member = members[weights.number]
    below = np.concatenate(([0], np.cumsum(is_member)))
    counts = below[weights.end] - below[:-1]
    rows = np.flatnonzero(~is_member & (counts > 0))
    found: list[int] = []
    for row in rows[np.lexsort((rows, weights.held[rows], -counts[rows]))].tolist():
        if len(found) == most:
            break
        if not any(row < inner < weights.end[row] and counts[inner] == counts[row] for inner in found):
            found.append(row)
    return [(int(weights.number[row]), int(counts[row])) for row in found]


def let_in_sections(things: GraphModel, node: Node) -> list[Section]:
    """Returns side pane sections of a group: outside sources with most edges, and the cuts that remove most of it."""
    edges, members = things.kept.edges, members_of(things, node)
    places, sources = ways_in(edges, members)
    groups = things.groups(node.by)[sources]
    numbers, counts = np.unique(groups[groups != NONE], return_counts=True)
    order = np.lexsort((numbers, -counts))[:SHOWN]
    roots = int(members[edges.roots].sum())
    rows = [SectionRow("from outside", badges={"edges": roots})] if roots else []
    for number, count in zip(numbers[order].tolist(), counts[order].tolist(), strict=True):
        entry = things.entry(Node(node.by, number))
        link = entry.links[0] if entry.links else Link("", "", "")
        rows.append(SectionRow(short(entry), "", link.ref or None, link.view or None, {"edges": count}))
    title = f"Let in by ({len(places) + roots:,} {things.words.edges})"
    sections = [Section(title, tuple(rows), len(numbers) - len(order))] if rows else []
    held = []
    for thing, count in holders(things.kept.weights(THING), members):
        entry = things.entry(Node(THING, thing))
        held.append(SectionRow(short(entry), "", entry.ref, things.first_view.name, {"held": count}))
    if held:
        what = things.words.label.lower()
        sections.append(Section(f"Held by one {what} (of {int(members.sum()):,})", tuple(held)))
    return sections


def short(entry: Entry) -> str:
    """Returns the class, or class and name, of a label; the whole label where it has no such parts."""
    spans = [span for span in entry.spans if span.role in ("class", "name")]
    return entry.label[min(span.start for span in spans) : max(span.end for span in spans)] if spans else entry.label


def references_in(things: GraphModel, node: Node) -> References:
    """Returns the rows of edges that enter a group from outside."""
    edges, members = things.kept.edges, members_of(things, node)
    places, _ = ways_in(edges, members)
    rows = np.unique(np.concatenate((edges.rows[places], edges.root_rows[members[edges.roots]])))
    return References(f"what leads to {things.entry(node).label} from others", things.first_view.name, rows.tolist())
