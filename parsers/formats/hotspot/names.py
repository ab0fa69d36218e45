"""Texts of a compilation log as Java names: methods `holder.name(types):type`, classes with dots, `int[]`.

JDK 8 writes classes with slashes and everything beyond ASCII as `\\u00e9`. Newer ones write dots and raw classes, but
`\\u00fc` in names and signatures of methods. Lambdas and hidden classes keep the slash before their number or address,
as `Class.getName` has it. If a class name contains blanks, its end is ambiguous. The known classes of a task decide;
without them the split follows the patterns of names made by compilers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from parsers.model.names.java_method import PRIMITIVES as PRIMITIVES
from parsers.model.names.java_method import Method as Method
from parsers.model.names.java_method import class_name as class_name
from parsers.model.names.java_method import decode as decode
from parsers.model.names.java_method import joined as joined
from parsers.model.names.java_method import signature_types as signature_types
from parsers.model.names.java_method import type_name as type_name

ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
"""The entities that HotSpot writes: `xmlTextStream::write`, JDK 8 to 25."""

_ENTITY = re.compile("&(?:lt|gt|quot|apos|amp);")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def value(raw: bytes) -> str:
    """Decodes an attribute value or a text of the log, with its five entities and `\\uXXXX`."""
    text = decode(raw)
    if "&" in text:
        text = unescape(text)
    return java_escapes(text)


def unescape(text: str) -> str:
    """Decodes the five entities of a text."""
    return _ENTITY.sub(lambda entity: ENTITIES[entity[0]], text)


def java_escapes(text: str) -> str:
    """Decodes `\\uXXXX` in a text where it means a character that HotSpot doesn't print raw.

    Source: `UTF8::as_quoted_ascii`; characters from blank to `~` are printed raw, so such an escape is a real name.
    """
    if "\\u" not in text:
        return text

    def character(escape: re.Match[str]) -> str:
        code = int(escape[1], 16)
        return escape[0] if 0x20 <= code < 0x7F else chr(code)

    return joined(_ESCAPE.sub(character, text))


def method_of(text: str, knows: Callable[[str], bool] | None = None) -> Method:
    """Returns the method of a text `class name signature` whose entities and escapes are decoded.

    knows  returns True if a text is the name of a class, as the log spells it; called only if blanks make it ambiguous
    """
    return _method_of(text) if knows is None or not is_doubtful(text) else _read(text, knows)


@lru_cache(maxsize=8192)
def _method_of(text: str) -> Method:
    return _read(text, None)


def _read(text: str, knows: Callable[[str], bool] | None) -> Method:
    space = text.rfind(" (")
    while space > 0:
        types = signature_types(text[space + 1 :])
        if types is not None:
            holder, name = _parted(text[:space], knows)
            return Method(class_name(holder), name, *types)
        space = text.rfind(" (", 0, space)
    holder, name = _parted(text, knows)
    return Method(class_name(holder), name)


def is_doubtful(text: str) -> bool:
    """True if blanks make the end of the class ambiguous in a text `class name signature`."""
    space = text.rfind(" (")
    return text.count(" ", 0, space if space >= 0 else len(text)) > 1


def _parted(text: str, knows: Callable[[str], bool] | None) -> tuple[str, str]:
    """Splits `class name`, where either may contain blanks."""
    words = text.split(" ")
    if len(words) <= 2:
        return (text, "") if len(words) == 1 else (words[0], words[1])
    if knows is not None:
        for end in range(len(words) - 1, 0, -1):
            holder = " ".join(words[:end])
            if knows(holder):
                return holder, " ".join(words[end:])
    # Kotlin and Groovy name classes inside functions with blanks; such a name has a `$` after the blanks.
    end = max((index for index, word in enumerate(words[:-1], 1) if "$" in word), default=1)
    return " ".join(words[:end]), " ".join(words[end:])
