"""Grammar of the constructs that begin with a `<` in a recording, regardless of context; shared by all readers.

Damage is local: bytes that can't be matched are skipped up to the next `<`, so that all complete elements are found and
none with half of its attributes. A strict parser finds the same in well-formed bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

MOST = 64 << 10
"""Maximum bytes of a tag, a comment or a document type declaration: longer ones are skipped."""
WHITE = b" \t\r\n"

_NAME = rb"[A-Za-z_:\x80-\xff][\w.:\x80-\xff-]*+"
_QUOTED = rb"""(?:"[^"\0]*+"|'[^'\0]*+')"""
_CONSTRUCT = re.compile(
    rb"<(?:"
    rb"(?P<name>%(name)s)(?P<attributes>(?>[ \t\r\n]++%(name)s[ \t\r\n]*+=[ \t\r\n]*+%(quoted)s)*+)[ \t\r\n]*+"
    rb"(?P<empty>/?)>"
    rb"|/(?P<closes>%(name)s)[ \t\r\n]*+>"
    rb"|(?P<instruction>\?(?s:.*?)\?>)"
    rb"|!(?:--(?s:.*?)-->|\[CDATA\[(?s:.*?)\]\]>)"
    rb"|(?P<type>!DOCTYPE(?>%(quoted)s|[^\[\"'<>\0])*+"
    rb"(?:\[(?><!--(?s:.*?)-->|%(quoted)s|(?!<!--)[^\]\"'\0])*+\][ \t\r\n]*+)?>))"
    % {b"name": _NAME, b"quoted": _QUOTED}
)
_START = re.compile(
    rb"<(?=[/!?]|%(name)s(?:[ \t\r\n]*+/?>|[ \t\r\n]++%(name)s[ \t\r\n]*+=[ \t\r\n]*+[\"']))" % {b"name": _NAME}
)
"""What may begin a construct, by its first bytes."""
_ATTRIBUTE = re.compile(r"""([^ \t\r\n=]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')""")
_LINE_END = re.compile(r"\r\n?|[\t\n]")
_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENCODING = re.compile(rb"""\?xml[ \t\r\n][^>]*?encoding[ \t\r\n]*=[ \t\r\n]*["']([\w.:-]{1,40})["']""")
_IS_PROLOGUE = re.compile(rb"\?xml[ \t\r\n]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

Buffer = bytes | memoryview
_ENDS = {b"<!--": re.compile(b"-->"), b"<![CDATA[": re.compile(rb"\]\]>"), b"<?": re.compile(rb"\?>")}
MOST_UNMATCHED = 1000
"""Maximum document type declarations that can't be matched: after them none is searched for."""
ELEMENT, OPEN_ELEMENT, CLOSE, PROLOGUE, DOCUMENT_TYPE, OTHER = range(6)
"""Kinds of constructs. OTHER: comments, instructions, character data."""


class Construct(NamedTuple):
    """A matched construct."""

    kind: int
    start: int
    """Position in the bytes that are read."""
    end: int
    name: bytes = b""
    """Name of an element or end tag; for a prologue the encoding that it declares."""
    attributes: bytes = b""
    """Attributes as written."""


def construct_at(data: Buffer, start: int, end: int) -> Construct | None:
    """Returns the construct at the `<` at `start`; None if it can't be matched before `end`, or is longer than MOST."""
    found = _CONSTRUCT.match(data, start, min(end, start + MOST))
    if found is None:
        return None
    kind = found.lastgroup
    if kind == "empty":
        kind_of_element = ELEMENT if found["empty"] else OPEN_ELEMENT
        return Construct(kind_of_element, start, found.end(), found["name"], found["attributes"])
    if kind == "closes":
        return Construct(CLOSE, start, found.end(), found["closes"])
    if kind == "type":
        return Construct(DOCUMENT_TYPE, start, found.end())
    if kind == "instruction" and _IS_PROLOGUE.match(found["instruction"]):
        encoding = _ENCODING.match(found["instruction"])
        return Construct(PROLOGUE, start, found.end(), encoding[1] if encoding is not None else b"")
    return Construct(OTHER, start, found.end())


class Constructs:
    """Finder of constructs in bytes that are read forwards. A failed search is not repeated."""

    def __init__(self) -> None:
        self._none_before: dict[bytes, int] = {}
        """By the beginning of a comment, an instruction, character data: offset before which no end of one begins."""
        self.unmatched = 0
        """Number of `<!` that begin nothing."""

    def at(self, data: Buffer, start: int, base: int) -> Construct | None:
        """Returns the construct at the `<` at `start`, as `construct_at`. base: the offset of the bytes"""
        if data[start + 1 : start + 2] not in (b"!", b"?"):
            return construct_at(data, start, len(data))
        for begin, end in _ENDS.items():
            if data[start : start + len(begin)] == begin:
                return construct_at(data, start, len(data)) if self._has_end(data, start, base, begin, end) else None
        if self.unmatched >= MOST_UNMATCHED:
            return None
        found = construct_at(data, start, len(data))
        self.unmatched += found is None
        return found

    def _has_end(self, data: Buffer, start: int, base: int, begin: bytes, end: re.Pattern[bytes]) -> bool:
        stop = min(len(data), start + MOST)
        first = max(start + len(begin), self._none_before.get(begin, 0) - base)
        if end.search(data, first, stop) is not None:
            return True
        # The first bytes of an end may be the last ones of these bytes.
        self._none_before[begin] = base + stop - 2
        return False


def next_start(data: Buffer, at: int, stop: int) -> int:
    """Returns where the next construct may begin before `stop`; `stop` if none does."""
    found = _START.search(data, at)
    return found.start() if found is not None and found.start() < stop else stop


def local(name: str) -> str:
    """Returns a name without its prefix."""
    return name.rpartition(":")[2]


def written_attributes(text: str) -> list[tuple[str, str]]:
    """Names and values as written, of the attributes of a construct."""
    return [(name, double or single) for name, double, single in _ATTRIBUTE.findall(text)]


def attributes_of(text: str) -> list[tuple[str, str]]:
    """Names without prefixes and values as a parser gives them, of the attributes of a construct."""
    return parsed_attributes(written_attributes(text))


def parsed_attributes(written: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same of attributes as written."""
    return [
        (local(name), resolved(value)) for name, value in written if name != "xmlns" and not name.startswith("xmlns:")
    ]


def resolved(value: str) -> str:
    """Returns a value with line ends as blanks and references replaced; invalid references stay."""
    if "\n" in value or "\t" in value or "\r" in value:
        value = _LINE_END.sub(" ", value)
    return _REFERENCE.sub(_referred, value) if "&" in value else value


def _referred(found: re.Match[str]) -> str:
    if found[3] is not None:
        return _ENTITIES[found[3]]
    code = int(found[1]) if found[1] is not None else int(found[2], 16)
    is_character = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return chr(code) if is_character else found[0]


def is_well_formed(text: str, written: Collection[tuple[str, str]]) -> bool:
    """Whether attributes, as written, are such as a strict parser takes."""
    if "<" in text or _CONTROLS.search(text) is not None or len(dict(written)) < len(written):
        return False
    return "&" not in text or all(_referred_well(text, place) for place in _places(text, "&"))


def _referred_well(text: str, place: int) -> bool:
    found = _REFERENCE.match(text, place)
    return found is not None and _referred(found) != found[0]


def _places(text: str, what: str) -> Iterator[int]:
    place = text.find(what)
    while place >= 0:
        yield place
        place = text.find(what, place + 1)
