"""The bytes of one task as elements, in whatever state they are.

Almost all tasks are well-formed XML of their own: expat reads them strictly, and nothing can be lost. The others (names
with control characters or unescaped quotes, torn lines, tags in the middle of tags, no end tag) are read tag by tag
here. Each repair is reported with its bytes. No text begins with a DTD: nothing is fetched, and no entity is expanded
but the five of XML.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from xml.parsers import expat

from parsers.formats.hotspot.log.read.tags import COMMENT_IN_TAG, KEPT, MORE_NAMES
from parsers.formats.hotspot.names import decode, java_escapes, unescape
from parsers.model.value import value_class

MOST_BYTES = 1 << 24
"""Maximum bytes of a task that are read; the largest seen has 478 kB."""

MOST_DEEP = 200
"""Maximum nesting of elements; 24 were seen."""

MOST_VALUE = 1 << 16
"""Maximum characters of a value; class files allow no longer names."""

CONTAINERS = frozenset(
    (
        "task",
        "phase",
        "parse",
        "late_inline",
        "loop_tree",
        "loop",
        "eliminate_lock",
        "eliminate_allocation",
        "eliminate_boxing",
        "replace_string_concat",
        "uncommon_trap",
        "deoptimized",
    )
)
"""Elements that may have children: a torn start tag of theirs stays open."""

KNOWN = frozenset((*KEPT, *MORE_NAMES))
"""Names of elements that are also found in the middle of a line, where a line was torn."""

_SUSPICIOUS = re.compile(rb"[\t\r]|\n(?![<\n]|\Z)")
"""A newline or tab in a value, which XML would silently replace by a blank."""

_START = re.compile(rb"<[A-Za-z_]")
_FILLER = b"\xff"
"""Replaces the bytes of a comment, so that offsets don't change; no UTF-8 contains it."""
_TAG = re.compile(rb"<(/?)([A-Za-z_][A-Za-z_0-9]*)(?=[ \n\xff/>]|\Z)")
_BOUND = re.compile(
    rb"(?<=\n)<[A-Za-z_/!]|<[A-Za-z_][A-Za-z_0-9]*+[ \n\xff]++[A-Za-z_][A-Za-z_0-9\xff]*+='|</[A-Za-z_][A-Za-z_0-9]*+>"
)
"""A tag that ends an unfinished one before it: at the start of a line, with an attribute, or an end tag."""
_NAME = re.compile(rb"[ \n\xff]*([A-Za-z_][A-Za-z_0-9\xff]*)=\xff*'")
_VALUE_END = re.compile(rb"'(?=[ \n\xff]+[A-Za-z_0-9\xff]+=\xff*'|[ \n\xff]*/?\xff*>)")
_TAG_END = re.compile(rb"[ \n\xff]*(/?)\xff*>")
_OPENS_OR_ENDS = re.compile(rb"<(/?)([A-Za-z_][A-Za-z_0-9]*)(?=[ >])[^>]*(?<!/)>")
_SPLIT_MARK = b"]]]]><![CDATA[>"
"""A `]]>` as written in a fragment: `CDATA` sections can't contain one."""

_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that names of Java may contain and XML can't."""


@value_class
class Repair:
    """One repair of a slice, and its position."""

    start: int
    end: int
    what: str


@dataclass(slots=True)
class _Tag:
    """A tag as written in the slice; an end tag has no attributes."""

    start: int
    end: int
    name: bytes
    is_end: bool
    is_empty: bool
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class TaskElement:
    """An element of a task; values as in the file besides the entities of XML."""

    tag: str
    attributes: dict[str, str]
    """In the order of the file."""
    parent: int
    """Number of the element around it; 0 for the task, too."""

    def get(self, name: str) -> str | None:
        """The value of an attribute, or None."""
        return self.attributes.get(name)


