"""Tags of a log as bytes: the tags that a pass over a log reads, and the positions of their attributes.

Each `<` is judged alone, whatever is before it, so torn lines and tags in the middle of a line need no special case. A
`<` begins a tag that is read

* if the whole name of one of KEPT is behind it, anywhere (`uncommon_trap` only with `thread`: one that fired), or
* at the start of a line, if it is followed by a name that doesn't begin like those that occur only in tasks (INSIDE);
  or a name of ENDS behind `/`.

A comment in a tag (`<!-- safepoint while printing -->`) is removed before the tag is read.

A value ends at the next quote. In the few elements with names or texts that the VM doesn't escape (UNESCAPED, such as
`dependency_failed`) it ends at a quote that is followed by blanks and another `name='`, or by the end of the tag at the
end of a line; if there is none before the next tag, at the first quote. A `<` in a value belongs to the value, unless
a tag begins there: one of those above, any at the start of a line, any with an attribute, any end tag. A tag that
violates this syntax is *torn*: it ends there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from parsers.formats.hotspot.log.columns import EVENT_KINDS, EventKind

KEPT = (
    *EVENT_KINDS[: EventKind.OTHER],
    "task",
    "task_done",
    "failure",
    "fragment",
    "compilation_log",
    "start_compile_thread",
    "tty",
    "tty_done",
    "hotspot_log",
    "hotspot_log_done",
    "writer",
    "jvms",
)
"""Elements whose attributes a pass reads; events first, by their kinds."""

ENDS = ("task", "fragment", "compilation_log", "tty", "uncommon_trap", "deoptimized", "hotspot_log")
"""Elements whose end tags are read."""

(TASK, TASK_DONE, FAILURE, FRAGMENT, COMPILATION_LOG, START, TTY, TTY_DONE, LOG, LOG_DONE, WRITER, JVMS) = range(
    EventKind.OTHER, len(KEPT)
)
UNKNOWN = len(KEPT)
"""Any other element, at the start of a line."""
COMMENT = UNKNOWN + 1
"""`<!--`, anywhere."""
END_TASK, END_FRAGMENT, END_COMPILATION_LOG, END_TTY, END_TRAP, END_DEOPTIMIZED, END_LOG = range(
    COMMENT + 1, COMMENT + 1 + len(ENDS)
)
KINDS = END_LOG + 1
"""Number of kinds of tags: those of KEPT by their positions there, then the others."""

INSIDE = (
    "bc c",
    "call",
    "code",
    "type",
    "klas",
    "meth",
    "symb",
    "unkn",
    "pars",
    "phas",
    "inli",
    "late",
    "pred",
    "dire",
    "virt",
    "warm",
    "intr",
    "bran",
    "depe",
    "obse",
    "cast",
    "asse",
    "hot_",
    "elim",
    "loop",
    "rega",
    "unco",
)
"""The first four bytes of names that occur in tasks only."""

LOG_NAMES = (
    "blob",
    "sect",
    "print_nmethod",
    "print_native_nmethod",
    "opto_assembly",
    "ideal",
    "statistics",
    "destroy_vm",
    "vm_version",
    "vm_arguments",
    "name",
    "release",
    "info",
    "args",
    "command",
    "launcher",
    "properties",
    "flags",
    "speculative_traps_oom",
    "missing_mdp",
    "intrinsic_misdeclared",
    "deps_find_witness",
)
"""Elements of main logs that are not in KEPT."""
TASK_NAMES = (
    "comment",
    "replace_string_concat",
    "code_cache",
    "dependency",
    "bc",
    "call",
    "type",
    "klass",
    "method",
    "symbol",
    "unknown",
    "parse",
    "parse_done",
    "phase",
    "phase_done",
    "inline_success",
    "inline_fail",
    "inline_id",
    "inline_level_discount",
    "late_inline",
    "predicted_call",
    "direct_call",
    "virtual_call",
    "warm_call",
    "intrinsic",
    "predicated_intrinsic",
    "predicate_intrinsic",
    "branch",
    "observe",
    "cast_up",
    "assert_null",
    "hot_throw",
    "eliminate_lock",
    "eliminate_allocation",
    "eliminate_boxing",
    "loop_tree",
    "loop",
    "regalloc",
    "connectionGraph_bailout",
    "mismatched_nodes",
    "stress_test",
    "optimize",
    "method_not_compilable",
    "method_not_compilable_at_tier",
    "OSR_mismatch",
    "missed_CHA_opportunity",
)
"""Elements that occur in tasks only."""
MORE_NAMES = (*LOG_NAMES, *TASK_NAMES)
"""Names beside KEPT that count as tags in the middle of a line; `</args>` occurs there in undamaged logs."""

UNESCAPED = ("dependency_failed", "failure", "make_not_compilable", "thread_logfile")
"""Elements whose values may contain quotes and `<`: `dependency_failed` in all JDKs, the others in 8."""

LONGEST = 256 << 10
"""Maximum bytes of a tag; HotSpot's names have 64 KB at most, and more when they are escaped."""
LONGEST_NAME = 64
LONGEST_COMMENT = 128
"""Bytes between `<!--` and `-->`. HotSpot writes `<!-- safepoint while printing -->` only (ttyLocker, ostream.cpp)."""
NEAR = LONGEST_NAME + 8
"""Maximum bytes from a syntax error in a tag to the comment that explains it."""
MARGIN = 1024
"""Upper bound of the bytes of a tag's `<`, its name and their surroundings."""

