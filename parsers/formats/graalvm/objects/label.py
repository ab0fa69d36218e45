"""Text of a row of an object tree: the label with its spans, and the texts beside it."""

from __future__ import annotations

import re

from parsers.formats.graalvm.objects.index.row import (
    FIELD_NULL,
    FIELD_SUPPRESSED,
    FIELD_VALUE,
    KINDS,
    OBJECT_UNKNOWN,
    ROOT_OPEN,
    TAGS,
    UNKNOWN,
)
from parsers.model.names.java_name import class_spans, short_class, type_spans
from parsers.model.row import Badge, Span
from parsers.model.value import value_class

POSITION = "at "
_LENGTH = re.compile(r"[^{}\"]*?\[([0-9]+)\]\{", re.ASCII)


@value_class
class ObjectText:
    """A parsed and decoded row."""

    form: int
    """Number in `FORMS`."""
    label: str
    """Type with index, field, or first line of a root's source; for an unknown row the text up to its id, or all."""
    type: str = ""
    """Type of an object, reference or value without index; empty if the row has none."""
    id: int | None = None
    is_ref: bool = False
    text: str | None = None
    """Text after `toString=`, without tag."""
    source: str = ""
    """All lines of a root's source, separated by LF."""
    is_long: bool = False
    """True if the line is longer than the most that is read of a line."""
    is_damaged: bool = False
    """True if the file no longer has a row at this place."""

    @property
    def size(self) -> int:
        """Characters of all texts."""
        return len(self.label) + len(self.type) + len(self.text or "") + len(self.source)

    @property
    def kind(self) -> str:
        """Word for the kind of the row."""
        return KINDS[self.form]

    @property
    def tag(self) -> str | None:
        """Tag at the end of the row."""
        return TAGS[self.form]

    @property
    def is_root(self) -> bool:
        """True for a root."""
        return self.form <= ROOT_OPEN

    @property
    def is_field(self) -> bool:
        """True for a field of an object."""
        return self.form in (FIELD_VALUE, FIELD_NULL, FIELD_SUPPRESSED)

    @property
    def is_unknown(self) -> bool:
        """True if the row, or the tag of its object, fits no known form."""
        return self.form == UNKNOWN or TAGS[self.form] == TAGS[OBJECT_UNKNOWN]

    @property
    def index(self) -> str:
        """`[i]` of an element, else empty."""
        return self.label[: self.label.find("]") + 1] if self._has_index else ""

    @property
    def _has_index(self) -> bool:
        return self.label.startswith("[") and self.label != self.type and not self.is_field and not self.is_root

    @property
    def field(self) -> tuple[str, str]:
        """Name and declared type of a field."""
        name, _, type = self.label.rpartition(":")
        return name, type

    @property
    def array_length(self) -> int | None:
        """Length of an array, from its text; it may have fewer rows."""
        found = _LENGTH.match(self.text or "") if self.type.endswith("[]") else None
        return int(found[1]) if found and len(found[1]) <= 10 else None

    @property
    def short(self) -> str:
        """The label without packages."""
        if self.is_root:
            return short_source(self.label)
        if self.is_field:
            name, type = self.field
            return f"{name}:{short_class(type)}"
        index = f"{self.index} " if self.index and self.type else self.index
        return index + short_class(self.type) if self.type else self.label

    @property
    def badges(self) -> dict[str, Badge]:
        """Id or reference, text and tag."""
        badges: dict[str, Badge] = {}
        if self.id is not None:
            badges["id_ref" if self.is_ref else "id"] = self.id
        if self.text is not None:
            badges["text"] = self.text
        if self.tag is not None:
            badges["tag"] = self.tag
        return badges

    @property
    def spans(self) -> tuple[Span, ...]:
        """Spans of the label; empty for an unknown row."""
        if self.is_root:
            return source_spans(self.label)
        if self.is_field:
            name, type = self.field
            return (Span(0, len(name), "name"), *type_spans(type, len(name) + 1, "result"))
        index = self.index
        spans = [Span(0, len(index), "index")] if index else []
        return (*spans, *class_spans(self.type, len(self.label) - len(self.type)))


@value_class
class SourceParts:
    """Spans of the parts of a root's source: `[loader:]holder.name:type` or `[loader:]holder.name(types)…`."""

    loader: tuple[int, int]
    holder: tuple[int, int]
    name: tuple[int, int]
    arguments: tuple[int, int]
    """Between the parentheses of a method; empty for a field."""
    type: tuple[int, int]
    """Type of a field; empty for a method."""


def source_parts(source: str) -> SourceParts:
    """Parses a root's source. A position (`at C.m(F.java:12) …`) begins after its first word."""
    start = len(POSITION) if source.startswith(POSITION) else 0
    parenthesis, colon, size = source.find("("), source.find(":"), len(source)
    if parenthesis >= 0:
        begin = colon + 1 if not start and 0 < colon < parenthesis else start
        close = source.find(")", parenthesis)
        end, arguments, type = parenthesis, (parenthesis + 1, close if close >= 0 else size), (size, size)
    else:
        last = source.rfind(":")
        end = last if last >= 0 else size
        begin = colon + 1 if 0 < colon < last else 0
        arguments, type = (size, size), (min(end + 1, size), size)
    dot = source.rfind(".", begin, end)
    loader = (0, begin - 1) if begin > start else (0, 0)
    return SourceParts(loader, (begin, max(dot, begin)), (dot + 1 if dot >= 0 else begin, end), arguments, type)


def source_spans(source: str) -> tuple[Span, ...]:
    """Returns the spans of a root's source."""
    parts = source_parts(source)
    spans = [Span(*parts.loader, "loader")] if parts.loader[1] else []
    spans += class_spans(source[slice(*parts.holder)], parts.holder[0])
    spans.append(Span(*parts.name, "name"))
    if parts.arguments[0] < parts.arguments[1]:
        spans.append(Span(*parts.arguments, "argument"))
    return (*spans, *type_spans(source[slice(*parts.type)], parts.type[0], "result"))


def short_source(source: str) -> str:
    """`Class.name` of a root's source."""
    parts = source_parts(source)
    holder = short_class(source[slice(*parts.holder)])
    name = source[slice(*parts.name)]
    return f"{holder}.{name}" if holder else name
