"""The parts of a method's name as profiles print it: `package.Class.method`, with optional suffixes.

Suffixes are `(types):type` if the format has them, and a line. `model.java_name.method_spans` has its spans.
"""

from __future__ import annotations

from parsers.model.java_name import package_end, short_class


def short_method(method: str) -> str:
    """Returns `Class.method` without the package."""
    holder = holder_of(method)
    return method.partition("(")[0][len(holder) - len(short_class(holder)) :]


def holder_of(method: str) -> str:
    """Returns the class of `class.method`."""
    return method.partition("(")[0].rpartition(".")[0]


def package_of(holder: str) -> str:
    """Returns the package of a class; empty: the default package."""
    return holder[: max(package_end(holder), 0)]


def without_holder(top: str) -> str:
    """Returns a method and its line without the class."""
    holder = holder_of(top.partition(" ")[0])
    return top[len(holder) + 1 :] if holder else top