_BLANKS = b" \t\r\n"


def any_of(names: Iterable[str]) -> bytes:
    """Returns a pattern for any of some names, by their first letters: that makes it fast."""
    by_letter: dict[str, list[str]] = {}
    for name in sorted(names, key=len, reverse=True):
        by_letter.setdefault(name[:1], []).append(name[1:])
    letters = (re.escape(letter) + f"(?:{'|'.join(map(re.escape, rest))})" for letter, rest in by_letter.items())
    return f"(?:{'|'.join(letters)})".encode()


_DELIMITED = rb"(?=[ \t\r\n/>]|<!--)"
_KEPT = any_of(set(KEPT) - {"uncommon_trap"}) + _DELIMITED + rb"|uncommon_trap(?= thread=')"
_END = b"/" + any_of(ENDS) + _DELIMITED
_DROPPED = any_of(set(INSIDE) - {name[:4] for name in KEPT} | {"/p", "/l"})
"""Beginnings of names that are not kept; tested first."""
_TAG = re.compile(
    rb"<(?!" + _DROPPED + rb")(?:(?P<kept>" + _KEPT + rb")|(?P<end>" + _END + rb")|(?P<comment>!--)"
    rb"|(?<=\n<)(?!" + any_of(INSIDE) + rb")(?P<unknown>[A-Za-z_][A-Za-z0-9_]{0,63})" + _DELIMITED + rb")"
)
ANY_TAG = (
    rb"(?<=\n<)[A-Za-z_/!]"
    rb"|[A-Za-z_][A-Za-z0-9_]{0,63}[ \t\r\n]++[A-Za-z0-9_:.-]{1,64}='|/[A-Za-z_][A-Za-z0-9_]{0,63}>"
)
"""The text after a `<` with which a tag of any name begins in a value."""
_BOUND = re.compile(rb"<(?:" + _KEPT + rb"|" + _END + rb"|" + ANY_TAG + rb")")
COMMENT_IN_TAG = re.compile(
    rb"(?<![>\n])<!--[^<>]{0,%d}-->(?:\r?\n)?|<!--[^<>]{0,%d}-->" % (LONGEST_COMMENT, LONGEST_COMMENT)
)
"""A comment with the line end that HotSpot prints after it; between tags that line end stays."""
_IN_MID_LINE = re.compile(rb"<(?<=[^\n]<)/?" + any_of({*KEPT, *MORE_NAMES}) + _DELIMITED)

