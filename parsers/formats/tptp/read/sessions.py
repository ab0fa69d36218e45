"""Beginnings and ends of the sessions of a recording, and bytes between its elements: all that depends on their order.

A session begins at an entry of a zip, at a second prologue, `TRACE` or `node`. Readers report each construct in file
order, and the bytes between constructs.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping

from parsers.formats.tptp.read.decoding import USED_NAMES, UTF_8, characters_of, codec_of, differs_from_ascii
from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.read.scanner import WHITE
from parsers.formats.tptp.read.session_facts import SessionFacts
from parsers.formats.tptp.read.session_state import (
    IN_CHARACTERS,
    IN_OTHERS,
    IN_SIGNS,
    IN_UTF_8,
    MOST_SESSIONS,
    SessionState,
)
from parsers.formats.tptp.schema.batch import EventBatch, SessionMark, TraceFinding
from parsers.formats.tptp.schema.columns import CLOSED, IS_CUT, NO_END_TAG
from parsers.formats.tptp.schema.counters import FindingKind
from parsers.formats.tptp.schema.values import MOST_OTHERS
from parsers.formats.tptp.schema.vocabulary import CODES, ELEMENTS

NULS = WHITE + b"\0"
_TRACE, _NODE, _START = CODES["TRACE"], CODES["node"], CODES["traceStart"]
ROOT = b"TRACE"
NAMES = tuple(ELEMENTS)
LISTED_OTHERS = 100
"""Maximum unknown attributes that are listed."""


class Sessions:
    """The session that is being read, and the position in it. Marks and findings are added to `batch`."""

    def __init__(self, state: SessionState | None = None) -> None:
        """
        state  numbers shared with a kernel, see `session_state`
        """
        self.state = SessionState() if state is None else state
        self.batch: EventBatch
        self.codec: str | None = None
        """Python's name of the encoding of the session's texts; None: UTF-8."""
        self.decoded_as: str | None = None
        """The encoding by which the bytes up to `state.decoded` were decoded."""
        self.characters = bytearray(256 + (1 << 16))
        """Result of `decoding.characters_of` for it."""
        self.others: set[tuple[int, str]] = set()
        """Codes of elements with their unknown attributes, of all sessions."""

    def begin(self, row: int, offset: int, part: DocumentPart) -> None:
        """Begins a session of a part; the one before has ended."""
        state = self.state
        if state.begun < MOST_SESSIONS:
            self.batch.sessions.append(SessionMark(row, offset, part.member))
            self._facts = SessionFacts()
            state.used = 0
            self._declare(None)
            state.recordings = 0
        state.begun += 1
        self._part = part
        state.part_start = part.start
        state.good = offset
        state.has_prologue = state.has_root = state.has_node = state.has_any = False
        state.is_closed = state.is_content = False
        self._no_gap()

    def end(self, row: int, is_last: bool = True) -> None:
        """Ends the session. is_last: no other session of its part follows"""
        state = self.state
        rest = max(0, state.gap_end - state.gap) if state.gap >= 0 else 0
        how = CLOSED if state.is_closed else NO_END_TAG
        if rest and state.gap_is_torn and not state.is_closed:
            how = IS_CUT
            self._find(FindingKind.CUT_ELEMENT, state.gap, rest)
        elif rest:
            self._find(FindingKind.TORN_ELEMENT if state.gap_is_torn else FindingKind.JUNK, state.gap, rest)
        if state.zeros:
            self._find(FindingKind.ZEROS, state.gap_end if rest else state.gap, state.zeros)
        if how == NO_END_TAG:
            self._find(FindingKind.NO_END_MARK, state.good, 0)
        if not is_last and state.begun >= MOST_SESSIONS:
            return
        stated = self._part.encoding or (self._declared if self.codec is not None else None) or UTF_8
        # UTF-16 was converted to UTF-8 before; a part that only declares UTF-16 is in another encoding.
        is_lying = state.used != 0 or (self._part.encoding is None and _is_utf_16(self._declared))
        facts = {**self._facts.facts, "recordings": int(state.recordings), "start": self._part.start}
        facts |= {"lying": is_lying, "others": self._others()}
        used = USED_NAMES[state.used] or stated
        member = self._part.member
        mark = SessionMark(row, int(state.good), member, how, self._declared, used, int(state.zeros), int(rest), facts)
        self.batch.sessions.append(mark)

    def gap(self, offset: int, piece: bytes) -> None:
        """Handles bytes that belong to no construct, white space or not, up to the next construct or gap."""
        state = self.state
        if state.is_content and not piece.startswith(b"<"):
            return
        if offset == self._part.start and piece.startswith(BOM_UTF8):
            offset, piece = offset + len(BOM_UTF8), piece[len(BOM_UTF8) :]
        kept = piece.rstrip(NULS)
        if not kept:
            state.zeros += piece.count(0)
            if state.zeros and state.gap < 0:
                state.gap = state.gap_end = offset + piece.index(0)
            return
        if state.gap < 0 or state.gap_end == state.gap:
            # Zeros before other bytes are lost with them.
            start = len(piece) - len(piece.lstrip(WHITE)) if state.gap < 0 else 0
            state.gap = offset + start if state.gap < 0 else state.gap
            state.gap_is_torn = piece[start : start + 1] == b"<"
        state.is_content = False
        state.gap_end = offset + len(kept)
        state.zeros = piece.count(0, len(kept))

    def element(
        self, row: int, code: int, start: int, end: int, is_open: bool, said: Mapping[str, str] | None = None
    ) -> None:
        """An element of any kind: it may begin a session. said: its attributes by our names, if it has facts"""
        state = self.state
        if (code == _TRACE and (state.has_root or state.has_any)) or (code == _NODE and state.has_node):
            self._restart(row, start)
        self._close_gap(start)
        state.has_root |= code == _TRACE
        state.has_node |= code == _NODE
        state.has_any |= code != _TRACE
        state.good, state.is_closed, state.is_content = end, False, is_open and code != _TRACE
        state.recordings += code == _START
        if said is not None:
            self._facts.add(code, said)

    def close(self, start: int, end: int, name: bytes) -> None:
        """Handles an end tag."""
        state = self.state
        self._close_gap(start)
        state.good, state.is_content = end, False
        state.is_closed = name == ROOT or state.is_closed

    def prologue(self, row: int, start: int, encoding: bytes) -> None:
        """Handles an XML declaration. encoding: as declared, or empty"""
        state = self.state
        if state.has_prologue or state.has_root or state.has_any:
            self._restart(row, start)
        state.has_prologue = True
        self._close_gap(start)
        if state.begun <= MOST_SESSIONS:
            self._declare(encoding.decode("ascii", "replace") or None)

    def document_type(self, start: int, end: int) -> None:
        """Handles a document type declaration: nothing in it is loaded or expanded."""
        self._find(FindingKind.DOCUMENT_TYPE, start, end - start)
        self._close_gap(start)

    def other(self, start: int) -> None:
        """Handles a comment, an instruction, character data."""
        self._close_gap(start)

    def odd(self, offset: int, length: int) -> None:
        """Handles an element that strict parsers reject."""
        self._find(FindingKind.NOT_WELL_FORMED, offset, length)

    def note_wrong_encoding(self, offset: int, length: int, encoding: str) -> None:
        """Handles an element whose text is in another encoding than the session's."""
        self._find(FindingKind.LYING_ENCODING, offset, length)
        self.state.used = self.state.used or USED_NAMES.index(encoding)

    def note_other(self, code: int, attribute: str) -> None:
        """An attribute that is not known, of an element that is."""
        if len(self.others) < MOST_OTHERS:
            self.others.add((code, attribute))

    def _declare(self, encoding: str | None) -> None:
        self._declared = encoding
        self.codec = codec_of(encoding)
        if self.codec is not None and self.codec != self.decoded_as:
            self.state.decoded = 0
        self.state.has_codec = IN_UTF_8
        if self.codec is not None:
            characters = characters_of(self.codec)
            self.state.has_codec = IN_OTHERS
            if characters is not None:
                self.characters[:] = characters
                self.state.has_codec = IN_SIGNS if differs_from_ascii(self.codec) else IN_CHARACTERS

    def _others(self) -> list[list[str]]:
        """Returns names of elements with an unknown attribute, of this session and those before it."""
        named = sorted((NAMES[code - 1], attribute) for code, attribute in self.others)
        return [list(pair) for pair in named[:LISTED_OTHERS]]

    def _restart(self, row: int, start: int) -> None:
        self.end(row, is_last=False)
        self.begin(row, start, self._part)
        self._find(FindingKind.SECOND_SESSION, start, 0)

    def _close_gap(self, start: int) -> None:
        state = self.state
        if state.gap < 0:
            return
        length = state.gap_end - state.gap
        if length:
            self._find(FindingKind.TORN_ELEMENT if state.gap_is_torn else FindingKind.JUNK, state.gap, length)
        else:
            self._find(FindingKind.ZEROS, state.gap, state.zeros)
        self._no_gap()

    def _no_gap(self) -> None:
        state = self.state
        state.gap = state.gap_end = -1
        state.gap_is_torn = False
        state.zeros = 0

    def _find(self, kind: int, offset: int, value: int) -> None:
        self.batch.findings.append(TraceFinding(kind, offset, value))


def _is_utf_16(declared: str | None) -> bool:
    return declared is not None and declared.upper().startswith("UTF-16")
