"""Parser of one row of an object tree: the plain twin of the row classifier in `kernel`.

A body has a head, which ends at its first ` toString=`, and an end. The ending of the head (` id=N`, ` id-ref=N`,
neither) determines the kind of row. The text of an object is between head and tag and is never parsed, as it may
contain anything: blanks, quotes, text that looks like ids, tags or branches, NUL and escape characters. A body without
` toString=` is recognised by its end alone.

    root com.example.Config.DEFAULTS:java.util.Map value:
    [2] java.util.HashMap$Node id=2 toString=HashMap.Node@16077407 fields:
    next:java.util.HashMap$Node value=null

Source: `ObjectTreePrinter`, GraalVM 20.2 to 25. A root's source of several lines is of 24.0 and 24.1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from parsers.formats.graalvm.calls.index.row import BCIS, id_before

FORMS = (
    ("root", "value"),
    ("root", None),
    ("root", "suppressed"),
    ("root", "open"),
    ("object", "fields"),
    ("object", "no_fields"),
    ("object", "elements"),
    ("object", "no_elements"),
    ("object", "unknown"),
    ("reference", None),
    ("value", "suppressed"),
    ("field", "value"),
    ("field", "null"),
    ("field", "suppressed"),
    ("null", None),
    ("object", "fields"),
    ("object", "no_fields"),
    ("object", "elements"),
    ("object", "no_elements"),
    ("object", "unknown"),
    ("reference", None),
    ("value", "suppressed"),
    ("unknown", None),
)
"""By number: kind of row and tag. The second seven from `object` to `value` are elements: rows with an index.

An `open` root has a source of several lines, and `value:` is at the end of the last.
"""

KINDS = tuple(kind for kind, _ in FORMS)
TAGS = tuple(tag for _, tag in FORMS)

ROOT_VALUE, ROOT_REFERENCE, ROOT_SUPPRESSED, ROOT_OPEN = range(4)
OBJECT_FIELDS, OBJECT_NO_FIELDS, OBJECT_ELEMENTS, OBJECT_NO_ELEMENTS, OBJECT_UNKNOWN = range(4, 9)
REFERENCE, VALUE = 9, 10
FIELD_VALUE, FIELD_NULL, FIELD_SUPPRESSED = 11, 12, 13
NULL = 14
ELEMENT = 11
"""Added to the number of an object, reference or value that has an index."""
ELEMENT_REFERENCE, ELEMENT_VALUE = REFERENCE + ELEMENT, VALUE + ELEMENT
UNKNOWN = 22

ROOT = b"root "
TEXT = b" toString="
VALUE_END, NULL_END, SUPPRESSED_END = b" value:", b" value=null", b" (expansion suppressed)"
OBJECT_ENDS = (b" fields:", b" (no fields)", b" elements (excluding null):", b" (no elements)")
"""Endings by tag, from `OBJECT_FIELDS` on."""
NULL_BODY = b" null"
POSITION = b"at "
"""Start of a source that is a position in code, perhaps of several lines."""

_INDEX = re.compile(rb"\[[0-9]+\]( |$)")


class ObjectRow(NamedTuple):
    """Parsed body. Positions are bytes of the body, half open."""

    kind: int
    """Number in `FORMS`."""
    start: int
    end: int
    """The label: type with index, field, or first line of a root's source; for an unknown row the text up to its id."""
    name: bytes
    """The type of an object, reference or value, without index; empty if the row has none."""
    id: int | None = None
    """Id that is declared or referred to."""
    is_ref: bool = False
    """True if the id is written as `id-ref`."""
    text: tuple[int, int] | None = None
    """Text after `toString=`, without tag."""
    continues: bool = False
    """True if following lines that begin with `at ` may belong to the row, which has no ending yet."""

    @property
    def has_vertex(self) -> bool:
        """True if the row shows or refers to an object, or shows a suppressed value of a known type."""
        return self.id is not None or bool(self.name)


def parse_object_row(body: bytes, is_cut: bool = False) -> ObjectRow:
    """Parses the body of a row; continuation lines of a root's source may be joined to it, with their line ends.

    is_cut: the body is the end of a file without line end. There `id=1` may be the start of `id=17`, so an id of an
    unknown row is accepted only if a blank follows.
    """
    if body.startswith(ROOT + POSITION):
        return _position(body, is_cut)
    return _one_line(body) or _unknown(body, is_cut)


