"""Texts of a compilation log as Java names: methods `holder.name(types):type`, classes with dots, `int[]`.

JDK 8 writes classes with slashes and everything beyond ASCII as `\\u00e9`; newer ones write dots and raw classes, but
`\\u00fc` in names and signatures of methods. Lambdas and hidden classes keep the slash before their number or address,
as `Class.getName` has it. Nothing says for sure where a class name with blanks ends and the method begins: the classes
that a task knows do, and without them the border is put where names made by compilers have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from parsers.java_name import class_spans, package_end, type_spans
from parsers.report import Span

PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "V": "void",
    "Z": "boolean",
}
"""JVM specification, 4.3.2 and 4.3.3."""

ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
"""All that HotSpot escapes: `xmlTextStream::write`, JDK 8 to 25."""

_ENTITY = re.compile("&(?:lt|gt|quot|apos|amp);")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_BYTES = re.compile(rb"(\xed[\xa0-\xbf][\x80-\xbf])")
_HIDDEN = re.compile(r"/(?:0x[0-9a-fA-F]+|[0-9]+)$")
"""What a lambda's or hidden class's name ends with: JDK 8 a number, newer ones an address."""

_PARAMETER = re.compile(r"\[*(?:[BCDFIJSZ]|L[^;]*;)")


def value(raw: bytes) -> str:
    """An attribute's value or a text of the log: its bytes decoded, its five entities and `\\uXXXX` read."""
    text = decode(raw)
    if "&" in text:
        text = unescape(text)
    return java_escapes(text)


def decode(raw: bytes) -> str:
    """Modified UTF-8 as text: U+0000 as C0 80, characters beyond U+FFFF as surrogate pairs; never fails."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raw = raw.replace(b"\xc0\x80", b"\0")
    parts = [
        part.decode("utf-8", "surrogatepass" if index % 2 else "replace")
        for index, part in enumerate(_LONE_BYTES.split(raw))
    ]
    return joined("".join(parts))


def joined(text: str) -> str:
    """The text with its surrogate pairs as the characters they stand for; lone ones stay."""
    return _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def unescape(text: str) -> str:
    """The text with its five entities read."""
    return _ENTITY.sub(lambda entity: ENTITIES[entity[0]], text)


def java_escapes(text: str) -> str:
    """The text with `\\uXXXX` read, where it stands for a character that HotSpot doesn't print as it is.

    Source: `UTF8::as_quoted_ascii`; characters from blank to `~` are printed raw, so such an escape is a real name.
    """
    if "\\u" not in text:
        return text

    def character(escape: re.Match[str]) -> str:
        code = int(escape[1], 16)
        return escape[0] if 0x20 <= code < 0x7F else chr(code)

    return joined(_ESCAPE.sub(character, text))


def class_name(text: str) -> str:
    """A class as Java writes it, from any spelling: `java/util/Map`, `[Ljava.lang.String;`, `[[I`."""
    if text.startswith("["):
        return type_name(text)
    if "/" not in text:
        return text
    hidden = _HIDDEN.search(text)
    end = hidden.start() if hidden else len(text)
    return text[:end].replace("/", ".") + text[end:]


def type_name(descriptor: str) -> str:
    """A field descriptor as Java writes the type; of any other text the text with dots."""
    element = descriptor.lstrip("[")
    if not element:
        return descriptor
    if element in PRIMITIVES:
        name = PRIMITIVES[element]
    elif element.startswith("L") and element.endswith(";"):
        name = class_name(element[1:-1])
    else:
        return class_name(descriptor) if not descriptor.startswith("[") else descriptor
    return name + "[]" * (len(descriptor) - len(element))


def signature_types(signature: str) -> tuple[tuple[str, ...], str] | None:
    """Parameters and result of a method descriptor; None if it is none."""
    if not signature.startswith("("):
        return None
    at, parameters = 1, []
    while not signature.startswith(")", at):
        found = _PARAMETER.match(signature, at)
        if found is None:
            return None
        parameters.append(type_name(found[0]))
        at = found.end()
    result = signature[at + 1 :]
    if result != "V":
        found = _PARAMETER.fullmatch(result)
        if found is None:
            return None
    return tuple(parameters), type_name(result)


@dataclass(frozen=True)
class Method:
    """A method by its parts; `parameters` is None where its types are not known."""

    holder: str
    name: str
    parameters: tuple[str, ...] | None = None
    result: str = ""

    @cached_property
    def label(self) -> str:
        """`holder.name(types):type`."""
        front = f"{self.holder}.{self.name}" if self.holder else self.name
        return front if self.parameters is None else f"{front}({', '.join(self.parameters)}):{self.result}"

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """What the pieces of the label are."""
        spans = class_spans(self.holder)
        at = len(self.holder) + 1 if self.holder else 0
        spans.append(Span(at, at + len(self.name), "name"))
        at += len(self.name) + 1
        for parameter in self.parameters or ():
            spans += type_spans(parameter, at, "argument")
            at += len(parameter) + 2
        if self.parameters is not None:
            at = len(self.label) - len(self.result)
            spans += type_spans(self.result, at, "result")
        return tuple(spans)

    @cached_property
    def short(self) -> str:
        """`Class.name`, without package and types."""
        holder = self.holder[package_end(self.holder) + 1 :]
        return f"{holder}.{self.name}" if holder else self.name


def method_of(text: str, knows: Callable[[str], bool] | None = None) -> Method:
    """The method of a text `class name signature`, whose entities and escapes are read.

    knows  whether a text is the name of a class, as the log spells it; asked only where blanks leave a doubt
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
    """Whether blanks leave a doubt where the class ends in a text `class name signature`."""
    space = text.rfind(" (")
    return text.count(" ", 0, space if space >= 0 else len(text)) > 1


def _parted(text: str, knows: Callable[[str], bool] | None) -> tuple[str, str]:
    """Class and name of `class name`, where either may hold blanks."""
    words = text.split(" ")
    if len(words) <= 2:
        return (text, "") if len(words) == 1 else (words[0], words[1])
    if knows is not None:
        for end in range(len(words) - 1, 0, -1):
            holder = " ".join(words[:end])
            if knows(holder):
                return holder, " ".join(words[end:])
    # A class inside a function that Kotlin or Groovy has named with blanks has a `$` behind them.
    end = max((index for index, word in enumerate(words[:-1], 1) if "$" in word), default=1)
    return " ".join(words[:end]), " ".join(words[end:])