class TaskSlice:
    """The elements of a task, in document order; the first one is the task. Offsets count from its first byte."""

    def __init__(self, raw: bytes, elements: Sequence[TaskElement], starts: Sequence[int]) -> None:
        self.raw = raw
        self.elements = elements
        self.starts = starts
        self.repairs: list[Repair] = []

    def get(self, element: int, name: str) -> str:
        """Returns an attribute of an element as text, its escapes decoded; empty if it has none of that name."""
        value = self.elements[element].get(name)
        return "" if value is None else java_escapes(value)

    def has(self, element: int, name: str) -> bool:
        """True if an element has an attribute."""
        return self.elements[element].get(name) is not None

    def attributes(self, element: int) -> list[tuple[str, str]]:
        """Returns names and values of an element, in file order."""
        return [(name, java_escapes(value)) for name, value in self.elements[element].attributes.items()]

    def inside(self, element: int) -> Iterator[TaskElement]:
        """Returns the elements directly inside an element."""
        for number in range(element + 1, len(self.elements)):
            inner = self.elements[number]
            if inner.parent < element:
                return
            if inner.parent == element:
                yield inner

    def element_at(self, offset: int) -> int:
        """Returns the last element that begins at or before an offset."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def end(self, element: int) -> int:
        """Returns the offset after an element's end tag."""
        if not element or self.repairs:
            return self._ends[element] if element else len(self.raw)
        name = self.elements[element].tag.encode()
        depth = 0
        # In well-formed text only the tags of the same name matter.
        for tag in re.finditer(rb"<(/?)%s(?=[ />])[^>]*?(/?)>" % name, self.raw[self.starts[element] :]):
            depth += -1 if tag[1] else 0 if tag[2] else 1
            if depth <= 0:
                return self.starts[element] + tag.end()
        return len(self.raw)

    @cached_property
    def _ends(self) -> Sequence[int]:
        """Returns the end of each element."""
        ends = [len(self.raw)] * len(self.starts)
        numbers = {start: number for number, start in enumerate(self.starts)}
        open_ones: list[tuple[bytes, int]] = []
        for tag in tags(self.raw, []):
            if tag.is_end:
                depth = next((at for at in range(len(open_ones), 0, -1) if open_ones[at - 1][0] == tag.name), 0)
                for _, number in open_ones[depth:]:
                    ends[number] = tag.start
                if depth:
                    ends[open_ones[depth - 1][1]] = tag.end
                    del open_ones[depth - 1 :]
                continue
            number = numbers.get(tag.start, -1)
            if number >= 0:
                ends[number] = tag.end
                if not tag.is_empty:
                    open_ones.append((tag.name, number))
                    ends[number] = len(self.raw)
        return ends


def read_task(raw: bytes) -> TaskSlice:
    """Returns the elements of a task's bytes; never fails. If they exceed `MOST_BYTES`, only the first ones."""

    is_long = len(raw) > MOST_BYTES
    if is_long:
        raw = raw[:MOST_BYTES]
    # Line ends of Windows; a blank replaces each CR, so offsets don't change.
    raw = _without_fragment_end(raw.replace(b"\r\n", b" \n"))
    found = _strictly(raw, raw)
    if found is None and not raw.endswith(b"</task>"):
        whole = raw[: raw.rfind(b">") + 1]
        found = _strictly(raw, whole + _missing_ends(whole))
        if found is not None and raw[len(whole) :].strip(b" \n"):
            found.repairs.append(Repair(len(whole), len(raw), "the last element is cut off"))
    if found is None:
        found = _mended(raw)
    if is_long:
        found.repairs.append(Repair(MOST_BYTES, MOST_BYTES, f"only the first {MOST_BYTES:,} bytes were read"))
    return found


def _without_fragment_end(raw: bytes) -> bytes:
    """Removes the end of a fragment, and blanks, after the bytes."""
    end = raw.rfind(b"]]>", len(raw) - 64 if len(raw) > 64 else 0)
    return (raw[:end] if end >= 0 and raw[end + 3 :].strip() in (b"", b"</fragment>") else raw).rstrip(b" \n")


def _strictly(raw: bytes, text: bytes) -> TaskSlice | None:
    """Returns the elements of a text, which may have more end tags than the bytes; None if it is not well-formed."""
    if _SUSPICIOUS.search(raw) is not None or not raw.startswith(b"<task"):
        return None
    parser = expat.ParserCreate()
    elements: list[TaskElement] = []
    starts: list[int] = []
    open_ones: list[int] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if len(open_ones) == MOST_DEEP:
            raise expat.ExpatError("too deep")
        starts.append(parser.CurrentByteIndex)
        elements.append(TaskElement(tag, attributes, open_ones[-1] if open_ones else 0))
        open_ones.append(len(elements) - 1)

    def end(_tag: str) -> None:
        open_ones.pop()

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        return None
    # Tags in comments and in CDATA sections are no elements for XML.
    return TaskSlice(raw, elements, starts) if len(_START.findall(text)) == len(elements) else None


def _missing_ends(raw: bytes) -> bytes:
    """Returns the end tags of the elements that are still open at the end of the bytes."""
    open_ones: list[bytes] = []
    for found in _OPENS_OR_ENDS.finditer(raw):
        if not found[1]:
            open_ones.append(found[2])
        elif open_ones and open_ones[-1] == found[2]:
            open_ones.pop()
        if len(open_ones) > MOST_DEEP:
            break
    return b"".join(b"</%s>" % name for name in reversed(open_ones))


def _mended(raw: bytes) -> TaskSlice:
    """Returns the elements of bytes that are no well-formed XML."""
    repairs: list[Repair] = []
    elements: list[TaskElement] = []
    starts: list[int] = []
    open_ones: list[tuple[str, int]] = []

    def begin(start: int, name: str, attributes: dict[str, str]) -> None:
        starts.append(start)
        elements.append(TaskElement(name, attributes, open_ones[-1][1] if open_ones else 0))

    for tag in tags(raw, repairs):
        name = tag.name.decode()
        if tag.is_end:
            if not any(name == each for each, _ in open_ones):
                repairs.append(Repair(tag.start, tag.end, f"an end of {name} that nothing began"))
                continue
            while open_ones[-1][0] != name:
                repairs.append(Repair(tag.start, tag.start, f"{open_ones.pop()[0]} is not closed"))
            if len(open_ones) > 1:
                open_ones.pop()
            continue
        if not elements and name != "task":
            repairs.append(Repair(tag.start, tag.end, "the task does not begin with its tag"))
            begin(tag.start, "task", {})
            open_ones.append(("task", 0))
        is_empty = tag.is_empty
        if not is_empty and len(open_ones) >= MOST_DEEP:
            repairs.append(Repair(tag.start, tag.end, f"deeper than {MOST_DEEP} elements: shown flat"))
            is_empty = True
        begin(tag.start, name, tag.attributes)
        if not is_empty or len(elements) == 1:
            open_ones.append((name, len(elements) - 1))
    if not elements:
        repairs.append(Repair(0, len(raw), "no element could be read"))
        begin(0, "task", {})
    found = TaskSlice(raw, elements, starts)
    found.repairs = repairs
    return found


