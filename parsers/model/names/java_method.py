"""Java names from JVM notation: descriptors, classes with slashes, methods `holder.name(types):type`, UTF-8."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.model.names.java_name import class_spans, package_end, type_spans
from parsers.model.row import Span

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
"""Primitive types by descriptor. JVM specification, 4.3.2 and 4.3.3."""

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_BYTES = re.compile(rb"(\xed[\xa0-\xbf][\x80-\xbf])")
_HIDDEN = re.compile(r"/(?:0x[0-9a-fA-F]+|[0-9]+)$")
"""Suffix of the name of a lambda or hidden class: a number in JDK 8, an address in newer ones."""
_NOT_ONLY_SLASHES = re.compile(rf"^\[|{_HIDDEN.pattern}", re.MULTILINE)
"""In a class whose name differs from Java's in more than its slashes."""

_PARAMETER = re.compile(r"\[*(?:[BCDFIJSZ]|L[^;]*;)")


def decode(raw: bytes) -> str:
    """Decodes modified UTF-8: U+0000 as C0 80, characters beyond U+FFFF as surrogate pairs; never fails."""
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
    """Returns the text with surrogate pairs replaced by their characters; lone surrogates stay."""
    return _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def class_name(text: str) -> str:
    """Returns a class name in Java notation, from any notation: `java/util/Map`, `[Ljava.lang.String;`, `[[I`."""
    if text.startswith("["):
        return type_name(text)
    if "/" not in text:
        return text
    hidden = _HIDDEN.search(text)
    end = hidden.start() if hidden else len(text)
    return text[:end].replace("/", ".") + text[end:]


def class_names(texts: Sequence[str]) -> list[str]:
    """The same of many texts without line ends."""
    whole = "\n".join(texts)
    if not texts or _NOT_ONLY_SLASHES.search(whole):
        return [*map(class_name, texts)]
    return whole.replace("/", ".").split("\n")


def type_name(descriptor: str) -> str:
    """Returns the type of a field descriptor in Java notation; other texts with dots for slashes."""
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
    """Returns parameters and result of a method descriptor; None for other texts."""
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
    """A method by its parts; `parameters` is None if its types are unknown."""

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
        """The spans of the label."""
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
