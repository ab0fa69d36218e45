"""The parts of a method's name as profiles print it: `package.Class.method`, with optional suffixes.

Native functions are `library.so.function`: the library is class and package. Suffixes are `(types):type` if the format
has them, and a line. `model.java_name.method_spans` has its spans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.names.java_name import class_spans, library_of, method_spans, package_end, short_class

if TYPE_CHECKING:
    from parsers.model.row import Span


def short_method(method: str) -> str:
    """Returns `Class.method` without the package."""
    holder = holder_of(method)
    return method.partition("(")[0][len(holder) - len(short_class(holder)) :]


def spans_of(kind: str, label: str) -> tuple[Span, ...]:
    """Returns the spans of the label of a row: of methods and classes."""
    if kind in ("method", "frame"):
        return method_spans(label)
    return tuple(class_spans(label)) if kind == "class" else ()


def holder_of(method: str) -> str:
    """Returns the class of `class.method`."""
    return library_of(method) or method.partition("(")[0].rpartition(".")[0]


def package_of(holder: str) -> str:
    """Returns the package of a class; empty: the default package."""
    return library_of(holder) or holder[: max(package_end(holder), 0)]


def without_holder(top: str) -> str:
    """Returns a method and its line without the class."""
    holder = holder_of(top.partition(" ")[0])
    return top[len(holder) + 1 :] if holder else top
