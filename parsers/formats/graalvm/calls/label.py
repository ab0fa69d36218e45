"""Text of a row of a call tree: the label with its spans, and the texts beside it.

Methods are `[loader:]holder.name(types):type`; names are never shortened here; spans mark their parts.
"""

from __future__ import annotations

from parsers.formats.graalvm.calls.index.row import UNKNOWN, method_parts
from parsers.model.names.java_name import class_spans, short_class, type_spans
from parsers.model.row import Badge, Span
from parsers.model.value import value_class


@value_class
class CallText:
    """A parsed and decoded row."""

    kind: int
    """Number in `KINDS`."""
    label: str
    """The method with its loader; for an unknown row the text before its id, else all of it."""
    method: str
    """The label without loader."""
    id: int | None = None
    is_ref: bool = False
    bci: str | None = None
    reason: str | None = None
    """Parsing reason of an entry; several lines are separated by LF."""
    is_long: bool = False
    """True if the line is longer than the part shown."""
    is_damaged: bool = False
    """True if the file no longer has a row at this place."""

    @property
    def size(self) -> int:
        """Characters of all texts."""
        return len(self.label) + len(self.method) + len(self.bci or "") + len(self.reason or "")

    @property
    def loader(self) -> str | None:
        """The class loader as printed, without its colon."""
        return self.label[: -len(self.method) - 1] if len(self.label) > len(self.method) else None

    @property
    def badges(self) -> dict[str, Badge]:
        """Id or reference, and bytecode index."""
        badges: dict[str, Badge] = {}
        if self.id is not None:
            badges["id_ref" if self.is_ref else "id"] = self.id
        if self.bci is not None:
            badges["bci"] = self.bci
        return badges

    @property
    def spans(self) -> tuple[Span, ...]:
        """Spans of the label; empty for an unknown row."""
        return () if self.kind == UNKNOWN else method_spans(self.label, len(self.label) - len(self.method))


def method_spans(label: str, start: int = 0) -> tuple[Span, ...]:
    """Returns the spans of a method; `start` is its offset after a loader and its colon."""
    method = label[start:]
    parts = method_parts(method)
    spans = [Span(0, start - 1, "loader")] if start else []
    spans += class_spans(method[slice(*parts.holder)], start)
    spans.append(Span(start + parts.name[0], start + parts.name[1], "name"))
    at = start + parts.parameters[0]
    for parameter in label[at : start + parts.parameters[1]].split(", "):
        spans += type_spans(parameter, at, "argument")
        at += len(parameter) + 2
    spans += type_spans(method[slice(*parts.result)], start + parts.result[0], "result")
    return tuple(spans)


def short_method(method: str) -> str:
    """`Class.name` of a method without loader."""
    parts = method_parts(method)
    holder = short_class(method[slice(*parts.holder)])
    name = method[slice(*parts.name)]
    return f"{holder}.{name}" if holder else name
