"""Kinds of rows in side reports."""

from __future__ import annotations

from parsers.model.report import Kind

KINDS = (
    Kind("package", "▪", "#", "package"),
    Kind("class", "○", "o", "class"),
    Kind("method", "•", "-", "method"),
    Kind("type", "○", "o", "class that is replaced"),
    Kind("field", "▫", ".", "field"),
    Kind("feature", "◆", "f", "feature: a part of the builder"),
    Kind("group", "▾", "v", "some numbers that belong together"),
    Kind("value", "·", ".", "a number or text"),
    Kind("trace", "▸", "t", "what was reached"),
    Kind("step", "←", "<", "one step on the way backwards from it"),
    Kind("line", "·", ".", "line"),
    Kind("dependency", "→", ">", "class whose initializer is needed"),
    Kind("unknown", "?", "?", "unknown: a row that fits no known form"),
)
