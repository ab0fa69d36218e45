"""Kinds of rows in the views of a call tree: words, marks and columns."""

from __future__ import annotations

from parsers.model.row import Column, Kind

KIND_MARKS = {
    kind.name: kind
    for kind in (
        Kind("entry", "●", "*", "entry: a root of the analysis, reached from outside"),
        Kind("direct call", "→", ">", "direct call: one method, known when compiling"),
        Kind("virtual call", "⇢", "~", "virtual call: any of the methods below it may be meant"),
        Kind("interface call", "⇢", "~", "interface call: any of the methods below it may be meant"),
        Kind("overridden by", "=", "=", "overridden by: a method that the virtual call above may mean"),
        Kind("implemented by", "=", "=", "implemented by: a method that the interface call above may mean"),
        Kind("unknown", "?", "?", "unknown: a row that fits no known form"),
        Kind("unreached", "◌", "-", "unreached: a method that no entry leads to"),
        Kind("package", "▪", "#", "package"),
        Kind("class", "○", "o", "class"),
        Kind("method", "•", "-", "method"),
        Kind("group", "≡", "=", "group: one of several lists"),
        Kind("pattern", "≈", "%", "pattern: all its matches"),
    )
}

OF_TABLES = Kind("continued", "↧", "-", "continued: a method that lies too deep to be shown below its caller")
"""Kind of rows that only call trees as CSV have."""

BCI = Column("bci", "at", "text", (("bci", "@"),), width=6, priority=3, heading="@bci")
ID = Column("id", "id", "count", (("id", "#"), ("id_ref", "↩")), width=8, priority=2, heading="#id ↩ref")
ROWS_BELOW = Column("rows_below", "rows below", "count", width=10, priority=4)
CALL_SITES = Column("call_sites", "call sites", "count", (("call_sites", ""),), width=10, priority=4, adds_up=True)
REASON = Column("reason", "reason", "text", (("reason", ""),), width=32, priority=0)
METHODS = Column("methods", "methods", "count", (("methods", ""),), width=9, priority=2, adds_up=True)
WEIGHT = Column("weight", "reached first", "count", (("weight", ""),), width=13, priority=5)
"""Descendants of the declarations of a method, class or package, each counted once: first reached through it."""
