"""Numbers that plain code and kernels share while they read a recording in file order: one array of int64.

AT, ROW                  position in the chunk, and its row, where reading continues
BEGUN                    sessions of the file that began
GOOD                     offset behind the last complete element
HAS_PROLOGUE … HAS_ANY   what the session has: an XML declaration, `TRACE`, `node`, any other element
IS_CLOSED                the last element or end tag was `</TRACE>`
IS_CONTENT               reading is inside an open element, where text is no damage
GAP, GAP_END             offsets of bytes that are no construct: the first, and behind the last non-zero one; -1: none
GAP_IS_TORN              these bytes begin with a `<`
ZEROS                    number of zero bytes at the end of the gap
PART_START               offset of the part's first byte
RECORDINGS               `traceStart` elements of the session since plain code took them over
FACTS                    elements of the file whose facts are kept
FINDINGS, ODDS           findings, and unknown elements, of the batch
WORDS                    words of the batch
OTHERS                   unknown attributes of known elements that were noted, of the file
HAS_CODEC                how texts of the session are encoded: IN_UTF_8, IN_CHARACTERS or IN_OTHERS
USED                     encoding of a text that is not in the declared one: place in `decoding.USED_NAMES`; 0: none
ODD_NAMES                unique names of unknown elements of the file
UNMATCHED                `<!` that begin nothing, of the file
NO_COMMENT_END …         offset before which no end of a comment, of character data, of an instruction begins
"""

from __future__ import annotations

(
    AT,
    ROW,
    BEGUN,
    GOOD,
    HAS_PROLOGUE,
    HAS_ROOT,
    HAS_NODE,
    HAS_ANY,
    IS_CLOSED,
    IS_CONTENT,
    GAP,
    GAP_END,
    GAP_IS_TORN,
    ZEROS,
    PART_START,
    RECORDINGS,
    FACTS,
    FINDINGS,
    ODDS,
    ODD_NAMES,
    UNMATCHED,
    NO_COMMENT_END,
    NO_DATA_END,
    NO_INSTRUCTION_END,
    WORDS,
    OTHERS,
    HAS_CODEC,
    USED,
) = range(28)
LENGTH = 28
"""Numbers of the array."""
IN_UTF_8, IN_CHARACTERS, IN_OTHERS = range(3)
"""Encodings of a session: UTF-8; one whose characters `decoding.characters_of` gives; any other."""
MOST_SESSIONS = 1000
"""Maximum sessions of a file: the last one includes everything after its beginning."""