_ATTRIBUTE = re.compile(rb"[ \t\r\n]*([A-Za-z0-9_:.-]{1,64})='([^'<]*)'")
_ATTRIBUTES = re.compile(rb"(?>[ \t\r\n]*[A-Za-z0-9_:.-]{1,64}='[^'<]*')*+[ \t\r\n]*+")
_NAME = re.compile(rb"[A-Za-z0-9_:.-]{1,64}='")
_QUOTE_OR_TAG = re.compile(rb"['<]")
_ENDS_VALUE = re.compile(rb"'(?:[ \t\r\n]*/?>(?=[\r\n<]|\Z)|[ \t\r\n]+[A-Za-z0-9_:.-]{1,64}=')")

_UNESCAPED = frozenset(name.encode() for name in UNESCAPED)
_NUMBERS = {name.encode(): number for number, name in enumerate(KEPT)}
_END_NUMBERS = {name.encode(): END_TASK + number for number, name in enumerate(ENDS)}


class Tag(NamedTuple):
    """One tag. Positions are those of the bytes it was found in."""

    kind: int
    start: int
    end: int
    """After its `>`; of a torn tag where its syntax breaks."""
    name: bytes
    attributes: dict[bytes, bytes]
    """Of several with one name the first."""
    is_torn: bool


def tags(data: bytes, start: int = 0, stop: int | None = None) -> list[Tag]:
    """Returns all tags of these kinds that begin in data[start:stop]. Bytes before `start` are context."""
    return [_tag(data, match) for match in _matches(data, start, stop)]


def names(data: bytes, start: int, stop: int) -> list[bytes]:
    """Returns the names of the same tags."""
    return [match["kept"] or match["unknown"] or match["end"] or b"" for match in _matches(data, start, stop)]


def _matches(data: bytes, start: int, stop: int | None) -> Iterator[re.Match[bytes]]:
    for match in _TAG.finditer(data, max(start - 1, 0)):
        at = match.start()
        if stop is not None and at >= stop:
            break
        if at >= start:
            yield match


def names_in_mid_line(data: bytes) -> list[tuple[int, bytes]]:
    """Returns positions and names of known tags that don't begin their line, except `</args>`."""
    found = ((match.start(), match[0][1:]) for match in _IN_MID_LINE.finditer(data))
    return [(at, name) for at, name in found if name != b"/args"]


def _tag(data: bytes, match: re.Match[bytes]) -> Tag:
    at, end = match.start(), match.end()
    if match["comment"] is not None:
        return Tag(COMMENT, at, end, b"", {}, False)
    if match["end"] is not None:
        closed = data.find(b">", end, end + 2)
        return Tag(_END_NUMBERS[match["end"][1:]], at, closed + 1 if closed >= 0 else end, match["end"], {}, closed < 0)
    name = match["kept"] or match["unknown"]
    attributes, after, is_torn = read_attributes(data, end, name in _UNESCAPED)
    return Tag(_NUMBERS.get(name, UNKNOWN), at, after, name, attributes, is_torn)


def read_attributes(data: bytes, at: int, is_unescaped: bool = False) -> tuple[dict[bytes, bytes], int, bool]:
    """Returns the attributes of a tag, its end, and True if it is torn. Reads from after its name.

    is_unescaped  True if its values may contain quotes
    """
    stop = min(len(data), at + LONGEST)
    if not is_unescaped:
        found = _ATTRIBUTES.match(data, at, stop)
        assert found is not None
        end = found.end()
        after = end + 1 if data[end : end + 1] == b">" else end + 2 if data[end : end + 2] == b"/>" else stop + 1
        if after <= stop:
            return dict(reversed(_ATTRIBUTE.findall(data, at, end))), after, False
    read = _read_pairs(data, at, stop, is_unescaped, has_comments=True)
    if read is not None:
        return read
    pieces = _without_comments(data, at, stop)
    text = b"".join(data[start:end] for start, end in pieces)
    read = _read_pairs(text, 0, len(text), is_unescaped, has_comments=False)
    assert read is not None
    attributes, end, is_torn = read
    for start, piece_end in pieces:
        if end <= piece_end - start:
            return attributes, start + end, is_torn
        end -= piece_end - start
    raise AssertionError("a tag ends in what was read of it")


