"""Texts of old profiles: each unique one is stored once, as bytes, and decoded as a Java name when it is shown."""

from __future__ import annotations

from functools import lru_cache

from parsers.model.names.java_method import Method, class_name, decode, signature_types, type_name

UNKNOWN_CALLER = b"<unknown caller>"
UNKNOWN_CALLEE = b"<unknown callee>"
UNKNOWN = (UNKNOWN_CALLER, UNKNOWN_CALLEE, b"?.?")
"""Names of unknown methods: `hprof_io.c`; JDK 1.0.2 has `?.?`."""

NOT_RECORDED = b"(not recorded)"
"""Shown for the callee of a row of JDK 1.0.2 that has none."""


def text_of(raw: bytes) -> str:
    """Decodes bytes: the JVM's UTF-8, else the code page of Western Windows, where most old files were written."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        text = decode(raw)
        return raw.decode("windows-1252", "replace") if "\ufffd" in text else text


@lru_cache(maxsize=16384)
def method_of(raw: bytes) -> Method:
    """Returns the method of `class.name(signature)result`, with slashes or dots; without signature the text as it is.

    The class ends at the last dot before the first bracket. The name of an unknown method is a name alone.
    """
    text = text_of(raw)
    if raw in UNKNOWN or raw == NOT_RECORDED:
        return Method("", text)
    bracket = text.find("(")
    front = text if bracket < 0 else text[:bracket]
    holder, dot, name = front.rpartition(".")
    types = signature_types(text[bracket:]) if bracket >= 0 else None
    if bracket >= 0 and types is None:
        # A signature that was cut off.
        name += text[bracket:]
    holder = class_name(holder) if dot else ""
    return Method(holder, name, *types) if types is not None else Method(holder, name)


def heap_class(signature: bytes) -> str:
    """Returns a class of the heap part as Java writes it: instances are `Ljava/lang/String;`, arrays have brackets."""
    text = method_of(signature).label if b"(" in signature else signature.decode("utf-8", "replace")
    return type_name(text) if text.startswith(("[", "L")) else class_name(text)
