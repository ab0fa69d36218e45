"""Numbers that plain code and kernels share while they read a recording in file order.

at, row                  position in the chunk, and its row, where reading continues
begun                    sessions of the file that began
good                     offset behind the last complete element
has_prologue … has_any   what the session has: an XML declaration, `TRACE`, `node`, any other element
is_closed                the last element or end tag was `</TRACE>`
is_content               reading is inside an open element, where text is no damage
gap, gap_end             offsets of bytes that are no construct: the first, and behind the last non-zero one; -1: none
gap_is_torn              these bytes begin with a `<`
zeros                    number of zero bytes at the end of the gap
part_start               offset of the part's first byte
recordings               `traceStart` elements of the session since plain code took them over
facts                    elements of the file whose facts are kept
findings, odds           findings, and unknown elements, of the batch
words                    words of the batch
others                   unknown attributes of known elements that were noted, of the file
has_codec                how texts of the session are encoded: IN_UTF_8, IN_CHARACTERS, IN_SIGNS or IN_OTHERS
decoded                  position in the chunk up to which bytes are known that the session's encoding does not have
used                     encoding of a text that is not in the declared one: place in `decoding.USED_NAMES`; 0: none
odd_names                unique names of unknown elements of the file
unmatched                `<!` that begin nothing, of the file
no_end                   offsets before which no end of a comment, of character data, of an instruction begins
"""

from __future__ import annotations

from ctypes import Structure, c_int64


class SessionState(Structure):
    """The numbers, in memory that a kernel reads, too."""

    at: int
    row: int
    begun: int
    good: int
    has_prologue: int
    has_root: int
    has_node: int
    has_any: int
    is_closed: int
    is_content: int
    gap: int
    gap_end: int
    gap_is_torn: int
    zeros: int
    part_start: int
    recordings: int
    facts: int
    findings: int
    odds: int
    odd_names: int
    unmatched: int
    words: int
    others: int
    has_codec: int
    decoded: int
    used: int
    _fields_ = (*((name, c_int64) for name in __annotations__), ("no_end", 3 * c_int64))


IN_UTF_8, IN_CHARACTERS, IN_SIGNS, IN_OTHERS = range(4)
"""Encodings of a session: UTF-8; one whose characters `decoding.characters_of` returns; one of these with other
characters at some ASCII codes; any other.
"""
MOST_SESSIONS = 1000
"""Maximum sessions of a file: the last one includes everything after its beginning."""
