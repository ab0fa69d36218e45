"""Pieces of Java names as text: package, class and the rest, whoever printed them. Nothing is ever shortened here."""

from __future__ import annotations

import re

from parsers.model.patterns import PatternSet
from parsers.model.report import Span

JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
"""How methods of JDK packages begin."""

PRIMITIVES = ("boolean", "byte", "char", "double", "float", "int", "long", "short")

JDK_METHODS = PatternSet(tuple(f"{package}*" for package in JDK))
"""Meets what `is_jdk` says yes to."""

JDK_TYPES = PatternSet((*JDK_METHODS.patterns, *PRIMITIVES, *(f"{name}[*" for name in PRIMITIVES)))
"""Meets types of JDK packages, and arrays of primitive values."""

SYNTHETIC_TEXTS = ("$$Lambda", ".lambda$", "LambdaForm$")
"""What lambdas are told by."""

SYNTHETIC_HINTS = ("$Proxy", ".access$", "Generated")
"""One of these is in every other name that compiler and JVM make up."""

SYNTHETIC = re.compile(
    "|".join(map(re.escape, SYNTHETIC_TEXTS))
    + r"|\$Proxy\d|\.access\$\d|Generated(?:Constructor|Method|Serialization\w*)Accessor"
)
"""Lambdas and what compiler and JVM make up, in the part of a method before its types."""

LAMBDA = "$$Lambda"
"""From here on the rest of a class name is made up by the JVM, and its dots part no packages."""


def class_spans(holder: str, start: int = 0) -> list[Span]:
    """Package (without the dot behind it) and class of a class name that stands at `start`."""
    dot = package_end(holder)
    end = start + len(holder)
    if dot < 0:
        return [Span(start, end, "class")] if holder else []
    return [Span(start, start + dot, "package"), Span(start + dot + 1, end, "class")]


def package_end(holder: str) -> int:
    """Where the dot between package and class stands; -1: in the default package."""
    made_up = holder.find(LAMBDA)
    return holder.rfind(".", 0, made_up if made_up >= 0 else len(holder))


def type_spans(text: str, start: int, role: str) -> list[Span]:
    """A type's package and the rest of it."""
    if not text:
        return []
    dot = package_end(text)
    spans = [Span(start, start + dot, f"{role} package")] if dot >= 0 else []
    spans.append(Span(start + dot + 1, start + len(text), role))
    return spans


def short_class(holder: str) -> str:
    """A class name without its package."""
    return holder[package_end(holder) + 1 :]


def is_jdk(name: str) -> bool:
    """Whether a method is one of the JDK's packages."""
    return name.startswith(JDK)


def is_synthetic(name: str) -> bool:
    """Whether a method, or its class, was made up by compiler or JVM."""
    end = name.find("(")
    return SYNTHETIC.search(name, 0, end if end >= 0 else len(name)) is not None
