"""Parser of one row of a call tree: the plain twin of the row classifier in `kernel`.

The end of a body is matched first (`id=N`, `@bci=…`), then the word at its start; the rest is the method. Names may
contain blanks, commas, parentheses and texts that look like ids, so only the loader is searched from the front.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeVar

Text = TypeVar("Text", bytes, str)

KINDS = (
    "entry",
    "direct call",
    "virtual call",
    "interface call",
    "overridden by",
    "implemented by",
    "unknown",
    "unreached",
    "continued",
)
"""The last two kinds exist in CSV sets only: methods unreachable from any entry, and methods deeper than the largest
depth."""
ENTRY, DIRECT, VIRTUAL, INTERFACE, OVERRIDDEN, IMPLEMENTED, UNKNOWN, UNREACHED, CONTINUED = range(9)
UNCALLED = (ENTRY, UNREACHED, CONTINUED)
"""Kinds of rows that show a method without calling it."""

WORDS = (
    b"entry ",
    b"directly calls ",
    b"virtually calls ",
    b"interfacially calls ",
    b"is overridden by ",
    b"is implemented by ",
)
"""By kind, the start of the body of a known row. `interfacially …` and `is implemented …` end with 20.0."""

REASON = b", parsing reason:"
"""Text between the id of an entry and its reason; 24.1 and newer."""

ID_DIGITS = 18
"""Longer numbers are no ids: they would not fit in 64 bits."""

BCIS = re.compile(rb"-?[0-9]+(?:->-?[0-9]+)*")
_LAMBDA = b"$$Lambda"


class CallRow(NamedTuple):
    """Parsed body. Positions are bytes of the body (characters, if it was given as text)."""

    kind: int
    """Number in `KINDS`."""
    start: int
    end: int
    """The label: the method with its loader; for an unknown row the text before its id, else the whole body."""
    name_start: int
    """Start of the method after its loader; equals `start` without one."""
    name: bytes
    """The method without loader, or the label of an unknown row."""
    id: int | None
    """Id that is declared or referred to."""
    is_ref: bool
    """True if the id is written as `id-ref`."""
    bci: tuple[int, int] | None
    """Span of the bytecode indexes. An unknown row has one only with an id."""
    reason: tuple[int, int] | None
    """Span of the parsing reason, to the end of its last line."""

    @property
    def loader(self) -> tuple[int, int] | None:
        """Span of the class loader, without its colon."""
        return (self.start, self.name_start - 1) if self.name_start > self.start else None

    @property
    def has_vertex(self) -> bool:
        """True if the row shows or refers to a method; for an unknown row only with an id."""
        return self.id is not None or self.kind != UNKNOWN

    @property
    def continues(self) -> bool:
        """True if following lines that begin with `at ` may belong to the row."""
        return self.reason is not None


class MethodParts(NamedTuple):
    """Spans of the parts of a method (without loader). Without parameter list the last three are empty."""

    holder: tuple[int, int]
    """The class; empty if there is no dot."""
    name: tuple[int, int]
    parameters: tuple[int, int]
    """Between the parentheses."""
    result: tuple[int, int]


def method_parts(method: Text) -> MethodParts:
    """Parses a method `holder.name(types):type` from its end, so that names may contain parentheses and colons."""
    left, right, closing, dot = ("(", ")", "):", ".") if isinstance(method, str) else (b"(", b")", b"):", b".")
    close = method.rfind(closing)
    size = len(method)
    opening = -1
    if close >= 0:
        # The matching parenthesis is where opened and closed ones balance, going back.
        at, open_ones = close, 1
        while open_ones and at > 0:
            before = method.rfind(left, 0, at)
            if before < 0:
                break
            open_ones += method.count(right, before, at) - 1
            at = before
        opening = at if not open_ones else -1
    name_end = opening if opening >= 0 else size
    holder_end = method.rfind(dot, 0, name_end)
    name = (holder_end + 1, name_end)
    holder = (0, max(holder_end, 0))
    if opening < 0:
        return MethodParts(holder, name, (size, size), (size, size))
    return MethodParts(holder, name, (opening + 1, close), (close + 2, size))


def package_of(holder: Text) -> Text:
    """Returns the package of a class.

    The part from `$$Lambda` is ignored; the package is the text up to the last dot. A class of the default package is
    its own package, as in the list of used packages.
    """
    mark, dot = ("$$Lambda", ".") if isinstance(holder, str) else (_LAMBDA, b".")
    end = holder.find(mark)
    if end < 0:
        end = len(holder)
    point = holder.rfind(dot, 0, end)
    return holder[: point if point >= 0 else end]


def parse_call_row(body: bytes, is_cut: bool = False) -> CallRow:
    """Parses the body of a row; continuation lines may be joined to it.

    is_cut: the body is the end of a file without line end. There `id=1` may be the start of `id=17`, so an id is
    accepted only if a blank or comma follows.
    """
    kind = _kind(body)
    if kind == ENTRY:
        entry = _entry_with_reason(body, is_cut)
        if entry is not None:
            return entry
    stop = len(body) - 1 if body.endswith(b" ") else len(body)
    is_blank_after = stop < len(body)
    at = body.rfind(b" @bci=", 0, stop)
    bci = None
    if at >= 0 and BCIS.fullmatch(body, at + 6, stop):
        bci = (at + 6, stop)
        stop = at
        is_blank_after = True
    if kind in (VIRTUAL, INTERFACE) and bci is not None and stop > len(WORDS[kind]):
        start = len(WORDS[kind])
        return CallRow(kind, start, stop, start, body[start:stop], None, False, bci, None)
    number = id_before(body, stop) if is_blank_after or not is_cut else None
    if number is None:
        return CallRow(UNKNOWN, 0, len(body), 0, body, None, False, None, None)
    id, is_ref, end = number
    if kind == ENTRY:
        fits = bci is None and not is_ref
    elif kind == DIRECT:
        fits = bci is not None
    else:
        fits = kind in (OVERRIDDEN, IMPLEMENTED) and bci is None
    if not fits or end <= len(WORDS[kind]):
        return CallRow(UNKNOWN, 0, end, 0, body[:end], id, is_ref, bci, None)
    return _known(body, kind, end, id, is_ref, bci, None)


def _kind(body: bytes) -> int:
    """Kind according to the first word."""
    for kind, word in enumerate(WORDS):
        if body.startswith(word):
            return kind
    return UNKNOWN


def _known(
    body: bytes, kind: int, end: int, id: int, is_ref: bool, bci: tuple[int, int] | None, reason: tuple[int, int] | None
) -> CallRow:
    """Builds a row of a known kind with an id, with its loader."""
    start = len(WORDS[kind])
    colon = body.find(b":", start, end)
    name_start = colon + 1 if start < colon < body.find(b"(", start, end) else start
    return CallRow(kind, start, end, name_start, body[name_start:end], id, is_ref, bci, reason)


def id_before(body: bytes, stop: int) -> tuple[int, bool, int] | None:
    """Returns the id that ends at `stop`, True if it is a reference, and the end of the text before it."""
    equals = body.rfind(b"=", 0, stop)
    digits = body[equals + 1 : stop]
    if equals < 0 or not digits.isdigit() or len(digits) > ID_DIGITS:
        return None
    if body.endswith(b" id", 0, equals):
        return int(digits), False, equals - 3
    if body.endswith(b" id-ref", 0, equals):
        return int(digits), True, equals - 7
    return None


def _entry_with_reason(body: bytes, is_cut: bool) -> CallRow | None:
    """Parses an entry as printed by 24.1 and newer: its first `id=N, parsing reason:` ends the method."""
    at = body.find(REASON)
    while at >= 0:
        number = id_before(body, at)
        if number is not None and not number[1] and number[2] > len(WORDS[ENTRY]):
            start = at + len(REASON)
            start += 2 if body.startswith(b"  ", start) else 0
            stop = max(start, len(body) - 1 if body.endswith(b" ") else len(body))
            return _known(body, ENTRY, number[2], number[0], False, None, (start, stop))
        at = body.find(REASON, at + 1)
    if is_cut:
        comma = body.rfind(b",")
        number = id_before(body, comma) if comma >= 0 and REASON.startswith(body[comma:]) else None
        if number is not None and not number[1] and number[2] > len(WORDS[ENTRY]):
            return _known(body, ENTRY, number[2], number[0], False, None, None)
    return None
