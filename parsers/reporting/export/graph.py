"""Graphs for other programs: DOT, GraphML, and the tables of nodes and edges that graph databases import.

DOT follows the grammar of Graphviz (in quoted strings `\\"` and `\\\\` are escapes). GraphML follows its primer, with
one key per attribute. Names are in the places where programs look: `label` (Gephi, Cytoscape), `y:NodeLabel` (yEd),
and in the elements themselves `labels` of nodes, `label` of edges (`apoc.import.graphml` of Neo4j). Tables have the
headers of Neo4j's `neo4j-admin database import` (`:ID`, `:LABEL`, `:START_ID`, `:END_ID`, `:TYPE`), quoted by
RFC 4180, lines end in LF.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from parsers.reporting.export.table import as_text


class Vertex(NamedTuple):
    """A vertex of the graph."""

    id: str
    """Letters and digits; the same in every format."""
    label: str
    """Kind of vertex: `Method`."""
    name: str
    attributes: tuple[str, ...] = ()
    """Texts, in the order of the graph's attribute names."""
    is_root: bool = False
    """True if it is an entry point."""


class Arc(NamedTuple):
    """All edges of one kind from one vertex to another."""

    source: str
    target: str
    type: str
    """In capital letters: `DIRECT`."""
    edges: int


class GraphExport(NamedTuple):
    """A graph to be exported. Its iterators can be consumed once."""

    attributes: tuple[str, ...]
    """Names of the attributes of vertices."""
    vertices: Iterable[Vertex]
    arcs: Iterable[Arc]


YFILES = "http://www.yworks.com/xml/graphml"
"""XML namespace of yEd's graphics."""

_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 can't contain in any form."""
_SPECIAL = re.compile('[",\r\n]')


def dot(graph: GraphExport) -> Iterator[str]:
    """Writes Graphviz: roots have a double frame, edges that are only possible are dashed."""
    yield "digraph {\n  rankdir=LR;\n  node [shape=box];\n"
    for vertex in graph.vertices:
        frame = ", peripheries=2" if vertex.is_root else ""
        yield f"  {vertex.id} [label={_quoted(vertex.name)}{frame}];\n"
    for arc in graph.arcs:
        style = ", style=dashed" if arc.type == "VIRTUAL" else ""
        yield f"  {arc.source} -> {arc.target} [weight={arc.edges}{style}];\n"
    yield "}\n"


def graphml(graph: GraphExport) -> Iterator[str]:
    """Writes GraphML with all attributes."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="{YFILES}">\n'
    for name in ("label", "kind", *graph.attributes):
        yield f'  <key id={quoteattr(name)} for="node" attr.name={quoteattr(name)} attr.type="string"/>\n'
    yield '  <key id="root" for="node" attr.name="root" attr.type="boolean"><default>false</default></key>\n'
    yield '  <key id="drawn" for="node" yfiles.type="nodegraphics"/>\n'
    yield '  <key id="type" for="edge" attr.name="type" attr.type="string"/>\n'
    yield '  <key id="count" for="edge" attr.name="count" attr.type="int"/>\n'
    yield '  <graph edgedefault="directed">\n'
    for vertex in graph.vertices:
        label = _xml(vertex.name)
        values = zip(("label", "kind", *graph.attributes), (vertex.name, vertex.label, *vertex.attributes), strict=True)
        data = "".join(f"<data key={quoteattr(name)}>{_xml(value)}</data>" for name, value in values)
        root = '<data key="root">true</data>' if vertex.is_root else ""
        graphics = f'<data key="drawn"><y:ShapeNode><y:NodeLabel>{label}</y:NodeLabel></y:ShapeNode></data>'
        yield f'    <node id="{vertex.id}" labels=":{vertex.label}">{data}{root}{graphics}</node>\n'
    for arc in graph.arcs:
        data = f'<data key="type">{arc.type}</data><data key="count">{arc.edges}</data>'
        yield f'    <edge source="{arc.source}" target="{arc.target}" label="{arc.type}">{data}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def nodes(graph: GraphExport) -> Iterator[str]:
    """Writes the table of nodes."""
    yield _line(["id:ID", "name", *graph.attributes, "root:boolean", ":LABEL"])
    for vertex in graph.vertices:
        root = "true" if vertex.is_root else "false"
        yield _line([vertex.id, vertex.name, *vertex.attributes, root, vertex.label])


def edges(graph: GraphExport) -> Iterator[str]:
    """Writes the table of edges."""
    yield _line([":START_ID", ":END_ID", "count:int", ":TYPE"])
    for arc in graph.arcs:
        yield f"{arc.source},{arc.target},{arc.edges},{arc.type}\n"


def safe_for_sheets(graph: GraphExport) -> GraphExport:
    """Returns the graph with names and attributes that no spreadsheet runs as formulas."""
    vertices = (
        vertex._replace(name=as_text(vertex.name), attributes=tuple(map(as_text, vertex.attributes)))
        for vertex in graph.vertices
    )
    return graph._replace(vertices=vertices)


TABLES = ("nodes", "edges")
"""Formats that spreadsheets read."""

FORMS: Mapping[str, Callable[[GraphExport], Iterator[str]]] = {
    "dot": dot,
    "graphml": graphml,
    "nodes": nodes,
    "edges": edges,
}
"""Writers by name of the format."""


def _line(values: Sequence[str]) -> str:
    """Returns one record."""
    return ",".join(map(_field, values)) + "\n"


def _field(text: str) -> str:
    """Returns a field of a table; quoted if it has special characters or any kind of line end."""
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def _quoted(text: str) -> str:
    """Returns a string of DOT. Line ends become blanks; a NUL is replaced, as Graphviz would end there."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ").replace("\0", "\ufffd")
    return f'"{plain}"'


def _xml(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text), {"\r": "&#13;"})
