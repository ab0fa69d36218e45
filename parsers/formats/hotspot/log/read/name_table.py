"""Names of elements and attributes as tables for kernels: the meaning of a few bytes is one look-up.

All tables are computed from `tags`, so that kernels and plain code know the same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hotspot.log.read import tags
from parsers.index.text_hash import hash_of

if TYPE_CHECKING:
    from parsers.model.arrays import RecordArray, U64Array

DROPPED, LISTED = 1, 2
"""Classes of the four bytes after a `<`: not kept; from LISTED on a list of names to compare with."""

WORD_BITS, ATTRIBUTE_BITS, NAME_BITS = 11, 8, 9

DELIMITERS = " \t\r\n/><"
"""Characters after a name; `<` where a comment follows."""

LogAttribute = IntEnum(
    "LogAttribute",
    "COMPILE_ID COMPILE_KIND COMPILER METHOD OSR_BCI LEVEL BLOCKING STAMP SUCCESS NMSIZE INLINED_BYTES REASON COMMENT"
    " TYPE STATE FILENAME PHASE NAME THREAD PROCESS SIZE ZOMBIE ACTION COUNT FREE_CODE_CACHE BCI OSR TIME_MS CTXK",
)
"""Attributes that a pass reads; of the five from `reason` to `filename` the first one present counts."""
PASSED_BY = (
    "bytes",
    "iicount",
    "backedge_count",
    "hot_count",
    "decompiles",
    "entry",
    "address",
    "relocation_offset",
    "consts_offset",
    "insts_offset",
    "stub_offset",
    "scopes_data_offset",
    "scopes_pcs_offset",
    "dependencies_offset",
    "handler_table_offset",
    "nul_chk_table_offset",
    "metadata_offset",
    "oops_offset",
    "total_blobs",
    "nmethods",
    "adapters",
    "traversals",
    "debug_id",
    "index",
    "pc",
    "witness",
    "x",
)
"""Attributes that a pass knows, to skip them without reading each letter."""
PASSED = len(LogAttribute) + 1
"""The attribute number of each of PASSED_BY."""
LONGEST_KNOWN = 24


NAME_LIST = np.dtype([("first", "u1"), ("length", "u1"), ("is_more", "u1")], align=True)
"""Names with the same beginning: the first one, their number, 1 if others with it occur in tasks only."""
_THREE_WORDS = [("first", "u8"), ("second", "u8"), ("third", "u8")]
"""24 bytes of a name, filled with zeros."""
KEPT_NAME = np.dtype(
    [*_THREE_WORDS, *((f"{name}_mask", type) for name, type in _THREE_WORDS), ("length", "u8"), ("kind", "u8")],
    align=True,
)
"""A name, with the slash of an end tag: its bytes, their mask, its length, its kind (see `tags`)."""
ATTRIBUTE = np.dtype([*_THREE_WORDS, ("length", "u8"), ("number", "u8")], align=True)
"""The name of an attribute, and its number; 0: free."""


class LogNames(NamedTuple):
    """All tables."""

    word: U64Array
    """uint64[2^k]: four known bytes, and their class in the upper half: DROPPED, LISTED + a list; 0: free"""
    lists: RecordArray
    """NAME_LIST[n]"""
    kept: RecordArray
    """KEPT_NAME[n]"""
    attribute: RecordArray
    """ATTRIBUTE[2^k]"""
    dropped: U64Array
    """uint64[2^k]: four bytes of the class DROPPED, each at the index that DROP_MIX gives; else larger numbers"""
    known: U64Array
    """uint64[2^k]: hashes of names that count in mid-line"""


WORD_MIX = 0x9E3779B1
DROP_MIX, DROP_BITS = 0x9E3779C7, 8
ATTRIBUTE_MIX = 0xFF51AFD7ED558CCD


def _padded(text: bytes, length: int) -> bytes:
    return text[:length].ljust(length, b"\0")


def make_names() -> LogNames:
    """Computes the tables."""
    kept = [(name.encode(), kind) for kind, name in enumerate(tags.KEPT)]
    kept += [(b"/" + name.encode(), tags.END_TASK + number) for number, name in enumerate(tags.ENDS)]
    lists: dict[bytes, list[tuple[bytes, int]]] = {}
    for name, kind in kept:
        for word in [name[:4]] if len(name) > 3 else [name + end.encode() for end in DELIMITERS]:
            lists.setdefault(word, []).append((name, kind))
    words = np.zeros(1 << WORD_BITS, np.uint64)
    listed: list[tuple[int, int, bool]] = []
    names: list[tuple[bytes, int]] = []
    inside_prefixes = {prefix.encode() for prefix in tags.INSIDE}
    for prefix, of_prefix in lists.items():
        listed.append((len(names), len(of_prefix), prefix in inside_prefixes))
        names += of_prefix
        _put_word(words, prefix, LISTED + len(listed) - 1)
    for prefix in inside_prefixes - set(lists):
        _put_word(words, prefix, DROPPED)
    rows = [(*_words(name), *_words(b"\xff" * len(name)), len(name), kind) for name, kind in names]
    attributes = attribute_table(
        {each.name.lower(): int(each) for each in LogAttribute} | dict.fromkeys(PASSED_BY, PASSED)
    )
    return LogNames(words, np.array(listed, NAME_LIST), np.array(rows, KEPT_NAME), attributes, _dropped(), _known())


def _words(text: bytes) -> list[int]:
    """Returns 24 bytes as three numbers."""
    return [int(word) for word in np.frombuffer(_padded(text, LONGEST_KNOWN), np.uint64)]


def _put_word(words: U64Array, prefix: bytes, number: int) -> None:
    word = int.from_bytes(prefix, "little")
    place = (word * WORD_MIX & 0xFFFFFFFF) >> (32 - WORD_BITS)
    while words[place]:
        place = place + 1 & len(words) - 1
    words[place] = number << 32 | word


def attribute_table(numbers: Mapping[str, int]) -> RecordArray:
    """Returns the table of names of attributes with their numbers, which are not 0. See `LogNames.attribute`."""
    size = 1 << ATTRIBUTE_BITS
    table = np.zeros(size, ATTRIBUTE)
    for name, number in numbers.items():
        words = _words(name.encode())
        place = ((words[0] ^ len(name)) * ATTRIBUTE_MIX & 0xFFFFFFFFFFFFFFFF) >> (64 - ATTRIBUTE_BITS)
        while table[place]["number"]:
            place = place + 1 & size - 1
        table[place] = (*words, len(name), number)
    return table


def _dropped() -> U64Array:
    """Returns the table of dropped words: no two share an index, so one look-up decides."""
    words = {prefix.encode() for prefix in tags.INSIDE} - {name[:4].encode() for name in tags.KEPT}
    words |= {b"/pha", b"/par", b"/loo", b"/lat", b"/jvm"}
    table = np.full(1 << DROP_BITS, 1 << 32, np.uint64)
    for word in (int.from_bytes(each, "little") for each in words):
        place = (word * DROP_MIX & 0xFFFFFFFF) >> (32 - DROP_BITS)
        assert table[place] == 1 << 32, "DROP_MIX must give each word a place of its own"
        table[place] = word
    return table


def _known() -> U64Array:
    size = 1 << NAME_BITS
    known = np.zeros(size, np.uint64)
    for name in {*tags.KEPT, *tags.MORE_NAMES}:
        hash = hash_of(name.encode())
        place = hash & size - 1
        while known[place]:
            place = place + 1 & size - 1
        known[place] = hash
    return known
