"""The parts of a method's name as profiles print it: `package.Class.method`, perhaps with more behind it.

That is `(types):type` where the format knows them, and a line.
"""

from __future__ import annotations

import re

from parsers.model.java_name import class_spans, package_end, short_class, type_spans
from parsers.model.report import Span

METHOD_TYPES = re.compile(r"\((?P<types>[^()]*)\):(?P<result>[^ ]*)")
"""Behind the name of a method, see `parsers.model.java_method.Method`."""


def short_method(method: str) -> str:
    """`Class.method` without the package."""
    holder = holder_of(method)
    return method.partition("(")[0][len(holder) - len(short_class(holder)) :]


def holder_of(method: str) -> str:
    """The class of `class.method`."""
    return method.partition("(")[0].rpartition(".")[0]


def package_of(holder: str) -> str:
    """The package of a class; empty: the default one."""
    return holder[: max(package_end(holder), 0)]


def without_holder(top: str) -> str:
    """A method and its line without the class."""
    holder = holder_of(top.partition(" ")[0])
    return top[len(holder) + 1 :] if holder else top


def method_spans(method: str, start: int = 0) -> tuple[Span, ...]:
    """The parts of `class.method`, perhaps with more behind it; start: where it begins in a label."""
    name_end = next((place for place, letter in enumerate(method) if letter in " :("), len(method))
    dot = method.rfind(".", 0, name_end)
    found: tuple[Span, ...] = (Span(dot + 1, name_end, "name"),)
    if dot >= 0:
        found = (*class_spans(method[:dot]), *found)
    types = METHOD_TYPES.match(method, name_end)
    if types is not None:
        at = name_end + 1
        for type in types["types"].split(", ") if types["types"] else ():
            found = (*found, *type_spans(type, at, "argument"))
            at += len(type) + 2
        found = (*found, *type_spans(types["result"], types.start("result"), "result"))
    return tuple(Span(span.start + start, span.end + start, span.role) for span in found) if start else found
