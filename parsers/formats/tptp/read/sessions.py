"""Where sessions of a recording begin and end, and what lies between its elements: all that depends on their order.

A session begins at a member of a zip, at a second prologue, `TRACE` or `node` (format page, section 2). Readers tell of
each construct in file order, and of the bytes between them that are none.
"""

from __future__ import annotations

from codecs import BOM_UTF8

from parsers.formats.tptp.read.decoding import UTF_8, codec_of
from parsers.formats.tptp.read.parts import Part
from parsers.formats.tptp.read.scanner import WHITE
from parsers.formats.tptp.read.session_facts import SessionFacts
from parsers.formats.tptp.schema.batch import EventBatch, Finding, Session, Texts
from parsers.formats.tptp.schema.columns import FINDING_KINDS, SESSION_ENDS
from parsers.formats.tptp.schema.vocabulary import CODES, ELEMENTS

NULS = WHITE + b"\0"
_KIND = {name: place for place, name in enumerate(FINDING_KINDS)}
_CLOSED, _NO_END, _CUT = (SESSION_ENDS.index(name) for name in ("closed", "no end tag", "cut inside an element"))
_TRACE, _NODE = CODES["TRACE"], CODES["node"]
ROOT = b"TRACE"
NAMES = tuple(ELEMENTS)
MOST_OTHERS = 100
"""Attributes that are not known that are told."""


class Sessions:
    """The session that is being read, and where in it reading is. Marks and findings go to `batch`."""

    def __init__(self) -> None:
        self.batch: EventBatch
        self.codec: str | None = None
        """Python's name of the encoding of the session's texts; None: UTF-8."""
        self.others: set[tuple[int, str]] = set()
        """Codes of elements with attributes of theirs that are not known, of all sessions."""

    def begin(self, row: int, offset: int, part: Part) -> None:
        """A session of a part begins; the one before has ended."""
        self.batch.sessions.append(Session(row, offset, part.member))
        self._part = part
        self._start = self._good = offset
        self._declared: str | None = None
        self._used: str | None = None
        self.codec = None
        self._has_prologue = self._has_root = self._has_node = self._has_any = False
        self._is_closed = self._is_content = False
        self._facts = SessionFacts()
        self._gap = self._gap_end = -1
        """Where it begins; behind its last byte that is no zero, the same if there is none."""
        self._gap_is_torn = False
        self._zeros = 0
        """At the end of it."""

    def end(self, row: int) -> None:
        """The session ends."""
        rest = max(0, self._gap_end - self._gap) if self._gap >= 0 else 0
        state = _CLOSED if self._is_closed else _NO_END
        if rest and self._gap_is_torn and not self._is_closed:
            state = _CUT
            self._find("cut element", self._gap, rest)
        elif rest:
            self._find("torn element" if self._gap_is_torn else "junk", self._gap, rest)
        if self._zeros:
            self._find("zeros", self._gap_end if rest else self._gap, self._zeros)
        if state == _NO_END:
            self._find("no end mark", self._good, 0)
        told = self._part.encoding or (self._declared if self.codec is not None else None) or UTF_8
        # What was stored in UTF-16 was put into UTF-8 before; what only says so is in something else.
        is_lying = self._used is not None or (self._part.encoding is None and _is_utf_16(self._declared))
        facts = {**self._facts.facts, "start": self._part.start, "lying": is_lying, "others": self._others()}
        used = self._used or told
        member = self._part.member
        mark = Session(row, self._good, member, state, self._declared, used, self._zeros, rest, facts)
        self.batch.sessions.append(mark)

    def gap(self, offset: int, piece: bytes) -> None:
        """Bytes that belong to no construct, white space or not, up to the next construct or gap."""
        if self._is_content and not piece.startswith(b"<"):
            return
        if offset == self._part.start and piece.startswith(BOM_UTF8):
            offset, piece = offset + len(BOM_UTF8), piece[len(BOM_UTF8) :]
        kept = piece.rstrip(NULS)
        if not kept:
            self._zeros += piece.count(0)
            if self._zeros and self._gap < 0:
                self._gap = self._gap_end = offset + piece.index(0)
            return
        if self._gap < 0 or self._gap_end == self._gap:
            # Zeros before other bytes are lost with them.
            start = len(piece) - len(piece.lstrip(WHITE)) if self._gap < 0 else 0
            self._gap = offset + start if self._gap < 0 else self._gap
            self._gap_is_torn = piece[start : start + 1] == b"<"
        self._is_content = False
        self._gap_end = offset + len(kept)
        self._zeros = piece.count(0, len(kept))

    def element(self, row: int, code: int, start: int, end: int, is_open: bool, texts: Texts | None) -> None:
        """An element of any kind: it may begin a session."""
        if (code == _TRACE and (self._has_root or self._has_any)) or (code == _NODE and self._has_node):
            self._restart(row, start)
        self._close_gap(start)
        self._has_root |= code == _TRACE
        self._has_node |= code == _NODE
        self._has_any |= code != _TRACE
        self._good, self._is_closed, self._is_content = end, False, is_open and code != _TRACE
        self._facts.add(code, texts)

    def elements(self, start: int, end: int) -> None:
        """Elements that are nothing but numbers, with nothing between them, from one offset to another."""
        if self._gap >= 0:
            self._close_gap(start)
        self._has_any = True
        self._good, self._is_closed, self._is_content = end, False, False

    def close(self, start: int, end: int, name: bytes) -> None:
        """An end tag."""
        self._close_gap(start)
        self._good, self._is_content = end, False
        self._is_closed = name == ROOT or self._is_closed

    def prologue(self, row: int, start: int, encoding: bytes) -> None:
        """An XML declaration, with the encoding that it names, if any."""
        if self._has_prologue or self._has_root or self._has_any:
            self._restart(row, start)
        self._has_prologue = True
        self._close_gap(start)
        self._declared = encoding.decode("ascii", "replace") or None
        self.codec = codec_of(self._declared)

    def document_type(self, start: int, end: int) -> None:
        """A document type declaration: nothing in it is loaded or expanded."""
        self._find("document type", start, end - start)
        self._close_gap(start)

    def other(self, start: int) -> None:
        """A comment, an instruction, character data."""
        self._close_gap(start)

    def odd(self, offset: int, length: int) -> None:
        """An element that no strict parser takes."""
        self._find("not well formed", offset, length)

    def lies(self, offset: int, length: int, encoding: str) -> None:
        """An element whose text is in another encoding than the session's."""
        self._find("lying encoding", offset, length)
        self._used = self._used or encoding

    def _others(self) -> list[list[str]]:
        """Names of elements with an attribute that is not known, of this session and those before it."""
        named = sorted((NAMES[code - 1], attribute) for code, attribute in self.others)
        return [list(pair) for pair in named[:MOST_OTHERS]]

    def _restart(self, row: int, start: int) -> None:
        self.end(row)
        self.begin(row, start, self._part)
        self._find("second session", start, 0)

    def _close_gap(self, start: int) -> None:
        if self._gap < 0:
            return
        length = self._gap_end - self._gap
        if length:
            self._find("torn element" if self._gap_is_torn else "junk", self._gap, length)
        else:
            self._find("zeros", self._gap, self._zeros)
        self._no_gap()

    def _no_gap(self) -> None:
        self._gap = self._gap_end = -1
        self._gap_is_torn = False
        self._zeros = 0

    def _find(self, kind: str, offset: int, value: int) -> None:
        self.batch.findings.append(Finding(_KIND[kind], offset, value))


def _is_utf_16(declared: str | None) -> bool:
    return declared is not None and declared.upper().startswith("UTF-16")