def _one_line(body: bytes) -> ObjectRow | None:
    """Parses a row of a single line; None if it fits no form."""
    at = body.find(TEXT)
    if at >= 0:
        return _with_text(body, at)
    if body == NULL_BODY:
        return ObjectRow(NULL, len(body), len(body), b"")
    if body.endswith(VALUE_END):
        end = len(body) - len(VALUE_END)
        if body.startswith(ROOT) and end > len(ROOT):
            return ObjectRow(ROOT_VALUE, len(ROOT), end, b"")
        return ObjectRow(FIELD_VALUE, 0, end, b"") if b":" in body[:end] else None
    if body.endswith(NULL_END):
        end = len(body) - len(NULL_END)
        return ObjectRow(FIELD_NULL, 0, end, b"") if b":" in body[:end] else None
    return None


def _with_text(body: bytes, head: int) -> ObjectRow | None:
    """Parses a row with ` toString=` at `head`."""
    text = head + len(TEXT)
    number = id_before(body, head)
    if number is None:
        end = len(body) - len(SUPPRESSED_END)
        return _suppressed(body, head, (text, end)) if text <= end and body.endswith(SUPPRESSED_END) else None
    id, is_ref, end = number
    if is_ref and body.startswith(ROOT) and end > len(ROOT):
        return ObjectRow(ROOT_REFERENCE, len(ROOT), end, b"", id, True, (text, len(body)))
    if end == 0:
        return None
    index = _index(body, end)
    name, element = body[index:end], ELEMENT if index else 0
    if is_ref:
        return ObjectRow(REFERENCE + element, 0, end, name, id, True, (text, len(body)))
    for tag, ending in enumerate(OBJECT_ENDS, OBJECT_FIELDS):
        stop = len(body) - len(ending)
        if text <= stop and body.endswith(ending):
            return ObjectRow(tag + element, 0, end, name, id, False, (text, stop))
    return ObjectRow(OBJECT_UNKNOWN + element, 0, end, name, id, False, (text, len(body)))


def _suppressed(body: bytes, head: int, text: tuple[int, int]) -> ObjectRow | None:
    """Parses a row whose expansion the printer suppressed; its head ends at `head`."""
    if body.startswith(ROOT) and head > len(ROOT):
        return ObjectRow(ROOT_SUPPRESSED, len(ROOT), head, b"", text=text)
    if head == 0:
        return None
    index = _INDEX.match(body, 0, head)
    if index:
        return ObjectRow(ELEMENT_VALUE, 0, head, body[index.end() : head], text=text)
    if b":" in body[:head]:
        return ObjectRow(FIELD_SUPPRESSED, 0, head, b"", text=text)
    return ObjectRow(VALUE, 0, head, body[:head], text=text)


def _index(body: bytes, end: int) -> int:
    """Returns the length of `[i] ` at the start of a head with text after it; 0 if none."""
    index = _INDEX.match(body, 0, end)
    return index.end() if index and index.end() < end else 0


def _position(body: bytes, is_cut: bool) -> ObjectRow:
    """Parses a root whose source is a position in code: the first of its lines with an ending decides."""
    start = 0
    label_end: int | None = None
    while start <= len(body):
        stop = body.find(b"\n", start)
        stop = len(body) if stop < 0 else stop
        line_end = stop - 1 if stop < len(body) and body.endswith(b"\r", start, stop) else stop
        # Lines after the first have no `root ` prefix, but are parsed as if they had one.
        row = _one_line(ROOT + body[start + (len(ROOT) if not start else 0) : line_end])
        if label_end is None:
            label_end = line_end
        if row is not None and row.kind <= ROOT_SUPPRESSED:
            shift = start - len(ROOT) if start else 0
            text = (row.text[0] + shift, row.text[1] + shift) if row.text else None
            kind = ROOT_OPEN if start and row.kind == ROOT_VALUE else row.kind
            return ObjectRow(kind, len(ROOT), label_end if start else row.end, b"", row.id, row.is_ref, text)
        start = stop + 1
    return _unknown(body, is_cut)._replace(continues=True)


def _unknown(body: bytes, is_cut: bool) -> ObjectRow:
    """Builds a row that fits no form. An id at the end of its first line is used, unless it is in a text."""
    end = body.find(b"\n")
    end = len(body) if end < 0 else end - body.endswith(b"\r", 0, end)
    if body.find(TEXT, 0, end) >= 0:
        return ObjectRow(UNKNOWN, 0, end, b"")
    stop = end - body.endswith(b" ", 0, end)
    is_ended = not is_cut or stop < end or end < len(body)
    at = body.rfind(b" @bci=", 0, stop)
    if at >= 0 and BCIS.fullmatch(body, at + 6, stop):
        stop, is_ended = at, True
    number = id_before(body, stop) if is_ended else None
    if number is None:
        return ObjectRow(UNKNOWN, 0, end, b"")
    id, is_ref, label_end = number
    return ObjectRow(UNKNOWN, 0, label_end, b"", id, is_ref)
