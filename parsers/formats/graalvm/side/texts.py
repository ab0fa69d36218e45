"""Side reports that are free text with indented lines: traces of reached elements, the target, native libraries.

Sources: `ReachabilityTracePrinter` of oracle/graal 23.1 to 25, which writes a path backwards with the branches of the
trees; `target_info` and `native_library_info` of real builds with 23.0.
"""

from __future__ import annotations

import re

from parsers.formats.graalvm.side.layout import LineCells, TableLayout
from parsers.model.names.java_name import class_spans
from parsers.model.row import Column, Span

VALUE = Column("value", "Value", "text", (("value", ""),), width=44, priority=3, shows_text=True)

_BRANCHES = re.compile(r"(?:(?:[│?]| ) {3})*(?:[├└]── |\?{3} )?")
_BRANCH_BYTES = re.compile(rb"(?:(?:\xe2\x94\x82|\?| ) {3})*(?:\xe2\x94[\x9c\x94]\xe2\x94\x80\xe2\x94\x80 |\?{3} )?")
"""Four characters for each level; `?` replaces boxes that the charset doesn't have."""

_NAME = re.compile(r"(?<![^\s():,])[^\s():,]+\.[^\s():,@]+")
"""A class, or a class and its method, anywhere in a line, at the start of a word."""

_SETTING_INDENT = 3
"""Blanks for each level in texts about the target."""


def trace_depth(line: bytes) -> int:
    """Returns the number of steps from a line to the reached element."""
    found = _BRANCH_BYTES.match(line)
    return len(found[0].decode("utf-8", "replace")) // 4 if found else 0


def trace_row(text: str) -> LineCells:
    """Parses a reached element, or a step of the path to it; its name is the first class in it."""
    branches = _BRANCHES.match(text)
    start = branches.end() if branches else 0
    label = text[start:].rstrip()
    kind = "step" if start else "trace"
    found = _NAME.search(label)
    if found is None:
        return LineCells(kind, label)
    name = found[0]
    return LineCells(kind, label, name[: name.rfind(".")] if label.startswith("(", found.end()) else name)


def trace_spans(cells: LineCells) -> tuple[Span, ...]:
    """Returns the spans of the first class, or class and method, that a line names."""
    found = _NAME.search(cells.label)
    if found is None:
        return ()
    spans = tuple(class_spans(cells.name, found.start()))
    start = found.start() + len(cells.name) + 1
    return spans if start > found.end() else (*spans, Span(start, found.end(), "name"))


def setting_depth(line: bytes) -> int:
    """Depth by the leading blanks."""
    return (len(line) - len(line.lstrip(b" "))) // _SETTING_INDENT


def setting_row(text: str) -> LineCells:
    """Parses a setting and its value."""
    name, colon, value = text.strip().partition(":")
    if not colon:
        return LineCells("line", name)
    value = value.strip()
    return LineCells("value", name, name, {"value": value}) if value else LineCells("group", name, name)


LAYOUTS = (
    TableLayout("graalvm-trace", "Trace", "class", trace_row, trace_spans, depth=trace_depth),
    *(
        TableLayout(format, view, "value", setting_row, lambda cells: (), columns=(VALUE,), depth=setting_depth)
        for format, view in (
            ("graalvm-target-info", "Target"),
            ("graalvm-native-library-info", "Native libraries"),
        )
    ),
)
