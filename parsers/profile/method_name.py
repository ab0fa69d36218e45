"""The parts of a method's name as profiles print it: `package.Class.method`, with optional suffixes.

Native functions are `library.so.function`: the library is class and package. Suffixes are `(types):type` if the format
has them, and a line.
"""

from __future__ import annotations

import re

from parsers.model.java_name import class_spans, package_end, short_class, type_spans
from parsers.model.report import Span

METHOD_TYPES = re.compile(r"\((?P<types>[^()]*)\):(?P<result>[^ ]*)")
"""Suffix of a method's name, see `parsers.model.java_method.Method`."""

LIBRARY = re.compile(r"[^() ]+?\.so(?:\.\d+)*(?=\.|$)")


def library_of(name: str) -> str:
    """Returns the library of a native function or holder; empty: it is Java's."""
    found = LIBRARY.match(name) if ".so" in name else None
    return "" if found is None else found[0]


def short_method(method: str) -> str:
    """Returns `Class.method` without the package."""
    holder = holder_of(method)
    return method.partition("(")[0][len(holder) - len(short_class(holder)) :]


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


def method_spans(method: str, start: int = 0) -> tuple[Span, ...]:
    """Returns spans for the parts of `class.method` and its suffixes; start: offset of the name in a label."""
    name_end = next((place for place, letter in enumerate(method) if letter in " :("), len(method))
    library = library_of(method)
    dot = len(library) if library else method.rfind(".", 0, name_end)
    found: tuple[Span, ...] = (Span(dot + 1, name_end, "name"),)
    if dot >= 0 and not library:
        found = (*class_spans(method[:dot]), *found)
    types = METHOD_TYPES.match(method, name_end)
    if types is not None:
        at = name_end + 1
        for type in types["types"].split(", ") if types["types"] else ():
            found = (*found, *type_spans(type, at, "argument"))
            at += len(type) + 2
        found = (*found, *type_spans(types["result"], types.start("result"), "result"))
    return tuple(Span(span.start + start, span.end + start, span.role) for span in found) if start else found