def _without_comments(data: bytes, at: int, stop: int) -> list[tuple[int, int]]:
    """Returns ranges of the bytes of a tag without the comments in it, up to the next tag."""
    pieces, start = [], at
    while (at := data.find(b"<", at, stop)) >= 0:
        comment = COMMENT_IN_TAG.match(data, at, stop)
        if comment is not None:
            pieces.append((start, at))
            start = at = comment.end()
        elif _BOUND.match(data, at, stop):
            stop = at
            break
        else:
            at += 1
    return [*pieces, (start, stop)]


def _read_pairs(
    data: bytes, at: int, stop: int, is_unescaped: bool, has_comments: bool
) -> tuple[dict[bytes, bytes], int, bool] | None:
    """Returns attributes, end of the tag, and True if it is torn; None if there is a comment in it.

    has_comments  True to look for comments; False: they are text like any other
    """
    attributes: dict[bytes, bytes] = {}
    while True:
        while at < stop and data[at] in _BLANKS:
            at += 1
        if data[at : at + 1] == b">" and at < stop:
            return attributes, at + 1, False
        if data[at : at + 2] == b"/>" and at + 1 < stop:
            return attributes, at + 2, False
        name = _NAME.match(data, at, stop)
        if name is None:
            near = data.find(b"<", at, min(at + NEAR, stop))
            is_comment = has_comments and near >= 0 and COMMENT_IN_TAG.match(data, near, stop)
            return None if is_comment else (attributes, at, True)
        value = _value_end(data, name.end(), stop, is_unescaped, has_comments)
        if value is None:
            return None
        end, after, is_torn = value
        attributes.setdefault(name[0][:-2], data[name.end() : end])
        if is_torn:
            return attributes, after, True
        at = after


def _value_end(data: bytes, at: int, stop: int, is_unescaped: bool, has_comments: bool) -> tuple[int, int, bool] | None:
    """Returns a value's end, the next position in its tag, True if the tag is torn there; None for a comment in it."""
    first = -1
    while True:
        match = _QUOTE_OR_TAG.search(data, at, stop)
        if match is None:
            return (first if first >= 0 else stop), stop, True
        at = match.start()
        if match[0] == b"<":
            if has_comments and COMMENT_IN_TAG.match(data, at, stop):
                return None
            if _BOUND.match(data, at, stop):
                return (first if first >= 0 else at), at, True
        elif not is_unescaped:
            return at, at + 1, False
        else:
            first = at if first < 0 else first
            if _ENDS_VALUE.match(data, at, stop):
                return at, at + 1, False
        at += 1


def number(text: bytes | None, none: int, most: int) -> int:
    """Parses decimal digits; returns `none` for anything else, and for more than `most`."""
    if text is None or not text.isdigit() or len(text) > 20:
        return none
    value = int(text)
    return value if value <= most else none


def milliseconds(text: bytes | None, none: int) -> int:
    """Parses a stamp, seconds with three decimals, as milliseconds. A program that calls setlocale writes commas."""
    if text is None:
        return none
    whole, _, part = text.replace(b",", b".").partition(b".")
    if not whole.isdigit() or len(whole) > 7 or not (part[:3].isdigit() or not part):
        return none
    value = int(whole) * 1000 + int(part[:3].ljust(3, b"0"))
    return value if value < none else none