def tags(raw: bytes, repairs: list[Repair]) -> Iterator[_Tag]:
    """Returns the tags of some bytes, by the rules for damaged logs; appends repairs to `repairs`."""
    if b"<!--" in raw:
        raw = COMMENT_IN_TAG.sub(_filled, raw)
    position = 0
    while True:
        found = _next_tag(raw, position)
        between = raw[position : found.start() if found is not None else len(raw)]
        if between.strip(b" \n\xff"):
            repairs.append(Repair(position, position + len(between), "text between elements, not read"))
        if found is None:
            return
        tag = _read_tag(raw, found, repairs)
        yield tag
        position = tag.end


def _filled(comment: re.Match[bytes]) -> bytes:
    """Returns filler of a comment's length; keeps its line end if a tag begins after it."""
    text = comment[0]
    is_before_tag = comment.string[comment.end() : comment.end() + 1] == b"<"
    bare = text.rstrip(b" \n") if is_before_tag else text
    return _FILLER * len(bare) + text[len(bare) :]


def _next_tag(raw: bytes, position: int) -> re.Match[bytes] | None:
    """Returns the next tag: of any name at the start of a line, of a known name anywhere."""
    found = _TAG.search(raw, position)
    while found is not None:
        start = found.start()
        if not start or raw[start - 1] == 10 or start == position or found[2].decode() in KNOWN:
            return found
        found = _TAG.search(raw, found.end())
    return None


def _read_tag(raw: bytes, found: re.Match[bytes], repairs: list[Repair]) -> _Tag:
    """Reads a tag with its attributes; a value's quote is followed by the next attribute or the end of the tag."""
    name, start, at = found[2], found.start(), found.end()
    tag = _Tag(start, at, name, bool(found[1]), False)
    following = _BOUND.search(raw, at + 1)
    limit = following.start() if following is not None else len(raw)
    while True:
        end = _TAG_END.match(raw, at, limit)
        if end is not None:
            tag.end, tag.is_empty = end.end(), bool(end[1])
            return tag
        key = _NAME.match(raw, at, limit)
        close = _VALUE_END.search(raw, key.end(), limit) if key is not None else None
        if key is None or close is None:
            return _torn(raw, tag, key, limit, repairs)
        value = _text(raw[key.end() : close.start()], key.end(), repairs)
        attribute = key[1].replace(_FILLER, b"").decode()
        if attribute in tag.attributes:
            repairs.append(Repair(key.start(), close.end(), f"{attribute} is twice in {name.decode()}"))
        else:
            tag.attributes[attribute] = value
        at = close.end()


def _torn(raw: bytes, tag: _Tag, key: re.Match[bytes] | None, limit: int, repairs: list[Repair]) -> _Tag:
    """Reads a tag that does not end: the rest of its last value counts; it ends with its line at the latest."""
    line_end = raw.find(b"\n", key.end() if key is not None else tag.end, limit)
    tag.end = line_end if line_end >= 0 else limit
    if key is not None:
        value = raw[key.end() : tag.end].partition(b"'")[0]
        tag.attributes.setdefault(key[1].replace(_FILLER, b"").decode(), _text(value, key.end(), []))
    tag.is_empty = tag.name.decode() not in CONTAINERS
    what = "cut off" if limit == len(raw) and tag.end == limit else "torn"
    repairs.append(Repair(tag.start, tag.end, f"{tag.name.decode()} is {what}"))
    return tag


def _text(raw: bytes, start: int, repairs: list[Repair]) -> str:
    """Decodes a value; reports what is odd about it."""
    raw = raw.replace(_FILLER, b"")
    if _SPLIT_MARK in raw:
        raw = raw.replace(_SPLIT_MARK, b"]]>")
    text = decode(raw)
    if "'" in text or "<" in text or (("&" in text) and _has_bare_ampersand(text)):
        repairs.append(Repair(start, start + len(raw), "a name that is not escaped"))
    elif _FORBIDDEN.search(text) or "\ufffd" in text:
        repairs.append(Repair(start, start + len(raw), "characters that XML does not allow"))
    if len(text) > MOST_VALUE:
        repairs.append(Repair(start, start + len(raw), f"a value of {len(text):,} characters, cut"))
        text = text[:MOST_VALUE]
    return unescape(text)


def _has_bare_ampersand(text: str) -> bool:
    return re.search("&(?!(?:lt|gt|amp|quot|apos);)", text) is not None
