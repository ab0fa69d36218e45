"""Names of a profile as text: modified UTF-8, with dots where the agent of JDK 1.2 to 1.4 prints slashes."""

from __future__ import annotations

from functools import lru_cache

from parsers.model.names.java_method import Method, class_name, signature_types
from parsers.model.names.java_method import decode as decode
from parsers.model.names.java_name import class_spans
from parsers.model.row import Span


@lru_cache(maxsize=8192)
def method_label(raw: bytes) -> str:
    """Returns `class.method` with dots; with a signature after a blank, its types are included: `a.B.m(int):void`."""
    text = decode(raw)
    front, _, signature = text.partition(" (")
    types = signature_types(f"({signature}") if signature else None
    if types is not None:
        holder, _, name = front.rpartition(".")
        return Method(class_name(holder), name, *types).label
    holder, dot, name = text.rpartition(".")
    return f"{holder.replace('/', '.')}{dot}{name}" if "/" in holder else text


@lru_cache(maxsize=8192)
def frame_label(raw: bytes) -> str:
    """Returns a line of a stack with dots."""
    text = decode(raw)
    method, bracket, place = text.partition("(")
    return method_label(method.encode("utf-8", "surrogatepass")) + bracket + place if "/" in method else text


def method_spans(label: str, start: int = 0, end: int | None = None) -> tuple[Span, ...]:
    """Returns the spans of package, class and name of a method at label[start:end]."""
    text = label[start:end]
    dot = text.rfind(".")
    if dot <= 0:
        return ()
    return (*class_spans(text[:dot], start), Span(start + dot + 1, start + len(text), "name"))
