"""Names of methods and classes of a recording, as they are shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parsers.model.names.java_method import Method, class_name, signature_types

if TYPE_CHECKING:
    from parsers.formats.jfr.read.interning import ChunkConstants
    from parsers.formats.jfr.read.values import Key

NULL = "null"
LAMBDA = re.compile(r"(\$\$Lambda)(?:\$\d+)?(?:[./+](?:0x[0-9a-fA-F]+|\d+))?")
ADDRESS = re.compile(r"[./+]0x[0-9a-fA-F]{6,}")
"""Parts of names of hidden classes."""
NO_TYPES = ")L;"
"""End of the descriptor that async-profiler gives native functions."""


def class_label(values: ChunkConstants, key: Key) -> str:
    """Returns the class that a key refers to, as it is written in Java; hidden ones without their address."""
    name = values.class_name(key)
    return readable(class_name(name)) if name else f"unknown #{key.key}" if key.key else NULL


def readable(text: str) -> str:
    """Returns a name without the parts that the JVM makes up for hidden classes, which differ from run to run."""
    return ADDRESS.sub("", LAMBDA.sub(r"\1", text)) if "$$Lambda" in text or "0x" in text else text


def method_label(text: str) -> str:
    """Returns a method of the index, `class.name(descriptor)`, as it is shown."""
    if "(" not in text:
        return text.lstrip(".")
    front, bracket, descriptor = readable(text).partition("(")
    holder, _, name = front.rpartition(".")
    types = signature_types(bracket + descriptor)
    if types is None or descriptor == NO_TYPES:
        return text.removesuffix("()L;").lstrip(".")
    return Method(holder, name, *types).label
