"""Kinds of rows in the views of an object tree: words, marks and columns."""

from __future__ import annotations

from parsers.model.row import Column, Kind

KIND_MARKS = {
    kind.name: kind
    for kind in (
        Kind("root", "●", "*", "root: a static field or a constant in code that holds an object"),
        Kind("object", "○", "o", "object: declared here, with all it reaches first below it"),
        Kind("reference", "→", ">", "reference: an object that is declared elsewhere"),
        Kind("field", "•", "-", "field: its value below it, or null"),
        Kind("value", "◌", "=", "value: an object that the report does not expand"),
        Kind("null", "∅", "0", "null: an element that the analysis did not record"),
        Kind("unknown", "?", "?", "unknown: a row that fits no known form"),
        Kind("type", "▪", "#", "type: all objects of a class"),
        Kind("group", "≡", "=", "group: one of several lists"),
        Kind("pattern", "≈", "%", "pattern: all its matches"),
    )
}

ID = Column("id", "id", "count", (("id", "#"), ("id_ref", "↩")), width=8, priority=3, heading="#id ↩ref")
ROWS_BELOW = Column("rows_below", "rows below", "count", width=10, priority=4)
OBJECTS = Column("objects", "objects", "count", (("objects", ""),), width=8, priority=5, adds_up=True)
ROOTS = Column("roots", "roots", "count", (("roots", ""),), width=7, priority=4)
"""Number of different roots that reach objects of a type first."""
REFERENCES = Column("references", "references", "count", (("references", ""),), width=10, priority=1, adds_up=True)
WEIGHT = Column("weight", "rows below", "count", (("weight", ""),), width=10, priority=2)
"""Descendants of the declarations of objects, each counted once: rows first reached through them."""
VIA = Column("via", "through", "text", (("via", ""),), width=18, priority=4)
