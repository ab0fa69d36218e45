"""Rows, sections and problems as JSON, under the names that scripts depend on.

Everything outside ASCII is escaped, so that no text of a report acts on a terminal, and lone surrogates survive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.model.late.lazy_sequence import LazySequence

if TYPE_CHECKING:
    from parsers.model.report import Problem
    from parsers.model.row import Link, Row, Section
    from parsers.model.view import View


def _plain(value: object) -> object:
    """Converts what JSON has no type for."""
    return [*value] if isinstance(value, LazySequence) else str(value)


Fields = dict[str, object]
"""A JSON object."""

encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, default=_plain).encode


def node_fields(view: View, node: int) -> Fields:
    """The row of a node."""
    row = view.tree.row(node)
    offset = None if row.offset is None else view.offset_in_file(row.offset)
    return row_fields(row, offset, len(view.tree.children(node)) if row.has_children else 0)


def row_fields(row: Row, offset: int | None, children: int) -> Fields:
    """The fields of a row at an offset of its file with so many children."""
    return {
        "ref": row.ref,
        "line": row.line,
        "offset": offset,
        "depth": row.depth,
        "kind": row.kind,
        "label": row.label,
        "badges": dict(row.badges),
        "flags": list(row.flags),
        "children": children,
        "rows_below": None if row.is_growing else row.rows_below,
        "link": row.link,
    }


def path_fields(view: View, nodes: Sequence[int]) -> list[Fields]:
    """The rows of a path."""
    return [node_fields(view, node) for node in nodes]


def section_fields(section: Section) -> Fields:
    """One section of a row's details."""
    rows = [
        {"label": row.label, "text": row.text, "ref": row.ref, "view": row.view, "badges": dict(row.badges)}
        for row in section.rows
    ]
    return {"title": section.title, "rows": rows, "more": section.more}


def link_fields(link: Link) -> Fields:
    """One link of a row."""
    return {"label": link.label, "ref": link.ref, "view": link.view}


def problem_fields(problem: Problem) -> Fields:
    """One problem of the file."""
    return {
        "kind": problem.kind,
        "file": problem.file,
        "offset": problem.offset,
        "line": problem.line,
        "what": problem.what,
        "done": problem.done,
    }
